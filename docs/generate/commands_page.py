"""Generates docs/commands.md from the command line; `make docs` runs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from evalstore.cli import SECTIONS, cli

PAGE = Path(__file__).parents[1] / "commands.md"

INTRODUCTION = """\
# Commands

Generated from the program by `make docs`. `evalstore COMMAND --help` has the options of each.
A command that reads a store takes `--db`, before or after its name.
"""

FIRST = re.compile(r"(?:, as in)?[:;]\s|\.?\n\n|\.$")
"""The end of the first statement of a help text."""


def commands(group: click.Group, path: str) -> Iterator[tuple[str, str]]:
    """Each command below a group: what to type, and what it does."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None  # noqa: S101  (the group has listed it)
        arguments = [p for p in command.params if isinstance(p, click.Argument)]
        words = [path, name, *(argument.make_metavar(context) for argument in arguments)]
        yield (
            " ".join(filter(None, words)),
            re.split(r"(?:, as in)?[:;]\s|\.?\n\n|\.$", command.help or "")[0].replace("\n", " ")
            + ".",
        )
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}".strip())


def page() -> str:
    """The page as Markdown."""
    parts = [INTRODUCTION]
    of_each: dict[str, list[tuple[str, str]]] = {}
    for words, text in commands(cli, ""):
        of_each.setdefault(words.split()[0], []).append((words, text))
    for heading, named in SECTIONS.items():
        lines = [f"- `{words}`: {text}" for name in named for words, text in of_each[name]]
        parts.append("\n".join([f"## {heading}\n", *lines, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
