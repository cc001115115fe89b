"""Collections: their names, their numbers of rows, and whether they are marked as removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, literal_column, select, text

from evalstore.store import models
from evalstore.store.dialects import dialect_of
from evalstore.store.models import collection_t, qrels_t, query_t, run_t
from evalstore.store.rows import ensure_row, fields, find_row, is_removed

Access = Literal["store", "private", "public"]
"""The readers of a collection on the team's server: those who may read the whole store, only those
with a role in the collection itself, or everyone.
"""


@dataclass(frozen=True)
class StoredCollection:
    """A collection, with the number of rows that belong to it.

    Attributes:
        documents: the number of documents in the collection; None if it was not given.
        queries, qrels, runs: the numbers of each, without removed qrels and runs.
        default_qrels: the name of the qrels whose figures are shown; None if there are no qrels.
        removed_at: when it was marked as removed; None for active collections.
        measures: the measures that an ingest stores, for `parse_list`; None for the set `standard`.
        mappings: the saved mappings by name, None without any.
    """

    id: int
    name: str
    documents: int | None
    queries: int
    qrels: int
    runs: int
    default_qrels: str | None
    created_at: datetime
    removed_at: datetime | None
    access: Access
    measures: str | None
    mappings: dict[str, str] | None


def find_collection(
    connection: Connection, name: str, *, removed: bool | None = False
) -> int | None:
    """The id of an active collection, of a removed one (`removed` True), or of either (None)."""
    query = select(collection_t.c.id).where(collection_t.c.name == name)
    if removed is not None:
        query = query.where(is_removed(collection_t, removed))
    return connection.execute(query).scalar()


def list_collections(
    connection: Connection, *, removed: bool | None = False
) -> list[StoredCollection]:
    """Collections by name: active ones, removed ones (`removed` True), or both (None)."""

    def count(table: str) -> str:
        return f"SELECT count(*) FROM {table} WHERE {table}.collection_id = collection.id"  # noqa: S608  (names are our own)

    columns = fields(
        StoredCollection,
        collection_t,
        queries=literal_column(f"({count('query')})"),
        qrels=literal_column(f"({count('qrels')} AND qrels.deleted_at IS NULL)"),
        runs=literal_column(f"({count('run')} AND run.deleted_at IS NULL)"),
        default_qrels=qrels_t.c.name,
        removed_at=collection_t.c.deleted_at,
    )
    is_default = (qrels_t.c.collection_id == collection_t.c.id) & qrels_t.c.is_default
    query = select(*columns).outerjoin(qrels_t, is_default)
    if removed is not None:
        query = query.where(is_removed(collection_t, removed))
    rows = connection.execute(query.order_by(collection_t.c.name))
    return [StoredCollection(*row) for row in rows]


class ActiveCollection(NamedTuple):
    """The name and access of a collection that isn't removed."""

    name: str
    access: Access


def active_collection(connection: Connection, collection_id: int) -> ActiveCollection | None:
    """The collection with that id; None if it is removed or does not exist."""
    rows = select(collection_t.c.name, collection_t.c.access)
    rows = rows.where(collection_t.c.id == collection_id, collection_t.c.deleted_at.is_(None))
    return find_row(connection, ActiveCollection, rows)


def access_of_collections(connection: Connection) -> dict[int, Access]:
    """The access of each collection, by its id; includes removed ones."""
    rows = connection.execute(select(collection_t.c.id, collection_t.c.access))
    return {row[0]: row[1] for row in rows}


def names_of_collections(connection: Connection) -> dict[int, str]:
    """The names of all collections, by id; includes removed ones."""
    rows = connection.execute(select(collection_t.c.id, collection_t.c.name))
    return {row[0]: row[1] for row in rows}


def load_judging(
    connection: Connection, collection_id: int
) -> tuple[dict[str, str] | None, str | None, str | None]:
    """Texts for assessors of a collection: labels of grades, template of links, guidelines."""
    columns = (collection_t.c.grade_labels, collection_t.c.document_link, collection_t.c.guidelines)
    row = connection.execute(select(*columns).where(collection_t.c.id == collection_id)).one()
    return row[0], row[1], row[2]


def load_mappings(connection: Connection, collection_id: int) -> dict[str, str]:
    """The saved mappings of a collection, by name."""
    query = select(collection_t.c.mappings).where(collection_t.c.id == collection_id)
    return dict(connection.execute(query).scalar() or {})


def measures_of_collection(connection: Connection, collection_id: int) -> str | None:
    """The measures that an ingest stores, as in `StoredCollection.measures`."""
    query = select(collection_t.c.measures).where(collection_t.c.id == collection_id)
    return connection.execute(query).scalar()


def ensure_collection(connection: Connection, name: str, now: datetime) -> int:
    """The id of the collection with that name, created if there is none."""
    return ensure_row(connection, collection_t, {"name": name}, created_at=now)


def delete_collection(connection: Connection, collection_id: int) -> None:
    """Delete a collection and everything that belongs to it.

    The rows of its runs and qrels are deleted first, by their keys. For each query deleted
    afterwards, the database searches every table for rows that refer to it. No table is sorted by
    query, so temporary indexes are created for this transaction.
    """
    for table in (run_t, qrels_t):
        connection.execute(delete(table).where(table.c.collection_id == collection_id))
    base_table = dialect_of(connection).base_table
    children = [
        table
        for table in models.Base.metadata.sorted_tables
        if "query_id" in table.c
        and "collection_id" not in table.c
        and base_table(table) is table  # rows behind a view were deleted with the runs
    ]
    for table in children:
        connection.execute(text(f'CREATE INDEX "purge_{table.name}" ON "{table.name}" (query_id)'))
    connection.execute(delete(query_t).where(query_t.c.collection_id == collection_id))
    connection.execute(delete(collection_t).where(collection_t.c.id == collection_id))
    for table in children:
        connection.execute(text(f'DROP INDEX "purge_{table.name}"'))
