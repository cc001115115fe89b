"""Baselines (what runs of a collection are compared with), runs over time, and comments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select

from evalstore.store.models import (
    baseline_t,
    collection_t,
    comment_t,
    content_t,
    engine_t,
    query_t,
    run_t,
)
from evalstore.store.queries.runs import RUNS, StoredRun
from evalstore.store.rows import bulk_insert, delete_row, fields, find_row, insert_row


class StoredBaseline(NamedTuple):
    """The baseline of a collection; it is ignored while its run is marked as removed."""

    collection: str
    engine: str
    run: str
    is_removed: bool


def find_baseline(connection: Connection, collection_id: int) -> StoredRun | None:
    """The baseline of a collection, even if its run is marked as removed."""
    chosen = RUNS.join(baseline_t, baseline_t.c.run_id == run_t.c.id)
    return find_row(
        connection, StoredRun, chosen.where(baseline_t.c.collection_id == collection_id)
    )


def list_baselines(connection: Connection) -> list[StoredBaseline]:
    """The baselines of the active collections, even if their runs are marked as removed."""
    rows = connection.execute(
        select(collection_t.c.name, engine_t.c.name, run_t.c.name, run_t.c.deleted_at.is_not(None))
        .select_from(baseline_t)
        .join(run_t, run_t.c.id == baseline_t.c.run_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .join(collection_t, collection_t.c.id == baseline_t.c.collection_id)
        .where(collection_t.c.deleted_at.is_(None))
    )
    return [StoredBaseline(name, engine, run, bool(gone)) for name, engine, run, gone in rows]


def set_baseline(connection: Connection, collection_id: int, run_id: int | None) -> None:
    """Make a run the baseline of its collection, replacing any other; None for no baseline."""
    connection.execute(delete(baseline_t).where(baseline_t.c.collection_id == collection_id))
    if run_id is not None:
        values = {"collection_id": collection_id, "run_id": run_id}
        connection.execute(insert(baseline_t).values(values))


# The runs of an engine over time


class RunInTime(NamedTuple):
    """An active run; `at` is when the engine started if that is known (`has_started`), else stored.

    The view `engine_history` uses the same time and order.
    """

    collection: str
    id: int
    name: str
    at: datetime
    has_started: bool = False


def list_runs_in_time(connection: Connection, engine: str) -> list[RunInTime]:
    """The active runs of an engine in all active collections, the oldest first, then by id."""
    at = func.coalesce(run_t.c.started_at, run_t.c.created_at)
    rows = connection.execute(
        select(collection_t.c.name, run_t.c.id, run_t.c.name, at, run_t.c.started_at.is_not(None))
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(
            engine_t.c.name == engine,
            run_t.c.deleted_at.is_(None),
            collection_t.c.deleted_at.is_(None),
        )
        .order_by(at, run_t.c.id)
    )
    return [
        RunInTime(collection, id_, name, time, bool(has_started))
        for collection, id_, name, time, has_started in rows
    ]


def list_active_engines(connection: Connection) -> list[str]:
    """The engines that have an active run in an active collection."""
    rows = connection.execute(
        select(engine_t.c.name)
        .join(run_t, run_t.c.engine_id == engine_t.c.id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(run_t.c.deleted_at.is_(None), collection_t.c.deleted_at.is_(None))
        .distinct()
    )
    return list(rows.scalars())


# Comments of people on runs and queries

Kind = Literal["run", "query"]


@dataclass(frozen=True)
class Subject:
    """A run or query, with the id of its row, that comments are about."""

    kind: Kind
    id: int
    name: str
    collection: str
    collection_id: int


@dataclass(frozen=True)
class Comment:
    """A comment; `text` is Markdown."""

    id: int
    who: str
    created_at: datetime
    text: str


COMMENTS = select(*fields(Comment, comment_t))


def list_comment_ids(connection: Connection, subject: Subject) -> list[int]:
    """The ids of the comments on a run or query, the oldest first."""
    own = select(comment_t.c.id).where(_is_about(subject)).order_by(comment_t.c.id)
    return list(connection.execute(own).scalars())


def list_comments(
    connection: Connection, subject: Subject, first: int = 0, last: int | None = None
) -> list[Comment]:
    """The comments on a run or query, the oldest first, from an id to another id."""
    chosen = COMMENTS.where(_is_about(subject), comment_t.c.id >= first).order_by(comment_t.c.id)
    if last is not None:
        chosen = chosen.where(comment_t.c.id <= last)
    return [Comment(*row) for row in connection.execute(chosen)]


def newest_comment(connection: Connection, subject: Subject) -> Comment | None:
    """The last comment on a run or query; None if there is none."""
    own = COMMENTS.where(_is_about(subject)).order_by(comment_t.c.id.desc()).limit(1)
    return find_row(connection, Comment, own)


def add_comment(
    connection: Connection, subject: Subject, who: str, created_at: datetime, text: str
) -> Comment:
    """Add a comment."""
    own = {f"{subject.kind}_id": subject.id, "collection_id": subject.collection_id}
    id_ = insert_row(connection, comment_t, **own, who=who, created_at=created_at, text=text)
    return Comment(id_, who, created_at, text)


def delete_comment(connection: Connection, comment_id: int) -> None:
    """Delete a comment."""
    delete_row(connection, comment_t, comment_id)


def _is_about(subject: Subject) -> ColumnElement[bool]:
    return comment_t.c[f"{subject.kind}_id"] == subject.id


# Comments copied from one store into another

COPIED = ("run_id", "query_id", "who", "created_at", "text")


def copy_comments(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Add the comments that the collection `here` lacks, on the runs and queries that it has.

    Runs are the same if name and content are.

    Returns:
        The number of comments added.
    """
    run_of: dict[Any, int] = {tuple(row[1:]): row.id for row in writer.execute(_runs(here))}
    query_of = {row.qid: row.id for row in writer.execute(_queries(here))}
    run_here = {row.id: run_of.get(tuple(row[1:])) for row in reader.execute(_runs(theirs))}
    query_here = {row.id: query_of.get(row.qid) for row in reader.execute(_queries(theirs))}
    stored = {tuple(row) for row in writer.execute(_comments(here))}
    new: list[tuple[Any, ...]] = []
    for run, query, *rest in reader.execute(_comments(theirs)):
        row = (run_here.get(run), query_here.get(query), *rest)
        if row not in stored and row[:2] != (None, None):
            new.append(row)
    bulk_insert(writer, comment_t, COPIED, new, {"collection_id": here})
    return len(new)


def _comments(collection_id: int) -> Select[Any]:
    own = comment_t.c.collection_id == collection_id
    return select(*(comment_t.c[name] for name in COPIED)).where(own).order_by(comment_t.c.id)


def _runs(collection_id: int) -> Select[Any]:
    return (
        select(run_t.c.id, run_t.c.name, content_t.c.content_hash)
        .join(content_t, content_t.c.id == run_t.c.content_id)
        .where(run_t.c.collection_id == collection_id)
    )


def _queries(collection_id: int) -> Select[Any]:
    return select(query_t.c.id, query_t.c.qid).where(query_t.c.collection_id == collection_id)
