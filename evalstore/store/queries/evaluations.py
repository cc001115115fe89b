"""Evaluations: the values of a run under a qrels, for each query and for all queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, delete, select

from evalstore.measures.judged import CompatMode
from evalstore.store.columns import F64, I64, Column, EvaluationRows, ValueRows
from evalstore.store.database import lock_measures
from evalstore.store.dialects import dialect_of
from evalstore.store.models import (
    aggregate_t,
    collection_t,
    evaluation_t,
    hit_t,
    leaderboard_t,
    measure_t,
    measurement_t,
    qrels_t,
    run_t,
)
from evalstore.store.queries.qrels import StoredQrels
from evalstore.store.queries.runs import StoredRun, content_of
from evalstore.store.rows import (
    bulk_insert,
    driver_rows,
    fields,
    find_row,
    insert_columns,
    insert_or_ignore,
    insert_row,
    is_removed,
    positions,
)

VALUES_AT_ONCE = 500_000
"""Values inserted at a time; they take 12 MB as columns."""

IDS_BY_MEASURE = select(measure_t.c.name, measure_t.c.id)


@dataclass(frozen=True)
class StoredEvaluation:
    """The evaluation of a run under a qrels; `compat` is the trec_eval with the same rules.

    Runs with the same rankings share one evaluation, and have its id.
    """

    id: int
    collection_id: int
    collection: str
    run: StoredRun
    qrels: StoredQrels
    compat: CompatMode


@dataclass(frozen=True)
class EvaluationKey:
    """The id of an evaluation; `compat` is the trec_eval with the same rules."""

    id: int
    compat: CompatMode


def find_evaluation(connection: Connection, run: int, qrels: int) -> EvaluationKey | None:
    """The evaluation of a run under a qrels, or None."""
    own = (evaluation_t.c.content_id == content_of(run), evaluation_t.c.qrels_id == qrels)
    return find_row(
        connection, EvaluationKey, select(*fields(EvaluationKey, evaluation_t)).where(*own)
    )


def list_evaluations(
    connection: Connection,
    runs: list[int] | None,
    collection: str | None,
    *,
    removed: bool | None = False,
) -> list[StoredEvaluation]:
    """The evaluations of all runs, or of some, sorted by qrels and run.

    Includes evaluations of active runs, removed runs (`removed` True), or both (None); None also
    includes evaluations whose qrels or collection is removed.
    """
    chosen = (
        select(
            evaluation_t.c.id,
            collection_t.c.id,
            collection_t.c.name,
            run_t.c.id,
            run_t.c.name,
            run_t.c.tag,
            run_t.c.values_only,
            qrels_t.c.id,
            qrels_t.c.name,
            qrels_t.c.content_hash,
            evaluation_t.c.compat,
        )
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .order_by(qrels_t.c.id, run_t.c.id)
    )
    if removed is not None:
        chosen = chosen.where(
            is_removed(run_t, removed),
            qrels_t.c.deleted_at.is_(None),
            collection_t.c.deleted_at.is_(None),
        )
    if runs is not None:
        chosen = chosen.where(run_t.c.id.in_(runs))
    if collection is not None:
        chosen = chosen.where(collection_t.c.name == collection)
    return [
        StoredEvaluation(
            *row[:3],
            StoredRun(*row[3:6], row[2], values_only=row[6]),
            StoredQrels(*row[7:10]),
            row[10],
        )
        for row in connection.execute(chosen)
    ]


def stored_measures(connection: Connection, evaluation: int) -> set[str]:
    """The names of the measures that an evaluation has."""
    rows = connection.execute(
        select(measure_t.c.name)
        .join(aggregate_t, aggregate_t.c.measure_id == measure_t.c.id)
        .where(aggregate_t.c.evaluation_id == evaluation)
    )
    return {row[0] for row in rows}


def add_evaluation(
    connection: Connection,
    *,
    content_id: int,
    qrels_id: int,
    evaluator: str,
    compat: str,
    rows: EvaluationRows,
    query_ids: I64,
    now: datetime,
) -> int:
    """Store the values of all runs with some content under a qrels; returns the evaluation's id.

    `query_ids` are the ids of `rows.qids`.
    """
    evaluation_id = insert_row(
        connection,
        evaluation_t,
        content_id=content_id,
        qrels_id=qrels_id,
        evaluator=evaluator,
        compat=compat,
        created_at=now,
    )
    insert_columns(
        connection,
        hit_t,
        {
            "query_id": query_ids[rows.hit_query],
            "rank": rows.hit_rank,
            "docno": rows.hit_docno,
            "grade": rows.hit_grade,
            "score": rows.hit_score,
        },
        {"evaluation_id": evaluation_id},
    )
    add_values(connection, evaluation_id, query_ids, rows)
    return evaluation_id


def add_values(connection: Connection, evaluation_id: int, query_ids: I64, rows: ValueRows) -> None:
    """Store measurements and aggregates of an evaluation."""
    measure_ids = ensure_measures(connection, rows.measures)
    names = sorted(rows.values, key=measure_ids.__getitem__)  # the order of the table's key
    count = len(query_ids)
    by_measure = {measure_ids[name]: rows.values[name] for name in names}
    insert_values(connection, evaluation_id, query_ids, by_measure)
    spreads: list[float] | list[None] = [None] * len(names)
    if count > 1 and names:
        spreads = np.std([rows.values[name] for name in names], axis=1, ddof=1).tolist()
    aggregates = [
        (measure_ids[name], rows.aggregates[name], spread, count)
        for name, spread in zip(names, spreads, strict=True)
    ]
    insert_aggregates(connection, evaluation_id, aggregates)


def insert_aggregates(
    connection: Connection, evaluation_id: int, rows: Iterable[tuple[int, float, float | None, int]]
) -> None:
    """Store aggregates: (measure id, value, spread, number of queries)."""
    columns = ("measure_id", "value", "spread", "queries")
    bulk_insert(connection, aggregate_t, columns, rows, {"evaluation_id": evaluation_id})


def insert_values(
    connection: Connection, evaluation_id: int, query_ids: I64, values: Mapping[int, F64]
) -> None:
    """Store values without aggregates, for measures of which the evaluation has no values yet.

    `values` are float64, one per query, by the id of the measure.
    """
    measure_ids = list(values)
    together = max(1, VALUES_AT_ONCE // max(1, len(query_ids)))
    for start in range(0, len(measure_ids), together):
        some = measure_ids[start : start + together]
        columns: dict[str, Column] = {
            "measure_id": np.repeat(np.array(some, np.int64), len(query_ids)),
            "query_id": np.tile(query_ids, len(some)),
            "value": np.concatenate([values[measure] for measure in some]),
        }
        insert_columns(connection, measurement_t, columns, {"evaluation_id": evaluation_id})


def ensure_measures(
    connection: Connection, described: Mapping[str, tuple[str, int, str]]
) -> dict[str, int]:
    """The ids of measures by name; missing ones are inserted.

    `described` has (family, direction, aggregate) by measure name.
    """

    def stored_ids() -> dict[str, int]:
        return dict(driver_rows(connection.execute(IDS_BY_MEASURE)))

    ids = stored_ids()
    if described.keys() <= ids.keys():
        return ids
    lock_measures(connection)
    missing = [
        {"name": name, "family": family, "direction": direction, "aggregate": aggregate}
        for name, (family, direction, aggregate) in described.items()
        if name not in ids
    ]
    connection.execute(insert_or_ignore(connection, measure_t), missing)
    return stored_ids()


def delete_values(
    connection: Connection, measures: Iterable[str], *, collection: int, run: int | None = None
) -> int:
    """Delete the values of measures for the runs of a collection, or for one run.

    Saved ranks of these measures are deleted too, as later values may be different.

    Returns:
        The number of aggregates deleted.
    """
    of_runs = (
        select(evaluation_t.c.id)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .where(run_t.c.collection_id == collection)
    )
    if run is not None:
        of_runs = of_runs.where(run_t.c.id == run)
    of_measures = select(measure_t.c.id).where(measure_t.c.name.in_(list(measures)))
    deleted = 0
    values_t = dialect_of(connection).base_table(measurement_t)
    for table in (values_t, aggregate_t):
        result = connection.execute(
            delete(table).where(
                table.c.evaluation_id.in_(of_runs), table.c.measure_id.in_(of_measures)
            )
        )
        deleted = result.rowcount
    saved = leaderboard_t
    of_collection = select(qrels_t.c.id).where(qrels_t.c.collection_id == collection)
    connection.execute(
        delete(saved).where(
            saved.c.measure_id.in_(of_measures), saved.c.qrels_id.in_(of_collection)
        )
    )
    return deleted


def all_measures(connection: Connection) -> list[str]:
    """The names of all measures of which the store has or had values."""
    return list(connection.execute(select(measure_t.c.name)).scalars())


# Loading the values of many runs at once, as arrays of queries x evaluations

MOST_NAMED = 100
"""The largest number of evaluations that a statement lists by id."""


def load_value_tables(
    connection: Connection,
    qrels_id: int,
    query_ids: I64,
    measures: Collection[str],
    evaluation_ids: Sequence[int],
) -> dict[str, F64]:
    """The values of measures (canonical names) under a qrels: float64, queries x evaluations.

    Queries and evaluations are in the given order; a value that isn't stored is NaN. Runs with the
    same rankings have the same evaluation, which then is given several times.
    """
    named, places = np.unique(np.array(evaluation_ids, np.int64), return_inverse=True)
    # With thousands of ids a statement could have too many variables.
    wanted = named.tolist() if len(named) <= MOST_NAMED else _active(qrels_id)
    names = select(measure_t.c.id, measure_t.c.name).where(measure_t.c.name.in_(measures))
    name_of = {row[0]: row[1] for row in connection.execute(names)}
    measure_ids = np.array(list(name_of), np.int64)
    stored = connection.execute(
        select(
            measurement_t.c.measure_id,
            measurement_t.c.evaluation_id,
            measurement_t.c.query_id,
            measurement_t.c.value,
        )
        .where(measurement_t.c.evaluation_id.in_(wanted))
        .where(measurement_t.c.measure_id.in_(list(name_of)))
    )
    tables = np.full((len(measure_ids), len(query_ids), len(named)), np.nan)
    # Doubles can hold ids exactly. Loops over the rows of 1,000 runs would take a second.
    cells = np.fromiter(chain.from_iterable(driver_rows(stored)), np.float64).reshape(-1, 4)
    of, columns = positions(measure_ids, cells[:, 0]), positions(named, cells[:, 1])
    rows = positions(query_ids, cells[:, 2])
    present = (columns >= 0) & (rows >= 0)
    tables[of[present], rows[present], columns[present]] = cells[present, 3]
    tables = tables[:, :, places]
    by_name = dict(zip(name_of.values(), tables, strict=True))
    none = np.full(tables.shape[1:], np.nan)
    return {name: by_name.get(name, none.copy()) for name in measures}


def _active(qrels_id: int) -> Select[Any]:
    """A SELECT of the evaluation ids of all active runs under a qrels."""
    return (
        select(evaluation_t.c.id)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .where(evaluation_t.c.qrels_id == qrels_id, run_t.c.deleted_at.is_(None))
    )
