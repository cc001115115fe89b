"""Store the texts of documents, for reading a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from evalstore.errors import DataError, NotFound
from evalstore.formats import Document
from evalstore.store import Store
from evalstore.store.collections import find_collection, set_collection_size
from evalstore.store.documents import (
    add_documents,
    load_documents,
    set_documents,
    wanted_docnos,
)


def store_documents(
    store: Store, collection_id: int, documents: Sequence[tuple[str, str, str]]
) -> bool:
    """Store the (docno, title, text) of a collection's documents; True if anything changed."""
    with store.read() as connection:
        if load_documents(connection, collection_id) == sorted(documents):
            return False
    with store.write() as connection:
        set_documents(connection, collection_id, documents)
    return True


@dataclass(frozen=True)
class StoredDocuments:
    """How many documents were read, and of how many the text was stored."""

    read: int
    stored: int


def store_texts(store: Store, collection: str, documents: Iterable[Document]) -> StoredDocuments:
    """Store the texts of the documents that are judged, or at the top of a stored ranking.

    The other documents are only counted: the number of all becomes the size of the collection.

    Args:
        store: the store to write to.
        collection: the name of the collection.
        documents: iterated over once; only those that are stored are kept in memory.

    Raises:
        NotFound: there is no such collection.
        DataError: a document occurs twice.
    """
    with store.read() as connection:
        collection_id = find_collection(connection, collection)
        if collection_id is None:
            raise NotFound(f"there is no collection {collection!r} in the store")
        wanted = wanted_docnos(connection, collection_id)
    read = 0
    texts: dict[str, tuple[str, str, str]] = {}
    for document in documents:
        read += 1
        if document.docno in wanted:
            if document.docno in texts:
                raise DataError(f"document {document.docno!r} stands twice")
            texts[document.docno] = (document.docno, document.title, document.text)

    def work(connection: Connection) -> None:
        add_documents(connection, collection_id, list(texts.values()))
        set_collection_size(connection, collection_id, read)

    store.transact(work)
    return StoredDocuments(read, len(texts))
