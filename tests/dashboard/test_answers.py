"""Answers that are kept: never an old one, never another person's, never too many."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import sample_stores
from browserless import Browserless
from flask import Response

from dashboard.app import create_app
from dashboard.page import Page, Rendered, View
from dashboard.serving import response_cache as answers_module
from dashboard.serving.response_cache import SECONDS
from evalstore.catalog.collections import rename_collection
from evalstore.store import Store


class Counted:
    """A home page that counts how often it is rendered."""

    def __init__(self) -> None:
        self.times = 0
        self.page = Page("home", self.render)

    def render(self, view: View) -> Rendered:
        self.times += 1
        return Rendered("Home", f"rendered {self.times} times" + " " * 2000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with sample_stores.main(tmp_path) as made:
        yield made


def test_the_same_page_of_an_unchanged_store_is_rendered_once(store: Store) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    first = app.page("/")
    assert app.page("/") == first
    assert counted.times == 1


def test_links_lead_to_the_collection_that_people_come_from(store: Store) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    navigation = [
        app.go("/", {"href": "/sql", "scheme": "light", "keep": f"/c/{name}"})["navigation"]
        for name in ("small", "other")
    ]
    assert "/c/small" in str(navigation[0])
    assert "/c/other" in str(navigation[1])


def test_what_changes_on_a_page_depends_on_what_is_on_the_screen(store: Store) -> None:
    def update(view: View, before: View) -> dict[str, dict[str, str]]:
        changed = sorted(view.address.differences(before.address))
        return {"parts": {"children": " ".join(changed)}}

    page = Page("home", lambda _: Rendered("Home", ""), update, frozenset({"m", "sort"}))
    app = Browserless(create_app(store, pages=[page]).server.test_client())
    changes = [
        app.go("/?m=AP", {"href": href, "scheme": "light"})["parts"]["children"]
        for href in ("/?m=RR", "/?m=RR&sort=m")
    ]
    assert changes == ["m", "m sort"]


def test_another_address_or_scheme_is_another_question(store: Store) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    for scheme in ("light", "dark"):
        for address in ("/", "/?m=AP"):
            app.page(address, scheme)
    assert counted.times == 4


def test_after_any_change_of_the_store_it_is_rendered_anew(store: Store) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    app.page("/")
    with Store.open(store.url) as other:  # another program
        rename_collection(other, "other", "renamed")
    app.page("/")
    rename_collection(store, "renamed", "again")
    app.page("/")
    app.page("/")
    assert counted.times == 3


@pytest.mark.parametrize("header", ["Cookie", "Authorization"])
def test_what_was_made_for_one_person_is_not_given_to_another(store: Store, header: str) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    for who in ("ann", "ben", "ann"):
        if header == "Cookie":
            app.client.set_cookie("session", who)
        else:
            app.client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {who}"
        app.page("/")
    assert counted.times == 2


def test_who_is_not_let_in_gets_no_answer_that_is_kept(store: Store) -> None:
    refusals: list[Response] = []
    app = create_app(store, admit=lambda: refusals[0] if refusals else None)
    asking = Browserless(app.server.test_client())
    asking.page("/")
    refusals.append(Response("no", 401))
    with pytest.raises(AssertionError, match="no"):
        asking.page("/")


def test_an_answer_is_forgotten_after_a_minute(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted()
    app = Browserless(create_app(store, pages=[counted.page]).server.test_client())
    for now, times in ((SECONDS, 1), (2 * SECONDS - 1, 1), (2 * SECONDS + 1, 2)):
        monkeypatch.setattr(answers_module, "time", SimpleNamespace(monotonic=lambda now=now: now))
        app.page("/")
        assert counted.times == times


def test_an_answer_that_takes_long_is_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "SECONDS_OF_PATIENCE", 0.01)
    begun, second_is_done = threading.Event(), threading.Event()

    def render(view: View) -> Rendered:
        if not begun.is_set():
            begun.set()
            assert second_is_done.wait(SECONDS)
        return Rendered("Home", "")

    app = create_app(store, pages=[Page("home", render)])
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(Browserless(app.server.test_client()).page, "/?m=AP")
        assert begun.wait(SECONDS)
        assert Browserless(app.server.test_client()).page("/?m=RR")
        second_is_done.set()
        assert first.result()


def test_an_answer_that_fails_lets_the_next_one_be_computed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers_module, "SECONDS_OF_PATIENCE", 10 * SECONDS)

    def render(view: View) -> Rendered:
        raise ZeroDivisionError

    app = Browserless(create_app(store, pages=[Page("home", render)]).server.test_client())
    for _ in range(2):
        with pytest.raises(AssertionError):
            app.page("/")
