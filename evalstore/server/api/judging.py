"""Drafts of judgments: list, make, judge, publish, delete; and corrections of one judgment."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from flask import g
from pydantic import Field

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.unexpected import expected
from evalstore.judging import drafts
from evalstore.judging import publish as publishing
from evalstore.judging.drafts import MOST_SENT
from evalstore.server.api.changes import Number, Text, collection_to_write
from evalstore.server.api.collections import Qrels
from evalstore.server.api.operation import Call, Content, Name, Parameters
from evalstore.server.people.rights import Person
from evalstore.server.problems import HttpError
from evalstore.store.queries.drafts import Kind, Rule, State


class Draft(Content):
    """A draft and its progress."""

    collection: str
    name: str
    parent: str | None = Field(description="The judgments that it continues.")
    rule: str = Field(description="How grades of several assessors become one.")
    overlap: int = Field(description="How many assessors judge each document.")
    seed: int
    pool: str | None = Field(description="How the documents were drawn.")
    who: str
    created_at: datetime
    published: str | None = Field(description="The judgments that were made of it last.")
    documents: int
    graded: int
    graded_by_fewer: int = Field(description="Others with fewer grades than the overlap.")
    cannot_tell: int
    later: int
    disagreements: int


class Drafts(Content):
    """The drafts of a collection."""

    drafts: list[Draft]


class Document(Parameters):
    """A document to judge."""

    qid: Name
    docno: Name
    stratum: Text = None
    probability: Number = None
    assigned: Text = Field(None, description="The assessor who is to judge it.")


Documents = Annotated[list[Document], Field(max_length=MOST_SENT)]


class DocumentsToAdd(Parameters):
    """Documents to judge."""

    documents: Documents


class DocumentsToJudge(DocumentsToAdd):
    """Documents to judge, and the judgments whose scale counts."""

    qrels: Text = Field(None, description="The judgments; else the default.")


class Expected(Content):
    """The grades and documents of a collection."""

    highest_grade: float | None = Field(
        description="The highest grade of the judgments and labels; null without any."
    )
    unknown: list[str] = Field(description="Not stored, if the collection stores documents.")


class DraftToMake(Parameters):
    """A draft to make."""

    name: Name
    parent: Text = Field(None, description="The judgments that it continues.")
    documents: Documents = Field([])
    rule: Rule = "majority"
    overlap: int = Field(1, strict=True, ge=1, le=1_000)
    seed: int = Field(0, strict=True, ge=0, le=2**31 - 1)
    pool: Text = Field(None, description="How the documents were drawn.")


class Said(Parameters):
    """An assessor's statement on a document."""

    qid: Name
    docno: Name
    grade: Number = None
    state: State = "graded"
    comment: Text = None
    passage: Text = None
    key: Text = Field(None, description="What is sent again with this key is stored once.")
    kind: Kind = "person"
    at: datetime | None = Field(
        None, description="When it was said, at most a year ago; else now, as if left out."
    )


class ToAssess(Parameters):
    """An assessor's statements."""

    assessor: Name | None = Field(None, description="Who judged; else the account.")
    items: list[Said] = Field(max_length=MOST_SENT)
    new: bool = Field(False, description="Whether documents may be new in the draft.")


class Keys(Content):
    """The keys of stored statements."""

    keys: list[str]


class DraftToPublish(Parameters):
    """Judgments to make of a draft."""

    reason: Annotated[str, Field(strict=True)]
    name: Text = Field(None, description="Of the judgments; else that of the parent with a number.")
    rule: Rule | None = Field(None, description="Else that of the draft.")
    default: bool = Field(False, description="Whether figures are shown under them from now on.")


class JudgmentToEdit(Parameters):
    """A judgment to correct."""

    qrels: Name
    qid: Name
    docno: Name
    grade: Number = Field(None, description="Null or left out: not judged.")
    reason: Annotated[str, Field(strict=True)]
    name: Text = Field(None, description="Of the new judgments; else the name with a number.")
    default: bool = Field(False, description="Whether figures are shown under them from now on.")


class Version(Qrels):
    """New judgments, and what they change."""

    judged: int = Field(description="Documents that got a grade.")
    overlap: int = Field(description="How many assessors were to judge each.")
    judged_by_fewer: int = Field(description="Judged documents with fewer grades.")
    undecided: int = Field(description="Documents whose assessors disagree.")
    unjudged: int = Field(description="Other documents without a grade.")
    runs: list[dict[str, Any]] = Field(description="What became of the runs: `run`, `status`, ...")
    changes: dict[str, Any] | None = Field(
        description="As `evalstore reevaluate --qrels --format json`."
    )


class DraftRemoved(Content):
    """A draft that was deleted."""

    collection: str
    name: str


