"""The texts of documents, for reading a ranking."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from sqlalchemy import Column, Connection, MetaData, Table, delete, func, insert, select, update

from evalstore.store.dialects.dialect import BYTE_TEXT
from evalstore.store.models import (
    collection_t,
    content_t,
    document_t,
    judgment_t,
    qrels_t,
    retrieved_t,
)
from evalstore.store.packing import pack_text, unpack_start, unpack_text
from evalstore.store.rows import bulk_insert

Row = tuple[str, str | None, bytes | None]
"""A document's docno, title and packed text."""

CHUNK = 500
"""Documents held in memory, or docnos in one statement, at most."""


def iter_documents(connection: Connection, collection: int) -> Generator[Row, None, None]:
    """The documents of a collection by docno, few at a time; close it like `iter_rankings`."""
    chosen = (
        select(document_t.c.docno, document_t.c.title, document_t.c.packed)
        .where(document_t.c.collection_id == collection)
        .order_by(document_t.c.docno)
        .execution_options(yield_per=CHUNK)
    )
    with connection.execute(chosen) as rows:
        for row in rows:
            yield row[0], row[1], row[2]


def load_documents(
    connection: Connection, collection: int
) -> list[tuple[str, str | None, str | None]]:
    """The (docno, title, text) of a collection's documents, by docno; a StoreError if damaged."""
    with closing(iter_documents(connection, collection)) as documents:
        return [
            (docno, title, None if packed is None else unpack_text(packed))
            for docno, title, packed in documents
        ]


def load_texts(
    connection: Connection, collection_id: int, docnos: Sequence[str], most: int
) -> dict[str, tuple[str, str]]:
    """The title and text of documents that are stored, each cut after `most` characters.

    Raises:
        StoreError: a packed text is damaged.
    """
    own = document_t.c.collection_id == collection_id
    columns = (document_t.c.docno, func.substr(document_t.c.title, 1, most), document_t.c.packed)
    stored: dict[str, tuple[str, str]] = {}
    for at in range(0, len(docnos), CHUNK):
        chosen = select(*columns).where(own, document_t.c.docno.in_(docnos[at : at + CHUNK]))
        for docno, title, packed in connection.execute(chosen):
            text = "" if packed is None else unpack_start(packed, most)
            stored[docno] = (title or "", text)
    return stored


def set_documents(
    connection: Connection, collection_id: int, documents: Iterable[tuple[str, str, str]]
) -> None:
    """Store (docno, title, text) of a collection's documents, replacing earlier ones."""
    connection.execute(delete(document_t).where(document_t.c.collection_id == collection_id))
    rows = [(docno, title, pack_text(text)) for docno, title, text in documents]
    insert_documents(connection, collection_id, rows)
    connection.execute(
        update(collection_t).where(collection_t.c.id == collection_id).values(documents=len(rows))
    )


def insert_documents(connection: Connection, collection_id: int, rows: Iterable[Row]) -> None:
    """Store documents that the collection does not have."""
    columns, same = ("docno", "title", "packed"), {"collection_id": collection_id}
    bulk_insert(connection, document_t, columns, rows, same)


def delete_documents(connection: Connection, collection_id: int, docnos: Sequence[str]) -> None:
    """Delete the titles and texts of documents, at most `CHUNK` at once."""
    own = document_t.c.collection_id == collection_id
    connection.execute(delete(document_t).where(own, document_t.c.docno.in_(docnos)))


def stored_docnos(connection: Connection, collection_id: int, docnos: Sequence[str]) -> set[str]:
    """The docnos among these (at most `CHUNK`) whose documents are stored."""
    own = document_t.c.collection_id == collection_id
    rows = connection.execute(select(document_t.c.docno).where(own, document_t.c.docno.in_(docnos)))
    return set(rows.scalars())


def stores_documents(connection: Connection, collection_id: int) -> bool:
    """Whether a collection stores any document."""
    own = document_t.c.collection_id == collection_id
    return connection.execute(select(document_t.c.docno).where(own).limit(1)).first() is not None


def judged_docnos(
    connection: Connection, collection_id: int, *, without_text: bool = False
) -> list[str]:
    """The judged docnos of a collection by bytes; only those whose document is not stored."""
    own = qrels_t.c.collection_id == collection_id
    judged = (
        select(judgment_t.c.docno)
        .join(qrels_t, qrels_t.c.id == judgment_t.c.qrels_id)
        .where(own)
        .distinct()
        .order_by(judgment_t.c.docno)
    )
    if without_text:
        stored = select(document_t.c.docno).where(document_t.c.collection_id == collection_id)
        judged = judged.where(judgment_t.c.docno.not_in(stored))
    return list(connection.execute(judged).scalars())


# --- sets of docnos that may be too large for memory ---------------------------------------------


class Docnos:
    """A set of docnos in a temporary table of the database."""

    def __init__(self, connection: Connection, table: Table) -> None:
        self._connection, self._table = connection, table

    def among(self, docnos: Sequence[str]) -> set[str]:
        """The docnos among these (at most `CHUNK`) that are in the set."""
        chosen = select(self._table.c.docno).where(self._table.c.docno.in_(docnos))
        return set(self._connection.execute(chosen).scalars())

    def add(self, docnos: Iterable[str]) -> None:
        """Add docnos that are not in the set."""
        bulk_insert(self._connection, self._table, ("docno",), ((docno,) for docno in docnos))


@contextmanager
def _temporary(connection: Connection, name: str) -> Iterator[Table]:
    """A temporary table of docnos; a failed transaction removes it."""
    table = Table(
        name,
        MetaData(),
        Column("docno", BYTE_TEXT, primary_key=True),
        prefixes=["TEMPORARY"],
        sqlite_with_rowid=False,
    )
    table.create(connection)
    yield table
    table.drop(connection)


@contextmanager
def empty_docnos(connection: Connection) -> Iterator[Docnos]:
    """An empty set of docnos."""
    with _temporary(connection, "docno_read") as table:
        yield Docnos(connection, table)


@contextmanager
def wanted_docnos(connection: Connection, collection_id: int) -> Iterator[Docnos]:
    """The docnos whose text is useful: judged, or in `retrieved` for some run."""
    judged = (
        select(judgment_t.c.docno)
        .join(qrels_t, qrels_t.c.id == judgment_t.c.qrels_id)
        .where(qrels_t.c.collection_id == collection_id)
    )
    retrieved = (
        select(retrieved_t.c.docno)
        .join(content_t, content_t.c.id == retrieved_t.c.content_id)
        .where(content_t.c.collection_id == collection_id)
    )
    with _temporary(connection, "docno_wanted") as table:
        connection.execute(insert(table).from_select(["docno"], judged.union(retrieved)))
        yield Docnos(connection, table)
