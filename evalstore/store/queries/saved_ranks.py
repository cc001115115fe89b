"""Saved ranks of all runs of a leaderboard, shown until the runs change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, text

from evalstore.store.models import (
    aggregate_t,
    evaluation_t,
    leaderboard_t,
    measure_t,
    qrels_t,
    rank_t,
    run_t,
)
from evalstore.store.queries.evaluations import ensure_measures
from evalstore.store.queries.runs import CONTENT_HASH
from evalstore.store.rows import bulk_insert, insert_row

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


class EvaluatedRun(NamedTuple):
    """An active run under a qrels, with its stored aggregate of a measure (or None)."""

    run_id: int
    name: str
    value: float | None


def list_evaluated_runs(connection: Connection, qrels_id: int, measure: str) -> list[EvaluatedRun]:
    """The active runs that were evaluated under a qrels."""
    values = (
        select(aggregate_t.c.evaluation_id, aggregate_t.c.value)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .where(measure_t.c.name == measure)
        .subquery()
    )
    rows = connection.execute(
        select(run_t.c.id, run_t.c.name, values.c.value)
        .select_from(evaluation_t)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .outerjoin(values, values.c.evaluation_id == evaluation_t.c.id)
        .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.name)
    )
    return [EvaluatedRun(*row) for row in rows]


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
