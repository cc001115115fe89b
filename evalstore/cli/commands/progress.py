"""The progress of an ingest: a bar on a terminal, a line for each file elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from evalstore.cli.output import printable, warn

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from evalstore.ingest.ingest import Outcome

LONGEST_NAME = 24
"""Characters of a file's name in the bar: with the sizes, the bar fits in 80 columns."""


class Lines:
    """A line on standard error for every file that is done, with its share of the bytes."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._files = len(paths)
        self._total = sum(map(size, paths))
        self._done = 0
        self._bytes = 0

    def started(self, path: str) -> None:
        """Print nothing: a line is printed when the file is done."""

    def sent(self, count: int) -> None:
        """Print nothing, as above."""

    def finished(self, outcome: Outcome) -> None:
        """Print the warnings of a file and the progress."""
        from evalstore.formats.urls import shown_path

        for warning in outcome.warnings:
            warn(warning)
        self._done += 1
        self._bytes += size(outcome.path)
        share = f", {self._bytes / self._total:.0%}" if self._total else ""
        line = f"[{self._done}/{self._files}{share}] {printable(shown_path(outcome.path))}"
        click.echo(line, err=True)


class Bar:
    """A bar that advances by the bytes of the files and names the current one."""

    def __init__(self, bar: Progress, task: TaskID, files: int) -> None:
        self._bar = bar
        self._task = task
        self._files = files
        self._done = 0
        self._sent = 0

    def started(self, path: str) -> None:
        """Show the name of the file."""
        from evalstore.formats.urls import shown_path

        name = printable(os.path.basename(shown_path(path)))
        if len(name) > LONGEST_NAME:
            name = f"…{name[1 - LONGEST_NAME :]}"
        text = f"{self._done + 1}/{self._files} {name}"
        self._bar.update(self._task, description=text)

    def sent(self, count: int) -> None:
        """Advance by bytes of the current file that a server has."""
        self._sent += count
        self._bar.advance(self._task, count)

    def finished(self, outcome: Outcome) -> None:
        """Print the warnings of a file, and advance by its bytes that were not sent."""
        for warning in outcome.warnings:
            warn(warning)
        self._done += 1
        self._bar.advance(self._task, size(outcome.path) - self._sent)
        self._sent = 0


@contextmanager
def progress(paths: Sequence[str]) -> Iterator[Lines | Bar]:
    """A bar if standard error is a terminal that can draw one, else lines."""
    if not sys.stderr.isatty():
        yield Lines(paths)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    console = Console(stderr=True, highlight=False)
    if console.is_dumb_terminal:
        yield Lines(paths)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), DownloadColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield Bar(bar, bar.add_task("", total=sum(map(size, paths)) or None), len(paths))


def size(path: str) -> int:
    """The bytes of a file; 0 if it is no regular file (standard input, a pipe)."""
    return os.path.getsize(path) if os.path.isfile(path) else 0
