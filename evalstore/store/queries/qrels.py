"""The sets of judgments of a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, ScalarSelect, Select, case, func, null, select, update

from evalstore.errors import NotFound
from evalstore.formats.facts.judged_by import is_of_model
from evalstore.formats.lists import qrels_hash
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading import ids
from evalstore.store.columns import texts
from evalstore.store.models import collection_t, judgment_t, origin_t, qrels_t, query_t
from evalstore.store.queries.queries import ensure_queries, ensure_query_ids
from evalstore.store.rows import bulk_insert, fields, insert_row, is_removed


@dataclass(frozen=True)
class StoredQrels:
    """The name and identity of a qrels in the store; its origin as in `QrelsSummary`, if known."""

    id: int
    name: str
    content_hash: str
    origin: Mapping[str, Any] | None = field(default=None, compare=False)
    origins: Mapping[str, int] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class QrelsSummary:
    """A qrels with its counts and its history.

    Attributes:
        is_default: figures are shown under this qrels unless another one is named.
        removed_at: when it was marked as removed; None for active ones.
        parent: the name of the qrels that it was made of; None for a file.
        who, reason: who made this version, and why; None for a file.
        rule: how grades of several assessors became one; None without such grades.
        origin: where its judgments come from: `kind` (file, person or model), and further facts of
            a file (its `name`) or a model (`model`, ...); None for a file.
        origins: the number of judgments of each kind of origin, without those that have none;
            `pool` counts documents that nobody judged.
    """

    id: int
    collection: str
    name: str
    queries: int
    judgments: int
    relevant: int
    is_default: bool
    created_at: datetime
    removed_at: datetime | None
    content_hash: str
    parent: str | None
    who: str | None
    reason: str | None
    rule: str | None
    origin: dict[str, Any] | None
    origins: dict[str, int]


class Origin(NamedTuple):
    """The origin of a judgment; the columns of `judgment_origin`.

    Attributes:
        kind: person, model or file; pool for a document of a sample that nobody judged.
        name: the people with commas between, the model, the file, or the draft of the pool.
        pool, stratum, probability: how the document was drawn; None where that is not known.
        judged_at: None where that is not known.
    """

    kind: str
    name: str
    pool: str | None = None
    stratum: str | None = None
    probability: float | None = None
    judged_at: datetime | None = None


@dataclass(frozen=True)
class JudgmentChanges:
    """The numbers of judgments that one qrels adds to another, lacks, and grades differently."""

    added: int
    removed: int
    changed: int


def list_qrels(
    connection: Connection, collection: int, *, removed: bool | None = False
) -> list[StoredQrels]:
    """The qrels of a collection, the default first and then the newest.

    Includes active qrels, removed qrels (`removed` True), or both (None).
    """
    others = {"origin": qrels_t.c.origin, "origins": qrels_t.c.judgments}
    query = (
        select(*fields(StoredQrels, qrels_t, **others), *_own_origins())
        .where(qrels_t.c.collection_id == collection)
        .order_by(qrels_t.c.is_default.desc(), qrels_t.c.id.desc())
    )
    if removed is not None:
        query = query.where(is_removed(qrels_t, removed))
    return [
        StoredQrels(id_, name, content_hash, origin, _origins(origin, judgments, own))
        for id_, name, content_hash, origin, judgments, *own in connection.execute(query)
    ]


def ids_by_hash(
    connection: Connection, collection: int, hashes: Mapping[str, str]
) -> dict[str, int]:
    """The ids of a collection's qrels, removed ones too, by the name of the hash in `hashes`."""
    own = qrels_t.c.collection_id == collection
    rows = connection.execute(select(qrels_t.c.content_hash, qrels_t.c.id).where(own))
    ids = {row.content_hash: row.id for row in rows}
    return {name: ids[content] for name, content in hashes.items() if content in ids}


def summarize_qrels(
    connection: Connection, collection: str | None = None, *, removed: bool | None = False
) -> list[QrelsSummary]:
    """The qrels of all collections, or of one; the default first, then the newest."""
    parent = qrels_t.alias()
    others: dict[str, Any] = {
        "collection": collection_t.c.name,
        "removed_at": qrels_t.c.deleted_at,
        "parent": parent.c.name,
        "origins": null(),
    }
    query = (
        select(*fields(QrelsSummary, qrels_t, **others), *_own_origins())
        .join(collection_t, collection_t.c.id == qrels_t.c.collection_id)
        .outerjoin(parent, parent.c.id == qrels_t.c.parent_id)
        .where(collection_t.c.deleted_at.is_(None))
        .order_by(collection_t.c.name, qrels_t.c.is_default.desc(), qrels_t.c.id.desc())
    )
    if collection is not None:
        query = query.where(collection_t.c.name == collection)
    if removed is not None:
        query = query.where(is_removed(qrels_t, removed))
    found = []
    for row in connection.execute(query):
        summary = QrelsSummary(*row[: -len(KINDS)])
        origins = _origins(summary.origin, summary.judgments, row[-len(KINDS) :])
        found.append(replace(summary, origins=origins))
    return found


