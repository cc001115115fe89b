"""Compute further measures of stored runs, from the store alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import MeasureError
from evalstore.measures import Measure
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
from evalstore.usecases.stored_judged import computed_together, load_judged


@dataclass(frozen=True)
class Measured:
    """What was computed for one run under one qrels.

    Attributes:
        collection, run, qrels: their names.
        new: the measures it did not have.
        lacking: the measures that can't be computed, since the run came as values.
    """

    collection: str
    run: str
    qrels: str
    new: tuple[str, ...]
    lacking: tuple[str, ...] = ()


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
    beside the run and the qrels (response times, ...) are read from the store.

    Args:
        store: the store with the runs; the values are written to it.
        measures: the measures to compute.
        runs: names or ids; empty for all.
        collection: only runs of the collection of that name.
        progress: called after each evaluation.

    Raises:
        NotFound: a run that the store does not hold.
        MeasureError: a measure needs facts that the store does not hold.
    """
    with store.read() as connection:
        chosen = [find_run(connection, run, collection).id for run in runs]
        evaluations = list_evaluations(connection, chosen or None, collection)
    done: list[Measured] = []
    qrels_id, qrels = 0, None  # evaluations come sorted by qrels: one is loaded at a time
    for evaluation in evaluations:
        with store.read() as connection:
            stored = stored_measures(connection, evaluation.id)
            missing = [m for m in dict.fromkeys(measures) if str(m) not in stored]
            new = [] if evaluation.run.values_only else missing
            if new and (qrels is None or qrels_id != evaluation.qrels.id):
                qrels_id, qrels = evaluation.qrels.id, load_qrels(connection, evaluation.qrels)
            if new and qrels is not None:
                run, judged = load_judged(connection, evaluation, qrels, new)
        if new and qrels is not None:
            rows = evaluation_rows(run, judged, new)
            store.transact(partial(store_missing, evaluation, rows))
        done.append(
            Measured(
                evaluation.collection,
                evaluation.run.name,
                evaluation.qrels.name,
                new=tuple(str(m) for m in new),
                lacking=tuple(str(m) for m in missing if m not in new),
            )
        )
        progress(done[-1])
    return tuple(done)


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
    """Measures of stored runs under all their qrels, computed from the rankings, not stored."""
    asked = {str(measure): measure for measure in measures}
    computed = Computed({}, {})
    qrels, qrels_id = None, None
    with store.read() as connection:
        for evaluation in list_evaluations(connection, list(run_ids), None):
            if qrels is None or qrels_id != evaluation.qrels.id:
                qrels_id, qrels = evaluation.qrels.id, load_qrels(connection, evaluation.qrels)
            aggregates = computed.aggregates.setdefault(
                (evaluation.run.id, evaluation.qrels.name), {}
            )
            run = None
            for names in computed_together(asked):
                together = [asked[name] for name in names]
                try:
                    run, judged = load_judged(connection, evaluation, qrels, together, run)
                    aggregates |= evaluation_rows(run, judged, together).aggregates
                except MeasureError as error:
                    computed.lacking.update(dict.fromkeys(names, error))
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
