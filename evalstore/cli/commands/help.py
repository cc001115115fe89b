"""`evalstore help`."""

from __future__ import annotations

from typing import Any

import click

from evalstore.cli import complete
from evalstore.cli.options import format_option
from evalstore.cli.output import table, write_json


@click.command()
@click.argument("names", shell_complete=complete.commands, metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def help(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command, or of all."""
    context = ctx.find_root()
    for name in names:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(
                f"{context.command_path} has no commands of its own", ctx=context
            )
        command_name, command, _ = group.resolve_command(context, [name])
        if command is None:
            context.fail(f"No such command {name!r}.")
        context = click.Context(command, parent=context, info_name=command_name)
    click.echo(context.get_help())


# `evalstore formats`: formats of files and folders that can be read


@click.command()
@format_option("table", "json")
def formats(shape: str) -> None:
    """List the formats of files and folders that are read, each with an example.

    Files are recognised by their content; `evalstore ingest --format NAME` reads runs, judgments
    and folders of runs as the format of that name all the same. `evalstore export run` and `export
    qrels` write many of them.
    """
    from evalstore.formats.registry import folder_formats
    from evalstore.formats.registry import formats as every_format

    rows: list[tuple[Any, str, bool, str]] = [
        *((f, str(f.content), bool(f.writers), f.lost) for f in every_format()),
        *((f, "folder of runs", False, "") for f in folder_formats()),
    ]
    if shape == "json":
        write_json(
            [
                {
                    **{"format": f.name, "content": content, "title": f.title},
                    **{"example": f.example, "written": written, "lost": lost},
                }
                for f, content, written, lost in rows
            ]
        )
        return
    cells = [(f.name, content, f.title, f.example.splitlines()[0]) for f, content, _, _ in rows]
    table(("format", "holds", "what it is", "its first line, or file"), cells, left=4)
