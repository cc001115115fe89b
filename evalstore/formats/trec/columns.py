"""The columns that files of each kind have, the columns read from them, and what a flaw is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MAX_ID = 1024
MAX_GRADE = 2**31 - 1
NO_RANK = -(2**63)
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Layout:
    """The columns of a kind of file; ids are text, `value` is a float64 and `rank` an int64.

    Attributes:
        kind: as messages name it.
        names: the columns from left to right; `aside` is one that identifies nothing.
        value: the column that holds a number.
        more_allowed: whether a line may go on after its columns.
        second: what the second column holds, where it is part of what identifies a line.
    """

    kind: Literal["run", "qrels"]
    names: tuple[str, ...]
    value: str
    more_allowed: bool
    second: str = ""

    @property
    def width(self) -> int:
        """How many columns a line has."""
        return len(self.names)

    @property
    def ranked(self) -> bool:
        """Whether the lines have a rank and a run tag."""
        return self.kind == "run"


RUN = Layout("run", ("qid", "aside", "docno", "rank", "score", "tag"), "score", more_allowed=True)
QRELS = Layout("qrels", ("qid", "aside", "docno", "grade"), "grade", more_allowed=False)
SUBTOPICS = replace(QRELS, second="subtopic")
JUDGMENT_GROUPS = replace(QRELS, second="judgment group")


@dataclass(frozen=True, eq=False)
class Columns:
    """The data lines of one block, one row each; s stretches.

    A stretch is a sequence of consecutive lines of the same query.

    Attributes:
        qids: the distinct query ids.
        stretch_codes: int64 (s), the query of each stretch, an index into `qids`.
        stretch_starts: int64 (s), the first row of each stretch.
        docnos: Arrow binary, per row.
        values: float64: the score of a run, the grade of a qrels.
        line_count: how many lines the block has.
        lines: the line within the block (int64, from 1) of each row; None where row i is line
            i + 1.
        ranks: int64, the rank column of a run; `NO_RANK` where it is no whole number.
        tags: the distinct run tags in order of appearance, with the row each appears in first.
        subtopics: the second column (Arrow binary) of a layout that wants it.
        extra: how many rows have more columns than they should, and the first such line.
    """

    qids: list[bytes]
    stretch_codes: I64
    stretch_starts: I64
    docnos: pa.Array
    values: F64
    line_count: int
    lines: I64 | None = None
    ranks: I64 | None = None
    tags: dict[bytes, int] = field(default_factory=dict)
    subtopics: pa.Array | None = None
    extra: tuple[int, int] = (0, 0)

    def stretch_lengths(self) -> I64:
        """How many rows each stretch has: int64 (s)."""
        return np.diff(self.stretch_starts, append=len(self.values))

    def line(self, row: int) -> int:
        """The line within the block, from 1, of a row."""
        return row + 1 if self.lines is None else int(self.lines[row])


class Flaw(Exception):
    """What is wrong with the first bad line of a block: `line` counts from 1 within the block."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


def first_flaw(*flaws: Flaw | None) -> Flaw | None:
    """The flaw that comes first in the file; of several in a line the first one given."""
    return min((flaw for flaw in flaws if flaw), key=lambda flaw: flaw.line, default=None)
