"""The sets of judgments of a collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlalchemy import Connection, select

from evalstore.errors import NotFound
from evalstore.formats import ids
from evalstore.formats.qrels import Qrels
from evalstore.store import models
from evalstore.store.queries import ensure_queries
from evalstore.store.rows import bulk_insert, insert_row, texts

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

query_t = models.table(models.Query)
qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)


@dataclass(frozen=True)
class StoredQrels:
    """The name and identity of a qrels in the store."""

    id: int
    name: str
    content_hash: str


def list_qrels(connection: Connection, collection: int) -> list[StoredQrels]:
    """The qrels of a collection, newest first."""
    rows = connection.execute(
        select(qrels_t.c.id, qrels_t.c.name, qrels_t.c.content_hash)
        .where(qrels_t.c.collection_id == collection)
        .order_by(qrels_t.c.id.desc())
    )
    return [StoredQrels(*row) for row in rows]


def load_qrels(connection: Connection, qrels: StoredQrels) -> Qrels:
    """A stored qrels as it was read from its file, its queries and documents sorted by bytes."""
    rows = connection.execute(
        select(query_t.c.qid, judgment_t.c.docno, judgment_t.c.grade)
        .join(query_t, query_t.c.id == judgment_t.c.query_id)
        .where(judgment_t.c.qrels_id == qrels.id)
        .order_by(query_t.c.qid, judgment_t.c.docno)
    ).all()
    if not rows:
        raise NotFound(f"qrels {qrels.name!r} has no judgments in the store")
    qids = tuple(dict.fromkeys(row[0] for row in rows))
    place = {qid: i for i, qid in enumerate(qids)}
    codes = np.array([place[row[0]] for row in rows], np.int64)
    lengths = np.bincount(codes, minlength=len(qids))
    docnos = ids.column([row[1].encode() for row in rows])
    return Qrels(
        path=qrels.name,
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos,
        grades=np.array([row[2] for row in rows], np.float64),
        keys=ids.row_keys(qids, lengths, docnos),
        warnings=(),
    )


def add_qrels(
    connection: Connection,
    collection_id: int,
    *,
    name: str,
    content_hash: str,
    qids: Sequence[str],
    lengths: I64,
    docnos: pa.Array,
    grades: F64,
    now: datetime,
) -> int:
    """Store a set of judgments; returns its id."""
    table = models.table(models.Qrels)
    qrels_id = insert_row(
        connection,
        table,
        collection_id=collection_id,
        name=name,
        content_hash=content_hash,
        queries=len(qids),
        judgments=len(grades),
        relevant=int(np.count_nonzero(grades >= 1)),
        highest_grade=float(grades.max()),
        created_at=now,
    )
    query_ids = ensure_queries(connection, collection_id, qids)
    rows = zip(
        np.repeat([query_ids[qid] for qid in qids], lengths).tolist(),
        texts(docnos),
        grades.tolist(),
        strict=True,
    )
    columns = ("query_id", "docno", "grade")
    bulk_insert(connection, models.table(models.Judgment), columns, rows, {"qrels_id": qrels_id})
    return qrels_id
