"""The Query page: ranked lists side by side, the strip, what moved, the way to other queries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from changed_runs import rename_run
from samples import HOSTILE
from sqlalchemy import text

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.components import ids
from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.queries import tag_queries
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.formats import Document
from evalstore.ingest.documents import store_texts
from evalstore.store import Store

Q1 = "/c/small/query/q1?runs=bm25,tfidf"


def over(store: Store) -> Browserless:
    return Browserless(create_app(store).server.test_client())


def components(page: Any, class_name: str) -> list[dict[str, Any]]:
    """The properties of all components with this class, in order."""
    if isinstance(page, list):
        return [one for part in page for one in components(part, class_name)]
    if not isinstance(page, dict) or not isinstance(page.get("props"), dict):
        return []
    props = page["props"]
    own = [props] if class_name in (props.get("className") or "").split() else []
    return own + components(props.get("children"), class_name)


def body(app: Browserless, address: str) -> Any:
    return app.follow(address)["page"]["children"]


def docnos(page: Any) -> list[list[str]]:
    """The documents of each list."""
    return [
        [row["data-docno"] for row in components(one["children"], "ranked-row")]
        for one in components(page, "ranked-list")
    ]


@pytest.fixture(scope="module")
def with_texts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The small collection with texts of some documents, and a baseline."""
    with sample_stores.main(tmp_path_factory.mktemp("texts")) as store:
        documents = [
            Document("d1", "Split a string", "You split the STRING with a separator."),
            Document("d2", "", "word " * 200_000),
        ]
        store_texts(store, "small", documents)
        tag_queries(store, "small", {"q1": {"lang": "en"}})
        set_baseline(store, "tfidf", "small")
        yield store


def test_two_lists_stand_side_by_side_the_baseline_first(app: Browserless) -> None:
    page = body(app, Q1)
    assert docnos(page) == [["d1", "d2", "d3"], ["d3", "d1", "d2"]]
    assert docnos(body(app, f"{Q1}&base=tfidf")) == [["d3", "d1", "d2"], ["d1", "d2", "d3"]]


def test_every_run_has_its_value_and_the_difference_to_the_baseline(app: Browserless) -> None:
    # R-precision of q1: bm25 1, tfidf 0.5, boolean 0.
    page_text = app.text("/c/small/query/q1?runs=bm25,tfidf,boolean&m=Rprec")
    for part in ("bm25 1.0000", "tfidf 0.5000 −0.5000", "boolean 0.0000 −1.0000"):
        assert part in page_text


def test_the_answer_comes_before_attributes_and_other_queries(with_texts: Store) -> None:
    page_text = over(with_texts).text(Q1)
    assert page_text.startswith("q1 “how do I split a string” tfidf → bm25: AP")
    assert page_text.index("Compare these runs") < page_text.index("lang en")
    assert page_text.index("lang en") < page_text.index("of 5 by |bm25 − tfidf| on AP")


def test_long_names_of_a_pair_are_not_repeated_beside_the_neighbours(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'long.db'}") as store:
        runs = {"a" * 20: {"q1": ["d1"]}, "b" * 20: {"q1": ["d2", "d1"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}}, runs)
        assert "1 of 1 by size of difference by id" in over(store).text("/c/c/query/q1")


def test_one_line_says_what_moved(app: Browserless) -> None:
    # q3: d6 is relevant; bm25 has it first, boolean not at all.
    page_text = app.text("/c/small/query/q3?runs=bm25,boolean")
    assert "bm25 → boolean: AP −1.0000; no relevant document entered the top 10;" in page_text
    assert "1 dropped out: d6 1 → not retrieved." in page_text
    assert "0 of the top 2 shared." in page_text


def test_a_row_names_the_rank_in_the_other_list(app: Browserless) -> None:
    page = body(app, Q1)
    movements = [
        [row["children"] for row in components(one["children"], "movement")]
        for one in components(page, "ranked-list")
    ]
    assert movements == [["→ 2", "→ 3", "→ 1"], ["▲ from 3", "▼ from 1", "▼ from 2"]]


def test_lines_join_the_rows_of_neighbouring_lists(app: Browserless) -> None:
    (gutter,) = components(body(app, Q1), "gutter")
    data = json.loads(gutter["data-lines"])
    assert data["rows"] == 3
    # d3 (3, 1) is judged 0; d1 (1, 2) and d2 (2, 3) are relevant and drawn last.
    assert [line[:3] for line in data["lines"]] == [[3, 1, 0], [1, 2, 1], [2, 3, 1]]


