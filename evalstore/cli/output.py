"""What commands print: tables for people, CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click


def printable(text: str) -> str:
    """Text of one line that can't move the cursor, recolour or reorder a terminal.

    Characters that could, a line end among them, are escaped.
    """
    if text.isprintable():
        return text
    return "".join(
        _escaped(c) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c
        for c in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1) -> None:
    """Print a table: the first `left` columns flush left, the others right.

    On a terminal it folds into the width there is; elsewhere a row is a line, however long.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for place, header in enumerate(headers):
        grid.add_column(
            Text(printable(header)), justify="left" if place < left else "right", overflow="fold"
        )
    for row in rows:
        grid.add_row(*(Text(printable(cell(value))) for value in row))
    console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        width = max(console.measure(grid, options=console.options.update(width=10**6)).maximum, 1)
        text = io.StringIO()
        Console(file=text, width=width, highlight=False, emoji=False).print(grid)
        lines = text.getvalue().splitlines()
        click.echo("\n".join(line.rstrip() for line in lines))
        return
    console.print(grid)


def cell(value: Any) -> str:
    """A value as people read it: 4 decimals, nothing for nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    return str(value)


def write_csv(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print CSV with every digit of every number; what is missing is empty.

    A file or pipe gets texts as they are; on a terminal they can't move the cursor.
    """
    terminal = sys.stdout.isatty()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_csv_cell(header, terminal) for header in headers])
    for row in rows:
        writer.writerow([_csv_cell(value, terminal) for value in row])
        if stream.tell() > 1 << 16:
            click.echo(stream.getvalue(), nl=False, color=True)  # else click leaves escapes out
            stream.seek(0)
            stream.truncate()
    click.echo(stream.getvalue(), nl=False, color=True)


def _csv_cell(value: Any, terminal: bool) -> Any:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    return printable(value) if terminal and isinstance(value, str) else value


def write_json(value: Any) -> None:
    """Print JSON, one document, indented."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_as_json))


def _as_json(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


def warn(text: str) -> None:
    """One line on standard error about something accepted although it is odd."""
    click.echo(f"warning: {printable(text)}", err=True)
