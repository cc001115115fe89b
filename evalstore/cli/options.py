"""Bundles of options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from evalstore.formats import Reading
    from evalstore.matching import Extras

Command = TypeVar("Command", bound=Callable[..., Any])


DEFAULT_DB = "evalstore.db"


def db_option(command: Command) -> Command:
    """Which store a command is about: --db, after the command as well as before it."""
    return click.option(
        "--db",
        metavar="DATABASE",
        callback=lambda ctx, _, value: value or ctx.find_root().obj or DEFAULT_DB,
        help="The store: a file, or a database as SQLAlchemy writes it.  [default: evalstore.db]",
    )(command)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """How to print: --format, a table unless asked."""
    return click.option(
        "--format",
        "shape",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print.",
    )


def measure_option(text: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Which measures: -m, as often as there are measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        required=required,
        help=text,
    )


def level_option(text: str) -> Callable[[Command], Command]:
    """The lowest relevant grade: -l."""
    return click.option(
        "-l",
        "--level",
        type=click.FloatRange(min=0, min_open=True),
        default=1,
        show_default=True,
        help=text,
    )


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


def compat_option(command: Command) -> Command:
    """Which trec_eval to agree with: --compat."""
    return click.option(
        "--compat",
        type=click.Choice(["exact", "trec_eval-9", "trec_eval-10"]),
        default="exact",
        show_default=True,
        help="Agree with a release of trec_eval where they differ.",
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
    from evalstore.formats import Reading

    return Reading(encoding=given["encoding"], max_bytes=given["max_bytes"])


def extras_options(command: Command) -> Command:
    """What some measures need beside a run and a qrels."""
    for option in (
        click.option("--index-bytes", type=Size(), help="The size of the index, for IndexSize."),
        click.option("--times", metavar="FILE", help="qid and milliseconds, for ResponseTime."),
        click.option("--known", metavar="FILE", help="qid and docno, for CoverageRatio and more."),
        click.option(
            "--subtopics",
            metavar="FILE",
            help="Judgments by subtopic (qid subtopic docno grade), for alpha_nDCG and others.",
        ),
        click.option(
            "--documents",
            type=click.IntRange(1),
            help="The size of the collection, for Accuracy and ItemCoverage.",
        ),
    ):
        command = option(command)
    return command


def extras_from(given: Mapping[str, Any], how: Reading) -> Extras | None:
    """The Extras that these options ask for; None where none is given."""
    names = ("documents", "subtopics", "known", "times", "index_bytes")
    if all(given[name] is None for name in names):
        return None
    from evalstore.formats import read_subtopic_qrels
    from evalstore.formats.two_columns import read_known, read_times
    from evalstore.matching import Extras

    return Extras(
        collection_size=given["documents"],
        known=read_known(given["known"], how) if given["known"] else None,
        times=read_times(given["times"], how) if given["times"] else None,
        index_bytes=given["index_bytes"],
        subtopics=read_subtopic_qrels(given["subtopics"], how) if given["subtopics"] else None,
    )