KINDS = ("file", "person", "model", "pool")
"""The kinds of origins."""


def _own_origins() -> list[ScalarSelect[Any]]:
    """For each kind, the number of judgments of a qrels that have an origin of their own."""
    of_qrels = origin_t.c.qrels_id == qrels_t.c.id
    kinds = (select(func.count()).where(of_qrels, origin_t.c.kind == kind) for kind in KINDS)
    return [kind.scalar_subquery() for kind in kinds]


def _origins(
    origin: Mapping[str, Any] | None, judgments: int, own: Sequence[int]
) -> dict[str, int]:
    """The number of judgments by kind, from the numbers of `_own_origins`; without zeros."""
    counts = dict(zip(KINDS, own, strict=True))
    counts[(origin or {}).get("kind", "file")] += judgments - sum(own)
    return {kind: count for kind, count in counts.items() if count}


def judged_queries(connection: Connection, collection: int) -> set[str]:
    """The ids of the queries that any active qrels of a collection judges."""
    judged = (
        select(judgment_t.c.query_id)
        .join(qrels_t, qrels_t.c.id == judgment_t.c.qrels_id)
        .where(qrels_t.c.collection_id == collection, qrels_t.c.deleted_at.is_(None))
    )
    rows = connection.execute(select(query_t.c.qid).where(query_t.c.id.in_(judged)))
    return {row[0] for row in rows}


def count_relevant(connection: Connection, qrels_id: int) -> dict[str, int]:
    """The number of documents with a grade of 1 or higher, by query id; it can be 0."""
    rows = connection.execute(
        select(query_t.c.qid, func.sum(case((judgment_t.c.grade >= 1, 1), else_=0)))
        .join(judgment_t, judgment_t.c.query_id == query_t.c.id)
        .where(judgment_t.c.qrels_id == qrels_id)
        .group_by(query_t.c.qid)
    )
    return {row[0]: int(row[1]) for row in rows}


def count_judgment_changes(connection: Connection, before: int, after: int) -> JudgmentChanges:
    """The numbers of judgments in which the qrels `after` differs from the qrels `before`.

    A negative grade is no judgment.
    """
    old, new = judgment_t.alias("old"), judgment_t.alias("new")

    def only_in(qrels: int, other_qrels: int) -> Select[Any]:
        same = (old.c.query_id == new.c.query_id, old.c.docno == new.c.docno, old.c.grade >= 0)
        in_other = select(old.c.docno).where(old.c.qrels_id == other_qrels, *same).exists()
        own = new.c.qrels_id == qrels, new.c.grade >= 0
        return select(func.count()).select_from(new).where(*own, ~in_other)

    regraded = (
        select(func.count())
        .select_from(old)
        .join(new, (new.c.query_id == old.c.query_id) & (new.c.docno == old.c.docno))
        .where(old.c.qrels_id == before, new.c.qrels_id == after, new.c.grade != old.c.grade)
        .where(old.c.grade >= 0, new.c.grade >= 0)
    )
    counts = (only_in(after, before), only_in(before, after), regraded)
    return JudgmentChanges(*(connection.execute(count).scalar_one() for count in counts))


def set_default_qrels(connection: Connection, collection: int, qrels: int | None) -> None:
    """Make a qrels the default of its collection.

    None chooses the newest active one that no model judged, or else the newest.
    """
    own = qrels_t.c.collection_id == collection
    connection.execute(update(qrels_t).where(own, qrels_t.c.is_default).values(is_default=False))
    if qrels is None:
        active = select(qrels_t.c.id, qrels_t.c.origin).where(own, qrels_t.c.deleted_at.is_(None))
        newest = connection.execute(active.order_by(qrels_t.c.id.desc())).all()
        of_people = [row.id for row in newest if not is_of_model(row.origin)]
        qrels = next(iter([*of_people, *(row.id for row in newest)]), None)
    connection.execute(update(qrels_t).where(qrels_t.c.id == qrels).values(is_default=True))


def load_qrels(connection: Connection, qrels: StoredQrels) -> Qrels:
    """Load a stored qrels with its origin, queries and documents in byte order."""
    rows = connection.execute(
        select(query_t.c.qid, judgment_t.c.docno, judgment_t.c.grade)
        .join(query_t, query_t.c.id == judgment_t.c.query_id)
        .where(judgment_t.c.qrels_id == qrels.id)
        .order_by(query_t.c.qid, judgment_t.c.docno)
    ).all()
    if not rows:
        raise NotFound(f"qrels {qrels.name!r} has no judgments in the store")
    lengths = Counter(row[0] for row in rows)
    strata = _load_strata(connection, qrels.id)
    return Qrels(
        path=qrels.name,
        qids=tuple(lengths),
        lengths=np.array(list(lengths.values()), np.int64),
        docnos=ids.column([row[1].encode() for row in rows]),
        grades=np.array([row[2] for row in rows], np.float64),
        origin=connection.execute(
            select(qrels_t.c.origin).where(qrels_t.c.id == qrels.id)
        ).scalar_one(),
        strata=strata and ids.column([strata.get((row[0], row[1]), NO_STRATUM) for row in rows]),
    )


