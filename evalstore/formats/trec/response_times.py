"""Response times: `qid milliseconds`, a line for each query."""

from __future__ import annotations

import math

from evalstore.formats.lines import id_and_word, refuse
from evalstore.formats.registry import Format, Recognised, first_columns, is_number
from evalstore.formats.source import ReadOptions, quoted

Times = dict[str, float]


def read_times(path: str, options: ReadOptions | None = None) -> Times:
    """Read how long the answer to each query took.

    Returns:
        Milliseconds by query id.

    Raises:
        FileError: the first line that is not a query and a number from 0, a query that stands
            twice, or no line at all.
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


def _recognise(head: str) -> Recognised | None:
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
    recognise=_recognise,
    read=read_times,
)
