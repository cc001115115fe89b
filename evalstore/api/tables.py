"""Small tables as text and as HTML, for results that print themselves."""

from __future__ import annotations

import html
from collections.abc import Sequence

from evalstore.formats.reading.source import printable

Cell = str | int | float


def text_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """The rows in columns, the first column aligned left, the others right.

    Numbers have four decimals, whole numbers none; characters that a terminal would act on are
    escaped.
    """
    cells = [[printable(name) for name in headers]]
    cells += [[printable(_shown(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        numbers = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *numbers)).rstrip())
    return "\n".join(lines)


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table as HTML, with every name escaped."""
    head = "".join(f"<th>{html.escape(printable(name))}</th>" for name in headers)
    body = "".join(f"<tr>{''.join(_html_cells(row))}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def _html_cells(row: Sequence[Cell]) -> list[str]:
    first, *others = (html.escape(printable(_shown(cell))) for cell in row)
    return [f"<th>{first}</th>", *(f"<td>{cell}</td>" for cell in others)]


def _shown(cell: Cell) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
