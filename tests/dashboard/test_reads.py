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


@pytest.mark.parametrize("more", ["", "&query=q2", "&measure=AP&sort=difference"])
def test_the_first_view_of_a_comparison_makes_ten_selects_at_most(
    app: Browserless, store: Store, ids_of: dict[str, int], more: str
) -> None:
    runs = ",".join(str(ids_of[engine]) for engine in ("bm25", "tfidf", "boolean"))
    with selects_of(store) as statements:
        page = app.page(f"/compare?runs={runs}{more}")
    # The page comes complete: no callback follows until a control moves.
    assert called_at_first(app, page["page"]["children"]) == []
    assert 1 <= len(statements) <= 10, statements


def test_a_control_that_moves_makes_ten_selects_at_most(
    app: Browserless, store: Store, link_of: dict[str, str]
) -> None:
    runs = [link_of["bm25"], link_of["tfidf"]]
    context = {"runs": runs, "qrels": None}
    with selects_of(store) as statements:
        app.call(
            "differences.figure",
            compare_measure="AP",
            compare_a=runs[0],
            compare_b=runs[1],
            compare_context=context,
        )
    assert 1 <= len(statements) <= 10, statements
