"""Compute further measures of stored runs, from the store alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from evalstore.errors import MeasureError
from evalstore.evaluation.new_values import compute_values, each_evaluation, load_inputs
from evalstore.evaluation.store_missing import store_missing
from evalstore.evaluation.stored_judged import from_hits_and_others, load_judged_hits
from evalstore.measures import Measure, aggregate, evaluate
from evalstore.store import Store
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.runs import find_runs


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
    scheduler: str | None = None,
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
        scheduler: the address of a Dask scheduler whose workers compute, and store where they
            reach the store; None for this process.
        progress: called after each evaluation.

    Raises:
        DataError: the scheduler can't be used.
        NotFound: a run that the store does not hold.
        MeasureError: a measure needs facts that the store does not hold, of a run that is named or
            of all of them; what can be computed is stored.
    """
    with store.read() as connection:
        chosen = [run.id for run in find_runs(connection, runs, collection)]
        evaluations = list_evaluations(connection, chosen or None, collection)
    asked = {str(measure): measure for measure in measures}
    errors: dict[str, MeasureError] = {}
    available: set[str] = set()
    done: list[Measured] = []
    # Evaluations come sorted by qrels: one is loaded at a time.
    computing = each_evaluation(store, evaluations, asked, whole=bool(runs), scheduler=scheduler)
    with closing(computing) as results:
        for evaluation, computed in zip(evaluations, results, strict=True):
            if runs and computed.lacking:
                raise next(iter(computed.lacking.values()))
            if computed.rows is not None:
                store.transact(partial(store_missing, evaluation, computed.rows))
            errors.update(computed.lacking)
            available.update(computed.new, computed.stored)
            done.append(
                Measured(
                    evaluation.collection,
                    evaluation.run.name,
                    evaluation.qrels.name,
                    new=computed.new,
                    lacking=computed.missing if evaluation.run.values_only else (),
                    problems=tuple(
                        dict.fromkeys(str(error) for error in computed.lacking.values())
                    ),
                )
            )
            progress(done[-1])
    for name, error in errors.items():
        if name not in available:
            raise error
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
            enough, others = from_hits_and_others(asked, evaluation, qrels)
            if enough:
                judged = load_judged_hits(connection, evaluation, qrels)
                for one, values in evaluate(judged, enough.values()).items():
                    aggregates[str(one)] = aggregate(one, values, judged)
            rest = compute_values(load_inputs(connection, evaluation, qrels, others))
            aggregates.update({} if rest.rows is None else rest.rows.aggregates)
            computed.lacking.update(rest.lacking)
    return computed
