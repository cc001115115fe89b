"""Comments of people on runs and queries; adding or deleting one is an event.

An event does not contain the text, so that what was deleted is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import check_text
from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries import tracking as stored
from evalstore.store.queries.queries import find_query
from evalstore.store.queries.runs import find_run
from evalstore.store.queries.tracking import Comment, Kind, Subject

LONGEST = 10_000
"""The largest number of characters in a comment."""
SHOWN = 50
"""The largest number of comments on a page."""


@dataclass(frozen=True)
class CommentsPage:
    """Consecutive comments on a run or query, the oldest first, as a page shows them.

    `earlier` and `later` are the numbers of comments before and after them. `before` is the id of
    the comment with which the page before begins, `after` that of the page after.
    """

    comments: tuple[Comment, ...]
    earlier: int = 0
    later: int = 0
    before: int | None = None
    after: int | None = None


def run_comments(store: Store, run: str, collection: str | None = None) -> list[Comment]:
    """All comments on a run, the oldest first."""
    with store.read() as connection:
        return stored.list_comments(connection, _run(connection, run, collection))


def comments_page(
    store: Store, kind: Kind, name: str, collection: str, at: int | None = None
) -> CommentsPage:
    """The newest comments on a run or query, or those from the comment `at` on.

    An `at` that is deleted, or that is one of the newest, gives the newest.
    """
    with store.read() as connection:
        subject = _subject(connection, kind, name, collection)
        ids = stored.list_comment_ids(connection, subject)
        newest = max(len(ids) - SHOWN, 0)
        first = min(ids.index(at), newest) if at in ids else newest
        shown = ids[first : first + SHOWN]
        if not shown:
            return CommentsPage(())
        listed = stored.list_comments(connection, subject, shown[0], shown[-1])
    end = first + len(shown)
    return CommentsPage(
        tuple(listed),
        first,
        len(ids) - end,
        ids[max(first - SHOWN, 0)] if first else None,
        ids[end] if end < len(ids) else None,
    )


def comment_on_run(store: Store, run: str, text: str, collection: str | None = None) -> Comment:
    """Comment on a run, given by name or id."""
    checked = _checked(text)
    return store.transact(
        lambda connection: _add(connection, _run(connection, run, collection), checked)
    )


def comment_on_query(store: Store, qid: str, text: str, collection: str) -> Comment:
    """Comment on a query of a collection."""
    checked = _checked(text)
    return store.transact(
        lambda connection: _add(connection, _subject(connection, "query", qid, collection), checked)
    )


def _add(connection: Connection, subject: Subject, text: str) -> Comment:
    who, now = events.who(), datetime.now(UTC)
    newest = stored.newest_comment(connection, subject)
    if newest is not None and (newest.who, newest.text) == (who, text):
        return newest  # sent twice
    comment = stored.add_comment(connection, subject, who, now, text)
    _log(connection, "comment", subject, comment)
    return comment


def delete_comment(store: Store, kind: Kind, name: str, collection: str, comment_id: int) -> None:
    """Delete a comment on a run or query; DataError if another person wrote it."""

    def work(connection: Connection) -> None:
        subject = _subject(connection, kind, name, collection)
        named = stored.list_comments(connection, subject, comment_id, comment_id)
        if not named:
            raise NotFound(f"there is no comment {comment_id} on {kind} {name!r}")
        comment = named[0]
        if not is_own(comment):
            raise DataError(f"comment {comment_id} is by {comment.who}, who alone can delete it")
        stored.delete_comment(connection, comment_id)
        _log(connection, "uncomment", subject, comment)

    store.transact(work)


def is_own(comment: Comment) -> bool:
    """Whether the person who acts now wrote a comment."""
    return comment.who == events.who()


def _log(connection: Connection, action: events.Action, subject: Subject, comment: Comment) -> None:
    events.log(
        connection, action, subject.collection, subject.name,
        kind=subject.kind, comment=comment.id,
    )  # fmt: skip


def _subject(connection: Connection, kind: Kind, name: str, collection: str) -> Subject:
    if kind == "run":
        return _run(connection, name, collection)
    collection_id = find_collection_id(connection, collection)
    query = find_query(connection, collection_id, name)
    if query is None:
        raise NotFound(f"there is no query {name!r} in collection {collection!r}")
    return Subject("query", query.id, name, collection, collection_id)


def _run(connection: Connection, name: str, collection: str | None) -> Subject:
    run = find_run(connection, name, collection)
    collection_id = find_collection_id(connection, run.collection)
    return Subject("run", run.id, run.name, run.collection, collection_id)


def _checked(text: str) -> str:
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise DataError("the comment is empty")
    if len(text) > LONGEST:
        raise DataError(f"the comment has {len(text):,} characters, of {LONGEST:,} at most")
    return check_text("comment", text)
