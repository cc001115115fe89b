"""The tables, as typed models. The shape and its reasons are drawn in docs/architecture.md.

The database itself is made by the migrations alone; a test holds the two together. A class's
docstring is the comment of its table, and with the comments of the columns it stands in
docs/schema.md and, on PostgreSQL, in the database.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from evalstore.store.dialects.column_types import BYTE_TEXT, CLUSTERED, UtcTime

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """What all tables share: text is compared by bytes, times are UTC."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        str: BYTE_TEXT,
        bytes: LargeBinary(),
        datetime: UtcTime(),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
    }

    def __init_subclass__(cls, **more: Any) -> None:
        """Make the table, with the class's docstring as its comment."""
        super().__init_subclass__(**more)
        table(cls).comment = (cls.__doc__ or "").strip()


def table(model: type[Base]) -> Table:
    """The table of a model: rows are read and written as tuples, never as objects."""
    return cast(Table, model.__table__)


NEVER_REUSED: dict[str, Any] = {"sqlite_autoincrement": True}
"""Table arguments: the id of a deleted row is never given to another (PostgreSQL never does)."""


def _id() -> Mapped[int]:
    return mapped_column(primary_key=True, comment="made by the database")


def _of(column: str, comment: str, *, index: bool = False) -> Mapped[int]:
    """A column that belongs to a row of another table and goes with it."""
    key = ForeignKey(column, ondelete="CASCADE")
    return mapped_column(key, index=index, comment=comment)


def _key(column: str, *, index: bool = False) -> Mapped[int]:
    """A part of the key that is a row of another table and goes with it."""
    key = ForeignKey(column, ondelete="CASCADE")
    comment = f"the {column.removesuffix('.id')}"
    return mapped_column(key, primary_key=True, autoincrement=False, index=index, comment=comment)


class Collection(Base):
    """A test collection: documents, queries and what was judged."""

    __tablename__ = "collection"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = _id()
    name: Mapped[str] = mapped_column(unique=True, comment="unique in the store")
    documents: Mapped[int | None] = mapped_column(
        BigInteger, comment="how many documents it has; null where that was not said"
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was first named")
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="when it was marked as removed; null for collections that count"
    )


class Query(Base):
    """A query of a collection."""

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("collection_id", "qid"), NEVER_REUSED)
    id: Mapped[int] = _id()
    collection_id: Mapped[int] = _of("collection.id", "the collection")
    qid: Mapped[str] = mapped_column(comment="its id, as text: 1, 01 and 1.0 are three queries")
    text: Mapped[str | None] = mapped_column(comment="its words; null where not given")


