"""What use cases ask a store, as tuples and arrays. Runs marked as deleted are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection, select

from evalstore.errors import NotFound
from evalstore.store import models
from evalstore.trec import ids
from evalstore.trec.qrels import Qrels

collection_t = models.Collection.__table__
query_t = models.Query.__table__
qrels_t = models.Qrels.__table__
judgment_t = models.Judgment.__table__
run_t = models.Run.__table__
evaluation_t = models.Evaluation.__table__


@dataclass(frozen=True)
class Stored:
    """The name and identity of a run or qrels in the store."""

    id: int
    name: str
    content_hash: str


def collection_id(connection: Connection, name: str) -> int | None:
    """The id of a collection, or None."""
    found = select(collection_t.c.id).where(collection_t.c.name == name)
    return connection.execute(found).scalar()


def qrels_of(connection: Connection, collection: int) -> list[Stored]:
    """The qrels of a collection, newest first."""
    rows = connection.execute(
        select(qrels_t.c.id, qrels_t.c.name, qrels_t.c.content_hash)
        .where(qrels_t.c.collection_id == collection)
        .order_by(qrels_t.c.id.desc())
    )
    return [Stored(*row) for row in rows]


def documents(connection: Connection, collection: int) -> list[tuple[str, str, str]]:
    """The (docno, title, text) of a collection's documents, by docno."""
    table = models.Document.__table__
    rows = connection.execute(
        select(table.c.docno, table.c.title, table.c.text)
        .where(table.c.collection_id == collection)
        .order_by(table.c.docno)
    )
    return [(row[0], row[1], row[2]) for row in rows]


def run_by(
    connection: Connection, collection: int, *, name: str | None = None, content: str | None = None
) -> Stored | None:
    """The run of a collection with that name, or that content hash."""
    what = run_t.c.name == name if name is not None else run_t.c.content_hash == content
    row = connection.execute(
        select(run_t.c.id, run_t.c.name, run_t.c.content_hash).where(
            run_t.c.collection_id == collection, what
        )
    ).first()
    return Stored(*row) if row else None


def evaluation_of(connection: Connection, run: int, qrels: int) -> int | None:
    """The evaluation of a run under a qrels, or None."""
    found = select(evaluation_t.c.id).where(
        evaluation_t.c.run_id == run, evaluation_t.c.qrels_id == qrels
    )
    return connection.execute(found).scalar()


def judgments(connection: Connection, qrels: Stored) -> Qrels:
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
    docnos = pa.array([row[1].encode() for row in rows], pa.binary())
    salts = ids.hash_ids(pa.array([qid.encode() for qid in qids], pa.binary()))
    return Qrels(
        path=qrels.name,
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos,
        grades=np.array([row[2] for row in rows], np.float64),
        keys=ids.hash_ids(docnos, salts[codes]),
        warnings=(),
    )
