"""New judgments: evaluate the stored runs of a collection under another qrels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Literal

from sqlalchemy import Connection

from evalstore import __version__
from evalstore.catalog.chosen_qrels import find_collection_id, named_qrels
from evalstore.catalog.queries import with_query_ids
from evalstore.errors import DataError, EvalstoreError, Problem
from evalstore.evaluation.measure import StoredWork, store_missing
from evalstore.evaluation.parallel import Done
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.formats import Qrels, ReadOptions, Run, read_qrels
from evalstore.formats.reading.paths import is_url
from evalstore.ingest.store_qrels import add_judgments
from evalstore.ingest.store_run import collection_measures
from evalstore.measures import Measure, parse
from evalstore.measures.join import Extras, check_judged_documents, check_shared_queries, match
from evalstore.measures.judged import CompatMode
from evalstore.store import Store
from evalstore.store.columns import EvaluationRows
from evalstore.store.queries import events
from evalstore.store.queries.evaluations import (
    StoredEvaluation,
    add_evaluation,
    find_evaluation,
    list_evaluations,
    stored_measures,
)
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.leaderboard import list_leaderboard_runs
from evalstore.store.queries.qrels import StoredQrels, list_qrels, load_qrels, set_default_qrels
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import load_run, no_rankings
from evalstore.store.queries.runs import StoredRun, content_id_of, is_active, list_runs

BYTES_PER_DOCUMENT = 2
"""The bytes of run files (see `parallel.WORTH_IT`) that take as long as one stored document.

