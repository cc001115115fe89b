"""A view loads what it needs once: how many SELECTs the pages make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from browserless import Browserless, ids_in
from sqlalchemy import event

from evalstore.store import Store


@contextmanager
def selects_of(store: Store) -> Iterator[list[str]]:
    """The SELECTs that go to the database meanwhile."""
    statements: list[str] = []

    def record(_c: object, _u: object, statement: str, *_: object) -> None:
        if statement.lstrip().startswith("SELECT"):
            statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", record)
    yield statements
    event.remove(store.engine, "before_cursor_execute", record)


def called_at_first(app: Browserless, page: object) -> list[str]:
    """The outputs of the callbacks that a browser calls when a page appears."""
    ids = ids_in(page)
    return [
        callback["output"]
        for callback in app.client.get("/_dash-dependencies").get_json()
        if not callback["prevent_initial_call"] and not callback["clientside_function"]
        if any(part.rsplit(".", 1)[0] in ids for part in callback["output"].strip(".").split("..."))
    ]


@pytest.mark.parametrize("more", ["", "&query=q2", "&m=AP&order=difference", "&open=scatter,pairs"])
def test_the_first_view_of_a_comparison_makes_at_most_two_selects_a_run_and_26_more(
    app: Browserless, store: Store, more: str
) -> None:
    with selects_of(store) as statements:
        page = app.page(f"/c/small/compare?runs=bm25,tfidf,boolean{more}")
    # The page comes complete: no callback follows until a control moves.
    assert called_at_first(app, page["page"]["children"]) == []
    assert 1 <= len(statements) <= 26 + 2 * 3, statements


def test_a_further_run_makes_two_further_selects_at_most(app: Browserless, store: Store) -> None:
    counts = []
    for runs in ("bm25,tfidf", "bm25,tfidf,boolean"):
        with selects_of(store) as statements:
            app.page(f"/c/small/compare?runs={runs}")
        counts.append(len(statements))
    assert counts[1] - counts[0] <= 2


def test_the_leaderboard_makes_twenty_selects_at_most_and_a_block_of_rows_26(
    app: Browserless, store: Store
) -> None:
    with selects_of(store) as statements:
        page = app.page("/c/small")
    assert 1 <= len(statements) <= 20, statements
    # The rows come when the grid asks for them; what may be claimed, beside them.
    assert called_at_first(app, page["page"]["children"]) == [
        "..board-claims.data...board-notes.children...board-headline.children.."
    ]
    with selects_of(store) as statements:
        app.call(
            "board-grid.getRowsResponse",
            board_grid={"startRow": 0, "endRow": 100},
            board_rows={"href": "/c/small"},
        )
    assert 1 <= len(statements) <= 26, statements