NO_STRATUM = b"-"
"""The stratum of what was judged beside the sample."""


def has_strata(connection: Connection, qrels_id: int) -> bool:
    """Whether a qrels has a judgment of a stratum."""
    chosen = origin_t.c.qrels_id == qrels_id, origin_t.c.stratum.is_not(None)
    return connection.execute(select(origin_t.c.docno).where(*chosen).limit(1)).first() is not None


def _load_strata(connection: Connection, qrels_id: int) -> dict[tuple[str, str], bytes] | None:
    """The stratum of each judgment of a sample, by query id and docno; None without a sample.

    A sample whose documents that were not drawn are unknown (drafts of older pools) is none.
    """
    rows = connection.execute(
        select(query_t.c.qid, origin_t.c.docno, origin_t.c.stratum, origin_t.c.probability)
        .join(query_t, query_t.c.id == origin_t.c.query_id)
        .where(origin_t.c.qrels_id == qrels_id, origin_t.c.stratum.is_not(None))
    ).all()
    chances = {row.probability for row in rows}
    if not rows or (None not in chances and min(chances) < 1):
        return None
    # A column of a file has no blanks.
    return {(row.qid, row.docno): "_".join(row.stratum.split()).encode() for row in rows}


def load_judgments(connection: Connection, qrels_id: int, query_id: int) -> dict[str, float]:
    """The grades of a qrels for one query, by document in byte order; empty if there are none."""
    rows = connection.execute(
        select(judgment_t.c.docno, judgment_t.c.grade)
        .where(judgment_t.c.qrels_id == qrels_id, judgment_t.c.query_id == query_id)
        .order_by(judgment_t.c.docno)
    )
    return {row[0]: float(row[1]) for row in rows}


def highest_grade(connection: Connection, qrels_id: int) -> float:
    """The highest grade of a qrels over all its queries."""
    chosen = select(qrels_t.c.highest_grade).where(qrels_t.c.id == qrels_id)
    return float(connection.execute(chosen).scalar_one())


def add_qrels(
    connection: Connection,
    collection_id: int,
    name: str,
    qrels: Qrels,
    now: datetime,
    **version: object,
) -> int:
    """Store a set of judgments and return its id; a collection's first one is its default.

    `version` is what else is known: `parent_id`, `who`, `reason` and `rule`, or None.
    """
    grades, origin = qrels.grades, qrels.origin
    qrels_id = insert_row(
        connection,
        qrels_t,
        collection_id=collection_id,
        name=name,
        content_hash=qrels_hash(qrels),
        queries=len(qrels.qids),
        judgments=len(grades),
        relevant=int(np.count_nonzero(grades >= 1)),
        highest_grade=float(grades.max()),
        created_at=now,
        origin=None if origin is None else dict(origin),
        **{name: value for name, value in version.items() if value is not None},
    )
    (query_ids,) = ensure_query_ids(connection, collection_id, qrels.qids)
    of_rows = query_ids[qrels.row_query].tolist()
    rows = zip(of_rows, texts(qrels.docnos), grades.tolist(), strict=True)
    columns = ("query_id", "docno", "grade")
    bulk_insert(connection, judgment_t, columns, rows, {"qrels_id": qrels_id})
    has_default = select(qrels_t.c.id).where(
        qrels_t.c.collection_id == collection_id, qrels_t.c.is_default
    )
    if connection.execute(has_default).first() is None:
        set_default_qrels(connection, collection_id, qrels_id)
    return qrels_id


def load_origins(connection: Connection, qrels_id: int) -> dict[tuple[str, str], Origin]:
    """The origins that judgments have beside that of their qrels, by query id and docno."""
    rows = connection.execute(
        select(query_t.c.qid, origin_t.c.docno, *fields(Origin, origin_t))
        .join(query_t, query_t.c.id == origin_t.c.query_id)
        .where(origin_t.c.qrels_id == qrels_id)
        .order_by(query_t.c.qid, origin_t.c.docno)
    )
    return {(row[0], row[1]): Origin(*row[2:]) for row in rows}


def add_origins(
    connection: Connection,
    collection_id: int,
    qrels_id: int,
    origins: Mapping[tuple[str, str], Origin],
) -> None:
    """Store the origins of judgments, by query id and docno."""
    ids = ensure_queries(connection, collection_id, (qid for qid, _ in origins))
    rows = ((ids[qid], docno, *origin) for (qid, docno), origin in origins.items())
    columns = ("query_id", "docno", *Origin._fields)
    bulk_insert(connection, origin_t, columns, rows, {"qrels_id": qrels_id})
