"""Rows of files that are not TREC lines (CSV, tab-separated), checked by the same rules."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from evalstore.errors import DataError, FileError
from evalstore.formats import ids
from evalstore.formats.file_names import tag_of_file
from evalstore.formats.lines import refuse
from evalstore.formats.rows import VALUE_NAMES, Content, Rows, table, why_not_an_id, wrong_value
from evalstore.formats.source import path_text, quoted
from evalstore.formats.trec.columns import NUMBER


@dataclass
class FileRows(Rows):
    """A table whose rows stand on lines of a file; `numbers` are the lines, from 1."""

    @property
    def unit(self) -> str:
        """What messages count."""
        return "line"

    def where(self, row: int) -> str:
        """Which row it is, as messages say it."""
        return f"on line {self.line(row)}"

    def located(self, line: int | None, what: str) -> DataError:
        """What is wrong, with the line it is about."""
        return FileError(self.path, line, what)


def read_rows(path: str, rows: Iterable[tuple[int, str, str, float]], content: Content) -> FileRows:
    """The table of a file's rows: line, query id, docno, score or grade.

    Raises:
        FileError: the first line with an id or a number that can't be, or a file without rows.
    """
    docnos: list[bytes] = []
    lines, codes, values = array("q"), array("q"), array("d")  # a fraction of the memory of lists
    code_of: dict[str, int] = {}
    for line, qid, docno, value in rows:
        code = code_of.get(qid)
        if code is None:
            _check_id(path, line, qid, "query id")
            code = code_of[qid] = len(code_of)
        _check_id(path, line, docno, "docno")
        lines.append(line)
        docnos.append(docno.encode())
        values.append(value)
        codes.append(code)
    if not lines:
        refuse(path, None, f"no rows: a {content} is expected")
    numbers, scores = np.array(lines, np.int64), np.array(values, np.float64)
    wrong = wrong_value(scores, content)
    if wrong is not None:
        refuse(path, int(numbers[wrong[0]]), wrong[1])
    order = np.argsort(np.array(codes, np.int64), kind="stable")
    sizes = np.bincount(codes, minlength=len(code_of))
    made = table(
        path_text(path),
        tag_of_file(path),
        [qid.encode() for qid in code_of],
        np.arange(len(code_of)),
        np.cumsum(sizes) - sizes,
        ids.take(ids.column(docnos), order),
        scores[order],
        unique=False,
    )
    return FileRows(**{**vars(made), "numbers": numbers[order]})


def number(path: str, line: int, text: str, content: Content) -> float:
    """A score or grade, written as TREC files have them.

    Raises:
        FileError: it is no finite decimal number.
    """
    if not NUMBER.fullmatch(text.encode()):
        refuse(path, line, f"{VALUE_NAMES[content]} {quoted(text)} is not a finite decimal number")
    return float(text)


def _check_id(path: str, line: int, word: str, what: str) -> None:
    why = why_not_an_id(word, what)
    if why is not None:
        refuse(path, line, why)
