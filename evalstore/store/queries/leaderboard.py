"""What a leaderboard lists: the runs of a collection, and their aggregates under a qrels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    cast,
    func,
    or_,
    select,
    union_all,
)

from evalstore.store import models
from evalstore.store.dialects.dialect import json_text
from evalstore.store.rows import driver_rows

qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
ranking_t = models.table(models.Ranking)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
aggregate_t = models.table(models.Aggregate)


class LeaderboardRun(NamedTuple):
    """A run with the names of its engine and experiment; `queries` is how many it answers.

    `values_only` is whether it came as values of measures, without rankings.
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


class RunAggregate(NamedTuple):
    """The stored aggregate of a run for a measure."""

    run_id: int
    measure_id: int
    value: float


def list_leaderboard_runs(
    connection: Connection, collection_id: int, run_ids: Collection[int] | None = None
) -> list[LeaderboardRun]:
    """The active runs of a collection, all or some of them, by engine and name."""
    chosen = (
        select(
            run_t.c.id,
            run_t.c.content_hash,
            engine_t.c.name,
            run_t.c.name,
            run_t.c.experiment,
            run_t.c.created_at,
            run_t.c.queries,
            run_t.c.retrieved,
            run_t.c.values_only,
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .order_by(engine_t.c.name, run_t.c.name)
    )
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    rows = connection.execute(chosen)
    return [LeaderboardRun(*row) for row in rows]


def list_aggregated_measures(connection: Connection, qrels_id: int) -> dict[str, int]:
    """The names and ids of the measures of which some run has an aggregate under a qrels."""
    aggregated = (
        select(aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(
            aggregate_t.c.measure_id == measure_t.c.id,
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.deleted_at.is_(None),
        )
        .exists()
    )
    rows = connection.execute(select(measure_t.c.name, measure_t.c.id).where(aggregated))
    return {row[0]: row[1] for row in rows}


def list_aggregates(
    connection: Connection, qrels_id: int, measure_ids: Collection[int]
) -> list[RunAggregate]:
    """The aggregates of all runs under a qrels, also of removed ones, for some measures."""
    rows = connection.execute(
        select(evaluation_t.c.run_id, aggregate_t.c.measure_id, aggregate_t.c.value)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            aggregate_t.c.measure_id.in_(measure_ids),
        )
    )
    return [RunAggregate(*row) for row in rows]


def count_judged_queries(connection: Connection, qrels_id: int) -> int:
    """How many queries a qrels judges: all aggregates under it are over these."""
    judged = select(qrels_t.c.queries).where(qrels_t.c.id == qrels_id)
    return int(connection.execute(judged).scalar_one())


def count_judged_answers(
    connection: Connection, qrels_id: int, run_ids: Sequence[int] | None = None
) -> dict[int, int]:
    """By run id, how many of the queries that a qrels judges the run answers.

    Of the runs named, or of all in the qrels' collection; a run that answers none is left out. One
    that came as values was refused unless the qrels judges every query it answers.
    """
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    in_collection = (
        select(run_t.c.id)
        .join(qrels_t, qrels_t.c.collection_id == run_t.c.collection_id)
        .where(qrels_t.c.id == qrels_id)
    )
    chosen = in_collection if run_ids is None else run_ids
    ranked = (
        select(ranking_t.c.run_id, func.count())
        .where(ranking_t.c.run_id.in_(chosen), ranking_t.c.query_id.in_(judged))
        .group_by(ranking_t.c.run_id)
    )
    recorded = select(run_t.c.id, run_t.c.queries).where(
        run_t.c.id.in_(chosen), run_t.c.values_only, run_t.c.queries > 0
    )
    rows = connection.execute(union_all(ranked, recorded))
    return {row[0]: row[1] for row in rows}


# A page of a leaderboard: the runs at some positions, in the order of a figure or a name

slot_t = models.table(models.EngineSlot)


event_t = models.table(models.Event)

F64 = npt.NDArray[np.float64]

UNITS_PER_ONE = 1e9
"""Aggregates that are the same in so many parts are equal, as in `evalstore.stats`."""

NAMES: dict[str, ColumnElement[Any]] = {
    "run": run_t.c.name,
    "engine": engine_t.c.name,
    "experiment": run_t.c.experiment,
    "date": run_t.c.created_at,
}
"""What runs can be sorted by beside a measure."""


@dataclass(frozen=True)
class Period:
    """From a time to before another one (UTC)."""

    start: datetime
    end: datetime


@dataclass(frozen=True)
class Word:
    """A word that runs are searched for: a part of a name or tag, in any case, or a period."""

    text: str
    period: Period | None = None


@dataclass(frozen=True)
class Order:
    """The order of runs.

    Attributes:
        measure_id: of the measure by whose aggregates runs are sorted; None for a name.
        name: one of `NAMES`, where it is no measure.
        descending: whether the highest comes first.
    """

    measure_id: int | None
    name: str | None = None
    descending: bool = True


class PlacedRun(NamedTuple):
    """A run at a position of a leaderboard."""

    id: int
    value: float | None


class BoardRun(NamedTuple):
    """What a leaderboard tells of a run beside its figures."""

    id: int
    name: str
    content_hash: str
    engine: str
    slot: int
    experiment: str | None
    tags: tuple[str, ...]
    parameters: dict[str, Any]
    created_at: datetime


def load_state(connection: Connection, qrels_id: int, collection: str) -> str:
    """A text that changes whenever the figures of a collection under a qrels may have changed."""
    evaluations = connection.execute(
        select(func.count(), func.max(evaluation_t.c.id)).where(evaluation_t.c.qrels_id == qrels_id)
    ).one()
    last = connection.execute(
        select(event_t.c.id, event_t.c.at)
        .where(or_(event_t.c.collection == collection, event_t.c.collection.is_(None)))
        .order_by(event_t.c.id.desc())
        .limit(1)
    ).first()
    return "/".join(map(str, (qrels_id, *evaluations, *(last or ()))))


def count_evaluated(connection: Connection, collection_id: int, qrels_id: int) -> tuple[int, int]:
    """How many active runs a collection has, and how many of them have figures under a qrels."""
    counted = connection.execute(
        select(func.count(run_t.c.id), func.count(evaluation_t.c.id))
        .select_from(run_t)
        .outerjoin(evaluation_t, _evaluated(qrels_id))
        .where(_active(collection_id))
    ).one()
    return int(counted[0]), int(counted[1])


def load_all_aggregates(connection: Connection, qrels_id: int, measure_id: int) -> F64:
    """The aggregates of a measure for all active runs under a qrels, in ascending order."""
    values = (
        select(aggregate_t.c.value)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            aggregate_t.c.measure_id == measure_id,
            run_t.c.deleted_at.is_(None),
        )
    )
    return np.sort(np.array(connection.execute(values).scalars().all(), np.float64))


