"""Extreme data, looked at: each page shows them, keeps within the screen and complains of nothing.

What only counts or reads them is in tests/dashboard; here a browser draws them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import sample_stores
from conftest import Watched, go_to, kept_page
from pages.compare import Compare
from pages.home import Home
from pages.query import Query
from pages.shell import Shell
from playwright.sync_api import BrowserContext, Page, expect
from serving import serving

from dashboard.address import Address
from evalstore.formats.tables.texts import Document
from evalstore.ingest.documents import store_texts
from evalstore.store import Store

Open = Callable[..., Page]
WIDE, NARROW = {"width": 1440, "height": 1000}, {"width": 390, "height": 844}
FITS = "() => document.documentElement.scrollWidth <= innerWidth"
MOST_IS_PLOT = """() => {
  const figures = [...document.querySelectorAll("#page .graph")];
  return figures.length && figures.every((figure) => {
    const plot = figure.querySelector(".draglayer .nsewdrag");
    return plot && plot.getBoundingClientRect().height > figure.getBoundingClientRect().height / 2;
  });
}"""
IS_MARKUP = "#page script, #page img, .js-plotly-plot a"
MANY = 10_000
TWELVE = {
    f"engine-{number}-with-all-of-its-parameters-in-its-name": {
        "q1": [*(f"x{rank}" for rank in range(number)), "d1"],
        "q2": ["d1"],
    }
    for number in range(12)
}


@pytest.fixture(scope="module")
def extreme_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The collections `many`, `single`, `unjudged`, `long`, of two runs each, and `twelve` runs."""
    folder = tmp_path_factory.mktemp("extreme")
    one = {"bm25": {"q1": ["d1", "d2"]}, "dense": {"q1": ["d2", "d1"]}}
    many = [f"q{number}" for number in range(1, MANY + 1)]
    with Store.open(f"sqlite:///{folder / 'extreme.db'}") as store:
        sample_stores.add(
            store,
            folder,
            "many",
            {qid: {"d1": 1} for qid in many},
            {
                "bm25": {qid: ["d1", "d2"] for qid in many},
                "dense": {
                    qid: ["d2", "d1"] if number % 3 else ["d1"] for number, qid in enumerate(many)
                },
            },
        )
        sample_stores.add(store, folder, "single", {"q1": {"d1": 1}}, one)
        sample_stores.add(
            store,
            folder,
            "unjudged",
            {"q1": {"d1": 1}, "q2": {"d1": 2}},
            {
                "bm25": {"q1": ["d1"], "q2": ["d1"]},
                "strange": {"q1": ["x1", "x2"], "q2": ["x3"]},
            },
        )
        sample_stores.add(store, folder, "long", {"q1": {"d1": 1}}, one, texts={"q1": "needle"})
        sample_stores.add(store, folder, "twelve", {"q1": {"d1": 1}, "q2": {"d1": 1}}, TWELVE)
        text = "straw " * 1_000 + "needle " + "straw " * 167_000
        assert len(text) > 1_000_000
        store_texts(
            store, "long", [Document("d1", "t" * 1_000, text), Document("d2", "", "x" * 1_000_000)]
        )
        with serving(store) as address:
            yield address


@pytest.fixture(scope="module")
def extreme(shared_context: BrowserContext, extreme_site: str) -> Iterator[Watched]:
    with kept_page(shared_context, extreme_site) as watched:
        yield watched


@pytest.fixture
def see(extreme: Watched) -> Iterator[Callable[[str], Page]]:
    """Goes to pages of the extreme data; at the end none of them may have complained."""
    yield lambda address: go_to(extreme.page, address, **WIDE).page
    extreme.check()


def pages_of(collection: str, runs: tuple[str, str], qid: str = "q1") -> list[str]:
    """Every page of a collection."""
    board = Address("leaderboard", collection)
    chosen = board.changed(runs=runs, m="AP")
    return [
        board.href,
        board.changed(view="agreement").href,
        board.changed(view="cost").href,
        chosen.to("compare").href,
        chosen.to("queries").href,
        chosen.to("query", qid).href,
        board.to("run", runs[1]).href,
        chosen.to("history").href,
    ]


def looked_at(page: Page, addresses: list[str], load_from: str | None = None) -> None:
    """Go to each page: it is drawn, without a problem, and no wider than a screen or a phone.

    Each is loaded anew from a site if asked for: then its HTML too comes with its names.
    """
    shell = Shell(page)
    for address in addresses:
        page.set_viewport_size(WIDE)
        if load_from is None:
            shell.go(address)
        else:
            page.goto(load_from + address)
            shell.settled()
        assert page.locator("#page > .problem").count() == 0, (address, shell.text()[:300])
        shell.wait_until(FITS)
        page.set_viewport_size(NARROW)
        shell.wait_until(FITS)
        assert page.evaluate("window.pwned") is None, address
        assert page.locator(IS_MARKUP).count() == 0, address


@pytest.mark.parametrize("collection", ["single", pytest.param("many", marks=pytest.mark.nightly)])
def test_a_single_query_and_ten_thousand_are_shown_on_every_page(
    see: Open, collection: str
) -> None:
    looked_at(see("/"), pages_of(collection, ("bm25", "dense")))


