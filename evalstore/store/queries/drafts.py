"""Drafts of qrels: the documents to judge, and what people say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Select, func, select

from evalstore.store.models import assessment_t, draft_document_t, draft_t, qrels_t, query_t
from evalstore.store.queries.queries import ensure_queries
from evalstore.store.rows import (
    bulk_insert,
    change_row,
    fields,
    find_row,
    insert_or_ignore,
    insert_row,
)

Rule = Literal["majority", "mean", "minimum", "adjudicated"]
Kind = Literal["person", "model", "adjudicator"]
State = Literal["graded", "cannot_tell", "later", "undone"]


@dataclass(frozen=True)
class StoredDraft:
    """A draft; `parent` and `published` are the names of qrels, or None."""

    id: int
    name: str
    parent: str | None
    rule: Rule
    overlap: int
    seed: int
    pool: str | None
    who: str
    created_at: datetime
    published: str | None


@dataclass(frozen=True)
class DraftDocument:
    """A document to judge, or one of a stratum that was not drawn (`place` is UNDRAWN).

    `assigned` is the assessor who is to judge it, None for anyone.
    """

    qid: str
    docno: str
    place: int
    stratum: str | None
    probability: float | None
    assigned: str | None


@dataclass(frozen=True)
class StoredAssessment:
    """An assessor's statement on a document; `grade` is None unless the state is `graded`."""

    qid: str
    docno: str
    assessor: str
    kind: Kind
    state: State
    grade: float | None
    comment: str | None
    passage: str | None
    key: str
    judged_at: datetime


def list_drafts(connection: Connection, collection_id: int) -> list[StoredDraft]:
    """The drafts of a collection, the oldest first."""
    rows = connection.execute(_drafts(collection_id).order_by(draft_t.c.id))
    return [StoredDraft(*row) for row in rows]


def find_draft(connection: Connection, collection_id: int, name: str) -> StoredDraft | None:
    """The draft of a collection with this name, or None."""
    return find_row(connection, StoredDraft, _drafts(collection_id).where(draft_t.c.name == name))


def drafts_after(connection: Connection, qrels_id: int) -> list[str]:
    """The names of the drafts that continue a qrels and were not published, the oldest first."""
    is_open = draft_t.c.parent_id == qrels_id, draft_t.c.published_id.is_(None)
    names = select(draft_t.c.name).where(*is_open).order_by(draft_t.c.id)
    return list(connection.execute(names).scalars())


def _drafts(collection_id: int) -> Select[Any]:
    parent, published = qrels_t.alias(), qrels_t.alias()
    columns = fields(StoredDraft, draft_t, parent=parent.c.name, published=published.c.name)
    return (
        select(*columns)
        .outerjoin(parent, parent.c.id == draft_t.c.parent_id)
        .outerjoin(published, published.c.id == draft_t.c.published_id)
        .where(draft_t.c.collection_id == collection_id)
    )


def add_draft(connection: Connection, collection_id: int, **values: object) -> int:
    """Add a draft without documents; `values` are columns of the table. Returns its id."""
    return insert_row(connection, draft_t, collection_id=collection_id, **values)


def add_documents(
    connection: Connection,
    collection_id: int,
    draft_id: int,
    documents: Sequence[DraftDocument],
) -> None:
    """Add documents that the draft does not have yet; missing queries are inserted."""
    ids = ensure_queries(connection, collection_id, (document.qid for document in documents))
    rows = ((ids[document.qid], *astuple(document)[1:]) for document in documents)
    columns = ("query_id", *tuple(DraftDocument.__annotations__)[1:])
    bulk_insert(connection, draft_document_t, columns, rows, {"draft_id": draft_id})


UNDRAWN = -1
"""In place of a place, for a document of a stratum that was not drawn, and is not to be judged."""


def load_documents(
    connection: Connection, draft_id: int, *, undrawn: bool = False
) -> list[DraftDocument]:
    """The documents to judge of a draft, in the order of their places; with `undrawn`, all."""
    least = UNDRAWN if undrawn else 0
    rows = connection.execute(
        select(*fields(DraftDocument, draft_document_t, qid=query_t.c.qid))
        .join(query_t, query_t.c.id == draft_document_t.c.query_id)
        .where(draft_document_t.c.draft_id == draft_id, draft_document_t.c.place >= least)
        .order_by(draft_document_t.c.place, query_t.c.qid, draft_document_t.c.docno)
    )
    return [DraftDocument(*row) for row in rows]


