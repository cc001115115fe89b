"""Tables of a collection: its queries, documents and judgments."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    UniqueConstraint,
    false,
)

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import (
    NEVER_REUSED,
    Base,
    column,
    id_column,
    key_of,
    row_of,
    unique_among,
)


class Collection(Base):
    """A test collection: documents, queries and what was judged."""

    __tablename__ = "collection"
    __table_args__ = NEVER_REUSED
    id = id_column()
    name = column(str, unique=True, comment="unique in the store")
    documents = column(
        BigInteger,
        null=True,
        comment="how many documents it has; null where that was not said",
    )
    created_at = column(datetime, comment="when it was first named")
    deleted_at = column(
        datetime,
        null=True,
        comment="when it was marked as removed; null for collections that count",
    )
    access = column(
        str,
        server_default="store",
        comment="who reads it on the team's server: store (who reads the store), private (only who "
        "has a role in it) or public (everyone)",
    )
    measures = column(
        str,
        null=True,
        comment="the measures that an ingest stores: a set, or names with commas between; null for "
        "the set standard",
    )


class Query(Base):
    """A query of a collection."""

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("collection_id", "qid"), NEVER_REUSED)
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    qid = column(str, comment="its id, as text: 1, 01 and 1.0 are three queries")
    text = column(str, null=True, comment="its words; null where not given")


class QueryAttribute(Base):
    """What a query is like: its language, its category."""

    __tablename__ = "query_attribute"
    __table_args__ = CLUSTERED
    query_id = key_of("query.id")
    name = column(str, primary_key=True, comment="what the attribute is called, like lang")
    value = column(str, comment="its value as text, never empty")


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    __tablename__ = "document"
    collection_id = key_of("collection.id")
    docno = column(str, primary_key=True, comment="its id, as text")
    title = column(str, null=True, comment="its title")
    packed = column(
        bytes,
        null=True,
        comment="its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8",
    )


class Qrels(Base):
    """One set of judgments of a collection; a changed file is a new set."""

    __tablename__ = "qrels"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        unique_among("uq_qrels_default", "collection_id", where="is_default"),
        NEVER_REUSED,
    )
    id = id_column()
    collection_id = row_of("collection.id", "the collection")
    name = column(str, comment="the file's name, unique in the collection")
    content_hash = column(str, comment="SHA-256 of the content")
    queries = column(int, comment="how many queries have judgments")
    judgments = column(BigInteger, comment="how many judgments")
    relevant = column(BigInteger, comment="how many with a grade of 1 or more")
    highest_grade = column(float, comment="the highest grade")
    created_at = column(datetime, comment="when it was ingested")
    is_default = column(
        bool, server_default=false(), comment="whether it is the one that figures are shown under"
    )
    deleted_at = column(
        datetime,
        null=True,
        comment="when it was marked as removed; null for qrels that count",
    )


class Judgment(Base):
    """The grade of a document for a query."""

    __tablename__ = "judgment"
    __table_args__ = CLUSTERED
    qrels_id = key_of("qrels.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    grade = column(float, comment="1 and more is relevant; negative: in the pool, not judged")


class SubtopicJudgment(Base):
    """The grade of a document for a subtopic of a query, for measures of diversity."""

    __tablename__ = "subtopic_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    subtopic = column(str, primary_key=True, comment="the subtopic")
    grade = column(float, comment="1 and more is relevant to the subtopic")


class GroupJudgment(Base):
    """The grade that a judgment group (a judge) gave a document, for averages over groups."""

    __tablename__ = "group_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
    judgment_group = column(str, primary_key=True, comment="who judged")
    grade = column(float, comment="1 and more is relevant; negative: in the pool, not judged")


class PreferenceJudgment(Base):
    """The level of a document among others: in a subgroup the higher level is preferred."""

    __tablename__ = "preference_judgment"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    judgment_group = column(str, primary_key=True, comment="who judged")
    subgroup = column(str, primary_key=True, comment="documents compared with each other")
    docno = column(str, primary_key=True, comment="the document")
    level = column(float, comment="higher is preferred; 0 is not relevant")


class KnownDocument(Base):
    """A document that the user of a query knew before, for measures of novelty."""

    __tablename__ = "known_document"
    __table_args__ = CLUSTERED
    collection_id = key_of("collection.id")
    query_id = key_of("query.id")
    docno = column(str, primary_key=True, comment="the document")
