"""The Queries page: queries x runs, and the queries that all fail or that decide a pair."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from samples import add, write_qrels, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.figures.interactive import value_range
from dashboard.page import View
from dashboard.pages.queries import page as table
from dashboard.pages.queries.load import Queries, header_labels, load, pair_of
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store

# R-precision of q1 to q5: bm25 1 1 1 .5 1; tfidf .5 .5 0 1 1; boolean 0 everywhere.
ADDRESS = "/c/small/queries?m=Rprec"


def queries(store: Store, **parameters: Any) -> Queries:
    chosen = {
        key: (value,) if isinstance(value, str) else tuple(value)
        for key, value in {"m": "Rprec", **parameters}.items()
    }
    return load(View(store, Address("queries", "small", None, chosen)))


def grid(app: Browserless, address: str) -> dict[str, Any]:
    return find(app.page(address)["page"]["children"], "difficulty-grid")


def test_rows_are_by_median_and_columns_by_mean(app: Browserless) -> None:
    properties = grid(app, ADDRESS)
    runs = [c["headerName"] for c in properties["columnDefs"] if c["field"].startswith("run_")]
    assert runs == ["bm25", "tfidf", "boolean"]
    # Medians: q1 .5, q2 .5, q3 0, q4 .5, q5 1.
    assert [row["qid"] for row in properties["rowData"]] == ["q3", "q1", "q2", "q4", "q5"]


def test_a_row_has_the_relevant_documents_the_median_and_the_spread(store: Store) -> None:
    [q3, q1, *_] = table.table_rows(queries(store))
    assert (q3["rel"], q3["median"], q3["spread"]) == (1, 0, 1)
    assert (q1["rel"], q1["median"], q1["spread"]) == (2, 0.5, 1)
    assert [q1[f"run_{number}"] for number in range(3)] == [1, 0.5, 0]
    assert q1["text"] == "how do I split a string"


def test_the_runs_of_the_address_alone_count(store: Store) -> None:
    of = queries(store, runs=("boolean", "tfidf"))
    assert of.names == ("tfidf", "boolean")
    # Medians of the two: q1 .25, q2 .25, q3 0, q4 .5, q5 .5.
    assert [row["qid"] for row in table.table_rows(of)] == ["q3", "q1", "q2", "q4", "q5"]


def test_queries_that_all_fail_are_those_with_0_everywhere(store: Store) -> None:
    of = queries(store, runs=("boolean", "tfidf"), show="fail")
    assert [row["qid"] for row in table.table_rows(of)] == ["q3"]
    assert not table.table_rows(queries(store, show="fail"))


def test_the_queries_that_decide_are_named_with_their_difference(app: Browserless) -> None:
    # bm25 − tfidf: .5 .5 1 −.5 0, together 1.5: without q3 and one of .5 it is 0.
    properties = find(
        app.page(f"{ADDRESS}&pair=bm25&base=tfidf&show=decides")["page"]["children"],
        "difficulty-grid",
    )
    assert [(row["qid"], row["difference"]) for row in properties["rowData"]] == [
        ("q3", 1.0),
        ("q1", 0.5),
    ]
    order = [column["field"] for column in properties["columnDefs"]]
    assert order.index("difference") < order.index("rel")
    text = app.text(f"{ADDRESS}&pair=bm25&base=tfidf&show=decides")
    assert "Without these 2 of 5 queries the mean R-precision of bm25 would not be" in text
    assert "it tests nothing" in text


def test_the_pair_is_the_best_run_and_the_baseline() -> None:
    names, chosen = ("a", "b", "c"), ("c", "b", "a")
    assert pair_of(names, chosen, "", "b") == ("a", "b")
    assert pair_of(names, chosen, "c", "b") == ("c", "b")
    assert pair_of(names, chosen, "b", "b") == ("a", "b")
    assert pair_of(names, chosen, "", "elsewhere") == ("a", "c")
    assert pair_of(("a",), ("a",), "", "a") is None


def test_the_search_is_in_ids_and_texts_without_regard_to_case(app: Browserless) -> None:
    first = app.page(ADDRESS)["rendered"]["data"]
    answer = app.go(f"{ADDRESS}&find=SPLIT", first)
    assert "page" not in answer
    assert [row["qid"] for row in answer["difficulty-grid"]["rowData"]] == ["q1"]
    assert "1 of them holds “SPLIT”" in answer["difficulty-sentence"]["children"]
    nothing = app.go(f"{ADDRESS}&find=zzz", first)
    assert "None of them hold “zzz”" in nothing["difficulty-sentence"]["children"]


def test_a_search_does_not_change_what_is_said_of_the_pair(app: Browserless) -> None:
    text = app.text(f"{ADDRESS}&pair=bm25&base=tfidf&show=decides&find=q3")
    assert "Without these 2 of 5 queries" in text


def test_orders_and_filters_of_the_headers_send_no_row_again(app: Browserless) -> None:
    first = app.page(ADDRESS)["rendered"]["data"]
    answer = app.go(f"{ADDRESS}&sort=-spread", first)
    assert set(answer["difficulty-grid"]) == {"columnDefs"}
    assert "difficulty-grid" not in app.go(f"{ADDRESS}&least=median~0.5", first)
    sorted_by = [c for c in grid(app, f"{ADDRESS}&sort=-run:tfidf")["columnDefs"] if c["sort"]]
    assert [(c["headerName"], c["sort"]) for c in sorted_by] == [("tfidf", "desc")]


@pytest.mark.parametrize(
    ("more", "qids"),
    [
        # Medians: q1 .5, q2 .5, q3 0, q4 .5, q5 1; spreads 1 1 1 1 1; relevant 2 2 1 2 1.
        ("&least=median~0.5&most=median~0.5", ["q1", "q2", "q4"]),
        ("&least=median~0.6", ["q5"]),
        ("&most=median~0", ["q3"]),
        ("&least=median~0.5,rel~2", ["q1", "q2", "q4"]),
        ("&most=rel~1&sort=-median", ["q5", "q3"]),
        ("&sort=-qid", ["q5", "q4", "q3", "q2", "q1"]),
        ("&sort=qid&find=s", ["q1", "q2"]),
        ("&sort=text", ["q2", "q3", "q1", "q4", "q5"]),
        ("&sort=-run:tfidf", ["q4", "q5", "q1", "q2", "q3"]),
        ("&least=median~x,qid~1,median&sort=run:nobody", ["q3", "q1", "q2", "q4", "q5"]),
    ],
)
def test_filters_and_order_of_the_headers_hold_for_the_file(
    app: Browserless, more: str, qids: list[str]
) -> None:
    file = app.client.get(f"/export{ADDRESS.replace('?', '/queries.csv?')}{more}")
    assert [row[0] for row in csv.reader(io.StringIO(file.text))][1:] == qids


def test_the_headers_show_the_filters_of_the_address(app: Browserless) -> None:
    properties = grid(app, f"{ADDRESS}&least=median~0.5,rel~2&most=median~0.9,spread~1")
    assert properties["filterModel"] == {
        "median": {"filterType": "number", "type": "inRange", "filter": 0.5, "filterTo": 0.9},
        "rel": {"filterType": "number", "type": "greaterThanOrEqual", "filter": 2.0},
        "spread": {"filterType": "number", "type": "lessThanOrEqual", "filter": 1.0},
    }
    first = app.page(f"{ADDRESS}&least=median~0.5")["rendered"]["data"]
    assert len(grid(app, f"{ADDRESS}&least=median~0.6")["rowData"]) == 5  # the browser has them
    answer = app.go(f"{ADDRESS}&show=disagree", first)
    assert answer["difficulty-grid"]["filterModel"] == {}


def test_the_sentence_and_the_files_follow_the_filters(app: Browserless) -> None:
    first = app.page(ADDRESS)["rendered"]["data"]
    answer = app.go(f"{ADDRESS}&least=median~0.5&most=median~0.9,rel~2&find=q", first)
    assert answer["difficulty-sentence"]["children"].endswith(
        "3 of them hold “q” and have Median at least 0.5 and at most 0.9, Rel at most 2."
    )
    assert "least=median~0.5" in answer["difficulty-csv"]["href"]
    nothing = app.go(f"{ADDRESS}&least=rel~9", first)["difficulty-sentence"]["children"]
    assert nothing.endswith("None of them have Rel at least 9: widen the filters.")


def test_the_difference_is_filtered_where_it_is_shown(app: Browserless) -> None:
    # bm25 − tfidf of the queries that decide: q3 1, q1 0.5.
    pair = f"{ADDRESS}&pair=bm25&base=tfidf&least=difference~0.6"
    assert "1 of them has bm25 − tfidf at least 0.6." in app.text(f"{pair}&show=decides")
    assert set(grid(app, f"{pair}&show=decides")["filterModel"]) == {"difference"}
    assert not grid(app, pair)["filterModel"]
    # A link that sorts by it shows it, and so it is filtered there too.
    by_it = grid(app, f"{pair}&sort=-difference")
    assert set(by_it["filterModel"]) == {"difference"}
    assert [c["hide"] for c in by_it["columnDefs"] if c["field"] == "difference"] == [False]


def test_a_cell_leads_to_its_query_with_the_baseline_and_its_run(store: Store) -> None:
    columns = {c["field"]: c for c in table.columns(queries(store, base="tfidf"))}
    rows = {row["qid"]: row for row in table.table_rows(queries(store))}
    link = columns["run_2"]["cellRendererParams"]
    href = f"{link['before']}{rows['q1']['href']}{link['after']}"
    assert href == "/c/small/query/q1?m=Rprec&base=tfidf&runs=tfidf,boolean"
    # The baseline's own cells show the best other run beside it.
    assert columns["run_1"]["cellRendererParams"]["after"].endswith("runs=tfidf,bm25")


def test_links_to_queries_of_hostile_names_are_their_addresses(hostile_store: Store) -> None:
    of = load(View(hostile_store, Address("queries", "<b>collection</b>")))
    link = table.columns(of)[0]["cellRendererParams"]
    for row in table.table_rows(of):
        expected = Address("query", "<b>collection</b>", row["qid"]).path
        assert f"{link['before']}{row['href']}" == expected


def test_the_ramp_goes_from_0_to_1_or_to_the_largest_value(store: Store) -> None:
    assert value_range(queries(store).difficulty.values) == (0, 1)
    assert value_range(queries(store, m="NumRet").difficulty.values) == (0, 3)


def test_the_csv_holds_what_is_shown_with_all_digits(app: Browserless) -> None:
    answer = app.client.get(f"/export{ADDRESS.replace('?', '/queries.csv?')}&find=q3")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows == [
        ["qid", "query", "relevant", "median", "spread", "bm25", "tfidf", "boolean"],
        ["q3", "'=cmd|' /C'!A0", "1", "0.0", "1.0", "1.0", "0.0", "0.0"],
    ]


def test_other_choices_are_offered_with_their_numbers(app: Browserless) -> None:
    filters = find(app.page(ADDRESS)["page"]["children"], "difficulty-filters")
    assert text_of(filters["children"]) == (
        "all 5 all fail 0 runs disagree 5 decide between tfidf and bm25 2"
    )


def test_an_empty_choice_says_why(app: Browserless) -> None:
    assert "There is no query for which every run shown has 0" in app.text(f"{ADDRESS}&show=fail")
    counts = app.text("/c/small/queries?m=NumRel&show=fail")
    assert "On NumRel no value is a failure" in counts


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/c/nothing/queries", "There is no collection 'nothing' in the store."),
        ("/c/small/queries?m=nonsense", "This measure is not understood"),
        ("/c/small/queries?qrels=nonsense", "no qrels 'nonsense'"),
        ("/c/small/queries?runs=nobody", "There is no run “nobody” in the store."),
    ],
)
def test_what_is_unknown_is_named(app: Browserless, address: str, says: str) -> None:
    assert says in app.text(address)


def test_one_run_has_no_pair(app: Browserless) -> None:
    text = app.text("/c/other/queries")
    assert "decides" not in text
    assert "1 query, the hardest first: by the value of the run." in text
    headers = [c["headerName"] for c in grid(app, "/c/other/queries")["columnDefs"]]
    assert not {"Median", "Spread"} & set(headers)


def test_of_a_count_no_query_is_hard_and_no_run_leads(app: Browserless) -> None:
    text = app.text("/c/small/queries?m=NumRet")
    assert text.startswith("Lowest by the median NumRet of 3 runs: ")
    assert "5 queries, the lowest first: by the median of the 3 runs shown" in text
    assert "would not lead" not in text


def test_more_runs_than_colours_are_cut_with_a_note_and_the_baseline_stays(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'q.db'}") as store:
        qrels = write_qrels(tmp_path, {"q1": {"d1": 1}})
        names = [f"run{number}" for number in range(1, 14)]
        for number, name in enumerate(names):
            ranking = [f"x{rank}" for rank in range(number)] + ["d1"]
            path = write_run(tmp_path, {"q1": ranking}, f"{name}.run", name)
            add(store, tmp_path, path, qrels=qrels)
        app = Browserless(create_app(store).server.test_client())
        page = app.page(f"/c/test/queries?runs={','.join(names)}")["page"]["children"]
        assert find_by(page, {"control": "runs"})["value"] == names[:12]
        assert "1 chosen run is not shown: 12 at most are." in text_of(page)
        set_baseline(store, "run13")
        page = app.page("/c/test/queries")["page"]["children"]
        assert find_by(page, {"control": "runs"})["value"] == [*names[:11], "run13"]


def test_hostile_names_are_texts(hostile_app: Browserless) -> None:
    address = Address("queries", "<b>collection</b>", None, {"show": ("disagree",)})
    page = hostile_app.page(address.href)["page"]["children"]
    properties = find(page, "difficulty-grid")
    assert {row["qid"] for row in properties["rowData"]} <= set(sample_stores.QIDS)
    assert all(column["field"].isidentifier() for column in properties["columnDefs"])
    names = [c["headerName"] for c in properties["columnDefs"] if c["field"].startswith("run_")]
    assert max(map(len, names)) <= 40
    assert "dangerously_allow" not in as_json(page)


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        sample_stores.add(
            store, tmp_path, "long", {"q1": {"d1": 1}}, {"one": {"q1": ["d1"]}},
            texts={"q1": "word " * 200_000},
        )  # fmt: skip
        app = Browserless(create_app(store).server.test_client())
        assert len(as_json(app.page("/c/long/queries"))) < 60_000


def test_the_page_begins_with_the_queries_that_matter(app: Browserless) -> None:
    text = app.text("/c/small/queries?m=Rprec")
    zeros = "No query of 5 has 0 in all 3 runs shown"
    far = "the highest and the lowest R-precision differ by 0.3 or more"
    # Medians .5 .5 0 .5 1: after q3 there are three alike. All spreads are 1.
    hardest = "Hardest by the median R-precision of 3 runs: q3"
    assert hardest in text
    assert "The runs differ most on 5 queries, all equally . No query of 5 has 0" in text
    # 2 of 5 queries carry the lead: too many to be worth a sentence.
    assert f"{zeros}; on 5 {far}. " in text
    assert f"5 queries: {far}; the largest difference first." in app.text(
        "/c/small/queries?m=Rprec&show=disagree"
    )
    counts = "the highest and the lowest NumRet differ by half of the larger or more"
    assert counts in app.text("/c/small/queries?m=NumRet")
    assert "No query of 5 has 0 in both runs" in app.text("/c/small/queries?runs=bm25,tfidf")
    assert "The run has 0 on none of 5 queries." in app.text("/c/small/queries?m=Rprec&runs=bm25")


def test_the_heading_names_no_query_that_another_one_equals(store: Store) -> None:
    of = queries(store)
    assert of.highest(np.array([0.1, 0.4, 0.3, 0.2, 0.1])) == [1, 2, 3]
    assert of.highest(np.array([0.1, 0.4, 0.2, 0.2, 0.2])) == [1]
    assert of.highest(np.array([0.4, 0.4, 0.40001, 0.4, 0.1])) == [0, 1, 2, 3]
    named = find(
        Browserless(create_app(store).server.test_client()).page(ADDRESS)["page"]["children"],
        "difficulty-headline",
    )
    assert '"href": "/c/small/query/q3?m=Rprec"' in as_json(named)


def test_queries_on_which_runs_disagree_begin_with_the_largest_difference(store: Store) -> None:
    of = queries(store, runs=("bm25", "tfidf"), show="disagree")
    # R-precision, bm25 less tfidf: q1 .5, q2 .5, q3 1, q4 -.5, q5 0.
    assert [row["qid"] for row in table.table_rows(of)] == ["q3", "q1", "q2", "q4"]


def test_a_lead_of_few_queries_is_said_with_their_share(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'few.db'}") as store:
        qids = [f"q{number}" for number in range(10)]
        same = {qid: ["d1"] for qid in qids}
        sample_stores.add(
            store,
            tmp_path,
            "few",
            {qid: {"d1": 1} for qid in qids},
            {"better": same, "worse": {**same, "q3": ["d2", "d1"]}},
        )
        text = Browserless(create_app(store).server.test_client()).text("/c/few/queries?m=RR")
    few = "without the 1 of 10 queries that helps it most, better would not lead worse."
    assert few in text


def test_of_two_runs_the_table_has_the_difference_with_its_sign(app: Browserless) -> None:
    # R-precision, tfidf - bm25: q1 -0.5, q2 -0.5, q3 -1, q4 +0.5, q5 0.
    address = f"{ADDRESS}&runs=bm25,tfidf&base=bm25"
    properties = grid(app, address)
    headers = [c["headerName"] for c in properties["columnDefs"] if not c.get("hide")]
    assert headers == ["Query", "Text", "tfidf − bm25", "Rel", "bm25", "tfidf"]
    assert {row["qid"]: row["difference"] for row in properties["rowData"]}["q3"] == -1
    assert "by the mean of both runs" in app.text(address)
    file = app.client.get(f"/export{address.replace('?', '/queries.csv?')}&sort=-difference")
    rows = list(csv.reader(io.StringIO(file.text)))
    assert rows[0] == ["qid", "query", "relevant", "tfidf − bm25", "bm25", "tfidf"]
    assert [row[0] for row in rows[1:]] == ["q4", "q5", "q1", "q2", "q3"]


def test_the_column_of_the_baseline_is_marked(store: Store) -> None:
    columns = table.columns(queries(store, base="tfidf"))
    of_runs = {c["headerName"]: c["headerComponentParams"] for c in columns[-3:]}
    assert [name for name, parameters in of_runs.items() if parameters["isBaseline"]] == ["tfidf"]


def test_headers_have_the_engine_where_the_ends_of_labels_are_alike() -> None:
    alike = ["anserini.bm25-…k1_0.6-b_0.4", "anserini.bm25-rm3-…k1_0.6-b_0.4", "short"]
    assert header_labels(alike) == ["bm25 k1_0.6-b_0.4", "bm25-rm3 k1_0.6-b_0.4", "short"]
    same_engine = ["a.bm25-…k1_0.6", "b.bm25-…k1_0.6"]
    assert header_labels(same_engine) == ["a.bm25 k1_0.6", "b.bm25 k1_0.6"]
    assert header_labels(["a.bm25-…k1_0.6", "a.bm25-…k1_0.9"]) == ["k1_0.6", "k1_0.9"]


def test_notes_are_sentences(app: Browserless) -> None:
    note = "Not all of the 5 judged queries are answered by boolean (4); the others count as empty"
    assert app.text(ADDRESS).endswith(f"{note} rankings.")
