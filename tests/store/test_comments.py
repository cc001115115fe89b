"""Comments on runs and queries: added, listed, deleted, copied."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from changed_runs import rename_run
from databases import both_databases
from samples import BM25, TFIDF, Filled, add, write_run
from sqlalchemy import insert

from evalstore.catalog.runs import history, purge_runs, remove_runs
from evalstore.errors import DataError, NotFound
from evalstore.store import Store, models
from evalstore.store.queries import events
from evalstore.tracking.comments import (
    LONGEST,
    SHOWN,
    comment_on_query,
    comment_on_run,
    comments_page,
    delete_comment,
    run_comments,
)
from evalstore.transfer.copy import copy


def fill(store: Store, folder: Path) -> None:
    """The runs bm25 and tfidf of the collection `test`."""
    add(store, folder, write_run(folder, BM25), write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def texts(store: Store, name: str = "bm25") -> list[str]:
    return [comment.text for comment in run_comments(store, name, "test")]


@both_databases
def test_comments_are_of_their_run_or_query_with_who_and_when(filled: Store) -> None:
    with events.acting("ann"):
        comment = comment_on_run(filled, "bm25", " *why*\r\n\r\nü ", "test")
    comment_on_run(filled, "tfidf", "another")
    comment_on_query(filled, "q1", "hard", "test")
    assert run_comments(filled, "bm25") == [comment]
    assert (comment.who, comment.text) == ("ann", "*why*\n\nü")
    [on_query] = comments_page(filled, "query", "q1", "test").comments
    assert (on_query.who, on_query.text) == (events.who(), "hard")
    assert on_query.created_at >= comment.created_at
    assert comments_page(filled, "query", "q2", "test").comments == ()


@both_databases
def test_a_comment_that_is_added_or_deleted_is_an_event_without_its_text(filled: Store) -> None:
    comment = comment_on_run(filled, "bm25", "secret")
    delete_comment(filled, "run", "bm25", "test", comment.id)
    assert run_comments(filled, "bm25") == []
    added, deleted = history(filled)[-2:]
    assert (added.action, deleted.action) == ("comment", "uncomment")
    for event in (added, deleted):
        assert (event.collection, event.subject) == ("test", "bm25")
        assert event.details == {"kind": "run", "comment": comment.id}


def test_only_who_wrote_a_comment_deletes_it(filled: Store) -> None:
    with events.acting("ann"):
        comment = comment_on_run(filled, "bm25", "mine")
    with events.acting("ben"), pytest.raises(DataError, match="is by ann, who alone can delete it"):
        delete_comment(filled, "run", "bm25", "test", comment.id)
    with events.acting("ann"), pytest.raises(NotFound, match=f"no comment {comment.id} on run 'tf"):
        delete_comment(filled, "run", "tfidf", "test", comment.id)
    assert texts(filled) == ["mine"]


def test_a_comment_that_is_sent_twice_is_stored_once(filled: Store) -> None:
    assert comment_on_run(filled, "bm25", "yes") == comment_on_run(filled, "bm25", "yes ")
    comment_on_run(filled, "bm25", "no")
    comment_on_run(filled, "bm25", "yes")
    assert texts(filled) == ["yes", "no", "yes"]
    assert [event.action for event in history(filled)].count("comment") == 3


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (" \n", "the comment is empty"),
        ("x" * (LONGEST + 1), "the comment has 10,001 characters, of 10,000 at most"),
        ("a\0b", "a character that can't be stored"),
        ("a\ud800b", "a character that can't be stored"),
    ],
)
def test_a_text_that_is_no_comment_is_refused(filled: Store, text: str, error: str) -> None:
    with pytest.raises(DataError, match=error):
        comment_on_run(filled, "bm25", text)
    assert texts(filled) == []


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda s: comment_on_run(s, "bm52", "x"), "no run 'bm52'.*bm25"),
        (lambda s: comment_on_query(s, "q7", "x", "test"), "no query 'q7' in collection 'test'"),
        (lambda s: comment_on_query(s, "q1", "x", "tset"), "no collection 'tset'"),
    ],
)
def test_what_is_not_stored_has_no_comments(
    filled: Store, call: Callable[[Store], object], error: str
) -> None:
    with pytest.raises(NotFound, match=error):
        call(filled)


def test_a_page_has_the_newest_or_those_from_a_comment_on(filled: Store) -> None:
    with filled.write() as connection:
        row = {"collection_id": 1, "who": "ann", "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
        run = {"run_id": 1, "query_id": None}
        rows = [{**row, **run, "text": str(number)} for number in range(2 * SHOWN + 20)]
        connection.execute(insert(models.table(models.Comment)), rows)

    def shown(at: int | None = None) -> tuple[list[int], int, int, int | None, int | None]:
        page = comments_page(filled, "run", "bm25", "test", at)
        ids = [comment.id for comment in page.comments]
        return ids, page.earlier, page.later, page.before, page.after

    assert shown() == (list(range(71, 121)), 70, 0, 21, None)
    assert shown(21) == (list(range(21, 71)), 20, 50, 1, 71)
    assert shown(5) == (list(range(5, 55)), 4, 66, 1, 55)
    for newest in (71, 100, 120, 121, 0):  # the last two are of no comment
        assert shown(newest) == shown()


def test_comments_go_with_their_run(filled: Store) -> None:
    comment_on_run(filled, "bm25", "good")
    rename_run(filled, "bm25", "bm25-old")
    assert texts(filled, "bm25-old") == ["good"]
    remove_runs(filled, ["bm25-old"])
    with pytest.raises(NotFound, match="was removed"):
        comment_on_run(filled, "bm25-old", "better")
    purge_runs(filled, ["bm25-old"])
    with filled.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM comment").scalar() == 0


def test_a_copy_adds_the_comments_that_are_missing(filled: Store, tmp_path: Path) -> None:
    comment_on_run(filled, "bm25", "good")
    comment_on_query(filled, "q1", "hard", "test")
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(filled, target, "test")
        remove_runs(target, ["tfidf"])
        comment_on_run(filled, "bm25", "better")
        comment_on_run(filled, "tfidf", "bad")
        found = [one for one in copy(filled, target) if one.kind == "comments"]
        assert [(one.name, one.detail) for one in found] == [("test", "2 new")]
        assert run_comments(target, "bm25") == run_comments(filled, "bm25")
        assert [one for one in copy(filled, target) if one.kind == "comments"] == []
