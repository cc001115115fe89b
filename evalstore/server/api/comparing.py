"""The inputs of comparisons: the runs to compare, and their values per query."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.links import engine_slots
from evalstore.client.any_store import LocalStore
from evalstore.comparison import loading
from evalstore.comparison.choosing import baselines
from evalstore.comparison.collection_values import (
    CollectionRun,
    MeasureValues,
    load_collection_values,
    medians_of_collection,
)
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NotComparable
from evalstore.measures import named_measures
from evalstore.measures.notation import BOARD_MEASURES
from evalstore.server.api.operation import (
    MOST_NAMED,
    Call,
    Content,
    Measures,
    Name,
    OfCollection,
    Parameters,
    QrelsOrDefault,
)
from evalstore.server.api.paging import Paged, page_of, pages_of

MOST_VALUES = 2_000_000
"""Maximum of runs x measures x queries in an answer."""

RunNames = Annotated[
    list[Name], Field(min_length=1, max_length=MOST_NAMED, description="Names or ids of runs.")
]


class RunsNamed(Parameters):
    """Runs to compare, as a person names them."""

    runs: RunNames
    baseline: Name | None = Field(
        None, description="The run that all others are compared with; null for the collection's."
    )
    collection: OfCollection = None


class RunsToCompare(Content):
    """Runs to compare, with the baseline that the collection adds."""

    runs: list[str]
    baseline: int | None = Field(description="Its number in `runs`; null for all pairs.")
    collection: str | None
    note: str | None


class ValuesAsked(Parameters):
    """Whose values, of which measures, under which judgments."""

    runs: RunNames
    measures: list[Name] = Field(
        max_length=MOST_NAMED,
        description="Computed where they are not stored; none for the facts of the runs alone.",
    )
    collection: OfCollection = None
    qrels: Name | None = Field(
        None, description="The judgments; null for the default, or else common ones."
    )


class ValuesOfRun(Content):
    """A run with its values, in the order of the queries."""

    name: str
    collection: str
    qrels: str
    qrels_hash: str
    compat: str
    depth: int = Field(description="Documents of the longest of its rankings.")
    is_cut: bool = Field(description="Whether its rankings were cut at that depth.")
    judged_in_top: float | None = Field(description="The judged share of the top 10.")
    values_only: bool
    answered: list[bool]
    values: dict[str, list[float | None]] = Field(description="By measure.")
    weights: dict[str, list[float]] = Field(
        description="By measure, where it has them: how much a query counts in the figure of all "
        "queries; 0 where it has no value."
    )


class ValuesOfRuns(Content):
    """Runs under the same judgments, with their values per query."""

    obstacle: str | None = Field(description="Why there are none to compare.")
    qids: list[str] = Field(description="The judged queries.")
    runs: list[ValuesOfRun]
    texts: dict[str, str] = Field(description="Of queries, by id.")
    attributes: dict[str, dict[str, str]] = Field(description="Of queries, by id.")
    notes: list[str] = Field(description="On the judgments.")


class Baseline(Content):
    """The baseline of a collection."""

    collection: str
    run: str | None = Field(description="Null where there is none.")


class ChosenBaseline(Content):
    """The run that was chosen as the baseline of a collection."""

    collection: str
    engine: str
    run: str
    is_removed: bool = Field(description="Marked as removed: it does not count then.")


Baselines = pages_of(ChosenBaseline, "baselines", "Baselines", "A page of the baselines.")


class Engine(Content):
    """An engine of a collection."""

    engine: str
    slot: int = Field(description="The number of its colour and mark, from 0.")


class Engines(Content):
    """The engines of a collection."""

    engines: list[Engine]


class MediansParameters(Parameters):
    """Of which measures, under which judgments."""

    measure: Measures = Field(default=["AP"])
    qrels: QrelsOrDefault = None


class MediansOfRuns(Content):
    """The median of the runs that are evaluated as a run is, for every query."""

    runs: int = Field(description="So many runs, the one that is named included.")
    qids: list[str] = Field(description="The judged queries.")
    medians: dict[str, list[float | None]] = Field(
        description="By measure, in the order of the queries."
    )


def runs_to_compare(call: Call, chosen: RunsNamed) -> loading.RunsToCompare:
    """Which runs `evalstore compare` compares, with which baseline, where these are named."""
    return baselines.runs_to_compare(call.store, chosen.runs, chosen.baseline, chosen.collection)


def values_of_runs(call: Call, chosen: ValuesAsked) -> dict[str, Any]:
    """The values of runs under the same judgments: what a comparison is computed from.

    Measures that are not stored are computed. Runs x measures x queries are 2,000,000 at most.
    """
    named = named_measures(chosen.measures) if chosen.measures else {}
    measures = {str(measure): measure for measure in named.values()}
    loaded = load_stored_runs(
        call.store,
        chosen.runs,
        measures,
        collection=chosen.collection,
        qrels=chosen.qrels,
        most_values=MOST_VALUES,
    )
    qids = loaded.runs[0].qids if loaded.runs else ()
    return {
        "obstacle": loaded.obstacle,
        "qids": qids,
        "runs": loaded.runs,
        "texts": {qid: loaded.texts[qid] for qid in loaded.texts},
        "attributes": loaded.queries.attributes,
        "notes": loaded.notes,
    }


def baseline_of_collection(call: Call, chosen: Parameters, collection: str) -> dict[str, Any]:
    """The run that the others of a collection are compared with."""
    return {"collection": collection, "run": LocalStore(call.store).baseline(collection)}


def engines_of_collection(call: Call, chosen: Parameters, collection: str) -> dict[str, Any]:
    """The engines of a collection, each with the number of its colour and mark in figures."""
    with call.store.read() as connection:
        find_collection_id(connection, collection)
    slots = engine_slots(call.store, collection)
    return {"engines": [{"engine": name, "slot": slots[name]} for name in sorted(slots)]}


def medians_of_runs(
    call: Call, chosen: MediansParameters, collection: str, run: str
) -> dict[str, Any]:
    """The median of the collection's runs for every query, which a run is compared with.

    The runs are those that were evaluated under the same judgments by the same rules.
    """
    measures = {str(measure): measure for measure in named_measures(chosen.measure).values()}
    loaded = load_stored_runs(call.store, [run], {}, collection=collection, qrels=chosen.qrels)
    if loaded.obstacle is not None:
        raise NotComparable(f"run {run!r} has no values under that qrels")
    medians = medians_of_collection(call.store, loaded.runs[0], measures)
    return {"runs": medians.runs, "qids": loaded.runs[0].qids, "medians": medians.values}


def list_baselines(call: Call, chosen: Paged) -> dict[str, Any]:
    """The baselines of all collections, as `evalstore runs baseline` has them."""
    listed = baselines.baselines(call.store)
    return page_of("baselines", listed, lambda row: row.collection, call, chosen)


# Values of all runs of a collection


class CollectionValuesParameters(Parameters):
    """Of which measures, under which judgments."""

    measure: Measures = Field(default=list(BOARD_MEASURES))
    qrels: QrelsOrDefault = None
    aggregates_only: bool = Field(False, description="Without the values of queries.")


class EvaluatedRun(Content):
    """A run that was evaluated under the judgments."""

    engine: str
    run: str
    values_only: bool


class RunOfMeasure(EvaluatedRun):
    """A run with its values of a measure."""

    value: float | None = Field(description="The figure of a leaderboard.")
    values: list[float] = Field(description="In the order of the queries.")


class ValuesOfMeasure(Content):
    """The values of a measure for those of the runs that have them."""

    measure: str
    runs: list[RunOfMeasure]
    notes: list[str]


class CollectionValues(Content):
    """The runs of a collection that were evaluated under the same judgments, and their values."""

    collection: str
    qrels: str
    qids: list[str] = Field(description="The judged queries.")
    runs: list[EvaluatedRun]
    measures: list[ValuesOfMeasure]
    notes: list[str] = Field(description="On runs that are left out.")


def values_of_collection(
    call: Call, chosen: CollectionValuesParameters, collection: str
) -> dict[str, Any]:
    """The values of all runs of a collection for every judged query.

    What `evalstore power` and `evalstore agreement` are computed from. A query that a run does not
    answer counts as an empty ranking. Measures that are not stored are computed. Runs x measures x
    queries are 2,000,000 at most.
    """
    measures = named_measures(chosen.measure)
    loaded = load_collection_values(
        call.store,
        collection,
        measures,
        chosen.qrels,
        aggregates_only=chosen.aggregates_only,
        most_values=MOST_VALUES,
    )
    return {
        "collection": collection,
        "qrels": loaded.qrels,
        "qids": loaded.qids,
        "runs": [_run_values(run) for run in loaded.runs],
        "measures": [_measure(name, of) for name, of in loaded.measures.items()],
        "notes": loaded.notes,
    }


def _measure(name: str, of: MeasureValues) -> dict[str, Any]:
    columns = zip(of.runs, of.aggregates.tolist(), of.values.T.tolist(), strict=True)
    runs = [
        {**_run_values(run), "value": value, "values": values} for run, value, values in columns
    ]
    return {"measure": name, "runs": runs, "notes": of.notes}


def _run_values(run: CollectionRun) -> dict[str, Any]:
    return {"engine": run.engine, "run": run.name, "values_only": run.values_only}
