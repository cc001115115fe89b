"""Runs side by side: what they share, their values per query, and who wins how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd
from sqlalchemy import Connection, func, select

from evalstore.errors import NotComparable, NotFound
from evalstore.measures.spec import RECALL_LEVELS
from evalstore.store import Store, models
from evalstore.usecases.leaderboard import in_order

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
ranking_t = models.table(models.Ranking)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
measurement_t = models.table(models.Measurement)
aggregate_t = models.table(models.Aggregate)


@dataclass(frozen=True)
class Comparison:
    """Runs that can be compared: of one collection, under one qrels, over its queries.

    Attributes:
        collection, qrels: what they are called.
        runs: a row per run, in the order asked: run_id, engine, run, label (short and unique).
        queries: a row per query evaluated, in byte order: qid, text (or None).
        measures: the measures stored for every one of the runs.
        notes: sentences on what is not shared.
    """

    collection: str
    qrels: str
    runs: pd.DataFrame
    queries: pd.DataFrame
    measures: tuple[str, ...]
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
    """Runs side by side under a qrels: unless named, the newest that all were evaluated with.

    Raises:
        NotFound: no run, or one that the store does not hold.
        NotComparable: runs of several collections, or without a common qrels.
    """
    wanted = list(dict.fromkeys(run_ids))
    if not wanted:
        raise NotFound("no run was named")
    with store.read() as connection:
        runs = _runs(connection, wanted)
        collections = runs["collection"].unique()
        if len(collections) > 1:
            raise NotComparable(
                "these runs answer the queries of different collections: "
                + ", ".join(map(repr, collections))
            )
        qrels_id, qrels_name, evaluations = _common_qrels(connection, wanted, qrels)
        queries = _queries(connection, qrels_id)
        measures = _common_measures(connection, list(evaluations.values()))
        notes = _unanswered(connection, runs, qrels_id, len(queries))
    return Comparison(
        collection=collections[0],
        qrels=qrels_name,
        runs=runs.drop(columns="collection"),
        queries=queries,
        measures=measures,
        notes=notes,
        evaluations=evaluations,
    )


def per_query(store: Store, compared: Comparison, measure: str) -> pd.DataFrame:
    """The values of a measure: indexed by qid in byte order, a float64 column per run_id.

    Raises:
        NotFound: the measure is not stored for every one of the runs.
    """
    if measure not in compared.measures:
        raise NotFound(f"{measure} is not stored for all of these runs")
    run_of = {evaluation: run for run, evaluation in compared.evaluations.items()}
    with store.read() as connection:
        rows = connection.execute(
            select(measurement_t.c.evaluation_id, query_t.c.qid, measurement_t.c.value)
            .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
            .join(query_t, query_t.c.id == measurement_t.c.query_id)
            .where(measurement_t.c.evaluation_id.in_(run_of), measure_t.c.name == measure)
        ).all()
    long = pd.DataFrame(
        [(run_of[evaluation], qid, value) for evaluation, qid, value in rows],
        columns=["run_id", "qid", "value"],
    )
    wide = long.pivot(index="qid", columns="run_id", values="value").astype("float64")
    wide = wide.reindex(index=compared.queries["qid"], columns=compared.runs["run_id"])
    wide.columns.name = None
    return wide


def recall_precision(store: Store, compared: Comparison, qid: str | None = None) -> pd.DataFrame:
    """Interpolated precision at the 11 recall levels: run_id, recall, precision.

    Averaged over the queries of the qrels, or of one query.
    """
    run_of = {evaluation: run for run, evaluation in compared.evaluations.items()}
    if qid is None:
        found = select(aggregate_t.c.evaluation_id, measure_t.c.name, aggregate_t.c.value).join(
            measure_t, measure_t.c.id == aggregate_t.c.measure_id
        )
        found = found.where(aggregate_t.c.evaluation_id.in_(run_of))
    else:
        if qid not in set(compared.queries["qid"]):
            raise NotFound(f"the qrels {compared.qrels!r} has no query {qid!r}")
        found = (
            select(measurement_t.c.evaluation_id, measure_t.c.name, measurement_t.c.value)
            .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
            .join(query_t, query_t.c.id == measurement_t.c.query_id)
            .where(measurement_t.c.evaluation_id.in_(run_of), query_t.c.qid == qid)
        )
    with store.read() as connection:
        rows = connection.execute(found.where(measure_t.c.name.in_(RECALL_LEVELS))).all()
    place = {run: i for i, run in enumerate(compared.runs["run_id"])}
    points = sorted(
        ((run_of[e], float(name.partition("@")[2]), value) for e, name, value in rows),
        key=lambda point: (place[point[0]], point[1]),
    )
    return pd.DataFrame(points, columns=["run_id", "recall", "precision"])


def outcome(differences: npt.NDArray[np.float64]) -> Outcome:
    """Wins, ties and losses of A from the differences A - B per query (float64, no NaN)."""
    wins = int(np.count_nonzero(differences > 0))
    losses = int(np.count_nonzero(differences < 0))
    mean = float(differences.mean()) if len(differences) else 0.0
    return Outcome(wins, len(differences) - wins - losses, losses, mean)


# --- parts -----------------------------------------------------------------------------------


def _runs(connection: Connection, wanted: list[int]) -> pd.DataFrame:
    possible = [run for run in wanted if 0 < run < 2**31]  # no database takes more as an id
    rows = connection.execute(
        select(run_t.c.id, collection_t.c.name, engine_t.c.name, run_t.c.name, run_t.c.queries)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .where(run_t.c.id.in_(possible), run_t.c.deleted_at.is_(None))
    ).all()
    by_id = {row[0]: row for row in rows}
    missing = [str(run) for run in wanted if run not in by_id]
    if missing:
        many = len(missing) > 1
        raise NotFound(
            f"there {'are' if many else 'is'} no run{'s' if many else ''} {', '.join(missing)} "
            "in the store"
        )
    found = [by_id[run] for run in wanted]
    engines = [row[2] for row in found]
    labels = [row[2] if engines.count(row[2]) == 1 else f"{row[2]} · {row[3]}" for row in found]
    return pd.DataFrame(
        {
            "run_id": wanted,
            "collection": [row[1] for row in found],
            "engine": engines,
            "run": [row[3] for row in found],
            "label": labels,
        }
    )


def _common_qrels(
    connection: Connection, wanted: list[int], name: str | None
) -> tuple[int, str, dict[int, int]]:
    """The newest qrels (or the one named) with an evaluation of every run, by run."""
    rows = connection.execute(
        select(qrels_t.c.id, qrels_t.c.name, evaluation_t.c.run_id, evaluation_t.c.id)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .where(evaluation_t.c.run_id.in_(wanted))
        .order_by(qrels_t.c.id.desc())
    ).all()
    for qrels_id, qrels_name in dict.fromkeys((row[0], row[1]) for row in rows):
        if name is not None and name != qrels_name:
            continue
        evaluations = {row[2]: row[3] for row in rows if row[0] == qrels_id}
        if len(evaluations) == len(wanted):
            return qrels_id, qrels_name, {run: evaluations[run] for run in wanted}
    if name is not None:
        raise NotComparable(f"not all of these runs were evaluated with the qrels {name!r}")
    raise NotComparable(
        "these runs were never evaluated with the same qrels", problem="no common qrels"
    )


def _queries(connection: Connection, qrels_id: int) -> pd.DataFrame:
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    rows = connection.execute(
        select(query_t.c.qid, query_t.c.text)
        .where(query_t.c.id.in_(judged))
        .order_by(query_t.c.qid)
    ).all()
    return pd.DataFrame(
        {
            "qid": pd.Series([row[0] for row in rows], dtype="object"),
            "text": pd.Series([row[1] for row in rows], dtype="object"),
        }
    )


def _common_measures(connection: Connection, evaluations: list[int]) -> tuple[str, ...]:
    rows = connection.execute(
        select(measure_t.c.name)
        .join(aggregate_t, aggregate_t.c.measure_id == measure_t.c.id)
        .where(aggregate_t.c.evaluation_id.in_(evaluations))
        .group_by(measure_t.c.name)
        .having(func.count() == len(evaluations))
    )
    return in_order({row[0] for row in rows})


def _unanswered(
    connection: Connection, runs: pd.DataFrame, qrels_id: int, queries: int
) -> tuple[str, ...]:
    """A sentence per run that did not answer every judged query."""
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    answered: dict[int, int] = dict(
        connection.execute(
            select(ranking_t.c.run_id, func.count())
            .where(
                ranking_t.c.run_id.in_(runs["run_id"].tolist()),
                ranking_t.c.query_id.in_(judged),
            )
            .group_by(ranking_t.c.run_id)
        ).all()
    )
    counted = [answered.get(run, 0) for run in runs["run_id"].tolist()]
    return tuple(
        f"{label} answered {count:,} of {queries:,} queries; the others count as empty rankings"
        for label, count in zip(runs["label"].tolist(), counted, strict=True)
        if count < queries
    )
