"""The order and the parts of Compare's table of queries: in the address, and in its headings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find, text_of
from compare_page import TWO, body, changed, query_heads, query_rows

from dashboard.address import Address
from dashboard.app import create_app
from evalstore.store import Store


@pytest.fixture(scope="module")
def sixty_queries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    """The collection `sixty`: queries 0 to 59, two runs of different engines."""
    folder = tmp_path_factory.mktemp("sixty")
    qids = [str(number) for number in range(60)]
    runs = {"bm25": {qid: ["d1"] for qid in qids}, "dense": {qid: ["d2", "d1"] for qid in qids}}
    with Store.open(f"sqlite:///{folder / 'sixty.db'}") as store:
        sample_stores.add(store, folder, "sixty", {qid: {"d1": 1} for qid in qids}, runs)
        yield Browserless(create_app(store).server.test_client())


def sorted_by(page: Any) -> Mapping[str, str]:
    """The headings that claim an order, and its direction."""
    return {
        text_of(head["children"])[:-2]: head["aria-sort"]
        for head in query_heads(page)
        if "aria-sort" in head
    }


@pytest.mark.parametrize(
    ("sort", "claims"),
    [
        ("", ("Query", "ascending")),
        ("&sort=-query", ("Query", "descending")),
        ("&sort=worst", ("tfidf − bm25", "ascending")),
        ("&sort=best", ("tfidf − bm25", "descending")),
        ("&sort=-run:tfidf", ("tfidf ↑", "descending")),
    ],
)
def test_one_heading_claims_the_order_of_the_address(
    app: Browserless, sort: str, claims: tuple[str, str]
) -> None:
    assert sorted_by(body(app, TWO + sort)) == dict([claims])


def test_a_heading_leads_to_an_order_and_from_that_one_to_the_other(app: Browserless) -> None:
    for number, head in enumerate(query_heads(body(app, TWO))):
        directions = set()
        order = asked_by(head)
        for _ in range(2):
            parameters = {"runs": ("bm25", "tfidf"), "sort": (order,)}
            heads = query_heads(body(app, Address("compare", "small", None, parameters).href))
            directions.add(heads[number].get("aria-sort"))
            order = asked_by(heads[number])
        assert directions == {"ascending", "descending"}


def asked_by(head: Mapping[str, Any]) -> str:
    """The order that the link of a heading leads to."""
    link = json.loads(as_json(head["children"]))
    return str(json.loads(link["props"]["data-choose"])["sort"])


def test_another_order_is_told_to_the_control_and_to_the_headings(app: Browserless) -> None:
    answer = changed(app, TWO, "&sort=-run:tfidf")
    assert answer["rendered"]["data"]["controls"] == {"sort": "-run:tfidf"}
    assert sorted_by(answer) == {"tfidf ↑": "descending"}


@pytest.mark.parametrize(
    ("more", "first", "last", "links"),
    [
        ("", "0", "24", ["Next"]),
        ("&from=26", "25", "49", ["Previous", "Next"]),
        ("&from=60", "50", "59", ["Previous"]),
        ("&from=1000", "50", "59", ["Previous"]),
        ("&from=-3", "0", "24", ["Next"]),
        ("&from=abc", "0", "24", ["Next"]),
        ("&from=1&query=30", "25", "49", ["Previous", "Next"]),
        ("&sort=-query", "59", "35", ["Next"]),
    ],
)
def test_the_address_says_which_of_many_queries_are_shown(
    sixty_queries: Browserless, more: str, first: str, last: str, links: list[str]
) -> None:
    page = body(sixty_queries, f"/c/sixty/compare?runs=bm25,dense&m=AP{more}")
    shown = [row["Query"] for row in query_rows(page)]
    assert (shown[0], shown[-1]) == (first, last)
    below = as_json(find(page, "queries-table")["children"][1])
    assert [words for words in ("Previous", "Next") if words in below] == links


def test_links_to_other_rows_leave_a_marked_query(sixty_queries: Browserless) -> None:
    page = body(sixty_queries, "/c/sixty/compare?runs=bm25,dense&m=AP&query=30")
    below = as_json(find(page, "queries-table")["children"][1])
    assert "26 to 50 of 60" in below
    # The first rows need no parameter.
    chosen = [{"query": "", "from": ""}, {"query": "", "from": "51"}]
    assert all(json.dumps(json.dumps(one)) in below for one in chosen)


def test_a_run_named_like_the_column_of_differences_sorts_by_its_own_values(
    tmp_path: Path,
) -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    runs = {
        "bm25": {"q1": ["d2", "d3", "d1"], "q2": ["d1"]},
        "difference": {"q1": ["d2", "d1"], "q2": ["d1"]},  # its differences: 1/6, 0
    }
    with Store.open(f"sqlite:///{tmp_path / 'named.db'}") as store:
        sample_stores.add(store, tmp_path, "named", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        address = "/c/named/compare?runs=bm25,difference&m=AP"
        for sort, first in (("best", "q1"), ("-run:difference", "q2")):
            assert query_rows(body(app, f"{address}&sort={sort}"))[0]["Query"] == first
