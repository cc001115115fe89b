"""Facts that some measures need besides a run and its qrels.

Judgments by subtopic and by judgment group, preferences and known documents belong to a
collection; response times, explanations and costs to a run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection, Table, delete, insert, select

from evalstore.formats.qrels import SubtopicQrels
from evalstore.formats.reading import ids
from evalstore.formats.trec.preferences import Preferences, Row, preferences_of
from evalstore.measures import Measure
from evalstore.measures.join import Extras
from evalstore.measures.judged import F64
from evalstore.store.columns import texts
from evalstore.store.models import (
    collection_t,
    engine_t,
    explanation_t,
    group_t,
    judgment_t,
    known_t,
    parent_t,
    preference_t,
    query_t,
    run_t,
    subtopic_t,
    time_t,
)
from evalstore.store.queries.queries import ensure_queries, ensure_query_ids
from evalstore.store.queries.runs import CONTENT_HASH
from evalstore.store.rows import bulk_insert, change_row

OF_RUN = ("index_bytes", "memory_bytes", "money", "currency", "energy_joules")
"""The facts that are stored as columns of the run."""

FACTS = {
    "subtopic_judgments": subtopic_t,
    "group_judgments": group_t,
    "preference_judgments": preference_t,
    "known_documents": known_t,
}
"""The tables with facts of a collection, by their name in Parquet."""


def set_judgments(
    connection: Connection, collection_id: int, table: Table, judgments: SubtopicQrels | Preferences
) -> None:
    """Store judgments by subtopic or judgment group, or preferences, replacing earlier ones."""
    columns: tuple[pa.Array | F64, ...]
    if isinstance(judgments, Preferences):
        columns = (judgments.groups, judgments.subgroups, judgments.docnos, judgments.levels)
    else:
        columns = (judgments.docnos, judgments.subtopics, judgments.grades)
    (query_ids,) = ensure_query_ids(connection, collection_id, judgments.qids)
    query = np.repeat(query_ids, judgments.lengths).tolist()
    lists = [c.tolist() if isinstance(c, np.ndarray) else texts(c) for c in columns]
    names = tuple(column.name for column in table.columns if column.name != "collection_id")
    connection.execute(delete(table).where(table.c.collection_id == collection_id))
    rows = zip(query, *lists, strict=True)
    bulk_insert(connection, table, names, rows, {"collection_id": collection_id})


def set_known(
    connection: Connection, collection_id: int, known: Mapping[str, Collection[str]]
) -> None:
    """Store the documents that each query's user already knew, replacing earlier ones."""
    query_ids = ensure_queries(connection, collection_id, known)
    rows = [(query_ids[qid], docno) for qid, docnos in known.items() for docno in sorted(docnos)]
    connection.execute(delete(known_t).where(known_t.c.collection_id == collection_id))
    bulk_insert(connection, known_t, ("query_id", "docno"), rows, {"collection_id": collection_id})


def set_times(
    connection: Connection, collection_id: int, run_id: int, times: Mapping[str, float]
) -> None:
    """Store the response times of a run (milliseconds), replacing earlier ones."""
    query_ids = ensure_queries(connection, collection_id, times)
    rows = [(query_ids[qid], float(time)) for qid, time in times.items()]
    connection.execute(delete(time_t).where(time_t.c.run_id == run_id))
    bulk_insert(connection, time_t, ("query_id", "milliseconds"), rows, {"run_id": run_id})


def set_explanations(
    connection: Connection,
    collection_id: int,
    run_id: int,
    explanations: Mapping[tuple[str, str], str],
) -> None:
    """Store an engine's explanations by query id and docno, replacing earlier ones of the run."""
    query_ids = ensure_queries(connection, collection_id, {qid for qid, _ in explanations})
    rows = [(query_ids[qid], docno, text) for (qid, docno), text in explanations.items()]
    connection.execute(delete(explanation_t).where(explanation_t.c.run_id == run_id))
    bulk_insert(connection, explanation_t, ("query_id", "docno", "text"), rows, {"run_id": run_id})


def load_explanations(
    connection: Connection, run_ids: Sequence[int], query_id: int, docno: str
) -> dict[int, str]:
    """The explanations of a document's score for a query, by the id of the run."""
    chosen = select(explanation_t.c.run_id, explanation_t.c.text).where(
        explanation_t.c.run_id.in_(run_ids),
        explanation_t.c.query_id == query_id,
        explanation_t.c.docno == docno,
    )
    return {row.run_id: row.text for row in connection.execute(chosen)}


