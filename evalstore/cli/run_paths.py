"""The run files that a command is given: paths, patterns, and lists of paths (--files-from)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from evalstore.cli import complete
from evalstore.cli.options import Command
from evalstore.cli.output import printable
from evalstore.errors import FileError


@dataclass(frozen=True)
class RunPaths:
    """The paths of run files, and where those of a list stand: `runs.txt:3` by path."""

    paths: tuple[str, ...]
    listed: Mapping[str, str] = field(default_factory=dict)

    def with_line(self, message: str, path: str) -> str:
        """A message about a path, with the list and the line where it stands."""
        return f"{message} ({self.listed[path]})" if path in self.listed else message


def files_from_option(command: Command) -> Command:
    """A list of run files: --files-from."""
    return click.option(
        "--files-from",
        metavar="FILE",
        shell_complete=complete.files,
        help="A list of runs, one path a line (or separated by NUL); - is standard input.",
    )(command)


def run_paths(runs: Sequence[str], files_from: str | None, *, patterns: bool = True) -> RunPaths:
    """The paths that arguments and a list stand for, in this order.

    A pattern that matches nothing stays as it is: reading it tells so. Without `patterns` all stay.

    Raises:
        click.UsageError: neither arguments nor a list, or both name standard input.
        FileError: the list can't be read, or names no path.
    """
    from evalstore.formats.path_lists import read_path_list
    from evalstore.formats.patterns import matching_files
    from evalstore.formats.source import path_text

    if files_from is None and not runs:
        raise click.UsageError("Missing argument 'RUN...': give files, or a list with --files-from")
    if files_from == "-" and "-" in runs:
        raise click.UsageError("standard input can be read once: give - once")
    paths = [path for run in runs for path in (matching_files(run) if patterns else []) or [run]]
    listed = {} if files_from is None else dict(read_path_list(files_from))
    name = path_text(files_from or "")
    return RunPaths((*paths, *listed), {path: f"{name}:{line}" for path, line in listed.items()})


def given_runs(runs: Sequence[str], source: Mapping[str, Any]) -> tuple[str, ...]:
    """The runs of the arguments and of --files-from; where --qrels is a file, patterns are files.

    Raises:
        click.UsageError: as `run_paths`.
        FileError: the list can't be read, or a path in it is no file where --qrels is one.
    """
    from evalstore.formats.source import path_text

    of_files = is_file(source["qrels"])
    given = run_paths(runs, source["files_from"], patterns=of_files)
    for path, line in given.listed.items() if of_files else ():
        if not is_file(path):
            raise FileError(line, None, f"no such file: {path_text(path)}")
    return given.paths


def one_run(run: str, source: Mapping[str, Any]) -> str:
    """The run of an argument that takes one; where --qrels is a file, a pattern is a file.

    Raises:
        click.UsageError: the pattern matches several.
    """
    from evalstore.formats.urls import shown_path

    paths = run_paths((run,), None, patterns=is_file(source["qrels"])).paths
    if len(paths) > 1:
        what = f"{shown_path(run)} matches {len(paths):,} files, and one run is expected"
        raise click.UsageError(printable(what))
    return paths[0]


def is_file(path: str | None) -> bool:
    """Whether a path is a file, a URL, or standard input."""
    from evalstore.formats.urls import is_url

    return path is not None and (path == "-" or is_url(path) or Path(path).is_file())
