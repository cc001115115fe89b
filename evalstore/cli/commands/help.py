"""`evalstore help`."""

from __future__ import annotations

import click

from evalstore.cli import complete


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
