"""A view loads what it needs once: how many SELECTs the pages make, also for hostile addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from browserless import Browserless, ids_in
from sqlalchemy import event

from dashboard.address import MOST_VALUES, Address, parse_href
from dashboard.pages import PAGES
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


EVERY_PAGE = (
    *("/", "/sql", "/measures", "/measures/AP"),
    *("/c/small", "/c/small/compare?runs=bm25,tfidf", "/c/small/queries", "/c/small/history"),
    *("/c/small/judgments", "/c/small/judge"),
    *("/c/small/query/q1", "/c/small/run/bm25", "/c/small/upload"),
)
MANY = {
    "names": [f"x{number}" for number in range(MOST_VALUES)],
    "measures": [f"nDCG(rel={1 + number % 4})@{1 + number}" for number in range(MOST_VALUES)],
    "hashes": [f"x~{number:08x}" for number in range(MOST_VALUES)],
}


def test_every_page_is_asked_for_what_it_costs() -> None:
    kinds = {parse_href(href).page for href in EVERY_PAGE}
    assert kinds == {page.kind for page in PAGES}


@pytest.mark.parametrize("href", EVERY_PAGE)
def test_an_address_that_names_as_much_as_it_may_costs_few_statements(
    app: Browserless,
    store: Store,
    href: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """Each name with one kind of values, the kinds in turns; each night with all kinds."""
    asked: set[str] = set()

    def recording(read: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(address: Address, name: str, *rest: Any) -> Any:
            asked.add(name)
            return read(address, name, *rest)

        return recorded

    with monkeypatch.context() as patched:
        for name in ("one", "all"):
            patched.setattr(Address, name, recording(getattr(Address, name)))
        app.page(href)
    with selects_of(store) as plain:
        app.page(href)
    every = request.config.getoption("nightly")
    for number, name in enumerate(sorted(asked)):
        for kind, values in [*MANY.items()] if every else [[*MANY.items()][number % len(MANY)]]:
            with selects_of(store) as statements:
                app.page(parse_href(href).changed(**{name: values}).href)
            # A hash is looked up in the contents of runs, one by one.
            most = MOST_VALUES if kind == "hashes" else 0
            assert len(statements) <= len(plain) + 60 + most, (name, kind)
