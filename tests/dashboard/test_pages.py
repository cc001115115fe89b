"""What each page says for an address, asked as a browser asks: through the shell's callback."""

from __future__ import annotations

import pytest
from browserless import Browserless, as_json, find

from dashboard.measure_info import leaderboard_default
from dashboard.pages import PAGES


def test_the_runs_page_says_what_it_shows(app: Browserless) -> None:
    said = app.text("/?collection=small")
    assert "3 runs · 5 queries · judged by qrels" in said
    assert "judgments" in said


def test_the_leaderboard_has_a_row_per_run_and_a_column_per_usual_measure(
    app: Browserless,
) -> None:
    grid = find(app.page("/?collection=small")["page"]["children"], "runs-grid")
    assert [row["engine"] for row in grid["rowData"]] == ["bm25", "boolean", "tfidf"]
    headers = [column["headerName"] for column in grid["columnDefs"]]
    assert headers[2:6] == ["AP", "nDCG@10", "P@10", "Rprec"]
    assert grid["dashGridOptions"]["suppressFieldDotNotation"] is True
    assert not grid.get("dangerously_allow_code")


def test_the_measures_in_the_address_are_the_columns(app: Browserless) -> None:
    page = app.page("/?collection=small&measures=Rprec,map")["page"]["children"]
    headers = [column["headerName"] for column in find(page, "runs-grid")["columnDefs"]]
    assert headers[2:4] == ["Rprec", "AP"]
    assert find(page, "runs-measures")["value"] == ["Rprec", "AP"]


def test_a_run_that_did_not_answer_every_query_is_told_apart(app: Browserless) -> None:
    grid = find(app.page("/?collection=small")["page"]["children"], "runs-grid")
    assert {row["engine"]: row["answered"] for row in grid["rowData"]} == {
        "bm25": 5,
        "boolean": 4,
        "tfidf": 5,
    }
    (column,) = (c for c in grid["columnDefs"] if c["field"] == "answered")
    assert column["cellClassRules"] == {"cell-warn": "params.value < 5"}


def test_without_a_second_collection_or_qrels_there_is_nothing_to_choose(
    hostile_app: Browserless,
) -> None:
    page = as_json(hostile_app.page("/"))
    assert "runs-collection" not in page
    assert "runs-qrels" not in page


def test_an_empty_store_says_what_to_type(empty_app: Browserless) -> None:
    said = empty_app.text("/")
    assert "evalstore --db sqlite:///empty.db demo" in said
    assert "evalstore --db sqlite:///empty.db ingest --collection" in said


def test_the_comparison_names_the_engines_the_queries_and_the_qrels(
    app: Browserless, ids_of: dict[str, int]
) -> None:
    page = app.page(f"/compare?runs={ids_of['tfidf']},{ids_of['bm25']}")
    assert page["title"]["data"] == "Compare tfidf, bm25 · evalstore"
    said = app.text(f"/compare?runs={ids_of['tfidf']},{ids_of['bm25']}")
    assert said.startswith("tfidf vs bm25 2 runs · 5 queries · judged by qrels")


def test_what_is_not_shared_is_said_before_any_difference(
    app: Browserless, ids_of: dict[str, int]
) -> None:
    said = app.text(f"/compare?runs={ids_of['bm25']},{ids_of['boolean']}")
    assert "boolean answered 4 of 5 queries" in said


def test_the_address_sets_every_control(
    app: Browserless, ids_of: dict[str, int], link_of: dict[str, str]
) -> None:
    a, b = link_of["boolean"], ids_of["tfidf"]
    page = app.page(
        f"/compare?runs={ids_of['bm25']},{a},{b}&measure=map&a={a}&b={b}&sort=difference&query=q2"
    )["page"]["children"]
    assert find(page, "compare-measure")["value"] == "AP"
    assert find(page, "compare-a")["value"] == a
    assert find(page, "compare-b")["value"] == link_of["tfidf"]
    assert find(page, "differences-order")["value"] == "difference"
    assert find(page, "curves-query")["value"] == "q2"


