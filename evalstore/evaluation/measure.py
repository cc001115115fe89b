"""Further measures of stored runs, computed from the store in this process or on workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import DataError, MeasureError, NoRankings
from evalstore.evaluation.dask_tasks import WorkerStore
from evalstore.evaluation.parallel import Done, each, pays, result_here
from evalstore.evaluation.run_rows import value_rows
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.evaluate import weights_of
from evalstore.measures.join import match, pool_of
from evalstore.measures.judged import Judged
from evalstore.store import Store
from evalstore.store.columns import F64, ValueRows
from evalstore.store.queries import events
from evalstore.store.queries.evaluations import (
    StoredEvaluation,
    add_values,
    list_evaluations,
    stored_measures,
)
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import load_hits, load_run, no_rankings
from evalstore.store.queries.runs import find_runs, is_active

F = TypeVar("F", bound="str | os.PathLike[str]")
I = TypeVar("I")  # noqa: E741  (inputs)
R = TypeVar("R")


@dataclass(frozen=True)
class Measured:
    """The result for one run under one qrels.

    Attributes:
        new: the measures that the run did not have yet.
        lacking: the measures that can't be computed, because the run was given as values.
        problems: one sentence for each reason why other measures can't be computed.
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
    """Compute and store measures for every stored run, or for named runs, under all their qrels.

    Stored values are not changed. Each evaluation is one transaction, after which `progress` is
    called. Runs that were given as values have no rankings and get no new measures. Facts that a
    measure needs besides the run and the qrels (response times, ...) are read from the store; if no
    runs are named, runs without these facts are left out, as the results show. The workers of a
    Dask `scheduler` compute, and they also store if they can reach the store.

    Raises:
        DataError: the scheduler can't be used.
        MeasureError: a measure needs facts that the store lacks for a named run, or for all runs;
            everything else is stored.
    """
    with store.read() as connection:
        chosen = [run.id for run in find_runs(connection, runs, collection)]
        evaluations = list_evaluations(connection, chosen or None, collection)
    wanted = {str(measure): measure for measure in measures}
    errors: dict[str, DataError] = {}
    available: set[str] = set()
    done: list[Measured] = []
    # Evaluations are sorted by qrels, so only one qrels is in memory at a time.
    work = StoredWork(LoadInputs(wanted), compute_inputs, partial(_store_values, bool(runs)))
    items = [Item(evaluation) for evaluation in evaluations]
    with closing(work.each(store, items, preload=__name__, scheduler=scheduler)) as results:
        for evaluation, ended in zip(evaluations, results, strict=True):
            if ended.result is None:
                raise ended.error or AssertionError
            stored, missing, computed = ended.result
            if runs and computed.lacking:
                raise next(iter(computed.lacking.values()))
            _store(store, evaluation, computed)
            errors.update(computed.lacking)
            available.update(computed.rows.values, stored)
            done.append(
                Measured(
                    evaluation.collection,
                    evaluation.run.name,
                    evaluation.qrels.name,
                    new=tuple(name for name in missing if name in computed.rows.values),
                    lacking=missing if evaluation.run.values_only else (),
                    problems=tuple(dict.fromkeys(map(str, computed.lacking.values()))),
                )
            )
            progress(done[-1])
    for name, error in errors.items():
        if name not in available:
            raise error
    return tuple(done)


# Work on stored runs, done in this process, in several processes or on Dask workers


@dataclass(frozen=True)
class StoredWork(Generic[F, I, R]):
    """Work on tasks whose inputs are in a store: `load` them, `compute` the result, `write` it.

    All three must be picklable. Only Dask workers that can reach the store call `write`, and send
    back its result.
    """

    load: Callable[[Store, F], I]
    compute: Callable[[I], R]
    write: Callable[[Store, F, R], R]

    def each(
        self,
        store: Store,
        tasks: Sequence[F],
        *,
        preload: str,
        jobs: int = 1,
        size: int | None = None,
        scheduler: str | None = None,
    ) -> Generator[Done[R | None], None, None]:
        """The results of the tasks, in their order; arguments as in `parallel.each`."""
        here = partial(self._here, store)
        work: Callable[[Any], R | None] = here
        load: Callable[[F], I] | None = None
        if scheduler is not None and store.file is None:
            work = partial(self._at_worker, WorkerStore(store.url))
        elif scheduler is not None:  # workers on other machines can't reach the file
            work, load = self.compute, partial(self.load, store)
        elif pays(tasks, jobs, size):
            work = partial(self._here, store.url)
        results = each(
            work, tasks, jobs=jobs, preload=preload, size=size, scheduler=scheduler, load=load
        )
        with closing(results):
            for task, done in zip(tasks, results, strict=True):
                is_left = done.result is None and done.error is None  # its worker had no store
                yield result_here(here, task) if is_left else done

    def _here(self, store: Store | str, task: F) -> R:
        """Compute in a process; a separate process gets the store's URL instead of the store."""
        if isinstance(store, str):
            with Store.open(store, create=False) as opened:
                return self._here(opened, task)
        return self.compute(self.load(store, task))

    def _at_worker(self, store: WorkerStore, task: F) -> R | None:
        """Compute and write on a worker; None if it can't reach the store."""
        reached = store.open()
        return None if reached is None else self.write(reached, task, self._here(reached, task))


