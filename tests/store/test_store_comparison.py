"""The leaderboard, and runs side by side: what is shared, what is not, and who wins."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from compared_runs import compared as compared_runs
from compared_runs import numbered, run_values
from databases import both_databases
from leaderboard_frames import collections, leaderboard
from samples import BM25, NOTHING_FOR_Q3, QRELS, TFIDF, Filled, add, write_qrels, write_run
from sqlalchemy import update

from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.significance import Compared
from evalstore.errors import DataError, NotFound
from evalstore.measures import named_measures
from evalstore.measures.notation import RECALL_LEVELS
from evalstore.store import Store, models

RPREC = {"bm25": [0.5, 1.0, 0.0], "tfidf": [0.5, 0.5, 1.0], "partial": [0.5, 0.0, 0.0]}


def fill(store: Store, folder: Path) -> None:
    """Three runs of one collection."""
    for engine, rankings in {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}.items():
        add(store, folder, write_run(folder, rankings, f"{engine}.run", engine))


@pytest.fixture
def store(copied: Filled) -> Store:
    return copied(fill)


@pytest.fixture
def empty(database_url: str) -> Iterator[Store]:
    with Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def ids(store: Store) -> dict[str, int]:
    """The ids of the runs by engine."""
    runs = leaderboard(store, "test").runs
    return dict(zip(runs["engine"], runs["run_id"].tolist(), strict=True))


def compare(store: Store, *runs: str, qrels: str | None = None) -> Compared:
    measures = named_measures("AP")
    return compare_loaded(load_stored_runs(store, runs, measures, qrels=qrels), measures)


def mark_deleted(store: Store, run_id: int) -> None:
    table = models.Run.__table__
    with store.write() as connection:
        connection.execute(
            update(table).where(table.c.id == run_id).values(deleted_at=datetime.now(UTC))
        )


# --- the leaderboard ---------------------------------------------------------------------------


def test_an_empty_store_has_no_collections(empty: Store) -> None:
    assert collections(empty).empty


def test_collections_are_listed_with_what_they_hold(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    add(store, tmp_path, collection="Empty")
    frame = collections(store)
    assert frame.drop(columns="documents").to_numpy().tolist() == [
        ["Empty", 3, 0, ("test",)],
        ["test", 3, 3, ("test",)],
    ]


def test_a_leaderboard_has_a_row_per_run_and_a_column_per_measure(
    store: Store, ids: dict[str, int]
) -> None:
    board = leaderboard(store, "test")
    assert (board.collection, board.qrels, board.queries) == ("test", "test", 3)
    assert board.runs["engine"].tolist() == ["bm25", "partial", "tfidf"]
    assert board.runs["queries_answered"].tolist() == [3, 2, 3]
    assert board.runs["retrieved"].tolist() == [7, 2, 6]
    assert str(board.runs["date"].dt.tz) == "UTC"
    for engine, values in RPREC.items():
        assert board.values.loc[ids[engine], "Rprec"] == pytest.approx(np.mean(values))
    assert tuple(board.values.columns) == board.measures


def test_a_query_without_an_answer_counts_as_an_empty_ranking(
    store: Store, ids: dict[str, int]
) -> None:
    (partial,) = load_stored_runs(store, ["partial"], named_measures("AP")).runs
    assert partial.values["AP"].tolist() == [0.5, 0.0, 0.0]


def test_a_collection_or_qrels_that_is_not_there_is_named(
    store: Store, ids: dict[str, int]
) -> None:
    with pytest.raises(NotFound, match="'nowhere'"):
        leaderboard(store, "nowhere")
    with pytest.raises(NotFound, match="no qrels 'nothing'; it has 'test'"):
        leaderboard(store, "test", "nothing")


def test_a_run_that_was_not_evaluated_under_a_qrels_has_no_values_there(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    second = write_qrels(tmp_path, {"q1": {"d1": 1}}, "second.qrels")
    add(store, tmp_path, write_run(tmp_path, BM25, "bm25.run", "bm25"), qrels=second)
    board = leaderboard(store, "test", "second")
    assert board.qrels == "second"
    assert board.values["P@1"].isna().to_dict() == {
        ids["bm25"]: False,
        ids["partial"]: True,
        ids["tfidf"]: True,
    }


@both_databases
def test_a_run_marked_as_deleted_is_left_out_everywhere(store: Store, ids: dict[str, int]) -> None:
    mark_deleted(store, ids["tfidf"])
    board = leaderboard(store, "test")
    assert board.runs["engine"].tolist() == ["bm25", "partial"]
    assert list(board.values.index) == [ids["bm25"], ids["partial"]]
    assert collections(store)["runs"].tolist() == [2]
    with pytest.raises(NotFound, match=f"run '{ids['tfidf']}'"):
        load_stored_runs(store, [str(ids["bm25"]), str(ids["tfidf"])], {})
    with store.read() as connection:
        for view in ("leaderboard", "query_values"):
            rows = connection.exec_driver_sql(f"SELECT DISTINCT engine FROM {view}").all()
            assert sorted(row[0] for row in rows) == ["bm25", "partial"]


# --- side by side --------------------------------------------------------------------------------


def test_a_comparison_keeps_the_order_asked(store: Store, ids: dict[str, int]) -> None:
    compared = compare(store, "tfidf", "bm25")
    assert [run.name for run in compared.runs] == ["tfidf", "bm25"]
    assert compared.qids == tuple(sorted(QRELS))
    assert compared.reasons == ()


def test_unanswered_queries_are_noted(store: Store, ids: dict[str, int]) -> None:
    (reason,) = compare(store, "bm25", "partial").reasons[:1]
    assert reason.startswith("2 of 3 queries answered by both; q3 missing from partial;")


def test_an_answer_to_a_query_without_judgments_does_not_hide_a_missing_one(
    empty: Store, tmp_path: Path
) -> None:
    run = write_run(tmp_path, {**NOTHING_FOR_Q3, "unjudged": ["d1"]})
    add(empty, tmp_path, run, write_run(tmp_path, TFIDF, "tfidf.run"))
    reason = compare(empty, "bm25", "tfidf").reasons[0]
    assert reason.startswith("2 of 3 queries answered by both; q3 missing from bm25;")


def test_runs_of_different_collections_are_not_comparable(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    add(store, tmp_path, write_run(tmp_path, TFIDF, "other.run"), collection="another")
    compared = compare(store, "partial", "other")
    assert compared.comparable == "no"
    (reason,) = compared.reasons
    assert "partial 'test', other 'another'" in reason


def test_runs_without_a_common_qrels_are_not_comparable(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    second = write_qrels(tmp_path, {"q1": {"d1": 1}}, "second.qrels")
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"), qrels=second)
    [reason] = compare(store, "bm25", "new").reasons
    assert reason.startswith("the runs were never evaluated with the same qrels; new is not ")
    [reason] = compare(store, "bm25", "tfidf", qrels="second").reasons
    assert reason.startswith("bm25, tfidf are not evaluated under qrels 'second'; all are under")
    assert [run.qrels for run in compare(store, "bm25", "tfidf").runs] == ["test", "test"]


@pytest.mark.parametrize("unknown", [0, -1, 987654, 2**63, 10**30])
def test_a_run_that_is_not_there_is_named(store: Store, ids: dict[str, int], unknown: int) -> None:
    with pytest.raises(NotFound, match=f"there is no run '{unknown}' in the store"):
        compare(store, "bm25", str(unknown))


def test_no_run_at_all_is_no_comparison(store: Store) -> None:
    with pytest.raises(DataError, match="no run is named"):
        compare(store)


# --- values, curves, outcomes ------------------------------------------------------------------


def test_values_per_query_stand_in_the_order_of_the_queries(
    store: Store, ids: dict[str, int]
) -> None:
    runs = load_stored_runs(store, ["tfidf", "bm25"], named_measures("Rprec")).runs
    assert [run.name for run in runs] == ["tfidf", "bm25"]
    for run in runs:
        assert run.qids == ("q1", "q2", "q3")
        assert run.values["Rprec"].tolist() == RPREC[run.name]


@both_databases
def test_a_recall_precision_curve_has_the_eleven_levels(store: Store, ids: dict[str, int]) -> None:
    (bm25,) = load_stored_runs(store, ["bm25"], named_measures(RECALL_LEVELS)).runs
    assert len(bm25.values) == 11
    # bm25: q1 is d1 (1/1) and d2 (2/3); q2 both at once; q3 at rank 2.
    low, high = (1 + 1 + 0.5) / 3, (2 / 3 + 1 + 0.5) / 3
    means = [values.mean() for values in bm25.values.values()]
    assert means == pytest.approx([low] * 6 + [high] * 5)
    of_q1 = [values[0] for values in bm25.values.values()]
    assert of_q1 == pytest.approx([1.0] * 6 + [2 / 3] * 5)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.0, -0.0], (0, 2, 0, 0.0)),
        ([0.5, -0.25, 0.0, 0.25], (2, 1, 1, 0.125)),
    ],
)
def test_an_outcome_counts_wins_ties_and_losses(
    differences: list[float], expected: tuple[int, int, int, float]
) -> None:
    baseline = run_values("a", numbered([0.5] * len(differences)))
    run = run_values("b", numbered([0.5 + difference for difference in differences]))
    (pair,) = compared_runs(baseline, run).pairs
    assert (pair.wins, pair.ties, pair.losses, pair.difference) == expected
