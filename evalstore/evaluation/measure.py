"""Further measures of stored runs, computed from the store in this process or on workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import MeasureError
from evalstore.evaluation.dask_tasks import WorkerStore
from evalstore.evaluation.parallel import each, pays
from evalstore.evaluation.processes import Done, result_here
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, aggregate, evaluate
from evalstore.measures.join import Extras, match, pool_of
from evalstore.measures.judged import Judged
from evalstore.store import Store
from evalstore.store.columns import EvaluationRows
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
    errors: dict[str, MeasureError] = {}
    available: set[str] = set()
    done: list[Measured] = []
    # Evaluations are sorted by qrels, so only one qrels is in memory at a time.
    work = StoredWork(LoadInputs(wanted), compute_values, partial(_store_values, bool(runs)))
    items = [Item(evaluation) for evaluation in evaluations]
    with closing(work.each(store, items, preload=__name__, scheduler=scheduler)) as results:
        for evaluation, ended in zip(evaluations, results, strict=True):
            if ended.result is None:
                raise ended.error or AssertionError
            computed = ended.result
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
    """Aggregates that were computed but not stored; measures have their canonical names.

    Attributes:
        aggregates: by a run's id and a qrels' name; without measures for which the run lacks facts.
        lacking: the reason why a measure could not be computed for some run, by measure.
    """

    aggregates: dict[tuple[int, str], dict[str, float]]
    lacking: dict[str, MeasureError]


def computed_aggregates(
    store: Store, measures: Sequence[Measure], run_ids: Sequence[int]
) -> Computed:
    """Measures of stored runs under all their qrels, from the hits if these are enough."""
    wanted = {str(measure): measure for measure in measures}
    computed = Computed({}, {})
    qrels, qrels_id = None, None
    with store.read() as connection:
        for evaluation in list_evaluations(connection, list(run_ids), None):
            if qrels is None or qrels_id != evaluation.qrels.id:
                qrels_id, qrels = evaluation.qrels.id, load_qrels(connection, evaluation.qrels)
            key = (evaluation.run.id, evaluation.qrels.name)
            aggregates = computed.aggregates[key] = {}
            enough, others = from_hits_and_others(wanted, evaluation, qrels)
            if enough:
                judged = load_judged_hits(connection, evaluation, qrels)
                for one, values in evaluate(judged, enough.values()).items():
                    aggregates[str(one)] = aggregate(one, values, judged)
            rest = compute_values(load_inputs(connection, evaluation, qrels, others))
            aggregates.update({} if rest.rows is None else rest.rows.aggregates)
            computed.lacking.update(rest.lacking)
    return computed


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


@dataclass(frozen=True)
class Inputs:
    """The inputs of the values of an evaluation.

    Attributes:
        stored, missing: the measures that the evaluation has, and those that it lacks, by name.
        qrels, run: None if nothing can be computed.
        facts: for measures that are computed together, the facts that they need besides run and
            qrels, or the reason why these are missing.
    """

    evaluation: StoredEvaluation
    stored: frozenset[str]
    missing: Mapping[str, Measure]
    qrels: Qrels | None = None
    run: Run | None = None
    facts: Sequence[tuple[Sequence[str], Extras | MeasureError | None]] = ()


@dataclass(frozen=True)
class NewValues:
    """The values that were computed for an evaluation.

    Attributes:
        stored, missing: the names of the measures that the evaluation had, and of those that it
            lacked.
        new: the names of the computed measures.
        lacking: the reasons why other measures could not be computed.
        rows: the values; None if there are none, or if a worker stored them.
    """

    stored: frozenset[str]
    missing: tuple[str, ...]
    new: tuple[str, ...] = ()
    lacking: Mapping[str, MeasureError] = field(default_factory=dict)
    rows: EvaluationRows | None = None


class LoadInputs:
    """Loads the inputs of evaluations, and caches the last qrels."""

    def __init__(self, wanted: Mapping[str, Measure]) -> None:
        self._wanted = wanted
        self._qrels: tuple[int, Qrels] | None = None

    def __call__(self, store: Store, item: Item) -> Inputs:
        """The inputs of one evaluation."""
        evaluation = item.evaluation
        with store.read() as connection:
            stored = frozenset(stored_measures(connection, evaluation.id))
            missing = {name: m for name, m in self._wanted.items() if name not in stored}
            if not missing or evaluation.run.values_only:
                return Inputs(evaluation, stored, missing)
            if self._qrels is None or self._qrels[0] != evaluation.qrels.id:
                self._qrels = (evaluation.qrels.id, load_qrels(connection, evaluation.qrels))
            return load_inputs(connection, evaluation, self._qrels[1], missing, stored)


def load_inputs(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    missing: Mapping[str, Measure],
    stored: frozenset[str] = frozenset(),
) -> Inputs:
    """The rankings and facts for an evaluation's measures; NoRankings if it was given as values."""
    together = list(computed_together(missing))
    if evaluation.run.values_only and together:
        raise no_rankings(evaluation.run, [missing[name] for name in together[0]])
    facts: list[tuple[Sequence[str], Extras | MeasureError | None]] = []
    for names in together:
        measures = [missing[name] for name in names]
        try:
            run_id = evaluation.run.id
            extras = load_extras(connection, evaluation.collection_id, run_id, measures)
            facts.append((names, extras))
        except MeasureError as error:
            facts.append((names, error))
    run = load_run(connection, evaluation.run) if together else None
    return Inputs(evaluation, stored, missing, qrels, run, facts)


