"""Known documents of each query (`qid docno`), response times, and explanations of ranks."""

from __future__ import annotations

import math

from evalstore.formats.reading.lines import checked_id, id_and_word, numbered_lines
from evalstore.formats.reading.source import ReadOptions, quoted, refuse
from evalstore.formats.registry import Format, ends_in_number, first_columns, recognise_if

Known = dict[str, set[str]]


def read_known(path: str, options: ReadOptions | None = None) -> Known:
    """Read the docnos that each query's user knew before, by query id."""
    known: Known = {}
    for _, qid, docno in id_and_word(path, options, "qid and docno"):
        known.setdefault(qid, set()).add(docno)
    return known


KNOWN: Format[Known] = Format(
    name="known",
    title="known documents",
    content="known",
    extensions=(".txt",),
    example="q1 d7\nq1 d9\nq2 d7\n",
    recognise=recognise_if(
        lambda head: len(first_columns(head)) == 2 and not ends_in_number(head, 2),
        "two columns",
        certain=False,
    ),
    read=read_known,
)


# Response times: `qid milliseconds`, a line for each query

Times = dict[str, float]


def read_times(path: str, options: ReadOptions | None = None) -> Times:
    """Read the response time of each query, in milliseconds by query id."""
    times: Times = {}
    for line, qid, word in id_and_word(path, options, "qid and milliseconds"):
        try:
            milliseconds = float(word)
        except ValueError:
            milliseconds = math.nan
        if not (0 <= milliseconds < math.inf) or "_" in word:
            refuse(path, line, f"{quoted(word)} is no number of milliseconds")
        if qid in times:
            refuse(path, line, f"query {quoted(qid)} stands twice")
        times[qid] = milliseconds
    return times


TIMES: Format[Times] = Format(
    name="times",
    title="response times",
    content="times",
    extensions=(".txt",),
    example="q1 12\nq2 0.5\n",
    recognise=recognise_if(
        lambda head: ends_in_number(head, 2), "two columns, the second a number", certain=False
    ),
    read=read_times,
)


# Explanations of an engine: `qid docno explanation`, a line for each explained document

Explanations = dict[tuple[str, str], str]
LONGEST_EXPLANATION = 10_000
"""Characters of an explanation: an engine's tree of scores has some thousand."""


def read_explanations(path: str, options: ReadOptions | None = None) -> Explanations:
    """Read an engine's explanations of its scores, by query id and docno."""
    columns = "qid, docno and explanation with tabs between them"
    found: Explanations = {}
    for line, text in numbered_lines(path, options or ReadOptions()):
        words = text.split("\t", 2)
        if len(words) != 3:
            refuse(path, line, f"expected 3 columns ({columns}), found {len(words)}")
        if not words[2].strip():
            refuse(path, line, "the explanation is empty")
        qid = checked_id(path, line, "query id", words[0], "a query id")
        docno = checked_id(path, line, "docno", words[1], "a docno")
        if len(words[2]) > LONGEST_EXPLANATION:
            limit = f"at most {LONGEST_EXPLANATION:,} are stored"
            refuse(path, line, f"the explanation has {len(words[2]):,} characters: {limit}")
        if (qid, docno) in found:
            refuse(path, line, f"document {quoted(docno)} of query {quoted(qid)} stands twice")
        found[qid, docno] = words[2].strip()
    if not found:
        refuse(path, None, f"no lines of {columns}")
    return found
