"""The columns of files of each kind, the columns read from them, and flaws in lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats.reading.source import quoted

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
        names: the columns from left to right; `aside` is one that identifies nothing.
        value: the column that holds a number.
        more_allowed: whether a line may go on after its columns.
        second: what `aside`, mostly the second column, holds if it is part of what identifies a
            line.
    """

    kind: Literal["run", "qrels"]
    names: tuple[str, ...]
    value: str
    more_allowed: bool
    second: str = ""

    @property
    def width(self) -> int:
        """The number of columns of a line."""
        return len(self.names)

    @property
    def ranked(self) -> bool:
        """Whether the lines have a rank and a run tag."""
        return self.kind == "run"


RUN = Layout("run", ("qid", "aside", "docno", "rank", "score", "tag"), "score", more_allowed=True)
QRELS = Layout("qrels", ("qid", "aside", "docno", "grade"), "grade", more_allowed=False)
STRATA = Layout(
    "qrels", ("qid", "iteration", "docno", "aside", "grade"), "grade", False, second="stratum"
)
SUBTOPICS = replace(QRELS, second="subtopic")
JUDGMENT_GROUPS = replace(QRELS, second="judgment group")


@dataclass(frozen=True, eq=False)
class Columns:
    """The data lines of one block, one row each; s stretches of consecutive lines of one query.

    Attributes:
        qids: the distinct query ids.
        stretch_codes: int64 (s), the query of each stretch, an index into `qids`.
        stretch_starts: int64 (s), the first row of each stretch.
        docnos: Arrow binary, per row.
        values: float64: the score of a run, the grade of a qrels.
        line_count: number of lines of the block.
        lines: the line within the block (int64, from 1) of each row; None if row i is line i + 1.
        ranks: int64, the rank column of a run; `NO_RANK` if it is no whole number.
        tags: the distinct run tags in order of appearance, with the row each appears in first.
        subtopics: the column `aside` (Arrow binary) of a layout whose `second` names it.
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
        """The number of rows of each stretch: int64 (s)."""
        return np.diff(self.stretch_starts, append=len(self.values))

    def line(self, row: int) -> int:
        """The line within the block, from 1, of a row."""
        return row + 1 if self.lines is None else int(self.lines[row])


class Flaw(Exception):
    """The first bad line of a block: `line` counts from 1 within the block."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


def first_flaw(*flaws: Flaw | None) -> Flaw | None:
    """The flaw that comes first in the file; of several in a line the first one given."""
    return min((flaw for flaw in flaws if flaw), key=lambda flaw: flaw.line, default=None)


# Messages about wrong lines

NOT_NUMBERS = {b"nan", b"inf", b"infinity", b"none", b"null"}
COLUMN_NAME = re.compile(rb"(?i)q0|rank|score|sim|run|tag|iter|query|topic|doc|grade|rel")


def misfit(words: list[bytes], count: int, layout: Layout) -> str:
    """The error for a line of too few or many columns (the first eight: `words`)."""
    message = f"expected {layout.width} columns, found {count}"
    line = b" ".join(words)
    if line[:1] in (b"{", b"["):
        return f"{message}: this looks like JSON, but not like {{qid: {{docno: {layout.value}}}}}"
    if count <= 2 and line.count(b",") >= 2:
        return (
            f"{message}: this looks like CSV; columns are separated by spaces or tabs, unless a "
            f"first line names them: qid,docno,{layout.value}"
        )
    if layout.ranked and count == 3 and words[2].isdigit():
        return (
            f"{message}: this may be a run of MS MARCO (query id, docno, rank, separated by tabs), "
            "the format msmarco-run"
        )
    if layout.ranked and count == 4 and NUMBER.fullmatch(words[3]):
        return f"{message}: this looks like a qrels (qid, iteration, docno, grade), not a run"
    if not layout.ranked and count == 6 and NUMBER.fullmatch(words[4]):
        return f"{message}: this looks like a run (qid, Q0, docno, rank, score, tag), not a qrels"
    return f"{message}; a line is: {LINES[layout.width]}"


def not_a_number(line: list[bytes], layout: Layout) -> str:
    """The reason why the score or grade of a line (its columns) is refused."""
    word = line[layout.names.index(layout.value)]
    message = f"{layout.value} {quoted(word.decode(errors='replace'))}"
    if NUMBER.fullmatch(word):
        return f"{message} is out of range"
    names = sum(COLUMN_NAME.search(column) is not None for column in line)
    numbers = any(NUMBER.fullmatch(column) for column in line[3:5])
    is_name = word[:1].isalpha() and word.lower() not in NOT_NUMBERS
    hint = "; a header row? remove it" if is_name and names >= 3 and not numbers else ""
    return f"{message} is not a finite decimal number{hint}"


LINES = {
    RUN.width: "qid Q0 docno rank score tag",
    QRELS.width: "qid 0 docno grade",
    STRATA.width: "qid 0 docno stratum grade",
}


def counted(count: int, noun: str) -> str:
    """A number of things: `1 line`, `1,234 lines`, `2 queries`."""
    several = noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else several}"
