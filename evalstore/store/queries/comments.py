"""Comments of people on runs and queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, select

from evalstore.store.models import comment_t, content_t, query_t, run_t
from evalstore.store.rows import bulk_insert, delete_row, fields, find_row, insert_row

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


def find_comment(connection: Connection, subject: Subject, comment_id: int) -> Comment | None:
    """The comment on a run or query with this id, or None."""
    own = COMMENTS.where(_is_about(subject), comment_t.c.id == comment_id)
    return find_row(connection, Comment, own)


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
