"""The rows of a leaderboard: runs of a collection, aggregates under a qrels, saved ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, and_, delete, func, select, text, union_all

from evalstore.store.models import (
    aggregate_t,
    engine_t,
    evaluation_t,
    judgment_t,
    leaderboard_t,
    measure_t,
    qrels_t,
    rank_t,
    ranking_t,
    run_t,
    slot_t,
)
from evalstore.store.queries.evaluations import ensure_measures
from evalstore.store.queries.runs import CONTENT_HASH, IS_SLOT_OF_RUN, NEWER
from evalstore.store.rows import bulk_insert, driver_rows, fields, insert_row


class LeaderboardRun(NamedTuple):
    """A run; `queries` is the number of queries it answers, `slot` the slot of its engine.

    `newer` is the number of newer active runs of its engine in the collection.
    `values_only`: the run was given as values of measures, without rankings.
    """

    id: int
    content_hash: str
    engine: str
    name: str
    experiment: str | None
    created_at: datetime
    queries: int
    retrieved: int
    values_only: bool
    slot: int
    newer: int
    started_at: datetime | None
    tags: tuple[str, ...]
    parameters: dict[str, Any]

    @property
    def date(self) -> datetime:
        """The date of a run everywhere: when its engine started, if known, else when it was stored.

        `list_runs_in_time` and the view `engine_history` have the same.
        """
        return self.started_at or self.created_at

    @property
    def date_is(self) -> Literal["started", "stored"]:
        """Which of the two the date is."""
        return "stored" if self.started_at is None else "started"


def list_leaderboard_runs(
    connection: Connection, collection_id: int, run_ids: Collection[int] | None = None
) -> list[LeaderboardRun]:
    """The active runs of a collection, all or some of them, by engine and name."""
    active = (run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
    numbered = select(run_t.c.id, NEWER.label("newer")).where(*active).subquery()
    others = {
        "content_hash": CONTENT_HASH, "engine": engine_t.c.name,
        "slot": func.coalesce(slot_t.c.slot, 0), "newer": numbered.c.newer,
    }  # fmt: skip
    chosen = (
        select(*fields(LeaderboardRun, run_t, **others))
        .join(numbered, numbered.c.id == run_t.c.id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(slot_t, IS_SLOT_OF_RUN)
        .where(*active)
        .order_by(engine_t.c.name, run_t.c.name)
    )
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    rows = connection.execute(chosen)
    return [
        LeaderboardRun._make((*others, tuple(tags or ()), dict(parameters or {})))
        for *others, tags, parameters in rows
    ]


def list_aggregated_measures(connection: Connection, qrels_id: int) -> set[str]:
    """The names of the measures with an aggregate of any active run under a qrels."""
    aggregated = (
        select(aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .where(
            aggregate_t.c.measure_id == measure_t.c.id,
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.deleted_at.is_(None),
        )
        .exists()
    )
    return set(connection.execute(select(measure_t.c.name).where(aggregated)).scalars())


def list_figures(
    connection: Connection,
    qrels_id: int,
    measures: Collection[str] | None = None,
    run_ids: Collection[int] | None = None,
) -> dict[str, dict[int, float]]:
    """The aggregates of the active runs under a qrels, by measure and id of the run.

    Of all measures and runs, or of some; each named measure has an entry, if only an empty one.
    """
    chosen = (
        select(measure_t.c.name, run_t.c.id, aggregate_t.c.value)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
    )
    if measures is not None:
        chosen = chosen.where(measure_t.c.name.in_(measures))
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    figures: dict[str, dict[int, float]] = {name: {} for name in measures or ()}
    for measure, run_id, value in driver_rows(connection.execute(chosen)):
        figures.setdefault(measure, {})[run_id] = value
    return figures


def count_evaluated(connection: Connection, collection_id: int, qrels_id: int) -> tuple[int, int]:
    """The numbers of active runs of a collection, and of those with figures under a qrels."""
    evaluated = and_(
        evaluation_t.c.content_id == run_t.c.content_id, evaluation_t.c.qrels_id == qrels_id
    )
    counted = connection.execute(
        select(func.count(run_t.c.id), func.count(evaluation_t.c.id))
        .select_from(run_t)
        .outerjoin(evaluation_t, evaluated)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
    ).one()
    return int(counted[0]), int(counted[1])


def count_judged_queries(connection: Connection, qrels_id: int) -> int:
    """The number of queries that a qrels judges; every aggregate under it is over these queries."""
    judged = select(qrels_t.c.queries).where(qrels_t.c.id == qrels_id)
    return int(connection.execute(judged).scalar_one())


def count_judged_answers(
    connection: Connection, qrels_id: int, run_ids: Sequence[int]
) -> dict[int, int]:
    """The number of queries judged by a qrels that each of some runs answers, by run id.

    Runs that answer none are left out. A run that was given as values answers only queries that the
    qrels judges.
    """
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    ranked = (
        select(run_t.c.id, func.count())
        .join(ranking_t, ranking_t.c.content_id == run_t.c.content_id)
        .where(run_t.c.id.in_(run_ids), ranking_t.c.query_id.in_(judged))
        .group_by(run_t.c.id)
    )
    recorded = select(run_t.c.id, run_t.c.queries).where(
        run_t.c.id.in_(run_ids), run_t.c.values_only, run_t.c.queries > 0
    )
    rows = connection.execute(union_all(ranked, recorded))
    return {row[0]: row[1] for row in rows}


# Saved ranks of all runs of a leaderboard, shown until the runs change

COLUMNS = (
    *("rank", "rank_low", "rank_high", "rank_group", "low", "high", "judged_top_10"),
    *("verdict", "reason", "sentence", "bounds_low", "bounds_high"),
)
"""The columns of `saved_rank` with figures."""


class Figures(NamedTuple):
    """The figures of a run on a saved leaderboard; the table's comments explain them."""

    rank: int
    rank_low: int
    rank_high: int
    rank_group: str
    low: float | None
    high: float | None
    judged_top_10: float | None
    verdict: str | None = None
    reason: str | None = None
    sentence: str | None = None
    bounds_low: float | None = None
    bounds_high: float | None = None


