"""Files that clients upload into collections; their bytes are in the spool."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from evalstore.store.models import upload_t
from evalstore.store.rows import fields, find_row


class StoredBlob(NamedTuple):
    """An uploaded file; `received` is its size once the whole file is here and checked."""

    id: int
    collection_id: int
    sha256: str
    size: int
    received: int
    who: str
    created_at: datetime
    received_at: datetime

    @property
    def is_whole(self) -> bool:
        """Whether the whole file is here."""
        return self.received == self.size


COLUMNS = fields(StoredBlob, upload_t)


def find_blob(connection: Connection, collection_id: int, sha256: str) -> StoredBlob | None:
    """The file of a collection with that hash."""
    return find_row(connection, StoredBlob, select(*COLUMNS).where(_is(collection_id, sha256)))


def lock_blobs(connection: Connection, collection_id: int, hashes: Sequence[str]) -> set[str]:
    """The hashes of those files that are here whole; nobody else deletes them until the commit."""
    chosen = (
        select(upload_t.c.sha256)
        .where(upload_t.c.collection_id == collection_id, upload_t.c.sha256.in_(hashes))
        .where(upload_t.c.received == upload_t.c.size)
        .order_by(upload_t.c.id)
        .with_for_update()
    )
    return set(connection.execute(chosen).scalars()) if hashes else set()


def list_blobs(connection: Connection, *, before: datetime | None = None) -> list[StoredBlob]:
    """Every file, or with `before` only those that have received nothing since then."""
    chosen = select(*COLUMNS).order_by(upload_t.c.id)
    if before is not None:
        chosen = chosen.where(upload_t.c.received_at < before)
    return [StoredBlob(*row) for row in connection.execute(chosen)]


def bytes_of_collection(connection: Connection, collection_id: int) -> int:
    """The bytes of all files of a collection, including those still to come."""
    total = select(func.coalesce(func.sum(upload_t.c.size), 0))
    rows = connection.execute(total.where(upload_t.c.collection_id == collection_id))
    return int(rows.scalar_one())


def count_blobs(connection: Connection) -> dict[int, tuple[int, int]]:
    """The number of files and their bytes, for each collection that has files, by its id."""
    of = upload_t.c.collection_id
    counts = select(of, func.count(), func.sum(upload_t.c.size)).group_by(of)
    return {id_: (int(files), int(bytes_)) for id_, files, bytes_ in connection.execute(counts)}


def add_blob(
    connection: Connection, collection_id: int, sha256: str, size: int, who: str, now: datetime
) -> None:
    """Add the row of a file that has received no bytes yet."""
    connection.execute(
        insert(upload_t).values(
            collection_id=collection_id,
            sha256=sha256,
            size=size,
            received=0,
            who=who,
            created_at=now,
            received_at=now,
        )
    )


def set_received(
    connection: Connection, collection_id: int, sha256: str, received: int, now: datetime
) -> None:
    """Record how many bytes of a file have arrived."""
    values = {"received": received, "received_at": now}
    connection.execute(update(upload_t).where(_is(collection_id, sha256)).values(values))


def delete_blob(connection: Connection, collection_id: int, sha256: str) -> None:
    """Delete the row of a file."""
    connection.execute(delete(upload_t).where(_is(collection_id, sha256)))


def _is(collection_id: int, sha256: str) -> ColumnElement[bool]:
    return (upload_t.c.collection_id == collection_id) & (upload_t.c.sha256 == sha256)
