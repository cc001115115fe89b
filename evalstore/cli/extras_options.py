"""Options for what some measures need beside a run and a qrels: facts of collections and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli.complete import files
from evalstore.cli.options import Command, Size
from evalstore.cli.output import warn

if TYPE_CHECKING:
    from evalstore.catalog.collection_facts import CollectionFacts, RunFacts
    from evalstore.formats import ReadOptions
    from evalstore.measures.matching import Extras

LARGEST = 2**63 - 1
"""What a whole number can be in a database."""
FACT_FILES = ("subtopics", "judgment_groups", "preferences", "known")
"""The options with a file that belongs to the collection."""


class CurrencyType(click.ParamType[str]):
    """A currency: EUR. No option, which would be read as one where the currency was forgotten."""

    name = "currency"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The currency."""
        if value.startswith("-"):
            self.fail(f"{value!r} is no currency: write it like 0.12 EUR", param, ctx)
        return value


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
            type=(float, CurrencyType()),
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
            type=click.IntRange(1, LARGEST),
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
    from evalstore.measures.matching import Extras

    return Extras(**(vars(collection) if collection else {}), **(vars(run) if run else {}))


def collection_facts_from(
    values: Mapping[str, Any], options: ReadOptions
) -> CollectionFacts | None:
    """The facts of a collection that these options give; None where none is given."""
    if all(values[name] is None for name in ("collection_size", *FACT_FILES)):
        return None
    from evalstore.catalog.collection_facts import FACT_READERS, CollectionFacts

    read = {
        name: reader(values[name], options) for name, reader in FACT_READERS.items() if values[name]
    }
    facts = CollectionFacts(collection_size=values["collection_size"], **read)
    for warning in facts.warnings:
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
    from evalstore.catalog.query_ids import with_query_ids
    from evalstore.errors import StoreError
    from evalstore.store import Store

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
    from evalstore.catalog.collection_facts import RunFacts
    from evalstore.formats import read_times

    return RunFacts(
        times=read_times(values["times"], options) if values["times"] else None,
        index_bytes=values["index_bytes"],
        **costs,
    )
