"""The rows of a collection as the tables of Parquet have them: with names instead of ids.

What is marked as removed is left out, as in the views.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlalchemy import Connection, Select, func, select, text

from evalstore.formats.parquet_tables import TABLES, ParquetTable
from evalstore.store import models
from evalstore.store.dialects.dialect import json_text

I64 = npt.NDArray[np.int64]

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
experiment_t = models.table(models.Experiment)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
aggregate_t = models.table(models.Aggregate)
event_t = models.table(models.Event)

CHANGE_VALUES = ("ingest", "replace", "measure", "reevaluate", "facts", "copy")
"""The events after which the values of a run may be others."""


class ExportedQrels(NamedTuple):
    """A qrels as its files need it."""

    id: int
    name: str
    content_hash: str
    is_default: bool


class ExportedRun(NamedTuple):
    """A run as its files need it.

    `last_change` is the id of the newest event that may have changed its values; 0 without one.
    """

    id: int
    name: str
    content_hash: str
    values_only: bool
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


def list_exported_qrels(connection: Connection, collection_id: int) -> list[ExportedQrels]:
    """The active qrels of a collection by name."""
    rows = connection.execute(
        select(qrels_t.c.id, qrels_t.c.name, qrels_t.c.content_hash, qrels_t.c.is_default)
        .where(qrels_t.c.collection_id == collection_id, qrels_t.c.deleted_at.is_(None))
        .order_by(qrels_t.c.name)
    )
    return [ExportedQrels(*row) for row in rows]


def list_exported_runs(connection: Connection, collection_id: int) -> list[ExportedRun]:
    """The active runs of a collection by name."""
    changes = connection.execute(
        select(event_t.c.subject, func.max(event_t.c.id))
        .where(event_t.c.collection_id == collection_id, event_t.c.action.in_(CHANGE_VALUES))
        .group_by(event_t.c.subject)
    )
    last = {row[0]: row[1] for row in changes}
    rows = connection.execute(
        select(run_t.c.id, run_t.c.name, run_t.c.content_hash, run_t.c.values_only)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.name)
    )
    return [ExportedRun(*row, last.get(row[1], 0)) for row in rows]


def evaluations_of_runs(
    connection: Connection, collection_id: int
) -> dict[int, list[ExportedEvaluation]]:
    """The evaluations of the active runs of a collection under its active qrels, by the run's id.

    Those of a run are in the byte order of the names of their qrels.
    """
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
    """Columns of the evaluations of active runs under active qrels."""
    return (
        columns.select_from(evaluation_t)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
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
    """The tables that have one file a collection, each with its rows in their order."""
    for table_name, chosen in _selects(collection_id).items():
        rows = [(name, *row) for row in connection.execute(chosen)]
        yield TABLES[table_name], _sorted(TABLES[table_name], rows)
    for view in ("run_parameters", "leaderboard_ranks"):
        names = ", ".join(f'"{column}"' for column in TABLES[view].schema.names)
        statement = text(f"SELECT {names} FROM {view} WHERE collection = :name")  # noqa: S608  (names of columns, written in parquet_tables)
        rows = [tuple(row) for row in connection.execute(statement, {"name": name})]
        yield TABLES[view], _sorted(TABLES[view], rows)
    yield TABLES["runs"], _runs(connection, collection_id, name)


def _selects(collection_id: int) -> Mapping[str, Select[Any]]:
    """By table, the SELECT of its columns after `collection`."""
    attribute_t = models.table(models.QueryAttribute)
    time_t = models.table(models.ResponseTime)
    selects = {
        "collections": select(
            *(collection_t.c[column] for column in
              ("documents", "created_at", "access", "measures"))
        ).where(collection_t.c.id == collection_id),
        "queries": select(query_t.c.qid, query_t.c.text).where(
            query_t.c.collection_id == collection_id
        ),
        "query_attributes": select(query_t.c.qid, attribute_t.c.name, attribute_t.c.value)
        .join(query_t, query_t.c.id == attribute_t.c.query_id)
        .where(query_t.c.collection_id == collection_id),
        "qrels": select(
            *(qrels_t.c[column] for column in
              ("name", "content_hash", "queries", "judgments", "relevant", "highest_grade",
               "created_at", "is_default"))
        ).where(qrels_t.c.collection_id == collection_id, qrels_t.c.deleted_at.is_(None)),
        "experiments": _experiments(collection_id),
        "response_times": select(run_t.c.name, query_t.c.qid, time_t.c.milliseconds)
        .join(run_t, run_t.c.id == time_t.c.run_id)
        .join(query_t, query_t.c.id == time_t.c.query_id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None)),
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
    facts = {
        "subtopic_judgments": models.SubtopicJudgment,
        "group_judgments": models.GroupJudgment,
        "preference_judgments": models.PreferenceJudgment,
        "known_documents": models.KnownDocument,
    }
    for name, model in facts.items():
        table = models.table(model)
        columns = (table.c[column] for column in TABLES[name].schema.names[2:])
        selects[name] = (
            select(query_t.c.qid, *columns)
            .join(query_t, query_t.c.id == table.c.query_id)
            .where(table.c.collection_id == collection_id)
        )
    return selects


def _experiments(collection_id: int) -> Select[Any]:
    """The experiments of the runs of a collection, with the texts that are about it."""
    about_t = models.table(models.ExperimentAbout)
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
    slot_t, baseline_t = models.table(models.EngineSlot), models.table(models.Baseline)
    parent_t, retrieved_t = models.table(models.RunParent), models.table(models.Retrieved)
    parent_run = run_t.alias("parent_run")
    kept = select(func.max(retrieved_t.c.rank)).where(retrieved_t.c.run_id == run_t.c.id)
    rows = connection.execute(
        select(
            run_t,
            run_t.c.name.label("run"),
            run_t.c.id.label("run_id"),
            run_t.c.queries.label("queries_answered"),
            run_t.c.created_at.label("ingested_at"),
            engine_t.c.name.label("engine"),
            slot_t.c.slot.label("engine_slot"),
            parent_run.c.name.label("parent"),
            baseline_t.c.run_id.is_not(None).label("is_baseline"),
            kept.scalar_subquery().label("kept_top"),
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(
            slot_t,
            (slot_t.c.engine_id == engine_t.c.id)
            & (slot_t.c.collection_id == run_t.c.collection_id),
        )
        .outerjoin(baseline_t, baseline_t.c.run_id == run_t.c.id)
        .outerjoin(parent_t, parent_t.c.run_id == run_t.c.id)
        .outerjoin(
            parent_run,
            (parent_run.c.id == parent_t.c.parent_id) & parent_run.c.deleted_at.is_(None),
        )
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
    """Rows as a table of Arrow in the order that the table says."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(table.schema)
    arrays = [pa.array(list(values), field.type)
              for values, field in zip(columns, table.schema, strict=True)]  # fmt: skip
    content = pa.Table.from_arrays(arrays, schema=table.schema)
    return content.sort_by([(name, "ascending") for name in table.order])
