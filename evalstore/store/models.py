"""The tables, as typed models. The shape and its reasons are drawn in docs/architecture.md.

The database itself is made by the migrations alone; a test holds the two together.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    LargeBinary,
    MetaData,
    SmallInteger,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from evalstore.store.database import CLUSTERED, ByteText

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
        str: ByteText(),
        bytes: LargeBinary(),
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSON(),
        list[str]: JSON(),
    }


def _owner(column: str, *, index: bool = False, **more: Any) -> Mapped[int]:
    """A column that belongs to a row of another table and goes with it."""
    return mapped_column(ForeignKey(column, ondelete="CASCADE"), index=index, **more)


def _owner_key(column: str) -> Mapped[int]:
    return mapped_column(
        ForeignKey(column, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )


class Collection(Base):
    """A test collection."""

    __tablename__ = "collection"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    documents: Mapped[int | None] = mapped_column(BigInteger)
    created_at: Mapped[datetime]


class Query(Base):
    """A query of a collection; qids are text: 1, 01 and 1.0 are three queries."""

    __tablename__ = "query"
    __table_args__ = (UniqueConstraint("collection_id", "qid"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = _owner("collection.id")
    qid: Mapped[str]
    text: Mapped[str | None]


class Document(Base):
    """The text of a document, optional: for reading a ranking."""

    __tablename__ = "document"
    collection_id: Mapped[int] = _owner_key("collection.id")
    docno: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str | None]
    text: Mapped[str | None]


class Qrels(Base):
    """One set of judgments of a collection."""

    __tablename__ = "qrels"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = _owner("collection.id")
    name: Mapped[str]
    content_hash: Mapped[str]
    queries: Mapped[int]
    judgments: Mapped[int] = mapped_column(BigInteger)
    relevant: Mapped[int] = mapped_column(BigInteger)
    highest_grade: Mapped[float]
    created_at: Mapped[datetime]


class Judgment(Base):
    """The grade of a document for a query."""

    __tablename__ = "judgment"
    __table_args__ = CLUSTERED
    qrels_id: Mapped[int] = _owner_key("qrels.id")
    query_id: Mapped[int] = _owner_key("query.id")
    docno: Mapped[str] = mapped_column(primary_key=True)
    grade: Mapped[float]


class Experiment(Base):
    """A named group of runs."""

    __tablename__ = "experiment"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]


class Engine(Base):
    """A retrieval system under comparison."""

    __tablename__ = "engine"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Run(Base):
    """One ranking of a collection's queries by an engine."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = _owner("collection.id")
    engine_id: Mapped[int] = _owner("engine.id", index=True)
    experiment_id: Mapped[int | None] = mapped_column(
        ForeignKey("experiment.id", ondelete="SET NULL"), index=True
    )
    name: Mapped[str]
    tag: Mapped[str]
    content_hash: Mapped[str]
    queries: Mapped[int]
    retrieved: Mapped[int] = mapped_column(BigInteger)
    parameters: Mapped[dict[str, Any] | None]
    tags: Mapped[list[str] | None]
    commit: Mapped[str | None]
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]


class Ranking(Base):
    """The whole ranked list of a run for a query, packed: the source of truth."""

    __tablename__ = "ranking"
    run_id: Mapped[int] = _owner_key("run.id")
    query_id: Mapped[int] = _owner_key("query.id")
    retrieved: Mapped[int]
    packed: Mapped[bytes]


class Retrieved(Base):
    """The top of each ranking as rows, for SQL."""

    __tablename__ = "retrieved"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = _owner_key("run.id")
    query_id: Mapped[int] = _owner_key("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    docno: Mapped[str]
    score: Mapped[float]


class Evaluation(Base):
    """A run held against a qrels."""

    __tablename__ = "evaluation"
    __table_args__ = (UniqueConstraint("run_id", "qrels_id"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = _owner("run.id")
    qrels_id: Mapped[int] = _owner("qrels.id", index=True)
    evaluator: Mapped[str]
    compat: Mapped[str]
    created_at: Mapped[datetime]


class Hit(Base):
    """A relevant document that the run retrieved, at its true rank, however deep."""

    __tablename__ = "hit"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _owner_key("evaluation.id")
    query_id: Mapped[int] = _owner_key("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    docno: Mapped[str]
    grade: Mapped[float]
    score: Mapped[float]


class Measure(Base):
    """A measure by its canonical name."""

    __tablename__ = "measure"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    family: Mapped[str]
    # 1: more is better, -1: less is, 0: neither.
    direction: Mapped[int] = mapped_column(SmallInteger)
    aggregate: Mapped[str]


class Measurement(Base):
    """The value of a measure for a query."""

    __tablename__ = "measurement"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _owner_key("evaluation.id")
    measure_id: Mapped[int] = _owner_key("measure.id")
    query_id: Mapped[int] = _owner_key("query.id")
    value: Mapped[float]


class Aggregate(Base):
    """The one figure of a measure for all queries."""

    __tablename__ = "aggregate"
    __table_args__ = CLUSTERED
    evaluation_id: Mapped[int] = _owner_key("evaluation.id")
    measure_id: Mapped[int] = _owner_key("measure.id")
    value: Mapped[float]
    # The standard deviation over the queries; null for fewer than two.
    spread: Mapped[float | None]
    queries: Mapped[int]
