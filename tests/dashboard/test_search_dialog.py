"""The search of the header: what a text finds, in which order, and where its results lead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, text_of
from samples import write_qrels

from dashboard.app import create_app
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store

Hit = tuple[str, str, str]
"""The kind of a result, its name, and its address or the command that it clicks."""


def answer(app: Browserless, text: str, page: str = "/c/small", *commands: str) -> dict[str, Any]:
    """What the callback answers for a text that is typed on a page."""
    asked = {"text": text, "commands": list(commands), "number": 1}
    rendered = app.page(page)["rendered"]["data"]
    return app.call("search-results.children", search_asked=asked, rendered=rendered)


def hits(answered: dict[str, Any]) -> list[Hit]:
    found = []
    for group in answered["search-results"]["children"]["props"]["children"]:
        heading, *options = group["props"]["children"]
        for option in options:
            props = option["props"]
            name = text_of(props["children"][0])
            found.append((text_of(heading), name, props.get("href") or props["data-clicks"]))
    return found


def found(app: Browserless, text: str, page: str = "/c/small", *commands: str) -> list[Hit]:
    return hits(answer(app, text, page, *commands))


def names(app: Browserless, text: str, page: str = "/c/small") -> dict[str, list[str]]:
    """The names of the results, by kind."""
    by_kind: dict[str, list[str]] = {}
    for kind, name, _ in found(app, text, page):
        by_kind.setdefault(kind, []).append(name)
    return by_kind


def test_without_a_text_there_are_the_pages_with_what_links_keep(app: Browserless) -> None:
    pages = found(app, " ", "/c/small/compare?runs=bm25,tfidf&m=RR")
    assert {kind for kind, _, _ in pages} == {"Pages"}
    leads = {name: href for _, name, href in pages}
    assert list(leads) == [
        *("Leaderboard", "Compare", "Queries", "Judgments", "Judge", "History", "SQL", "Measures"),
        *("Agreement", "Cost", "Sweep", "All collections"),
    ]
    assert leads["Queries"] == "/c/small/queries?runs=bm25,tfidf&m=RR"
    assert leads["Cost"] == "/c/small?runs=bm25,tfidf&sort=-RR&view=cost"
    assert "Add files" not in leads


def test_files_can_be_added_where_one_may_write(store: Store) -> None:
    made = create_app(
        store,
        store_to_write=lambda collection: store if collection == "small" else None,
        server_url="https://eval.example.org",
    )
    app = Browserless(made.server.test_client())
    assert ("Pages", "Add files", "/c/small/upload") in found(app, "add")
    assert names(app, "add", "/c/other") == {}


def test_each_kind_is_found_and_the_one_with_the_best_match_is_first(app: Browserless) -> None:
    assert found(app, "small")[0] == ("Collections", "small", "/c/small")
    assert found(app, "bm25")[0] == ("Runs", "bm25", "/c/small/run/bm25")
    assert found(app, "COST")[0][:2] == ("Pages", "Cost")
    assert found(app, "Q1")[0] == ("Queries", "q1", "/c/small/query/q1?m=AP")
    assert found(app, "split string")[0][1] == "q1"
    assert found(app, "link", "/c/small", "Copy link") == [("Commands", "Copy link", "Copy link")]


def test_results_are_of_all_collections_those_of_the_page_first(app: Browserless) -> None:
    addresses = [href for kind, _, href in found(app, "q1") if kind == "Queries"]
    assert addresses == ["/c/small/query/q1?m=AP", "/c/other/query/q1"]
    addresses = [href for kind, _, href in found(app, "q1", "/c/other") if kind == "Queries"]
    assert addresses[0].startswith("/c/other/")
    assert ("Runs", "solo", "/c/other/run/solo") in found(app, "solo")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("map@100", "AP@100"),
        ("ndcg", "nDCG"),
        ("average prec", "AP"),
        ("recip_rank", "RR"),
        ("hit rate", "Success"),
    ],
)
def test_measures_are_found_by_name_title_and_as_typed(
    app: Browserless, text: str, name: str
) -> None:
    assert names(app, text)["Measures"][0] == name


def test_qrels_lead_to_judgments_or_to_the_leaderboard_if_they_are_alone(
    app: Browserless, tmp_path: Path
) -> None:
    assert ("Qrels", "judgments", "/c/small?qrels=judgments") in found(app, "judgm")
    with sample_stores.main(tmp_path) as store:
        path = write_qrels(tmp_path, {"q1": {"d1": 3}}, "third.qrels")
        store_qrels(store, "small", qrels_path=path)
        both = Browserless(create_app(store).server.test_client())
        assert ("Qrels", "third", "/c/small/judgments?qrels=third") in found(both, "third")


def test_a_typed_measure_leads_to_its_page(app: Browserless) -> None:
    [(_, _, href)] = found(app, "map@100")
    assert "There is no such measure" not in app.text(href)


def test_exact_names_come_before_beginnings_words_and_parts(app: Browserless) -> None:
    commands = ("a renamed part", "the name", "name it", "name")
    found_commands = [
        n for kind, n, _ in found(app, "name", "/sql", *commands) if kind == "Commands"
    ]
    assert found_commands == ["name", "name it", "the name", "a renamed part"]


def test_there_are_at_most_eight_of_a_kind(app: Browserless) -> None:
    by_kind = names(app, "e")
    assert max(map(len, by_kind.values())) == 8, by_kind


def test_the_number_of_results_is_told(app: Browserless) -> None:
    assert text_of(answer(app, "bm25")["search-count"]["children"]) == "1 result"
    told = text_of(answer(app, "zzz")["search-count"]["children"])
    assert told == "Nothing matches zzz ."


def test_hostile_names_are_found_and_stay_text(hostile_app: Browserless) -> None:
    by_kind = names(hostile_app, "pwned", "/c/%3Cb%3Ecollection%3C%2Fb%3E")
    assert "<script>window.pwned=1</script>" in by_kind["Runs"]
    assert "<img/src=x/onerror=window.pwned=2>" in by_kind["Queries"]
    for text in ("%", "_", "'", '"', "\\", "\0", "x" * 5000, "מנוע", "(", "%{x}"):
        answer(hostile_app, text)
    assert names(hostile_app, "%{x}")["Runs"] == ["\"quoted\" 'n' <b>bold</b> & %{x}"]


@pytest.mark.parametrize(
    "asked",
    [None, 1, [], {}, {"text": 5, "commands": "x", "number": "1"}, {"commands": [1, None, {}]}],
)
@pytest.mark.parametrize("rendered", [None, 1, [], {"keep": 5}, {"keep": "/c/%ZZ/nowhere/at/all"}])
def test_what_no_browser_sends_finds_pages(app: Browserless, asked: Any, rendered: Any) -> None:
    answered = app.call("search-results.children", search_asked=asked, rendered=rendered)
    assert [name for _, name, _ in hits(answered)] == ["SQL", "Measures", "All collections"]


def test_an_empty_store_has_pages(empty_app: Browserless) -> None:
    assert names(empty_app, "", "/") == {"Pages": ["SQL", "Measures", "All collections"]}
    assert as_json(answer(empty_app, "bm25", "/"))
