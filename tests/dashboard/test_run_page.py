"""The Run page: what a run is, where it stands, and on which queries it gains and loses."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from changed_runs import rename_run
from checked_figures import checked
from samples import add, write, write_qrels, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.components.elements import around_id
from dashboard.page import View
from dashboard.pages.run import page as parts
from dashboard.pages.run.load import OneRun, extremes, load
from dashboard.theme import TOKENS, series_colour
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.store.queries.events import Event

QRELS = sample_stores.QRELS
RUNS = sample_stores.RUNS
NOTE = "**Better** <script>window.pwned=1</script> ![x](https://example.org/x.png)"


def add_runs(store: Store, folder: Path) -> None:
    """bm25, the baseline; of it was derived tfidf, with facts and a note; and boolean."""
    qrels = write_qrels(folder, QRELS)
    k1 = GivenFacts(parameters={"k1": 0.9, "b": 0.4})
    add(store, folder, write_run(folder, RUNS["bm25"]), qrels=qrels, facts=k1)
    derived = GivenFacts(
        parent="bm25", parameters={"k1": 1.2, "stem": True}, note=NOTE, tags=("tuned",),
        commit="3f9a1c2d4e5f6071", commit_dirty=True, index_bytes=1_834_567,
    )  # fmt: skip
    tfidf = write_run(folder, RUNS["tfidf"], "tfidf.run", "tfidf")
    add(store, folder, tfidf, qrels=qrels, facts=derived, experiment="weights")
    add(store, folder, write_run(folder, RUNS["boolean"], "boolean.run", "boolean"), qrels=qrels)
    set_baseline(store, "bm25")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("run-page")
    with Store.open(f"sqlite:///{folder / 'r.db'}") as store:
        add_runs(store, folder)
        yield store


@pytest.fixture
def running(runs: Store) -> Browserless:
    return Browserless(create_app(runs).server.test_client())


def one_run(store: Store, name: str = "tfidf", **parameters: str) -> OneRun:
    chosen = {key: (value,) for key, value in {"m": "Rprec", **parameters}.items()}
    return load(View(store, Address("run", "test", name, chosen)))


def pairs(*differences: float) -> pd.DataFrame:
    qids = [f"q{number}" for number in range(1, len(differences) + 1)]
    return pd.DataFrame({"qid": qids, "difference": differences})


def test_the_ten_best_and_worst_queries_are_those_that_differ_most() -> None:
    best, worst = extremes(pairs(*(n / 100 for n in range(1, 13)), -0.1, -0.3), 1)
    assert best["qid"].tolist() == [f"q{n}" for n in range(12, 2, -1)]
    assert worst["qid"].tolist() == ["q14", "q13"]


def test_where_lower_is_better_a_lower_value_is_a_gain() -> None:
    best, worst = extremes(pairs(0.1, -0.3), -1)
    assert (best["qid"].tolist(), worst["qid"].tolist()) == (["q2"], ["q1"])


def test_equal_differences_stay_in_the_order_of_the_queries_and_ties_are_on_neither_side() -> None:
    best, worst = extremes(pairs(0.2, 0.2, 0), 1)
    assert (best["qid"].tolist(), worst["qid"].tolist()) == (["q1", "q2"], [])


def test_facts_parameters_lineage_and_events_are_shown(running: Browserless) -> None:
    text = running.text("/c/test/run/tfidf")
    assert "1 parameter" not in text  # k1 changed, b went, stem came
    assert "3 parameters differ from the parent bm25" in text
    assert "k1 0.9 1.2 changed" in text
    assert "b 0.4 – changed" in text
    assert "Derived: bm25 → tfidf" in text
    assert "index size 1.8 MB" in text
    assert "commit 3f9a1c2d4e5f6071 changed files" in text
    assert "experiment weights" in text
    assert text.index("is better than bm25") < text.index("3 parameters") < text.index("Facts")
    assert "stored by" in text
    assert "1 run derived from it: tfidf" in running.text("/c/test/run/bm25")


def test_the_event_of_a_gate_tells_which_rules_failed() -> None:
    rules = [{"rule": "AP drop > 0.02", "fails": True}, {"rule": "RR >= 0.5", "fails": False}]
    details = {"outcome": "failed", "rules": rules}
    event = Event(datetime(2026, 9, 14, tzinfo=UTC), "ann", "gate", "test", "bm25", details)
    _, action, who, words = (part.children for part in parts.event_item(event).children)
    assert (action, who) == ("gate failed", "by ann")
    assert words == "outcome: failed · rules: AP drop > 0.02 failed, RR >= 0.5 passed"


def test_a_note_is_markdown_without_html(running: Browserless) -> None:
    page = running.page("/c/test/run/tfidf")["page"]["children"]
    note = find(page, "note")
    assert note["children"] == NOTE
    assert "dangerously_allow_html" not in note


def test_the_page_begins_with_the_place_of_the_run(running: Browserless) -> None:
    text = running.text("/c/test/run/tfidf")
    assert re.search(
        r"AP 0\.\d{4}, rank 2 of 3; not shown to differ from bm25: −0\.\d{4} "
        r"\(95 % interval −0\.\d{4} to \+0\.\d{4}, p 0\.\d{4} over 2 pairs\)\. "
        r"The tests of all 3 pairs of runs leave the ranks 1 to 3 open\.",
        text,
    )
    assert re.search(
        r"AP 0\.\d{4}, rank 1 of 3; it is the baseline\. The tests of all 3 pairs of runs leave",
        running.text("/c/test/run/bm25"),
    )
    assert "engine tfidf · 75 % of the top 10 judged · changed files" in text
    assert "% of the top 10 judged · 4 of 5 queries answered" in running.text("/c/test/run/boolean")


def test_the_size_of_a_loss_has_an_interval_of_sizes(tmp_path: Path) -> None:
    qrels = {f"q{number}": {"d": 1} for number in range(40)}
    runs = {"old": {qid: ["d"] for qid in qrels}, "new": {qid: ["x", "d"] for qid in qrels}}
    with Store.open(f"sqlite:///{tmp_path / 'loss.db'}") as store:
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        text = Browserless(create_app(store).server.test_client()).text(
            "/c/c/run/new?base=old&m=AP"
        )
    assert re.search(r"worse than old by 0\.5000 \(95 % interval 0\.\d{4} to 0\.\d{4}, p", text)


def test_a_shorter_ranking_than_the_baseline_s_is_told(tmp_path: Path) -> None:
    qids = [f"q{number}" for number in range(4)]
    runs = {"cut": {qid: ["d"] for qid in qids}, "deep": {qid: ["d", "x", "e"] for qid in qids}}
    with Store.open(f"sqlite:///{tmp_path / 'c.db'}") as store:
        sample_stores.add(store, tmp_path, "c", {qid: {"d": 1, "e": 1} for qid in qids}, runs)
        app = Browserless(create_app(store).server.test_client())
        assert (
            "Its rankings have at most 1 documents, those of deep 3: AP may see documents that "
            "only the longer ones have."
        ) in app.text("/c/c/run/cut?base=deep")


def test_a_tag_and_an_experiment_lead_to_the_runs_that_have_them(running: Browserless) -> None:
    page = as_json(running.page("/c/test/run/tfidf")["page"]["children"])
    assert '"href": "/c/test?find=tuned"' in page
    assert '"href": "/c/test?find=weights"' in page


def test_each_measure_has_its_value_rank_and_the_difference_to_the_baseline(
    running: Browserless,
) -> None:
    # R-precision by hand: bm25 0.9, tfidf 0.6, boolean 0.
    text = running.text("/c/test/run/tfidf")
    assert "Measure Value Rank of 3 − bm25" in text
    # Student's interval of −.5 −.5 −1 +.5 0, within −1 to 1.
    assert "Rprec ↑ 0.6000 2 −0.3000 −1.0000 to +0.4079" in text
    assert "Each 95 % interval is of one difference, not corrected" in text
    assert "Rprec ↑ 0.9000 1 " in running.text("/c/test/run/bm25")
    assert "▲" not in text


def test_the_header_of_the_differences_names_the_role_of_a_long_name(tmp_path: Path) -> None:
    rankings = {"a-run-of-a-long-name": {"q1": ["d1"]}, "short": {"q1": ["d1"]}}
    with Store.open(f"sqlite:///{tmp_path / 'long.db'}") as store:
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}}, rankings)
        app = Browserless(create_app(store).server.test_client())
        # Of one query there is no interval.
        assert "− first stored run AP ↑ 1.0000 1 0.0000 nDCG" in app.text("/c/c/run/short")
        set_baseline(store, "a-run-of-a-long-name")
        assert "− baseline AP ↑" in app.text("/c/c/run/short")


def test_a_run_leads_to_its_comparisons_and_the_history_of_its_engine(running: Browserless) -> None:
    page = as_json(running.page("/c/test/run/tfidf")["page"]["children"])
    assert '"href": "/c/test/compare?runs=bm25,tfidf&base=bm25"' in page
    assert '"href": "/c/test/history?engine=tfidf"' in page


def test_of_more_than_300_queries_the_page_has_a_histogram_too(tmp_path: Path) -> None:
    queries = [f"q{number}" for number in range(301)]
    judged = {qid: {"d1": 1} for qid in queries}
    rankings = {"a": {qid: ["d1"] for qid in queries}, "b": {qid: ["d2"] for qid in queries}}
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as store:
        sample_stores.add(store, tmp_path, "test", judged, rankings)
        figure = checked(parts.histogram)(one_run(store, "a"))
        assert [len(area.y) for area in figure.data] == [301, 0]
        assert "301 queries" in Browserless(create_app(store).server.test_client()).text(
            "/c/test/run/a"
        )


def test_the_page_says_the_place_among_the_runs_of_the_engine(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        later = write_run(tmp_path, sample_stores.RUNS["boolean"], "later.run", "later")
        ingest(
            store,
            IngestOptions("small", engine="bm25"),
            [later],
            qrels=store_qrels(store, "small"),
        )
        app = Browserless(create_app(store).server.test_client())
        assert "Place 1 among the 2 runs of its engine." in app.text("/c/small/run/bm25")
        assert "Place 2 among the 2 runs of its engine." in app.text("/c/small/run/later")
        assert "of its engine" not in app.text("/c/small/run/tfidf")
        page = app.page("/c/small/run/tfidf?order=distribution")["page"]["children"]
        assert find_by(page, {"control": "order"})["value"] == "distribution"


def test_the_histogram_is_the_run_less_the_median_of_the_collection(runs: Store) -> None:
    # R-precision of q1 to q5: tfidf .5 .5 0 1 1; the median of the three .5 .5 0 .5 1.
    one = one_run(runs)
    figure = checked(parts.histogram)(one)
    assert list(figure.data[0].y) == [0, 0, 0, 0.5, 0]
    assert "tfidf is better on 1, median of 3 runs on 0; the same on 4" in (
        parts.histogram_caption(one)
    )


def test_the_run_has_its_own_colour_and_the_median_that_of_no_engine(runs: Store) -> None:
    one = one_run(runs, "boolean")
    figure = checked(parts.histogram)(one)
    assert set(figure.data[0].marker.color) <= {TOKENS["light"][c] for c in ("muted", "tie")}
    colours = [note.font.color for note in figure.layout.annotations]
    own = series_colour(one.selection.slots[one.run.id], "light")
    assert colours == [own, TOKENS["light"]["muted"]]


def test_a_bar_leads_to_its_query_with_the_baseline_and_the_run(runs: Store) -> None:
    figure = checked(parts.histogram)(one_run(runs, order="difference"))
    assert figure.data[0].customdata[0][-1] == "q4"
    query = parts.query_address(one_run(runs, order="difference"), "q").changed(m=None)
    assert around_id(query) == {"before": "/c/test/query/", "after": "?runs=bm25,tfidf"}


def test_best_and_worst_are_beside_the_baseline(running: Browserless) -> None:
    text = text_of(
        find(running.page("/c/test/run/tfidf?m=Rprec")["page"]["children"], "run-extremes")[
            "children"
        ]
    )
    assert "Queries on which tfidf is better than bm25" in text
    assert "+0.5000 q4 1.0000 0.5000" in text
    worse = text.partition("is worse than bm25")[2]
    assert worse.index("−1.0000 q3") < worse.index("−0.5000 q1") < worse.index("−0.5000 q2")


def test_of_the_baseline_itself_they_are_beside_the_median(running: Browserless) -> None:
    text = running.text("/c/test/run/bm25?m=Rprec")
    assert "Queries on which bm25 is better than median of 3 runs" in text
    assert "On no query is bm25 worse than median of 3 runs on R-precision" in text


def test_another_measure_changes_parts_of_the_page(running: Browserless) -> None:
    first = running.page("/c/test/run/tfidf?m=Rprec")
    answer = running.go("/c/test/run/tfidf?m=P@1", first["rendered"]["data"])
    assert "page" not in answer
    assert "P@1, tfidf − median of 3 runs" in answer["median-title"]["children"]
    assert "run-extremes" in answer


def test_the_csv_has_every_judged_query_with_median_and_baseline(running: Browserless) -> None:
    answer = running.client.get("/export/c/test/run/boolean/queries.csv?m=Rprec")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["qid", "query", "boolean", "median of 3 runs", "bm25"]
    assert [row[0] for row in rows[1:]] == ["q1", "q2", "q3", "q4", "q5"]
    assert rows[1] == ["q1", "", "0.0", "0.5", "1.0"]


def test_the_run_file_is_the_run(running: Browserless) -> None:
    answer = running.client.get("/export/c/test/run/boolean/run.txt")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="boolean.run"'
    assert answer.text.splitlines()[0] == "q1 Q0 d3 1 99 boolean"


def test_the_figure_as_a_file_has_the_colour_of_the_run(running: Browserless) -> None:
    # tfidf is the second engine; it is better than the median on one query, on none worse.
    figure = running.client.get("/export/c/test/run/tfidf/median.svg").text
    assert series_colour(1, "light") in figure
    assert series_colour(0, "light") not in figure


def test_figure_and_report_are_files(running: Browserless) -> None:
    figure = running.client.get("/export/c/test/run/tfidf/median.svg")
    assert figure.mimetype == "image/svg+xml"
    assert "<svg" in figure.text
    png = running.client.get("/export/c/test/run/tfidf/median.png")
    assert png.mimetype == "image/png"
    assert png.data.startswith(b"\x89PNG")
    menu = as_json(running.page("/c/test/run/tfidf")["exports"])
    assert '"/export/c/test/run/tfidf/median.png"' in menu
    report = running.client.get("/export/c/test/run/tfidf/report.html")
    assert "Report of tfidf" in report.text


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/c/test/run/nobody", "There is no run “nobody” in the store."),
        ("/c/nothing/run/bm25", "There is no collection 'nothing' in the store."),
        ("/c/test/run/bm25?m=nonsense", "This measure is not understood"),
        ("/c/test/run/bm25?qrels=nonsense", "no qrels 'nonsense'"),
        ("/c/test/run/bm25?base=nobody", "There is no run “nobody” in the store."),
    ],
)
def test_what_is_unknown_is_named(running: Browserless, address: str, says: str) -> None:
    assert says in running.text(address)


def test_the_page_of_a_removed_or_renamed_run_says_what_became_of_it(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'r.db'}") as store:
        add_runs(store, tmp_path)
        rename_run(store, "tfidf", "tf.idf")
        remove_runs(store, ["boolean"])
        app = Browserless(create_app(store).server.test_client())
        assert app.page("/c/test/run/tfidf")["redirect"]["data"] == "/c/test/run/tf.idf"
        assert "The run “boolean” of collection “test” was removed on" in app.text(
            "/c/test/run/boolean"
        )


def test_a_run_that_was_never_evaluated_has_facts_and_no_figures(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'r.db'}") as store:
        add_runs(store, tmp_path)
        other = write_qrels(tmp_path, {"q1": {"d1": 1}}, "other.qrels")
        solo = write_run(tmp_path, {"q1": ["d1"]}, "solo.run", "solo")
        add(store, tmp_path, solo, qrels=other)
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/test/run/solo?qrels=test")
        assert "This run was not evaluated under these judgments" in text
        assert "Facts" in text
        answer = app.client.get("/export/c/test/run/solo/queries.csv?qrels=test")
        assert (answer.status_code, "not evaluated" in answer.text) == (404, True)
        # Of the judgments that it has been evaluated under it is the only run.
        assert "1 of 1" in app.text("/c/test/run/solo?qrels=other")


def test_a_run_without_a_judged_document_and_a_single_query_are_shown(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'r.db'}") as store:
        qrels = write_qrels(tmp_path, {"q1": {"d1": 1}})
        for name, ranking in {"one": ["d1"], "unjudged": ["x1", "x2"]}.items():
            path = write_run(tmp_path, {"q1": ranking}, f"{name}.run", name)
            add(store, tmp_path, path, qrels=qrels)
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/test/run/unjudged")
        assert "AP ↑ 0.0000 2 " in text
        assert "Over 1 judged query" in text
        assert "−1.0000 q1" in text


def test_a_run_that_came_as_values_is_marked_and_has_no_run_file(tmp_path: Path) -> None:
    printed = "map\tq1\t0.2500\nmap\tq2\t0.5000\nrunid\tall\tprinted\n"
    with Store.open(f"sqlite:///{tmp_path / 'r.db'}") as store:
        qrels = write_qrels(tmp_path, {"q1": {"d1": 1}, "q2": {"d1": 1}})
        add(store, tmp_path, write(tmp_path / "printed.txt", printed), qrels=qrels)
        ranked = write_run(tmp_path, {"q1": ["d1"], "q2": ["d1"]}, "ranked.run", "ranked")
        add(store, tmp_path, ranked, qrels=qrels)
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/test/run/printed")
        assert "values only, without rankings" in text
        assert "AP ↑ 0.3750 2 " in text
        assert "Run file" not in text
        answer = app.client.get("/export/c/test/run/printed/run.txt")
        assert answer.status_code == 404
        assert "printed" in answer.text
        queries = app.page("/c/test/queries")["page"]["children"]
        names = [column["headerName"] for column in find(queries, "difficulty-grid")["columnDefs"]]
        assert names[-2:] == ["ranked", "printed (values only)"]
        assert "printed came as values of 4 decimals" in text_of(queries)


def test_without_a_baseline_the_oldest_run_has_no_difference(app: Browserless) -> None:
    text = app.text("/c/small/run/bm25")
    assert "Without another run as baseline there are no differences" in text


def test_hostile_names_are_texts(hostile_app: Browserless) -> None:
    for name in sample_stores.NAMES:
        address = Address("run", "<b>collection</b>", name)
        page = hostile_app.page(address.href)["page"]["children"]
        assert find_by(page, {"control": "m"})["value"] == "AP"
        assert "x" * 500 not in text_of(page)
        answer = hostile_app.client.get(f"/export{address.path}/queries.csv")
        rows = list(csv.reader(io.StringIO(answer.text)))
        assert len(rows) == len(sample_stores.QIDS) + 1
        assert not any(cell.startswith(("=", "@")) for row in rows for cell in row)


def test_a_run_of_more_queries_than_bars_is_shown_with_their_ids_alone(tmp_path: Path) -> None:
    qids = [f"q{number}" for number in range(1, 402)]
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as store:
        qrels = write_qrels(tmp_path, {qid: {"d1": 1} for qid in qids})
        for name, first in (("one", "d1"), ("two", "d2")):
            ranked = {qid: [first, "d1" if first != "d1" else "d2"] for qid in qids}
            path = write_run(tmp_path, ranked, f"{name}.run", name)
            add(store, tmp_path, path, qrels=qrels)
        app = Browserless(create_app(store).server.test_client())
        page = app.page("/c/test/run/one?m=RR")["page"]["children"]
    text = as_json(page)
    assert '"data-before": "/c/test/query/"' in text
    assert '"data-after": "?runs=one"' in text
    assert "over 401 queries" in text_of(page)
