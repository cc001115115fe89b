"""Saved views with names: saved from Copy link, listed on the leaderboard, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, text_of

from dashboard.app import create_app
from dashboard.page import nowhere
from evalstore.catalog.links import name_view, named_views, tour
from evalstore.store import Store
from evalstore.store.queries import events

COMPARE = "/c/small/compare?runs=bm25,tfidf&base=tfidf"


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Store]:
    """A store that a test may change."""
    with sample_stores.main(tmp_path) as store:
        yield store


def browserless(store: Store, **options: Any) -> Browserless:
    return Browserless(create_app(store, **options).server.test_client())


def saved(app: Browserless, address: str, **given: Any) -> dict[str, Any]:
    """What naming or removing a view answers, on the page at an address."""
    path, mark, search = address.partition("?")
    changed = {"changed": "view-removed.data"} if "view_removed" in given else {}
    given |= {"url__pathname": path, "url__search": mark + search, **changed}
    data: dict[str, Any] = app.call("view-saved.data", **given)["view-saved"]["data"]
    return data


def board(app: Browserless) -> Any:
    return app.follow("/c/small")["page"]["children"]


def test_a_named_view_is_listed_opened_and_removed(own: Store) -> None:
    app = browserless(own)
    assert "Saved views" not in text_of(board(app))
    answer = saved(app, COMPARE, view_name={"name": " June: bm25 ✓ ", "at": 1})
    assert answer == {"note": "Saved: the leaderboard of the collection lists it.", "at": 1}
    [view] = named_views(own, "small")
    assert (view.name, view.who) == ("June: bm25 ✓", events.who())
    text = text_of(board(app))
    assert f"Saved views June: bm25 ✓ by {events.who()}, 20" in text
    assert f'"/v/{view.key}"' in as_json(board(app))
    assert "~" in view.address  # the hashes of the runs
    link = app.page(f"/v/{view.key}")["redirect"]["data"]
    assert app.page(link)["redirect"]["data"] == COMPARE
    answer = saved(app, "/c/small", view_removed={"key": view.key, "at": 2})
    assert answer == {"removed": view.key, "note": "Removed.", "at": 2}
    assert "Saved views" not in text_of(board(app))
    assert app.page(f"/v/{view.key}")["redirect"]["data"] == link
    with own.read() as connection:
        made = events.events(connection, last=2)
    assert [(event.action, event.subject) for event in made] == [
        ("view", "June: bm25 ✓"),
        ("unview", "June: bm25 ✓"),
    ]


@pytest.mark.parametrize(
    ("address", "name", "note"),
    [
        (COMPARE, " ", "The view has an empty name."),
        (COMPARE, "a\nb", "The name of the view has a control character: 'a\\nb'."),
        (COMPARE, "taken", "Another view of collection 'small' has the name 'taken'."),
        ("/sql?s=SELECT+1", "x", "You may not save views with names here."),
        ("/c/nothing", "x", "There is no collection 'nothing' in the store."),
        ("/nothing", "x", "Nothing is at /nothing."),
    ],
)
def test_what_can_not_be_named_is_a_sentence(
    own: Store, address: str, name: str, note: str
) -> None:
    app = browserless(own)
    saved(app, "/c/small?m=AP", view_name={"name": "taken", "at": 1})
    assert saved(app, address, view_name={"name": name, "at": 2}) == {"note": note, "at": 2}
    assert [view.name for view in named_views(own, "small")] == ["taken"]


def test_an_address_has_the_name_that_it_got_last(own: Store) -> None:
    app = browserless(own)
    for name in ("one", "two", "two"):
        saved(app, COMPARE, view_name={"name": name, "at": 1})
    assert [view.name for view in named_views(own, "small")] == ["two"]


def test_who_may_not_write_opens_named_views_and_changes_none(own: Store) -> None:
    saved(browserless(own), COMPARE, view_name={"name": "<b>x</b>", "at": 1})
    app = browserless(own, store_to_write=nowhere)
    [view] = named_views(own, "small")
    assert "<b>x</b>" in text_of(board(app))
    assert "data-remove-view" not in as_json(board(app))
    refused = "You may not save views with names here."
    assert saved(app, COMPARE, view_name={"name": "y", "at": 1})["note"] == refused
    assert saved(app, "/c/small", view_removed={"key": view.key, "at": 1})["note"] == refused
    assert named_views(own, "small") == [view]
    answer = app.call("link.data", copy_link=1, url__pathname="/c/small", url__search="")
    assert answer["link"]["data"]["mayName"] is False


def test_views_named_tour_are_listed_on_the_home_page_in_their_order(own: Store) -> None:
    app = browserless(own)
    assert "Tour" not in app.text("/")
    for name in ("Tour 10: the last <b>", "Tour 2: a pair", "Tourism", "June"):
        address = f"/c/small?find={name[-4:-1]}{len(name)}"
        name_view(own, address, name, "small")
    assert "Tour Close a pair the last <b>" in app.text("/")
    assert f'"/v/{tour(own)[0].key}"' in as_json(app.page("/")["page"]["children"])
    assert [view.name for view in tour(own)] == ["Tour 2: a pair", "Tour 10: the last <b>"]