def load_extras(
    connection: Connection, collection_id: int, run_id: int, measures: Iterable[Measure]
) -> Extras | None:
    """The stored facts that these measures need besides a run and its qrels; None if none do.

    Only needed facts are loaded, because they can cause work: if the collection's size is known,
    for example, the documents of the whole run are counted.
    """
    needs = {need for measure in measures for need in measure.descriptor.facts}
    if not needs:
        return None
    load: dict[str, Callable[[], Any]] = {
        "collection_size": lambda: connection.execute(
            select(collection_t.c.documents).where(collection_t.c.id == collection_id)
        ).scalar(),
        "known": lambda: load_known(connection, collection_id),
        "times": lambda: load_times(connection, run_id),
        "subtopics": lambda: load_judgments(connection, collection_id, subtopic_t),
        "judgment_groups": lambda: load_judgments(connection, collection_id, group_t),
        "preferences": lambda: load_preferences(connection, collection_id),
    }
    values = {need: load[need]() for need in needs if need in load}
    of_run = [run_t.c[name] for name in OF_RUN if name in needs]
    if of_run:
        row = connection.execute(select(*of_run).where(run_t.c.id == run_id)).one()
        values |= row._mapping
    return Extras(**values)


def load_known(connection: Connection, collection_id: int) -> dict[str, set[str]] | None:
    """The documents that each query's user already knew; None if none are stored."""
    known: dict[str, set[str]] = {}
    for qid, docno in _rows(connection, known_t, collection_id):
        known.setdefault(qid, set()).add(docno)
    return known or None


def load_times(connection: Connection, run_id: int) -> dict[str, float] | None:
    """The response times of a run in milliseconds by query id; None if none are stored."""
    rows = connection.execute(
        select(query_t.c.qid, time_t.c.milliseconds)
        .join(query_t, query_t.c.id == time_t.c.query_id)
        .where(time_t.c.run_id == run_id)
        .order_by(query_t.c.qid)
    )
    return {row[0]: row[1] for row in rows} or None


def load_judgments(
    connection: Connection, collection_id: int, table: Table
) -> SubtopicQrels | None:
    """The judgments by subtopic or by judgment group; None if none are stored."""
    rows = _rows(connection, table, collection_id)
    if not rows:
        return None
    qids = tuple(dict.fromkeys(row[0] for row in rows))
    number = {qid: i for i, qid in enumerate(qids)}
    lengths = np.bincount([number[row[0]] for row in rows], minlength=len(qids))
    return SubtopicQrels(
        path="the store",
        qids=qids,
        lengths=lengths,
        docnos=ids.column([row[1].encode() for row in rows]),
        subtopics=ids.column([row[2].encode() for row in rows]),
        grades=np.array([row[3] for row in rows], np.float64),
    )


def load_preferences(connection: Connection, collection_id: int) -> Preferences | None:
    """The preferences between documents; None if none are stored."""
    rows = [
        Row(qid.encode(), group.encode(), subgroup.encode(), docno.encode(), level)
        for qid, group, subgroup, docno, level in _rows(connection, preference_t, collection_id)
    ]
    return preferences_of("the store", rows) if rows else None


def _rows(connection: Connection, table: Table, collection_id: int) -> list[tuple[Any, ...]]:
    """The query id and further columns of each row of a collection, in the order of the key."""
    key = [c for c in table.primary_key.columns if c.name not in ("collection_id", "query_id")]
    query = (
        select(query_t.c.qid, *list(table.columns)[2:])
        .join(query_t, query_t.c.id == table.c.query_id)
        .where(table.c.collection_id == collection_id)
        .order_by(query_t.c.qid, *key)
    )
    return [tuple(row) for row in connection.execute(query)]


# The facts of a run besides its rankings: parameters, tags, origin, costs and parent

COLUMNS = (
    *("parameters", "tags", "note", "commit", "commit_dirty", "host", "started_by"),
    *("started_at", "ended_at", "command", "index_version", "collection_version", "header"),
    *("index_bytes", "memory_bytes", "money", "currency", "energy_joules"),
)
"""The columns of `run` with facts that people and tools give."""


@dataclass(frozen=True)
class RunFacts:
    """The facts of a run besides its rankings; None for those not given.

    Attributes with the same name as in `catalog.given_facts.GivenFacts` mean the same.

    Attributes:
        id, name, tag, collection: those of the run; `tag` is the run tag in its file.
        engine, experiment: the names of the run's engine and experiment.
        created_at: when it was stored (UTC).
        queries, retrieved: the numbers of queries answered and of documents in all rankings;
            `retrieved` is None for a run that was given as values.
        values_only: whether it was given as values of measures, without rankings.
        tags: in byte order.
        content_hash: SHA-256 of its rankings, or of its values.
        parent: the name of the run that this one was derived from; None if that was removed.
    """

    id: int
    name: str
    tag: str
    collection: str
    engine: str
    experiment: str | None
    created_at: datetime
    queries: int
    retrieved: int | None
    tags: tuple[str, ...]
    parameters: dict[str, Any] | None
    commit: str | None
    index_bytes: int | None
    content_hash: str
    note: str | None = None
    commit_dirty: bool | None = None
    host: str | None = None
    started_by: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    command: str | None = None
    index_version: str | None = None
    collection_version: str | None = None
    header: dict[str, Any] | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    parent: str | None = None
    values_only: bool = False


