"""Commands with their options under headings, and groups that list what they are named after."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar

import click

from evalstore.cli.output import printable
from evalstore.errors import nearest

Function = TypeVar("Function", bound=Callable[..., Any])

OTHER_OPTIONS = "Options"


def words_of(ctx: click.Context) -> list[str]:
    """The called command, without the name of the program."""
    return ctx.command_path.removeprefix(ctx.find_root().command_path).split()


def is_typed(ctx: click.Context, name: str) -> bool:
    """Whether a parameter was given on the command line."""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def refuse(ctx: click.Context, names: Collection[str], why: str) -> None:
    """UsageError that begins with the first of these parameters that was given a value."""
    for parameter in ctx.command.params:
        name = str(parameter.name)
        if name in names and is_typed(ctx, name) and ctx.params[name] not in (None, ()):
            option = parameter.opts[-1]
            if isinstance(parameter, click.Argument):
                option = str(parameter.metavar).strip("[.]")
            raise click.UsageError(f"{option} {why}")


def together(*options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options as one decorator, in the order in which --help lists them."""

    def add(command: Function) -> Function:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def under(heading: str, *options: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Several options as one decorator; --help lists them under a heading of their own."""

    def add(command: Function) -> Function:
        before = len(getattr(command, "__click_params__", ()))
        command = together(*options)(command)
        for parameter in getattr(command, "__click_params__", ())[before:]:
            parameter.heading = heading
        return command

    return add


def _write_options(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter, first: str
) -> None:
    """Write the options under their headings; those without one come under `first`."""
    sections: dict[str, list[tuple[str, str]]] = {first: []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and isinstance(parameter, click.Option):
            sections.setdefault(getattr(parameter, "heading", first), []).append(record)
    for heading, records in sections.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)


class Command(click.Command):
    """A command whose --help has headings for options of one subject."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, the command's own first."""
        _write_options(self, ctx, formatter, OTHER_OPTIONS)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and record which one it is for the advice of an error."""
        ctx.find_root().obj = ctx
        return super().invoke(ctx)


class Group(click.Group):
    """A group of commands.

    Attributes:
        earlier: for each name that a command does not have (any more), what to type instead,
            without `evalstore`.
    """

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, earlier: dict[str, str] | None = None, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.earlier = earlier or {}

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The called command; the error for an unknown one says what to type."""
        name = args[0]
        names = self.list_commands(ctx)
        if name not in names and not name.startswith("-") and not ctx.resilient_parsing:
            if name in self.earlier:
                hint = f"; that is `evalstore {self.earlier[name]}`"
            else:
                instead = {one: " ".join((*words_of(ctx), one)) for one in names} | self.earlier
                near = nearest(name, instead)
                hint = "".join(f"; did you mean `evalstore {instead[one]}`?" for one in near)
            ctx.fail(printable(f"No such command {name!r}{hint}"))
        return super().resolve_command(ctx, args)


class Noun(Group):
    """A group that lists what it is named after, if it is called without a command."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first: they are fewer than the options of the list."""
        self.format_commands(ctx, formatter)
        _write_options(self, ctx, formatter, "Options of the list")


def noun(name: str, earlier: dict[str, str] | None = None) -> Callable[[Callable[..., None]], Noun]:
    """Make a function that lists the group `name`; its options are for the list only."""

    def add(function: Callable[..., None]) -> Noun:
        @wraps(function)
        @click.pass_context
        def listed(ctx: click.Context, /, **values: Any) -> None:
            if ctx.invoked_subcommand is None:
                ctx.find_root().obj = ctx
                function(**values)
                return
            for parameter in ctx.command.params:
                if parameter.name != "db" and is_typed(ctx, str(parameter.name)):
                    raise click.UsageError(
                        f"{parameter.opts[-1]} is an option of the list `{ctx.command_path}`; "
                        f"those of `{ctx.invoked_subcommand}` come after it"
                    )

        make = click.group(
            name,
            cls=Noun,
            invoke_without_command=True,
            subcommand_metavar="[COMMAND [ARGS]...]",
            earlier=earlier,
        )
        made: Noun = make(listed)
        return made

    return add


def command(name: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """A command of the program itself, whose options can have headings."""
    return click.command(name, cls=Command)
