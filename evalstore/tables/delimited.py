"""CSV and TSV: every digit of every number, names byte for byte."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from evalstore.tables.table import Table, Value

if TYPE_CHECKING:
    from _csv import Writer

CR_LF = "\r\n"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    One that starts with `=`, `+`, `-`, `@`, a tab or a carriage return is given an apostrophe in
    front, which spreadsheets take for "this is text".
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


class _LineFeeds:
    """A stream for `csv.writer` that ends rows with a line feed.

    The writer quotes a cell with a carriage return only if that is in its line terminator, so it
    gets CR LF there, and this takes the CR away again.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(f"{row.removesuffix(CR_LF)}\n")


def row_writer(stream: TextIO, delimiter: str = ",") -> Writer:
    """A `csv.writer` whose rows end with a line feed.

    A cell that holds the delimiter, a quote, a line feed or a carriage return is quoted.
    """
    return csv.writer(_LineFeeds(stream), delimiter=delimiter, lineterminator=CR_LF)


def header_and_rows(table: Table) -> tuple[list[str], list[list[Value]]]:
    """The names of the columns, and their values row by row."""
    columns = table.in_files
    header = [table.columns[column].name or "" for column in columns]
    return header, [[row[column] for column in columns] for row in table.rows]


def delimited(table: Table, delimiter: str, *, guard_formulas: bool = False) -> str:
    """The table as CSV or TSV.

    Args:
        table: what to write.
        delimiter: between cells.
        guard_formulas: write texts as `guarded` gives them. Numbers are never changed.
    """
    text: Callable[[str], str] = guarded if guard_formulas else str
    header, rows = header_and_rows(table)
    stream = io.StringIO()
    writer = row_writer(stream, delimiter)
    writer.writerow([text(name) for name in header])
    for row in rows:
        writer.writerow([text(value) if isinstance(value, str) else value for value in row])
    return stream.getvalue()
