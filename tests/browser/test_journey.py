"""From the collections to the queries and back, as a person goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sample_stores
from conftest import EMPTY
from pages.compare import Compare
from pages.history import History
from pages.home import Home
from pages.leaderboard import Leaderboard
from pages.measures import Measures
from pages.query import Query
from pages.shell import Shell
from playwright.sync_api import Page, expect

from dashboard.theme import TOKENS

Open = Callable[..., Page]
COMPARE = "/c/small/compare?runs=bm25,tfidf,boolean"


@pytest.fixture
def compare(visit: Open) -> Compare:
    """A comparison of three runs, open."""
    return Compare(visit(COMPARE))


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_the_values_of_the_store_are_shown(compare: Compare) -> None:
    expect(compare.page).to_have_title("Compare bm25, tfidf, boolean · evalstore")
    assert compare.runs() == ["bm25", "tfidf", "boolean"]
    expect(compare.curves).to_have_count(3)
    expect(compare.bars).to_have_count(5)
    expect(compare.rows).to_have_count(5)
    compare.choose("Measure", "Rprec")
    compare.at("&m=Rprec")
    assert compare.cells("Query") == ["q1", "q2", "q3", "q4", "q5"]
    expected = zip(sample_stores.RPREC["tfidf"], sample_stores.RPREC["bm25"], strict=True)
    assert [number(text) for text in compare.cells("tfidf − bm25")] == [a - b for a, b in expected]


def test_enter_takes_the_highlighted_option_when_timers_of_the_list_are_late(
    site: str, open_page: Open
) -> None:
    page = open_page(site + EMPTY)
    page.add_init_script("""
        const soon = window.setTimeout;
        window.setTimeout = (act, ms, ...rest) => soon(act, ms || 400, ...rest);
    """)
    page.goto(site + COMPARE)
    compare = Compare(page)
    compare.settled()
    compare.choice("Measure").focus()
    page.keyboard.type("P@10")
    highlighted = page.locator("[role=option][data-combobox-selected]:visible")
    expect(highlighted).to_contain_text("Precision at")
    page.keyboard.press("Enter")
    compare.at("&m=P%4010")


def test_what_is_chosen_stands_in_the_address_and_back_takes_it_back(compare: Compare) -> None:
    assert compare.choice("Measure").input_value() == "AP"
    compare.choose("Measure", "Rprec")
    compare.at("&m=Rprec")
    expect(compare.choice("Measure")).to_have_value("Rprec")
    expect(compare.claim).to_contain_text(" on Rprec ")
    first = compare.text()
    compare.swap()
    compare.at("&m=Rprec&base=tfidf&pair=bm25")
    assert compare.runs()[0] == "tfidf"
    compare.back()
    compare.at("&m=Rprec")
    expect(compare.page.locator("#run-table tbody th .engine").first).to_have_text("bm25")
    assert compare.text() == first
    compare.back()
    compare.at(COMPARE)
    expect(compare.choice("Measure")).to_have_value("AP")


@pytest.mark.parametrize("pause", [0, pytest.param(150, marks=pytest.mark.nightly)])
def test_going_back_twice_at_once_ends_two_pages_back(compare: Compare, pause: int) -> None:
    compare.choose("Measure", "Rprec")
    compare.at("&m=Rprec")
    compare.swap()
    compare.at("&m=Rprec&base=tfidf&pair=bm25")
    compare.page.evaluate(
        """pause => new Promise(done => {
            history.back();
            setTimeout(() => { history.back(); done(); }, pause);
        })""",
        pause,
    )
    compare.at(COMPARE)
    expect(compare.choice("Measure")).to_have_value("AP")
    compare.page.wait_for_timeout(500)  # a late answer would come by now
    compare.at(COMPARE)
    expect(compare.choice("Measure")).to_have_value("AP")
    assert compare.runs()[0] == "bm25"


def test_a_link_shows_the_same_in_another_browser(compare: Compare, open_page: Open) -> None:
    compare.choose("Measure", "Rprec")
    compare.at("&m=Rprec")
    compare.swap()
    compare.at("&m=Rprec&base=tfidf&pair=bm25")
    compare.order("Sorted")
    compare.at("&order=difference")
    other = Compare(open_page(compare.page.url))
    other.settled()
    expect(other.rows).to_have_count(5)
    assert other.page.url == compare.page.url
    assert other.text() == compare.text()


def test_the_figures_follow_the_colours_and_the_choice_is_kept(site: str, open_page: Open) -> None:
    compare = Compare(open_page(site + COMPARE, scheme="dark"))
    compare.settled()
    assert compare.scheme == "dark"
    expect(compare.axis_title()).to_have_css("fill", rgb(TOKENS["dark"]["ink"]))
    compare.switch_scheme()
    expect(compare.axis_title()).to_have_css("fill", rgb(TOKENS["light"]["ink"]))
    compare.page.reload()
    compare.settled()
    assert compare.scheme == "light"
    expect(compare.axis_title()).to_have_css("fill", rgb(TOKENS["light"]["ink"]))


def test_the_table_is_downloaded_whole(compare: Compare) -> None:
    with compare.page.expect_download() as started:
        compare.page.locator("#export-menu summary").click()
        compare.page.locator('#export-menu a[data-file="queries.csv"]').click()
    lines = Path(started.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 5


def test_on_a_phone_the_menu_opens_and_leads_on(site: str, open_page: Open) -> None:
    shell = Shell(open_page(f"{site}/measures", width=390, height=844))
    shell.settled()
    menu, burger = shell.page.locator("#menu"), shell.page.get_by_role("button", name="Menu")
    expect(shell.page.locator("#navigation")).to_be_hidden()
    expect(menu).to_be_hidden()
    burger.click()
    expect(burger).to_have_attribute("aria-expanded", "true")
    menu.get_by_role("link", name="History").click()
    shell.at("/history")
    expect(menu).to_be_hidden()
    expect(burger).to_have_attribute("aria-expanded", "false")


PARTS_THAT_TOUCH = """() => {
  const parts = [...document.querySelectorAll(
    ".header-row > .brand, .context .select, .nav-bar .nav-link, .header-row > .header-action",
  )].map((part) => part.getBoundingClientRect()).filter((box) => box.width);
  return parts.filter((box, at) => at && box.left < parts[at - 1].right - 1).length;
}"""


def test_no_part_of_the_header_covers_another_at_any_width(compare: Compare) -> None:
    for width in (1440, 1280, 1210, 1000, 800, 390):
        compare.page.set_viewport_size({"width": width, "height": 800})
        compare.wait_until(f"() => ({PARTS_THAT_TOUCH})() === 0")


def test_the_skip_link_leads_past_the_header(compare: Compare) -> None:
    compare.page.keyboard.press("Tab")
    expect(compare.page.get_by_role("link", name="Skip to content")).to_be_focused()
    compare.page.keyboard.press("Enter")
    compare.page.keyboard.press("Tab")
    focused = compare.page.locator(":focus")
    expect(compare.page.locator("#page").locator(focused)).to_be_attached()
    assert compare.page.url.endswith((COMPARE, f"{COMPARE}#main"))
    expect(compare.rows).to_have_count(5)


def test_home_history_and_measures_are_a_link_away(site: str, open_page: Open) -> None:
    page = open_page(site)
    home, history, measures = Home(page), History(page), Measures(page)
    home.settled()
    assert home.collections() == ["other", "small"]
    home.link("Measures")
    measures.at("/measures")
    measures.find("eleven")
    measures.at("?find=eleven")
    expect(measures.names).to_have_text(["11ptAP"])
    history.link("History")
    history.at("/history")
    expect(history.runs.first).to_be_visible()


def test_from_the_collections_to_a_query_and_back_by_button_and_by_link(
    visit: Open,
) -> None:
    page = visit("/")
    home, board, compare, query = Home(page), Leaderboard(page), Compare(page), Query(page)
    home.open("small")
    board.at("/c/small")
    expect(board.runs).to_have_text(["bm25", "tfidf", "boolean"])
    board.box("bm25").check()
    board.at("?runs=bm25")
    board.box("tfidf").check()
    board.at("?runs=bm25,tfidf")
    board.compare(2)
    compare.at("/compare?runs=bm25,tfidf&base=bm25&m=AP")
    compare.open_query("q3")
    expect(query.heading).to_contain_text("q3")
    query.settled()
    expect(query.lists).to_have_count(2)
    of_query = page.url

    query.back()
    compare.at("/compare?runs=bm25,tfidf&base=bm25&m=AP")
    expect(compare.rows).to_have_count(5)
    compare.back()
    board.at("?runs=bm25,tfidf")
    expect(board.box("bm25")).to_be_checked()
    expect(board.box("tfidf")).to_be_checked()
    expect(board.box("boolean")).not_to_be_checked()

    page.goto(of_query)
    query.settled()
    query.link("Leaderboard")
    board.at("?runs=bm25,tfidf&base=bm25&sort=-AP")
    expect(board.box("tfidf")).to_be_checked()


def test_on_a_phone_the_first_view_of_both_tables_has_the_differences(visit: Open) -> None:
    page = visit(COMPARE, width=390, height=844)
    compare = Compare(page)
    expect(compare.rows.first).to_be_visible()
    page.wait_for_function(
        """() => {
            const cell = document.querySelector("#queries-table tbody td.number");
            return cell.getBoundingClientRect().right <= window.innerWidth;
        }"""
    )
    assert compare.cells("Query")[0] == "q1"
    right = page.locator("#run-table tbody tr").nth(1).locator("td").nth(1).bounding_box()
    assert right is not None
    assert right["x"] + right["width"] <= 390


def test_on_a_phone_the_leaderboard_comes_before_its_controls(visit: Open) -> None:
    page = visit("/c/small", width=390, height=844)
    baseline = page.locator(".board-baseline")
    interval = page.locator("#board-grid .board-difference small", has_text=" to ").first
    expect(interval).to_be_in_viewport(ratio=1)
    expect(baseline).to_be_hidden()
    page.locator(".board-controls").click()
    expect(baseline).to_be_visible()


def test_a_row_of_the_runs_that_is_clicked_becomes_the_pair(compare: Compare) -> None:
    compare.page.locator("#run-table tbody tr").nth(2).locator("td").nth(4).click()
    compare.at("&pair=boolean")
    expect(compare.claim).to_contain_text("boolean is behind bm25")
