"""The keyboard: groups of links are one stop of the Tab key, and the arrow keys move in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from accessibility import tab_stops
from pages.shell import Shell
from playwright.sync_api import Page, expect

Open = Callable[..., Page]
QUERY = "/c/small/query/q1?runs=bm25,tfidf"


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


@pytest.fixture
def query(visit: Open) -> Shell:
    return Shell(visit(QUERY))


def test_arrows_move_in_a_list_and_tab_leaves_it_and_comes_back_to_the_same_row(
    query: Shell,
) -> None:
    page = query.page
    rows = page.locator(".ranked-list").first.locator(".ranked-row")
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("ArrowDown")  # the last one
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("Tab")
    assert focused(page) == "tfidf"
    page.keyboard.press("Shift+Tab")
    expect(rows.nth(2)).to_be_focused()
    page.keyboard.press("Home")
    expect(rows.first).to_be_focused()
    page.keyboard.press("Enter")
    query.at("&doc=d1")
    expect(page.locator(".opened-document")).to_contain_text("d1")


def test_a_click_anywhere_on_a_row_opens_its_document_but_for_its_buttons(query: Shell) -> None:
    row = query.page.locator(".ranked-list").first.locator(".ranked-row").first
    row.hover()
    row.locator(".copy-docno").click()
    expect(query.page.locator(".copy-notice")).to_be_visible()
    query.at(QUERY)
    row.locator(".rank").click()
    query.at("&doc=d1")
    expect(query.page.locator(".opened-document")).to_contain_text("d1")


def test_the_links_of_the_runs_are_one_stop(query: Shell) -> None:
    page = query.page
    page.locator(".chips a").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("link", name="Leave tfidf out")).to_be_focused()
    page.keyboard.press("Enter")
    query.at("?runs=bm25")
    expect(page.locator(".ranked-list")).to_have_count(1)


def test_after_a_part_is_drawn_anew_its_group_is_still_reached(query: Shell) -> None:
    page = query.page
    page.get_by_text("50", exact=True).click()
    query.at("&k=50")
    stops = [str(stop["name"]) for stop in tab_stops(page)]
    assert len([name for name in stops if name.startswith("LI ")]) == 2, stops


def test_the_measures_are_a_stop_for_each_family(visit: Open) -> None:
    page = visit("/measures")
    families = page.locator("#measure-list section").count()
    in_page = [stop for stop in tab_stops(page) if str(stop["name"]).startswith("A ")]
    assert len(in_page) <= families + 10
