"""Compute further measures of stored runs, from the store alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import MeasureError
from evalstore.formats import Qrels
from evalstore.measures import Measure, aggregate, evaluate
from evalstore.store import Store, events
from evalstore.store.evaluations import (
    EvaluationRows,
    StoredEvaluation,
    add_values,
    list_evaluations,
    stored_measures,
)
from evalstore.store.qrels import load_qrels
from evalstore.store.queries import ensure_queries
from evalstore.store.runs import find_run, is_active
from evalstore.usecases.run_rows import evaluation_rows
from evalstore.usecases.stored_judged import (
    computed_together,
    follows_from_hits,
    load_judged,
    load_judged_hits,
)


@dataclass(frozen=True)
class Measured:
    """What was computed for one run under one qrels.

    Attributes:
        collection, run, qrels: their names.
        new: the measures it did not have.
        lacking: the measures that can't be computed, since the run came as values.
        problems: why other measures can't be computed, a sentence each.
    """

    collection: str
    run: str
    qrels: str
    new: tuple[str, ...]
    lacking: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def measure(
    store: Store,
    measures: Sequence[Measure],
    runs: Sequence[str] = (),
    collection: str | None = None,
    *,
    progress: Callable[[Measured], None] = lambda _: None,
) -> tuple[Measured, ...]:
    """Compute and store measures for every stored run, or for those named, under all their qrels.

    Stored values are not changed. Runs that came as values get no new measures: they have no
    rankings, and an outcome says so. Each evaluation is one transaction. Facts that a measure needs
    beside the run and the qrels (response times, ...) are read from the store; of all runs, those
    without them are left out, and an outcome says so.

    Args:
        store: the store with the runs; the values are written to it.
        measures: the measures to compute.
        runs: names or ids; empty for all.
        collection: only runs of the collection of that name.
        progress: called after each evaluation.

    Raises:
        NotFound: a run that the store does not hold.
        MeasureError: a measure needs facts that the store does not hold, of a run that is named or
            of all of them; what can be computed is stored.
    """
    with store.read() as connection:
        chosen = [find_run(connection, run, collection).id for run in runs]
        evaluations = list_evaluations(connection, chosen or None, collection)
    asked = {str(measure): measure for measure in measures}
    errors: dict[str, MeasureError] = {}
    available: set[str] = set()
    done: list[Measured] = []
    qrels_id, qrels = 0, None  # evaluations come sorted by qrels: one is loaded at a time
    for evaluation in evaluations:
        rows: EvaluationRows | None = None
        lacking: dict[str, MeasureError] = {}
        with store.read() as connection:
            stored = stored_measures(connection, evaluation.id)
            missing = {name: measure for name, measure in asked.items() if name not in stored}
            if missing and not evaluation.run.values_only:
                if qrels is None or qrels_id != evaluation.qrels.id:
                    qrels_id, qrels = evaluation.qrels.id, load_qrels(connection, evaluation.qrels)
                rows, lacking = _computed(connection, evaluation, qrels, missing)
        if runs and lacking:
            raise next(iter(lacking.values()))
        new = () if rows is None else tuple(name for name in missing if name in rows.values)
        if rows is not None:
            store.transact(partial(store_missing, evaluation, rows))
        errors.update(lacking)
        available.update(new, stored)
        done.append(
            Measured(
                evaluation.collection,
                evaluation.run.name,
                evaluation.qrels.name,
                new=new,
                lacking=tuple(missing) if evaluation.run.values_only else (),
                problems=tuple(dict.fromkeys(str(error) for error in lacking.values())),
            )
        )
        progress(done[-1])
    for name, error in errors.items():
        if name not in available:
            raise error
    return tuple(done)


def _computed(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Mapping[str, Measure],
) -> tuple[EvaluationRows | None, dict[str, MeasureError]]:
    """The rows of the measures that can be computed, and why each of the others can't be."""
    run, rows = None, None
    lacking: dict[str, MeasureError] = {}
    for names in computed_together(measures):
        together = [measures[name] for name in names]
        try:
            run, judged = load_judged(connection, evaluation, qrels, together, run)
            part = evaluation_rows(run, judged, together)
        except MeasureError as error:
            lacking.update(dict.fromkeys(names, error))
            continue
        rows = part if rows is None else _joined(rows, part)
    return rows, lacking


def _joined(rows: EvaluationRows, more: EvaluationRows) -> EvaluationRows:
    """The rows of two groups of measures of one evaluation."""
    return replace(
        rows,
        values={**rows.values, **more.values},
        aggregates={**rows.aggregates, **more.aggregates},
        measures={**rows.measures, **more.measures},
    )


class Computed(NamedTuple):
    """Aggregates that were computed and not stored.

    Attributes:
        aggregates: by canonical name, for every run's id and qrels' name; without the measures
            whose facts the run lacks.
        lacking: by canonical name, why a measure could not be computed for some run.
    """

    aggregates: dict[tuple[int, str], dict[str, float]]
    lacking: dict[str, MeasureError]


def computed_aggregates(
    store: Store, measures: Sequence[Measure], run_ids: Sequence[int]
) -> Computed:
    """Measures of stored runs under all their qrels, computed and not stored.

    From the hits where they are enough, else from the rankings.
    """
    asked = {str(measure): measure for measure in measures}
    computed = Computed({}, {})
    qrels, qrels_id = None, None
    with store.read() as connection:
        for evaluation in list_evaluations(connection, list(run_ids), None):
            if qrels is None or qrels_id != evaluation.qrels.id:
                qrels_id, qrels = evaluation.qrels.id, load_qrels(connection, evaluation.qrels)
            key = (evaluation.run.id, evaluation.qrels.name)
            aggregates = computed.aggregates[key] = {}
            others = asked
            if not evaluation.run.values_only:
                enough = {n: m for n, m in asked.items() if follows_from_hits(m, qrels)}
                others = {n: m for n, m in asked.items() if n not in enough}
                if enough:
                    judged = load_judged_hits(connection, evaluation, qrels)
                    for one, values in evaluate(judged, enough.values()).items():
                        aggregates[str(one)] = aggregate(one, values, judged)
            rows, lacking = _computed(connection, evaluation, qrels, others)
            aggregates.update({} if rows is None else rows.aggregates)
            computed.lacking.update(lacking)
    return computed


def store_missing(
    evaluation: StoredEvaluation, rows: EvaluationRows, connection: Connection
) -> None:
    """Store those values that an evaluation lacks, if its run is active, and an event."""
    stored = stored_measures(connection, evaluation.id)
    values = {name: values for name, values in rows.values.items() if name not in stored}
    if not values or not is_active(connection, evaluation.run.id):
        return
    by_qid = ensure_queries(connection, evaluation.collection_id, rows.qids)
    query_ids = np.array([by_qid[qid] for qid in rows.qids], np.int64)
    add_values(connection, evaluation.id, query_ids, replace(rows, values=values))
    events.log(
        connection,
        "measure",
        evaluation.collection,
        evaluation.run.name,
        datetime.now(UTC),
        qrels=evaluation.qrels.name,
        measures=sorted(values),
    )
