"""Tables of a collection: its queries, documents and judgments."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Index,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import NEVER_REUSED, Base, id_column, key_of, row_of


class Collection(Base):
    """A test collection: documents, queries and what was judged."""

    __tablename__ = "collection"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(unique=True, comment="unique in the store")
    documents: Mapped[int | None] = mapped_column(
        BigInteger, comment="how many documents it has; null where that was not said"
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was first named")
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="when it was marked as removed; null for collections that count"
    )
    access: Mapped[str] = mapped_column(
        server_default="store",
        comment="who reads it on the team's server: store (who reads the store), private (only who "
        "has a role in it) or public (everyone)",
    )
    measures: Mapped[str | None] = mapped_column(
        comment="the measures that an ingest stores: a set, or names with commas between; null for "
        "the set standard",
    )


class Query(Base):
    """A query of a collection."""

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("collection_id", "qid"), NEVER_REUSED)
    id: Mapped[int] = id_column()
    collection_id: Mapped[int] = row_of("collection.id", "the collection")
    qid: Mapped[str] = mapped_column(comment="its id, as text: 1, 01 and 1.0 are three queries")
    text: Mapped[str | None] = mapped_column(comment="its words; null where not given")


class QueryAttribute(Base):
    """What a query is like: its language, its category."""

    __tablename__ = "query_attribute"
    __table_args__ = CLUSTERED
    query_id: Mapped[int] = key_of("query.id")
    name: Mapped[str] = mapped_column(
        primary_key=True, comment="what the attribute is called, like lang"
    )
    value: Mapped[str] = mapped_column(comment="its value as text, never empty")


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    __tablename__ = "document"
    collection_id: Mapped[int] = key_of("collection.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="its id, as text")
    title: Mapped[str | None] = mapped_column(comment="its title")
    packed: Mapped[bytes | None] = mapped_column(
        comment="its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8"
    )


class Qrels(Base):
    """One set of judgments of a collection; a changed file is a new set."""

    __tablename__ = "qrels"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        Index(
            "uq_qrels_default",
            "collection_id",
            unique=True,
            sqlite_where=text("is_default"),
            postgresql_where=text("is_default"),
        ),
        NEVER_REUSED,
    )
    id: Mapped[int] = id_column()
    collection_id: Mapped[int] = row_of("collection.id", "the collection")
    name: Mapped[str] = mapped_column(comment="the file's name, unique in the collection")
    content_hash: Mapped[str] = mapped_column(comment="SHA-256 of the content")
    queries: Mapped[int] = mapped_column(comment="how many queries have judgments")
    judgments: Mapped[int] = mapped_column(BigInteger, comment="how many judgments")
    relevant: Mapped[int] = mapped_column(BigInteger, comment="how many with a grade of 1 or more")
    highest_grade: Mapped[float] = mapped_column(comment="the highest grade")
    created_at: Mapped[datetime] = mapped_column(comment="when it was ingested")
    is_default: Mapped[bool] = mapped_column(
        server_default=false(), comment="whether it is the one that figures are shown under"
    )
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="when it was marked as removed; null for qrels that count"
    )


class Judgment(Base):
    """The grade of a document for a query."""

    __tablename__ = "judgment"
    __table_args__ = CLUSTERED
    qrels_id: Mapped[int] = key_of("qrels.id")
    query_id: Mapped[int] = key_of("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    grade: Mapped[float] = mapped_column(
        comment="1 and more is relevant; negative: in the pool, not judged"
    )


class SubtopicJudgment(Base):
    """The grade of a document for a subtopic of a query, for measures of diversity."""

    __tablename__ = "subtopic_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = key_of("collection.id")
    query_id: Mapped[int] = key_of("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    subtopic: Mapped[str] = mapped_column(primary_key=True, comment="the subtopic")
    grade: Mapped[float] = mapped_column(comment="1 and more is relevant to the subtopic")


class GroupJudgment(Base):
    """The grade that a judgment group (a judge) gave a document, for averages over groups."""

    __tablename__ = "group_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = key_of("collection.id")
    query_id: Mapped[int] = key_of("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    judgment_group: Mapped[str] = mapped_column(primary_key=True, comment="who judged")
    grade: Mapped[float] = mapped_column(
        comment="1 and more is relevant; negative: in the pool, not judged"
    )


class PreferenceJudgment(Base):
    """The level of a document among others: in a subgroup the higher level is preferred."""

    __tablename__ = "preference_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = key_of("collection.id")
    query_id: Mapped[int] = key_of("query.id")
    judgment_group: Mapped[str] = mapped_column(primary_key=True, comment="who judged")
    subgroup: Mapped[str] = mapped_column(
        primary_key=True, comment="documents compared with each other"
    )
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    level: Mapped[float] = mapped_column(comment="higher is preferred; 0 is not relevant")


class KnownDocument(Base):
    """A document that the user of a query knew before, for measures of novelty."""

    __tablename__ = "known_document"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = key_of("collection.id")
    query_id: Mapped[int] = key_of("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