class ShownRank(NamedTuple):
    """A row of the view `leaderboard_ranks`, without the value."""

    collection: str
    qrels: str
    measure: str
    run: str
    test: str
    alpha: float
    family: str
    figures: Figures


def save_leaderboard(
    connection: Connection,
    qrels_id: int,
    measure: str,
    figures: Mapping[int, Figures],
    *,
    test: str,
    alpha: float,
    family: str,
    now: datetime,
    runs: int | None = None,
) -> None:
    """Store the ranks of all runs on a measure, by the run's id, replacing earlier ones.

    `runs` is the number of runs that were ranked, if some of them no longer have figures.
    """
    measure_id = connection.execute(
        select(measure_t.c.id).where(measure_t.c.name == measure)
    ).scalar_one()
    connection.execute(
        delete(leaderboard_t).where(
            leaderboard_t.c.qrels_id == qrels_id, leaderboard_t.c.measure_id == measure_id
        )
    )
    saved = insert_row(
        connection,
        leaderboard_t,
        qrels_id=qrels_id,
        measure_id=measure_id,
        runs=len(figures) if runs is None else runs,
        test=test,
        alpha=alpha,
        family=family,
        created_at=now,
    )
    rows = ((id_, *row) for id_, row in figures.items())
    same = {"saved_leaderboard_id": saved}
    bulk_insert(connection, rank_t, ("run_id", *COLUMNS), rows, same)


def list_shown_ranks(connection: Connection) -> list[ShownRank]:
    """The rows of the view `leaderboard_ranks`."""
    of_leaderboard = ("collection", "qrels", "measure", "run", "test", "alpha", "family")
    names = ", ".join((*of_leaderboard, *COLUMNS))
    rows = connection.execute(
        text(f"SELECT {names} FROM leaderboard_ranks ORDER BY collection, qrels, measure, rank")  # noqa: S608  (names of columns, written above)
    )
    return [ShownRank._make((*row[:7], Figures(*row[7:]))) for row in rows]


def copy_saved_leaderboards(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Copy the saved leaderboards of the collection `theirs` that the target's `here` lacks.

    Runs are identified by name and content. A leaderboard is left out if the target lacks one of
    its runs or has evaluated it by other rules.

    Returns:
        The number of leaderboards copied.
    """
    hashes = select(qrels_t.c.content_hash, qrels_t.c.id).where(qrels_t.c.collection_id == here)
    qrels_here = {row[0]: row[1] for row in writer.execute(hashes)}
    saved_here = {
        tuple(row)
        for row in writer.execute(
            select(leaderboard_t.c.qrels_id, measure_t.c.name).join(
                measure_t, measure_t.c.id == leaderboard_t.c.measure_id
            )
        )
    }
    copied = 0
    leaderboards = reader.execute(
        select(leaderboard_t, qrels_t.c.content_hash, measure_t)
        .join(qrels_t, qrels_t.c.id == leaderboard_t.c.qrels_id)
        .join(measure_t, measure_t.c.id == leaderboard_t.c.measure_id)
        .where(qrels_t.c.collection_id == theirs)
        .order_by(leaderboard_t.c.id)
    ).all()
    for row in leaderboards:
        qrels_id = qrels_here[row.content_hash]
        theirs_of = _evaluated_runs(reader, row.qrels_id)
        here_of = {run: id_ for id_, run in _evaluated_runs(writer, qrels_id).items()}
        ranks = reader.execute(
            select(rank_t.c.run_id, *(rank_t.c[name] for name in COLUMNS))
            .where(rank_t.c.saved_leaderboard_id == row.id)
            .order_by(rank_t.c.run_id)
        ).all()
        known = all(theirs_of[rank.run_id] in here_of for rank in ranks)
        if (qrels_id, row.name) in saved_here or not known:
            continue
        ensure_measures(writer, {row.name: (row.family, row.direction, row.aggregate)})
        save_leaderboard(
            writer,
            qrels_id,
            row.name,
            {here_of[theirs_of[rank[0]]]: Figures(*rank[1:]) for rank in ranks},
            test=row.test,
            alpha=row.alpha,
            family=row.family,
            now=row.created_at,
            runs=row.runs,
        )
        copied += 1
    return copied


def _evaluated_runs(connection: Connection, qrels_id: int) -> dict[int, tuple[str, str, str]]:
    """The name, content hash and rules of trec_eval of each run under a qrels, by the run's id."""
    rows = connection.execute(
        select(run_t.c.id, run_t.c.name, CONTENT_HASH, evaluation_t.c.compat)
        .join(evaluation_t, evaluation_t.c.content_id == run_t.c.content_id)
        .where(evaluation_t.c.qrels_id == qrels_id)
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}
