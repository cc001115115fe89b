"""Runs side by side: what they share, their values per query, and who wins how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from evalstore.errors import NotComparable, NotFound
from evalstore.measures.spec import RECALL_LEVELS
from evalstore.store import Store
from evalstore.store.comparison import (
    EvaluationAggregate,
    RunEvaluation,
    list_evaluation_aggregates,
    list_judged_queries,
    list_query_values,
    list_run_evaluations,
)
from evalstore.store.leaderboard import count_judged_answers
from evalstore.store.qrels import StoredQrels, list_qrels
from evalstore.usecases.comparability import notes_on_values
from evalstore.usecases.leaderboard import in_order
from evalstore.usecases.names import natural

LARGEST_ID = 2**31 - 1
"""No database takes a larger number as an id."""


@dataclass(frozen=True)
class Comparison:
    """Runs that can be compared: of one collection, under one qrels, over its queries.

    Attributes:
        collection, qrels: their names.
        shared_qrels: the qrels that all the runs were evaluated with, the default first.
        runs: a row per run, in the order asked: run_id, content_hash, engine, run, label (short
            and unique), values_only (whether it came as values, without rankings).
        queries: a row per judged query, in natural order: qid, text (or None).
        measures: the measures stored for every one of the runs.
        aggregates: indexed by run_id, a float64 column per measure: the stored aggregates.
        aggregate_kinds: by measure, how its aggregate is made of its values: mean, sum,
            geometric mean or own.
        notes: sentences on what is not shared.
    """

    collection: str
    qrels: str
    shared_qrels: tuple[str, ...]
    runs: pd.DataFrame
    queries: pd.DataFrame
    measures: tuple[str, ...]
    aggregates: pd.DataFrame
    aggregate_kinds: dict[str, str]
    notes: tuple[str, ...]
    evaluations: dict[int, int] = field(repr=False)


@dataclass(frozen=True)
class Outcome:
    """How often A is better, equal, worse; `mean` is the mean of the differences A - B."""

    wins: int
    ties: int
    losses: int
    mean: float


def comparison(store: Store, run_ids: Sequence[int], qrels: str | None = None) -> Comparison:
    """Runs side by side under a qrels.

    Unless one is named it is the collection's default, or the newest other one, that all the runs
    were evaluated with.

    Raises:
        NotFound: no run, or one that the store does not hold.
        NotComparable: runs of several collections, or without a common qrels.
    """
    wanted = list(dict.fromkeys(run_ids))
    if not wanted:
        raise NotFound("no run was named")
    with store.read() as connection:
        rows = list_run_evaluations(connection, [run for run in wanted if 0 < run <= LARGEST_ID])
        runs = _run_frame(rows, wanted)
        collection_id, collection = _one_collection(rows)
        shared = _shared_qrels(rows, wanted, list_qrels(connection, collection_id))
        chosen = _choose_qrels(shared, qrels)
        evaluation_of = {
            row.run_id: row.evaluation_id
            for row in rows
            if row.qrels_id == chosen.id and row.evaluation_id is not None
        }
        evaluations = {run: evaluation_of[run] for run in wanted}
        judged = list_judged_queries(connection, chosen.id)
        aggregates = list_evaluation_aggregates(connection, list(evaluations.values()))
        answered = count_judged_answers(connection, chosen.id, wanted)
    queries = sorted(judged, key=lambda query: natural(query.qid))
    frame = _aggregate_frame(aggregates, evaluations)
    return Comparison(
        collection=collection,
        qrels=chosen.name,
        shared_qrels=tuple(stored.name for stored in shared),
        runs=runs,
        queries=pd.DataFrame(
            {
                "qid": pd.Series([query.qid for query in queries], dtype="object"),
                "text": pd.Series([query.text for query in queries], dtype="object"),
            }
        ),
        measures=tuple(str(name) for name in frame.columns),
        aggregates=frame,
        aggregate_kinds={row.measure: row.kind for row in aggregates},
        notes=(
            *_notes_on_answers(runs, answered, len(queries)),
            *notes_on_values(runs.loc[runs["values_only"], "label"].tolist()),
        ),
        evaluations=evaluations,
    )


def per_query(store: Store, compared: Comparison, measure: str) -> pd.DataFrame:
    """The values of a measure: a float64 column per run_id, indexed by qid as the queries are.

    Raises:
        NotFound: the measure is not stored for every one of the runs.
    """
    if measure not in compared.measures:
        raise NotFound(f"{measure} is not stored for all of these runs")
    run_of = {evaluation: run for run, evaluation in compared.evaluations.items()}
    with store.read() as connection:
        rows = list_query_values(connection, list(run_of), [measure])
    long = pd.DataFrame(
        [(run_of[row.evaluation_id], row.qid, row.value) for row in rows],
        columns=["run_id", "qid", "value"],
    )
    wide = long.pivot(index="qid", columns="run_id", values="value").astype("float64")
    wide = wide.reindex(index=compared.queries["qid"], columns=compared.runs["run_id"])
    wide.columns.name = None
    return wide


def recall_precision(store: Store, compared: Comparison, qid: str | None = None) -> pd.DataFrame:
    """Interpolated precision at the 11 recall levels: run_id, recall, precision.

    Averaged over the queries of the qrels, or of one query. Levels that are not stored for every
    one of the runs are left out.

    Raises:
        NotFound: the qrels does not judge this query.
    """
    levels = [name for name in RECALL_LEVELS if name in compared.measures]
    if qid is None:
        values = compared.aggregates[levels]
    else:
        if qid not in set(compared.queries["qid"]):
            raise NotFound(f"the qrels {compared.qrels!r} has no query {qid!r}")
        run_of = {evaluation: run for run, evaluation in compared.evaluations.items()}
        with store.read() as connection:
            rows = list_query_values(connection, list(run_of), levels, qid)
        values = pd.DataFrame(index=compared.aggregates.index, columns=levels, dtype="float64")
        for row in rows:
            values.loc[run_of[row.evaluation_id], row.measure] = row.value
    points = [
        (run, float(level.partition("@")[2]), float(value))
        for run, precisions in zip(values.index.tolist(), values.to_numpy(), strict=True)
        for level, value in zip(levels, precisions, strict=True)
    ]
    return pd.DataFrame(points, columns=["run_id", "recall", "precision"])


def outcome(differences: npt.NDArray[np.float64]) -> Outcome:
    """Wins, ties and losses of A from the differences A - B per query (float64, no NaN)."""
    wins = int(np.count_nonzero(differences > 0))
    losses = int(np.count_nonzero(differences < 0))
    mean = float(differences.mean()) if len(differences) else 0.0
    return Outcome(wins, len(differences) - wins - losses, losses, mean)


# --- parts -----------------------------------------------------------------------------------


def _run_frame(rows: Sequence[RunEvaluation], wanted: Sequence[int]) -> pd.DataFrame:
    """A row per run, in the order asked; two runs of one engine are labelled with their names."""
    by_id = {row.run_id: row for row in rows}
    missing = [str(run) for run in wanted if run not in by_id]
    if missing:
        many = len(missing) > 1
        raise NotFound(
            f"there {'are' if many else 'is'} no run{'s' if many else ''} {', '.join(missing)} "
            "in the store"
        )
    runs = [by_id[run] for run in wanted]
    engines = [run.engine for run in runs]
    return pd.DataFrame(
        {
            "run_id": list(wanted),
            "content_hash": [run.content_hash for run in runs],
            "engine": engines,
            "run": [run.name for run in runs],
            "label": [
                run.engine if engines.count(run.engine) == 1 else f"{run.engine} · {run.name}"
                for run in runs
            ],
            "values_only": [run.values_only for run in runs],
        }
    )


def _one_collection(rows: Sequence[RunEvaluation]) -> tuple[int, str]:
    """The id and name of the collection that all the runs belong to."""
    collections = dict.fromkeys((row.collection_id, row.collection) for row in rows)
    if len(collections) > 1:
        raise NotComparable(
            "these runs answer the queries of different collections: "
            + ", ".join(repr(name) for _, name in collections)
        )
    return next(iter(collections))


def _shared_qrels(
    rows: Sequence[RunEvaluation], wanted: Sequence[int], stored: Sequence[StoredQrels]
) -> list[StoredQrels]:
    """The qrels that every run was evaluated with, in the order of `stored`."""
    evaluated = {(row.qrels_id, row.run_id) for row in rows}
    return [qrels for qrels in stored if all((qrels.id, run) in evaluated for run in wanted)]


def _choose_qrels(shared: Sequence[StoredQrels], name: str | None) -> StoredQrels:
    for qrels in shared:
        if name is None or qrels.name == name:
            return qrels
    if name is not None:
        raise NotComparable(f"not all of these runs were evaluated with the qrels {name!r}")
    raise NotComparable(
        "these runs were never evaluated with the same qrels", problem="no common qrels"
    )


def _aggregate_frame(
    aggregates: Sequence[EvaluationAggregate], evaluations: dict[int, int]
) -> pd.DataFrame:
    """A row per run and a column per measure that every run has an aggregate of."""
    values = {(row.evaluation_id, row.measure): row.value for row in aggregates}
    names = {row.measure for row in aggregates}
    common = in_order(
        {name for name in names if all((e, name) in values for e in evaluations.values())}
    )
    rows = [[values[evaluation, name] for name in common] for evaluation in evaluations.values()]
    index = pd.Index(list(evaluations), name="run_id")
    return pd.DataFrame(rows, index=index, columns=list(common), dtype="float64")


def _notes_on_answers(
    runs: pd.DataFrame, answered: dict[int, int], queries: int
) -> tuple[str, ...]:
    """A sentence per run that did not answer every judged query."""
    counts = [answered.get(run, 0) for run in runs["run_id"].tolist()]
    return tuple(
        f"{label} answered {count:,} of {queries:,} queries; the others count as empty rankings"
        for label, count in zip(runs["label"].tolist(), counts, strict=True)
        if count < queries
    )
