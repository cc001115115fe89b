"""The rows of a collection as Parquet tables: names instead of ids, without removed rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Select, bindparam, func, select, text

from evalstore.formats.tables.parquet import ROW_GROUP, TABLES, ParquetTable
from evalstore.store import packing
from evalstore.store.columns import F64
from evalstore.store.dialects.dialect import json_text
from evalstore.store.models import (
    about_t,
    aggregate_t,
    assessment_t,
    attribute_t,
    baseline_t,
    collection_t,
    draft_document_t,
    draft_t,
    engine_t,
    evaluation_t,
    event_t,
    experiment_t,
    explanation_t,
    hit_t,
    judgment_t,
    measure_t,
    measurement_t,
    origin_t,
    parent_t,
    qrels_t,
    query_t,
    retrieved_t,
    run_t,
    slot_t,
    time_t,
)
from evalstore.store.queries.drafts import list_drafts
from evalstore.store.queries.facts import FACTS
from evalstore.store.queries.qrels import StoredQrels
from evalstore.store.queries.rankings import iter_rankings
from evalstore.store.queries.runs import CONTENT_HASH, IS_SLOT_OF_RUN
from evalstore.store.rows import driver_rows

OF_QUERIES = {
    "judgment_origins": (origin_t, qrels_t),
    "draft_documents": (draft_document_t, draft_t),
    "assessments": (assessment_t, draft_t),
    "response_times": (time_t, run_t),
    "explanations": (explanation_t, run_t),
}
"""The tables whose rows belong to a qrels, draft or run and a query."""

CHANGE_VALUES = ("ingest", "replace", "measure", "reevaluate", "facts", "copy")
"""The actions of events that may change the values of a run."""


class ExportedRun(NamedTuple):
    """A run; `last_change` is the id of the newest event that may have changed its values, or 0.

    `content_of` is the first active run with its rankings: files of rankings, hits and values have
    the name of that.
    """

    id: int
    name: str
    content_hash: str
    values_only: bool
    content_of: str
    last_change: int


class ExportedEvaluation(NamedTuple):
    """An evaluation, with the figures of its measures."""

    id: int
    run_id: int
    qrels: str
    qrels_hash: str
    evaluator: str
    compat: str
    created_at: str
    figures: tuple[tuple[Any, ...], ...]


_FIRST = run_t.alias("first_run")
CONTENT_OF = (
    select(_FIRST.c.name)
    .where(_FIRST.c.content_id == run_t.c.content_id, _FIRST.c.deleted_at.is_(None))
    .order_by(_FIRST.c.id)
    .limit(1)
    .scalar_subquery()
)
"""The name of the first active run that has the rankings of a row of `run`."""


def list_exported_runs(connection: Connection, collection_id: int) -> list[ExportedRun]:
    """The active runs of a collection by name."""
    changes = connection.execute(
        select(event_t.c.subject, func.max(event_t.c.id))
        .where(event_t.c.collection_id == collection_id, event_t.c.action.in_(CHANGE_VALUES))
        .group_by(event_t.c.subject)
    )
    last = {row[0]: row[1] for row in changes}
    rows = connection.execute(
        select(run_t.c.id, run_t.c.name, CONTENT_HASH, run_t.c.values_only, CONTENT_OF)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.name)
    )
    return [ExportedRun(*row, last.get(row[1], 0)) for row in rows]


def evaluations_of_runs(
    connection: Connection, collection_id: int
) -> dict[int, list[ExportedEvaluation]]:
    """The evaluations of active runs under active qrels, by the run's id, in the order of qrels."""
    figures: dict[int, list[tuple[Any, ...]]] = {}
    columns = (aggregate_t.c.value, aggregate_t.c.spread, aggregate_t.c.queries)
    for row in connection.execute(
        _active(select(evaluation_t.c.id, measure_t.c.name, *columns), collection_id)
        .join(aggregate_t, aggregate_t.c.evaluation_id == evaluation_t.c.id)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .order_by(measure_t.c.name)
    ):
        figures.setdefault(row[0], []).append(tuple(row[1:]))
    evaluations: dict[int, list[ExportedEvaluation]] = {}
    own = (evaluation_t.c.evaluator, evaluation_t.c.compat, evaluation_t.c.created_at)
    for row in connection.execute(
        _active(
            select(evaluation_t.c.id, run_t.c.id, qrels_t.c.name, qrels_t.c.content_hash, *own),
            collection_id,
        ).order_by(qrels_t.c.name)
    ):
        id_, run_id, qrels, qrels_hash, evaluator, compat, created_at = row
        values = tuple(figures.get(id_, ()))
        one = ExportedEvaluation(
            id_, run_id, qrels, qrels_hash, evaluator, compat, created_at.isoformat(), values
        )
        evaluations.setdefault(run_id, []).append(one)
    return evaluations