def compute_values(inputs: Inputs) -> NewValues:
    """The values of the measures that can be computed, and why the other ones can't be."""
    rows: EvaluationRows | None = None
    lacking: dict[str, MeasureError] = {}
    for names, facts in inputs.facts:
        if isinstance(facts, MeasureError):
            lacking.update(dict.fromkeys(names, facts))
            continue
        assert inputs.run is not None and inputs.qrels is not None  # noqa: S101, PT018  (for mypy)
        try:
            compat = inputs.evaluation.compat
            judged = match(inputs.run, inputs.qrels, compat=compat, extras=facts)
            measures = [inputs.missing[name] for name in names]
            part = evaluation_rows(inputs.run, judged, measures)
        except MeasureError as error:
            lacking.update(dict.fromkeys(names, error))
            continue
        rows = part if rows is None else _joined(rows, part)
    new = () if rows is None else tuple(name for name in inputs.missing if name in rows.values)
    return NewValues(inputs.stored, tuple(inputs.missing), new, lacking, rows)


def _store_values(whole: bool, store: Store, item: Item, computed: NewValues) -> NewValues:
    """Store values on a worker; with `whole`, store none if any measure can't be computed."""
    if computed.rows is None or (whole and computed.lacking):
        return computed
    store.transact(partial(store_missing, item.evaluation, computed.rows))
    return replace(computed, rows=None)


def _joined(rows: EvaluationRows, more: EvaluationRows) -> EvaluationRows:
    """The rows of two groups of measures of one evaluation."""
    return replace(
        rows,
        values={**rows.values, **more.values},
        aggregates={**rows.aggregates, **more.aggregates},
        measures={**rows.measures, **more.measures},
    )


def store_missing(
    evaluation: StoredEvaluation, rows: EvaluationRows, connection: Connection
) -> None:
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
        datetime.now(UTC),
        qrels=evaluation.qrels.name,
        measures=sorted(values),
    )


# Stored runs joined with their judgments, from all rankings or only from the hits


def load_judged(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Iterable[Measure],
    run: Run | None = None,
) -> tuple[Run, Judged]:
    """The stored run of an evaluation, and its join with the judgments by the evaluation's rules.

    The facts that the measures need are loaded too; `run` is the run, if already loaded.
    NoRankings: the run was given as values.
    """
    measures = list(measures)
    if evaluation.run.values_only:
        raise no_rankings(evaluation.run, measures)
    run = run or load_run(connection, evaluation.run)
    extras = load_extras(connection, evaluation.collection_id, evaluation.run.id, measures)
    return run, match(run, qrels, compat=evaluation.compat, extras=extras)


def from_hits_and_others(
    measures: Mapping[str, Measure], evaluation: StoredEvaluation, qrels: Qrels
) -> tuple[dict[str, Measure], dict[str, Measure]]:
    """The measures that can be computed from the hits of an evaluation, and the others.

    Hits have a grade of 1 or more, so they are not enough if a lower grade counts, because of a
    parameter or of judgments with grades between 0 and 1. A run that was given as values has no
    hits.
    """
    has_all_gains = not ((qrels.grades > 0) & (qrels.grades < 1)).any()
    if evaluation.run.values_only or not has_all_gains:
        return {}, dict(measures)
    enough = {name: measure for name, measure in measures.items() if _follows_from_hits(measure)}
    return enough, {name: measure for name, measure in measures.items() if name not in enough}


def _follows_from_hits(measure: Measure) -> bool:
    levels = {p.name for p in measure.descriptor.parameters if p.is_level}
    return (
        measure.descriptor.from_hits
        and not measure.descriptor.facts
        and all(_at_least_one(v) and n in levels for n, v in measure.parameters)
    )


def _at_least_one(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1


def load_judged_hits(connection: Connection, evaluation: StoredEvaluation, qrels: Qrels) -> Judged:
    """The join of a stored run with its judgments, only from the hits: no ranking is unpacked.

    It lacks documents with grades below 1, which the first measures of `from_hits_and_others` don't
    need.
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


def computed_together(measures: Mapping[str, Measure]) -> Iterator[list[str]]:
    """Groups of measures to compute together: all that need no facts; each other measure alone."""
    plain = [name for name, measure in measures.items() if not measure.descriptor.needs]
    if plain:
        yield plain
    yield from ([name] for name in measures if name not in plain)
