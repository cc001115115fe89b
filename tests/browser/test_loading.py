"""What is loaded when: an outline at once, plotly.js for figures only, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Callable

from conftest import EMPTY
from playwright.sync_api import Page, Route, expect

COMPARE = "/c/small/compare?runs=bm25,tfidf"
CALLBACK = "**/_dash-update-component*"


def asked_for(page: Page) -> list[str]:
    """The paths of all that the page has loaded."""
    return page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)"
    )  # type: ignore[no-any-return]  # a script can return anything


def hold_answers(page: Page) -> list[Route]:
    """Let the first callback from now on wait; the routes are filled as it is asked."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(CALLBACK, hold, times=1)
    return held


def test_a_page_without_figures_loads_no_plotly(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site)
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert not [path for path in asked_for(page) if "plotly" in path]


def test_a_page_with_figures_loads_the_small_plotly_once(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site + COMPARE)
    expect(page.locator(".main-svg").first).to_be_visible()
    loaded = [path for path in asked_for(page) if "plotly" in path]
    assert len(loaded) == 1
    assert loaded[0].startswith("/vendor/plotly-basic.")


def test_an_outline_of_the_page_stands_before_its_first_answer(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site + EMPTY)
    held = hold_answers(page)
    page.goto(site + COMPARE)
    empty = page.locator("#page:empty")
    expect(empty).to_have_count(1)
    height = empty.evaluate("(e) => parseFloat(getComputedStyle(e, '::after').height)")
    assert height > 600
    footer = page.locator("footer.shell-footer").bounding_box()
    assert footer is not None
    assert footer["y"] > 600  # it does not jump when the page comes
    for route in held:
        route.continue_()
    expect(page.locator("#claim")).to_be_visible()


def test_a_click_is_seen_before_its_answer(visit: Callable[..., Page]) -> None:
    page = visit(COMPARE)
    expect(page.locator("#claim")).to_be_visible()
    held = hold_answers(page)
    page.locator(".nav-link", has_text="Measures").first.click()
    expect(page.locator("html.is-loading")).to_have_count(1)
    assert float(page.locator("#page").evaluate("(e) => getComputedStyle(e).opacity")) < 1
    for route in held:
        route.continue_()
    expect(page.locator("html.is-loading")).to_have_count(0)


def test_the_axis_of_the_differences_comes_with_the_claims_whenever_these_come(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site + EMPTY)
    held: list[Route] = []

    def hold_claims(route: Route) -> None:
        if "board-claims.data" in route.request.post_data_json["output"]:
            held.append(route)
        else:
            route.continue_()

    page.route(CALLBACK, hold_claims)
    page.goto(site + "/c/small?m=Rprec&base=bm25")
    expect(page.locator(".ag-center-cols-container .ag-row")).to_have_count(
        2
    )  # and the baseline, pinned
    axis = page.locator(".ag-header .strip-axis")
    expect(axis).to_have_count(0)
    for route in held:
        route.continue_()
    expect(axis).to_have_text(re.compile(r"^−0\.\d0\+0\.\d$"))


def test_the_axis_of_the_differences_is_there_if_the_claims_come_before_the_grid(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site + EMPTY)
    held: list[Route] = []

    def hold_grid(route: Route) -> None:
        held.append(route)

    page.route("**/async-community*", hold_grid)
    page.goto(site + "/c/small?m=Rprec&base=bm25")
    expect(page.locator(".headline")).to_contain_text("Rprec")  # it comes with the claims
    page.wait_for_timeout(100)  # they are known by then
    for route in held:
        route.continue_()
    expect(page.locator(".ag-header .strip-axis")).to_be_visible()


def test_the_row_of_a_query_in_the_address_is_marked(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(site + COMPARE + "&query=q3")
    marked = page.locator("#queries-table .row-marked")
    expect(marked).to_have_attribute("data-query", "q3")
