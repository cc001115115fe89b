"""Documents that each query's user knew before: `qid docno`, a line each."""

from __future__ import annotations

from evalstore.formats.lines import id_and_word
from evalstore.formats.registry import Format, Recognised, first_columns, is_number
from evalstore.formats.source import ReadOptions

Known = dict[str, set[str]]


def read_known(path: str, options: ReadOptions | None = None) -> Known:
    """Read the documents each query's user knew before.

    Returns:
        The docnos by query id.

    Raises:
        FileError: the first line that is not two columns, or no line at all.
    """
    known: Known = {}
    for _, qid, docno in id_and_word(path, options, "qid and docno"):
        known.setdefault(qid, set()).add(docno)
    return known


def _recognise(head: str) -> Recognised | None:
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
    recognise=_recognise,
    read=read_known,
)