def _active(columns: Select[Any], collection_id: int) -> Select[Any]:
    """A SELECT of columns of the evaluations of active runs under active qrels."""
    return (
        columns.select_from(evaluation_t)
        .join(run_t, run_t.c.content_id == evaluation_t.c.content_id)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            qrels_t.c.deleted_at.is_(None),
        )
    )


# --- the tables of a collection -----------------------------------------------------------------


def collection_tables(
    connection: Connection, collection_id: int, name: str
) -> Iterator[tuple[ParquetTable, pa.Table]]:
    """The tables with one file per collection, each with its sorted rows."""
    for table_name, chosen in _selects(collection_id).items():
        rows = [
            (name, *(json_text(value) if isinstance(value, dict) else value for value in row))
            for row in connection.execute(chosen)
        ]
        yield TABLES[table_name], _sorted(TABLES[table_name], rows)
    drafts = [(name, *astuple(one)[1:]) for one in list_drafts(connection, collection_id)]
    yield TABLES["drafts"], _sorted(TABLES["drafts"], drafts)
    for view in ("run_parameters", "leaderboard_ranks"):
        names = ", ".join(f'"{column}"' for column in TABLES[view].schema.names)
        statement = text(f"SELECT {names} FROM {view} WHERE collection = :name")  # noqa: S608  (names of columns, written in parquet_tables)
        rows = [tuple(row) for row in connection.execute(statement, {"name": name})]
        yield TABLES[view], _sorted(TABLES[view], rows)
    yield TABLES["runs"], _runs(connection, collection_id, name)


def _selects(collection_id: int) -> Mapping[str, Select[Any]]:
    """The SELECT of each table, with its columns after `collection`."""
    parent = qrels_t.alias()
    selects = {
        "collections": select(
            *(collection_t.c[column] for column in TABLES["collections"].schema.names[1:])
        ).where(collection_t.c.id == collection_id),
        "queries": select(query_t.c.qid, query_t.c.text).where(
            query_t.c.collection_id == collection_id
        ),
        "query_attributes": select(query_t.c.qid, attribute_t.c.name, attribute_t.c.value)
        .join(query_t, query_t.c.id == attribute_t.c.query_id)
        .where(query_t.c.collection_id == collection_id),
        "qrels": select(
            qrels_t.c.name,
            *(qrels_t.c[column] for column in TABLES["qrels"].schema.names[2:-1]),
            parent.c.name,
        )
        .outerjoin(parent, (parent.c.id == qrels_t.c.parent_id) & parent.c.deleted_at.is_(None))
        .where(qrels_t.c.collection_id == collection_id, qrels_t.c.deleted_at.is_(None)),
        "experiments": _experiments(collection_id),
        "evaluations": _active(
            select(
                qrels_t.c.name, run_t.c.name, evaluation_t.c.evaluator, evaluation_t.c.compat,
                evaluation_t.c.created_at,
            ),
            collection_id,
        ),
        "leaderboard": _active(
            select(
                qrels_t.c.name, run_t.c.experiment, engine_t.c.name, run_t.c.name,
                measure_t.c.name, aggregate_t.c.value, aggregate_t.c.queries,
                aggregate_t.c.spread, measure_t.c.family, measure_t.c.direction,
                measure_t.c.aggregate,
            ),
            collection_id,
        )
        .join(aggregate_t, aggregate_t.c.evaluation_id == evaluation_t.c.id)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id),
    }  # fmt: skip
    for name, table in FACTS.items():
        columns = (table.c[column] for column in TABLES[name].schema.names[2:])
        selects[name] = (
            select(query_t.c.qid, *columns)
            .join(query_t, query_t.c.id == table.c.query_id)
            .where(table.c.collection_id == collection_id)
        )
    for name, (table, owner) in OF_QUERIES.items():
        columns = (table.c[column] for column in TABLES[name].schema.names[3:])
        active = [owner.c.deleted_at.is_(None)] if "deleted_at" in owner.c else []
        selects[name] = (
            select(owner.c.name, query_t.c.qid, *columns)
            .join(owner, owner.c.id == table.c[f"{owner.name}_id"])
            .join(query_t, query_t.c.id == table.c.query_id)
            .where(owner.c.collection_id == collection_id, *active)
        )
    return selects


