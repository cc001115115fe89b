"""The shell: which page an address shows, what it keeps, where it redirects to."""

from __future__ import annotations

from typing import Any

import pytest
from browserless import Browserless, as_json, text_of

from dashboard.app import create_app
from dashboard.components.problems import PageProblem
from dashboard.page import Page, Rendered, View
from evalstore.catalog.links import save_view
from evalstore.store import Store


def shown(view: View) -> Rendered:
    """A page that says what it was asked for."""
    if view.address.one("fail"):
        raise PageProblem("It failed", "This can't be shown.", link="/there", link_text="There")
    text = f"{view.address.href} in {view.scheme}"
    return Rendered("A page", text, view.address.collection, defaults={"m": "AP"})


def changed(view: View, before: View) -> dict[str, dict[str, str]] | None:
    if view.address.one("new"):
        return None
    now, then = view.address.one("m"), before.address.one("m")
    return {"part": {"children": f"{then} to {now} in {view.scheme}"}}


@pytest.fixture
def plain(store: Store) -> Browserless:
    updated = frozenset({"m", "new"})
    pages = [Page(kind, shown, changed, updated) for kind in ("leaderboard", "history", "sql")]
    return Browserless(create_app(store, pages=pages).server.test_client())


def test_an_address_is_rendered_in_the_scheme_of_the_browser(plain: Browserless) -> None:
    answer = plain.page("/c/small?m=P@5", scheme="dark")
    assert answer["page"]["children"] == "/c/small?m=P%405 in dark"
    assert answer["title"]["data"] == "A page · evalstore"
    assert answer["rendered"]["data"]["defaults"] == {"m": "AP"}


def test_parameters_of_the_page_on_the_screen_change_its_parts_alone(plain: Browserless) -> None:
    first = plain.page("/c/small?m=AP")["rendered"]["data"]
    answer = plain.go("/c/small?m=RR", first)
    assert answer["part"] == {"children": "AP to RR in light"}
    assert "page" not in answer
    assert answer["rendered"]["data"]["href"] == "/c/small?m=RR"
    assert answer["rendered"]["data"]["defaults"] == {"m": "AP"}
    dark = plain.go("/c/small?m=AP", first, scheme="dark")
    assert dark["part"] == {"children": "AP to AP in dark"}


def test_a_parameter_that_is_not_of_its_parts_renders_the_page_anew(plain: Browserless) -> None:
    first = plain.page("/c/small?m=AP")["rendered"]["data"]
    answer = plain.go("/c/small?m=RR&qrels=deep", first)
    assert answer["page"]["children"] == "/c/small?m=RR&qrels=deep in light"
    assert "part" not in answer


def test_what_is_on_the_screen_already_changes_nothing(plain: Browserless) -> None:
    first = plain.page("/c/small?m=AP")["rendered"]["data"]
    assert plain.go("/c/small?m=AP", first) == {}
    assert plain.go("/c/small/?m=AP", first) == {}


@pytest.mark.parametrize("address", ["/c/other", "/c/small/history", "/c/small?new=1"])
def test_another_page_or_one_that_asks_for_it_is_rendered_anew(
    plain: Browserless, address: str
) -> None:
    first = plain.page("/c/small")["rendered"]["data"]
    assert plain.go(address, first)["page"]["children"] == f"{address} in light"


def test_the_menu_closes_on_the_way_to_another_page_but_not_as_the_first_comes(
    plain: Browserless,
) -> None:
    first = plain.page("/c/small")
    assert "menu-burger" not in first
    second = plain.go("/sql", first["rendered"]["data"])
    assert second["menu-burger"] == {"opened": False}


def test_the_navigation_marks_the_page_and_keeps_collection_runs_and_qrels(
    plain: Browserless,
) -> None:
    first = plain.page("/c/small?runs=bm25,tfidf&m=AP&qrels=judgments")
    kept = "qrels=judgments&runs=bm25,tfidf"
    for menu in ("navigation", "menu"):
        text = as_json(first[menu]["children"])
        assert '"nav-item current"' in text
        assert "/c/small/compare?" in text
    elsewhere = as_json(plain.go("/sql", first["rendered"]["data"])["navigation"]["children"])
    for part in kept.split("&"):
        assert part in elsewhere


def links_of(answer: dict[str, Any]) -> dict[str, str]:
    """Where the navigation of an answer leads."""
    links = [item["props"]["children"]["props"] for item in answer["navigation"]["children"]]
    return {link["children"]: link["href"] for link in links}


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("/c/small", "AP"),
        ("/c/small?sort=-nDCG@10&m=AP,nDCG@10", "nDCG%4010"),
        ("/c/small?m=nonsense,P_5", "P%405"),
        ("/c/small/compare?runs=bm25,tfidf", "AP"),
        ("/c/small/compare?runs=bm25,tfidf&m=P@3", "P%403"),
        ("/c/small/run/bm25?m=RR", "RR"),
    ],
)
def test_the_navigation_keeps_the_measure_of_the_page(
    app: Browserless, address: str, kept: str
) -> None:
    links = links_of(app.page(address))
    for page in ("Compare", "Queries", "History"):
        assert f"m={kept}" in links[page].partition("?")[2].split("&")
    # The leaderboard has columns of its own, and leads with the measure.
    assert f"sort=-{kept}" in links["Leaderboard"].partition("?")[2].split("&")
    assert "m=" not in links["Leaderboard"]


def test_the_navigation_leads_to_an_order_from_the_lowest_where_lower_is_better(
    app: Browserless,
) -> None:
    links = links_of(app.page("/c/small/queries?m=E@5"))
    assert links["Leaderboard"] == "/c/small?sort=E%405"


def test_the_navigation_follows_ticks_and_order_on_the_same_page(app: Browserless) -> None:
    first = app.page("/c/small?m=AP,RR")["rendered"]["data"]
    answer = app.go("/c/small?m=AP,RR&sort=-RR&runs=bm25,tfidf", first)
    assert "page" not in answer
    assert links_of(answer)["Compare"] == "/c/small/compare?runs=bm25,tfidf&m=RR"
    assert answer["menu"] == answer["navigation"]
    second = answer["rendered"]["data"]
    assert "navigation" not in app.go("/c/small?m=AP,RR&sort=-RR&runs=bm25,tfidf&find=b", second)
    sql = app.go("/sql?collection=small", second)
    assert links_of(sql)["Compare"] == "/c/small/compare?runs=bm25,tfidf&m=RR"


def test_a_failing_page_says_what_is_wrong_and_where_to_go(plain: Browserless) -> None:
    page = plain.page("/c/small?fail=1")["page"]["children"]
    assert page["props"]["role"] == "alert"
    assert text_of(page) == "It failed This can't be shown. There"
    assert '"href": "/there"' in as_json(page)


@pytest.mark.parametrize("address", ["/nowhere", "/measures", "/c/small/compare"])
def test_an_address_without_a_page_says_so(plain: Browserless, address: str) -> None:
    assert "There is no such page" in plain.text(address)


def test_a_saved_view_leads_to_its_address(store: Store, plain: Browserless) -> None:
    key = save_view(store, "/c/small?m=RR")
    assert plain.page(f"/v/{key}") == {"redirect": {"data": "/c/small?m=RR"}}
    assert "No view is saved" in plain.text("/v/zzzz")
