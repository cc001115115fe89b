"""Reports: the figures in a page are those of the comparison, and the page needs nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import report_runs
from page_reader import PageReader
from sample_stores import NAMES, QIDS

from dashboard.components.wording import measure_info
from dashboard.figures.frames import CUTOFFS
from dashboard.report.page import LARGEST, QueryTable
from dashboard.theme import TOKENS, series_colour, series_symbol
from evalstore.comparison.claims import sentences
from evalstore.comparison.loading import LoadedRuns, Medians
from evalstore.measures.notation import RECALL_LEVELS

GREY = TOKENS["light"]["muted"]  # of a tie

pytestmark = pytest.mark.slow  # many commands, figures or resamples


def number(text: str) -> float:
    """A number as a page shows it."""
    return float(re.sub(r"[,▲△▼▽ ]", "", text).replace("−", "-").replace("<", ""))


def test_the_table_of_statistics_holds_the_figures_of_the_comparison() -> None:
    runs = report_runs.loaded("a", "b", "c")
    compared = report_runs.compared(runs)
    rows = PageReader(report_runs.comparison_page(runs)).rows("statistics")
    pairs = compared.to_dict()["pairs"]
    assert isinstance(pairs, list)
    assert len(rows) == len(pairs) == 6
    for row, pair in zip(rows, pairs, strict=True):
        assert (row["Run"], row["Baseline"]) == (pair["b"], pair["a"])
        assert row["Measure"] == f"{pair['measure']} ↑"
        assert number(row["Queries"]) == pair["queries"]
        assert number(row["Mean"]) == round(pair["mean_b"], 4)
        assert number(row["Baseline's mean"]) == round(pair["mean_a"], 4)
        assert number(row["Difference"]) == round(pair["difference"], 4)
        ends = [number(end) for end in row["95 % interval"].split(" to ")]
        assert ends == [round(end, 4) for end in pair["interval"]]
        assert number(row["p (t test)"]) == pytest.approx(pair["p"]["t"], abs=1e-4)
        assert number(row["p, Holm"]) == pytest.approx(pair["p_corrected"]["t"], abs=1e-4)
        assert number(row["Cohen's d"]) == round(pair["cohens_d"], 2)
        outcomes = [number(part) for part in row["Wins / ties / losses"].split("/")]
        assert outcomes == [pair["wins"], pair["ties"], pair["losses"]]


def test_the_page_begins_with_the_verdict_and_the_sentences() -> None:
    runs = report_runs.loaded("a", "b")
    page = report_runs.comparison_page(runs)
    assert PageReader(page).text["verdict"].startswith("✓ Comparable: same judgments, 30 of 30")
    positions = [
        page.index(f"<li>{sentence}") for sentence in sentences(report_runs.compared(runs))
    ]
    assert page.index('id="verdict"') < min(positions)
    assert max(positions) < page.index('id="statistics"')


def test_the_curves_and_their_table_are_means_over_all_judged_queries() -> None:
    qids = ("q1", "q2", "q3")
    runs = LoadedRuns(
        (report_runs.run("a", qids, 1), report_runs.run("b", qids, 2, missing=("q2",)))
    )
    page = PageReader(report_runs.comparison_page(runs))
    for number_, trace in enumerate(page.documents["figure-recall-precision"]["data"]):
        values = runs.runs[number_].values
        expected = [values[level].mean() for level in RECALL_LEVELS]
        assert trace["y"] == pytest.approx(expected)
    assert page.text["verdict"].startswith(
        "◐ Partly comparable: 2 of 3 queries answered by both; q2 missing from b"
    )


def test_the_figure_of_differences_is_run_minus_baseline_of_r_precision_by_query() -> None:
    runs = report_runs.loaded("a", "b", "c", queries=12)
    page = PageReader(report_runs.comparison_page(runs, baseline=1))
    values = [run.values["Rprec"] for run in runs.runs]
    for place, run in enumerate((0, 2)):
        (bars,) = page.documents[f"figure-pair-{place}"]["data"]
        assert bars["y"] == pytest.approx(values[run] - values[1])
    assert page.documents["queries"]["pairs"] == [[0, 1], [2, 1]]


def test_the_table_of_queries_holds_every_value_in_natural_order_of_the_ids() -> None:
    qids = ("q1", "q10", "q2")
    runs = report_runs.loaded("a", "b", qids=qids)
    queries = PageReader(report_runs.comparison_page(runs)).documents["queries"]
    assert queries["qids"] == ["q1", "q2", "q10"]
    assert queries["texts"] == ["text of q1", "text of q2", "text of q10"]
    assert [measure["name"] for measure in queries["measures"]] == ["Rprec", "AP", "nDCG@10"]
    for measure, by_run in queries["values"].items():
        for values, run in zip(by_run, runs.runs, strict=True):
            assert values == run.values[measure][[0, 2, 1]].tolist()


def test_a_run_has_the_colour_and_mark_of_its_slot_everywhere() -> None:
    """Two slots may be the same where there are more runs than slots."""
    runs = report_runs.loaded("a", "b", "c", queries=12)
    page = PageReader(report_runs.comparison_page(runs, slots=(4, 0, 4)))
    curves = page.documents["figure-recall-precision"]["data"]
    colours = [line["line"]["color"] for line in curves]
    assert colours == [series_colour(slot, "light") for slot in (4, 0, 4)]
    assert [line["marker"]["symbol"] for line in curves] == [series_symbol(n) for n in (4, 0, 4)]
    bars = page.documents["figure-pair-0"]["data"][0]["marker"]["color"]
    assert set(bars) <= {series_colour(0, "light"), series_colour(4, "light"), GREY}
    marks = page.documents["figure-intervals"]["data"]
    assert series_colour(1, "light") not in str(marks)


@pytest.mark.parametrize("number", [2, 4, 5, 12])
def test_a_figure_with_many_names_has_a_line_for_each_and_is_higher(number: int) -> None:
    runs = report_runs.loaded(*(f"run-{n}" for n in range(number)), queries=12)
    layouts = PageReader(report_runs.comparison_page(runs)).documents
    for key in ("recall-precision", "precision-at-k"):
        layout = layouts[f"figure-{key}"]["layout"]
        assert layout["showlegend"]
        if number <= 4:
            assert "height" not in layout
        else:
            assert layout["legend"]["maxheight"] >= 19 * number  # a line of 13 px text has 19
            assert layout["height"] - layout["legend"]["maxheight"] >= 240


def test_a_difference_that_no_p_shows_has_no_sign() -> None:
    runs = report_runs.loaded("a", "b", "c")
    for row, pair in zip(
        PageReader(report_runs.comparison_page(runs)).rows("statistics"),
        report_runs.compared(runs).pairs,
        strict=True,
    ):
        assert bool(set("▲▼△▽") & set(row["Difference"])) == (pair.p["t"] < 0.05)


def test_above_300_queries_the_differences_are_sorted_areas() -> None:
    page = PageReader(report_runs.comparison_page(report_runs.loaded("a", "b", queries=400)))
    areas = page.documents["figure-pair-0"]["data"]
    assert [area["type"] for area in areas] == ["scatter", "scatter"]
    assert {area["y"]["dtype"] for area in areas} == {"f4"}


def test_runs_that_can_not_be_compared_get_the_reason_and_no_figure() -> None:
    qids = ("q1", "q2")
    runs = LoadedRuns((report_runs.run("a", qids, 1), report_runs.run("b", qids, 2, qrels="x")))
    for page in (
        PageReader(report_runs.comparison_page(runs)),
        PageReader(
            report_runs.comparison_page(
                LoadedRuns((), obstacle="the runs are of different collections")
            )
        ),
    ):
        assert page.text["verdict"].startswith("⊘ Not comparable, because the runs ")
        assert page.documents == {}
        assert "statistics" not in page.tables
        assert "figure" not in page.elements
        assert "script" not in page.elements


def test_the_page_says_how_it_was_computed() -> None:
    rows = dict(PageReader(report_runs.comparison_page(report_runs.loaded("a", "b"))).tables["how"])
    assert rows["Judgments"] == "q, content hash h"
    assert rows["Test"] == "t test, two-sided, alpha 0.05"
    assert rows["Correction"] == "Holm over 2 comparisons"
    assert rows["Seed"] == "1, 100 resamples"
    assert rows["Versions"] == "evalstore 9.9, NumPy 2.0"
    assert rows["Date"] == "2026-01-02 03:04 UTC"
    assert rows["Command"] == "evalstore export report A B --output 'a b.html'"


# --- one run -------------------------------------------------------------------------------------


def test_the_page_of_a_run_holds_the_averages_that_trec_prints() -> None:
    runs = report_runs.loaded("a")
    page = PageReader(report_runs.run_page(runs))
    values = runs.runs[0].values
    means = {measure: f"{values[measure].mean():.4f}" for measure in values}
    levels = [row[1] for row in page.tables["recall-levels"][1:]]
    assert levels == [means[level] for level in (*RECALL_LEVELS, "AP")]
    cutoffs = [row[1] for row in page.tables["document-cutoffs"][1:]]
    assert cutoffs == [*(means[f"P@{cutoff}"] for cutoff in CUTOFFS), means["Rprec"]]
    summary = dict(page.tables["summary"])
    assert (summary["Run"], summary["Collection"], summary["Qrels"]) == ("a", "c", "q")
    assert summary["Number of queries"] == "30"
    for label, count in (
        ("Documents retrieved", "NumRet"),
        ("Relevant documents", "NumRel"),
        ("Relevant documents retrieved", "NumRelRet"),
    ):
        assert number(summary[label]) == values[count].sum()


def test_the_figure_of_a_run_is_its_average_precision_minus_the_median_of_each_query() -> None:
    runs = report_runs.loaded("a", queries=5)
    median = np.array([0.5, 0.0, 0.25, 0.75, 1.0])
    page = PageReader(report_runs.run_page(runs, Medians(3, {"AP": median})))
    (bars,) = page.documents["figure-pair-0"]["data"]
    assert bars["y"] == pytest.approx(runs.runs[0].values["AP"] - median)
    assert page.documents["queries"]["runs"] == ["a", "median of 3 runs"]


def test_without_other_runs_there_is_no_median() -> None:
    page = PageReader(report_runs.run_page(report_runs.loaded("a")))
    assert "no median" in page.text["no-median"]
    assert not any(key.startswith("figure-pair") for key in page.documents)


# --- whatever the names and however much ----------------------------------------------------------


@pytest.mark.parametrize("several", [True, False])
def test_no_name_becomes_markup_or_script(several: bool) -> None:
    names = (*NAMES, "</script><script>x", "a\u2028b\u2029c", "\ud800", "#0072B2")
    texts = dict.fromkeys(QIDS, "</script><img src=x onerror=alert(1)> \u2028 %{x}")
    runs = report_runs.loaded(*(names if several else names[1:2]), qids=QIDS, texts=texts)
    medians = Medians(2, {"AP": np.zeros(len(QIDS))})
    page = report_runs.comparison_page(runs) if several else report_runs.run_page(runs, medians)
    page.encode()  # half a surrogate pair can't be written
    read = PageReader(page)
    assert not {"img", "b", "i"} & set(read.elements)
    # What is in the page without names, and nothing more.
    plain = report_runs.loaded(*(f"r{i}" for i in range(len(runs.runs))), qids=QIDS)
    expected = PageReader(
        report_runs.comparison_page(plain) if several else report_runs.run_page(plain, medians)
    )
    assert sorted(read.elements) == sorted([*expected.elements])
    assert "\u2028" not in page
    assert "alert(1)" in str(read.documents["queries"]["texts"])


@pytest.mark.parametrize("several", [True, False])
def test_a_page_refers_to_nothing_outside_of_itself(several: bool) -> None:
    runs = report_runs.loaded("a", "b") if several else report_runs.loaded("a")
    page = report_runs.comparison_page(runs) if several else report_runs.run_page(runs)
    read = PageReader(page)
    assert read.addresses == []
    assert not {"link", "iframe", "object", "base", "form"} & set(read.elements)
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert not re.search(r"url\(|@import|//", style)
    policy = dict(rule.split(" ", 1) for rule in read.policy.split("; "))
    assert policy["default-src"] == "'none'"
    assert re.fullmatch(r"('sha256-\S+' ?){2}", policy["script-src"])
    assert "connect-src" not in policy  # default-src forbids it


LONG = {f"{number:07}": "a question of usual length " * 2 for number in range(6_980)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runs", "queries"),
    [
        (12, 6_980),
        *(
            pytest.param(*each, marks=pytest.mark.nightly)
            for each in ((3, 60_000), (2, 6_980), (40, 300))
        ),
    ],
    ids=str,
)
def test_a_page_is_below_6_mb_however_much_is_compared(runs: int, queries: int) -> None:
    texts = LONG if queries == 6_980 else {f"q{i}": "ü" * 90 for i in range(1, queries + 1)}
    names = [f"a run with a rather long name {number}" for number in range(runs)]
    page = report_runs.comparison_page(
        report_runs.loaded(*names, qids=list(texts), texts=texts), 0, ("AP",)
    )
    assert len(page.encode()) < LARGEST


def test_the_table_of_queries_leaves_out_measures_and_texts_that_do_not_fit() -> None:
    qids = [f"q{number}" for number in range(5_000)]
    values = {measure: [np.zeros(len(qids))] * 12 for measure in ("Rprec", "AP")}
    whole = QueryTable(
        runs=[f"r{number}" for number in range(12)],
        pairs=[(1, 0)],
        measures=[measure_info(measure) for measure in values],
        qids=qids,
        texts=dict.fromkeys(qids, "long " * 100),
        values=values,
    )
    kept, notes = whole.fitting()
    assert [measure.name for measure in kept.measures] == ["Rprec"]
    assert kept.texts == {}
    assert [note.split(":")[0] for note in notes] == [
        "The table leaves out AP",
        "The table leaves out the texts of the queries",
    ]
    kept, notes = replace(whole, qids=[f"q{number}" for number in range(60_000)]).fitting()
    assert kept.qids == ()
    assert notes == ("A table of 60,000 queries and 12 runs would be too large for this page.",)
