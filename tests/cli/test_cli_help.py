"""Help: every command has it, and it is there at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from samples import Program

from evalstore import __version__
from evalstore.cli import COMMANDS, cli, options
from evalstore.client.any_store import use_case
from evalstore.measures.notation import BOARD_MEASURES

HEAVY = (
    *("numpy", "pandas", "pyarrow", "sqlalchemy", "alembic", "dash", "plotly", "matplotlib"),
    *("rich", "flask"),
)


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


ALL = list(commands(cli))


def found(path: tuple[str, ...]) -> click.Command:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name) or pytest.fail(name)
    return command


def test_the_commands_of_the_contract_are_there() -> None:
    promised = {"ingest", "evaluate", "runs", "measures", "sql", "dashboard", "demo", "db"}
    assert promised <= set(COMMANDS)
    assert {("db", "upgrade"), ("db", "current")} <= set(ALL)


def test_the_functions_that_types_of_options_name_are_there() -> None:
    types = [one.type for path in ALL for one in found(path).params]
    parsers = {one._parse for one in types if isinstance(one, options.Parsed)}
    named = [one for one in parsers if isinstance(one, str)]
    assert "catalog.names.parse_condition" in named
    assert all(callable(use_case(one)) for one in named)


def test_every_command_has_help(program: Program) -> None:
    for path in [(), *ALL]:
        help_text = program(*path, "--help").stdout
        assert help_text.startswith("Usage: "), path
        assert "--help" in help_text, path
        assert program(*path, "-h").stdout == help_text, path


def test_every_command_says_what_it_does_and_what_each_option_is() -> None:
    for path in ALL:
        command = found(path)
        assert command.help, path
        options = (one for one in command.params if isinstance(one, click.Option))
        assert [one.name for one in options if not one.help] == [], path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_begins_as_the_help_of_each_command(name: str) -> None:
    """The list is written separately, so that it needs no imports; this test compares the two."""
    help_text, listed = found((name,)).help or "", COMMANDS[name][1]
    assert listed.split()[0].strip(",") == help_text.split()[0].strip(",")
    assert listed.endswith(".")


MOST_COMMANDS = 26


def test_the_help_of_the_program_is_short() -> None:
    assert len(COMMANDS) <= MOST_COMMANDS


def test_an_option_of_one_name_takes_a_value_everywhere_or_nowhere() -> None:
    is_flag: dict[str, set[bool]] = {}
    for path in ALL:
        for parameter in found(path).params:
            if isinstance(parameter, click.Option):
                is_flag.setdefault(parameter.opts[-1], set()).add(parameter.is_flag)
    two = {name for name, kinds in is_flag.items() if len(kinds) > 1}
    assert two == {"--unset"}  # the one baseline of a collection has no name


def test_the_measures_in_the_help_are_the_default_ones() -> None:
    assert options.DEFAULT_MEASURES == BOARD_MEASURES


def test_the_version_is_that_of_the_package(program: Program) -> None:
    assert program("--version").stdout == f"evalstore, version {__version__}\n"


def test_help_imports_nothing_heavy() -> None:
    calls = [[*path, "--help"] for path in [(), *ALL]]
    code = (
        "import sys\n"
        "from evalstore.cli import cli\n"
        f"for call in {calls!r}:\n"
        "    cli.main(call, standalone_mode=False)\n"
        f"print('imported:', *sorted(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["imported:"]
