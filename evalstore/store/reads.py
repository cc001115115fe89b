"""What use cases ask a store, as tuples and arrays. Runs marked as deleted are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import ColumnElement, Connection, Select, select

from evalstore.errors import NotFound
from evalstore.formats import ids
from evalstore.formats.qrels import Qrels
from evalstore.formats.run import Run
from evalstore.measures import Compat
from evalstore.store import models, packing

collection_t = models.table(models.Collection)
query_t = models.table(models.Query)
qrels_t = models.table(models.Qrels)
judgment_t = models.table(models.Judgment)
run_t = models.table(models.Run)
evaluation_t = models.table(models.Evaluation)


@dataclass(frozen=True)
class Stored:
    """The name and identity of a run or qrels in the store."""

    id: int
    name: str
    content_hash: str


@dataclass(frozen=True)
class StoredRun:
    """A run in the store; `name` is unique within its collection.

    `removed_at` says since when it is marked as removed; None for runs that count.
    """

    id: int
    name: str
    tag: str
    collection: str
    removed_at: datetime | None = None


@dataclass(frozen=True)
class StoredEvaluation:
    """A run that was held against a qrels, and by which trec_eval's rules."""

    id: int
    collection_id: int
    collection: str
    run: StoredRun
    qrels: Stored
    compat: Compat


def collection_id(connection: Connection, name: str) -> int | None:
    """The id of a collection, or None."""
    found = select(collection_t.c.id).where(collection_t.c.name == name)
    return connection.execute(found).scalar()


def collections(connection: Connection) -> list[str]:
    """The names of all collections."""
    names = select(collection_t.c.name).order_by(collection_t.c.name)
    return list(connection.execute(names).scalars())


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
    table = models.table(models.Document)
    rows = connection.execute(
        select(table.c.docno, table.c.title, table.c.text)
        .where(table.c.collection_id == collection)
        .order_by(table.c.docno)
    )
    return [(row[0], row[1], row[2]) for row in rows]


def run_by(
    connection: Connection, collection: int, *, name: str | None = None, content: str | None = None
) -> StoredRun | None:
    """The run of a collection with that name, or that content hash; also one that is removed."""
    what = run_t.c.name == name if name is not None else run_t.c.content_hash == content
    row = connection.execute(_run_columns().where(run_t.c.collection_id == collection, what))
    found = row.first()
    return StoredRun(*found) if found else None


@dataclass(frozen=True)
class Known:
    """An evaluation that is there, and by which trec_eval's rules."""

    id: int
    compat: str


def evaluation_of(connection: Connection, run: int, qrels: int) -> Known | None:
    """The evaluation of a run under a qrels, or None."""
    found = select(evaluation_t.c.id, evaluation_t.c.compat).where(
        evaluation_t.c.run_id == run, evaluation_t.c.qrels_id == qrels
    )
    row = connection.execute(found).first()
    return Known(*row) if row else None


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


def find_run(
    connection: Connection, name: str, collection: str | None = None, *, removed: bool = False
) -> StoredRun:
    """The run of that name, or else of that id (as `evalstore runs` shows it).

    One that counts, or with `removed` one that is marked as removed.

    Raises:
        NotFound: none, or several collections have one and none is named.
    """
    found = _named(connection, name, collection, removed)
    if not found:
        where = "in the store" if collection is None else f"in collection {collection!r}"
        if _named(connection, name, collection, not removed):
            raise NotFound(
                f"run {name!r} {where} is not removed: `evalstore rm` comes first"
                if removed
                else f"run {name!r} {where} was removed: `evalstore restore` brings it back"
            )
        lists = (
            "`evalstore restore` lists the removed ones"
            if removed
            else "`evalstore runs` lists them"
        )
        raise NotFound(f"there is no run {name!r} {where}; {lists}")
    if len(found) > 1:
        names = ", ".join(repr(run.collection) for run in found)
        raise NotFound(f"several collections have a run {name!r}: say --collection, one of {names}")
    return found[0]