class QueryAttribute(Base):
    """What a query is like: its language, its category."""

    __tablename__ = "query_attribute"
    __table_args__ = CLUSTERED
    query_id: Mapped[int] = _key("query.id")
    name: Mapped[str] = mapped_column(
        primary_key=True, comment="what the attribute is called, like lang"
    )
    value: Mapped[str] = mapped_column(comment="its value as text, never empty")


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    __tablename__ = "document"
    collection_id: Mapped[int] = _key("collection.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="its id, as text")
    title: Mapped[str | None] = mapped_column(comment="its title")
    text: Mapped[str | None] = mapped_column(comment="its words")


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
    id: Mapped[int] = _id()
    collection_id: Mapped[int] = _of("collection.id", "the collection")
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
    qrels_id: Mapped[int] = _key("qrels.id")
    query_id: Mapped[int] = _key("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    grade: Mapped[float] = mapped_column(
        comment="1 and more is relevant; negative: in the pool, not judged"
    )


class SubtopicJudgment(Base):
    """The grade of a document for a subtopic of a query, for measures of diversity."""

    __tablename__ = "subtopic_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = _key("collection.id")
    query_id: Mapped[int] = _key("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    subtopic: Mapped[str] = mapped_column(primary_key=True, comment="the subtopic")
    grade: Mapped[float] = mapped_column(comment="1 and more is relevant to the subtopic")


class GroupJudgment(Base):
    """The grade that a judgment group (a judge) gave a document, for averages over groups."""

    __tablename__ = "group_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = _key("collection.id")
    query_id: Mapped[int] = _key("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")
    judgment_group: Mapped[str] = mapped_column(primary_key=True, comment="who judged")
    grade: Mapped[float] = mapped_column(
        comment="1 and more is relevant; negative: in the pool, not judged"
    )


class PreferenceJudgment(Base):
    """The level of a document among others: in a subgroup the higher level is preferred."""

    __tablename__ = "preference_judgment"
    __table_args__ = CLUSTERED
    collection_id: Mapped[int] = _key("collection.id")
    query_id: Mapped[int] = _key("query.id")
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
    collection_id: Mapped[int] = _key("collection.id")
    query_id: Mapped[int] = _key("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True, comment="the document")


class Experiment(Base):
    """A named group of runs."""

    __tablename__ = "experiment"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = _id()
    name: Mapped[str] = mapped_column(unique=True, comment="unique in the store")
    created_at: Mapped[datetime] = mapped_column(comment="when it was first named")


class Engine(Base):
    """A retrieval system under comparison."""

    __tablename__ = "engine"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = _id()
    name: Mapped[str] = mapped_column(unique=True, comment="the run tag unless another was given")


class Run(Base):
    """One ranking of a collection's queries by an engine."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        NEVER_REUSED,
    )
    id: Mapped[int] = _id()
    collection_id: Mapped[int] = _of("collection.id", "the collection")
    engine_id: Mapped[int] = _of("engine.id", "the engine", index=True)
    experiment_id: Mapped[int | None] = mapped_column(
        ForeignKey("experiment.id", ondelete="SET NULL"),
        index=True,
        comment="the experiment, if any",
    )
    name: Mapped[str] = mapped_column(comment="the file's name unless another was given")
    tag: Mapped[str] = mapped_column(comment="the run tag in the file")
    content_hash: Mapped[str] = mapped_column(comment="SHA-256 of the content")
    queries: Mapped[int] = mapped_column(comment="how many queries it answers")
    retrieved: Mapped[int] = mapped_column(BigInteger, comment="how many documents in all lists")
    parameters: Mapped[dict[str, Any] | None] = mapped_column(comment="settings of the engine")
    tags: Mapped[list[str] | None] = mapped_column(comment="words that people put on it")
    commit: Mapped[str | None] = mapped_column(comment="the version of the engine's code")
    index_bytes: Mapped[int | None] = mapped_column(
        BigInteger, comment="the size of the engine's index; null where not given"
    )
    created_at: Mapped[datetime] = mapped_column(comment="when it was ingested")
    deleted_at: Mapped[datetime | None] = mapped_column(
        comment="when it was marked as removed; null for runs that count"
    )


class Ranking(Base):
    """The whole ranked list of a run for a query, packed: the source of truth."""

    __tablename__ = "ranking"
    run_id: Mapped[int] = _key("run.id")
    query_id: Mapped[int] = _key("query.id")
    retrieved: Mapped[int] = mapped_column(comment="the length of the list")
    packed: Mapped[bytes] = mapped_column(comment="documents and scores, see store/packing.py")


class Retrieved(Base):
    """The top of each ranking as rows (100 documents unless said otherwise)."""

    __tablename__ = "retrieved"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = _key("run.id")
    query_id: Mapped[int] = _key("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, comment="from 1")
    docno: Mapped[str] = mapped_column(comment="the document")
    score: Mapped[float] = mapped_column(comment="what the engine gave it")


class ResponseTime(Base):
    """The time that an engine took to answer a query."""

    __tablename__ = "response_time"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = _key("run.id")
    query_id: Mapped[int] = _key("query.id")
    milliseconds: Mapped[float] = mapped_column(comment="the time in milliseconds")


class Evaluation(Base):
    """The evaluation of a run under a qrels."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("run_id", "qrels_id"), NEVER_REUSED)
    id: Mapped[int] = _id()
    run_id: Mapped[int] = _of("run.id", "the run")
    qrels_id: Mapped[int] = _of("qrels.id", "the qrels", index=True)
    evaluator: Mapped[str] = mapped_column(comment="the version of evalstore that computed it")
    compat: Mapped[str] = mapped_column(comment="exact, trec_eval-9 or trec_eval-10")
    created_at: Mapped[datetime] = mapped_column(comment="when it was computed")


class Hit(Base):
    """A relevant document that the run retrieved, at its true rank, however deep."""

    __tablename__ = "hit"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _key("evaluation.id")
    query_id: Mapped[int] = _key("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, comment="from 1")
    docno: Mapped[str] = mapped_column(comment="the document")
    grade: Mapped[float] = mapped_column(comment="its grade, 1 or more")
    score: Mapped[float] = mapped_column(comment="what the engine gave it")


class Measure(Base):
    """A measure."""

    __tablename__ = "measure"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = _id()
    name: Mapped[str] = mapped_column(unique=True, comment="canonical, like nDCG@10")
    family: Mapped[str] = mapped_column(comment="what kind of measure it is")
    direction: Mapped[int] = mapped_column(
        SmallInteger, comment="1: more is better, -1: less is better, 0: neither"
    )
    aggregate: Mapped[str] = mapped_column(comment="how values become one figure: mean, sum, ...")


class Measurement(Base):
    """The value of a measure for a query."""

    __tablename__ = "measurement"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _key("evaluation.id")
    measure_id: Mapped[int] = _key("measure.id")
    query_id: Mapped[int] = _key("query.id")
    value: Mapped[float] = mapped_column(comment="unrounded")


class Aggregate(Base):
    """The one figure of a measure for all queries."""

    __tablename__ = "aggregate"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _key("evaluation.id")
    measure_id: Mapped[int] = _key("measure.id", index=True)
    value: Mapped[float] = mapped_column(comment="unrounded; the mean, or the measure's own")
    spread: Mapped[float | None] = mapped_column(
        comment="standard deviation over the queries; null for fewer than two"
    )
    queries: Mapped[int] = mapped_column(comment="how many queries it is over")


class SavedLeaderboard(Base):
    """The ranks of runs on a measure, stored by `evalstore leaderboard --save`."""

    __tablename__ = "saved_leaderboard"
    __table_args__ = (UniqueConstraint("qrels_id", "measure_id"), NEVER_REUSED)
    id: Mapped[int] = _id()
    qrels_id: Mapped[int] = _of("qrels.id", "the qrels")
    measure_id: Mapped[int] = _of("measure.id", "the measure", index=True)
    runs: Mapped[int] = mapped_column(comment="how many runs were ranked: all that were active")
    test: Mapped[str] = mapped_column(comment="what separates runs: t (with Holm) or tukey")
    alpha: Mapped[float] = mapped_column(comment="a corrected p below it separates two runs")
    created_at: Mapped[datetime] = mapped_column(comment="when it was computed")


class SavedRank(Base):
    """The rank of a run on a saved leaderboard."""

    __tablename__ = "saved_rank"
    __table_args__ = CLUSTERED
    saved_leaderboard_id: Mapped[int] = _key("saved_leaderboard.id")
    evaluation_id: Mapped[int] = _key("evaluation.id", index=True)
    rank: Mapped[int] = mapped_column(comment="1 + how many runs are strictly better")
    rank_low: Mapped[int] = mapped_column(comment="the low end of the interval of the rank")
    rank_high: Mapped[int] = mapped_column(comment="the high end of the interval of the rank")
    rank_group: Mapped[str] = mapped_column(
        comment="letters: runs that share one are not separated"
    )
    low: Mapped[float | None] = mapped_column(
        comment="the low end of the interval of the value; null for one query"
    )
    high: Mapped[float | None] = mapped_column(
        comment="the high end of the interval of the value; null for one query"
    )
    judged_top_10: Mapped[float | None] = mapped_column(
        comment="the share of the top 10 that is judged; null where nothing was retrieved"
    )


class Event(Base):
    """Who did what to the store, and when."""

    __tablename__ = "event"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = _id()
    at: Mapped[datetime] = mapped_column(comment="when")
    who: Mapped[str] = mapped_column(comment="user@host, as the system of that time said")
    action: Mapped[str] = mapped_column(comment="ingest, replace, measure, rm, restore, purge, ...")
    collection: Mapped[str | None] = mapped_column(comment="the collection's name at that time")
    subject: Mapped[str] = mapped_column(comment="the name of the run or qrels at that time")
    details: Mapped[dict[str, Any] | None] = mapped_column(comment="what else there is to say")
