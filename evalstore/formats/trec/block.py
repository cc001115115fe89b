"""One block of lines to columns, or the first flaw in it.

The fast path gives a regular block to Arrow's CSV reader; the careful path first rewrites an
irregular block into a regular one. The path is chosen for each block; both return `Columns`.
"""

from __future__ import annotations

import numpy as np

from evalstore.formats import ids
from evalstore.formats.trec.careful_path import read_irregular
from evalstore.formats.trec.columns import MAX_GRADE, MAX_ID, Columns, Flaw, Layout, first_flaw
from evalstore.formats.trec.fast_path import read_regular
from evalstore.formats.trec.text_checks import bad_text, line_start


def read_block(block: bytes, layout: Layout, *, careful: bool = False) -> Columns:
    """Read one block of whole lines (UTF-8, no byte order mark).

    Raises:
        Flaw: the first line, in the order of the file, that breaks a rule.
    """
    flaw: Flaw | None = None
    bad = bad_text(block)
    if bad:
        block = block[: line_start(block, bad.line)]
    columns = None if careful or bad else read_regular(block, layout)
    if columns is None:
        columns, flaw = read_irregular(block, layout)
    flaw = first_flaw(bad, flaw, _bad_value(columns, layout))
    if flaw:
        raise flaw
    return columns


def _bad_value(columns: Columns, layout: Layout) -> Flaw | None:
    """The first row with an id that is too long or a grade that is out of range."""
    faults: list[tuple[int, str]] = []
    words = [("docno", columns.docnos)]
    if columns.subtopics is not None:
        words.append((layout.second, columns.subtopics))
    for name, column in words:
        long = ids.lengths(column) > MAX_ID
        if long.any():
            faults.append((int(np.argmax(long)), f"a {name} of more than 1,024 bytes"))
    if any(len(qid) > MAX_ID for qid in columns.qids):
        long = np.array([len(qid) > MAX_ID for qid in columns.qids])[columns.stretch_codes]
        row = int(columns.stretch_starts[np.argmax(long)])
        faults.append((row, "a query id of more than 1,024 bytes"))
    for tag, row in columns.tags.items():
        if len(tag) > MAX_ID:
            faults.append((row, "a run tag of more than 1,024 bytes"))
    if not layout.ranked:
        wild = np.abs(columns.values) > MAX_GRADE
        if wild.any():
            row = int(np.argmax(wild))
            faults.append((row, f"grade {columns.values[row]:g} is out of range"))
    if not faults:
        return None
    row, what = min(faults)
    return Flaw(columns.line(row), what)
