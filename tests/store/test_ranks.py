"""Ranks of stored runs: what a leaderboard may claim, and what of it is saved for SQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from databases import both_databases
from ranked_runs import QUERIES, RUNS, add_ranked_runs, ranked, write_ranked_runs
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Filled, add, dump, write, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.collection_values import load_collection_values
from evalstore.errors import DataError, MeasureError, NotFound
from evalstore.formats import read_times
from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings, leaderboard_ranks, sentences
from evalstore.measures import named_measures
from evalstore.stats import (
    benjamini_hochberg,
    bonferroni,
    holm,
    p_matrix,
    paired_t_all,
    randomization_all,
    rank_groups,
    sign_all,
    tukey_randomized,
    value_interval,
    wilcoxon_all,
)
from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands, figures or resamples


def fill(store: Store, folder: Path) -> None:
    """Four runs over 12 queries."""
    add_ranked_runs(store, folder)


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def names(ranks: LeaderboardRanks, number: int = 0) -> list[str]:
    return [run.run for run in ranks.measures[number].runs]


# --- figures -------------------------------------------------------------------------------------


def test_ranks_letters_and_intervals_are_those_of_the_statistics_library(filled: Store) -> None:
    [measure] = ranked(filled).measures
    loaded = load_collection_values(filled, "test", named_measures(["RR"])).measures["RR"]
    p = p_matrix(holm(paired_t_all(loaded.values).p), len(RUNS))
    letters = dict(
        zip(
            [run.name for run in loaded.runs],
            rank_groups(loaded.values.mean(axis=0), p),
            strict=True,
        )
    )
    assert {run.run: run.rank_group for run in measure.runs} == letters
    assert [run.rank for run in measure.runs] == [1, 2, 3, 4]
    values = {run.name: loaded.values[:, column] for column, run in enumerate(loaded.runs)}
    for run in measure.runs:
        assert (run.low, run.high) == pytest.approx(value_interval(values[run.run]))


def test_the_tukey_test_decides_where_it_is_chosen(filled: Store) -> None:
    settings = RankSettings(test="tukey", resamples=200)
    [measure] = ranked(filled, settings=settings).measures
    values = load_collection_values(filled, "test", named_measures(["RR"])).measures["RR"].values
    letters = rank_groups(values.mean(axis=0), tukey_randomized(values, 200))
    assert sorted(run.rank_group for run in measure.runs) == sorted(letters)
    assert "randomised Tukey HSD" in sentences(measure, settings)[0]


@pytest.mark.parametrize(
    ("test", "correction", "all_pairs", "corrected", "words"),
    [
        ("t", "bh", paired_t_all, benjamini_hochberg, "t test with Benjamini-Hochberg's"),
        ("wilcoxon", "holm", wilcoxon_all, holm, "Wilcoxon test with Holm's correction"),
        ("sign", "bonferroni", sign_all, bonferroni, "sign test with Bonferroni's"),
        ("randomization", "holm", randomization_all, holm, "randomization test with Holm's"),
    ],
)
def test_tests_and_corrections_are_those_of_compare(
    filled: Store, test: Any, correction: Any, all_pairs: Any, corrected: Any, words: str
) -> None:
    settings = RankSettings(test=test, correction=correction)
    [measure] = ranked(filled, settings=settings).measures
    values = load_collection_values(filled, "test", named_measures(["RR"])).measures["RR"].values
    p = p_matrix(corrected(all_pairs(values).p), len(RUNS))
    letters = rank_groups(values.mean(axis=0), p)
    assert sorted(run.rank_group for run in measure.runs) == sorted(letters)
    assert words in sentences(measure, settings)[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"test": "f"},
        {"correction": "no"},
        {"correction": "none"},
        {"test": "tukey", "correction": "bh"},
    ],
)
def test_another_test_or_correction_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="test|correction"):
        RankSettings(**wrong)


def test_neighbours_that_the_test_does_not_separate_are_counted(filled: Store) -> None:
    [measure] = ranked(filled).measures
    shared = [
        set(one.rank_group) & set(other.rank_group)
        for one, other in zip(measure.runs, measure.runs[1:], strict=False)
    ]
    assert measure.not_separated == sum(map(bool, shared))
    explanation, count = sentences(measure, RankSettings())
    assert explanation == (
        "runs that share a letter are not separated by the paired t test with Holm's correction "
        "for all 6 pairs (alpha 0.05)"
    )
    verb = "is" if measure.not_separated == 1 else "are"
    assert count == f"RR: of 3 pairs of neighbours {measure.not_separated} {verb} not separated"


def test_equal_runs_share_a_rank_and_a_letter(store: Store, tmp_path: Path) -> None:
    twin = {**BM25, "q9": ["d1"]}  # other content, but no other judged query
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, twin, "twin.run", "twin"))
    [measure] = ranked(store, "AP").measures
    assert [(run.rank, run.rank_group) for run in measure.runs] == [(1, "a"), (1, "a")]
    assert [(run.rank_low, run.rank_high) for run in measure.runs] == [(1, 2), (1, 2)]


def test_a_measure_where_lower_is_better_ranks_the_other_way(filled: Store) -> None:
    ranks = ranked(filled, "P@1", "E@1")  # with one relevant document E@1 is 1 - P@1
    assert names(ranks, 0) == names(ranks, 1)
    for one, other in zip(ranks.measures[0].runs, ranks.measures[1].runs, strict=True):
        assert other.value == pytest.approx(1 - one.value)
        assert (one.rank, one.rank_low, one.rank_high) == (
            other.rank,
            other.rank_low,
            other.rank_high,
        )
        assert one.rank_group == other.rank_group


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("NumRet", "NumRet has no ranks: neither a high nor a low value is better"),
        (
            "GMAP",
            "GMAP has no ranks: its figure is a geometric mean, and the tests are of means over "
            "queries",
        ),
    ],
)
def test_a_measure_that_can_not_be_tested_has_values_but_no_ranks(
    filled: Store, name: str, reason: str
) -> None:
    [measure] = ranked(filled, name).measures
    assert measure.notes == (reason,)
    assert (measure.not_separated, sentences(measure, RankSettings())) == (None, ())
    assert {(run.rank, run.rank_low, run.low, run.rank_group) for run in measure.runs} == {
        (None, None, None, "")
    }
    assert all(run.value > 0 for run in measure.runs)


def test_the_interval_of_a_sum_is_that_of_the_sum(store: Store, tmp_path: Path) -> None:
    relevant = {f"q{number}": [f"d{at}" for at in range(number)] for number in (10, 11, 12)}
    grades = {qid: dict.fromkeys(docnos, 1) for qid, docnos in relevant.items()}
    qrels = write_qrels(tmp_path, grades, "many.qrels")
    add(store, tmp_path, write_run(tmp_path, relevant), qrels=qrels)
    [run] = ranked(store, "NumRelRet").measures[0].runs
    # Three queries of mean 11 and standard deviation 1; the t of 2 degrees of freedom is 4.3027.
    half = 3 * 4.302653 / 3**0.5
    assert (run.value, run.low, run.high) == pytest.approx((33, 33 - half, 33 + half))


def test_the_judged_share_is_of_the_documents_in_the_top_10(filled: Store) -> None:
    [measure] = ranked(filled).measures
    by_name = {run.run: run.judged_top_10 for run in measure.runs}
    # The relevant document is in each top 10, and n1 unless the relevant document is in its place.
    assert by_name["worst"] == pytest.approx(2 / 10)
    assert by_name["good"] == pytest.approx((20 - 4 / 12 * 10) / 100)


def test_a_query_without_an_answer_counts_as_zero(store: Store, tmp_path: Path) -> None:
    partial = write_run(tmp_path, NOTHING_FOR_Q3, "partial.run", "partial")
    add(store, tmp_path, write_run(tmp_path), partial)
    loaded = load_collection_values(store, "test", named_measures(["AP"]))
    column = [run.name for run in loaded.runs].index("partial")
    # By hand: d2 of 2 relevant documents at rank 1 of q1; nothing for q2; no answer for q3.
    assert loaded.measures["AP"].values[:, column].tolist() == [0.5, 0, 0]
    assert ranked(store, "AP").queries == 3


def test_one_run_and_one_query_have_a_rank_but_no_interval_of_the_value(
    store: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d1": 1}}, "one.qrels")
    add(store, tmp_path, write_run(tmp_path), qrels=qrels)
    [measure] = ranked(store, "AP").measures
    [run] = measure.runs
    assert (run.rank, run.rank_low, run.rank_high, run.rank_group) == (1, 1, 1, "a")
    assert (run.low, run.high, measure.not_separated) == (None, None, 0)
    assert sentences(measure, RankSettings()) == ()


def test_the_order_of_ingestion_changes_nothing(filled: Store, tmp_path: Path) -> None:
    grades = {f"q{query}": {"r": 1, "n1": 0} for query in reversed(range(QUERIES))}
    with Store.open(f"sqlite:///{tmp_path / 'reversed.db'}") as other:
        qrels = write_qrels(tmp_path, grades, "ranked.qrels")
        add(other, tmp_path, *reversed(write_ranked_runs(tmp_path)), qrels=qrels)
        expected, turned = ranked(filled).measures[0].runs, ranked(other).measures[0].runs
        assert [run.row() for run in turned] == [run.row() for run in expected]


# --- which runs ----------------------------------------------------------------------------------


def test_what_is_not_stored_is_computed_and_nothing_is_written(filled: Store) -> None:
    before = dump(filled)
    ranks = ranked(filled, "P@7")
    assert [run.value for run in ranks.measures[0].runs] == pytest.approx([1 / 7] * 3 + [0])
    assert dump(filled) == before


def test_a_run_without_the_facts_of_a_measure_is_left_out_and_named(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    with pytest.raises(MeasureError, match="ResponseTime needs"):
        ranked(store, "ResponseTime")
    times = read_times(write(tmp_path / "times", "q1 10\nq2 20\nq3 30\n"))
    store_run_facts(store, "bm25", RunCosts(times))
    [measure] = ranked(store, "ResponseTime").measures
    assert [run.run for run in measure.runs] == ["bm25"]
    assert measure.notes[-1].startswith("tfidf left out: ResponseTime needs")


def test_a_run_under_another_qrels_alone_is_left_out_and_named(own: Store, tmp_path: Path) -> None:
    other = {f"q{query}": {"n2": 1} for query in range(QUERIES)}
    run = write_run(tmp_path, {"q1": ["r"], "q2": ["r"]}, "other.run", "other")
    add(own, tmp_path, run, qrels=write_qrels(tmp_path, other, "other.qrels"))
    ranks = ranked(own)
    assert "other" not in names(ranks)
    assert ranks.notes == ("left out: other, which was never evaluated under qrels 'ranked'",)
    assert names(ranked(own, qrels="other")) == ["other"]


def test_other_rules_of_trec_eval_are_noted(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    tfidf = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    add(store, tmp_path, tfidf, compat="trec_eval-9")
    assert ranked(store, "AP").notes == (
        "the values follow different rules of trec_eval (exact: bm25; trec_eval-9: tfidf)",
    )


def test_a_removed_run_has_no_rank(own: Store) -> None:
    remove_runs(own, ["best"])
    assert "best" not in names(ranked(own))


def test_a_collection_or_qrels_that_is_not_there_is_an_error(filled: Store) -> None:
    with pytest.raises(NotFound, match="no collection 'tset'"):
        leaderboard_ranks(filled, "tset", named_measures(["AP"]))
    with pytest.raises(NotFound, match="has no qrels 'none'"):
        ranked(filled, qrels="none")


@pytest.mark.parametrize("wrong", [{"test": "f"}, {"alpha": 0}, {"resamples": 0}])
def test_settings_that_can_not_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        RankSettings(**wrong)  # type: ignore[arg-type]


@both_databases
def test_values_of_many_runs_are_read_exactly(filled: Store) -> None:
    """The bulk read gives what the view gives, bit for bit."""
    loaded = load_collection_values(filled, "test", named_measures(["RR"]))
    with filled.read() as connection:
        rows = connection.execute(
            text("SELECT qid, run, value FROM query_values WHERE measure = 'RR'")
        ).all()
    table = np.full((QUERIES, len(RUNS)), np.nan)
    runs = [run.name for run in loaded.runs]
    for qid, run, value in rows:
        table[loaded.qids.index(qid), runs.index(run)] = value
    assert np.array_equal(loaded.measures["RR"].values, table)
