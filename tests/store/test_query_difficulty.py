"""The queries of a collection by difficulty: values of several runs, the hardest query first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from samples import BM25, NOTHING_FOR_Q3, QRELS, TFIDF, Filled, add, write_qrels, write_run

from evalstore.catalog.runs import remove_runs
from evalstore.comparison.ranked_query import QueryDifficulty, leading_runs, query_difficulty
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries.runs import list_runs

RUNS = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}


def fill(store: Store, folder: Path) -> None:
    for name, rankings in RUNS.items():
        add(store, folder, write_run(folder, rankings, f"{name}.run", name))


@pytest.fixture
def runs(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def of_runs(store: Store, *names: str, measure: str = "AP") -> QueryDifficulty:
    with store.read() as connection:
        ids = [run.id for run in list_runs(connection) if run.name in names]
    return query_difficulty(store, "test", parse(measure), None, ids)


def test_the_hardest_query_comes_first_and_the_best_run(runs: Store) -> None:
    # AP by hand, of q1, q2, q3: bm25 5/6, 1, 1/2; tfidf 1/4, 5/6, 1; partial 1/2, 0, not answered.
    of = of_runs(runs, *RUNS)
    assert [run.name for run in of.runs] == ["bm25", "tfidf", "partial"]
    assert of.qids == ("q1", "q3", "q2")  # the medians of q1 and q3 are both 1/2
    expected = [[5 / 6, 1 / 4, 1 / 2], [1 / 2, 1, 0], [1, 5 / 6, 0]]
    np.testing.assert_allclose(of.values, expected)
    np.testing.assert_allclose(of.median, [1 / 2, 1 / 2, 5 / 6])
    np.testing.assert_allclose(of.spread, [5 / 6 - 1 / 4, 1, 1])


def test_only_the_runs_asked_for_count(runs: Store) -> None:
    of = of_runs(runs, "tfidf", "partial")
    assert [run.name for run in of.runs] == ["tfidf", "partial"]
    np.testing.assert_allclose(of.median, [3 / 8, 5 / 12, 1 / 2])


def test_a_measure_that_is_not_stored_is_computed(runs: Store) -> None:
    of = of_runs(runs, "bm25", measure="P@3")
    assert dict(zip(of.qids, of.values[:, 0].tolist(), strict=True)) == pytest.approx(
        {"q1": 2 / 3, "q2": 2 / 3, "q3": 1 / 3}
    )


def test_relevant_are_the_documents_of_grade_1_or_higher(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {**QRELS, "q4": {"d1": 0}, "q5": {"d1": -1, "d2": 1}})
    add(store, tmp_path, write_run(tmp_path), qrels=qrels)
    of = of_runs(store, "bm25")
    relevant = dict(zip(of.qids, of.relevant.tolist(), strict=True))
    assert relevant == {"q1": 2, "q2": 2, "q3": 1, "q4": 0, "q5": 1}


def test_the_leading_runs_are_the_best_on_the_measure(runs: Store) -> None:
    assert leading_runs(runs, "test", parse("AP"), None, 2) == ["bm25", "tfidf"]
    assert leading_runs(runs, "test", parse("RR"), None, 2) == ["bm25", "tfidf"]


def test_one_run_is_always_among_them(own: Store) -> None:
    assert leading_runs(own, "test", parse("AP"), None, 2, "partial") == ["bm25", "partial"]
    assert leading_runs(own, "test", parse("AP"), None, 2, "bm25") == ["bm25", "tfidf"]
    remove_runs(own, ["partial"])
    assert leading_runs(own, "test", parse("AP"), None, 1, "partial") == ["bm25"]


def test_runs_without_a_stored_figure_come_last_in_natural_order(runs: Store) -> None:
    assert leading_runs(runs, "test", parse("P@3"), None, 3) == ["bm25", "partial", "tfidf"]
