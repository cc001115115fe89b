"""Options for the facts of a run: parameters, tags, a note, where it comes from, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.extras_options import cost_options, costs_from
from evalstore.cli.options import Command
from evalstore.cli.output import printable

if TYPE_CHECKING:
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.formats import ReadOptions


class ParameterType(click.ParamType[Any]):
    """A parameter with its value: k1=0.9."""

    name = "parameter"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name and the value."""
        from evalstore.errors import DataError
        from evalstore.formats.facts.parameters import parse_parameter

        try:
            return parse_parameter(value) if isinstance(value, str) else value
        except DataError as error:
            self.fail(printable(str(error)), param, ctx)


class TimeType(click.ParamType[Any]):
    """A time in ISO 8601: 2026-11-21T14:30, or 2026-11-21T14:30:05+01:00."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The time."""
        from datetime import datetime

        if isinstance(value, datetime):
            return value
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            example = "2026-11-21T14:30:05+01:00"
            self.fail(printable(f"{value!r} is no time: write it like {example}"), param, ctx)


def facts_options(command: Command) -> Command:
    """The facts of a run; `facts_from` collects them."""
    command = cost_options(command)
    for option in reversed(
        (
            click.option(
                "--param",
                "params",
                type=ParameterType(),
                metavar="NAME=VALUE",
                multiple=True,
                help="A parameter of the engine: k1=0.9; may be repeated.",
            ),
            click.option(
                "--params-file",
                metavar="FILE",
                shell_complete=complete.files,
                help="Parameters in YAML, JSON or TOML; --param overrides them.",
            ),
            click.option(
                "--tag",
                "tags",
                metavar="TAG",
                multiple=True,
                help="A tag, a word or key=value; may be repeated.",
            ),
            click.option("--note", metavar="TEXT", help="A note, in Markdown."),
            click.option("--commit", metavar="COMMIT", help="The version of the engine's code."),
            click.option(
                "--dirty/--clean",
                "commit_dirty",
                default=None,
                help="Whether files differed from the commit.",
            ),
            click.option("--host", metavar="NAME", help="The machine that the engine ran on."),
            click.option(
                "--started-by", metavar="NAME", help="The account that started the engine."
            ),
            click.option(
                "--started-at",
                type=TimeType(),
                metavar="TIME",
                help="When the engine started, in ISO 8601; UTC without an offset.",
            ),
            click.option("--ended-at", type=TimeType(), metavar="TIME", help="When it was done."),
            click.option("--command", metavar="TEXT", help="The command line of the engine."),
            click.option("--index-version", metavar="TEXT", help="The version of the index."),
            click.option(
                "--collection-version",
                metavar="TEXT",
                help="The version of the documents that were indexed.",
            ),
            click.option(
                "--parent",
                metavar="RUN",
                shell_complete=complete.runs,
                help="The stored run that this one was derived from.",
            ),
        )
    ):
        command = option(command)
    return command


OPTIONS = (
    *("note", "commit", "commit_dirty", "host", "started_by", "started_at", "ended_at"),
    *("command", "index_version", "collection_version", "parent"),
)
"""The options that are facts by the same name."""


def facts_from(values: Mapping[str, Any], options: ReadOptions, **others: Any) -> GivenFacts:
    """The facts that these options give.

    Args:
        values: by the names of the options.
        options: how the file of parameters is read.
        others: further facts.

    Raises:
        FileError: the file of parameters can't be read.
        DataError: a fact that can't be.
    """
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.formats.facts.parameters import read_parameters

    path = values["params_file"]
    return GivenFacts(
        parameters={**(read_parameters(path, options) if path else {}), **dict(values["params"])},
        tags=tuple(values["tags"]),
        **costs_from(values),
        **{name: values[name] for name in OPTIONS},
        **others,
    )
