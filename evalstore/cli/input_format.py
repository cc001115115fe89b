"""The option --format of commands that read runs and judgments."""

from __future__ import annotations

import click

from evalstore.cli.complete import formats
from evalstore.cli.options import Command
from evalstore.cli.output import printable


class InputFormat(click.ParamType[str]):
    """The name of a format of runs, judgments or folders of runs."""

    name = "format"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a format."""
        from evalstore.errors import did_you_mean
        from evalstore.formats.folder_formats import folder_formats
        from evalstore.formats.registry import formats

        names = [form.name for form in formats() if form.content in ("run", "values", "qrels")]
        names.extend(form.name for form in folder_formats())
        if value not in names:
            what = f"no format of runs or judgments is called {value!r}"
            near = did_you_mean(value, names)
            hint = near or ": `evalstore formats` lists them"
            self.fail(printable(f"{what}{hint}"), param, ctx)
        return value


def input_format_option(command: Command) -> Command:
    """The formats of the files read: --format, which may be repeated."""
    return click.option(
        "--format",
        "input_formats",
        type=InputFormat(),
        metavar="NAME",
        shell_complete=formats,
        multiple=True,
        help="Read the runs, or the judgments, as this format and not by what they look like; "
        "`evalstore formats` lists them. May be repeated.",
    )(command)
