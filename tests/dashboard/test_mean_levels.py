"""Curves of many runs are drawn from stored means, which are those of the values."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from samples import BM25, NOTHING_FOR_Q3, add, write_run

from dashboard.address import Address
from dashboard.figures.frames import recall_curves
from dashboard.page import View
from dashboard.pages.compare.load import Comparison, load
from evalstore.comparison.loading import load_stored_runs
from evalstore.measures import named_measures
from evalstore.measures.notation import RECALL_LEVELS
from evalstore.store import Store

NAMES = [f"bm25 {number}" for number in range(5)]


def fill(store: Store, folder: Path) -> None:
    """Five runs, each with one document more before the others."""
    for number, name in enumerate(NAMES):
        before = [f"n{place}" for place in range(number)]
        rankings = {qid: [*before, *docs] for qid, docs in BM25.items()}
        add(store, folder, write_run(folder, rankings, f"{name}.run", name))


def compared(store: Store, *names: str, **chosen: str) -> Comparison:
    return load(View(store, Address("compare", "test", None, {"runs": names, **chosen})))


@pytest.mark.parametrize("number", [4, 5])
def test_the_curves_are_those_of_the_values(
    empty_store: Store, tmp_path: Path, number: int
) -> None:
    fill(empty_store, tmp_path)
    comparison = compared(empty_store, *NAMES[:number])
    assert (comparison.levels is None) == (number == 4)
    values = load_stored_runs(empty_store, comparison.names, named_measures(RECALL_LEVELS)).runs
    expected = recall_curves(values)
    pd.testing.assert_frame_equal(
        comparison.mean_curves.drop(columns="run_id"),
        expected.drop(columns="run_id"),
        check_exact=True,
    )


def test_the_values_of_queries_at_the_levels_are_not_read(
    empty_store: Store, tmp_path: Path
) -> None:
    fill(empty_store, tmp_path)
    without = compared(empty_store, *NAMES).loaded.runs[0].values
    assert set(RECALL_LEVELS).isdisjoint(without)
    of_query = compared(empty_store, *NAMES, query="q1").loaded.runs[0].values
    assert set(RECALL_LEVELS) <= set(of_query)


def test_a_query_without_an_answer_counts_as_an_empty_ranking(
    empty_store: Store, tmp_path: Path
) -> None:
    fill(empty_store, tmp_path)
    add(empty_store, tmp_path, write_run(tmp_path, NOTHING_FOR_Q3, "partial.run", "partial"))
    comparison = compared(empty_store, *NAMES[:4], "partial")
    values = load_stored_runs(empty_store, comparison.names, named_measures(RECALL_LEVELS)).runs
    assert comparison.mean_curves["precision"].tolist() == [
        run.values[level].mean() for run in values for level in RECALL_LEVELS
    ]


def test_levels_that_are_not_stored_are_computed(empty_store: Store, tmp_path: Path) -> None:
    fill(empty_store, tmp_path)
    before = compared(empty_store, *NAMES)
    with empty_store.write() as connection:
        connection.exec_driver_sql(
            "DELETE FROM aggregate WHERE measure_id = "
            "(SELECT id FROM measure WHERE name = 'IPrec@0.5') AND evaluation_id = 1"
        )
    with Store.open(empty_store.url) as anew:
        after = compared(anew, *NAMES)
    assert after.levels is None
    pd.testing.assert_frame_equal(after.mean_curves, before.mean_curves, check_exact=True)
