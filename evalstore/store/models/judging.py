"""The tables of judging: drafts of qrels, what people say in them, and origins of judgments."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint

from evalstore.store.dialects.dialect import CLUSTERED
from evalstore.store.models.base import (
    NEVER_REUSED,
    Base,
    column,
    id_column,
    key_of,
    optional,
    row_of,
)


class JudgmentOrigin(Base):
    """The origin of a judgment, for judgments that have another one than their qrels."""

    __table_args__ = CLUSTERED
    qrels_id = key_of("qrels.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    kind = column(str, "person, model or file")
    name = column(str, "the people with commas between, the model, or the file")
    pool = optional(str, "how the documents to judge were drawn; null where that is not known")
    stratum = optional(str, "the part of the pool that the document was drawn from")
    probability = optional(float, "the chance that it was drawn, above 0 and at most 1")
    judged_at = optional(datetime, "when it was judged; null where that is not known")


class Draft(Base):
    """A set of documents to judge, which becomes a new qrels when it is published."""

    __table_args__ = (UniqueConstraint("collection_id", "name"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    name = column(str, "unique in the collection")
    parent_id = optional(
        int,
        "the qrels whose judgments it continues; null without one",
        key=ForeignKey("qrels.id", ondelete="SET NULL"),
    )
    rule = column(
        str, "how grades of several judges become one: majority, mean, minimum or adjudicated"
    )
    overlap = column(int, "how many assessors judge each document")
    seed = column(int, "of the order in which documents are shown")
    pool = optional(str, "how the documents were drawn")
    who = column(str, "who made it, as in `event`")
    created_at = column(datetime, "when it was made")
    published_id = optional(
        int,
        "the qrels that was made of it last; null before",
        key=ForeignKey("qrels.id", ondelete="SET NULL"),
    )


class DraftDocument(Base):
    """A document to judge for a query."""

    __table_args__ = CLUSTERED
    draft_id = key_of("draft.id")
    query_id = key_of("query.id")
    docno = column(str, "the document", primary_key=True)
    place = column(int, "from 0, in the order in which documents are shown")
    stratum = optional(str, "the part of the pool that it was drawn from")
    probability = optional(float, "the chance that it was drawn, above 0 and at most 1")
    assigned = optional(str, "the assessor who is to judge it; null for anyone")


class Assessment(Base):
    """What somebody said of a document; the newest row of each assessor counts."""

    __table_args__ = (UniqueConstraint("draft_id", "key"), NEVER_REUSED)
    id = id_column()
    draft_id = row_of("draft.id", "the draft")
    query_id = row_of("query.id", "the query")
    docno = column(str, "the document")
    assessor = column(str, "who says it")
    kind = column(str, "person, model or adjudicator")
    state = column(str, "graded, cannot_tell, later or undone")
    grade = optional(float, "null unless it is graded")
    comment = optional(str, "what else they say, in Markdown")
    passage = optional(str, "the part of the text that decided")
    key = column(str, "given by the sender: what is sent twice is stored once")
    judged_at = column(datetime, "when it was received")