def count_found(connection: Connection, collection_id: int, words: Sequence[Word]) -> int:
    """How many active runs of a collection have all of these words."""
    counted = _named(select(func.count()).select_from(run_t))
    return int(connection.execute(counted.where(_has(collection_id, words))).scalar_one())


def list_placed(
    connection: Connection,
    collection_id: int,
    qrels_id: int,
    order: Order,
    words: Sequence[Word] = (),
    *,
    limit: int | None = None,
    offset: int = 0,
) -> list[PlacedRun]:
    """The active runs of a collection that have all of these words, in an order.

    Runs without an aggregate come last, and so do those without an experiment. Runs that are equal
    stand by name.

    Args:
        connection: to the store.
        collection_id: the collection.
        qrels_id: the judgments that aggregates are under.
        order: of the runs.
        words: what is searched for.
        limit: at most so many runs; all where None.
        offset: how many runs to leave out at first.
    """
    placed = _named(select(run_t.c.id, aggregate_t.c.value).select_from(run_t))
    placed = placed.outerjoin(evaluation_t, _evaluated(qrels_id)).outerjoin(
        aggregate_t,
        and_(
            aggregate_t.c.evaluation_id == evaluation_t.c.id,
            aggregate_t.c.measure_id == order.measure_id,
        ),
    )
    key: ColumnElement[Any] = func.round(aggregate_t.c.value * UNITS_PER_ONE)
    if order.name is not None:
        key = NAMES[order.name]
    ordered = key.desc() if order.descending else key.asc()
    rows = connection.execute(
        placed.where(_has(collection_id, words))
        .order_by(ordered.nulls_last(), run_t.c.name)
        .limit(limit)
        .offset(offset)
    )
    return [PlacedRun(*row) for row in rows]