def count_documents(connection: Connection, draft_id: int) -> int:
    """The number of documents to judge of a draft."""
    of_draft = draft_document_t.c.draft_id == draft_id
    own = select(func.count()).where(of_draft, draft_document_t.c.place >= 0)
    return int(connection.execute(own).scalar_one())


def load_assessments(connection: Connection, draft_id: int) -> list[StoredAssessment]:
    """All that was said of the documents of a draft, the oldest first."""
    rows = connection.execute(
        select(*fields(StoredAssessment, assessment_t, qid=query_t.c.qid))
        .join(query_t, query_t.c.id == assessment_t.c.query_id)
        .where(assessment_t.c.draft_id == draft_id)
        .order_by(assessment_t.c.id)
    )
    said = (StoredAssessment(*row) for row in rows)
    return sorted(said, key=lambda one: one.judged_at)  # which need not be the order of arrival


def newest(
    assessments: Iterable[StoredAssessment], *, models: bool = False
) -> Iterator[StoredAssessment]:
    """The statements that count: the last of each assessor on each document, unless undone.

    They are those of people; with `models` also those of models, which replace none of a person.
    `assessments` are the oldest first; the result is in the order of the documents' first mention.
    """
    last = {
        (one.qid, one.docno, one.assessor, one.kind == "model"): one
        for one in assessments
        if models or one.kind != "model"
    }
    return (one for one in last.values() if one.state != "undone")


def by_document(
    assessments: Iterable[StoredAssessment],
) -> dict[tuple[str, str], list[StoredAssessment]]:
    """The statements by query id and docno, in their order."""
    said: dict[tuple[str, str], list[StoredAssessment]] = {}
    for one in assessments:
        said.setdefault((one.qid, one.docno), []).append(one)
    return said


def add_assessments(
    connection: Connection,
    collection_id: int,
    draft_id: int,
    assessments: Sequence[StoredAssessment],
) -> int:
    """Store what was said, in this order; what has a key that the draft has already is skipped.

    Missing queries are inserted. Returns how much is new.
    """
    if not assessments:
        return 0
    ids = ensure_queries(connection, collection_id, (one.qid for one in assessments))
    names = tuple(StoredAssessment.__annotations__)[1:]
    rows = [
        {name: getattr(one, name) for name in names}
        | {"draft_id": draft_id, "query_id": ids[one.qid]}
        for one in assessments
    ]
    insert = insert_or_ignore(connection, assessment_t).execution_options(preserve_rowcount=True)
    return int(connection.execute(insert, rows).rowcount)


# Drafts of one store added to another

WholeDraft = tuple[StoredDraft, Sequence[DraftDocument], Sequence[StoredAssessment]]
"""A draft, all its documents, and all that was said of them, the oldest first."""


def list_whole_drafts(connection: Connection, collection_id: int) -> Iterator[WholeDraft]:
    """The drafts of a collection, the oldest first."""
    for one in list_drafts(connection, collection_id):
        documents = load_documents(connection, one.id, undrawn=True)
        yield one, documents, load_assessments(connection, one.id)


def complete_drafts(
    connection: Connection,
    here: int,
    drafts: Iterable[WholeDraft],
    qrels_ids: Mapping[str, int],
) -> int:
    """Add the drafts, documents and assessments that the collection `here` lacks.

    Drafts are the same if their names are, assessments if their keys are. `qrels_ids` has the ids
    in `here` of the qrels that drafts name; others are left out.

    Returns:
        The number of additions.
    """
    present = {draft.name: draft for draft in list_drafts(connection, here)}
    added = 0
    for draft, documents, said in drafts:
        ours = present.get(draft.name)
        parent, published = (qrels_ids.get(name or "") for name in (draft.parent, draft.published))
        if ours is None:
            values = {**vars(draft), "parent_id": parent, "published_id": published}
            for name in ("id", "parent", "published"):
                del values[name]
            draft_id = add_draft(connection, here, **values)
            added += 1
        else:
            draft_id = ours.id
            if published and not ours.published:
                change_row(connection, draft_t, draft_id, published_id=published)
                added += 1
        have = load_documents(connection, draft_id, undrawn=True)
        known = {(one.qid, one.docno) for one in have}
        new = [one for one in documents if (one.qid, one.docno) not in known]
        add_documents(connection, here, draft_id, new)
        added += len(new) + add_assessments(connection, here, draft_id, said)
    return added
