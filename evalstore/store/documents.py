"""The texts of documents, for reading a ranking."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, select, update

from evalstore.store import models
from evalstore.store.rows import bulk_insert

collection_t = models.table(models.Collection)


def load_documents(connection: Connection, collection: int) -> list[tuple[str, str, str]]:
    """The (docno, title, text) of a collection's documents, by docno."""
    table = models.table(models.Document)
    rows = connection.execute(
        select(table.c.docno, table.c.title, table.c.text)
        .where(table.c.collection_id == collection)
        .order_by(table.c.docno)
    )
    return [(row[0], row[1], row[2]) for row in rows]


def set_documents(
    connection: Connection, collection_id: int, documents: Iterable[tuple[str, str, str]]
) -> None:
    """Store (docno, title, text) of a collection's documents, in the place of those it had."""
    table = models.table(models.Document)
    connection.execute(delete(table).where(table.c.collection_id == collection_id))
    rows = list(documents)
    same = {"collection_id": collection_id}
    bulk_insert(connection, table, ("docno", "title", "text"), rows, same)
    connection.execute(
        update(collection_t).where(collection_t.c.id == collection_id).values(documents=len(rows))
    )
