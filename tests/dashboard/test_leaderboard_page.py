"""The leaderboard: its first view, its rows by pages, its claims, its files and its views."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from changed_runs import annotate, rename_run
from leaderboard_page import body, claimed_rows, claims_of, lines_of, rows_of

from dashboard.app import create_app
from dashboard.pages.leaderboard import columns, load
from evalstore.catalog.given_facts import GivenFacts
from evalstore.comparison.choosing.baselines import baseline, set_baseline
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.leaderboard.ranks import RankSettings
from evalstore.store import Store

MEANS = {name: sum(values) / 5 for name, values in sample_stores.RPREC.items()}
BOARD = "/c/small?m=Rprec&base=bm25"


# --- the first view ------------------------------------------------------------------------------


def test_the_page_tells_what_its_figures_are_of(app: Browserless) -> None:
    page = body(app, "/c/small")
    text = text_of(page)
    assert "3 runs · 5 queries" in text
    assert "Tick two runs or more to compare them" in text
    assert find_by(page, {"control": "m"})["value"][:2] == ["AP", "nDCG@10"]


def test_rows_come_after_the_page_and_without_claims_at_first(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        page = body(app, BOARD)
        assert "rowData" not in find(page, "board-grid")
        rows = rows_of(app, BOARD)
        assert [row["run"] for row in rows] == ["tfidf", "boolean"]
        assert [row["rank"] for row in rows] == [2, 3]
        assert [row["v0"] for row in rows] == [f"{MEANS[row['run']]:.4f}" for row in rows]
        assert [row["difference"] for row in rows] == ["−0.3000", "−0.9000"]
        assert not any({"sign", "interval", "hover", "group"} & set(row) for row in rows)


def test_the_versions_of_an_engine_have_its_mark_in_shades_in_every_view(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        rename_run(store, "tfidf", "older")
        newer = {"tfidf": {"q1": ["d1"]}}
        sample_stores.add(store, tmp_path, "small", sample_stores.QRELS, newer)
        app = Browserless(create_app(store).server.test_client())
        marks = {row["run"]: row["mark"] for row in rows_of(app, "/c/small?m=Rprec")}
        assert (marks["tfidf"], marks["older"]) == ("mark mark-1", "mark mark-1 version-1")
        page = body(app, "/c/small?view=agreement&m=AP,Rprec&x=AP&y=Rprec")
        colours = find_by(page, {"graph": "agreement"})["figure"]["data"][0]["marker"]["color"]
        assert len(set(colours)) == 4


def test_parameters_are_columns_where_they_are_chosen(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        annotate(store, "bm25", GivenFacts(parameters={"k1": 0.9, "stem": "<b>"}))
        annotate(store, "tfidf", GivenFacts(parameters={"k1": "0.9"}))
        app = Browserless(create_app(store).server.test_client())
        page = body(app, BOARD)
        assert [o["value"] for o in find_by(page, {"control": "cols"})["data"]] == ["k1", "stem"]
        chosen = f"{BOARD}&cols=k1,stem,none"
        columns = find(body(app, chosen), "board-grid")["columnDefs"]
        heads = {column["field"]: column["headerName"] for column in columns}
        assert (heads["p0"], heads["p1"]) == ("k1", "stem")
        assert not {"p2", "tags"} & set(heads)  # no run has any
        assert "experiment" in heads
        rows = {row["run"]: row for row in claimed_rows(app, chosen)}
        assert (rows["bm25"]["p0"], rows["bm25"]["p1"]) == ("0.9", "<b>")
        assert "p1" not in rows["tfidf"]
        lines = lines_of(app, "/export/c/small/leaderboard.csv?cols=k1")
        assert [line["k1"] for line in lines] == ["0.9", "0.9", ""]


def test_the_page_begins_with_the_answer(app: Browserless) -> None:
    answer = text_of(claims_of(app, BOARD)["board-headline"]["children"])
    assert answer.startswith("No run is shown to be best on Rprec: bm25 (")


def test_a_block_of_rows_is_what_the_grid_asked_for(app: Browserless) -> None:
    assert [row["run"] for row in rows_of(app, BOARD, 1, 2)] == ["boolean"]
    assert rows_of(app, BOARD, 100, 200) == []


def test_claims_bring_letters_intervals_signs_and_the_baseline_in_one_place(
    app: Browserless,
) -> None:
    answer = claims_of(app, BOARD)
    data = answer["board-claims"]["data"]
    [pinned] = data["pinned"]
    assert (pinned["run"], pinned["base"], pinned["rank"]) == ("bm25", True, 1)
    others = rows_of(app, BOARD, claims=data)
    assert [row["rank"] for row in others] == [2, 3]
    rows = {row["run"]: row for row in (pinned, *others)}
    # bm25 - boolean by query: 1, 1, 1, 0.5, 1. Five queries can't show it: their least p is 1/16.
    assert (rows["boolean"]["sign"], rows["boolean"]["verdict"]) == ("▽", "behind")
    low, middle, high = rows["boolean"]["interval"]
    assert low == -1
    assert middle == pytest.approx(-0.9, abs=1e-5)
    assert middle < high < 0
    assert "sign" not in rows["tfidf"]
    assert len({rows[run]["group"] for run in ("bm25", "tfidf", "boolean")}) == 1
    assert "over 2 pairs" in rows["boolean"]["about"]
    assert rows["boolean"]["about"].startswith("95 % −1.0000 to −")
    assert f"p {rows['boolean']['p']} after Holm" in rows["boolean"]["about"]
    assert rows["boolean"]["hover"].startswith("95 % interval 0.0000 to ")
    assert rows["boolean"]["answered"] == "4/5"
    notes = text_of(answer["board-notes"]["children"])
    assert "worse than bm25 on Rprec, by the paired t test after Holm over 2 pairs" in notes
    assert "not told apart after Holm over all 3 pairs: no proof of equality" in notes


def test_a_run_that_is_shown_to_be_worse_has_its_mark_and_another_letter(tmp_path: Path) -> None:
    qids = [f"q{number}" for number in range(8)]
    runs = {name: {qid: [docno] for qid in qids} for name, docno in (("good", "d1"), ("bad", "x"))}
    with Store.open(f"sqlite:///{tmp_path / 'two.db'}") as store:
        sample_stores.add(store, tmp_path, "c", {qid: {"d1": 1} for qid in qids}, runs)
        app = Browserless(create_app(store).server.test_client())
        rows = {row["run"]: row for row in claimed_rows(app, "/c/c?m=AP&base=good")}
    assert (rows["bad"]["sign"], rows["bad"]["verdict"]) == ("▼", "worse")
    assert not set(rows["good"]["group"]) & set(rows["bad"]["group"])


def test_rows_have_the_claims_at_once_where_they_were_computed_before(app: Browserless) -> None:
    claims_of(app, BOARD)
    assert all("group" in row for row in rows_of(app, BOARD))


def test_a_change_of_the_store_is_in_the_next_rows_and_claims(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        assert len(claimed_rows(app, BOARD)) == 3
        run = {"best": {qid: list(docs) for qid, docs in sample_stores.RUNS["bm25"].items()}}
        run["best"]["q4"] = ["d8", "d7"]
        sample_stores.add(
            store, tmp_path, "small", sample_stores.QRELS, run, texts=sample_stores.TEXTS
        )
        rows = claimed_rows(app, BOARD)
        assert {row["run"]: row["rank"] for row in rows[:2]} == {"best": 1, "bm25": 2}


# --- what the address chooses --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("sort=Rprec", ["boolean", "tfidf"]),
        ("sort=-Rprec", ["tfidf", "boolean"]),
        ("sort=run", ["boolean", "tfidf"]),
        ("sort=-run", ["tfidf", "boolean"]),
        ("sort=nonsense", ["tfidf", "boolean"]),
        ("find=TF", ["tfidf"]),
        ("find=first&sort=run", ["boolean", "tfidf"]),
        ("find=nothing", []),
    ],
)
def test_the_address_sorts_and_searches(app: Browserless, choice: str, expected: list[str]) -> None:
    rows = rows_of(app, f"/c/small?m=Rprec&base=bm25&{choice}")
    assert [row["run"] for row in rows] == expected


@pytest.fixture(scope="module")
def filtered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    """The three runs, with facts."""
    with sample_stores.main(tmp_path_factory.mktemp("filtered")) as store:
        for run, k1, day in (("bm25", 0.9, 1), ("tfidf", 1.2, 2), ("boolean", 1.2, 3)):
            date = datetime(2026, 6, day, tzinfo=UTC)
            facts = GivenFacts(parameters={"k1": k1}, tags=(f"day{day}",), started_at=date)
            annotate(store, run, facts)
        yield Browserless(create_app(store).server.test_client())


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("engine=tfidf", ["tfidf"]),
        ("experiment=first", ["tfidf", "boolean"]),
        ("tag=day3", ["boolean"]),
        ("since=2026-06-02", ["tfidf", "boolean"]),
        ("until=2026-06-02", ["tfidf"]),
        ("where=k1>=1", ["tfidf", "boolean"]),
        ("where=k1>=1,date<2026-06-03", ["tfidf"]),
        ("where=k1>=1&find=boo", ["boolean"]),
    ],
)
def test_filters_choose_runs_as_the_command_does(
    filtered: Browserless, choice: str, expected: list[str]
) -> None:
    rows = rows_of(filtered, f"{BOARD}&{choice}")
    assert [row["run"] for row in rows] == expected
    assert [row["rank"] for row in rows] == [{"tfidf": 2, "boolean": 3}[run] for run in expected]


def test_the_page_says_how_many_runs_are_filtered(filtered: Browserless) -> None:
    address = f"{BOARD}&where=k1%3E%3D1&tag=day3"
    page = body(filtered, address)
    words = "1 of 3 runs found; ranks are among all 3. Show all"
    assert text_of(find(page, "board-count")["children"]) == words
    assert find(page, "board-filter")["children"] == "Filter: 2 set"
    assert find_by(page, {"control": "where"})["data"] == ["k1=0.9", "k1=1.2"]
    assert find_by(page, {"control": "tag"})["value"] == "day3"
    answer = filtered.go(BOARD, filtered.page(address)["rendered"]["data"])
    assert answer["board-filter"]["children"] == "Filter"
    files = "/export/c/small/{}.csv?where=k1%3E%3D1"
    assert len(lines_of(filtered, files.format("leaderboard"))) == 2
    assert len(lines_of(filtered, files.format("all-runs"))) == 3


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ("where=k2>1", "No run has the fact 'k2'"),
        ("where=k1", "expected one of ="),
        ("since=soon", "Since is a date, not 'soon'"),
        ("engine=tfid", "did you mean 'tfidf'?"),
    ],
)
def test_a_filter_that_cannot_be_applied_is_named_and_shows_no_run(
    filtered: Browserless, choice: str, reason: str
) -> None:
    page = body(filtered, f"{BOARD}&{choice}")
    assert reason in text_of(find(page, "board-problems")["children"])
    assert rows_of(filtered, f"{BOARD}&{choice}") == []
    answer = filtered.client.get(f"/export/c/small/leaderboard.csv?{choice}")
    assert answer.status_code == 404
    assert reason in answer.text


def test_the_measure_that_sorts_leads(app: Browserless) -> None:
    page = body(app, "/c/small?m=AP,Rprec&sort=-Rprec&base=bm25")
    headers = [column["headerName"] for column in find(page, "board-grid")["columnDefs"]]
    assert headers.index("Rprec ↑") < headers.index("− bm25") < headers.index("AP ↑")


def test_any_measure_can_be_typed_and_sorts_though_it_is_not_stored(app: Browserless) -> None:
    rows = claimed_rows(app, "/c/small?m=nDCG(rel=2,dcg='exp-log2')@7,P@3&sort=-P@3&base=tfidf")
    # Relevant documents among the first three, over five queries: 2+2+1+2+1, 2+2+1+2+1, 0.
    assert [row["v0"] for row in rows] == ["0.5333", "0.5333", "0.0000"]
    assert all(re.fullmatch(r"0\.\d{4}", row["v1"]) for row in rows)
    assert [row["rank"] for row in rows] == [1, 1, 3]


def test_a_measure_that_is_not_understood_is_named_and_the_others_shown(app: Browserless) -> None:
    page = body(app, "/c/small?m=Rprec,nDGC@10")
    assert "nDGC" in text_of(find(page, "board-problems")["children"])
    assert claimed_rows(app, "/c/small?m=Rprec,nDGC@10&base=bm25")[0]["v0"] == "0.9000"


def test_a_measure_whose_facts_are_missing_shows_no_number(app: Browserless) -> None:
    for address in ("/c/small?m=Rprec,ResponseTime", "/c/small?m=ResponseTime"):
        rows = claimed_rows(app, address)
        assert {row["v1" if "Rprec" in address else "v0"] for row in rows} == {"–"}


def test_ticked_runs_lead_to_their_comparison_with_measure_and_baseline(app: Browserless) -> None:
    page = body(app, "/c/small?runs=bm25,tfidf&m=Rprec&base=bm25")
    action = find(page, "board-action")["children"]
    assert text_of(action) == "Compare 2 runs Clear ticks"
    assert "/c/small/compare?runs=bm25,tfidf&base=bm25&m=Rprec" in as_json(action)
    one = find(body(app, "/c/small?runs=tfidf&base=bm25"), "board-action")["children"]
    assert "Compare with bm25" in text_of(one)
    none = find(body(app, "/c/small?runs=bm25&base=bm25"), "board-action")["children"]
    assert "Tick one more run" in text_of(none)


def test_a_tick_changes_the_link_and_no_row(app: Browserless) -> None:
    first = app.page(BOARD)
    answer = app.go(f"{BOARD}&runs=bm25,tfidf", first["rendered"]["data"])
    assert "page" not in answer
    assert "Compare 2 runs" in text_of(answer["board-action"]["children"])
    assert not {"board-grid", "board-rows"} & set(answer)


def test_another_order_search_measure_or_baseline_asks_for_the_rows_anew(
    app: Browserless,
) -> None:
    first = app.page(BOARD)
    for choice in ("/c/small?m=AP&base=bm25", f"{BOARD}&sort=run", f"{BOARD}&find=x",
                   "/c/small?m=Rprec&base=tfidf"):  # fmt: skip
        answer = app.go(choice, first["rendered"]["data"])
        assert "page" not in answer, choice
        assert answer["board-rows"]["data"] != find(first["page"]["children"], "board-rows")["data"]
        assert "columnDefs" in answer["board-grid"]
    assert "page" in app.go(f"{BOARD}&view=cost", first["rendered"]["data"])
    assert app.go(f"{BOARD}&find=x", first["rendered"]["data"])["board-count"]


def test_the_collections_baseline_is_used_unless_another_is_asked_for(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        set_baseline(store, "tfidf", "small")
        [pinned, *rows] = claimed_rows(app, "/c/small?m=Rprec")
        assert (pinned["run"], pinned.get("difference")) == ("tfidf", None)
        assert {row["run"]: row["difference"] for row in rows} == {
            "bm25": "+0.3000",
            "boolean": "−0.6000",
        }


def test_a_run_that_is_marked_and_joined_with_the_baseline_is_explained(tmp_path: Path) -> None:
    # Of each pair with best p is 2^-7: less than 0.05 over 4 pairs, and not over all 10.
    qrels = {f"q{number}": {"d": 1} for number in range(8)}
    rankings = {"best": ["d"], **{name: ["x", "d"] for name in ("base", *"abc")}}
    runs = {name: dict.fromkeys(qrels, ranking) for name, ranking in rankings.items()}
    remark = (
        "best is better than base if only the 4 pairs with base are tested, not if all 10 pairs "
        "are."
    )
    with Store.open(f"sqlite:///{tmp_path / 'five.db'}") as store:
        sample_stores.add(store, tmp_path, "five", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        notes = claims_of(app, "/c/five?m=RR&base=base&sort=-RR")["board-notes"]["children"]
    assert remark in text_of(notes)


def test_without_a_chosen_baseline_the_oldest_run_is_proposed(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        proposed = find(body(app, "/c/small?m=Rprec"), "board-proposed")["children"]
        assert proposed == "proposed: the first stored run"
        assert "Compare with the first stored run bm25" in app.text("/c/small/run/boolean")
        annotate(store, "tfidf", GivenFacts(started_at=datetime(2020, 5, 1, tzinfo=UTC)))
        page = body(app, "/c/small?m=Rprec")
        assert find(page, "board-proposed")["children"] == "proposed: the oldest run"
        choice = find_by(page, {"control": "base"})
        assert (choice["value"], choice["placeholder"]) == (None, "tfidf")
        [pinned, *rows] = claimed_rows(app, "/c/small?m=Rprec")
        assert pinned["run"] == "tfidf"
        assert {row["run"]: row["difference"] for row in rows}["boolean"] == "−0.6000"
        assert not find(body(app, BOARD), "board-proposed")["children"]
        ticked = as_json(body(app, "/c/small?m=Rprec&runs=bm25,tfidf"))
        assert "/c/small/compare?runs=bm25,tfidf&base=tfidf&m=Rprec" in ticked
        # Nobody chose it: a table for a paper does not name it.
        assert "tfidf (" not in app.client.get("/export/c/small/leaderboard.tex?m=Rprec").text
        assert baseline(store, "small") is None
        # Pages of queries and runs propose the same one.
        assert "tfidf → bm25" in app.text("/c/small/query/q3?m=Rprec")
        assert "decide between bm25 and tfidf" in app.text("/c/small/queries?m=Rprec")
        assert "Compare with the oldest run tfidf" in app.text("/c/small/run/bm25")
        assert "Compare with" not in app.text("/c/small/run/tfidf")
        judge = find_by(body(app, "/c/small/judge"), {"control": "runs"})
        assert judge["value"] == ["bm25", "tfidf"]  # the best one, and it


def test_runs_with_longer_rankings_are_noted(tmp_path: Path) -> None:
    runs = {"short": {"q1": ["d1"]}, "longer rankings": {"q1": ["d1", "x", "y"]}}
    with Store.open(f"sqlite:///{tmp_path / 'lengths.db'}") as store:
        sample_stores.add(store, tmp_path, "lengths", {"q1": {"d1": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        said = claims_of(app, "/c/lengths?m=AP,P@1")["board-headline"]["children"]
        grid = find(body(app, "/c/lengths?base=longer rankings"), "board-grid")
    # The name of the baseline is too long for the header.
    assert "− baseline" in [column["headerName"] for column in grid["columnDefs"]]
    noted = (
        "The rankings differ in length: 3 documents per query for 1 run, 1 for short; AP may see "
        "documents that only the longer rankings have."
    )
    assert noted in text_of(said)


def test_a_renamed_run_leads_on_and_a_lost_one_is_named(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        rename_run(store, "tfidf", "tf-idf")
        assert "/c/small?runs=tf-idf" in as_json(app.page("/c/small?runs=tfidf"))
    assert "nobody" in app.text("/c/small?runs=nobody")
    assert "nobody" in app.text("/c/small?base=nobody")


# --- files ---------------------------------------------------------------------------------------


def test_the_file_has_all_rows_with_full_precision(app: Browserless) -> None:
    lines = lines_of(app, "/export/c/small/leaderboard.csv?m=Rprec,NumRet&base=bm25")
    assert {line["run"]: float(line["Rprec"]) for line in lines} == MEANS
    by_run = {line["run"]: line for line in lines}
    assert float(by_run["boolean"]["difference"]) == pytest.approx(-0.9)
    assert by_run["bm25"]["difference"] == ""
    assert float(by_run["boolean"]["p_corrected"]) < 0.05
    assert [line["rank"] for line in lines] == ["1", "2", "3"]
    assert by_run["boolean"]["answered"] == "4"


def test_the_one_export_menu_offers_what_the_search_finds_and_all_wide_and_long(
    app: Browserless,
) -> None:
    page = app.page(f"{BOARD}&find=tf")
    words = text_of(page["exports"]["children"])
    assert "leaderboard.csv the runs that are shown, a row a run" in words
    assert "all-runs-long.csv all runs, a row for each run and measure" in words
    assert "/export/" not in as_json(page["page"])
    assert len(lines_of(app, "/export/c/small/all-runs.csv?find=tf")) == 3
    lines = lines_of(app, "/export/c/small/leaderboard-long.csv?find=tf&m=Rprec,NumRet")
    assert [(line["run"], line["measure"]) for line in lines] == [
        ("tfidf", "Rprec"),
        ("tfidf", "NumRet"),
    ]
    assert float(lines[0]["value"]) == MEANS["tfidf"]
    every = lines_of(app, "/export/c/small/all-runs-long.csv?find=tf&m=Rprec,NumRet")
    assert len(every) == 3 * 2


def test_a_run_of_values_without_rankings_is_marked(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        lines = [f"{'map':<22}\tq{number}\t0.5000\n" for number in range(1, 6)]
        path = tmp_path / "printed.txt"
        path.write_text("".join([*lines, "runid                 \tall\tprinted\n"]))
        qrels = store_qrels(store, "small")
        (outcome,) = ingest(store, IngestOptions("small"), [str(path)], qrels=qrels).outcomes
        assert outcome.status == "stored", outcome
        app = Browserless(create_app(store).server.test_client())
        rows = claimed_rows(app, "/c/small")
        marked = {row["run"]: row.get("values_only", False) for row in rows}
        assert marked == {"bm25": False, "tfidf": False, "boolean": False, "printed": True}


def test_the_file_has_what_the_search_found(app: Browserless) -> None:
    lines = lines_of(app, "/export/c/small/leaderboard.csv?find=tf")
    assert [line["run"] for line in lines] == ["tfidf"]


def test_the_table_for_a_paper_names_runs_and_measures(app: Browserless) -> None:
    answer = app.client.get("/export/c/small/leaderboard.tex?m=Rprec&base=bm25")
    assert answer.status_code == 200
    assert "tfidf" in answer.text
    assert "Rprec" in answer.text


# --- other views ---------------------------------------------------------------------------------


def test_agreement_has_a_number_for_each_two_measures_and_runs(app: Browserless) -> None:
    text = app.text("/c/small?view=agreement&m=Rprec,AP,P@5")
    assert "Kendall's tau-b" in text
    assert re.search(r"order the runs most alike \(tau 1\.000\), .* least \(", text)
    assert "over 3 runs" in text
    # bm25 and tfidf have the same first ten documents for q1, q2 but for their order.
    assert "Rank-biased overlap" in text
    assert len(re.findall(r"\b\d+ %", text)) == 3
    rows = lines_of(app, "/export/c/small/agreement.csv?view=agreement&m=Rprec,AP,P@5")
    assert [(row["a"], row["b"]) for row in rows][:2] == [("Rprec", "AP"), ("Rprec", "P@5")]


def test_a_cell_of_the_agreement_opens_its_figure(app: Browserless) -> None:
    page = body(app, "/c/small?view=agreement&m=Rprec,AP&x=Rprec&y=AP")
    figure = find_by(page, {"graph": "agreement"})["figure"]
    assert sorted(figure["data"][0]["x"]) == sorted(MEANS.values())
    assert figure["data"][0]["customdata"][0][-1].startswith("/c/small/run/")


def test_agreement_of_one_measure_says_what_to_do(app: Browserless) -> None:
    assert "Give two measures or more" in app.text("/c/small?view=agreement&m=Rprec")


# --- the odd and the hostile ---------------------------------------------------------------------


def test_a_collection_that_is_not_there_is_said_so(app: Browserless) -> None:
    assert "no collection 'nonsense'" in app.text("/c/nonsense")


def test_a_collection_without_runs_says_what_to_type(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'bare.db'}") as store:
        sample_stores.add(store, tmp_path, "bare", {"q1": {"d1": 1}}, {})
        app = Browserless(create_app(store).server.test_client())
        assert "ingest --collection NAME RUN..." in app.text("/c/bare")


def test_hostile_names_are_texts_and_lead_to_their_runs(hostile_app: Browserless) -> None:
    address = "/c/%3Cb%3Ecollection%3C%252Fb%3E"
    rows = claimed_rows(hostile_app, address)
    assert {row["run"] for row in rows} == set(sample_stores.NAMES)
    for row in rows:
        assert hostile_app.client.get(row["href"]).status_code == 200
        assert len(row.get("label", row["run"])) <= 32
    runs = ",".join(row["href"].rpartition("/")[2] for row in rows[:2])
    assert "Compare 2 runs" in hostile_app.text(f"{address}?runs={runs}")
    lines = lines_of(hostile_app, f"/export{address}/leaderboard.csv")
    assert {"'=1+1", "__proto__"} <= {line["run"] for line in lines}
    assert "Kendall" in hostile_app.text(f"{address}?view=agreement")


@pytest.mark.parametrize("find", ["%", "_", "'", '"', "\\", "א", "a" * 5000, "[", "null"])
def test_any_text_can_be_searched_for(app: Browserless, find: str) -> None:
    assert rows_of(app, f"/c/small?find={quote(find, safe='')}") in ([], rows_of(app, "/c/small"))


# --- many runs ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browserless]:
    """A board of 52 runs."""
    folder = tmp_path_factory.mktemp("many")
    runs = {
        f"run{number:02d}": {
            f"q{query}": ["d1" if number > query * 8 else "d2", f"d{number + 3}"]
            for query in range(6)
        }
        for number in range(52)
    }
    qrels = {f"q{query}": {"d1": 1} for query in range(6)}
    with Store.open(f"sqlite:///{folder / 'many.db'}") as store:
        sample_stores.add(store, folder, "many", qrels, runs)
        yield Browserless(create_app(store).server.test_client())


def test_of_many_runs_only_a_block_travels_and_their_groups_are_drawn(many: Browserless) -> None:
    address = "/c/many?m=P@1&base=run00"
    assert [row["run"] for row in rows_of(many, f"{address}&sort=run", 20, 22)] == [
        "run21",
        "run22",
    ]
    assert len(lines_of(many, "/export/c/many/leaderboard.csv?m=P@1")) == 52
    rows = claimed_rows(many, address)
    assert all(row["group"] and row["lines"].strip() for row in rows)
    # In another order neighbours are not those of the lines.
    assert not any(":" in row["lines"] for row in claimed_rows(many, f"{address}&sort=run"))


def test_above_the_limit_only_pairs_with_the_baseline_are_tested(
    many: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = RankSettings(most_in_groups=50)
    for module in (load, columns):
        monkeypatch.setattr(module, "SETTINGS", few)
    address = "/c/many?m=P@2&base=run00"
    notes = text_of(claims_of(many, address)["board-notes"]["children"])
    assert "after Holm over 51 pairs" in notes
    assert "Ranks have no intervals above 50 runs" in notes
    assert "A line under grp" not in notes
    assert "joined with" not in notes
    headers = [
        column["headerName"] for column in find(body(many, address), "board-grid")["columnDefs"]
    ]
    assert "grp" not in headers


def test_runs_whose_agreement_is_shown_have_their_marks(app: Browserless) -> None:
    card = as_json(app.page("/c/small?view=agreement")["page"]["children"])
    triangle = card[card.index("order the documents alike") :]
    assert triangle.count('"mark mark-') >= 4


def complete_runs(folder: Path) -> Store:
    """The collection `small`, with runs that answer all queries."""
    boolean = {**sample_stores.RUNS["boolean"], "q5": ["n"]}
    store = Store.open(f"sqlite:///{folder / 'complete.db'}")
    runs = {**sample_stores.RUNS, "boolean": boolean}
    sample_stores.add(store, folder, "small", sample_stores.QRELS, runs)
    return store


def test_a_sweep_is_drawn_along_a_parameter_or_says_how_to_record_one(tmp_path: Path) -> None:
    with complete_runs(tmp_path) as store:
        app = Browserless(create_app(store).server.test_client())
        assert "--param k1=0.9" in text_of(body(app, "/c/small?view=sweep"))
        for run, k1 in (("bm25", 0.9), ("tfidf", 1.2), ("boolean", 1.2)):
            annotate(store, run, GivenFacts(parameters={"k1": k1, "stem": run != "tfidf"}))
        page = body(app, "/c/small?view=sweep&m=Rprec&lines=stem")
        rows = app.client.get("/export/c/small/sweep.csv?view=sweep&m=Rprec&lines=stem").text
        assert "bm25,0.9,True,0.9" in rows.split()
        assert text_of(page).startswith("R-precision of stem = True is highest at k1 = 0.9")
        assert find_by(page, {"control": "along"})["value"] == "k1"
        traces = find_by(page, {"graph": "sweep"})["figure"]["data"]
        drawn = [trace["text"] for trace in traces if trace["mode"] == "markers+text"]
        names = [[name.strip("\u2068\u2069") for name in text] for text in drawn]
        assert names == [["tfidf"], ["bm25", "boolean"]]
        # A line is an engine unless asked otherwise, since engines are different at any k1.
        page = body(app, "/c/small?view=sweep&m=Rprec")
        assert text_of(page).startswith("No line has runs of two values of k1: what it changes")
        traces = find_by(page, {"graph": "sweep"})["figure"]["data"]
        lines, points = traces[:3], traces[3:]
        assert [line["name"].strip("\u2068\u2069") for line in lines] == [
            "bm25",
            "boolean",
            "tfidf",
        ]
        for line, marks in zip(lines, points, strict=True):
            assert marks["marker"]["color"] == [line["line"]["color"]]
        assert len({line["line"]["color"] for line in lines}) == 3


def test_a_sweep_names_the_best_run_if_it_is_not_at_the_best_mean(tmp_path: Path) -> None:
    # RR: a 1 and b 0 at k1 = 0.9, c and d 0.75 at 1.2.
    first, second, none = ["d"], ["x", "d"], ["x"]
    rankings = {"a": (first, first), "b": (none, none), "c": (first, second), "d": (first, second)}
    runs = {name: dict(zip(("q1", "q2"), of, strict=True)) for name, of in rankings.items()}
    with Store.open(f"sqlite:///{tmp_path / 'swept.db'}") as store:
        sample_stores.add(store, tmp_path, "swept", {"q1": {"d": 1}, "q2": {"d": 1}}, runs)
        for name in runs:
            k1 = 0.9 if name in "ab" else 1.2
            annotate(store, name, GivenFacts(parameters={"k1": k1}))
        app = Browserless(create_app(store).server.test_client())
        text = text_of(body(app, "/c/swept?view=sweep&m=RR&lines=stem"))
    assert text.startswith(
        "The best run, a (1.0000), has k1 = 0.9; the mean RR is highest at k1 = 1.2 of 2 values: "
        "0.7500, the mean of 2 runs. "
    )


def test_a_sweep_leaves_out_runs_that_do_not_answer_all_queries(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        for run, k1 in (("bm25", 0.9), ("tfidf", 1.2), ("boolean", 0.9)):
            annotate(store, run, GivenFacts(parameters={"k1": k1, "stem": True}))
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/small?view=sweep&m=AP&lines=stem")
    assert "boolean does not answer all queries: left out." in text_of(page)
    _, points = find_by(page, {"graph": "sweep"})["figure"]["data"]
    assert {name.strip("\u2068\u2069") for name in points["text"]} == {"bm25", "tfidf"}


def test_a_sweep_of_too_few_runs_chooses_no_value(tmp_path: Path) -> None:
    with complete_runs(tmp_path) as store:
        for run, k1 in (("bm25", 0.9), ("tfidf", 1.2), ("boolean", 0.9)):
            annotate(store, run, GivenFacts(parameters={"k1": k1, "stem": True}))
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/small?view=sweep&m=AP&lines=stem")
    assert text_of(page).startswith(
        "No value of k1 is chosen: some have a single run, others a mean of several. The best run, "
        "bm25 (0.9667), has k1 = 0.9. "
    )
    # The mean of two runs has a mark, and no name stands on the line through means.
    line, points = find_by(page, {"graph": "sweep"})["figure"]["data"]
    assert line["marker"]["size"] == [7, 0]
    places = dict(zip(points["y"], points["textposition"], strict=True))
    assert places[max(places)] == "top right"
    assert places[0.0] == "bottom right"
