"""The texts of queries, from whichever format a file is in."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.lines import first_line, refuse, tidy
from evalstore.formats.registry import recognised_lines
from evalstore.formats.source import ReadOptions, quoted

Queries = dict[str, str]
"""Text by query id, in the order of the file."""


def read_queries(path: str, options: ReadOptions | None = None) -> Queries:
    """Read the texts of queries: tab-separated, JSON lines or TREC topics, told apart by content.

    Returns:
        The text by query id, in the order of the file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    (line, text), lines = first_line(path, options or ReadOptions(), "queries")
    if text.lstrip().startswith("["):
        refuse(path, line, "a JSON array: one object a line is expected")
    queries: Queries = recognised_lines(text, "queries").read_lines(path, lines)
    return queries


def by_id(path: str, texts: Iterator[tuple[int, str, str]]) -> Queries:
    """The queries of a file from (line, query id, text) of each.

    Raises:
        FileError: a query that stands twice, or no query at all.
    """
    queries: Queries = {}
    lines: dict[str, int] = {}
    for line, qid, text in texts:
        if qid in lines:
            refuse(path, line, f"query {quoted(qid)} stands twice (first on line {lines[qid]})")
        queries[qid], lines[qid] = tidy(text), line
    if not queries:
        refuse(path, None, "no queries, only comments")
    return queries
