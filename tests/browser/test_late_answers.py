"""Answers that come late: what was chosen meanwhile stays chosen."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from chromium import PATIENCE
from pages.compare import Compare
from pages.leaderboard import Leaderboard
from playwright.sync_api import Page, Route, expect

Open = Callable[..., Page]
CALLBACK = "**/_dash-update-component*"


def hold_pages(page: Page) -> list[Route]:
    """Hold back all requests for pages from now on; the routes are filled as they are made."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        inputs = route.request.post_data_json["inputs"]
        if any(one.get("property") == "pathname" for one in inputs):
            held.append(route)
        else:
            route.continue_()

    page.route(CALLBACK, hold)
    return held


def wait_for(page: Page, held: list[Route], number: int) -> None:
    """Wait until this many requests are held back."""
    end = time.monotonic() + PATIENCE / 1000
    while len(held) < number:
        assert time.monotonic() < end, f"{len(held)} requests were made, not {number}"
        page.wait_for_timeout(20)


def tick_two(board: Leaderboard, held: list[Route]) -> None:
    """Tick bm25 and then tfidf; both requests are held back."""
    for number, run in enumerate(("bm25", "tfidf"), start=1):
        board.box(run).check()
        wait_for(board.page, held, number)


def answer(page: Page, route: Route) -> None:
    """Let a request through, and wait until the page has its answer."""
    with page.expect_response(lambda response: response.request == route.request):
        route.continue_()
    page.wait_for_timeout(300)  # what it changes is on the screen


@pytest.fixture
def board(site: str, open_page: Open) -> Leaderboard:
    page = open_page(site + "/c/small")
    leaderboard = Leaderboard(page)
    expect(leaderboard.runs).to_have_text(["bm25", "tfidf", "boolean"])
    page.wait_for_load_state("networkidle")
    return leaderboard


def test_a_run_stays_ticked_when_the_answer_to_an_earlier_tick_comes(board: Leaderboard) -> None:
    page = board.page
    held = hold_pages(page)
    tick_two(board, held)
    answer(page, held[0])
    expect(board.box("tfidf")).to_be_checked()
    board.box("boolean").check()
    wait_for(page, held, 3)
    for route in held[1:]:
        answer(page, route)
    board.at("?runs=bm25,tfidf,boolean")
    for run in ("bm25", "tfidf", "boolean"):
        expect(board.box(run)).to_be_checked()
    expect(page.get_by_role("link", name="Compare 3")).to_be_visible()


def test_the_page_is_that_of_the_address_in_whatever_order_answers_come(
    board: Leaderboard,
) -> None:
    page = board.page
    held = hold_pages(page)
    tick_two(board, held)
    answer(page, held[1])
    expect(page.get_by_role("link", name="Compare 2")).to_be_visible()
    answer(page, held[0])
    expect(page.get_by_role("link", name="Compare 2")).to_be_visible()
    expect(board.box("bm25")).to_be_checked()
    expect(board.box("tfidf")).to_be_checked()


def test_nothing_loads_any_more_when_a_choice_is_taken_back_before_its_answer(
    board: Leaderboard,
) -> None:
    page = board.page
    held = hold_pages(page)
    board.box("bm25").check()
    wait_for(page, held, 1)
    board.box("bm25").uncheck()
    wait_for(page, held, 2)
    for route in held:
        answer(page, route)
    expect(page.locator("html.is-loading")).to_have_count(0)
    expect(board.box("bm25")).not_to_be_checked()
    expect(page.locator("#board-action")).to_have_text("Tick two runs or more to compare them")


def test_a_run_can_be_unticked_after_its_row_was_loaded_again(board: Leaderboard) -> None:
    board.box("bm25").check()
    board.at("?runs=bm25")
    board.header("AP").get_by_role("button").click()  # the other way round
    expect(board.runs).to_have_text(["bm25", "boolean", "tfidf"])
    expect(board.box("bm25")).to_be_checked()
    board.box("bm25").uncheck()
    board.at("?sort=AP")
    expect(board.box("bm25")).not_to_be_checked()


def test_going_back_before_the_answer_takes_the_choice_back(site: str, open_page: Open) -> None:
    page = open_page(site + "/c/small/compare?runs=bm25,tfidf")
    compare = Compare(page)
    compare.settled()
    claim = compare.claim.inner_text()
    held = hold_pages(page)
    compare.choose("Measure", "P@10")
    wait_for(page, held, 1)
    compare.back()
    wait_for(page, held, 2)
    for route in held:
        answer(page, route)
    expect(compare.choice("Measure")).to_have_value("AP")
    compare.at("/c/small/compare?runs=bm25,tfidf")
    assert compare.claim.inner_text() == claim


def test_rows_that_come_after_the_page_was_left_change_nothing(board: Leaderboard) -> None:
    page = board.page
    page.evaluate("async () => { window.left = await dash_ag_grid.getApiAsync('board-grid'); }")
    page.get_by_role("link", name="bm25", exact=True).first.click()
    expect(page.locator("#board-grid")).to_have_count(0)
    assert page.evaluate("window.left.isDestroyed()")
    page.evaluate("window.dashAgGridFunctions.boardRows({ api: window.left })")
