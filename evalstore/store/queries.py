"""The queries of a collection and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select, update

from evalstore.store import models
from evalstore.store.rows import bulk_insert

query_t = models.table(models.Query)


def ensure_queries(
    connection: Connection, collection_id: int, qids: Iterable[str]
) -> dict[str, int]:
    """The ids of a collection's queries by qid; missing ones are inserted."""

    def stored_ids() -> dict[str, int]:
        rows = connection.execute(
            select(query_t.c.qid, query_t.c.id).where(query_t.c.collection_id == collection_id)
        )
        return dict(rows.all())

    ids = stored_ids()
    missing = [(qid,) for qid in dict.fromkeys(qids) if qid not in ids]
    if missing:  # no other writer can insert them meanwhile: writers take turns
        bulk_insert(connection, query_t, ("qid",), missing, {"collection_id": collection_id})
        ids = stored_ids()
    return ids


def set_query_texts(connection: Connection, collection_id: int, texts: Mapping[str, str]) -> int:
    """Store the texts of queries; returns how many were new or changed."""
    ensure_queries(connection, collection_id, texts)
    rows = connection.execute(
        select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == collection_id)
    )
    changed = [(qid, texts[qid]) for qid, old in rows if qid in texts and texts[qid] != old]
    for qid, text in changed:
        connection.execute(
            update(query_t)
            .where(query_t.c.collection_id == collection_id, query_t.c.qid == qid)
            .values(text=text)
        )
    return len(changed)
