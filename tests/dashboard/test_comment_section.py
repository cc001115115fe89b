"""Comments on the Run page and the Query page: shown, written, deleted, linked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find, ids_in, text_of
from sqlalchemy import insert

from dashboard.app import create_app
from dashboard.page import nowhere
from evalstore.store import Store, models
from evalstore.store.queries import events
from evalstore.tracking.comments import SHOWN, comment_on_query, comment_on_run, run_comments

PAGES = ("/c/small/run/bm25", "/c/small/query/q1")
HOSTILE = "<script>alert(1)</script> **bold** [x](javascript:alert(1))"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Store]:
    """A store that a test may change."""
    with sample_stores.main(tmp_path) as store:
        yield store


def browserless(store: Store, **options: Any) -> Browserless:
    return Browserless(create_app(store, **options).server.test_client())


def body(app: Browserless, address: str) -> Any:
    return app.follow(address)["page"]["children"]


def write(app: Browserless, path: str, text: str, search: str = "") -> dict[str, Any]:
    given = {"url__pathname": path, "url__search": search}
    answer = app.call("comment-written.data", comment_send=1, comment_text=text, **given)
    data: dict[str, Any] = answer["comment-written"]["data"]
    return data


def delete(app: Browserless, path: str, comment: str) -> dict[str, Any]:
    answer = app.call(
        "comment-written.data",
        changed="comment-delete.data",
        comment_delete=comment,
        url__pathname=path,
        url__search="",
    )
    data: dict[str, Any] = answer["comment-written"]["data"]
    return data


@pytest.mark.parametrize("path", PAGES)
def test_a_comment_is_written_shown_and_deleted(own: Store, path: str) -> None:
    app = browserless(own)
    assert write(app, path, "*why*?", "?m=AP") == {"href": f"{path}?m=AP&comment=1", "click": 1}
    page = body(app, f"{path}?m=AP&comment=1")
    comment = find(page, "comment-1")
    assert comment["className"] == "comment is-linked"
    assert f"{events.who()} 20" in text_of(comment["children"])
    assert "Copy link Delete" in text_of(comment["children"])
    assert delete(app, path, "1") == {"deleted": "1"}
    assert "comment-1" not in ids_in(body(app, path))
    assert delete(app, path, "1")["problem"].startswith("There is no comment 1 on ")


def test_only_the_comments_of_the_page_are_shown(own: Store) -> None:
    comment_on_run(own, "bm25", "of the run", "small")
    comment_on_query(own, "q1", "of the query", "small")
    app = browserless(own)
    texts = [app.text(path) for path in (*PAGES, "/c/small/run/tfidf", "/c/small/query/q2")]
    assert [("of the run" in text, "of the query" in text) for text in texts] == [
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]


def test_a_comment_is_markdown_without_html(own: Store) -> None:
    with events.acting("שלום" + "x" * 1_000):
        comment_on_run(own, "bm25", HOSTILE, "small")
    listed = find(body(browserless(own), PAGES[0]), "comment-1")
    markdown = listed["children"][1]["props"]["children"]["props"]
    assert markdown["children"] == HOSTILE
    assert "dangerously_allow_html" not in markdown
    assert "x" * 41 not in as_json(listed)
    assert "Delete" not in text_of(listed["children"])  # another person wrote it


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        (PAGES[0], " ", "The comment is empty."),
        (PAGES[0], "x" * 10_001, "The comment has 10,001 characters, of 10,000 at most."),
        ("/c/small/run/nothing", "x", "There is no run 'nothing' in collection 'small'."),
        ("/c/small/query/nothing", "x", "There is no query 'nothing' in collection 'small'."),
        ("/c/nothing/run/bm25", "x", "There is no run 'bm25' in collection 'nothing'."),
        ("/c/small", "x", "You may not comment here."),
        ("/nothing", "x", "Nothing is at /nothing."),
    ],
)
def test_what_can_not_be_a_comment_is_a_sentence(
    own: Store, path: str, text: str, problem: str
) -> None:
    assert write(browserless(own), path, text) == {"problem": problem, "click": 1}
    assert run_comments(own, "bm25", "small") == []


def test_who_may_not_write_reads_comments_and_writes_none(own: Store) -> None:
    app = browserless(own, store_to_write=nowhere)
    assert "Comments" not in app.text(PAGES[0])
    comment_on_run(own, "bm25", "seen by all", "small")
    page = body(app, PAGES[0])
    assert "seen by all" in text_of(page)
    assert "Delete" not in text_of(find(page, "comment-1")["children"])
    assert not ids_in(page) & {"comment-text", "comment-send"}
    for answer in (write(app, PAGES[0], "x"), delete(app, PAGES[0], "1")):
        assert answer["problem"] == "You may not comment here."
    assert len(run_comments(own, "bm25", "small")) == 1


@pytest.mark.parametrize(
    ("hosts", "is_own"), [([], True), (["127.0.0.1", "localhost"], True), (["eval.example"], False)]
)
def test_without_a_login_only_this_machine_writes(
    store: Store, hosts: list[str], is_own: bool
) -> None:
    page = body(browserless(store, hosts=hosts), PAGES[0])
    assert ("comment-send" in ids_in(page)) is is_own
    assert "Add runs" not in text_of(page)  # files are sent to a server


@pytest.mark.parametrize("path", PAGES)
def test_a_page_shows_some_of_many_comments_and_leads_to_the_others(own: Store, path: str) -> None:
    with own.write() as connection:
        ids = connection.exec_driver_sql(
            "SELECT run.id, query.id FROM run JOIN query USING (collection_id) "
            "WHERE run.name = 'bm25' AND qid = 'q1'"
        ).one()
        of = {"run_id": ids[0], "query_id": None} if "run" in path else {"query_id": ids[1]}
        row = {"collection_id": 1, **of, "who": "a", "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
        rows = [{**row, "text": "x"} for _ in range(2 * SHOWN + 20)]
        connection.execute(insert(models.table(models.Comment)), rows)
    app = browserless(own)
    first = app.page(path)
    page = first["page"]["children"]
    newest = {f"comment-{number}" for number in range(71, 121)}
    assert {id_ for id_ in ids_in(page) if id_[-1].isdigit() and "comment-" in id_} == newest
    assert "70 earlier" in text_of(page)
    changed = app.go(f"{path}?comment=5", on_screen=first["rendered"]["data"])
    listed = changed["comments-list"]["children"]
    assert {f"comment-{n}" for n in range(5, 5 + SHOWN)} == ids_in(listed)
    assert find(listed, "comment-5")["className"] == "comment is-linked"
    text = text_of(listed)
    assert text.startswith("4 earlier")
    assert text.endswith("66 later")
    assert f'{path}?comment=1"' in as_json(listed)
    assert f'{path}?comment=55"' in as_json(listed)


@pytest.mark.parametrize("comment", ["0", "x", "-1", "²", "9" * 30, "1,2"])
def test_an_address_with_no_comment_of_the_page_shows_the_newest(own: Store, comment: str) -> None:
    comment_on_run(own, "bm25", "the newest", "small")
    assert "the newest" in browserless(own).text(f"{PAGES[0]}?comment={comment}")
