"""The queries that J and K lead to are loaded before one goes there."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from chromium import PATIENCE
from conftest import EMPTY
from pages.query import Query
from playwright.sync_api import Page, Request, Route, expect

Open = Callable[..., Page]
REQUESTS = "**/_dash-update-component*"
QUERY = "/c/small/query/q2?runs=bm25,tfidf&m=Rprec"

SLOW_CLOCK = """
    const now = Date.now, start = now();
    Date.now = () => start + (now() - start) / 30;
"""
"""What was loaded counts for 10 seconds, which a busy machine may need for a test."""


def asked_for(page: Page) -> list[str]:
    """The paths of the pages that are asked for, as they are."""
    paths: list[str] = []

    def note(request: Request) -> None:
        if "/_dash-update-component" not in request.url:
            return
        inputs = request.post_data_json["inputs"]
        paths.extend(one["value"] for one in inputs if one.get("property") == "pathname")

    page.on("request", note)
    return paths


def wait_for(page: Page, paths: list[str], wanted: set[str]) -> None:
    """Wait until all these paths were asked for."""
    end = time.monotonic() + PATIENCE / 1000
    while not wanted <= set(paths):
        assert time.monotonic() < end, paths
        page.wait_for_timeout(20)


@pytest.fixture
def query(site: str, open_page: Open) -> Query:
    """The query in the middle of the order: its page, with both neighbours loaded."""
    page = open_page(site + EMPTY)
    page.add_init_script(SLOW_CLOCK)
    query_page = Query(page)
    paths = asked_for(page)
    page.goto(site + QUERY)
    query_page.settled()
    ahead = page.locator("a[data-ahead]")
    expect(ahead).to_have_count(2)
    wanted = {link.get_attribute("href").split("?")[0] for link in ahead.all()}
    wait_for(page, paths, wanted)
    page.wait_for_load_state("networkidle")
    return query_page


def test_the_next_query_is_shown_without_asking_the_server(query: Query) -> None:
    page = query.page
    to = page.locator('a[data-key="j"]').get_attribute("href")
    qid = to.split("?")[0].rsplit("/", 1)[-1]
    page.route(REQUESTS, lambda _: None)  # the server answers nothing from here on
    page.keyboard.press("j")
    expect(query.heading).to_contain_text(qid)
    query.at(to)
    expect(query.lists).to_have_count(2)
    page.unroute_all()


def test_the_neighbours_of_a_page_that_comes_late_are_loaded_too(
    site: str, open_page: Open
) -> None:
    page = open_page(site + EMPTY)
    paths = asked_for(page)

    def answer_late(route: Route) -> None:
        page.wait_for_timeout(1_000)
        route.continue_()

    page.route(REQUESTS, answer_late, times=1)
    page.goto(site + QUERY)
    wait_for(page, paths, {"/c/small/query/q1", "/c/small/query/q4"})


def test_back_from_it_the_first_query_is_shown_as_it_was(query: Query) -> None:
    first = query.text()
    query.page.keyboard.press("j")
    expect(query.heading).not_to_contain_text("q2")
    query.settled()
    query.page.keyboard.press("k")
    expect(query.heading).to_contain_text("q2")
    query.settled()
    assert query.text() == first


def test_another_colour_scheme_asks_anew(query: Query) -> None:
    paths = asked_for(query.page)
    query.switch_scheme()
    query.settled()
    next_path = query.page.locator('a[data-key="j"]').get_attribute("href").split("?")[0]
    query.page.keyboard.press("j")
    expect(query.heading).not_to_contain_text("q2")
    query.settled()
    assert next_path in paths  # loaded ahead anew, or asked for now


def test_what_was_loaded_more_than_seconds_ago_is_asked_for_anew(query: Query) -> None:
    # The store may have changed since.
    paths = asked_for(query.page)
    query.page.evaluate("() => { const now = Date.now; Date.now = () => now() + 11_000; }")
    query.page.keyboard.press("j")
    expect(query.heading).not_to_contain_text("q2")
    query.settled()
    assert paths


def test_a_click_is_seen_before_anything_is_asked_for(query: Query) -> None:
    # The answer never comes, and between the click and the look the browser does nothing else.
    page = query.page
    page.route(REQUESTS, lambda _: None)
    opacity = page.locator('a[data-key="alt+j"]').evaluate(
        """link => {
            link.click();
            return Number(getComputedStyle(document.querySelector("#page")).opacity);
        }"""
    )
    assert opacity < 0.9
    page.unroute_all()