class GroupJudgment(Content):
    """A grade, and who gave it."""

    qid: str
    assessor: str
    docno: str
    grade: float


class JudgmentGroups(Content):
    """The judgments by who gave them."""

    judgments: list[GroupJudgment]


class QrelsNamed(Parameters):
    """Judgments."""

    qrels: Name | None = Field(None, description="Their name; else the default.")


def list_drafts(call: Call, chosen: Parameters, collection: str) -> dict[str, Any]:
    """The drafts of a collection, as `evalstore qrels draft`."""
    return {"drafts": drafts.list_drafts(call.store, collection)}


def new_draft(call: Call, given: DraftToMake, collection: str) -> drafts.Draft:
    """Make a draft, as `evalstore qrels draft new`."""
    collection_to_write(call, collection)
    asked = given.model_dump()
    del asked["documents"]
    return drafts.new_draft(call.whole, collection, **asked, documents=_pool(given.documents))


def add_documents(call: Call, given: DocumentsToAdd, collection: str, draft: str) -> drafts.Draft:
    """Add documents to a draft: all of them or none. Those that it has stay as they are."""
    collection_to_write(call, collection)
    return drafts.add_documents(call.whole, collection, draft, _pool(given.documents))


def _pool(documents: list[Document]) -> list[drafts.PoolDocument]:
    return [drafts.PoolDocument(**document.model_dump()) for document in documents]


def assess(call: Call, given: ToAssess, collection: str, draft: str) -> dict[str, Any]:
    """Store what one says of documents: all of it or nothing.

    It is stored under the name of the account. Administrators of the collection may name another
    assessor. The role judge may judge what the draft gives to the account, as on the page Judge:
    `new` counts only with the role contributor, and other kinds than `person` take it.
    """
    id_ = collection_to_write(call, collection, "judge")
    person: Person = g.person
    may_write = person.may("write", id_)
    assessor = person.name if given.assessor is None else given.assessor
    if assessor != person.name and not person.may("manage", id_):
        raise HttpError(
            403,
            f"{person.name} may add judgments of {person.name!r} alone, not of {assessor!r}: give "
            "that name, or ask an administrator of the collection to add them",
        )
    if not may_write and any(item.kind != "person" for item in given.items):
        raise HttpError(
            403,
            f"{person.name} may judge, and not adjudicate or add what a model says, which takes "
            "the role contributor: ask an administrator for it",
        )
    new = given.new and may_write
    items = [drafts.Assessment(**item.model_dump()) for item in given.items]
    keys = drafts.assess(call.whole, collection, draft, assessor, items, new=new, given=not new)
    return {"keys": keys}


def documents_to_judge(call: Call, given: DocumentsToJudge, collection: str) -> dict[str, Any]:
    """The highest grade of the judgments, and the documents that the collection does not store."""
    collection_to_write(call, collection, "judge")
    docnos = [document.docno for document in given.documents]
    highest, unknown = expected(call.store, collection, docnos, given.qrels)
    return {"highest_grade": highest, "unknown": sorted(unknown)}


def publish(call: Call, given: DraftToPublish, collection: str, draft: str) -> dict[str, Any]:
    """Make judgments of a draft, and evaluate the runs, as `evalstore qrels draft publish`."""
    collection_to_write(call, collection)
    return publishing.publish(call.whole, collection, draft, **given.model_dump()).to_dict()


def edit_judgment(call: Call, given: JudgmentToEdit, collection: str) -> dict[str, Any]:
    """Make judgments with one of them corrected, as `evalstore qrels edit`."""
    collection_to_write(call, collection)
    return publishing.edit_judgment(call.whole, collection, **given.model_dump()).to_dict()


def remove_draft(call: Call, chosen: Parameters, collection: str, draft: str) -> dict[str, Any]:
    """Delete a draft with all that was said in it, as `evalstore qrels draft rm`."""
    collection_to_write(call, collection)
    drafts.remove_draft(call.whole, collection, draft)
    return {"collection": collection, "name": draft}


def judgment_groups(call: Call, chosen: QrelsNamed, collection: str) -> dict[str, Any]:
    """The judgments by who gave them, as `evalstore export qrels --format judgment-groups`.

    Contributors see all. Others see the single grades of a document if one of them is theirs, and
    else the published one.
    """
    with call.store.read() as connection:
        id_ = find_collection_id(connection, collection)
    person = call.person
    sees_all = person is not None and person.may("write", id_)
    own = None if sees_all else "" if person is None else person.name
    rows = drafts.graded_by_assessor(call.store, collection, chosen.qrels, seen_by=own)
    names = ("qid", "assessor", "docno", "grade")
    return {"judgments": [dict(zip(names, row, strict=True)) for row in rows]}
