"""Reports from a file, without network: drawn, sorted, filtered, and nothing in the console."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

sys.path.append(str(Path(__file__).parents[1] / "dashboard"))
import report_runs

from evalstore.comparison.loading import Medians


@pytest.fixture
def open_file(chrome: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page from a file; at the end nothing was requested, and the console is clean."""
    complaints: list[str] = []
    contexts = []

    def open_one(page: str, scheme: str = "light", width: int = 1200) -> Page:
        path = tmp_path / "report.html"
        path.write_text(page, encoding="utf-8")
        context = chrome.new_context(
            offline=True,
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": 900},
        )
        contexts.append(context)
        opened = context.new_page()
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("request", lambda r: r.url == path.as_uri() or complaints.append(r.url))
        opened.goto(path.as_uri())
        return opened

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def cells(page: Page, column: int) -> list[str]:
    return page.locator(f"#per-query tbody td:nth-child({column})").all_inner_texts()


def test_a_report_draws_its_figures_and_sorts_and_filters_its_queries(
    open_file: Callable[..., Page],
) -> None:
    page = open_file(
        report_runs.comparison_page(report_runs.loaded("a", "b", "c", queries=250), baseline=0)
    )
    expect(page.locator("[data-figure] .main-svg:first-child")).to_have_count(5)
    expect(page.locator("#differences .barlayer .point")).to_have_count(250)
    expect(page.locator("#per-query tbody tr")).to_have_count(200)
    page.get_by_role("button", name="Show all 250 queries").click()
    expect(page.locator("#per-query tbody tr")).to_have_count(250)
    page.get_by_role("button", name="Difference").press("Enter")
    values = [float(text.replace("−", "-")) for text in cells(page, 3)]
    assert values == sorted(values, reverse=True)
    page.get_by_label("Find").fill("text of q25")
    expect(page.locator("#count")).to_have_text("2 of 250 queries")
    assert sorted(cells(page, 1)) == ["q25", "q250"]
    page.get_by_label("Runs").select_option(label="c − a")
    better = page.locator("#differences .annotation-text").first
    expect(better).to_have_text(re.compile("c.* better"))
    expect(page.locator("#per-query thead th").nth(3)).to_have_text("c")


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_of_a_run_fits_a_telephone_and_follows_the_colour_scheme(
    open_file: Callable[..., Page], width: int
) -> None:
    runs = report_runs.loaded("a")
    medians = Medians(2, {"AP": runs.runs[0].values["AP"] / 2})
    page = open_file(report_runs.run_page(runs, medians), "dark", width)
    expect(page.locator("#differences .barlayer .point")).to_have_count(30)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    line = page.locator("[data-figure=recall-precision] .scatterlayer path.js-line")
    expect(line).to_have_css("stroke", "rgb(79, 169, 227)")  # the dark blue of theme.py


def test_7000_queries_are_no_burden(open_file: Callable[..., Page]) -> None:
    page = open_file(report_runs.comparison_page(report_runs.loaded("a", "b", queries=6_980)))
    expect(page.locator("#differences .scatterlayer .trace")).to_have_count(2)
    expect(page.locator("#per-query tbody tr")).to_have_count(200)
    assert page.evaluate("document.querySelectorAll('*').length") < 10_000
