"""The values of all runs of a collection, for statistics over many runs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evalstore.comparison.collection_values import (
    CollectionRun,
    MeasureValues,
    load_collection_values,
)
from evalstore.measures import named_measures
from evalstore.server.api.comparing import MOST_VALUES
from evalstore.server.api.operation import Asked, Content, Parameters
from evalstore.server.api.parameters import DEFAULT_MEASURES, Measures, Name


class CollectionValuesParameters(Parameters):
    """Of which measures, under which judgments."""

    measure: Measures = Field(default=list(DEFAULT_MEASURES))
    qrels: Annotated[
        Name | None, Field(description="The judgments.  The default ones where not named.")
    ] = None
    aggregates_only: Annotated[bool, Field(description="Without the values of queries.")] = False


class EvaluatedRun(Content):
    """A run that was evaluated under the judgments."""

    engine: str
    run: str
    values_only: bool


class RunOfMeasure(EvaluatedRun):
    """A run with its values of a measure."""

    value: Annotated[float | None, Field(description="The figure of a leaderboard.")]
    values: Annotated[list[float], Field(description="In the order of the queries.")]


class ValuesOfMeasure(Content):
    """The values of a measure for those of the runs that have them."""

    measure: str
    runs: list[RunOfMeasure]
    notes: list[str]


class CollectionValues(Content):
    """The runs of a collection that were evaluated under the same judgments, and their values."""

    collection: str
    qrels: str
    qids: Annotated[list[str], Field(description="The judged queries.")]
    runs: list[EvaluatedRun]
    measures: list[ValuesOfMeasure]
    notes: Annotated[list[str], Field(description="On runs that are left out.")]


def values_of_collection(
    asked: Asked, chosen: CollectionValuesParameters, collection: str
) -> dict[str, Any]:
    """The values of all runs of a collection for every judged query.

    What `evalstore power` and `evalstore agreement` are computed from. A query that a run does not
    answer counts as an empty ranking. Measures that are not stored are computed. Runs x measures x
    queries are 2,000,000 at most.
    """
    measures = named_measures(chosen.measure)
    loaded = load_collection_values(
        asked.store,
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
        "runs": [_run(run) for run in loaded.runs],
        "measures": [_measure(name, of) for name, of in loaded.measures.items()],
        "notes": loaded.notes,
    }


def _measure(name: str, of: MeasureValues) -> dict[str, Any]:
    columns = zip(of.runs, of.aggregates.tolist(), of.values.T.tolist(), strict=True)
    runs = [{**_run(run), "value": value, "values": values} for run, value, values in columns]
    return {"measure": name, "runs": runs, "notes": of.notes}


def _run(run: CollectionRun) -> dict[str, Any]:
    return {"engine": run.engine, "run": run.name, "values_only": run.values_only}
