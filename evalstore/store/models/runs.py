"""Tables of runs: engines, runs and rankings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from evalstore.store.dialects.column_types import CLUSTERED
from evalstore.store.models.base import NEVER_REUSED, Base, id_column, key_of, row_of


class Engine(Base):
    """A retrieval system under comparison."""

    __tablename__ = "engine"
    __table_args__ = NEVER_REUSED
    id: Mapped[int] = id_column()
    name: Mapped[str] = mapped_column(unique=True, comment="the run tag unless another was given")


class Run(Base):
    """One ranking of a collection's queries by an engine."""

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("collection_id", "name"),
        UniqueConstraint("collection_id", "content_hash"),
        NEVER_REUSED,
    )
    id: Mapped[int] = id_column()
    collection_id: Mapped[int] = row_of("collection.id", "the collection")
    engine_id: Mapped[int] = row_of("engine.id", "the engine", index=True)
    experiment: Mapped[str | None] = mapped_column(
        index=True, comment="the name of the experiment that it belongs to, if any"
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
    note: Mapped[str | None] = mapped_column(comment="what people wrote about it, in Markdown")
    commit_dirty: Mapped[bool | None] = mapped_column(
        comment="whether files differed from the commit; null where that is not known"
    )
    host: Mapped[str | None] = mapped_column(comment="the machine that the engine ran on")
    started_by: Mapped[str | None] = mapped_column(comment="the account that started the engine")
    started_at: Mapped[datetime | None] = mapped_column(comment="when the engine started")
    ended_at: Mapped[datetime | None] = mapped_column(comment="when it was done")
    command: Mapped[str | None] = mapped_column(comment="the command line of the engine")
    index_version: Mapped[str | None] = mapped_column(comment="the version of the index")
    collection_version: Mapped[str | None] = mapped_column(
        comment="the version of the documents that were indexed"
    )
    header: Mapped[dict[str, Any] | None] = mapped_column(
        comment="the ir_metadata that headed the run file"
    )
    memory_bytes: Mapped[int | None] = mapped_column(
        BigInteger, comment="the most memory that the engine used"
    )
    money: Mapped[float | None] = mapped_column(comment="what all queries together cost")
    currency: Mapped[str | None] = mapped_column(comment="in which currency, like EUR")
    energy_joules: Mapped[float | None] = mapped_column(
        comment="the energy that all queries together took"
    )
    values_only: Mapped[bool] = mapped_column(
        server_default=false(),
        comment="whether it came as values of measures, without rankings",
    )


class RunParent(Base):
    """The run that a run was derived from."""

    __tablename__ = "run_parent"
    run_id: Mapped[int] = key_of("run.id")
    parent_id: Mapped[int] = row_of("run.id", "the run it came from", index=True)


class RunFile(Base):
    """A file that a run was read from, by which it is recognised without being read again."""

    __tablename__ = "run_file"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = key_of("run.id")
    path_hash: Mapped[str] = mapped_column(
        primary_key=True, comment="SHA-256 of its absolute path, or of its URL without secrets"
    )
    size: Mapped[int] = mapped_column(BigInteger, comment="in bytes")
    version: Mapped[str | None] = mapped_column(
        comment="inode and times of a file, ETag of an object; null where these prove nothing"
    )
    bytes_hash: Mapped[str] = mapped_column(
        comment="SHA-256 of its bytes; empty for an object of an object store"
    )
    reading: Mapped[str] = mapped_column(
        comment="SHA-256 of the options that it was read with, and of the version of evalstore"
    )


class EngineSlot(Base):
    """The number of an engine in a collection, by which charts give it a colour and a mark."""

    __tablename__ = "engine_slot"
    __table_args__ = (UniqueConstraint("collection_id", "slot"),)
    collection_id: Mapped[int] = key_of("collection.id")
    engine_id: Mapped[int] = key_of("engine.id", index=True)
    slot: Mapped[int] = mapped_column(
        comment="from 0, in the order of the engines' first runs; never changed"
    )


class Baseline(Base):
    """The run that the others of a collection are compared with unless told otherwise."""

    __tablename__ = "baseline"
    collection_id: Mapped[int] = key_of("collection.id")
    run_id: Mapped[int] = row_of("run.id", "the run", index=True)


class Ranking(Base):
    """The whole ranked list of a run for a query, packed: the source of truth."""

    __tablename__ = "ranking"
    run_id: Mapped[int] = key_of("run.id")
    query_id: Mapped[int] = key_of("query.id")
    retrieved: Mapped[int] = mapped_column(comment="the length of the list")
    packed: Mapped[bytes] = mapped_column(comment="documents and scores, see store/packing.py")


class Retrieved(Base):
    """The top of each ranking as rows (100 documents unless said otherwise)."""

    __tablename__ = "retrieved"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = key_of("run.id")
    query_id: Mapped[int] = key_of("query.id")
    rank: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, comment="from 1")
    docno: Mapped[str] = mapped_column(comment="the document")
    score: Mapped[float] = mapped_column(comment="what the engine gave it")


class ResponseTime(Base):
    """The time that an engine took to answer a query."""

    __tablename__ = "response_time"
    __table_args__ = CLUSTERED
    run_id: Mapped[int] = key_of("run.id")
    query_id: Mapped[int] = key_of("query.id")
    milliseconds: Mapped[float] = mapped_column(comment="the time in milliseconds")
