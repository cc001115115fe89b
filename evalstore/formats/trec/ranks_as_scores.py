"""Runs that have ranks and no scores: the score of a document is 1 / rank, as in Pyserini."""

from __future__ import annotations

import numpy as np

from evalstore.formats.file_rows import FileRows
from evalstore.formats.lines import refuse
from evalstore.formats.source import quoted

MOST_DIGITS = 9


def score_of_rank(path: str, line: int, word: str) -> float:
    """The score of a document at a rank that stands on a line.

    Raises:
        FileError: it is not a whole number from 1 on.
    """
    whole = word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS
    if not whole or int(word) == 0:
        refuse(path, line, f"rank {quoted(word)} is not a whole number from 1 on")
    return 1 / int(word)


def check_ranks(rows: FileRows) -> None:
    """Refuse a rank that stands twice for a query: its score does, too.

    Raises:
        FileError: the first such line.
    """
    query = np.repeat(rows.queries, rows.lengths())
    lines = rows.lines(np.arange(len(rows)))
    order = np.lexsort((lines, rows.values, query))
    before, after = order[:-1], order[1:]
    same = (query[before] == query[after]) & (rows.values[before] == rows.values[after])
    if same.any():
        first, later = before[same], after[same]
        row = int(np.argmin(lines[later]))
        rank = round(1 / rows.values[later[row]])
        raise rows.error(
            int(later[row]),
            f"rank {rank:,} stands twice for query {rows.qid(later[row])} "
            f"(first {rows.where(int(first[row]))}); keep one of the two",
        )