@pytest.mark.nightly
def test_a_run_without_judged_documents_is_shown_on_every_page(
    see: Open,
) -> None:
    looked_at(see("/"), pages_of("unjudged", ("bm25", "strange")))


@pytest.mark.parametrize("places", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_hostile_names_are_shown_on_every_page_and_never_run(
    hostile_site: str, open_page: Open, places: int
) -> None:
    """By day on every other page."""
    script, markup = sample_stores.NAMES[1], sample_stores.QIDS[2]
    addresses = pages_of("<b>collection</b>", (sample_stores.NAMES[3], script), markup)
    longest = Address("query", "<b>collection</b>", sample_stores.QIDS[-1])
    runs = Address("compare", "<b>collection</b>", None, {"runs": sample_stores.NAMES})
    page = open_page(hostile_site)
    every = ["/", *addresses, longest.href, runs.href]
    looked_at(page, every[places::2], load_from=hostile_site)


def test_hostile_names_are_in_every_figure_and_table(hostile_site: str, open_page: Open) -> None:
    page = open_page(hostile_site)
    home, compare = Home(page), Compare(page)
    home.settled()
    assert home.collections() == ["<b>collection</b>"]
    runs = Address("compare", "<b>collection</b>", None, {"runs": sample_stores.NAMES})
    compare.go(runs.href)
    expect(compare.curves).to_have_count(6)
    expect(compare.bars).to_have_count(len(sample_stores.QIDS))
    expect(compare.rows).to_have_count(10)
    assert set(compare.cells("Query")) == set(sample_stores.QIDS)
    compare.bars.first.hover(force=True)


def test_of_one_query_there_is_one_bar_and_one_row(see: Open) -> None:
    compare = Compare(see("/c/single/compare?runs=bm25,dense&m=AP"))
    compare.settled()
    expect(compare.bars).to_have_count(1)
    expect(compare.rows).to_have_count(1)


def test_of_ten_thousand_queries_few_rows_are_in_the_page_and_the_last_is_reached(
    see: Open,
) -> None:
    page = see("/c/many/queries?runs=bm25,dense&m=AP")
    shell = Shell(page)
    shell.settled()
    rows = page.locator("#page .ag-center-cols-container .ag-row")
    expect(rows.first).to_be_visible()
    assert rows.count() < 100
    page.get_by_role("textbox", name="Find id or text").fill(f"q{MANY}")
    shell.at(f"find=q{MANY}")
    expect(rows).to_have_count(1)
    page.locator("#page .ag-row").get_by_role("link", name=f"q{MANY}").first.click()
    query = Query(page)
    expect(query.heading).to_contain_text(f"q{MANY}")
    query.settled()
    expect(query.lists).to_have_count(2)


def test_a_point_among_ten_thousand_queries_leads_to_its_query(
    see: Open,
) -> None:
    page = see("/c/many/run/dense?m=RR")
    shell = Shell(page)
    shell.settled()
    drawn = page.locator(".leads-to-queries .nsewdrag").first
    drawn.scroll_into_view_if_needed()
    box = drawn.bounding_box()
    assert box is not None
    # Sorted by difference: ties on the left, and on the right what the run loses.
    x, y = box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"]
    page.mouse.move(x, y)
    expect(page.locator(".leads-to-queries .hovertext").first).to_be_visible()
    page.mouse.click(x, y)
    query = Query(page)
    expect(query.heading).to_have_text(re.compile(r"^q\d+"))
    assert page.url.endswith("?runs=bm25,dense&m=RR")


def test_a_run_without_judged_documents_says_so_beside_its_zeros(
    see: Open,
) -> None:
    page = see("/c/unjudged/query/q1?runs=bm25,strange&m=AP")
    query = Query(page)
    query.settled()
    strange = query.lists.nth(1)
    expect(strange.locator(".grade-none")).to_have_count(2)
    expect(page.locator(".query-value").nth(1)).to_have_text("0.0000")
    query.go("/c/unjudged")
    expect(page.locator("#page .ag-root")).to_contain_text("0 %")


def test_a_text_of_a_million_characters_is_a_snippet_around_the_word_that_was_asked_for(
    see: Open,
) -> None:
    page = see("/c/long/query/q1?runs=bm25,dense")
    query = Query(page)
    query.settled()
    for snippet in query.page.locator(".snippet").all():
        box = snippet.bounding_box()
        assert box is not None
        assert box["height"] < 30
    expect(query.page.locator(".snippet u").first).to_have_text("needle")
    assert len(query.text()) < 10_000
    row = query.lists.first.locator(".ranked-row").first
    row.focus()
    page.keyboard.press("Enter")
    opened = page.locator(".opened-document")
    expect(opened).to_be_visible()
    assert len(opened.inner_text()) < 200_000
    query.wait_until(FITS)


def test_the_curves_of_twelve_runs_with_long_names_have_most_of_their_figure(
    see: Open,
) -> None:
    chosen = Address("compare", "twelve", None, {"runs": tuple(TWELVE), "open": ("ranks",)})
    steps = Address("query", "twelve", "q1", {"runs": tuple(TWELVE), "open": ("curve",)})
    page = see(chosen.href)
    shell = Shell(page)
    shell.settled()
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        for address in (chosen, chosen.changed(query="q1"), steps):
            shell.go(address.href)
            shell.wait_until(MOST_IS_PLOT)
