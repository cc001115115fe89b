"""Values of stored runs: from the store, computed where they are not stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import DataError
from evalstore.measures import Measure, evaluate
from evalstore.store import Store
from evalstore.store.comparison import (
    list_answered_queries,
    list_judged_tops,
)
from evalstore.store.evaluations import StoredEvaluation, list_evaluations
from evalstore.store.qrels import StoredQrels, list_qrels
from evalstore.store.runs import StoredRun, find_run
from evalstore.store.value_tables import load_value_tables
from evalstore.usecases.chosen_qrels import find_collection_id, named_qrels
from evalstore.usecases.comparability import F64, TOP, RunValues, was_cut
from evalstore.usecases.kept_qrels import kept_judged_queries, kept_qrels
from evalstore.usecases.loaded_runs import LoadedRuns
from evalstore.usecases.names import free_name


def load_stored_runs(
    store: Store,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    *,
    collection: str | None = None,
    qrels: str | None = None,
) -> LoadedRuns:
    """Load stored runs with their values under the same judgments; nothing is written.

    Args:
        store: where the runs are.
        runs: names or ids.
        measures: by the names they are shown by; those that are not stored are computed.
        collection: the name of the runs' collection, where several have runs of these names.
        qrels: the name of the judgments; where None the default ones of the collection, or else the
            newest that all the runs were evaluated with.

    Raises:
        DataError: no run is named.
        NotFound: a run or qrels that the store does not hold.
        MeasureError: a measure needs facts that the store does not hold.
        NoRankings: a measure is not stored of a run that came as values.
    """
    if not runs:
        raise DataError("no run is named")
    with store.read() as connection:
        stored = [find_run(connection, run, collection) for run in runs]
        names: list[str] = []
        for run in stored:
            names.append(free_name(run.name, names))
        collections = list(dict.fromkeys(run.collection for run in stored))
        if len(collections) > 1:
            pairs = zip(names, stored, strict=True)
            each = ", ".join(f"{name} {run.collection!r}" for name, run in pairs)
            return LoadedRuns((), obstacle=f"the runs are of different collections: {each}")
        evaluations = list_evaluations(connection, sorted({run.id for run in stored}), None)
        chosen = _shared_qrels(connection, collections[0], evaluations, stored, qrels)
        if chosen is None:
            return LoadedRuns((), obstacle="the runs were never evaluated with the same qrels")
        evaluation_of = {e.run.id: e for e in evaluations if e.qrels.id == chosen.id}
        values = _values(store, connection, evaluation_of, measures)
        collection_id = find_collection_id(connection, collections[0])
        judged = kept_judged_queries(store, collection_id, chosen.id)
        run_values = _run_values(
            connection, stored, names, chosen, judged.qids, evaluation_of, measures, values
        )
    return LoadedRuns(tuple(run_values), judged.queries)


def _shared_qrels(
    connection: Connection,
    collection: str,
    evaluations: Sequence[StoredEvaluation],
    runs: Sequence[StoredRun],
    name: str | None,
) -> StoredQrels | None:
    """The first qrels that all the runs were evaluated with, or None; the one named, where one is.

    Raises:
        NotFound: the collection has no qrels of this name.
    """
    stored = list_qrels(connection, find_collection_id(connection, collection))
    if name is not None:
        stored = [named_qrels(stored, collection, name)]
    evaluated = {(evaluation.qrels.id, evaluation.run.id) for evaluation in evaluations}
    for qrels in stored:
        if all((qrels.id, run.id) in evaluated for run in runs):
            return qrels
    return None


def _run_values(
    connection: Connection,
    runs: Sequence[StoredRun],
    names: Sequence[str],
    qrels: StoredQrels,
    qids: tuple[str, ...],
    evaluation_of: Mapping[int, StoredEvaluation],
    measures: Mapping[str, Measure],
    values: Mapping[tuple[int, str], F64],
) -> list[RunValues]:
    ids = list(evaluation_of)
    answered: dict[int, dict[str, int]] = {run: {} for run in ids}
    for row in list_answered_queries(connection, qrels.id, ids):
        answered[row.run_id][row.qid] = row.retrieved
    for run in runs:
        if run.values_only and not answered[run.id]:
            answered[run.id] = dict.fromkeys(qids, 0)
    tops = {row.run_id: row for row in list_judged_tops(connection, qrels.id, ids, TOP)}
    return [
        RunValues(
            name=name,
            collection=run.collection,
            qrels=qrels.name,
            qrels_hash=qrels.content_hash,
            compat=evaluation_of[run.id].compat,
            depth=max(answered[run.id].values(), default=0),
            is_cut=any(answered[run.id].values()) and was_cut(answered[run.id].values()),
            judged_in_top=tops[run.id].judged / tops[run.id].documents
            if run.id in tops
            else np.nan,
            qids=qids,
            answered=np.array([qid in answered[run.id] for qid in qids], bool),
            values={shown: values[run.id, str(m)] for shown, m in measures.items()},
            values_only=run.values_only,
        )
        for run, name in zip(runs, names, strict=True)
    ]


def _values(
    store: Store,
    connection: Connection,
    evaluation_of: Mapping[int, StoredEvaluation],
    measures: Mapping[str, Measure],
) -> dict[tuple[int, str], F64]:
    """By run id and measure, the values of the judged queries: stored ones, else computed."""
    by_name = {str(measure): measure for measure in measures.values()}
    evaluations = [evaluation.id for evaluation in evaluation_of.values()]
    qrels_id = next(iter(evaluation_of.values())).qrels.id
    tables = load_value_tables(connection, qrels_id, by_name, evaluations)
    values = {
        (run, name): np.ascontiguousarray(table[:, column])
        for name, table in tables.items()
        for column, run in enumerate(evaluation_of)
        if not np.isnan(table[:, column]).all()
    }
    for run, evaluation in evaluation_of.items():
        lacking = {name: one for name, one in by_name.items() if (run, name) not in values}
        if lacking:
            computed = _computed(store, connection, evaluation, lacking)
            values |= {(run, name): of for name, of in computed.items()}
    return values


def _computed(
    store: Store,
    connection: Connection,
    evaluation: StoredEvaluation,
    measures: Mapping[str, Measure],
) -> dict[str, F64]:
    """Values that are not stored, kept for the next comparison that the run is in."""
    from evalstore.usecases.stored_judged import (  # noqa: PLC0415  (slow, and rarely needed)
        from_hits_and_others,
        load_judged,
        load_judged_hits,
    )

    def compute() -> dict[str, F64]:
        qrels = kept_qrels(store, evaluation.qrels)
        _, others = from_hits_and_others(measures, evaluation, qrels)
        if others:
            _, judged = load_judged(connection, evaluation, qrels, measures.values())
        else:
            judged = load_judged_hits(connection, evaluation, qrels)
        return {str(one): of for one, of in evaluate(judged, measures.values()).items()}

    key = ("computed values", evaluation.id, *measures)
    return store.keep(key, compute, lambda kept: sum(of.nbytes for of in kept.values()))
