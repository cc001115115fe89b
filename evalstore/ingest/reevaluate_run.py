"""Evaluate one stored run under another qrels, here or on a worker of Dask, and store that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Literal

from sqlalchemy import Connection

from evalstore import __version__
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.evaluation.store_missing import store_missing
from evalstore.evaluation.worker_task import WorkerStore
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.judged import CompatMode
from evalstore.measures.matching import Extras, check_shared_queries, match
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.evaluations import StoredEvaluation, add_evaluation, find_evaluation
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.qrels import StoredQrels
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import load_run
from evalstore.store.queries.runs import StoredRun, is_active
from evalstore.store.run_rows import EvaluationRows

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
        """What messages name."""
        return f"run {self.run.name!r}"


@dataclass(frozen=True)
class RunInputs:
    """What the values of a run are computed from, beside the judgments."""

    task: RunToEvaluate
    run: Run
    extras: Extras | None


@dataclass(frozen=True)
class ComputedRun:
    """The values of a run, and a sentence for each oddity that was accepted."""

    rows: EvaluationRows
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class StoredValues:
    """What became of a run whose values a worker stored."""

    status: Status
    warnings: tuple[str, ...]


def evaluated(
    source: Store | str, qrels: Qrels, allow_disjoint: bool, task: RunToEvaluate
) -> ComputedRun:
    """The values of a stored run; another process has the URL of the store instead of the store."""
    if isinstance(source, str):
        with Store.open(source, create=False) as store:
            return evaluated(store, qrels, allow_disjoint, task)
    return evaluate_inputs(qrels, allow_disjoint, load_inputs(source, task))


def load_inputs(store: Store, task: RunToEvaluate) -> RunInputs:
    """What the values are computed from, beside the judgments."""
    with store.read() as connection:
        run = load_run(connection, task.run)
        extras = load_extras(connection, task.collection_id, task.run.id, task.measures)
    return RunInputs(task, run, extras)


def evaluate_inputs(qrels: Qrels, allow_disjoint: bool, inputs: RunInputs) -> ComputedRun:
    """The values of a run that was loaded."""
    warnings = check_shared_queries(inputs.run, qrels, allow_disjoint=allow_disjoint)
    judged = match(inputs.run, qrels, compat=inputs.task.compat, extras=inputs.extras)
    return ComputedRun(evaluation_rows(inputs.run, judged, inputs.task.measures), warnings)


def evaluate_and_write(
    at_worker: WorkerStore,
    qrels: Qrels,
    before: StoredQrels,
    after: StoredQrels,
    allow_disjoint: bool,
    task: RunToEvaluate,
) -> StoredValues | None:
    """Evaluate a run on a worker and store its values; None where it can't reach the store."""
    store = at_worker.open()
    if store is None:
        return None
    computed = evaluated(store, qrels, allow_disjoint, task)
    status = store.transact(partial(write_values, task, before, after, computed.rows))
    return StoredValues(status, computed.warnings)


def write_values(
    task: RunToEvaluate,
    before: StoredQrels,
    after: StoredQrels,
    rows: EvaluationRows,
    connection: Connection,
) -> Status:
    """Store what a run lacks, unless another process did so or removed it meanwhile."""
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
        run_id=task.run.id,
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