# The values that an evaluation lacks


@dataclass(frozen=True)
class Item:
    """An evaluation, as a task for `each`."""

    evaluation: StoredEvaluation

    def __fspath__(self) -> str:
        """The name in messages."""
        return f"run {self.evaluation.run.name!r}"


Joined = tuple[Sequence[Measure], Judged | DataError]
"""Measures with the join that they are computed from, or with the reason why there is none."""


class Inputs(NamedTuple):
    """The measures that an evaluation has, and those that it lacks, with their joins."""

    stored: frozenset[str]
    missing: tuple[str, ...]
    joined: Sequence[Joined] = ()


class NewValues(NamedTuple):
    """The measures that an evaluation had, those that it lacked, and their values."""

    stored: frozenset[str]
    missing: tuple[str, ...]
    computed: Computed


class LoadInputs:
    """Loads the inputs of evaluations, and caches the last qrels."""

    def __init__(self, wanted: Mapping[str, Measure]) -> None:
        self._wanted = wanted
        self._qrels: tuple[int, Qrels] | None = None

    def __call__(self, store: Store, item: Item) -> Inputs:
        """The inputs of one evaluation; without joins if there is nothing to compute from."""
        evaluation = item.evaluation
        with store.read() as connection:
            stored = frozenset(stored_measures(connection, evaluation.id))
            missing = tuple(name for name in self._wanted if name not in stored)
            if not missing or evaluation.run.values_only:
                return Inputs(stored, missing)
            if self._qrels is None or self._qrels[0] != evaluation.qrels.id:
                self._qrels = (evaluation.qrels.id, load_qrels(connection, evaluation.qrels))
            measures = [self._wanted[name] for name in missing]
            joined = _joins(connection, evaluation, self._qrels[1], measures)
            return Inputs(stored, missing, list(joined))


def compute_inputs(inputs: Inputs) -> NewValues:
    """The values of an evaluation."""
    return NewValues(inputs.stored, inputs.missing, _computed(inputs.joined))


def _store_values(whole: bool, store: Store, item: Item, values: NewValues) -> NewValues:
    """Store values on a worker; with `whole`, store none if any measure can't be computed."""
    if not (whole and values.computed.lacking):
        _store(store, item.evaluation, values.computed)
    return values


def _store(store: Store, evaluation: StoredEvaluation, computed: Computed) -> None:
    if computed.rows.values:
        store.transact(partial(store_missing, evaluation, computed.rows))


def store_missing(evaluation: StoredEvaluation, rows: ValueRows, connection: Connection) -> None:
    """Store the values that an evaluation lacks, if its run is active, and log an event."""
    stored = stored_measures(connection, evaluation.id)
    values = {name: values for name, values in rows.values.items() if name not in stored}
    if not values or not is_active(connection, evaluation.run.id):
        return
    (query_ids,) = ensure_query_ids(connection, evaluation.collection_id, rows.qids)
    add_values(connection, evaluation.id, query_ids, replace(rows, values=values))
    events.log(
        connection,
        "measure",
        evaluation.collection,
        evaluation.run.name,
        qrels=evaluation.qrels.name,
        measures=sorted(values),
    )


# Values of stored runs, computed from all rankings or only from the hits


class Computed(NamedTuple):
    """Values that were computed but not stored; measures have their canonical names.

    Attributes:
        rows: the values and aggregates.
        weights: of the queries in the aggregates of those measures that give them.
        lacking: the reason why another measure can't be computed.
    """

    rows: ValueRows
    weights: Mapping[str, F64]
    lacking: Mapping[str, DataError]


