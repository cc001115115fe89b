"""Rows of CSV and TSV, of files that programs export and of tables that people write.

Programs export texts: a cell in double quotes may go over several lines (`csv_rows`). In a table
that people write a row is a line (`csv_lines`): a quote that is not closed is found in its line,
and does not take in the rest of the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from evalstore.formats.lines import Lines, numbered_lines, refuse
from evalstore.formats.source import ReadOptions


def csv_rows(path: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the cells of every row; blank lines are left out.

    Commas or tabs stand between the cells: commas where the first line has one.

    Raises:
        FileError: a line that is not CSV, or a file without lines.
    """
    numbered = numbered_lines(path, options)
    first = next(numbered, None)
    if first is None:
        refuse(path, None, "the file is empty")
    lines = _Lines(chain((first,), numbered))
    rows = csv.reader(lines, delimiter=_separator(first[1], ",", "\t"), strict=True)
    while True:
        lines.taken.clear()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            refuse(path, lines.taken[0] if lines.taken else None, f"not CSV ({error})")
        if cells is None:
            return
        yield lines.taken[0], cells


def csv_lines(path: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the cells of every line that is not blank, without blanks.

    Tabs stand between the cells where the first line has one, else commas.

    Raises:
        FileError: the file can't be read, or a line is not CSV.
    """
    separator = ""
    for number, line in numbered_lines(path, options):
        separator = separator or _separator(line, "\t", ",")
        try:
            (cells,) = csv.reader([line], delimiter=separator, strict=True)
        except csv.Error as error:
            refuse(path, number, f"not CSV ({error}); a value can't go over several lines")
        yield number, [cell.strip() for cell in cells]


def first_cells(head: str) -> list[str]:
    """The cells of the first line of a file's beginning; none where it is not CSV."""
    line = head.lstrip("\r\n").partition("\n")[0].rstrip("\r")
    try:
        return next(csv.reader([line], delimiter=_separator(line, ",", "\t")), [])
    except csv.Error:
        return []


def _separator(line: str, *separators: str) -> str:
    """The first of these that a line has, or else the comma."""
    return next((separator for separator in separators if separator in line), ",")


class _Lines(Iterator[str]):
    """Lines with their ends, as csv.reader wants them.

    Attributes:
        taken: the numbers of the lines that were read since it was last emptied.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.taken: list[int] = []

    def __next__(self) -> str:
        line, text = next(self._lines)
        self.taken.append(line)
        return f"{text}\n"