def _named(
    connection: Connection, name: str, collection: str | None, removed: bool
) -> list[StoredRun]:
    found = runs(connection, run_t.c.name == name, collection=collection, removed=removed)
    if not found and name.isdecimal() and len(name) < 19 and int(name) < 2**31:
        return runs(connection, run_t.c.id == int(name), collection=collection, removed=removed)
    return found


def runs(
    connection: Connection,
    *which: ColumnElement[bool],
    collection: str | None = None,
    removed: bool | None = False,
) -> list[StoredRun]:
    """Runs by collection and name: those that count, those removed (True), or both (None)."""
    chosen = _run_columns().where(*which).order_by(collection_t.c.name, run_t.c.name)
    if removed is not None:
        chosen = chosen.where(_marked(removed))
    if collection is not None:
        chosen = chosen.where(collection_t.c.name == collection)
    return [StoredRun(*row) for row in connection.execute(chosen)]


def _marked(removed: bool) -> ColumnElement[bool]:
    mark = run_t.c.deleted_at
    return mark.is_not(None) if removed else mark.is_(None)


def _run_columns() -> Select[Any]:
    return select(
        run_t.c.id, run_t.c.name, run_t.c.tag, collection_t.c.name, run_t.c.deleted_at
    ).join(collection_t, collection_t.c.id == run_t.c.collection_id)


def counts(connection: Connection, run: int) -> bool:
    """Whether a run is there and not removed."""
    return bool(runs(connection, run_t.c.id == run))


def rankings(connection: Connection, run: int) -> Iterator[tuple[str, bytes]]:
    """The packed rankings of a run with their qids, in byte order."""
    table = models.table(models.Ranking)
    rows = connection.execute(
        select(query_t.c.qid, table.c.packed)
        .join(query_t, query_t.c.id == table.c.query_id)
        .where(table.c.run_id == run)
        .order_by(query_t.c.qid)
    )
    return ((row[0], row[1]) for row in rows)


def run_content(connection: Connection, run: StoredRun) -> Run:
    """A stored run as it was read from its file, its ties settled."""
    qids, lists, scores = [], [], []
    for qid, packed in rankings(connection, run.id):
        docnos, values = packing.unpack(packed)
        qids.append(qid)
        lists.append(docnos)
        scores.append(values)
    lengths = np.array([len(values) for values in scores], np.int64)
    return Run(
        path=run.name,
        tag=run.tag,
        qids=tuple(qids),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=pa.concat_arrays(lists),
        scores=np.concatenate(scores),
        warnings=(),
    )


def evaluations(
    connection: Connection,
    runs: list[int] | None,
    collection: str | None,
    *,
    removed: bool | None = False,
) -> list[StoredEvaluation]:
    """The evaluations of all runs, or of some, sorted by qrels and run; `removed` as in `runs`."""
    chosen = (
        select(
            evaluation_t.c.id,
            collection_t.c.id,
            collection_t.c.name,
            run_t.c.id,
            run_t.c.name,
            run_t.c.tag,
            qrels_t.c.id,
            qrels_t.c.name,
            qrels_t.c.content_hash,
            evaluation_t.c.compat,
        )
        .join(run_t, run_t.c.id == evaluation_t.c.run_id)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .order_by(qrels_t.c.id, run_t.c.id)
    )
    if removed is not None:
        chosen = chosen.where(_marked(removed))
    if runs is not None:
        chosen = chosen.where(run_t.c.id.in_(runs))
    if collection is not None:
        chosen = chosen.where(collection_t.c.name == collection)
    return [
        StoredEvaluation(
            row[0], row[1], row[2], StoredRun(*row[3:6], row[2]), Stored(*row[6:9]), row[9]
        )
        for row in connection.execute(chosen)
    ]


def stored_measures(connection: Connection, evaluation: int) -> set[str]:
    """The names of the measures that an evaluation has."""
    measure_t, aggregate_t = models.table(models.Measure), models.table(models.Aggregate)
    rows = connection.execute(
        select(measure_t.c.name)
        .join(aggregate_t, aggregate_t.c.measure_id == measure_t.c.id)
        .where(aggregate_t.c.evaluation_id == evaluation)
    )
    return {row[0] for row in rows}
