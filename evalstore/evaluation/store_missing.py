"""Store the values that an evaluation lacks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.store.queries import events
from evalstore.store.queries.evaluations import StoredEvaluation, add_values, stored_measures
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.runs import is_active
from evalstore.store.run_rows import EvaluationRows


def store_missing(
    evaluation: StoredEvaluation, rows: EvaluationRows, connection: Connection
) -> None:
    """Store those values that an evaluation lacks, if its run is active, and an event."""
    stored = stored_measures(connection, evaluation.id)
    values = {name: values for name, values in rows.values.items() if name not in stored}
    if not values or not is_active(connection, evaluation.run.id):
        return
    (query_ids,) = ensure_query_ids(connection, evaluation.collection_id, rows.qids)
    add_values(connection, evaluation.id, query_ids, replace(rows, values=values))
    events.log(
        connection,
        "measure",
        evaluation.collection,
        evaluation.run.name,
        datetime.now(UTC),
        qrels=evaluation.qrels.name,
        measures=sorted(values),
    )
