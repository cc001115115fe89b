"""The Compare page: what it says of runs, what its controls change, what can't be compared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, ids_in, text_of
from changed_runs import annotate
from compare_page import THREE, TWO, body, changed, query_rows
from samples import add, write, write_qrels, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.theme import TOKENS, series_colour
from evalstore.catalog.given_facts import GivenFacts
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store

TWELVE = [f"engine{number}" for number in range(12)]


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    """Twelve runs; engine N has the relevant document of each query at rank N + 1."""
    folder = tmp_path_factory.mktemp("twelve")
    with Store.open(f"sqlite:///{folder / 't.db'}") as store:
        qrels = {f"q{number}": {"d": 1} for number in range(1, 15)}
        runs = {
            name: {qid: [f"x{n}" for n in range(number)] + ["d"] for qid in qrels}
            for number, name in enumerate(TWELVE)
        }
        sample_stores.add(store, folder, "many", qrels, runs)
        yield Browserless(create_app(store).server.test_client())


# --- what stands on the page -------------------------------------------------------------------


def test_the_answer_comes_first_then_the_comparability_then_the_figures(app: Browserless) -> None:
    text = app.text(f"{TWO}&m=Rprec")
    order = (
        "tfidf is behind bm25",
        "◐ Comparable",  # few documents are judged
        "wins / ties / losses",
        "Mean over the 5 queries",
        "R-precision, tfidf − bm25",
        "Query by query",
    )
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_a_difference_is_the_run_less_the_baseline_everywhere(app: Browserless) -> None:
    # R-precision of tfidf less that of bm25: -0.5, -0.5, -1, +0.5, 0.
    page = body(app, f"{TWO}&m=Rprec")
    differences = [row["tfidf − bm25"] for row in query_rows(page)]
    assert differences == ["−0.5000", "−0.5000", "−1.0000", "+0.5000", "0.0000"]
    assert "tfidf 0.6000 −0.3000" in text_of(find(page, "run-table")["children"])
    assert "1 / 1 / 3" in text_of(find(page, "run-table")["children"])
    bars = find_by(page, {"graph": "histogram"})["figure"]["data"][0]
    assert bars["y"] == [-0.5, -0.5, -1.0, 0.5, 0.0]
    assert "wins 1, ties 1, loses 3" in text_of(page)


def test_the_baseline_asked_for_stands_first_else_that_of_the_collection(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        set_baseline(store, "tfidf", "small")
        assert "⚑ tfidf" in app.text(TWO)
        assert "⚑ boolean" in app.text(f"{THREE}&base=boolean")


def test_of_three_runs_without_a_baseline_all_pairs_are_tested_and_none_has_the_flag(
    app: Browserless,
) -> None:
    assert "3 pairs" in app.text(THREE)
    assert "⚑" not in app.text(THREE)
    assert "⚑ bm25" in app.text(TWO)


def test_of_several_runs_the_pair_that_the_headline_is_on_is_said_once(app: Browserless) -> None:
    def said(address: str) -> str:
        return text_of(find(body(app, address), "claim")["children"])

    based = f"{THREE}&base=tfidf&m=Rprec"
    assert "bm25 against tfidf: +0.3000" in said(based)
    assert "than tfidf" not in said(based)
    assert "boolean is behind tfidf on Rprec by 0.6000" in said(f"{based}&pair=boolean")


def test_a_query_that_a_run_does_not_answer_has_no_value_and_counts_as_an_empty_ranking(
    app: Browserless,
) -> None:
    page = body(app, f"{THREE}&pair=boolean&m=Rprec")
    last = query_rows(page)[-1]
    assert (last["Query"], last["boolean"], last["boolean − bm25"]) == ("q5", "–", "−1.0000")
    assert "0 / 0 / 5" in text_of(find(page, "run-table")["children"])
    assert "wins 0, ties 0, loses 5" in text_of(page)
    file = app.client.get(f"/export{THREE.replace('?', '/queries-long.csv?')}&m=Rprec")
    assert file.text.splitlines()[-1].endswith("boolean,Rprec,,bm25,-1.0")
    assert "◐ Partly" in app.text(THREE)


def test_runs_keep_their_colour_in_curves_and_histogram(app: Browserless) -> None:
    page = body(app, f"{THREE}&pair=boolean")
    lines = find_by(page, {"graph": "curves"})["figure"]["data"]
    colours = {
        line["name"].strip("\u2068\u2069"): line["line"]["color"]
        for line in lines
        if "name" in line
    }
    assert colours == {
        name: series_colour(slot, "light") for slot, name in enumerate(("bm25", "tfidf", "boolean"))
    }
    bars = find_by(page, {"graph": "histogram"})["figure"]["data"][0]
    assert set(bars["marker"]["color"]) == {colours["bm25"]}  # boolean loses every query


def test_long_names_are_short_in_the_sentences_on_top(tmp_path: Path) -> None:
    runs = [f"ranker-index_passages-v2-k1_0.9-b_{b}" for b in ("0.4", "0.45", "0.75")]
    documents = {name: {"q1": ["d", "x"][:: 1 - 2 * (n % 2)]} for n, name in enumerate(runs)}
    with Store.open(f"sqlite:///{tmp_path / 'long.db'}") as store:
        sample_stores.add(store, tmp_path, "long", {"q1": {"d": 1}}, documents)
        app = Browserless(create_app(store).server.test_client())
        text = app.text(Address("compare", "long", None, {"runs": runs}).href)
    assert "…b_0.4 (1.0000)" in text
    assert "…b_0.75 has the same AP as …b_0.4" in text  # the best of the others
    assert runs[0] not in text.partition("Run ")[0]


def test_a_run_has_one_label_beside_whatever_other_runs(tmp_path: Path) -> None:
    ends = [f"-index_passages-v2-k1_{k}-b_0.4" for k in ("0.9", "1.2")]
    runs = [engine + end for engine in ("ranker", "ranker-rm3", "dense") for end in ends]
    documents = {name: {"q1": ["d", "x"][:: 1 - 2 * (n % 2)]} for n, name in enumerate(runs)}
    with Store.open(f"sqlite:///{tmp_path / 'long.db'}") as store:
        sample_stores.add(store, tmp_path, "long", {"q1": {"d": 1}}, documents)
        app = Browserless(create_app(store).server.test_client())
        pair = app.text(Address("compare", "long", None, {"runs": runs[2:4]}).href)
        run = app.text(Address("run", "long", runs[3]).href)
        history = app.text(Address("history", "long", None, {"engine": [runs[3]]}).href)
    for shown in (pair, run, history):
        assert "ranker-rm3-…k1_1.2-…" in shown


def test_figures_show_the_best_run_beside_the_baseline(app: Browserless) -> None:
    for order in ("tfidf,boolean", "boolean,tfidf"):
        assert "tfidf − bm25 The dashed line" in app.text(
            f"/c/small/compare?runs=bm25,{order}&m=AP"
        )


@pytest.mark.parametrize("number", [2, 5, 12])
def test_two_to_twelve_runs_are_compared(twelve: Browserless, number: int) -> None:
    names = TWELVE[:number]
    page = body(twelve, Address("compare", "many", None, {"runs": names}).href)
    table = text_of(find(page, "run-table")["children"])
    assert all(name in table for name in names)
    lines = find_by(page, {"graph": "curves"})["figure"]["data"]
    named = [line for line in lines if "name" in line and line.get("hoverinfo") != "skip"]
    assert len(named) == number
    assert len(query_rows(page)) == 14


def test_curves_without_a_legend_say_where_their_marks_are_named(twelve: Browserless) -> None:
    address = Address("compare", "many", None, {"runs": TWELVE, "open": ("ranks",)})
    remark = "Colours and marks are those of the table of runs."
    assert remark in text_of(find(body(twelve, address.href), "section-ranks")["children"])
    few = address.changed(runs=TWELVE[:4]).href
    assert remark not in text_of(find(body(twelve, few), "section-ranks")["children"])


def test_a_run_can_be_added_and_left_out_in_place(app: Browserless) -> None:
    page = body(app, f"{THREE}&pair=boolean")
    assert find_by(body(app, TWO), {"control": "add"})["data"] == [
        {"value": "boolean", "label": "boolean"}
    ]
    [left_out] = [
        json.loads(props["data-choose"])
        for props in links(page)
        if props.get("aria-label") == "Leave boolean out"
    ]
    assert left_out == {"runs": ["bm25", "tfidf"], "base": "", "pair": []}


def links(component: Any) -> list[dict[str, Any]]:
    """The properties of all links within a component."""
    if isinstance(component, list):
        return [props for part in component for props in links(part)]
    if not isinstance(component, dict) or "props" not in component:
        return []
    within = links(component["props"].get("children"))
    return [component["props"], *within] if component.get("type") == "A" else within


# --- what a control changes --------------------------------------------------------------------


def test_another_pair_changes_sentence_rows_histogram_and_table_alone(app: Browserless) -> None:
    answer = changed(app, f"{THREE}&m=Rprec", "&pair=boolean")
    assert "page" not in answer
    assert "boolean is behind bm25 on Rprec by 0.9000" in text_of(answer["claim"]["children"])
    assert query_rows(answer)[0]["boolean − bm25"] == "−1.0000"
    assert text_of(answer["histogram-title"]["children"]) == "R-precision, boolean − bm25"


def test_sentence_and_table_name_the_same_family_of_pairs(app: Browserless) -> None:
    page = body(app, THREE)
    assert "after Holm over 3 pairs" in text_of(find(page, "claim")["children"])
    assert "p, Holm, 3 pairs" in text_of(find(page, "run-table")["children"])


def test_a_claim_that_is_lost_among_all_runs_says_so(tmp_path: Path) -> None:
    # Of two runs p is 2^-5; four pairs with the baseline make it 2^-3.
    qrels = {f"q{number}": {"d": 1} for number in range(6)}
    rankings = {"base": ["x", "d"], "best": ["d"], **{name: ["d", "x"][::-1] for name in "abc"}}
    runs = {name: dict.fromkeys(qrels, ranking) for name, ranking in rankings.items()}
    with Store.open(f"sqlite:///{tmp_path / 'five.db'}") as store:
        sample_stores.add(store, tmp_path, "five", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        claim = find(body(app, "/c/five/compare?m=RR&runs=base,best"), "claim")["children"]
        typed = find(body(app, "/c/five/compare?m=RR@5&runs=base,best"), "claim")["children"]
        turned = find(body(app, "/c/five/compare?m=RR&runs=base,best&base=best"), "claim")
    assert "leaderboard" not in text_of(typed)  # it would evaluate all runs on this measure
    assert text_of(claim).startswith("best is better than base on RR by 0.5000")
    assert (
        "With all 4 runs compared with base, best is not shown to differ (p 0.1250): leaderboard ."
        in text_of(claim)
    )
    [link] = links(claim)
    assert link["href"] == "/c/five?runs=base,best&base=base&sort=-RR"
    assert text_of(turned["children"]).startswith("base is worse than best on RR by 0.5000")
    assert (
        "With all 4 runs compared with base, best is not shown to differ (p 0.1250): leaderboard ."
        in text_of(turned["children"])
    )


def test_a_step_that_the_history_of_the_engine_does_not_show_says_so(tmp_path: Path) -> None:
    # Six of 8 queries gain 0.5, one loses it: p is 0.0492, and a first step needs 0.0045.
    qrels = {f"q{number}": {"d": 1} for number in range(8)}
    better, worse = ["d", "x"], ["x", "d"]
    before = [*[worse] * 6, better, better]
    after = [*[better] * 6, worse, better]
    runs = {
        "v1": dict(zip(qrels, before, strict=True)),
        "v2": dict(zip(qrels, after, strict=True)),
    }
    with Store.open(f"sqlite:///{tmp_path / 'two.db'}") as store:
        sample_stores.add(store, tmp_path, "two", qrels, runs, engine="e")
        app = Browserless(create_app(store).server.test_client())
        together = app.text("/c/two/compare?m=RR&runs=v1,v2")
        annotate(store, "v1", GivenFacts(started_at=datetime(2020, 5, 1, tzinfo=UTC)))
        claim = find(body(app, "/c/two/compare?m=RR&runs=v1,v2"), "claim")["children"]
        sample_stores.add(store, tmp_path, "apart", qrels, runs)
        apart = app.text("/c/apart/compare?m=RR&runs=v1,v2")
    assert text_of(claim).startswith("v2 is better than v1 on RR by 0.3125")
    assert (
        "Among all versions of e the difference is not shown (p 0.0492, 0.0045 is needed)"
        in text_of(claim)
    )
    assert [link["href"] for link in links(claim)] == ["/c/two/history?m=RR&engine=e"]
    assert "Among all versions" not in apart + together  # stored together: no versions in time


def test_what_the_history_does_not_show_of_a_run_and_its_reference_is_said(tmp_path: Path) -> None:
    # Between v1 and v3, v2 is like v1: the difference of v3 is tested with both.
    qrels = {f"q{number}": {"d": 1} for number in range(8)}
    better, worse = ["d", "x"], ["x", "d"]
    v1 = dict(zip(qrels, [*[worse] * 6, better, better], strict=True))
    v2 = v1 | {"q7": worse}
    v3 = dict(zip(qrels, [*[better] * 6, worse, better], strict=True))
    with Store.open(f"sqlite:///{tmp_path / 'three.db'}") as store:
        sample_stores.add(store, tmp_path, "c", qrels, {"v1": v1, "v2": v2, "v3": v3}, engine="e")
        for month, name in enumerate(("v1", "v2", "v3"), 1):
            annotate(store, name, GivenFacts(started_at=datetime(2020, month, 1, tzinfo=UTC)))
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/c/compare?m=RR&runs=v1,v3")
    assert "v3 is better than v1 on RR by 0.3125" in text
    assert "Among all versions of e the difference is not shown (p 0.0492," in text


def test_a_band_beyond_the_axis_ends_in_an_arrow(tmp_path: Path) -> None:
    qrels = {f"q{number}": {"d": 1} for number in range(6)}
    runs = {name: {qid: [*docs] for qid in qrels} for name, docs in (("one", "dx"), ("two", "yz"))}
    with Store.open(f"sqlite:///{tmp_path / 'band.db'}") as store:
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        table = as_json(body(app, "/c/c/compare?m=P@2&runs=one,two"))
    # The difference is -0.5; judgments could make it -1 to 0.5, and the axis ends at 0.525.
    assert '"strip-bounds below"' in table


def test_a_claim_that_all_runs_show_too_has_no_remark(twelve: Browserless) -> None:
    page = body(twelve, "/c/many/compare?m=RR&runs=engine5,engine0")
    assert "leaderboard" not in text_of(find(page, "claim")["children"])


def test_three_runs_or_more_begin_with_the_sentence_of_the_leaderboard(app: Browserless) -> None:
    text = text_of(find(body(app, f"{THREE}&m=Rprec"), "claim")["children"])
    assert text.startswith("No run is shown to be best on Rprec over 5 queries")
    assert text.index("share the lead") < text.index("tfidf is behind bm25")


def test_the_order_draws_the_histogram_alone_anew(app: Browserless) -> None:
    answer = changed(app, f"{TWO}&m=Rprec", "&order=difference")
    assert answer['{"graph":"histogram"}']["figure"]["data"][0]["y"] == [0.5, 0.0, -0.5, -0.5, -1.0]
    assert '{"graph":"curves"}' not in answer
    assert "queries-table" not in answer


def test_the_scheme_draws_the_figures_anew(app: Browserless) -> None:
    answer = changed(app, f"{TWO}&open=scatter,facts", "", scheme="dark")
    assert {'{"graph":"curves"}', '{"graph":"histogram"}', "section-scatter"} <= set(answer)
    assert "section-facts" not in answer


@pytest.mark.parametrize("more", ["&m=AP", "&base=tfidf", "&qrels=judgments"])
def test_what_changes_the_figures_of_all_renders_the_page_anew(app: Browserless, more: str) -> None:
    assert "page" in changed(app, TWO, more)


def test_a_query_is_marked_in_table_bars_and_curves(app: Browserless) -> None:
    answer = changed(app, TWO, "&query=q3")
    assert [row["Query"] for row in query_rows(answer) if row["marked"]] == ["q3"]
    histogram = as_json(answer['{"graph":"histogram"}']["figure"]["layout"]["annotations"])
    assert "q3" in histogram
    caption = answer["curves-caption"]["children"]
    assert "there is no test" in text_of(caption)
    assert '"/c/small/query/q3?runs=bm25,tfidf"' in as_json(caption)


def test_the_curve_of_a_query_has_a_point_at_each_relevant_document(app: Browserless) -> None:
    # q1 has 2 relevant documents: tfidf has them at ranks 2 and 3.
    figure = find_by(body(app, f"{TWO}&query=q1"), {"graph": "curves"})["figure"]
    points = {
        t["name"].strip("\u2068\u2069"): (t["x"], t["y"]) for t in figure["data"] if "name" in t
    }
    assert points["bm25"] == ([0.5, 1.0], [1.0, 1.0])
    assert points["tfidf"] == ([0.5, 1.0], [0.5, pytest.approx(2 / 3)])


def test_a_query_that_nobody_judged_is_not_marked(app: Browserless) -> None:
    page = body(app, f"{TWO}&query=q99")
    assert not [row for row in query_rows(page) if row["marked"]]
    assert "Mean over the 5 queries" in text_of(page)


def test_the_curves_less_the_baseline_have_its_own_at_zero(app: Browserless) -> None:
    answer = changed(app, TWO, "&curves=difference")
    lines = [t for t in answer['{"graph":"curves"}']["figure"]["data"] if "name" in t]
    assert lines[0]["y"] == [0.0] * 11
    assert "that of \u2068bm25" in as_json(answer['{"graph":"curves"}'])


@pytest.mark.parametrize(
    ("more", "qids"),
    [
        ("&find=SPLIT", ["q1"]),
        ("&find=q2", ["q2"]),
        ("&least=0", ["q4", "q5"]),
        ("&least=-0.5&most=0", ["q1", "q2", "q5"]),
        ("&of=bm25&most=0.5", ["q4"]),
        ("&sort=worst", ["q3", "q1", "q2", "q5", "q4"]),
        ("&sort=best&most=0", ["q5", "q1", "q2", "q3"]),
        ("&sort=-query", ["q5", "q4", "q3", "q2", "q1"]),
        ("&sort=run:tfidf", ["q3", "q1", "q2", "q4", "q5"]),
        ("&sort=-run:bm25&find=q", ["q1", "q2", "q3", "q5", "q4"]),
        ("&sort=text", ["q2", "q3", "q1", "q4", "q5"]),
        ("&sort=-text", ["q1", "q3", "q2", "q4", "q5"]),
        ("&sort=run:nobody", ["q1", "q2", "q3", "q4", "q5"]),
        ("&find=nothing", []),
        ("&least=abc&sort=abc&of=abc", ["q1", "q2", "q3", "q4", "q5"]),
    ],
)
def test_the_filters_choose_the_rows_of_table_and_file(
    app: Browserless, more: str, qids: list[str]
) -> None:
    answer = changed(app, f"{TWO}&m=Rprec", more)
    shown = query_rows(answer) if answer["queries-table"]["children"] else []
    assert [row["Query"] for row in shown] == qids
    file = app.client.get(f"/export/c/small/compare/queries.csv?runs=bm25,tfidf&m=Rprec{more}")
    assert [row[0] for row in csv.reader(io.StringIO(file.text))][1:] == qids
    every = app.client.get(f"/export/c/small/compare/all-queries.csv?runs=bm25,tfidf{more}")
    assert len(every.text.splitlines()) == 6


def test_a_table_without_rows_says_what_to_do(app: Browserless) -> None:
    assert "None of the 5 queries is left: widen the filters." in app.text(f"{TWO}&find=nothing")


# --- what can't be compared --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/c/small/compare", "Choose at least two runs"),
        ("/c/small/compare?runs=bm25", "Add a run to compare with bm25"),
        ("/c/small/compare?runs=bm25,nobody", "There is no run “nobody”"),
        (f"{TWO}&m=nonsense", "This measure is not understood"),
        (f"{TWO}&qrels=nonsense", "no qrels 'nonsense'"),
        ("/c/nothing/compare?runs=a,b", "no collection 'nothing'"),
    ],
)
def test_what_can_not_be_shown_is_named_with_a_way_on(
    app: Browserless, address: str, says: str
) -> None:
    page = app.page(address)["page"]["children"]
    assert says.lower() in text_of(page).lower()
    assert "href" in as_json(page)


def test_thirteen_runs_are_too_many(app: Browserless, tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'm.db'}") as store:
        runs = {f"r{number}": {"q1": [f"d{number}", "d"]} for number in range(13)}
        sample_stores.add(store, tmp_path, "many", {"q1": {"d": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        address = Address("compare", "many", None, {"runs": list(runs)}).href
        assert "At most 12 runs can be told apart" in app.text(address)


def test_runs_that_share_no_query_have_no_figures_but_a_way_out(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'n.db'}") as store:
        runs = {"one": {"q1": ["d1"]}, "two": {"q2": ["d1"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}, "q2": {"d1": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/c/compare?runs=one,two")
        assert "⊘ Not comparable" in text_of(page)
        assert "Choose other runs" in text_of(page)
        assert not [id_ for id_ in ids_in(page) if "graph" in id_]


@pytest.mark.parametrize(("order", "along"), [("difference", "y"), ("distribution", "x")])
def test_the_histogram_has_the_mean_and_its_interval(
    app: Browserless, order: str, along: str
) -> None:
    page = body(app, f"{TWO}&m=Rprec&order={order}")
    shapes = find_by(page, {"graph": "histogram"})["figure"]["layout"]["shapes"]
    band, line = shapes[-2:]
    # The differences are -0.5, -0.5, -1, 0.5 and 0: of Student's t of 4 degrees of freedom, 2.776.
    mean, half = -0.3, 2.7764451052 * float(np.std([-1, -0.5, -0.5, 0, 0.5], ddof=1)) / 5**0.5
    assert line[f"{along}0"] == line[f"{along}1"] == pytest.approx(mean)
    # No difference is below -1.
    assert mean - half < -1
    assert [band[f"{along}0"], band[f"{along}1"]] == pytest.approx([-1, mean + half])
    assert "The dashed line is the mean difference, the band its 95 % interval." in text_of(page)


def test_a_single_query_and_runs_without_judged_documents_are_shown(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 's.db'}") as store:
        runs = {"one": {"q1": ["d1"]}, "none": {"q1": ["x"]}, "nothing": {"q1": ["y", "x"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        sections = "&open=ranks,scatter,pairs,facts,slices,tests"
        for chosen in ("one,none", "none,nothing"):
            for more in ("", "&query=q1", "&order=distribution", "&curves=difference", sections):
                page = body(app, f"/c/c/compare?runs={chosen}{more}")
                text = text_of(page)
                assert "1 query" in text
                assert "one query allows no test" in text
                assert "p = " not in text
        assert "nan" not in as_json(page).lower().replace("nanum", "")


def test_of_a_single_query_the_curves_are_those_of_the_query_itself(
    app: Browserless, tmp_path: Path
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 's.db'}") as store:
        runs = {"one": {"q1": ["d1", "x", "d2"]}, "two": {"q1": ["x", "d2"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1, "d2": 1}}, runs)
        one = Browserless(create_app(store).server.test_client())
        alone, marked = (body(one, f"/c/c/compare?runs=one,two{m}") for m in ("", "&query=q1"))
    figures = [find_by(page, {"graph": "curves"})["figure"]["data"] for page in (alone, marked)]
    points = {t["name"].strip("\u2068\u2069"): (t["x"], t["y"]) for t in figures[0] if "name" in t}
    assert points == {"one": ([0.5, 1.0], [1.0, pytest.approx(2 / 3)]), "two": ([0.5], [0.5])}
    assert figures[0] == figures[1]
    text = text_of(find(alone, "curves-caption")["children"])
    assert text.startswith("Of query q1 , the only one : a mark at each")
    assert "All queries" not in text
    assert "ean over" not in text_of(alone)
    less_baseline = str({"control": "curves"})
    assert less_baseline not in ids_in(alone)
    assert less_baseline in ids_in(body(app, TWO))


# --- hostile names -----------------------------------------------------------------------------


def test_hostile_names_are_texts_and_never_markup(hostile_app: Browserless) -> None:
    address = Address(
        "compare",
        "<b>collection</b>",
        None,
        {
            "runs": sample_stores.NAMES,
            "open": ("ranks", "scatter", "pairs", "facts", "slices", "tests"),
            "query": ("<img/src=x/onerror=window.pwned=2>",),
        },
    )
    page = body(hostile_app, address.href)
    assert "Query by query" in text_of(page)
    for name in ("curves", "histogram", "ranks", "scatter"):
        drawn = as_json(find_by(page, {"graph": name})["figure"])
        assert "<script>" not in drawn.replace("customdata", "")
    assert "x" * 100 not in text_of(page)


@pytest.mark.parametrize("qid", sample_stores.QIDS)
def test_a_hostile_query_is_marked_and_its_row_leads_to_it(
    hostile_app: Browserless, qid: str
) -> None:
    parameters = {"runs": sample_stores.NAMES[:2], "query": (qid,)}
    address = Address("compare", "<b>collection</b>", None, parameters)
    page = body(hostile_app, address.href)
    assert [row["Query"] for row in query_rows(page) if row["marked"]] == [qid]
    expected = address.to("query", qid).only("runs")
    assert json.dumps(expected.href) in as_json(find(page, "queries-table"))


def test_without_runs_the_pairs_worth_comparing_are_offered(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        assert "Leader against second on AP: bm25 − tfidf" in app.text("/c/small/compare")
        set_baseline(store, "tfidf", "small")
        text = app.text("/c/small/compare")
        assert "Last stored against baseline: boolean − tfidf" in text  # no run has a start
        assert "Leader against second on AP: bm25 − tfidf" in text


@pytest.mark.parametrize(
    ("address", "offered"),
    [
        ("/c/small/compare", ["bm25", "boolean", "tfidf"]),
        ("/c/small/compare?runs=bm25", ["boolean", "tfidf"]),
    ],
)
def test_with_fewer_than_two_runs_another_one_can_be_added(
    app: Browserless, address: str, offered: list[str]
) -> None:
    add = find_by(body(app, address), {"control": "add"})
    assert sorted(one["value"] for one in add["data"]) == offered


def test_the_judgments_can_be_switched(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        control = '"control": "qrels"'
        assert control not in json.dumps(app.page(TWO))
        other = write(tmp_path / "other.qrels", "q1 0 d9 1\n")
        store_qrels(store, "small", qrels_path=other, allow_disjoint=True)
        assert control in json.dumps(app.page(TWO))


def test_two_versions_of_an_engine_are_told_apart_in_the_bars(tmp_path: Path) -> None:
    documents = {"v1": {"q1": ["d", "x"], "q2": ["x", "d"]}, "v2": {"q1": ["x"], "q2": ["d"]}}
    with Store.open(f"sqlite:///{tmp_path / 'v.db'}") as store:
        for name, rankings in documents.items():
            run = write_run(tmp_path, rankings, f"{name}.run", "one")
            qrels = write_qrels(tmp_path, {"q1": {"d": 1}, "q2": {"d": 1}})
            add(store, tmp_path, run, qrels=qrels, engine="one", collection="v")
        page = body(Browserless(create_app(store).server.test_client()), "/c/v/compare?runs=v1,v2")
    bars = find_by(page, {"graph": "histogram"})["figure"]["data"][0]["marker"]["color"]
    assert set(bars) == {TOKENS["light"]["muted"], series_colour(0, "light")}


def test_a_comparison_of_few_judgments_says_that_figures_may_be_too_low(tmp_path: Path) -> None:
    words = "figures may be too low"
    runs = {name: {"q1": ["d", f"{name}1", f"{name}2"]} for name in ("one", "two")}
    for judged, little in ((["d"], True), (["d", "one1", "one2", "two1", "two2"], False)):
        with Store.open(f"sqlite:///{tmp_path / f'{little}.db'}") as store:
            sample_stores.add(store, tmp_path, "c", {"q1": dict.fromkeys(judged, 1)}, runs)
            app = Browserless(create_app(store).server.test_client())
            page = body(app, "/c/c/compare?runs=one,two")
        assert (words in text_of(page)) == little
        assert ("verdict yes little" in as_json(page)) == little
