"""From the runs to the three pictures, as a person goes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import sample_stores
from playwright.sync_api import Page, Request, expect

from dashboard.theme import TOKENS
from evalstore.store import Store
from evalstore.usecases.leaderboard import leaderboard

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
CURVES = "#curves .scatterlayer .trace"
BARS = "#differences .barlayer .point"


@pytest.fixture
def compared(store: Store) -> str:
    """The address of a comparison of bm25, tfidf and boolean."""
    runs = leaderboard(store, "small").runs.set_index("engine")
    links = (
        f"{runs.at[engine, 'run_id']}~{runs.at[engine, 'content_hash'][:8]}"
        for engine in ("bm25", "tfidf", "boolean")
    )
    return f"/compare?runs={','.join(links)}"


def cells(page: Page, grid: str, column: str) -> list[str]:
    found = page.locator(f'#{grid} .ag-cell[col-id="{column}"]')
    return [text.replace(" (best)", "") for text in found.all_text_contents()]


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_runs_are_chosen_and_compared(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/?collection=small")
    rows = page.locator("#runs-grid .ag-center-cols-container .ag-row")
    expect(rows).to_have_count(3)
    expect(page).to_have_title("Runs · evalstore")
    expect(page.locator("#runs-action button")).to_be_disabled()
    # Best first; and the best is said in words too, not by colour alone.
    assert cells(page, "runs-grid", "engine") == ["bm25", "tfidf", "boolean"]
    expect(page.locator('#runs-grid .ag-row[row-index="0"] .cell-best').first).to_contain_text(
        "(best)"
    )

    boxes = page.locator("#runs-grid .ag-row input[type=checkbox]")
    boxes.nth(0).check()
    expect(page.locator("#runs-action")).to_contain_text("Select one more run")
    boxes.nth(1).check()
    page.get_by_role("link", name="Compare 2 runs").click()

    expect(page.locator(CURVES)).to_have_count(2)
    expect(page.locator(BARS)).to_have_count(5)
    expect(page).to_have_title("Compare bm25, tfidf · evalstore")
    assert cells(page, "queries-grid", "qid") == ["q1", "q2", "q3", "q4", "q5"]
    shown = [float(text.replace("−", "-")) for text in cells(page, "queries-grid", "difference")]
    expected = zip(sample_stores.RPREC["bm25"], sample_stores.RPREC["tfidf"], strict=True)
    assert shown == [a - b for a, b in expected]


def at_rest(page: Page) -> None:
    """Wait as a person does until the page has come to rest: half a second without a request."""
    running: set[Request] = set()

    def began(request: Request) -> None:
        running.add(request)

    def ended(request: Request) -> None:
        running.discard(request)

    page.on("request", began)
    page.on("requestfinished", ended)
    page.on("requestfailed", ended)
    quiet = 0
    for _ in range(100):
        page.wait_for_timeout(100)
        quiet = 0 if running else quiet + 1
        if quiet == 5:
            return


def test_a_link_shows_the_same_view_and_back_goes_back(
    site: str, compared: str, open_page: Open
) -> None:
    page = open_page(site + compared)
    expect(page.locator(BARS)).to_have_count(5)
    assert page.url == site + compared

    page.locator("#compare-measure").click()
    page.get_by_role("option", name="AP Average").first.click()
    expect(page).to_have_url(re.compile("measure=AP$"))
    page.get_by_text("By difference").click()
    expect(page).to_have_url(re.compile("measure=AP&sort=difference$"))
    expect(page.locator("#differences .xtitle")).to_contain_text("by difference in AP")
    page.locator("#compare-swap").click()
    expect(page).to_have_url(re.compile(r"measure=AP&a=\d+~\w+&b=\d+~\w+&sort=difference$"))
    swapped = page.url

    for _ in range(2):
        at_rest(page)
        page.go_back()
    expect(page).to_have_url(re.compile("measure=AP$"))
    expect(page.locator("#differences .xtitle")).to_have_text("Query")
    at_rest(page)
    page.go_back()
    expect(page.locator("#compare-measure")).to_have_value("Rprec")

    again = open_page(swapped)
    expect(again.locator("#compare-measure")).to_have_value("AP")
    expect(again.locator("#compare-a")).to_have_value("tfidf")
    expect(again.locator("#differences .annotation").first).to_contain_text(
        re.compile("tfidf\u2069 better ↑")
    )


@pytest.mark.parametrize("pause", [0, 150])
def test_going_back_twice_at_once_ends_two_pages_back(
    site: str, compared: str, open_page: Open, pause: int
) -> None:
    page = open_page(site + compared)
    expect(page.locator(BARS)).to_have_count(5)
    page.get_by_text("By difference").click()
    expect(page).to_have_url(re.compile("sort=difference$"))
    page.locator("#compare-swap").click()
    expect(page).to_have_url(re.compile(r"a=\d+~\w+&b=\d+~\w+&sort=difference$"))
    at_rest(page)

    page.evaluate(
        """pause => new Promise(done => {
            history.back();
            setTimeout(() => { history.back(); done(); }, pause);
        })""",
        pause,
    )
    expect(page).to_have_url(site + compared)
    at_rest(page)
    assert page.url == site + compared
    expect(page.locator("#differences .xtitle")).to_have_text("Query")
    expect(page.locator("#compare-a")).to_have_value("bm25")


def test_a_bar_leads_to_the_curves_of_its_query(site: str, compared: str, open_page: Open) -> None:
    page = open_page(site + compared, height=1400)
    bar = page.locator(BARS).nth(2)
    expect(bar).to_be_visible()
    page.locator("#differences").scroll_into_view_if_needed()
    box = bar.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    expect(page.locator("#differences .hoverlayer")).to_contain_text("=cmd|' /C'!A0")
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile("query=q3$"))
    expect(page.locator("#curves-caption")).to_contain_text("for query q3")
    expect(page.locator(CURVES)).to_have_count(3)


def test_the_table_is_filtered_sorted_and_downloaded_whole(
    site: str, compared: str, open_page: Open
) -> None:
    page = open_page(site + compared)
    rows = page.locator("#queries-grid .ag-center-cols-container .ag-row")
    expect(rows).to_have_count(5)
    page.locator('#queries-grid .ag-header-cell[col-id="difference"] .ag-header-cell-label').click()
    expect(page.locator('#queries-grid .ag-row[row-index="0"]').first).to_contain_text("q4")
    page.locator("#queries-filter").fill("split")
    expect(rows).to_have_count(1)
    with page.expect_download() as started:
        page.locator("#queries-csv").click()
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 6


@pytest.mark.parametrize("width", [1440, 390])
def test_no_page_scrolls_sideways(site: str, compared: str, open_page: Open, width: int) -> None:
    page = open_page(site, width=width)
    for path, ready in (("/", "#runs-grid .ag-row"), (compared, CURVES), ("/compare", "h1")):
        page.goto(site + path)
        expect(page.locator(ready).first).to_be_attached()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_on_a_phone_the_menu_opens_and_leads_on(site: str, open_page: Open) -> None:
    page = open_page(site, width=390, height=844)
    expect(page.locator("#navigation")).to_be_hidden()
    page.get_by_role("button", name="Open the menu").click()
    page.locator("#menu").get_by_role("link", name="Compare").click()
    expect(page.get_by_role("heading", name="Choose at least two runs")).to_be_visible()
    page.get_by_role("link", name="Choose runs").click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def test_the_colours_follow_the_system_and_then_the_choice(
    site: str, compared: str, open_page: Open
) -> None:
    page = open_page(site + compared, scheme="dark")
    expect(page.locator(CURVES)).to_have_count(3)
    scheme = "document.documentElement.getAttribute('data-mantine-color-scheme')"
    axis_title = page.locator("#curves .xtitle")
    assert page.evaluate(scheme) == "dark"
    expect(axis_title).to_have_css("fill", rgb(TOKENS["dark"]["ink"]))
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(axis_title).to_have_css("fill", rgb(TOKENS["light"]["ink"]))
    assert page.evaluate(scheme) == "light"
    page.reload()
    expect(page.locator(CURVES)).to_have_count(3)
    assert page.evaluate(scheme) == "light"


def test_hostile_names_are_shown_and_never_run(hostile_site: str, open_page: Open) -> None:
    page = open_page(hostile_site)
    expect(page.locator("#runs-grid .ag-center-cols-container .ag-row")).to_have_count(6)
    assert set(cells(page, "runs-grid", "engine")) == set(sample_stores.NAMES)

    page.goto(f"{hostile_site}/compare?runs=1,2,3,4,5,6&a=2&b=6")
    expect(page.locator(CURVES)).to_have_count(6)
    expect(page.locator(BARS)).to_have_count(len(sample_stores.QIDS))
    expect(page.locator("#queries-grid .ag-center-cols-container .ag-row")).to_have_count(10)
    assert set(cells(page, "queries-grid", "qid")) == set(sample_stores.QIDS)
    expect(page.locator("#curves .legend")).to_contain_text("<script>window")
    page.locator(BARS).first.hover(force=True)
    assert page.evaluate("window.pwned") is None
    assert page.locator("#page script, #page img, .js-plotly-plot a").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
