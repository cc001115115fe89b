"""Figures and grids fit their place once they are drawn."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

COMPARE = "/c/small/compare?runs=bm25,tfidf"
WIDTHS = """() => [...document.querySelectorAll(".js-plotly-plot")].map((figure) =>
  Math.abs(figure.clientWidth - figure.querySelector(".main-svg").clientWidth))"""


def test_a_figure_follows_the_width_of_its_place(open_page: Callable[..., Page], site: str) -> None:
    page = open_page(site + COMPARE)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.locator(".dash-graph--pending")).to_have_count(0)
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_function(f"() => Math.max(...({WIDTHS})()) <= 1")
    assert page.locator(".main-svg").first.bounding_box()["width"] < 700  # type: ignore[index]


def test_scroll_bars_that_float_have_a_place_beside_the_rows(
    open_page: Callable[..., Page], site: str
) -> None:
    page = open_page(f"{site}/c/small/queries")  # without bars that take room, as tests have it
    expect(page.locator(".ag-center-cols-container .ag-row").first).to_be_visible()
    assert page.locator(".ag-body-vertical-scroll").count() == 1
    assert page.locator(".ag-scrollbar-invisible").count() == 0
