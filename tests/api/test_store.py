"""`ev.open`: a store in Python, with files, frames and dictionaries."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from samples import BM25, QRELS, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError, NotFound, StoreError
from evalstore.measures import AP, P, nDCG

SCORES = {
    qid: {docno: float(10 - rank) for rank, docno in enumerate(docnos)}
    for qid, docnos in TFIDF.items()
}


@pytest.fixture
def store(tmp_path: Path) -> ev.Store:
    store = ev.open(tmp_path / "store.db")
    paths = [write_run(tmp_path), Path(write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))]
    result = store.ingest(
        collection="test", qrels=write_qrels(tmp_path), runs=paths, experiment="first"
    )
    assert dict(result.counts) == {"stored": 2}
    return store


def test_a_store_is_made_by_the_first_ingest_and_by_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    store = ev.open(path)
    with pytest.raises(StoreError, match="there is no store"):
        store.collections()
    assert not path.exists()
    store.ingest(collection="c", qrels=QRELS, runs={"bm25": SCORES})
    assert list(store.collections().index) == ["c"]
    with pytest.raises(StoreError, match="no folder"):
        ev.open(tmp_path / "nowhere" / "x.db")


def test_collections_qrels_and_runs_are_frames(store: ev.Store) -> None:
    collections = store.collections()
    assert collections.loc["test", ["queries", "qrels", "runs", "default_qrels"]].tolist() == [
        *(3, 1, 2, "test")
    ]
    assert store.qrels("test")[["name", "judgments", "is_default"]].values.tolist() == [
        ["test", 6, True]
    ]
    runs = store.runs(measures=[AP, "P@1"], sort="-AP")
    assert set(runs["run"]) == {"bm25", "tfidf"}
    assert runs["AP"].is_monotonic_increasing
    assert set(runs["experiment"]) == {"first"}
    assert list(store.runs(engine="tfidf")["run"]) == ["tfidf"]
    with pytest.raises(NotFound, match="no run has the engine 'nothing'"):
        store.runs(engine="nothing")


def test_the_leaderboard_has_the_stored_values_and_computes_the_others(store: ev.Store) -> None:
    board = store.leaderboard("test", measures=[nDCG @ 10, P(rel=2) @ 7, "map"])
    assert list(board.columns) == ["engine", "nDCG@10", "P(rel=2)@7", "map"]
    assert board["nDCG@10"].is_monotonic_decreasing
    expected = ev.evaluate(QRELS, {"tfidf": SCORES}, ["nDCG@10", "P(rel=2)@7", "map"])
    pd.testing.assert_series_equal(
        board.loc["tfidf", ["nDCG@10", "P(rel=2)@7", "map"]].astype(float),
        expected.aggregates.loc["tfidf"],
        check_names=False,
        check_index_type=False,
    )


def test_a_run_gives_its_facts_ranking_and_values(store: ev.Store) -> None:
    run = store.run("bm25")
    assert (run.name, run.facts.engine, run.facts.experiment) == ("bm25", "bm25", "first")
    frame = run.to_frame()
    ranked = frame.sort_values(["qid", "rank"]) if "rank" in frame else frame
    assert ranked.groupby("qid")["docno"].apply(list).to_dict() == {
        qid: list(docnos) for qid, docnos in BM25.items()
    }
    values = run.values(["AP", "P@1"])
    assert list(values.index) == ["q1", "q2", "q3"]
    assert values["P@1"].tolist() == [1.0, 1.0, 0.0]
    assert "nDCG@10" in run.values().columns
    with pytest.raises(NotFound, match="no run 'nothing'"):
        store.run("nothing")


def test_frames_and_dictionaries_are_ingested_as_files_are(store: ev.Store) -> None:
    frame = store.run("bm25").to_frame()
    again = store.ingest(collection="test", runs={"other name": frame})
    assert [outcome.status for outcome in again.outcomes] in (["stored"], ["already stored"])
    new = store.ingest(collection="test", runs={"dense": {"q1": {"d2": 2.0, "d1": 1.0}}})
    assert [(o.status, o.detail) for o in new.outcomes] == [("stored", "dense")]
    assert store.run("dense").values(["RR"])["RR"].tolist() == [1.0, 0.0, 0.0]


def test_one_run_that_fails_fails_alone(store: ev.Store) -> None:
    result = store.ingest(
        collection="test",
        runs={"good": {"q1": {"d1": 1.0}}, "bad": {"q1": {"d1": float("nan")}}},
    )
    assert [outcome.status for outcome in result.outcomes] == ["stored", "failed"]
    assert "nan" in result.outcomes[1].detail.lower()
    disjoint = store.ingest(collection="test", runs={"x": {"other": {"d1": 1.0}}})
    assert "none of its queries" in disjoint.outcomes[0].detail
    wrong = {"q9": {"d1": 1}}
    for runs in ({"x": {"q1": {"d1": 1.0}}}, {"x": {"q2": {"d1": 1.0}}}):
        store.ingest(collection="other", qrels=wrong, runs=runs)
        assert list(store.collections().index) == ["test"]


def test_sql_gives_a_frame_and_changes_nothing(store: ev.Store) -> None:
    frame = store.sql("SELECT run, value FROM leaderboard WHERE measure = 'AP' ORDER BY run")
    assert frame["run"].tolist() == ["bm25", "tfidf"]
    with pytest.raises(DataError, match="SQL"):
        store.sql("DELETE FROM run")


def test_measures_are_computed_and_stored(store: ev.Store) -> None:
    store.measure(P @ 7, ["bm25"])
    stored = store.sql("SELECT count(*) AS n FROM leaderboard WHERE measure = 'P@7'")
    assert stored["n"].tolist() == [1]


def test_a_store_is_closed_by_its_context_and_shows_no_password(store: ev.Store) -> None:
    with store as same:
        assert "store.db" in repr(same)


def test_new_judgments_are_frames_of_what_they_change(store: ev.Store, tmp_path: Path) -> None:
    judged = {**QRELS, "q1": {"d1": 0, "d2": 1, "d3": 2}}
    changes = store.reevaluate("test", judged, measures=[AP], default_qrels=True)
    assert changes.judgments == {"added": 0, "removed": 0, "changed": 2}
    # AP of q1: bm25 d1 d9 d2: 1/3 of two relevant: 1/6; tfidf d3 d1: 1/2. The rest as before.
    assert changes.values.columns.tolist() == [
        *("measure", "engine", "run", "before", "after", "difference", "rank_before", "rank_after")
    ]
    assert changes.values["after"].tolist() == pytest.approx([5 / 9, 7 / 9])
    assert changes.swapped.values.tolist() == [["AP", "bm25", "tfidf"]]
    assert changes.agreement.values.tolist() == [["AP", 2, 1, -1.0, -1.0]]
    assert changes.runs["status"].tolist() == ["evaluated"] * 2
    assert store.leaderboard("test", measures=[AP]).index.tolist() == ["tfidf", "bm25"]
    again = store.reevaluate("test", write_qrels(tmp_path), before="qrels", measures=[AP])
    assert again.runs["status"].tolist() == ["already evaluated"] * 2
    assert repr(again) == "<Reevaluation of test: qrels to test>"
    assert again.notes == ()


def test_parameters_are_columns_of_the_frame_of_runs_on_request(store: ev.Store) -> None:
    rankings = {"q1": {"d1": 1.0}}
    store.log_run(
        rankings, engine="e", collection="test", name="new", params={"k1": 0.9},
        started_at=datetime(2026, 6, 3, tzinfo=UTC),
    )  # fmt: skip
    table = store.runs("test", columns=["run", "k1", "date_is", "AP"], where="date=2026-06")
    assert table.to_frame().to_numpy().tolist() == [
        ["new", 0.9, "started", store.runs("test", measures="AP", find="new")["AP"].item()]
    ]
    assert store.runs("test", until="2026-06-02").empty
    assert store.runs("test", since="2026-06-03", until="2026-06-03")["run"].tolist() == ["new"]
    with pytest.raises(DataError, match="since is a date, not 'June'"):
        store.runs("test", since="June")
