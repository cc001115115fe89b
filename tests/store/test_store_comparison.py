"""The leaderboard, and runs side by side: what is shared, what is not, and who wins."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from samples import BM25, NOTHING_FOR_Q3, QRELS, TFIDF, add, write_qrels, write_run
from sqlalchemy import update

from evalstore.errors import NotComparable, NotFound
from evalstore.store import Store, models
from evalstore.usecases import compare
from evalstore.usecases.leaderboard import collections, leaderboard

RPREC = {"bm25": [0.5, 1.0, 0.0], "tfidf": [0.5, 0.5, 1.0], "partial": [0.5, 0.0, 0.0]}


@pytest.fixture
def ids(store: Store, tmp_path: Path) -> dict[str, int]:
    """Three runs of one collection, their ids by engine."""
    for engine, rankings in {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}.items():
        add(store, tmp_path, write_run(tmp_path, rankings, f"{engine}.run", engine))
    runs = leaderboard(store, "test").runs
    return dict(zip(runs["engine"], runs["run_id"].tolist(), strict=True))


def mark_deleted(store: Store, run_id: int) -> None:
    table = models.Run.__table__
    with store.write() as connection:
        connection.execute(
            update(table).where(table.c.id == run_id).values(deleted_at=datetime.now(UTC))
        )


# --- the leaderboard ---------------------------------------------------------------------------


def test_an_empty_store_has_no_collections(store: Store) -> None:
    assert collections(store).empty


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
    compared = compare.comparison(store, [ids["partial"]])
    values = compare.per_query(store, compared, "AP")[ids["partial"]]
    assert values.tolist() == [0.5, 0.0, 0.0]


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


def test_a_run_marked_as_deleted_is_left_out_everywhere(store: Store, ids: dict[str, int]) -> None:
    mark_deleted(store, ids["tfidf"])
    board = leaderboard(store, "test")
    assert board.runs["engine"].tolist() == ["bm25", "partial"]
    assert list(board.values.index) == [ids["bm25"], ids["partial"]]
    assert collections(store)["runs"].tolist() == [2]
    with pytest.raises(NotFound, match=str(ids["tfidf"])):
        compare.comparison(store, [ids["bm25"], ids["tfidf"]])
    with store.read() as connection:
        for view in ("leaderboard", "query_values"):
            rows = connection.exec_driver_sql(f"SELECT DISTINCT engine FROM {view}").all()
            assert sorted(row[0] for row in rows) == ["bm25", "partial"]


# --- side by side --------------------------------------------------------------------------------


def test_a_comparison_keeps_the_order_asked_and_counts_a_run_once(
    store: Store, ids: dict[str, int]
) -> None:
    wanted = [ids["tfidf"], ids["bm25"], ids["tfidf"]]
    compared = compare.comparison(store, wanted)
    assert compared.runs["run_id"].tolist() == wanted[:2]
    assert compared.runs["label"].tolist() == ["tfidf", "bm25"]
    assert compared.queries["qid"].tolist() == sorted(QRELS)
    assert compared.notes == ()


def test_two_runs_of_an_engine_are_told_apart_by_the_run(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "tuned.run", "bm25"))
    runs = leaderboard(store, "test").runs
    (tuned,) = runs[runs["run"] == "tuned"]["run_id"]
    labels = compare.comparison(store, [ids["bm25"], tuned]).runs["label"].tolist()
    assert labels == ["bm25 · bm25", "bm25 · tuned"]


def test_unanswered_queries_are_noted(store: Store, ids: dict[str, int]) -> None:
    compared = compare.comparison(store, [ids["bm25"], ids["partial"]])
    assert compared.notes == (
        "partial answered 2 of 3 queries; the others count as empty rankings",
    )


def test_an_answer_to_a_query_without_judgments_does_not_hide_a_missing_one(
    store: Store, tmp_path: Path
) -> None:
    run = write_run(tmp_path, {**NOTHING_FOR_Q3, "unjudged": ["d1"]})
    add(store, tmp_path, run)
    (run_id,) = leaderboard(store, "test").runs["run_id"]
    assert "answered 2 of 3" in compare.comparison(store, [run_id]).notes[0]


def test_runs_of_different_collections_are_not_comparable(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    add(store, tmp_path, write_run(tmp_path), collection="another")
    other = int(leaderboard(store, "another").runs["run_id"][0])
    with pytest.raises(NotComparable, match="'test', 'another'"):
        compare.comparison(store, [ids["bm25"], other])


def test_runs_without_a_common_qrels_are_not_comparable(
    store: Store, tmp_path: Path, ids: dict[str, int]
) -> None:
    second = write_qrels(tmp_path, {"q1": {"d1": 1}}, "second.qrels")
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"), qrels=second)
    runs = leaderboard(store, "test").runs
    (new,) = runs[runs["run"] == "new"]["run_id"]
    with pytest.raises(NotComparable, match="never evaluated with the same qrels"):
        compare.comparison(store, [ids["bm25"], new])
    with pytest.raises(NotComparable, match="'second'"):
        compare.comparison(store, [ids["bm25"], ids["tfidf"]], "second")
    assert compare.comparison(store, [ids["bm25"], ids["tfidf"]]).qrels == "test"


@pytest.mark.parametrize("unknown", [0, -1, 987654, 2**63, 10**30])
def test_a_run_that_is_not_there_is_named(store: Store, ids: dict[str, int], unknown: int) -> None:
    with pytest.raises(NotFound, match=f"there is no run {unknown} in the store"):
        compare.comparison(store, [ids["bm25"], unknown])


def test_no_run_at_all_is_no_comparison(store: Store) -> None:
    with pytest.raises(NotFound):
        compare.comparison(store, [])


# --- values, curves, outcomes ------------------------------------------------------------------


def test_values_per_query_stand_in_the_comparisons_order(store: Store, ids: dict[str, int]) -> None:
    compared = compare.comparison(store, [ids["tfidf"], ids["bm25"]])
    values = compare.per_query(store, compared, "Rprec")
    assert list(values.columns) == [ids["tfidf"], ids["bm25"]]
    assert list(values.index) == ["q1", "q2", "q3"]
    assert values[ids["bm25"]].tolist() == RPREC["bm25"]
    assert values[ids["tfidf"]].tolist() == RPREC["tfidf"]


def test_a_measure_that_is_not_stored_is_named(store: Store, ids: dict[str, int]) -> None:
    compared = compare.comparison(store, [ids["bm25"]])
    with pytest.raises(NotFound, match="P@7 is not stored"):
        compare.per_query(store, compared, "P@7")


def test_a_recall_precision_curve_has_the_eleven_levels(store: Store, ids: dict[str, int]) -> None:
    compared = compare.comparison(store, [ids["tfidf"], ids["bm25"]])
    curve = compare.recall_precision(store, compared)
    assert curve["run_id"].tolist() == [ids["tfidf"]] * 11 + [ids["bm25"]] * 11
    assert curve["recall"].tolist() == [i / 10 for i in range(11)] * 2
    # bm25: q1 is d1 (1/1) and d2 (2/3); q2 both at once; q3 at rank 2.
    low, high = (1 + 1 + 0.5) / 3, (2 / 3 + 1 + 0.5) / 3
    assert curve["precision"][11:].tolist() == pytest.approx([low] * 6 + [high] * 5)


def test_the_curve_of_one_query_is_its_own(store: Store, ids: dict[str, int]) -> None:
    compared = compare.comparison(store, [ids["bm25"]])
    curve = compare.recall_precision(store, compared, "q1")
    assert curve["precision"].tolist() == pytest.approx([1.0] * 6 + [2 / 3] * 5)
    with pytest.raises(NotFound, match="'q9'"):
        compare.recall_precision(store, compared, "q9")


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], (0, 0, 0, 0.0)),
        ([0.0, -0.0], (0, 2, 0, 0.0)),
        ([0.5, -0.25, 0.0, 0.25], (2, 1, 1, 0.125)),
    ],
)
def test_an_outcome_counts_wins_ties_and_losses_of_a(
    differences: list[float], expected: tuple[int, int, int, float]
) -> None:
    found = compare.outcome(np.array(differences))
    assert (found.wins, found.ties, found.losses, found.mean) == expected
