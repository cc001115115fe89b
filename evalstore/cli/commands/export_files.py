"""Runs and judgments as files: the options of `evalstore export run` and `export qrels`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from evalstore.cli import complete
from evalstore.cli.options import Command
from evalstore.cli.output import printable

if TYPE_CHECKING:
    from evalstore.formats.lists import Lists

Content = Literal["run", "qrels"]


class OutputFormat(click.ParamType[str]):
    """The name of a format that runs, or judgments, are written in."""

    name = "format"

    def __init__(self, content: Content) -> None:
        self.content = content

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a format."""
        from evalstore.errors import did_you_mean
        from evalstore.formats.written_format import written_formats

        names = written_formats(self.content)
        if value not in names:
            what = f"{value!r} is none of the formats {', '.join(names)}"
            self.fail(printable(f"{what}{did_you_mean(value, names)}"), param, ctx)
        return value


def file_options(content: Content, default: str) -> Callable[[Command], Command]:
    """What is written, and where: --format, -o."""

    def add(command: Command) -> Command:
        command = click.option(
            "-o",
            "--output",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="The file to write; gzip where its name ends in .gz.  [default: standard output]",
        )(command)
        return click.option(
            "--format",
            "form",
            type=OutputFormat(content),
            metavar="NAME",
            shell_complete=complete.written_formats(content),
            help=f"The format; the list is in docs/exporting.md.  [default: by the end of FILE: "
            f"{default}; else TREC]",
        )(command)

    return add


def write_lists(lists: Lists, content: Content, form: str | None, output: Path | None) -> None:
    """Write to the file, or as it is to standard output: ids are UTF-8, whatever a terminal is."""
    from evalstore.formats.written_format import choose_writer, write_file

    if output is not None:
        write_file(lists, content, str(output), form)
        return
    choose_writer(content, form)(lists, sys.stdout.buffer)
    sys.stdout.buffer.flush()