def load_run_facts(connection: Connection, run_id: int) -> RunFacts:
    """The facts of a stored run besides its rankings."""
    own = ("id", "name", "tag", "created_at", "queries", "retrieved")
    row = connection.execute(
        select(
            *(run_t.c[name] for name in (*own, *COLUMNS, "values_only")),
            CONTENT_HASH.label("content_hash"),
            collection_t.c.name.label("collection"),
            engine_t.c.name.label("engine"),
            run_t.c.experiment,
        )
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .where(run_t.c.id == run_id)
    ).one()
    values = dict(row._mapping)
    if row.values_only:
        values["retrieved"] = None
    parent = next(ancestors(connection, run_id), None)
    parent_name = None if parent is None or parent.is_removed else parent.name
    return RunFacts(**{**values, "tags": tuple(row.tags or ()), "parent": parent_name})


def load_values(connection: Connection, run_id: int) -> dict[str, Any]:
    """The facts of a run that people and tools give, by column (`COLUMNS`)."""
    row = connection.execute(
        select(*(run_t.c[name] for name in COLUMNS)).where(run_t.c.id == run_id)
    ).one()
    return dict(row._mapping)


def list_values(
    connection: Connection, run_ids: Collection[int] | None = None
) -> dict[int, dict[str, Any]]:
    """The given facts of active runs (all, or those with these ids) and their tags, by run id."""
    chosen = select(run_t.c.id, run_t.c.tag, *(run_t.c[name] for name in COLUMNS)).where(
        run_t.c.deleted_at.is_(None)
    )
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    rows = connection.execute(chosen)
    return {row.id: dict(row._mapping) for row in rows}


def set_values(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Set facts of a run by column; columns not named stay unchanged."""
    if values:
        change_row(connection, run_t, run_id, **values)


@dataclass(frozen=True)
class Ancestor:
    """A run that another one was derived from, directly or in several steps."""

    id: int
    name: str
    is_removed: bool


def ancestors(connection: Connection, run_id: int) -> Iterator[Ancestor]:
    """The parent of a run, then the parent's parent, and so on."""
    seen = {run_id}
    while True:
        row = connection.execute(
            select(run_t.c.id, run_t.c.name, run_t.c.deleted_at)
            .join(parent_t, parent_t.c.parent_id == run_t.c.id)
            .where(parent_t.c.run_id == run_id)
        ).first()
        if row is None or row.id in seen:
            return
        yield Ancestor(row.id, row.name, row.deleted_at is not None)
        run_id = row.id
        seen.add(run_id)


def derived_runs(connection: Connection, run_id: int) -> list[str]:
    """The names of the active runs that were derived from a run, in byte order."""
    rows = connection.execute(
        select(run_t.c.name)
        .join(parent_t, parent_t.c.run_id == run_t.c.id)
        .where(parent_t.c.parent_id == run_id, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.name)
    )
    return list(rows.scalars())


def set_parent(connection: Connection, run_id: int, parent_id: int | None) -> None:
    """Set the run that a run was derived from; None for no run."""
    connection.execute(delete(parent_t).where(parent_t.c.run_id == run_id))
    if parent_id is not None:
        connection.execute(insert(parent_t).values(run_id=run_id, parent_id=parent_id))


# The recorded costs of the runs of a collection


def list_index_bytes(connection: Connection, collection_id: int) -> dict[int, int]:
    """The sizes of the indexes, by run id; active runs without one are left out."""
    rows = connection.execute(
        select(run_t.c.id, run_t.c.index_bytes).where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            run_t.c.index_bytes.is_not(None),
        )
    )
    return {row[0]: row[1] for row in rows}


def list_times(connection: Connection, collection_id: int, qrels_id: int) -> dict[int, list[float]]:
    """The response times (ms) for the queries that a qrels judges, by the active run's id."""
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    rows = connection.execute(
        select(time_t.c.run_id, time_t.c.milliseconds)
        .join(run_t, run_t.c.id == time_t.c.run_id)
        .where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            time_t.c.query_id.in_(judged),
        )
    )
    times: dict[int, list[float]] = {}
    for run_id, milliseconds in rows:
        times.setdefault(run_id, []).append(milliseconds)
    return times
