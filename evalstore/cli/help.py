"""`evalstore help`."""

from __future__ import annotations

import click

from evalstore.cli import complete


@click.command()
@click.argument("names", shell_complete=complete.commands, metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def help(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Show the help of a command, or of all."""
    shown = ctx.find_root()
    for name in names:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{shown.command_path} has no commands of its own", ctx=shown)
        found, command, _ = group.resolve_command(shown, [name])
        if command is None:
            shown.fail(f"No such command {name!r}.")
        shown = click.Context(command, parent=shown, info_name=found)
    click.echo(shown.get_help())
