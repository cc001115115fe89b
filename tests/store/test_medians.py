"""The median of a collection's runs: over the active ones, under the same judgments and rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, add, write_qrels, write_run

from evalstore.catalog.runs import remove_runs
from evalstore.comparison.collection_values import medians_of_collection
from evalstore.comparison.loading import load_stored_runs
from evalstore.measures import named_measures
from evalstore.store import Store

# AP by hand, of q1, q2, q3: bm25 5/6, 1, 1/2; tfidf 1/4, 5/6, 1; partial 1/2, 0, not answered.
RUNS = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.open(f"sqlite:///{tmp_path / 'medians.db'}")
    add(store, tmp_path, *(write_run(tmp_path, r, f"{n}.run", n) for n, r in RUNS.items()))
    return store


def medians(store: Store, measure: str = "AP") -> tuple[int, list[float]]:
    measures = named_measures([measure])
    (run,) = load_stored_runs(store, ["bm25"], measures).runs
    of_collection = medians_of_collection(store, run, measures)
    return of_collection.runs, of_collection.values[measure].tolist()


def test_the_median_is_over_all_runs_and_an_unanswered_query_counts_as_an_empty_ranking(
    store: Store,
) -> None:
    assert medians(store) == (3, [pytest.approx(1 / 2), pytest.approx(5 / 6), 1 / 2])


def test_a_measure_that_is_not_stored_is_computed(store: Store) -> None:
    # Of the first two documents: bm25 1, 2, 1 relevant; tfidf 1, 1, 1; partial 1, 0, 0.
    assert medians(store, "P@2") == (3, [0.5, 0.5, 0.5])


def test_a_removed_run_and_one_of_another_collection_or_qrels_do_not_count(
    store: Store, tmp_path: Path
) -> None:
    remove_runs(store, ["partial"])
    add(store, tmp_path, str(tmp_path / "partial.run"), collection="other")
    other = write_qrels(tmp_path, {"q1": {"d2": 1}}, "other.qrels")
    solo = write_run(tmp_path, {"q1": ["d2"]}, "solo.run", "solo")
    add(store, tmp_path, solo, qrels=other)
    expected = [(5 / 6 + 1 / 4) / 2, (1 + 5 / 6) / 2, 3 / 4]
    assert medians(store) == (2, pytest.approx(expected))
