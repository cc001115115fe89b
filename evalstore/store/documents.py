"""The texts of documents, for reading a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, select, update

from evalstore.store import models
from evalstore.store.rows import bulk_insert

collection_t = models.table(models.Collection)

CHUNK = 500
"""Docnos in one DELETE."""


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
    """Store (docno, title, text) of a collection's documents; those it had are deleted."""
    table = models.table(models.Document)
    connection.execute(delete(table).where(table.c.collection_id == collection_id))
    rows = list(documents)
    same = {"collection_id": collection_id}
    bulk_insert(connection, table, ("docno", "title", "text"), rows, same)
    connection.execute(
        update(collection_t).where(collection_t.c.id == collection_id).values(documents=len(rows))
    )


def wanted_docnos(connection: Connection, collection_id: int) -> set[str]:
    """The docnos whose text is worth storing: judged, or in `retrieved` for some run."""
    judgment_t, qrels_t = models.table(models.Judgment), models.table(models.Qrels)
    retrieved_t, run_t = models.table(models.Retrieved), models.table(models.Run)
    judged = (
        select(judgment_t.c.docno)
        .join(qrels_t, qrels_t.c.id == judgment_t.c.qrels_id)
        .where(qrels_t.c.collection_id == collection_id)
    )
    retrieved = (
        select(retrieved_t.c.docno)
        .join(run_t, run_t.c.id == retrieved_t.c.run_id)
        .where(run_t.c.collection_id == collection_id)
    )
    return set(connection.execute(judged.union(retrieved)).scalars())


def add_documents(
    connection: Connection, collection_id: int, documents: Sequence[tuple[str, str, str]]
) -> None:
    """Store (docno, title, text) of some documents; their earlier texts are replaced."""
    table = models.table(models.Document)
    for at in range(0, len(documents), CHUNK):
        docnos = [docno for docno, _, _ in documents[at : at + CHUNK]]
        own = table.c.collection_id == collection_id
        connection.execute(delete(table).where(own, table.c.docno.in_(docnos)))
    columns, same = ("docno", "title", "text"), {"collection_id": collection_id}
    bulk_insert(connection, table, columns, documents, same)
