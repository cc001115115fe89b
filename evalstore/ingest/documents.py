"""Store the texts of documents, for reading a ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.errors import DataError
from evalstore.formats import Document
from evalstore.store import Store
from evalstore.store.models import collection_t
from evalstore.store.packing import pack_text
from evalstore.store.queries import events
from evalstore.store.queries.documents import (
    CHUNK,
    Docnos,
    delete_documents,
    empty_docnos,
    insert_documents,
    judged_docnos,
    load_documents,
    set_documents,
    wanted_docnos,
)
from evalstore.store.rows import change_row

MAX_DOCUMENT = 1 << 20
"""The largest size of a document's title and text that is stored by default, in bytes."""

EXAMPLES = 3
"""The judged documents without a text that a warning names."""
PADDING = re.compile(r"(?<![0-9])0+(?=[0-9])")

BATCH_BYTES = 8 << 20
"""The characters of texts in memory at once, in addition to one document."""


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
    """The numbers of a file's documents that were read, stored, and cut at the limit.

    Attributes:
        read, stored, cut: the numbers.
        first_cut: the first document that was cut; empty if none was.
        missing: how many judged documents of the collection have no text now.
        examples: the first of these.
        alike: a docno of the file and a judged one that differ in zeros, case or blanks only.
    """

    read: int
    stored: int
    cut: int = 0
    first_cut: str = ""
    missing: int = 0
    examples: tuple[str, ...] = ()
    alike: tuple[str, str] | None = None

    def warnings(self, path: str, max_bytes: int) -> list[str]:
        """Sentences on documents that were cut, and on judged documents that are missing."""
        sentences = []
        if self.cut:
            what = f"documents are cut at {max_bytes:,} bytes: {self.cut:,} of them"
            sentences.append(f"{path}: {what}, the first is {self.first_cut!r}")
        if self.missing:
            many = "judged documents have" if self.missing > 1 else "judged document has"
            more = ", ..." if self.missing > len(self.examples) else ""
            named = ", ".join(map(repr, self.examples))
            sentence = f"{path}: {self.missing:,} {many} no text: {named}{more}"
            if self.alike is not None:
                own, judged = self.alike
                sentence += f"; the file has {own!r}, judged is {judged!r}: write ids alike"
            sentences.append(sentence)
        return sentences


def store_texts(
    store: Store,
    collection: str,
    documents: Iterable[Document],
    *,
    every: bool = False,
    max_bytes: int = MAX_DOCUMENT,
) -> StoredDocuments:
    """Store titles and texts of documents, replacing those stored before, in one transaction.

    By default, only documents that are judged, or that are in the rows of a stored ranking, are
    stored; with `every`, all are. The others are only counted: the number of all documents becomes
    the size of the collection. Longer documents are cut at `max_bytes` (UTF-8) of title and text
    together, first at the end of the text. DataError: a stored document occurs twice.

    Only few documents are in memory at a time; other writers wait until the last one is read.
    """
    with store.write() as connection, ExitStack() as temporary:
        collection_id = find_collection_id(connection, collection)
        wanted = None
        if not every:
            wanted = temporary.enter_context(wanted_docnos(connection, collection_id))
        before = temporary.enter_context(empty_docnos(connection))
        judged = {_plain(docno): docno for docno in judged_docnos(connection, collection_id)}
        alike = None
        done = StoredDocuments(0, 0)
        for batch in _batches(documents):
            chosen = batch
            if wanted is not None:
                among = wanted.among([document.docno for document in batch])
                chosen = [document for document in batch if document.docno in among]
            _check_new(chosen, before)
            alike = alike or _alike(batch, judged)
            docnos = [document.docno for document in chosen]
            delete_documents(connection, collection_id, docnos)
            fitting = [_fitting(document, max_bytes) for document in chosen]
            rows = ((d.docno, d.title, pack_text(d.text)) for d in fitting)
            insert_documents(connection, collection_id, rows)
            before.add(docnos)
            cut = [d.docno for d, whole in zip(fitting, chosen, strict=True) if d is not whole]
            done = StoredDocuments(
                done.read + len(batch),
                done.stored + len(chosen),
                done.cut + len(cut),
                done.first_cut or next(iter(cut), ""),
            )
        missing = judged_docnos(connection, collection_id, without_text=True)
        done = replace(
            done,
            missing=len(missing),
            examples=tuple(missing[:EXAMPLES]),
            alike=alike if missing else None,
        )
        change_row(connection, collection_t, collection_id, documents=done.read)
        counts = {"read": done.read, "stored": done.stored}
        events.log(connection, "facts", collection, collection, kind="documents", **counts)
    return done


def _plain(docno: str) -> str:
    """A docno without leading zeros of its numbers, case and blanks around it."""
    return PADDING.sub("", docno).strip().casefold()


def _alike(batch: Sequence[Document], judged: Mapping[str, str]) -> tuple[str, str] | None:
    """The first docno of the batch that is judged in another way to write it, with that way."""
    for document in batch:
        other = judged.get(_plain(document.docno))
        if other is not None and other != document.docno:
            return document.docno, other
    return None


def _batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """The documents in batches of limited number and size."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.title) + len(document.text)
        if len(batch) == CHUNK or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _check_new(batch: Sequence[Document], before: Docnos) -> None:
    """Refuse a document that occurs twice in the batch, or also in an earlier batch."""
    seen = before.among([document.docno for document in batch])
    for document in batch:
        if document.docno in seen:
            raise DataError(f"document {document.docno!r} stands twice")
        seen.add(document.docno)


def _fitting(document: Document, most: int) -> Document:
    """The document, or its beginning if it has more than `most` bytes."""
    if 4 * (len(document.title) + len(document.text)) <= most:  # a character has at most 4 bytes
        return document
    title = _beginning(document.title, most)
    text = _beginning(document.text, most - len(title.encode()))
    if (title, text) == (document.title, document.text):
        return document
    return replace(document, title=title, text=text)


def _beginning(text: str, most: int) -> str:
    """The beginning of a text, at most `most` bytes of UTF-8."""
    return text.encode()[:most].decode(errors="ignore")
