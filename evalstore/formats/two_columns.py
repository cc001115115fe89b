"""Read files of two columns: what a query's user knew before, and how long an answer took."""

from __future__ import annotations

import math

from evalstore.formats.lines import checked_id, numbered_lines, refuse
from evalstore.formats.source import ReadOptions, quoted


def read_known(path: str, options: ReadOptions | None = None) -> dict[str, set[str]]:
    """Read `qid docno` lines: the documents each query's user knew before.

    Raises:
        FileError: the first line that is not two columns, or no line at all.
    """
    known: dict[str, set[str]] = {}
    for _, qid, docno in _pairs(path, options, "qid and docno"):
        known.setdefault(qid, set()).add(docno)
    return known


def read_times(path: str, options: ReadOptions | None = None) -> dict[str, float]:
    """Read `qid milliseconds` lines: how long the answer to each query took.

    Raises:
        FileError: the first line that is not a query and a number from 0, a query that stands
            twice, or no line at all.
    """
    times: dict[str, float] = {}
    for line, qid, word in _pairs(path, options, "qid and milliseconds"):
        try:
            took = float(word)
        except ValueError:
            took = math.nan
        if not (0 <= took < math.inf) or "_" in word:
            refuse(path, line, f"{quoted(word)} is no number of milliseconds")
        if qid in times:
            refuse(path, line, f"query {quoted(qid)} stands twice")
        times[qid] = took
    return times


def _pairs(path: str, options: ReadOptions | None, columns: str) -> list[tuple[int, str, str]]:
    pairs = []
    for line, text in numbered_lines(path, options or ReadOptions()):
        words = text.strip(" \t").replace("\t", " ").split(" ")
        words = [word for word in words if word]
        if text.lstrip().startswith("#"):
            continue
        if len(words) != 2:
            refuse(path, line, f"expected 2 columns ({columns}), found {len(words)}")
        pairs.append((line, checked_id(path, line, "query id", words[0], "a query id"), words[1]))
    if not pairs:
        refuse(path, None, f"no lines of {columns}")
    return pairs
