"""Bundles of options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from evalstore.trec import Reading

Command = TypeVar("Command", bound=Callable[..., Any])


class Size(click.ParamType[int]):
    """A number of bytes: 500M, 4G, 1000000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The bytes."""
        if isinstance(value, int):
            return value
        digits, unit = value.rstrip("KMGTkmgt"), value[len(value.rstrip("KMGTkmgt")) :]
        if not digits.isdecimal() or len(unit) > 1 or int(digits) == 0:
            self.fail(f"{value!r} is no size: write it like 500M or 4G", param, ctx)
        return int(digits) << (10 * (" KMGT".index(unit.upper()) if unit else 0))


def reading_options(command: Command) -> Command:
    """How files are read: --encoding, --max-bytes."""
    command = click.option(
        "--encoding",
        default="utf-8",
        show_default=True,
        help="The encoding of the files.",
    )(command)
    return click.option(
        "--max-bytes",
        type=Size(),
        default="16G",
        show_default=True,
        help="Refuse files that are larger once unpacked.",
    )(command)


def jobs_option(command: Command) -> Command:
    """How many processes read files: --jobs."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        help="Processes that read and evaluate.  [default: one per processor]",
    )(command)


def reading_from(given: Mapping[str, Any]) -> Reading:
    """The Reading that these options ask for."""
    from evalstore.trec import Reading

    return Reading(encoding=given["encoding"], max_bytes=given["max_bytes"])
