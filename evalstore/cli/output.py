"""Output of commands: tables for people, CSV and JSON for programs."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console

    from evalstore.comparison.claims import Regression


def printable(text: str) -> str:
    """The text as one line that can't control a terminal: control characters are escaped."""
    if text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode()
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else c
        for c in text
    )


GAP = 2
"""Spaces between two columns of a table."""

NARROWEST_TEXT = 24
"""Minimum width of a wrapped text column on a narrow terminal."""


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    left: int = 1,
    drop: Sequence[str] | None = None,
) -> None:
    """Print a table: the first `left` columns are aligned left, the others right.

    If a terminal is too narrow, texts (never numbers or headers) are wrapped and columns left out,
    with a message on standard error. `drop` has the headers of columns to leave out, the least
    important first (None: all but the first, from right to left). Elsewhere a row is one line.
    """
    names = [printable(header) for header in headers]
    cells = [[printable(cell(value)) for value in row] for row in rows]
    console = _terminal()
    if console is None:
        widths = _widths(names, cells)
        lines = (
            (" " * GAP).join(
                _aligned(text, width, column < left)
                for column, (text, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in (names, *cells)
        )
        click.echo("\n".join(line.rstrip() for line in lines))
        return
    order = [headers.index(header) for header in drop if header in headers] if drop else None
    shown = _fitting(_least_widths(names, cells, left), console.width, order)
    _print_fitting(console, names, cells, shown, left)
    left_out = [name for column, name in enumerate(names) if column not in shown]
    if left_out:
        count = f"{len(left_out)} column{'s' * (len(left_out) > 1)} left out: {', '.join(left_out)}"
        click.echo(f"{count}; make the terminal wider{_other_way()}", err=True)


def _other_way() -> str:
    """The option of the command that prints all columns, or an empty text."""
    ctx = click.get_current_context(silent=True)
    params = [] if ctx is None else ctx.command.params
    formats = [getattr(p.type, "choices", ()) for p in params if "--format" in p.opts]
    return " or use --format csv" if any("csv" in choices for choices in formats) else ""


def _terminal() -> Console | None:
    """The terminal, or None if standard output is no terminal."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, emoji=False, markup=False)
    return console if console.is_terminal else None


def _widths(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    widths = [cell_len(name) for name in names]
    for row in cells:
        widths = [max(width, cell_len(text)) for width, text in zip(widths, row, strict=True)]
    return widths


def _aligned(text: str, width: int, left: bool) -> str:
    from rich.cells import cell_len

    space = " " * (width - cell_len(text))
    return text + space if left else space + text


def _least_widths(names: Sequence[str], cells: Sequence[Sequence[str]], left: int) -> list[int]:
    """The minimum width of each column: numbers and headers are never wrapped, text may be."""
    full, headers = _widths(names, cells), _widths(names, [])
    return [
        max(min(width, NARROWEST_TEXT), header) if column < left else width
        for column, (width, header) in enumerate(zip(full, headers, strict=True))
    ]


def _fitting(widths: Sequence[int], room: int, order: Sequence[int] | None) -> list[int]:
    """The columns that fit if others are left out in the given order."""
    shown = list(range(len(widths)))
    for column in order if order is not None else range(len(widths) - 1, 0, -1):
        if sum(widths[i] for i in shown) + GAP * (len(shown) - 1) <= room:
            break
        shown.remove(column)
    return shown


def _print_fitting(
    console: Console,
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    shown: Sequence[int],
    left: int,
) -> None:
    from rich.table import Table
    from rich.text import Text

    style = "" if "NO_COLOR" in os.environ else "bold"
    grid = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style=style)
    full, least = _widths(names, cells), _least_widths(names, cells, left)
    room = console.width - sum(least[i] for i in shown) - GAP * (len(shown) - 1)
    for column in shown:
        more = min(max(room, 0), full[column] - least[column])
        room -= more
        justify: Any = "left" if column < left else "right"
        grid.add_column(
            Text(names[column]), justify=justify, overflow="fold", width=least[column] + more
        )
    for row in cells:
        grid.add_row(*(Text(row[column]) for column in shown))
    console.print(grid)


def cell(value: Any) -> str:
    """A value as text for people: floats with 4 decimals, an empty text for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    return str(value)


def print_rows(
    shape: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    nothing: str,
    left: int | None = None,
) -> None:
    """Print rows as CSV, as JSON, or as a table; the sentence `nothing` replaces an empty table.

    `left` is the number of text columns; None means all.
    """
    if shape == "csv":
        write_csv(headers, rows)
    elif shape == "json":
        write_json([dict(zip(headers, row, strict=True)) for row in rows])
    elif rows:
        table(headers, rows, left=len(headers) if left is None else left)
    else:
        click.echo(nothing)


def write_csv(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print CSV with all digits; None is an empty field. Texts are escaped only on a terminal."""
    from evalstore.tables.renderers import row_writer

    terminal = sys.stdout.isatty()
    stream = io.StringIO()
    writer = row_writer(stream)
    writer.writerow([_csv_cell(header, terminal) for header in headers])
    for row in rows:
        writer.writerow([_csv_cell(value, terminal) for value in row])
        if stream.tell() > 1 << 16:
            click.echo(stream.getvalue(), nl=False, color=True)  # else click removes escapes
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


def warn(*texts: str) -> None:
    """Print warnings, each a line on standard error."""
    for text in texts:
        click.echo(f"warning: {printable(text)}", err=True)


def print_notes(*notes: str) -> None:
    """Print notes on what is shown, each a line."""
    for note in notes:
        click.echo(printable(f"note: {note}"))


# Files that commands write: either complete or not at all


@contextmanager
def written(output: Path) -> Iterator[TextIO]:
    """A UTF-8 text file that gets its name only when it is complete; an existing one is replaced.

    A device or a pipe, such as `/dev/stdout`, is written directly.
    """
    from evalstore.formats.reading.lines import replacing

    with (
        replacing(output) as target,
        target.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
    ):
        yield stream


@contextmanager
def written_bytes(output: Path) -> Iterator[BinaryIO]:
    """Like `written`, for a file of bytes."""
    from evalstore.formats.reading.lines import replacing

    with replacing(output) as target, target.open("wb") as stream:
        yield stream


# The table of the worst queries of a run

LONGEST_TEXT = 60
"""Maximum characters of a query's text; the query is named by its id."""


def write_losses(losses: Sequence[Regression], texts: Mapping[str, str]) -> None:
    """Print the queries on which b is worse than a, the worst first, with their known `texts`."""
    if not losses:
        return
    from evalstore.comparison.claims import text_in_line

    measure = losses[0].pair.measure
    click.echo(f"\nlargest losses of b on {printable(measure)}:")
    any_text = any(loss.qid in texts for loss in losses)
    several = len({(loss.pair.a, loss.pair.b) for loss in losses}) > 1
    rows = [
        (
            loss.qid,
            *([text_in_line(texts.get(loss.qid, ""), LONGEST_TEXT)] if any_text else []),
            *((loss.pair.a, loss.pair.b) if several else ()),
            *(loss.value_a, loss.value_b, f"{loss.difference:+.4f}"),
        )
        for loss in losses
    ]
    names = ["query", *(["text"] if any_text else []), *(["a", "b"] if several else [])]
    drop = ["value a", "value b", "text", "b", "a"]
    table([*names, "value a", "value b", "b - a"], rows, left=len(names), drop=drop)