def _experiments(collection_id: int) -> Select[Any]:
    """A SELECT of the experiments of a collection's runs, with the texts about this collection."""
    is_about = select(about_t.c.id).where(
        about_t.c.experiment_id == experiment_t.c.id, about_t.c.collection_id == collection_id
    )
    of_experiment = (experiment_t.c[name] for name in ("question", "conclusion", "created_at"))
    question, conclusion, created_at = of_experiment
    return (
        select(
            run_t.c.experiment,
            question,
            conclusion,
            func.coalesce(created_at, func.min(run_t.c.created_at)),
        )
        .select_from(run_t)
        .outerjoin(experiment_t, (experiment_t.c.name == run_t.c.experiment) & is_about.exists())
        .where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            run_t.c.experiment.is_not(None),
        )
        .group_by(run_t.c.experiment, question, conclusion, created_at)
    )


def _runs(connection: Connection, collection_id: int, name: str) -> pa.Table:
    """The table `runs` of a collection."""
    parent_run = run_t.alias("parent_run")
    is_parent = (parent_run.c.id == parent_t.c.parent_id) & parent_run.c.deleted_at.is_(None)
    is_own = retrieved_t.c.content_id == run_t.c.content_id
    kept = select(func.max(retrieved_t.c.rank)).where(is_own)
    rows = connection.execute(
        select(
            run_t,
            run_t.c.name.label("run"),
            run_t.c.id.label("run_id"),
            CONTENT_HASH.label("content_hash"),
            CONTENT_OF.label("content_of"),
            run_t.c.queries.label("queries_answered"),
            run_t.c.created_at.label("ingested_at"),
            engine_t.c.name.label("engine"),
            slot_t.c.slot.label("engine_slot"),
            parent_run.c.name.label("parent"),
            baseline_t.c.run_id.is_not(None).label("is_baseline"),
            kept.scalar_subquery().label("kept_top"),
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(slot_t, IS_SLOT_OF_RUN)
        .outerjoin(baseline_t, baseline_t.c.run_id == run_t.c.id)
        .outerjoin(parent_t, parent_t.c.run_id == run_t.c.id)
        .outerjoin(parent_run, is_parent)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
    )
    table = TABLES["runs"]
    lines = []
    for row in rows:
        values = dict(row._mapping)
        values["collection"] = name
        values["documents_retrieved"] = None if row.values_only else row.retrieved
        values["kept_top"] = row.kept_top or 0
        for column in ("parameters", "header"):
            values[column] = None if values[column] is None else json_text(values[column])
        lines.append(tuple(values[column] for column in table.schema.names))
    return _sorted(table, lines)


def _sorted(table: ParquetTable, rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Rows as a sorted Arrow table."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(table.schema)
    arrays = [pa.array(list(values), field.type)
              for values, field in zip(columns, table.schema, strict=True)]  # fmt: skip
    content = pa.Table.from_arrays(arrays, schema=table.schema)
    return content.sort_by([(name, "ascending") for name in table.order])


# The rows of a qrels or a run, as columns


def judgments_table(connection: Connection, collection: str, qrels: StoredQrels) -> pa.Table:
    """The judgments of a qrels by query and document."""
    rows = driver_rows(
        connection.execute(
            select(query_t.c.qid, judgment_t.c.docno, judgment_t.c.grade)
            .join(query_t, query_t.c.id == judgment_t.c.query_id)
            .where(judgment_t.c.qrels_id == qrels.id)
            .order_by(query_t.c.qid, judgment_t.c.docno)
        )
    )
    same = {"collection": collection, "qrels": qrels.name}
    return _table(TABLES["judgments"], same, _columns(rows, 3))


def grades_of(judgments: pa.Table) -> dict[str, tuple[pa.Array, pa.Array]]:
    """The judged documents and their grades by query id, from a table of judgments."""
    content = judgments.combine_chunks()
    qids = content["qid"].to_pylist()
    docnos, grades = (content[name].combine_chunks() for name in ("docno", "grade"))
    starts = [i for i, qid in enumerate(qids) if i == 0 or qid != qids[i - 1]]
    return {
        qids[start]: (docnos.slice(start, stop - start), grades.slice(start, stop - start))
        for start, stop in zip(starts, [*starts[1:], len(qids)], strict=True)
    }


def rankings_tables(
    connection: Connection,
    collection: str,
    run: ExportedRun,
    grades: Mapping[str, tuple[pa.Array, pa.Array]],
) -> Iterator[pa.Table]:
    """The rankings of a run by query and rank, in tables of about ROW_GROUP rows.

    `grades` is the result of `grades_of`; the grade of other documents is null.
    """
    same = {"collection": collection, "run": run.name}
    lists: list[tuple[str, pa.Array, F64, pa.Array]] = []
    rows = 0
    with closing(iter_rankings(connection, run.id)) as rankings:
        for qid, packed in rankings:
            docnos, scores = packing.unpack(packed)
            named = _as_text(docnos)
            lists.append((qid, named, scores, _grades(named, grades.get(qid))))
            rows += len(scores)
            if rows >= ROW_GROUP:
                yield _rankings(same, lists)
                lists, rows = [], 0
    yield _rankings(same, lists)


def _rankings(
    same: Mapping[str, str], lists: Sequence[tuple[str, pa.Array, F64, pa.Array]]
) -> pa.Table:
    table = TABLES["rankings"]
    if not lists:
        return table.schema.empty_table()
    lengths = np.array([len(one[2]) for one in lists], np.int64)
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ranks = np.arange(1, int(lengths.sum()) + 1, dtype=np.int64) - first
    columns = [
        pa.array([one[0] for one in lists], pa.string()).take(
            pa.array(np.repeat(np.arange(len(lists)), lengths))
        ),
        pa.array(ranks.astype(np.int32)),
        pa.concat_arrays([one[1] for one in lists]),
        pa.array(np.concatenate([one[2] for one in lists])),
        pa.concat_arrays([one[3] for one in lists]),
    ]
    return _table(table, same, columns)


def _grades(docnos: pa.Array, judged: tuple[pa.Array, pa.Array] | None) -> pa.Array:
    """The grade of each document; null for an unjudged one."""
    if judged is None:
        return pa.nulls(len(docnos), pa.float64())
    return judged[1].take(pc.index_in(docnos, value_set=judged[0]))


def _as_text(docnos: pa.Array) -> pa.Array:
    """An Arrow binary array of UTF-8 as strings, without a copy."""
    return pa.Array.from_buffers(pa.string(), len(docnos), docnos.buffers(), offset=docnos.offset)


EVALUATED: Mapping[str, Select[Any]] = {
    "hits": select(query_t.c.qid, hit_t.c.rank, hit_t.c.docno, hit_t.c.grade, hit_t.c.score)
    .join(query_t, query_t.c.id == hit_t.c.query_id)
    .where(hit_t.c.evaluation_id == bindparam("evaluation"))
    .order_by(query_t.c.qid, hit_t.c.rank),
    "values": select(measure_t.c.name, query_t.c.qid, measurement_t.c.value)
    .join(measure_t, measure_t.c.id == measurement_t.c.measure_id)
    .join(query_t, query_t.c.id == measurement_t.c.query_id)
    .where(measurement_t.c.evaluation_id == bindparam("evaluation"))
    .order_by(measure_t.c.name, query_t.c.qid),
}
"""The SELECTs of the tables that have rows for each evaluation."""


def evaluated_table(
    connection: Connection,
    name: str,
    collection: str,
    run: ExportedRun,
    evaluations: Sequence[ExportedEvaluation],
) -> pa.Table:
    """The hits or the values of a run under all its qrels, by qrels."""
    table, query, parts = TABLES[name], EVALUATED[name], []
    for one in evaluations:
        rows = driver_rows(connection.execute(query, {"evaluation": one.id}))
        same = {"collection": collection, "qrels": one.qrels, "run": run.name}
        parts.append(_table(table, same, _columns(rows, len(query.selected_columns))))
    return pa.concat_tables([table.schema.empty_table(), *parts])


def _columns(rows: Sequence[tuple[Any, ...]], count: int) -> list[list[Any]]:
    return (
        [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(count)]
    )


def _table(table: ParquetTable, same: Mapping[str, str], columns: Sequence[Any]) -> pa.Table:
    """A table of the columns with one value in all rows, followed by the other columns."""
    count = len(columns[0])
    arrays = [pa.repeat(pa.scalar(value), count) for value in same.values()]
    for values, field in zip(columns, list(table.schema)[len(same) :], strict=True):
        arrays.append(values if isinstance(values, pa.Array) else pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=table.schema)
