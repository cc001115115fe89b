"""Documents that each query's user knew before: `qid docno`, a line each."""

from __future__ import annotations

import math

from evalstore.formats.reading.lines import id_and_word, refuse
from evalstore.formats.reading.source import ReadOptions, quoted
from evalstore.formats.registry import Format, Recognised, first_columns, is_number

Known = dict[str, set[str]]


def read_known(path: str, options: ReadOptions | None = None) -> Known:
    """Read the documents each query's user knew before.

    Returns:
        The docnos by query id.
    """
    known: Known = {}
    for _, qid, docno in id_and_word(path, options, "qid and docno"):
        known.setdefault(qid, set()).add(docno)
    return known


def _recognise_known(head: str) -> Recognised | None:
    columns = first_columns(head)
    if len(columns) == 2 and not is_number(columns[1]):
        return Recognised(False, "two columns")
    return None


KNOWN: Format[Known] = Format(
    name="known",
    title="known documents",
    content="known",
    extensions=(".txt",),
    example="q1 d7\nq1 d9\nq2 d7\n",
    recognise=_recognise_known,
    read=read_known,
)


# Response times: `qid milliseconds`, a line for each query

Times = dict[str, float]


def read_times(path: str, options: ReadOptions | None = None) -> Times:
    """Read how long the answer to each query took.

    Returns:
        Milliseconds by query id.
    """
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


def _recognise_times(head: str) -> Recognised | None:
    columns = first_columns(head)
    if len(columns) == 2 and is_number(columns[1]):
        return Recognised(False, "two columns, the second a number")
    return None


TIMES: Format[Times] = Format(
    name="times",
    title="response times",
    content="times",
    extensions=(".txt",),
    example="q1 12\nq2 0.5\n",
    recognise=_recognise_times,
    read=read_times,
)