def compute_values(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Iterable[Measure],
) -> Computed:
    """The values of measures of a stored run under a qrels, by the rules of the evaluation.

    Facts that a measure needs are loaded. No ranking is unpacked if the hits are enough.
    """
    return _computed(_joins(connection, evaluation, qrels, measures))


def _computed(joined: Iterable[Joined]) -> Computed:
    rows = ValueRows(qids=(), values={}, aggregates={}, measures={})
    weights: dict[str, F64] = {}
    lacking: dict[str, DataError] = {}
    for measures, judged in joined:
        try:
            if isinstance(judged, DataError):
                raise judged
            part = value_rows(judged, measures)
        except (MeasureError, NoRankings) as error:
            lacking.update(dict.fromkeys(map(str, measures), error))
            continue
        rows = ValueRows(
            qids=part.qids,
            values={**rows.values, **part.values},
            aggregates={**rows.aggregates, **part.aggregates},
            measures={**rows.measures, **part.measures},
        )
        for measure in measures:
            weight = weights_of(measure, judged)
            if weight is not None:
                weights[str(measure)] = weight
    return Computed(rows, weights, lacking)


def _joins(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Iterable[Measure],
) -> Iterator[Joined]:
    """The joins for those measures that follow from the hits, and for groups of the others.

    Hits have a grade of 1 or more, so they are not enough if a lower grade counts, because of a
    parameter or of judgments with grades between 0 and 1. Of the others, all that need no facts
    have one join, and each other one has its own.
    """
    has_all_gains = not ((qrels.grades > 0) & (qrels.grades < 1)).any()
    has_hits = has_all_gains and not evaluation.run.values_only
    enough: list[Measure] = []
    plain: list[Measure] = []
    others: list[Measure] = []
    for measure in dict.fromkeys(measures):
        if has_hits and _follows_from_hits(measure):
            enough.append(measure)
        else:
            (others if measure.descriptor.needs else plain).append(measure)
    if enough:
        yield enough, _load_judged_hits(connection, evaluation, qrels)
    run = None
    for group in filter(None, (plain, *([measure] for measure in others))):
        try:
            run, judged = load_judged(connection, evaluation, qrels, group, run)
        except (MeasureError, NoRankings) as error:
            yield group, error
        else:
            yield group, judged


def load_judged(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Sequence[Measure],
    run: Run | None = None,
) -> tuple[Run, Judged]:
    """The stored run of an evaluation, and its join with the judgments by the evaluation's rules.

    The facts that the measures need are loaded too; `run` is the run, if already loaded.
    NoRankings: the run was given as values.
    """
    if evaluation.run.values_only:
        raise no_rankings(evaluation.run, measures)
    run = run or load_run(connection, evaluation.run)
    extras = load_extras(connection, evaluation.collection_id, evaluation.run.id, measures)
    return run, match(run, qrels, compat=evaluation.compat, extras=extras)


def _follows_from_hits(measure: Measure) -> bool:
    levels = {p.name for p in measure.descriptor.parameters if p.is_level}
    return (
        measure.descriptor.from_hits
        and not measure.descriptor.facts
        and all(_at_least_one(v) and n in levels for n, v in measure.parameters)
    )


def _at_least_one(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1


def _load_judged_hits(connection: Connection, evaluation: StoredEvaluation, qrels: Qrels) -> Judged:
    """The join of a stored run with its judgments, only from the hits: no ranking is unpacked.

    It lacks documents with grades below 1.
    """
    hits = load_hits(connection, evaluation.id, evaluation.run.id)
    number = {qid: at for at, qid in enumerate(qrels.qids)}
    query = np.array([number[qid] for qid in hits.qid], np.int64)
    in_order = np.lexsort((hits.rank, query))
    return Judged(
        qids=tuple(qrels.qids),
        query=query[in_order],
        rank=hits.rank[in_order],
        grade=hits.grade[in_order],
        score=hits.score[in_order],
        retrieved=np.array([hits.lengths.get(qid, 0) for qid in qrels.qids], np.int64),
        answered=np.array([qid in hits.lengths for qid in qrels.qids], bool),
        pool=pool_of(qrels),
        highest_grade=float(max(qrels.grades.max(initial=0), 0)),
        compat=evaluation.compat,
    )