def test_a_comparison_starts_from_r_precision_of_the_first_two_runs(
    app: Browserless, ids_of: dict[str, int], link_of: dict[str, str]
) -> None:
    page = app.page(f"/compare?runs={ids_of['boolean']},{ids_of['bm25']}")["page"]["children"]
    assert find(page, "compare-measure")["value"] == "Rprec"
    assert find(page, "compare-a")["value"] == link_of["boolean"]
    assert find(page, "compare-b")["value"] == link_of["bm25"]


@pytest.mark.parametrize(
    ("address", "says", "way_out"),
    [
        ("/compare", "Choose at least two runs", "/"),
        ("/compare?runs={bm25}", "Choose at least two runs", "/"),
        ("/compare?runs=abc", "“abc” is not the number of a run", "/"),
        ("/compare?runs={bm25},{bm25}", "more than once", "/"),
        ("/compare?runs={bm25},999", "no run 999", "/?collection=small"),
        ("/compare?runs={bm25},{solo}", "different collections", "/"),
        (
            "/compare?runs={bm25},{tfidf}&measure=nonsense",
            "values of “nonsense”",
            "/compare?runs={bm25_link},{tfidf_link}",
        ),
        (
            "/compare?runs={bm25},{tfidf}&a={boolean}",
            "Engine A is not among the runs",
            "/compare?runs={bm25_link},{tfidf_link}",
        ),
        (
            "/compare?runs={bm25},{tfidf}&a={bm25}&b={bm25}",
            "A and B are the same run",
            "/compare?runs={bm25_link},{tfidf_link}",
        ),
        (
            "/compare?runs={bm25},{tfidf}&query=q99",
            "“q99” is not one of the 5 queries",
            "/compare?runs={bm25_link},{tfidf_link}",
        ),
        (
            "/compare?runs={bm25},{tfidf}&qrels=nonsense",
            "'nonsense'",
            "/compare?runs={bm25},{tfidf}",
        ),
        ("/?collection=nonsense", "no collection 'nonsense'", "/"),
        ("/?collection=small&qrels=nonsense", "no qrels 'nonsense'", "/"),
        ("/?collection=small&measures=nonsense", "values of “nonsense”", "/?collection=small"),
        ("/nothing/here", "There is no such page", "/"),
    ],
)
def test_an_address_that_shows_nothing_says_why_and_where_to_go(
    app: Browserless,
    ids_of: dict[str, int],
    link_of: dict[str, str],
    address: str,
    says: str,
    way_out: str,
) -> None:
    links = {f"{engine}_link": link for engine, link in link_of.items()}
    page = app.page(address.format(**ids_of))["page"]["children"]
    assert says in app.text(address.format(**ids_of))
    assert page["props"]["role"] == "alert"
    assert f'"href": "{way_out.format(**ids_of, **links)}"' in as_json(page)


def test_one_of_a_and_b_in_the_address_is_enough(app: Browserless, link_of: dict[str, str]) -> None:
    first, second = link_of["bm25"], link_of["tfidf"]
    for given, a, b in (("a", second, first), ("b", second, first)):
        chosen = second if given == "a" else first
        page = app.page(f"/compare?runs={first},{second}&{given}={chosen}")["page"]["children"]
        assert find(page, "compare-a")["value"] == a
        assert find(page, "compare-b")["value"] == b


def test_the_page_on_show_is_the_current_one_in_both_menus(app: Browserless) -> None:
    answer = app.page("/compare")
    expected = {page.path: "nav-item" for page in PAGES} | {"/compare": "nav-item current"}
    for menu in ("navigation", "menu"):
        classes = [item["props"]["className"] for item in answer[menu]["children"]]
        assert classes == list(expected.values())


def test_hostile_names_make_a_page_like_any_other(hostile_app: Browserless) -> None:
    said = hostile_app.text("/compare?runs=1,2,3,4,5,6&a=2&b=4")
    assert "<script>window…ed=1</script>" in said
    assert "x" * 100 not in said
    assert "6 runs · 10 queries" in said


def test_the_usual_measures_are_shown_where_they_are_stored() -> None:
    assert leaderboard_default(("P@10", "AP", "RR", "Odd")) == ("AP", "P@10", "RR")
    assert leaderboard_default(("Odd", "Odder")) == ("Odd", "Odder")