def test_the_strip_has_a_row_for_each_of_twelve_runs(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'twelve.db'}") as store:
        runs = {f"r{n}": {"q1": ["d1", f"x{n}"]} for n in range(13)}
        sample_stores.add(store, tmp_path, "many", {"q1": {"d1": 1}}, runs)
        app = over(store)
        names = ",".join(list(runs)[:12])
        page = body(app, f"/c/many/query/q1?runs={names}")
        strips = [p for p in components(page, "strip-ranks") if "data-strip" in p]
        assert len(strips) == 12
        assert {json.loads(p["data-strip"])["grades"] for p in strips} == {"1?"}
        assert len(docnos(page)) == 2
        page_text = app.text(f"/c/many/query/q1?runs={','.join(runs)}")
        assert "At most 12 runs can be told apart" in page_text


def test_up_to_four_lists_are_chosen_by_pair(app: Browserless) -> None:
    three = body(app, "/c/small/query/q1?runs=bm25,tfidf,boolean&pair=boolean,tfidf")
    assert [one[0] for one in docnos(three)] == ["d1", "d3", "d3"]
    assert len(docnos(three)[1]) == 1  # boolean, before tfidf
    assert len(components(three, "gutter")) == 2


def test_only_relevant_or_moved_documents_are_shown_when_asked(app: Browserless) -> None:
    # q4: bm25 has d8, d1, d7, boolean d1: everything moved.
    page = body(app, "/c/small/query/q5?runs=bm25,tfidf&show=moved")
    assert docnos(page) == [["d9"], ["d9", "d1"]]


def test_without_runs_the_baseline_and_the_best_other_run_are_shown(with_texts: Store) -> None:
    page_text = over(with_texts).text("/c/small/query/q1")
    assert "tfidf → bm25:" in page_text


def test_without_runs_and_without_a_baseline_the_best_two_are_shown(app: Browserless) -> None:
    assert "bm25 → tfidf:" in app.text("/c/small/query/q1")


def test_one_run_alone_has_its_list_and_its_neighbours_by_id(app: Browserless) -> None:
    page = body(app, "/c/small/query/q2?runs=bm25")
    assert docnos(page) == [["d5", "d4"]]
    page_text = text_of(page)
    assert "One run alone" in page_text
    assert "2 of 5 by id" in page_text
    assert components(page, "gutter") == []


def test_the_next_and_the_previous_query_go_by_difference(app: Browserless) -> None:
    # R-precision, tfidf - bm25: q1 -0.5, q2 -0.5, q3 -1, q4 +0.5, q5 0.
    page = body(app, f"{Q1}&m=Rprec")
    links = {
        props["data-key"]: props["href"]
        for props in components(page, "step")
        if "data-key" in props
    }
    assert links["k"].startswith("/c/small/query/q3?")
    assert links["j"].startswith("/c/small/query/q2?")
    assert links["alt+j"].startswith("/c/small/query/q2?")
    assert "alt+k" not in links
    assert "2 of 5 by |tfidf − bm25| on Rprec" in text_of(page)
    assert "runs=bm25,tfidf" in links["j"]


def test_a_measure_that_is_not_stored_has_values_and_an_order_by_difference(
    app: Browserless,
) -> None:
    page_text = app.text(f"{Q1}&m=P@2")
    assert "bm25 1.0000" in page_text
    assert "tfidf 0.5000 −0.5000" in page_text
    assert "of 5 by |tfidf − bm25| on P@2" in page_text


def test_snippets_underline_the_words_of_the_query(with_texts: Store) -> None:
    page = body(over(with_texts), Q1)
    row = next(r for r in components(page, "ranked-row") if r["data-docno"] == "d1")
    underlined = [
        part["props"]["children"]
        for line in components(row["children"], "snippet")
        for part in line["children"]
        if isinstance(part, dict)
    ]
    assert underlined == ["split", "STRING"]
    assert "with-texts" in as_json(page)
    off = body(over(with_texts), f"{Q1}&text=off")
    assert components(off, "snippet") == []


def test_a_text_of_a_million_characters_is_cut_on_the_server(with_texts: Store) -> None:
    answer = over(with_texts).page(f"{Q1}&doc=d2")
    assert len(as_json(answer)) < 120_000
    assert "the first 20,000 characters" in text_of(answer["page"]["children"])


def test_the_opened_document_has_its_rank_in_every_run_and_its_text(with_texts: Store) -> None:
    app = over(with_texts)
    first = app.page(Q1)["rendered"]["data"]
    answer = app.go(f"{Q1}&doc=d1", first)
    assert "page" not in answer
    document = text_of(answer["document"]["children"])
    assert "d1" in document
    assert "tfidf rank 2 bm25 rank 1" in document
    assert "You split the STRING with a separator." in document
    assert "2 relevant d1" in document
    assert "0 not relevant d3" in text_of(app.go(f"{Q1}&doc=d3", first)["document"]["children"])
    assert "No text is stored" in text_of(app.go(f"{Q1}&doc=d3", first)["document"]["children"])