def list_board_runs(connection: Connection, run_ids: Sequence[int]) -> list[BoardRun]:
    """These runs, in the order given; those that are not stored are left out."""
    rows = connection.execute(
        _named(
            select(
                run_t.c.id,
                run_t.c.name,
                run_t.c.content_hash,
                engine_t.c.name,
                func.coalesce(slot_t.c.slot, 0),
                run_t.c.experiment,
                run_t.c.tags,
                run_t.c.parameters,
                run_t.c.created_at,
            ).select_from(run_t)
        )
        .outerjoin(
            slot_t,
            and_(
                slot_t.c.engine_id == run_t.c.engine_id,
                slot_t.c.collection_id == run_t.c.collection_id,
            ),
        )
        .where(run_t.c.id.in_(run_ids))
    )
    runs = {
        id_: BoardRun(
            *(id_, name, content, engine, slot, experiment),
            tags=tuple(tags or ()),
            parameters=dict(parameters or {}),
            created_at=created_at,
        )
        for id_, name, content, engine, slot, experiment, tags, parameters, created_at in rows
    }
    return [runs[run_id] for run_id in run_ids if run_id in runs]


def list_run_aggregates(
    connection: Connection, qrels_id: int, run_ids: Collection[int], measures: Collection[str]
) -> dict[str, dict[int, float]]:
    """The stored aggregates of these runs, by the measure's canonical name and the run's id."""
    rows = connection.execute(
        select(measure_t.c.name, evaluation_t.c.run_id, aggregate_t.c.value)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            evaluation_t.c.run_id.in_(run_ids),
            measure_t.c.name.in_(measures),
        )
    )
    values: dict[str, dict[int, float]] = {name: {} for name in measures}
    for name, run_id, value in rows:
        values[name][run_id] = value
    return values


def _named(runs: Select[Any]) -> Select[Any]:
    """A selection of runs, joined with their engines."""
    return runs.join(engine_t, engine_t.c.id == run_t.c.engine_id)


def _evaluated(qrels_id: int) -> ColumnElement[bool]:
    return and_(evaluation_t.c.run_id == run_t.c.id, evaluation_t.c.qrels_id == qrels_id)


def _active(collection_id: int) -> ColumnElement[bool]:
    return and_(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))


def _has(collection_id: int, words: Sequence[Word]) -> ColumnElement[bool]:
    """An active run of a collection with all of these words."""
    return and_(_active(collection_id), *map(_has_word, words))


def _has_word(word: Word) -> ColumnElement[bool]:
    names = (run_t.c.name, engine_t.c.name, run_t.c.experiment)
    # Tags are JSON: a quote in them has a backslash in front.
    tag = json_text(word.text)[1:-1]
    conditions = [
        *(name.icontains(word.text, autoescape=True) for name in names),
        cast(run_t.c.tags, Text).icontains(tag, autoescape=True),
    ]
    if word.period is not None:
        created = run_t.c.created_at
        conditions.append(and_(created >= word.period.start, created < word.period.end))
    return or_(*conditions)


# A run's aggregates beside those of all other runs under a qrels

SAME = 1e-9
"""Aggregates that differ by less are one value: means differ in their last bits."""


class StoredStanding(NamedTuple):
    """The aggregate of a run for a measure, beside those of the active runs.

    `runs` have a value, this one included; that of `higher` is greater, that of `lower` smaller.
    """

    measure: str
    value: float
    runs: int
    higher: int
    lower: int


def load_sorted_aggregates(connection: Connection, qrels_id: int) -> dict[str, F64]:
    """By measure, the aggregates of all active runs under a qrels: float64, ascending."""
    rows = driver_rows(
        connection.execute(
            select(measure_t.c.name, aggregate_t.c.value)
            .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
            .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
            .join(run_t, run_t.c.id == evaluation_t.c.run_id)
            .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
        )
    )
    values: dict[str, list[float]] = {}
    for measure, value in rows:
        values.setdefault(measure, []).append(value)
    return {measure: np.sort(np.array(of, np.float64)) for measure, of in values.items()}


def list_standings(
    connection: Connection, qrels_id: int, run_id: int, aggregates: Mapping[str, F64]
) -> list[StoredStanding]:
    """A row for each measure of which a run has an aggregate under a qrels.

    Args:
        connection: of the store.
        qrels_id: the qrels.
        run_id: the run.
        aggregates: what `load_sorted_aggregates` gives for the qrels.
    """
    rows = connection.execute(
        select(measure_t.c.name, aggregate_t.c.value)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .where(evaluation_t.c.run_id == run_id, evaluation_t.c.qrels_id == qrels_id)
    )
    standings = []
    for measure, value in rows:
        others = aggregates.get(measure, np.empty(0))
        higher = len(others) - int(np.searchsorted(others, value + SAME, side="right"))
        lower = int(np.searchsorted(others, value - SAME, side="left"))
        standings.append(StoredStanding(measure, value, len(others), higher, lower))
    return standings
