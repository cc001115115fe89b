"""What there is to look at: the collections of a store, and the leaderboard of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sqlalchemy import Connection, Row, func, select

from evalstore.errors import MeasureError, NotFound
from evalstore.measures import parse, registry
from evalstore.store import Store, models
from evalstore.store.collections import find_collection
from evalstore.store.qrels import StoredQrels, list_qrels

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
qrels_t = models.table(models.Qrels)
run_t = models.table(models.Run)
engine_t = models.table(models.Engine)
experiment_t = models.table(models.Experiment)
evaluation_t = models.table(models.Evaluation)
measure_t = models.table(models.Measure)
aggregate_t = models.table(models.Aggregate)


@dataclass(frozen=True)
class Leaderboard:
    """The runs of a collection under one qrels, and their figures.

    Attributes:
        collection, qrels: what they are called.
        queries: how many queries the figures are over.
        runs: a row per run: run_id, engine, run, experiment (or None), date (UTC),
            queries_answered, retrieved.
        values: indexed by run_id, a float64 column per measure (its canonical name); NaN where a
            run has no value.
        measures: the measures stored, in the order people list them.
    """

    collection: str
    qrels: str
    queries: int
    runs: pd.DataFrame
    values: pd.DataFrame
    measures: tuple[str, ...]


def collections(store: Store) -> pd.DataFrame:
    """A row per collection: collection, documents, queries, runs, qrels (newest first)."""
    with store.read() as connection:
        of_run = (
            select(run_t.c.collection_id, func.count().label("n"))
            .where(run_t.c.deleted_at.is_(None))
            .group_by(run_t.c.collection_id)
            .subquery()
        )
        of_query = (
            select(query_t.c.collection_id, func.count().label("n"))
            .group_by(query_t.c.collection_id)
            .subquery()
        )
        rows = connection.execute(
            select(
                collection_t.c.id,
                collection_t.c.name,
                collection_t.c.documents,
                func.coalesce(of_query.c.n, 0),
                func.coalesce(of_run.c.n, 0),
            )
            .outerjoin(of_query, of_query.c.collection_id == collection_t.c.id)
            .outerjoin(of_run, of_run.c.collection_id == collection_t.c.id)
            .order_by(collection_t.c.name)
        ).all()
        qrels = {row[0]: tuple(q.name for q in list_qrels(connection, row[0])) for row in rows}
    frame = pd.DataFrame(
        {
            "collection": [row[1] for row in rows],
            "documents": pd.array([row[2] for row in rows], dtype="Int64"),
            "queries": [row[3] for row in rows],
            "runs": [row[4] for row in rows],
            "qrels": [qrels[row[0]] for row in rows],
        }
    )
    return frame


def leaderboard(
    store: Store,
    collection: str,
    qrels: str | None = None,
    measures: Sequence[str] | None = None,
) -> Leaderboard:
    """The runs of a collection and their figures under a qrels (the newest unless named).

    Figures of all stored measures, or only of those wanted: of many runs that is much faster.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        collection_id, judged = _chosen(connection, collection, qrels)
        runs = _runs(connection, collection_id)
        stored = _stored_measures(connection, judged.id)
        shown = stored if measures is None else [name for name in measures if name in stored]
        figures = connection.execute(
            select(aggregate_t.c.measure_id, evaluation_t.c.run_id, aggregate_t.c.value)
            .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
            .where(
                evaluation_t.c.qrels_id == judged.id,
                aggregate_t.c.measure_id.in_([stored[name] for name in shown]),
            )
        ).all()
        queries = connection.execute(
            select(qrels_t.c.queries).where(qrels_t.c.id == judged.id)
        ).scalar_one()
    names = in_order(set(stored))
    columns = [name for name in names if name in shown]
    return Leaderboard(
        collection,
        judged.name,
        int(queries),
        runs,
        _wide(runs["run_id"], {stored[name]: name for name in columns}, figures),
        names,
    )