def test_the_opened_document_has_the_explanations_of_the_engines(with_texts: Store) -> None:
    said = {("q1", "d1"): "BM25 2.1: <b>title</b> 1.4", ("q1", "d2"): "another"}
    store_run_facts(with_texts, "bm25", RunCosts(explanations=said), "small")
    document = text_of(over(with_texts).page(f"{Q1}&doc=d1")["page"]["children"])
    assert "BM25 2.1: <b>title</b> 1.4" in document
    assert "another" not in document


def test_another_window_changes_the_lists_and_keeps_the_page(app: Browserless) -> None:
    first = app.page(Q1)["rendered"]["data"]
    assert first["defaults"]["k"] == "20"
    answer = app.go(f"{Q1}&k=50&show=moved", first)
    assert "page" not in answer
    assert "ranked-lists" in answer
    assert "page" in app.go(f"{Q1}&m=RR", first)
    nonsense = body(app, f"{Q1}&k=999999&show=x&open=y&text=z&pair=nobody")
    assert find_by(nonsense, ids.control("k"))["value"] == "20"


def test_the_rank_table_and_the_curve_are_made_when_they_are_opened(app: Browserless) -> None:
    closed = body(app, Q1)
    assert components(closed, "lecture") == []
    assert components(closed, "graph") == []
    opened = body(app, f"{Q1}&open=table,curve")
    first, _second = components(opened, "lecture")
    table = text_of(first["children"])
    # bm25, q1: grades 2, 1, 0. P and R, gain and CG, discounted gain, DCG, ideal DCG, nDCG, to AP.
    assert "1 2 1.0000 0.5000 2 2 2.0000 2.0000 2.0000 1.0000 0.5000" in table
    assert "2 1 1.0000 1.0000 1 3 0.6309 2.6309 2.6309 1.0000 0.5000" in table
    assert len(components(opened, "graph")) == 1


def test_relevant_documents_that_no_run_found_are_listed(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'missed.db'}") as store:
        qrels = {"q1": {"d1": 1, "gone": 3, **{f"m{n:02}": 1 for n in range(60)}}}
        runs = {"a": {"q1": ["d1"]}, "b": {"q1": ["x"]}}
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        page = body(over(store), "/c/c/query/q1?runs=a,b")
        missed = text_of(find(page, "missed")["children"])
        assert "Missed by all: 61 of 62 3 gone" in missed
        assert "62 relevant documents known · 61 found by none of these runs" in text_of(page)
        assert "and 11 more" in missed
        csv = over(store).client.get("/export/c/c/query/q1/rankings.csv?runs=a,b").text
        assert len(csv.splitlines()) == 1 + 2 + 61


def test_where_every_relevant_document_is_found_there_is_no_list(app: Browserless) -> None:
    page_text = app.text(Q1)
    assert "2 relevant documents known · all 2 found by at least one run" in page_text
    assert "Missed" not in page_text


def test_a_query_that_a_run_does_not_answer_says_so(app: Browserless) -> None:
    page_text = app.text("/c/small/query/q5?runs=bm25,boolean&open=table")
    assert "boolean has no ranking to show: it does not answer this query." in page_text
    assert "boolean 0.0000 −1.0000" in page_text


def test_a_query_that_nobody_answers_still_shows_what_is_known_of_it(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'nobody.db'}") as store:
        qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
        runs = {"a": {"q1": ["d1"]}, "b": {"q1": ["d2"]}}
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        page_text = over(store).text("/c/c/query/q2?runs=a,b&open=table,curve")
    assert "Missed by all: 1 of 1 1 d2" in page_text
    assert page_text.count("it does not answer this query") >= 4


def test_a_query_without_relevant_documents_has_a_sentence_for_a_curve(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'none.db'}") as store:
        qrels = {"q1": {"d1": 0}, "q2": {"d2": 1}}
        runs = {"a": {"q1": ["d1"], "q2": ["d2"]}, "b": {"q1": ["d3"]}}
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        page = body(over(store), "/c/c/query/q1?runs=a,b&open=table,curve")
    assert "No document is judged relevant to this query" in text_of(page)
    assert "no curve" in as_json(page).replace("<br>", " ")


def test_a_query_that_is_not_judged_shows_rankings_of_unjudged_documents(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'unjudged.db'}") as store:
        runs = {name: {"q1": ["d1"], "new": [f"{name}1", "d1"]} for name in "ab"}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}}, runs)
        page = body(over(store), "/c/c/query/new?runs=a,b&open=table,curve")
    page_text = text_of(page)
    assert "does not judge this query" in page_text
    assert "not judged by id" in page_text or "not judged by |b − a|" in page_text
    assert {text_of(row["children"])[:2] for row in components(page, "grade")} == {"?"}
    assert docnos(page) == [["a1", "d1"], ["b1", "d1"]]


