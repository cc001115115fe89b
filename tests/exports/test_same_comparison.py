"""The figures of a comparison are the same in every format: each is read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from compared_runs import run_values
from parsed_exports import (
    Rows,
    parsed_csv,
    parsed_html,
    parsed_latex,
    parsed_markdown,
    parsed_terminal,
    parsed_trec,
    parsed_tsv,
)

from dashboard.report.comparison import statistics
from dashboard.report.page import environment
from evalstore.api.comparison import Comparison
from evalstore.cli.commands.compare import _table
from evalstore.comparison.claims import comparability_line
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import TESTS, Compared, Settings
from evalstore.measures import named_measures
from evalstore.stats import Interval

QUERIES = [f"q{number:02}" for number in range(30)]
ROWS = range(len(QUERIES))
RUNS = {
    "third": [1 / 3 + row / 1000 for row in ROWS],
    "half digit": [0.00005 * (row % 3) for row in ROWS],
    "same_as_third": [1 / 3 + row / 1000 for row in ROWS],
    "noise": [float(x) for x in np.random.default_rng(7).random(30)],
}
"""Figures at the edge of rounding, differences of nothing, p near 0 and of 1."""
TIMES = {
    name: [
        1000 * value + (row % 3 - 1) * (name == "same_as_third")
        for row, value in zip(ROWS, of, strict=True)
    ]
    for name, of in RUNS.items()
}
UNTIMED = "q07"
"""The query on which `noise` has no response time."""


def compare(**settings: Any) -> Compared:
    """All pairs on a measure where higher and one where lower is better; a time is missing."""
    runs = [
        run_values(name, dict(zip(QUERIES, values, strict=True))) for name, values in RUNS.items()
    ]
    for run in runs:
        timed = [not (run.name == "noise" and qid == UNTIMED) for qid in QUERIES]
        run.values["ResponseTime"] = np.array(TIMES[run.name])  # type: ignore[index]
        run.weights["ResponseTime"] = np.array(timed, np.float64)  # type: ignore[index]
    return compare_loaded(
        LoadedRuns(tuple(runs)), named_measures(["AP", "ResponseTime"]), Settings(**settings)
    )


COMPARED = compare()
NAMES = {"mean a": "mean_a", "mean b": "mean_b", "b - a": "difference", "d": "cohens_d"}
"""The names of the figures by the headings of the formats for people."""


def for_people(rows: Rows) -> Rows:
    """Rows by the names of the figures; W/T/L and intervals taken apart."""
    renamed = []
    for row in rows:
        wins, ties, losses = row.pop("W/T/L", "//").split("/")
        if wins:
            row |= {"wins": wins, "ties": ties, "losses": losses}
        if "95 % interval" in row:
            row["low"], row["high"] = row.pop("95 % interval").split(" to ")
        names = {
            **NAMES,
            **{"difference": "difference", "Cohen's d": "cohens_d", "p": "p_t"},
            **{"p corr.": "p_corrected_t", "p corrected": "p_corrected_t"},
        }
        renamed.append({names.get(heading, heading): text for heading, text in row.items()})
    return renamed


def of_json(text: str) -> Rows:
    rows = []
    for pair in json.loads(text)["pairs"]:
        low, high = pair.pop("interval")
        p = {f"p_{test}": value for test, value in pair.pop("p").items()}
        corrected = {
            f"p_corrected_{test}": value for test, value in pair.pop("p_corrected").items()
        }
        bounds = dict(zip(("bounds_low", "bounds_high"), pair["bounds"] or (), strict=False))
        figures = {**pair, "low": low, "high": high, **p, **corrected, **bounds}
        rows.append({name: str(value) for name, value in figures.items()})
    return rows


def of_terminal(text: str) -> Rows:
    return for_people(parsed_terminal(text, "a  "))


def of_report(text: str) -> Rows:
    """The table of statistics of an HTML report."""
    names = {
        **{"Run": "b", "Baseline": "a", "Measure": "measure", "Queries": "queries"},
        **{"Mean": "mean b", "Baseline's mean": "mean a", "Difference": "b - a"},
        **{"p (t test)": "p", "p, Holm": "p corr.", "Wins / ties / losses": "W/T/L"},
    }
    rows = [
        {names.get(heading, heading): cell.replace("−", "-") for heading, cell in row.items()}
        for row in parsed_html(text)
    ]
    for row in rows:
        row["measure"] = row["measure"].rstrip(" ↑↓")
        row["b - a"] = row["b - a"].rstrip(" ▲▼△▽")
        row["W/T/L"] = row["W/T/L"].replace(" ", "")
    return for_people(rows)


READERS: dict[str, Callable[[str], Rows]] = {
    "csv": parsed_csv,
    "tsv": parsed_tsv,
    "json": of_json,
    "markdown": lambda text: for_people(parsed_markdown(text)),
    "latex": lambda text: for_people(parsed_latex(text)),
    "html": lambda text: for_people(parsed_html(text)),
    "report": of_report,
    "table": of_terminal,
}
"""Every format, and how it is read back."""

EVERY_DIGIT = ("csv", "tsv", "json")
DIGITS = {shape: None if shape in EVERY_DIGIT else 4 for shape in READERS}
"""The decimals of every format; None where it has every digit."""

FIGURES = {
    *("mean_a", "mean_b", "difference", "low", "high", "p_t", "p_corrected_t", "cohens_d"),
    *("queries", "wins", "ties", "losses"),
}
EVERY_P = {f"{kind}_{test}" for kind in ("p", "p_corrected") for test in TESTS}
TEXTS = ("verdict", "reason", "family")
"""What a format with every digit says besides the figures."""


def text_of(shape: str, compared: Compared, capsys: pytest.CaptureFixture[str]) -> str:
    comparison = Comparison(compared)
    if shape == "html":
        return comparison._repr_html_()
    if shape == "report":
        headers, rows = statistics(compared)
        parts: Any = environment().get_template("parts.html").module
        return str(parts.table(headers, rows))
    if shape == "table":
        _table(compared)
        return capsys.readouterr().out
    return comparison.export(shape)  # type: ignore[arg-type]


def same(text: str, value: float, digits: int | None) -> bool:
    """Whether a format that has so many decimals shows this value."""
    if digits is None:
        return float(text) == value
    if text == "<0.0001":
        return value < 0.00005
    return float(text) == float(f"{value:.{digits}f}")


@pytest.mark.parametrize("shape", READERS)
def test_every_format_has_the_figures_of_the_comparison(
    shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = READERS[shape](text_of(shape, COMPARED, capsys))
    assert len(rows) == len(COMPARED.pairs) == 12
    expected = FIGURES | (EVERY_P if DIGITS[shape] is None else set())
    for row, pair in zip(rows, COMPARED.pairs, strict=True):
        assert (row["a"], row["b"], row["measure"]) == (pair.a, pair.b, pair.measure)
        figures = pair.row()
        assert expected <= set(row)
        for name in expected:
            of_few_digits = name == "cohens_d" and shape in ("table", "report")
            digits = 2 if of_few_digits else DIGITS[shape]
            assert same(row[name], float(figures[name]), digits), (name, row[name], figures[name])
        if shape in EVERY_DIGIT:
            assert {name: row[name] for name in TEXTS} == {name: figures[name] for name in TEXTS}


@pytest.mark.parametrize("shape", EVERY_DIGIT)
def test_files_have_the_bounds_of_a_difference(
    shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bounded = replace(COMPARED.pairs[0], bounds=Interval(-0.5, 1 / 3))
    compared = replace(COMPARED, pairs=(bounded,))
    [row] = READERS[shape](text_of(shape, compared, capsys))
    assert (float(row["bounds_low"]), float(row["bounds_high"])) == (-0.5, 1 / 3)


def test_the_values_try_what_is_hard_to_write() -> None:
    """The test above would show little of even figures."""
    corrected = [pair.p_corrected["t"] for pair in COMPARED.pairs]
    assert min(corrected) < 0.00005
    assert max(corrected) == 1
    assert any(pair.difference == 0 for pair in COMPARED.pairs)
    assert any(pair.difference < 0 for pair in COMPARED.pairs)
    assert {pair.queries for pair in COMPARED.pairs} == {29, 30}


def test_trec_text_has_the_means_over_the_queries_on_which_all_runs_have_a_value() -> None:
    values = parsed_trec(Comparison(COMPARED).export("trec", per_query=True))
    timed = [row for row in ROWS if QUERIES[row] != UNTIMED]
    for measure, of_runs, rows in (("AP", RUNS, ROWS), ("ResponseTime", TIMES, timed)):
        for name, numbers in of_runs.items():
            mean = sum(numbers[row] for row in rows) / len(rows)
            assert values[name, measure, "all"] == f"{mean:.4f}"
            for row in rows:
                assert values[name, measure, QUERIES[row]] == f"{numbers[row]:.4f}"
    assert len(values) == len(RUNS) * (len(ROWS) + len(timed) + 2)


@pytest.mark.parametrize(
    ("measure", "figure"), [("ResponseTime(percentile=50)", "20.0000"), ("NumRet", "150")]
)
def test_trec_text_has_the_figure_of_a_measure_that_is_no_mean(measure: str, figure: str) -> None:
    runs = [
        run_values(name, {f"q{n}": n * 10.0 for n in (1, 2, 12)}, measure=measure)
        for name in ("a", "b")
    ]
    compared = compare_loaded(LoadedRuns(tuple(runs)), named_measures([measure]))
    values = parsed_trec(Comparison(compared).export("trec"))
    assert values == {("a", measure, "all"): figure, ("b", measure, "all"): figure}


def test_trec_text_agrees_with_the_means_of_two_runs() -> None:
    first, second = COMPARED.runs[0], COMPARED.runs[3]
    compared = compare_loaded(LoadedRuns((first, second)), COMPARED.measures)
    values = parsed_trec(Comparison(compared).export("trec"))
    for pair in compared.pairs:
        assert values[pair.a, pair.measure, "all"] == f"{pair.mean_a:.4f}"
        assert values[pair.b, pair.measure, "all"] == f"{pair.mean_b:.4f}"


@pytest.mark.parametrize("shape", ["markdown", "latex"])
@pytest.mark.parametrize("digits", [0, 2, 6])
def test_documents_have_the_decimals_asked_for(shape: str, digits: int) -> None:
    text = Comparison(COMPARED).export(shape, digits=digits)  # type: ignore[arg-type]
    for row, pair in zip(READERS[shape](text), COMPARED.pairs, strict=True):
        assert row["mean_a"] == f"{pair.mean_a:.{digits}f}"
        assert row["difference"] == f"{pair.difference:+.{digits}f}"


@pytest.mark.parametrize("shape", ["csv", "tsv", "markdown", "latex"])
def test_what_is_no_finite_number_is_an_empty_cell(shape: str) -> None:
    one = [run_values(name, {"q1": value}) for name, value in (("a", 0.25), ("b", 0.5))]
    compared = compare_loaded(LoadedRuns(tuple(one)), named_measures(["AP"]))
    [row] = READERS[shape](Comparison(compared).export(shape))  # type: ignore[arg-type]
    assert (row["low"], row["high"], row["cohens_d"]) == ("", "", "")


@pytest.mark.parametrize("shape", ["markdown", "latex"])
def test_the_verdict_and_the_notes_stand_in_documents(shape: str) -> None:
    compared = replace(COMPARED, notes=("the first note", "the second note"))
    text = Comparison(compared).export(shape)  # type: ignore[arg-type]
    reason = "no value of ResponseTime: noise on 1 of 30 queries"
    assert comparability_line(COMPARED).startswith(f"partly comparable: {reason}")
    assert f"Partly comparable: {reason}" in text
    assert text.count("Note: ") == 2


def test_every_row_of_csv_has_the_verdict() -> None:
    rows = parsed_csv(Comparison(COMPARED).export("csv"))
    assert {row["comparable"] for row in rows} == {"partly"}


def test_the_better_mean_is_bold_and_a_dagger_says_that_the_difference_is_shown() -> None:
    better = run_values("better", dict.fromkeys(QUERIES, 0.0) | dict.fromkeys(QUERIES[:20], 0.5))
    worse = run_values("worse", dict.fromkeys(QUERIES, 0.0) | {QUERIES[0]: 0.25})
    for run in (better, worse):
        run.values["ResponseTime"] = run.values["AP"]  # type: ignore[index]
    measures = named_measures(["AP", "ResponseTime"])
    text = Comparison(compare_loaded(LoadedRuns((worse, better)), measures)).export(
        "markdown", digits=3
    )
    higher, lower = text.splitlines()[-2:]
    assert higher.startswith("| worse | better | AP | 0.008 | **0.333** | +0.325<sup>†</sup> |")
    assert lower.startswith(
        "| worse | better | ResponseTime | **0.008** | 0.333 | +0.325<sup>†</sup>"
    )
    assert "p \\< 0.05, Holm over 2 comparisons" in text


def test_without_a_correction_several_comparisons_have_no_dagger() -> None:
    text = Comparison(compare(correction="none")).export("markdown")
    assert "<sup>" not in text
    assert "no correction for 12 comparisons" in text


@pytest.mark.parametrize("test", TESTS)
def test_documents_have_the_p_of_the_test_that_decides(test: str) -> None:
    compared = compare(test=test, resamples=2000)
    for row, pair in zip(
        parsed_markdown(Comparison(compared).export("markdown")), compared.pairs, strict=True
    ):
        assert same(row["p"], pair.p[test], 4)  # type: ignore[index]
        assert same(row["p corr."], pair.p_corrected[test], 4)  # type: ignore[index]


@pytest.mark.parametrize("shape", ["csv", "tsv"])
def test_files_have_the_reasons_also_where_there_are_no_figures(shape: str) -> None:
    runs = [run_values("a", {"q1": 1.0}), run_values("b", {"q1": 1.0}, qrels_hash="1")]
    compared = compare_loaded(LoadedRuns(tuple(runs)), named_measures(["AP"]))
    [row] = READERS[shape](Comparison(compared).export(shape))  # type: ignore[arg-type]
    assert row.pop("comparable") == "no"
    assert row.pop("reasons").startswith("the runs have different judgments")
    assert set(row.values()) == {""}
    partly = READERS[shape](Comparison(COMPARED).export(shape))  # type: ignore[arg-type]
    assert {row["reasons"] for row in partly} == {COMPARED.reasons[0]}


@pytest.mark.parametrize("shape", ["markdown", "latex", "json", "trec"])
def test_runs_that_can_not_be_compared_have_no_figures_and_the_reason_stands_in_documents(
    shape: str,
) -> None:
    runs = [run_values("a", {"q1": 1.0}), run_values("b", {"q1": 1.0}, qrels_hash="1")]
    compared = compare_loaded(LoadedRuns(tuple(runs)), named_measures(["AP"]))
    text = Comparison(compared).export(shape)  # type: ignore[arg-type]
    assert (READERS[shape](text) if shape in READERS else parsed_trec(text)) in ([], {})
    if shape in ("markdown", "latex"):
        assert "Not comparable, because the runs have different judgments" in text
