"""Lines of cells: tabs or commas between, a cell with commas in double quotes."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from evalstore.formats.lines import numbered_lines, refuse
from evalstore.formats.source import ReadOptions


def numbered_cells(path: str, options: ReadOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the cells of every line that is not blank.

    Tabs separate the cells where the first line has one, else commas.

    Raises:
        FileError: the file can't be read, or a line is no CSV.
    """
    separator = ""
    for number, line in numbered_lines(path, options):
        separator = separator or ("\t" if "\t" in line else ",")
        try:
            (cells,) = csv.reader([line], delimiter=separator, strict=True)
        except csv.Error as error:
            refuse(path, number, f"not CSV ({error}); a value can't go over several lines")
        yield number, [cell.strip() for cell in cells]
