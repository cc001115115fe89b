"""Order and filters of the tables of queries: they stand in the address, and hold for all rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sample_stores
from pages.compare import Compare
from pages.queries import Queries
from playwright.sync_api import Page, expect
from serving import serving

from evalstore.store import Store

Open = Callable[..., Page]
MANY = 2_500
"""Queries: more than travel to the browser."""
COMPARE = "/c/small/compare?runs=bm25,tfidf,boolean&m=Rprec"
# R-precision of q1 to q5: bm25 1 1 1 .5 1; tfidf .5 .5 0 1 1; boolean 0 everywhere.
# tfidf − bm25: −.5 −.5 −1 +.5 0
WORST = ("q3", "q1", "q2", "q5", "q4")
BEST = ("q4", "q5", "q1", "q2", "q3")


@pytest.fixture(scope="module")
def many_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The collection `many`: queries 0 to 2,499, two runs of different engines."""
    folder: Path = tmp_path_factory.mktemp("many")
    qids = [str(number) for number in range(MANY)]
    with Store.open(f"sqlite:///{folder / 'many.db'}") as store:
        sample_stores.add(
            store,
            folder,
            "many",
            {qid: {"d1": 1} for qid in qids},
            {
                "bm25": {qid: ["d1", "d2"] for qid in qids},
                "dense": {qid: ["d2", "d1"] for qid in qids},
            },
        )
        with serving(store) as address:
            yield address


@pytest.fixture
def compare(visit: Open) -> Compare:
    return Compare(visit(COMPARE))


def chosen_order(compare: Compare) -> str | None:
    """Which order the control claims; None where none of its own."""
    checked = compare.page.get_by_role("radiogroup", name="Order of the queries").locator(
        "input:checked"
    )
    return checked.get_attribute("value") if checked.count() else None


def test_an_order_of_the_control_replaces_that_of_a_header(compare: Compare) -> None:
    compare.is_sorted("Query", "ascending")
    compare.sort("tfidf")
    compare.at("&sort=-run%3Atfidf")
    compare.begins_with("q4", "q5", "q1", "q2", "q3")
    compare.is_sorted("tfidf", "descending")
    compare.wait_until(f"() => !document.querySelector('{ORDERS}:checked')")
    compare.order("Worst first")
    compare.at("&sort=worst")
    compare.begins_with(*WORST)
    compare.is_sorted("tfidf − bm25", "ascending")


ORDERS = ".query-filters [role=radiogroup] input"


def test_a_header_that_sorts_by_the_difference_is_the_control_s_order(compare: Compare) -> None:
    for orders in (("&sort=worst", WORST, "ascending"), ("&sort=best", BEST, "descending")):
        address, qids, direction = orders
        compare.sort("tfidf − bm25")
        compare.at(address)
        compare.begins_with(*qids)
        compare.is_sorted("tfidf − bm25", direction)
        assert chosen_order(compare) == address.partition("sort=")[2]
    compare.sort("Query")
    compare.at(COMPARE)
    compare.begins_with("q1", "q2", "q3", "q4", "q5")
    compare.is_sorted("Query", "ascending")
    assert chosen_order(compare) == "query"


def test_an_answer_that_comes_late_does_not_bring_its_order_back(
    site: str, open_page: Open
) -> None:
    compare = Compare(open_page(site + COMPARE))
    compare.settled()
    compare.is_sorted("Query", "ascending")
    compare.page.evaluate(HOLD_ANSWERS)
    compare.sort("tfidf")
    compare.wait_until("() => window.held.length === 1")
    compare.sort("bm25")
    compare.wait_until("() => window.held.length === 2")
    for number in range(2):
        compare.page.evaluate("number => window.held[number]()", number)
    compare.begins_with("q1")
    compare.page.wait_for_timeout(500)  # what these answers ask for would come by now
    compare.at("&sort=-run%3Abm25")
    compare.is_sorted("bm25", "descending")
    assert compare.page.evaluate("window.held.length") == 2


HOLD_ANSWERS = """() => {
  const send = window.fetch;
  window.held = [];
  window.fetch = async (...request) => {
    const answer = await send(...request);
    await new Promise((letGo) => window.held.push(letGo));
    return answer;
  };
}"""


def test_a_link_has_the_order_of_a_header_and_its_keys_sort_too(
    compare: Compare, open_page: Open
) -> None:
    compare.header("Query").get_by_role("link").focus()
    compare.page.keyboard.press("Enter")
    compare.at("&sort=-query")
    compare.begins_with("q5", "q4", "q3", "q2", "q1")
    other = Compare(open_page(compare.page.url))
    other.settled()
    other.begins_with("q5", "q4", "q3", "q2", "q1")
    other.is_sorted("Query", "descending")


