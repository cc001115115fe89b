"""What people read is in natural order: `run2` before `run10`, query `9` before `10`."""

from __future__ import annotations

from pathlib import Path

import pytest
from compared_runs import compared, run_values
from databases import both_databases
from leaderboard_frames import collections as collection_frame
from leaderboard_frames import leaderboard
from samples import Filled, add, write_qrels, write_run

from dashboard.figures.frames import pair_values
from evalstore.catalog.collections import collections
from evalstore.catalog.qrels import list_qrels
from evalstore.catalog.queries import list_queries
from evalstore.catalog.runs import remove_runs, removed_runs
from evalstore.comparison.claims import regressions
from evalstore.comparison.loading import load_stored_runs
from evalstore.measures import named_measures
from evalstore.store import Store

NUMBERS = ("10", "9", "100", "2")
IN_ORDER = ["2", "9", "10", "100"]
AP = named_measures("AP")


def fill(store: Store, folder: Path) -> None:
    """Collections, engines, runs and queries whose names have numbers of several lengths."""
    qrels = write_qrels(folder, {number: {"d": 1} for number in NUMBERS})
    for number in NUMBERS:
        run = write_run(folder, {n: ["d", number] for n in NUMBERS}, f"run{number}.run")
        add(store, folder, run, qrels=qrels, engine=f"e{number}", collection="c2")
    for number in ("10", "1"):
        add(store, folder, run, qrels=qrels, engine="e", collection=f"c{number}")


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


@both_databases
def test_a_leaderboard_lists_engines_and_runs(filled: Store) -> None:
    runs = leaderboard(filled, "c2").runs
    assert runs["engine"].tolist() == [f"e{number}" for number in IN_ORDER]


@both_databases
def test_collections_and_their_qrels_are_listed(filled: Store) -> None:
    names = ["c1", "c2", "c10"]
    assert [stored.name for stored in collections(filled)] == names
    assert collection_frame(filled)["collection"].tolist() == names
    assert [stored.collection for stored in list_qrels(filled)] == names


@both_databases
def test_removed_runs_are_listed(own: Store) -> None:
    remove_runs(own, [f"run{number}" for number in NUMBERS], "c2")
    assert [run.name for run in removed_runs(own)] == [f"run{number}" for number in IN_ORDER]


@both_databases
def test_the_queries_of_a_collection_are_listed(filled: Store) -> None:
    assert [query.qid for query in list_queries(filled, "c2")] == IN_ORDER


@both_databases
def test_the_queries_of_the_compare_page_are_listed(filled: Store) -> None:
    loaded = load_stored_runs(filled, ["run10", "run2"], AP, collection="c2")
    rows = pair_values(loaded.runs[0], loaded.runs[1], "AP", loaded.texts)
    assert rows["qid"].tolist() == IN_ORDER


def test_queries_that_a_run_misses_are_named() -> None:
    values = dict.fromkeys(NUMBERS, 0.5)
    comparison = compared(run_values("a", values), run_values("b", values, missing=("10", "9")))
    assert comparison.reasons == (
        "2 of 4 queries answered by both; 9, 10 missing from b; they count as empty rankings",
    )


def test_equal_losses_are_listed_by_query() -> None:
    better, worse = (run_values(n, dict.fromkeys(NUMBERS, v)) for n, v in (("a", 0.5), ("b", 0.25)))
    losses = regressions(compared(better, worse), 4)
    assert [loss.qid for loss in losses] == IN_ORDER