Evaluating 24 stored runs of 50,000 documents takes 0.4 s, as long as starting the processes, and a
fraction of the time for reading them from files.
"""


@dataclass(frozen=True)
class ReevaluatedRun:
    """The result for one run.

    Attributes:
        status: `already evaluated` if nothing was missing, `left out` if the run was given as
            values, `removed` if somebody marked it as removed meanwhile.
        reason: the cause, if the run failed or was left out.
        warnings: one sentence for each accepted problem.
    """

    run: str
    engine: str
    status: Status
    reason: str = ""
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True)
class Reevaluated:
    """The active runs of a collection, by engine and name, evaluated under two qrels.

    Attributes:
        before, after: the names of the qrels.
        is_default: whether `after` is the default qrels now.
        warnings: one sentence for each accepted problem of the judgments.
    """

    collection: str
    before: str
    after: str
    runs: tuple[ReevaluatedRun, ...]
    is_default: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """Options of `reevaluate`.

    Attributes:
        before: the name of the qrels to compare with; if None, the default of the collection, or
            the newest other qrels if the new one is the default.
        default_qrels: whether the new qrels becomes the default once every run is evaluated.
        allow_disjoint: whether to accept a new qrels that shares no query with the collection's
            qrels, or with a run.
    """

    before: str | None = None
    default_qrels: bool = False
    allow_disjoint: bool = False


def read_or_name(
    store: Store, collection: str, path_or_name: str, options: ReadOptions | None = None
) -> Qrels | str:
    """The judgments of a file, which may identify queries by text; or a name if no file exists."""
    if path_or_name == "-" or is_url(path_or_name) or os.path.exists(path_or_name):
        options = with_query_ids(store, collection, [path_or_name], "qrels", options)
        return read_qrels(path_or_name, options)
    if options is not None and options.judged_by is not None:
        raise DataError(
            f"there is no file {path_or_name}, and the judge of stored judgments can't change"
        )
    return path_or_name


def reevaluate(
    store: Store,
    collection: str,
    qrels: Qrels | str,
    choice: Choice | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Callable[[ReevaluatedRun], None] = lambda _: None,
) -> Reevaluated:
    """Evaluate every active run of a collection under a qrels, from the stored rankings.

    Each run gets the measures that it has under the previous qrels, under the same rules of
    trec_eval; the values under the previous qrels remain. Each run is one transaction. Runs that
    are already evaluated are not changed, so the same call can continue after an interruption.
    Several processes (`jobs`) evaluate if that is faster; only this process writes. Dask workers
    (`scheduler` is the address) also write if they can reach the store. New judgments are stored;
    Disjoint is raised if they share no query with the collection's judgments. NotFound is also
    raised without a qrels to compare with.
    """
    choice = choice or Choice()
    before, after, warnings = store.transact(partial(_chosen, collection, qrels, choice))
    with store.read() as connection:
        judgments = load_qrels(connection, after).sorted_once()
        tasks, documents = _tasks(connection, collection, before, after)
    runs = []
    pending = [task for task in tasks if task.measures]
    size = BYTES_PER_DOCUMENT * documents
    work = StoredWork(
        load_inputs,
        partial(evaluate_inputs, judgments, choice.allow_disjoint),
        partial(_written, before, after),
    )
    results = work.each(store, pending, preload=__name__, jobs=jobs, size=size, scheduler=scheduler)
    try:
        for task in tasks:
            if task.measures:
                outcome = _stored(store, task, before, after, next(results))
            elif task.run.values_only and task.evaluation is None:
                error = no_rankings(task.run)
                outcome = ReevaluatedRun(
                    task.run.name, task.engine, "left out", str(error), problem=error.problem
                )
            else:
                outcome = ReevaluatedRun(task.run.name, task.engine, "already evaluated")
            runs.append(outcome)
            progress(outcome)
    finally:
        results.close()
    complete = all(run.status != "failed" for run in runs)
    if choice.default_qrels and complete:
        store.transact(partial(_make_default, collection, after))
    with store.read() as connection:
        default = list_qrels(connection, find_collection_id(connection, collection))[0]
    return Reevaluated(
        collection, before.name, after.name, tuple(runs), default.id == after.id, tuple(warnings)
    )


def _chosen(
    collection: str, qrels: Qrels | str, choice: Choice, connection: Connection
) -> tuple[StoredQrels, StoredQrels, list[str]]:
    """The qrels to compare with, the new qrels (stored if it is new), and warnings."""
    collection_id = find_collection_id(connection, collection)
    warnings = [*qrels.warnings] if isinstance(qrels, Qrels) else []
    if isinstance(qrels, Qrels):
        added, more = add_judgments(
            connection,
            collection,
            collection_id,
            qrels,
            datetime.now(UTC),
            allow_disjoint=choice.allow_disjoint,
            default_qrels=choice.default_qrels,
        )
        warnings += more
        name = added.qrels_name
    else:
        name = qrels
    stored = list_qrels(connection, collection_id)
    after = named_qrels(stored, collection, name)
    before = None if choice.before is None else named_qrels(stored, collection, choice.before)
    others = [qrels for qrels in stored if qrels != after]
    if not others:
        raise DataError(f"collection {collection!r} has no qrels to compare {name!r} with")
    if before == after:
        raise DataError(f"qrels {name!r} can't be compared with itself")
    return before or others[0], after, warnings


def _tasks(
    connection: Connection, collection: str, before: StoredQrels, after: StoredQrels
) -> tuple[list[RunToEvaluate], int]:
    """A task for each active run, and the number of documents in runs that lack something."""
    collection_id = find_collection_id(connection, collection)
    of_run: dict[int, dict[int, StoredEvaluation]] = {}
    for evaluation in list_evaluations(connection, None, collection):
        of_run.setdefault(evaluation.run.id, {})[evaluation.qrels.id] = evaluation
    run_of = {run.id: run for run in list_runs(connection, collection=collection)}
    measures = collection_measures(connection, collection_id)
    tasks, documents = [], 0
    for row in list_leaderboard_runs(connection, collection_id):
        evaluations = of_run.get(row.id, {})
        present = evaluations.get(after.id)
        others = [evaluations[id_] for id_ in sorted(evaluations) if id_ != after.id]
        model = evaluations.get(before.id) or (others[-1] if others else None)
        lacking = () if row.values_only else _lacking(connection, model, present, measures)
        like = present or model
        compat: CompatMode = "exact" if like is None else like.compat
        tasks.append(
            RunToEvaluate(run_of[row.id], row.engine, collection_id, compat, lacking, present)
        )
        documents += row.retrieved if lacking else 0
    return tasks, documents


def _lacking(
    connection: Connection,
    model: StoredEvaluation | None,
    present: StoredEvaluation | None,
    measures: Iterable[Measure],
) -> tuple[Measure, ...]:
    """The measures of `model` that `present` lacks; without a model, the given measures."""
    if model is None:
        wanted = {str(measure) for measure in measures}
    else:
        wanted = stored_measures(connection, model.id)
    if present is not None:
        wanted -= stored_measures(connection, present.id)
    return tuple(parse(name) for name in sorted(wanted))


def _stored(
    store: Store,
    task: RunToEvaluate,
    before: StoredQrels,
    after: StoredQrels,
    done: Done[Computed | ReevaluatedRun | None],
) -> ReevaluatedRun:
    """Store the values of a run in one transaction; an error becomes a failed run."""
    try:
        if done.result is None:
            raise done.error or DataError(f"{task.run.name}: nothing was computed")
        result = _written(before, after, store, task, done.result)
        return replace(result, warnings=(*done.notes, *result.warnings))
    except EvalstoreError as error:
        return ReevaluatedRun(
            task.run.name, task.engine, "failed", str(error), problem=error.problem
        )


def _make_default(collection: str, qrels: StoredQrels, connection: Connection) -> None:
    collection_id = find_collection_id(connection, collection)
    if list_qrels(connection, collection_id)[0].id != qrels.id:
        set_default_qrels(connection, collection_id, qrels.id)
        events.log(connection, "default", collection, qrels.name, kind="qrels")


# Evaluate one stored run under another qrels, here or on a Dask worker, and store the result

Status = Literal["evaluated", "already evaluated", "left out", "removed", "failed"]


@dataclass(frozen=True)
class RunToEvaluate:
    """The measures that one run lacks; `evaluation` is under the new qrels, if there is one."""

    run: StoredRun
    engine: str
    collection_id: int
    compat: CompatMode
    measures: tuple[Measure, ...]
    evaluation: StoredEvaluation | None

    def __fspath__(self) -> str:
        """The name in messages."""
        return f"run {self.run.name!r}"


Computed = tuple[EvaluationRows, tuple[str, ...]]
"""The values of a run, and a sentence for each accepted problem."""


def load_inputs(store: Store, task: RunToEvaluate) -> tuple[RunToEvaluate, Run, Extras | None]:
    """Load the rankings of a run and the facts that its measures need."""
    with store.read() as connection:
        run = load_run(connection, task.run)
        extras = load_extras(connection, task.collection_id, task.run.id, task.measures)
    return task, run, extras


def evaluate_inputs(
    qrels: Qrels, allow_disjoint: bool, inputs: tuple[RunToEvaluate, Run, Extras | None]
) -> Computed:
    """The values of a loaded run."""
    task, run, extras = inputs
    warnings = check_shared_queries(run, qrels, allow_disjoint=allow_disjoint)
    judged = match(run, qrels, compat=task.compat, extras=extras)
    warnings += check_judged_documents(run, qrels, judged, allow_disjoint=allow_disjoint)
    return evaluation_rows(run, judged, task.measures), warnings


def _written(
    before: StoredQrels,
    after: StoredQrels,
    store: Store,
    task: RunToEvaluate,
    computed: Computed | ReevaluatedRun,
) -> ReevaluatedRun:
    """Store the values that a run lacks, unless a worker or another process has done so."""
    if isinstance(computed, ReevaluatedRun):
        return computed
    rows, warnings = computed

    def work(connection: Connection) -> Status:
        if not is_active(connection, task.run.id):
            return "removed"
        if task.evaluation is not None:
            store_missing(task.evaluation, rows, connection)
            return "evaluated"
        if find_evaluation(connection, task.run.id, after.id) is not None:
            return "already evaluated"
        now = datetime.now(UTC)
        (query_ids,) = ensure_query_ids(connection, task.collection_id, rows.qids)
        add_evaluation(
            connection,
            content_id=content_id_of(connection, task.run.id),
            qrels_id=after.id,
            evaluator=__version__,
            compat=task.compat,
            rows=rows,
            query_ids=query_ids,
            now=now,
        )
        events.log(
            connection,
            "reevaluate",
            task.run.collection,
            task.run.name,
            now,
            qrels=after.name,
            before=before.name,
        )
        return "evaluated"

    return ReevaluatedRun(task.run.name, task.engine, store.transact(work), warnings=warnings)
