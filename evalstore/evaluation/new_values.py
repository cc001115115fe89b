"""The values that an evaluation lacks, computed here or on a worker of Dask."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection

from evalstore.errors import MeasureError
from evalstore.evaluation.parallel import each
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.evaluation.store_missing import store_missing
from evalstore.evaluation.stored_judged import computed_together
from evalstore.evaluation.worker_task import WorkerStore
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.matching import Extras, match
from evalstore.store import Store
from evalstore.store.queries.evaluations import StoredEvaluation, stored_measures
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.rankings import load_run, no_rankings
from evalstore.store.run_rows import EvaluationRows


@dataclass(frozen=True)
class Item:
    """An evaluation of `each`."""

    evaluation: StoredEvaluation

    def __fspath__(self) -> str:
        """What messages name."""
        return f"run {self.evaluation.run.name!r}"


@dataclass(frozen=True)
class Inputs:
    """What the values of an evaluation are computed from.

    Attributes:
        evaluation: of the run.
        stored: the names of the measures that it has.
        missing: the measures that it lacks, by name.
        qrels, run: None where nothing can be computed.
        facts: for measures that are computed together, what they need beside run and qrels, or why
            that can't be had.
    """

    evaluation: StoredEvaluation
    stored: frozenset[str]
    missing: Mapping[str, Measure]
    qrels: Qrels | None = None
    run: Run | None = None
    facts: Sequence[tuple[Sequence[str], Extras | MeasureError | None]] = ()


@dataclass(frozen=True)
class NewValues:
    """What was computed for an evaluation.

    Attributes:
        stored: the names of the measures that it had.
        missing: the names of those that it lacked.
        new: the names of those that were computed.
        lacking: why others could not be computed.
        rows: the values; None where there are none, or where a worker stored them.
    """

    stored: frozenset[str]
    missing: tuple[str, ...]
    new: tuple[str, ...] = ()
    lacking: Mapping[str, MeasureError] = field(default_factory=dict)
    rows: EvaluationRows | None = None


class LoadInputs:
    """Loads what the values of evaluations are computed from; keeps the qrels last loaded."""

    def __init__(self, asked: Mapping[str, Measure]) -> None:
        self._asked = asked
        self._qrels: tuple[int, Qrels] | None = None

    def __call__(self, store: Store, item: Item) -> Inputs:
        """The inputs of one evaluation."""
        evaluation = item.evaluation
        with store.read() as connection:
            stored = frozenset(stored_measures(connection, evaluation.id))
            missing = {name: m for name, m in self._asked.items() if name not in stored}
            if not missing or evaluation.run.values_only:
                return Inputs(evaluation, stored, missing)
            kept = self._qrels
            if kept is None or kept[0] != evaluation.qrels.id:
                kept = (evaluation.qrels.id, load_qrels(connection, evaluation.qrels))
                self._qrels = kept
            return load_inputs(connection, evaluation, kept[1], missing, stored)


def load_inputs(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    missing: Mapping[str, Measure],
    stored: frozenset[str] = frozenset(),
) -> Inputs:
    """The rankings and facts from which measures of an evaluation are computed.

    Raises:
        NoRankings: the run came as values.
    """
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
    """The values of the measures that can be computed, and why each of the others can't be."""
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


def each_evaluation(
    store: Store,
    evaluations: Sequence[StoredEvaluation],
    asked: Mapping[str, Measure],
    *,
    whole: bool,
    scheduler: str | None,
) -> Generator[NewValues, None, None]:
    """The values that each evaluation lacks, in their order.

    Args:
        store: where the runs are. Workers that reach it also store the values.
        evaluations: of the runs.
        asked: the measures, by name.
        whole: whether nothing of an evaluation is to be stored where a measure can't be computed.
        scheduler: the address of a Dask scheduler whose workers compute; None for this process.

    Raises:
        DataError: the scheduler can't be used.
    """
    items = [Item(evaluation) for evaluation in evaluations]
    load_here = partial(LoadInputs(asked), store)

    def compute_here(item: Item) -> NewValues:
        return compute_values(load_here(item))

    if scheduler is None:
        yield from map(compute_here, items)
        return
    work, load = _on_workers(store, asked, load_here, whole)
    results = each(
        work, items, jobs=1, preload="evalstore.evaluation.measure", scheduler=scheduler, load=load
    )
    with closing(results):
        for item, done in zip(items, results, strict=True):
            if done.error is not None:
                raise done.error
            yield compute_here(item) if done.result is None else done.result


def _on_workers(
    store: Store,
    asked: Mapping[str, Measure],
    load_here: Callable[[Item], Inputs],
    whole: bool,
) -> tuple[Callable[[Any], NewValues | None], Callable[[Item], Inputs] | None]:
    """What workers do, and what loads what is sent to them where they don't reach the store."""
    if store.file is not None:
        return compute_values, load_here
    return partial(_compute_and_store, WorkerStore(store.url), LoadInputs(asked), whole), None


def _compute_and_store(
    store: WorkerStore, load: LoadInputs, whole: bool, item: Item
) -> NewValues | None:
    """Compute and store on a worker; None where it can't reach the store."""
    reached = store.open()
    if reached is None:
        return None
    computed = compute_values(load(reached, item))
    if computed.rows is None or (whole and computed.lacking):
        return computed
    reached.transact(partial(store_missing, item.evaluation, computed.rows))
    return replace(computed, rows=None)


def _joined(rows: EvaluationRows, more: EvaluationRows) -> EvaluationRows:
    """The rows of two groups of measures of one evaluation."""
    return replace(
        rows,
        values={**rows.values, **more.values},
        aggregates={**rows.aggregates, **more.aggregates},
        measures={**rows.measures, **more.measures},
    )