def _stored_measures(connection: Connection, qrels: int) -> dict[str, int]:
    """The measures that some run has a figure of under a qrels, and their ids."""
    some = (
        select(aggregate_t.c.measure_id)
        .join(evaluation_t, evaluation_t.c.id == aggregate_t.c.evaluation_id)
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .where(
            aggregate_t.c.measure_id == measure_t.c.id,
            evaluation_t.c.qrels_id == qrels,
            run_t.c.deleted_at.is_(None),
        )
        .exists()
    )
    rows = connection.execute(select(measure_t.c.name, measure_t.c.id).where(some))
    return {row[0]: row[1] for row in rows}


def _wide(
    runs: pd.Series[int], measures: dict[int, str], figures: Sequence[Row[int, int, float]]
) -> pd.DataFrame:
    """A row per run and a column per measure; NaN where a run has no figure."""
    row_of = {run: place for place, run in enumerate(runs.tolist())}
    column_of = {measure: place for place, measure in enumerate(measures)}
    values = np.full((len(row_of), len(column_of)), np.nan)
    for measure, run, value in figures:
        if run in row_of:  # not one that is marked as removed
            values[row_of[run], column_of[measure]] = value
    return pd.DataFrame(values, index=pd.Index(runs), columns=list(measures.values()))


def measures(store: Store, collection: str, qrels: str | None = None) -> tuple[str, ...]:
    """The measures that runs of a collection have figures of, in the order people list them.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        _, judged = _chosen(connection, collection, qrels)
        return in_order(set(_stored_measures(connection, judged.id)))


def _chosen(connection: Connection, collection: str, qrels: str | None) -> tuple[int, StoredQrels]:
    collection_id = find_collection(connection, collection)
    if collection_id is None:
        raise NotFound(f"there is no collection {collection!r} in the store")
    return collection_id, _chosen_qrels(connection, collection_id, collection, qrels)


def _chosen_qrels(
    connection: Connection, collection_id: int, collection: str, name: str | None
) -> StoredQrels:
    known = list_qrels(connection, collection_id)
    if not known:
        raise NotFound(f"collection {collection!r} has no qrels yet")
    if name is None:
        return known[0]
    for stored in known:
        if stored.name == name:
            return stored
    names = ", ".join(repr(stored.name) for stored in known)
    raise NotFound(f"collection {collection!r} has no qrels {name!r}; it has {names}")


def _runs(connection: Connection, collection_id: int) -> pd.DataFrame:
    rows = connection.execute(
        select(
            run_t.c.id,
            engine_t.c.name,
            run_t.c.name,
            experiment_t.c.name,
            run_t.c.created_at,
            run_t.c.queries,
            run_t.c.retrieved,
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(experiment_t, experiment_t.c.id == run_t.c.experiment_id)
        .where(run_t.c.collection_id == collection_id, run_t.c.deleted_at.is_(None))
        .order_by(engine_t.c.name, run_t.c.name)
    ).all()
    return pd.DataFrame(
        {
            "run_id": pd.array([row[0] for row in rows], dtype="int64"),
            "engine": pd.Series([row[1] for row in rows], dtype="object"),
            "run": pd.Series([row[2] for row in rows], dtype="object"),
            "experiment": pd.Series([row[3] for row in rows], dtype="object"),
            "date": pd.to_datetime([row[4] for row in rows], utc=True),
            "queries_answered": pd.array([row[5] for row in rows], dtype="int64"),
            "retrieved": pd.array([row[6] for row in rows], dtype="int64"),
        }
    )


def in_order(names: set[str]) -> tuple[str, ...]:
    """Measures in the order people list them: by the registry, then by parameters and cutoff."""
    families = {name: place for place, name in enumerate(registry())}

    def key(name: str) -> tuple[int, str, float, str]:
        try:
            measure = parse(name)
        except MeasureError:  # stored by a version that knew more
            return len(families), name, 0.0, name
        return families[measure.name], str(measure.parameters), measure.cutoff or 0, name

    return tuple(sorted(names, key=key))
