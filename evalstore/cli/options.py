"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evalstore.cli.complete import DEFAULT_DB, Completer, conditions, files, measures
from evalstore.cli.output import printable, warn

if TYPE_CHECKING:
    from evalstore.formats import ReadOptions
    from evalstore.matching import Extras
    from evalstore.usecases.facts import CollectionFacts, RunFacts

Command = TypeVar("Command", bound=Callable[..., Any])
Fact = TypeVar("Fact")


def db_option(command: Command) -> Command:
    """The store that a command uses: --db, accepted after the command and before it."""
    return click.option(
        "--db",
        metavar="DATABASE",
        is_eager=True,  # shell completion reads it before the names it completes
        callback=lambda ctx, _, value: value or ctx.find_root().params.get("db") or DEFAULT_DB,
        shell_complete=files,
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
    """The measures: -m, which may be repeated."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        shell_complete=measures,
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


class ConditionType(click.ParamType[Any]):
    """A condition on an attribute of queries, or a fact of runs: lang=de."""

    name = "condition"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The condition."""
        from evalstore.errors import DataError
        from evalstore.usecases.conditions import parse_condition

        try:
            return parse_condition(value) if isinstance(value, str) else value
        except DataError as error:
            self.fail(printable(str(error)), param, ctx)


def where_option(text: str, complete: Completer = conditions) -> Callable[[Command], Command]:
    """Conditions on attributes of queries, or facts of runs: --where, which may be repeated."""
    return click.option(
        "--where",
        type=ConditionType(),
        metavar="CONDITION",
        shell_complete=complete,
        multiple=True,
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


def identical_ids_option(command: Command) -> Command:
    """What is left out of rankings: --ignore-identical-ids."""
    return click.option(
        "--ignore-identical-ids",
        is_flag=True,
        help="Leave out retrieved documents whose id is the query's.",
    )(command)


def jobs_option(command: Command) -> Command:
    """How many processes read files: --jobs."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        help="Processes that read and evaluate.  [default: one per processor]",
    )(command)


def unfinished_option(command: Command) -> Command:
    """What is read of runs that were logged: --unfinished."""
    return click.option(
        "--unfinished",
        is_flag=True,
        help="Take runs that were logged and have not ended (.evalrun) as they are.",
    )(command)


def reading_from(values: Mapping[str, Any]) -> ReadOptions:
    """The ReadOptions that these options ask for."""
    from evalstore.formats import ReadOptions

    return ReadOptions(
        encoding=values["encoding"],
        max_bytes=values["max_bytes"],
        formats=values.get("input_formats", ()),
        unfinished=values.get("unfinished", False),
    )


def collection_facts_options(command: Command) -> Command:
    """What some measures need of a collection beside its qrels."""
    return _collection_facts(command, "--collection-size")


def run_facts_options(command: Command) -> Command:
    """What some measures need of a run beside its rankings."""
    return _all(
        command,
        click.option("--index-bytes", type=Size(), help="The size of the index, for IndexSize."),
        click.option(
            "--times",
            metavar="FILE",
            shell_complete=files,
            help="qid and milliseconds, for ResponseTime.",
        ),
    )


def cost_options(command: Command) -> Command:
    """What a run cost beside time and the size of its index; `costs_from` collects it."""
    return _all(
        command,
        click.option(
            "--energy-joules",
            type=float,
            metavar="JOULES",
            help="The energy that all queries together took, for EnergyPerQuery.",
        ),
        click.option(
            "--money",
            type=(float, str),
            metavar="AMOUNT CURRENCY",
            help="What all queries together cost, for CostPerQuery: 0.12 EUR.",
        ),
        click.option(
            "--memory-bytes",
            type=Size(),
            help="The most memory that the engine used, for PeakMemory.",
        ),
    )


def costs_from(values: Mapping[str, Any]) -> dict[str, Any]:
    """The costs by the names of the facts; None where an option is not given."""
    money, currency = values["money"] or (None, None)
    costs = {name: values[name] for name in ("memory_bytes", "energy_joules")}
    return {**costs, "money": money, "currency": currency}


def extras_options(command: Command) -> Command:
    """What some measures need beside a run and a qrels."""
    # --documents is an earlier name of --collection-size that scripts may use.
    command = _collection_facts(command, "--collection-size", "--documents")
    return run_facts_options(cost_options(command))


def _collection_facts(command: Command, *size: str) -> Command:
    return _all(
        command,
        click.option(
            "--known",
            metavar="FILE",
            shell_complete=files,
            help="qid and docno, for CoverageRatio and more.",
        ),
        click.option(
            "--subtopics",
            metavar="FILE",
            shell_complete=files,
            help="Judgments by subtopic (qid subtopic docno grade), for alpha_nDCG and others.",
        ),
        click.option(
            "--judgment-groups",
            metavar="FILE",
            shell_complete=files,
            help="Judgments by several judges (qid group docno grade), for GroupAP and others.",
        ),
        click.option(
            "--preferences",
            metavar="FILE",
            shell_complete=files,
            help="Preferences between documents (qid group subgroup docno level), for PrefSimple "
            "and others.",
        ),
        click.option(
            *size,
            "collection_size",
            type=click.IntRange(1),
            metavar="N",
            help="How many documents the collection has, for Accuracy and ItemCoverage.",
        ),
    )


def _all(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in options:
        command = option(command)
    return command


def extras_from(values: Mapping[str, Any], options: ReadOptions) -> Extras | None:
    """The Extras that these options ask for; None where none is given."""
    collection = collection_facts_from(values, options)
    run = run_facts_from(values, options, **costs_from(values))
    if collection is None and run is None:
        return None
    from evalstore.matching import Extras

    return Extras(**(vars(collection) if collection else {}), **(vars(run) if run else {}))


def collection_facts_from(
    values: Mapping[str, Any], options: ReadOptions
) -> CollectionFacts | None:
    """The facts of a collection that these options give; None where none is given."""
    names = ("subtopics", "judgment_groups", "preferences", "known")
    if all(values[name] is None for name in ("collection_size", *names)):
        return None
    from evalstore.formats import (
        read_judgment_groups,
        read_known,
        read_preferences,
        read_subtopic_qrels,
    )
    from evalstore.usecases.facts import CollectionFacts

    def read(name: str, reader: Callable[[str, ReadOptions], Fact]) -> Fact | None:
        return reader(values[name], options) if values[name] else None

    facts = CollectionFacts(
        subtopics=read("subtopics", read_subtopic_qrels),
        judgment_groups=read("judgment_groups", read_judgment_groups),
        preferences=read("preferences", read_preferences),
        known=read("known", read_known),
        collection_size=values["collection_size"],
    )
    for file in (facts.subtopics, facts.judgment_groups, facts.preferences):
        for warning in file.warnings if file else ():
            warn(warning)
    return facts


def judges_options(
    db: str,
    collection: str | None,
    values: Mapping[str, Any],
    options: ReadOptions,
    queries: Mapping[str, str] | None = None,
) -> ReadOptions:
    """How to read --judgment-groups: its file may name the collection's queries by their texts.

    Args:
        db: the store; there may be none yet.
        collection: the collection's name, if it is known.
        values: of the options of the command.
        options: how the other files are read.
        queries: texts by query id that are given with the command.
    """
    groups = values["judgment_groups"]
    if groups is None or collection is None:
        return options
    from evalstore.errors import StoreError
    from evalstore.store import Store
    from evalstore.usecases.query_ids import with_query_ids

    try:
        with Store.open(db, create=False) as store:
            return with_query_ids(store, collection, [groups], "judgment groups", options, queries)
    except StoreError as error:
        if error.problem != "no store":
            raise
    return with_query_ids(None, collection, [groups], "judgment groups", options, queries)


def run_facts_from(
    values: Mapping[str, Any], options: ReadOptions, **costs: Any
) -> RunFacts | None:
    """The facts of a run that these options and `costs` give; None where none is given."""
    given = (values["times"], values["index_bytes"], *costs.values())
    if all(value is None for value in given):
        return None
    from evalstore.formats import read_times
    from evalstore.usecases.facts import RunFacts

    return RunFacts(
        times=read_times(values["times"], options) if values["times"] else None,
        index_bytes=values["index_bytes"],
        **costs,
    )