def test_the_order_of_a_header_is_that_of_all_queries(many_site: str, open_page: Open) -> None:
    compare = Compare(open_page(f"{many_site}/c/many/compare?runs=bm25,dense&m=RR"))
    compare.settled()
    compare.begins_with("0", "1", "2")
    compare.sort("Query")
    compare.at("&sort=-query")
    compare.begins_with(str(MANY - 1), str(MANY - 2))
    compare.page.get_by_role("link", name="Next").click()
    compare.at("&sort=-query&from=26")
    compare.begins_with(str(MANY - 26))
    compare.order("Query order")
    compare.at("?runs=bm25,dense&m=RR")
    compare.begins_with("0")


def test_ids_of_queries_are_in_natural_order_in_both_directions(
    many_site: str, open_page: Open
) -> None:
    queries = Queries(open_page(f"{many_site}/c/many/queries?m=RR&find=7"))
    queries.settled()
    queries.sort("qid")
    queries.at("&sort=qid")
    queries.begins_with("qid", "7", "17", "27", "37", "47", "57", "67", "70")
    queries.sort("qid")
    queries.at("&sort=-qid")
    queries.begins_with("qid", "2497", "2487", "2479")


def test_a_filter_of_a_header_stands_in_the_address_and_holds_for_all(
    site: str, open_page: Open
) -> None:
    # Medians of three runs: q1 .5, q2 .5, q3 0, q4 .5, q5 1.
    queries = Queries(open_page(f"{site}/c/small/queries?m=Rprec"))
    queries.settled()
    queries.begins_with("qid", "q3", "q1", "q2", "q4", "q5")
    queries.open_filter("median")
    page = queries.page
    expect(page.locator(".ag-filter .ag-picker-field-display").first).to_have_text("At least")
    page.locator(".ag-filter input[type=number]:visible").first.fill("0.6")
    queries.at("&least=median~0.6")
    expect(queries.rows).to_have_count(1)
    sentence = page.locator("#difficulty-sentence")
    expect(sentence).to_contain_text("1 of them has Median at least 0.6.")
    expect(page.locator("#difficulty-csv")).to_have_attribute("href", re.compile("median~0.6$"))
    page.keyboard.press("Escape")
    other = Queries(open_page(page.url))
    other.settled()
    other.begins_with("q5")
    expect(other.rows).to_have_count(1)
    other.open_filter("median")
    field = other.page.locator(".ag-filter input[type=number]:visible").first
    expect(field).to_have_value("0.6")
    field.fill("")
    other.at("?m=Rprec")
    expect(other.rows).to_have_count(5)


@pytest.mark.parametrize("more", ["find=zzz", "least=rel~9"])
def test_where_nothing_is_left_only_the_page_says_so(visit: Open, more: str) -> None:
    page = visit(f"/c/small/queries?{more}")
    opened = Queries(page)
    expect(opened.headers.first).to_be_visible()
    expect(page.locator("#page").get_by_text("None of").first).to_be_visible()
    expect(opened.rows).to_have_count(0)
    expect(page.locator(".ag-overlay-wrapper:visible")).to_have_count(0)


def test_where_no_run_is_found_only_the_page_says_so(visit: Open) -> None:
    page = visit("/c/small?find=zzz&base=bm25")
    expect(page.locator("#board-count")).to_contain_text("0 of 3 runs")
    expect(page.locator(".ag-floating-top .ag-row")).to_have_count(1)
    expect(page.locator(".ag-overlay-wrapper:visible")).to_have_count(0)


def test_on_a_phone_the_text_stands_below_the_id_and_the_names_above_the_strips(
    visit: Open,
) -> None:
    page = visit("/c/small/queries?m=Rprec", 390, 844)
    first = page.locator(f"{Queries.GRID} .ag-pinned-left-cols-container .ag-row").first
    expect(first.locator(".query-words")).to_be_visible()
    names = page.locator(f"{Queries.GRID} .run-header bdi")
    expect(names).to_have_count(3)
    for name in names.all():
        box = name.bounding_box()
        assert box is not None
        assert box["height"] > box["width"]


def test_on_a_phone_the_queries_have_their_median_and_those_that_decide_the_difference(
    visit: Open,
) -> None:
    page = visit("/c/small/queries?m=Rprec&pair=bm25&base=tfidf", 390, 844)
    header = page.locator(f"{Queries.GRID} .ag-header-cell")
    expect(header.and_(page.locator("[col-id=median]"))).to_be_visible()
    expect(header.and_(page.locator("[col-id=difference]"))).to_have_count(0)
    page.get_by_role("link", name="decide between").click()
    expect(header.and_(page.locator("[col-id=difference]"))).to_be_visible()
    expect(header.and_(page.locator("[col-id=median]"))).to_have_count(0)
    page.get_by_role("link", name="runs disagree").click()
    expect(header.and_(page.locator("[col-id=spread]"))).to_be_visible()
    expect(header.and_(page.locator("[col-id=difference]"))).to_have_count(0)