def test_a_run_of_values_only_says_that_it_has_no_ranking(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        with store.write() as connection:
            chosen = "(SELECT content_id FROM run WHERE name = 'tfidf')"
            connection.execute(text(f"DELETE FROM ranking WHERE content_id = {chosen}"))
            connection.execute(text("UPDATE run SET values_only = true WHERE name = 'tfidf'"))
        page_text = over(store).text(f"{Q1}&m=Rprec&open=table,curve")
    assert (
        "tfidf has no ranking to show: it came as values of measures, without rankings."
        in page_text
    )
    assert "tfidf 0.5000 −0.5000" in page_text


def test_a_renamed_run_leads_to_its_new_name_also_in_the_lists(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        rename_run(store, "tfidf", "tf", "small")
        answer = over(store).page(f"{Q1}&pair=tfidf")
        assert answer["redirect"]["data"] == "/c/small/query/q1?runs=bm25,tf&pair=tf"


def test_what_cannot_be_shown_is_a_sentence_with_a_way_on(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = over(store)
        unknown = app.text("/c/small/query/q17?runs=bm25,tfidf")
        assert "has no query 'q17'" in unknown
        assert "Go to the leaderboard" in unknown
        assert "There is no collection" in app.text("/c/nothing/query/q1")
        assert "This measure is not understood" in app.text(f"{Q1}&m=P@x")
        assert "no qrels 'x'" in app.text(f"{Q1}&qrels=x")
        remove_runs(store, ["tfidf"])
        assert "removed" in app.text(Q1)


@pytest.mark.parametrize("qid", sample_stores.QIDS)
def test_hostile_names_of_queries_and_runs_are_texts(hostile_app: Browserless, qid: str) -> None:
    names = ",".join(quote(name, safe="") for name in sample_stores.NAMES)
    address = Address("query", "<b>collection</b>", qid).href
    answer = hostile_app.follow(f"{address}?runs={names}&open=table,curve&show=moved")
    page = answer["page"]["children"]
    assert "dangerously" not in as_json(page)
    assert components(page, "problem") == []
    assert len([p for p in components(page, "strip-ranks") if "data-strip" in p]) == 6
    assert all(href.startswith("/") for href in _hrefs(page))


def _hrefs(component: Any) -> list[str]:
    if isinstance(component, list):
        return [href for part in component for href in _hrefs(part)]
    if not isinstance(component, dict) or not isinstance(component.get("props"), dict):
        return []
    props = component["props"]
    own = [props["href"]] if isinstance(props.get("href"), str) else []
    return own + _hrefs(props.get("children"))


def test_hostile_docnos_titles_and_texts_are_texts_and_survive_the_address(tmp_path: Path) -> None:
    hostile = [*(name.replace(" ", "_") for name in HOSTILE), "a,b", "d%2C#?&="]
    with Store.open(f"sqlite:///{tmp_path / 'docnos.db'}") as store:
        runs = {"a": {"q1": hostile}, "b": {"q1": hostile[::-1]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {hostile[0]: 1, "=gone": 1}}, runs)
        documents = [
            Document(docno, f"<b>{docno}</b>", f"<i>{docno}</i> \x1b") for docno in hostile
        ]
        store_texts(store, "c", documents)
        app = over(store)
        page = body(app, "/c/c/query/q1?runs=a,b")
        assert docnos(page) == [hostile, hostile[::-1]]
        # What is read or hovered has no overrides of its direction; what is copied is exact.
        assert not {"\u202e", "\x1b"} & set(text_of(page) + "".join(_titles(page)))
        for rank, docno in enumerate(hostile, 1):
            href = Address("query", "c", "q1", {"runs": ("a", "b"), "doc": (docno,)}).href
            document = text_of(find(body(app, href), "document")["children"])
            assert f"a rank {rank} b rank {len(hostile) + 1 - rank}" in document
        csv = app.client.get("/export/c/c/query/q1/rankings.csv?runs=a,b").text
        assert "'=1+1" in csv
        assert "'=gone" in csv


def _titles(component: Any) -> list[str]:
    if isinstance(component, list):
        return [title for part in component for title in _titles(part)]
    if not isinstance(component, dict) or not isinstance(component.get("props"), dict):
        return []
    props = component["props"]
    return [str(props.get("title", "")), *_titles(props.get("children"))]


def test_the_file_has_the_rank_of_every_document_in_every_run(app: Browserless) -> None:
    answer = app.client.get("/export/c/small/query/q1/rankings.csv?runs=bm25,tfidf,boolean")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="small_q1.csv"'
    assert answer.text.splitlines() == [
        "qid,docno,grade,relevant,rank in bm25,rank in tfidf,rank in boolean",
        "q1,d1,2,1,1,2,",
        "q1,d3,0,0,3,1,1",
        "q1,d2,1,1,2,3,",
    ]
