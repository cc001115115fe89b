"""The unjudged documents that move a difference most, as frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from samples import BM25, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError, MeasureError
from evalstore.measures import P


def test_files_and_stored_runs_have_the_same_frame(tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path)
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    frame = ev.holes(qrels, runs, P @ 2)
    assert list(map(str, frame.dtypes[2:])) == ["Int64", "Int64", "float64"]
    assert frame["docno"].tolist() == ["d9", "d9", "d8"]
    assert frame["rank_b"].isna().tolist() == [True, False, True]
    assert frame["change"].tolist() == pytest.approx([-1 / 6, 1 / 6, -1 / 6])
    with ev.open(tmp_path / "store.db") as store:
        store.ingest(collection="test", qrels=qrels, runs=runs)
        assert store.holes("bm25", 2, "P@2").equals(frame)
        assert store.holes("bm25", "tfidf", "P@2", most=1).equals(frame[:1])


def test_the_pool_of_files_is_that_of_stored_runs(tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path)
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    frame = ev.pool(qrels, runs, 2)
    assert frame[["qid", "docno"]].to_numpy().tolist() == [["q3", "d8"], ["q1", "d9"], ["q2", "d9"]]
    assert frame[["stratum", "probability"]].isna().all(axis=None)
    sample = ev.pool(qrels, runs, 2, strata=[(1, 1.0), (2, 0.5)])
    assert sample["stratum"].tolist() == ["1-1", "2-2", "2-2"]
    assert sample["probability"].tolist() == [1.0, 1.0, 1.0]
    drawing: dict[str, Any] = {"strata": [(3, 0.1)], "undrawn": True}
    every = ev.pool({"q1": {"d1": 1}}, runs, 3, **drawing)
    assert every[every["qid"] == "q1"]["probability"].round(2).tolist().count(0) == 2
    with ev.open(tmp_path / "store.db") as store:
        store.ingest(collection="test", qrels={"q1": {"d1": 1}}, runs=runs)
        assert store.pool(["bm25", 2], 3, **drawing).equals(every)
        store.ingest(collection="other", qrels=qrels, runs=runs)
        assert store.pool(["bm25", "tfidf"], 2, collection="other").equals(frame)
        settled = store.pool(
            ["bm25", "tfidf"], 2, "settle", measure=P @ 1, budget=1, collection="other"
        )
        assert settled["docno"].tolist() == ["d8"]


def test_the_frame_can_be_filled_in_as_judgments(tmp_path: Path) -> None:
    frame = ev.holes(write_qrels(tmp_path), [write_run(tmp_path), {"q1": {"d7": 1.0}}], "P@1")
    filled = ev.Qrels.from_frame(frame.assign(grade=1))
    assert filled.to_dict() == {"q1": {"d7": 1.0}, "q3": {"d8": 1.0}}


def test_only_some_queries_are_looked_at(tmp_path: Path) -> None:
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    queries = {"q1": {"lang": "de"}, "q2": {"lang": "en"}, "q3": {"lang": "en"}}
    frame = ev.holes(write_qrels(tmp_path), runs, "P@2", queries=queries, where="lang=en")
    assert frame["qid"].tolist() == ["q2", "q3"]
    assert frame["change"].tolist() == [0.25, -0.25]


def test_it_takes_two_runs_and_one_measure(tmp_path: Path) -> None:
    qrels, run = write_qrels(tmp_path), write_run(tmp_path)
    with pytest.raises(DataError, match="holes are of two runs, and these are 1"):
        ev.holes(qrels, run)
    with pytest.raises(MeasureError, match="GMAP is no mean over queries"):
        ev.holes(qrels, {"a": BM25_SCORES, "b": run}, "GMAP")


BM25_SCORES = {
    qid: {docno: -float(rank) for rank, docno in enumerate(docnos)} for qid, docnos in BM25.items()
}
