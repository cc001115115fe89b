"""Baselines, experiments and histories from Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.api.store import Store
from evalstore.errors import DataError, NotFound


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with three runs of a collection."""
    runs = {"bm25": BM25, "tfidf": TFIDF, "third": NOTHING_FOR_Q3}
    with ev.open(tmp_path / "evalstore.db") as opened:
        opened.ingest(
            collection="test",
            qrels=write_qrels(tmp_path),
            engine="e",
            runs=[write_run(tmp_path, run, f"{name}.run") for name, run in runs.items()],
        )
        yield opened


def test_a_baseline_is_set_read_and_unset(store: Store) -> None:
    assert store.baseline("test") is None
    store.set_baseline("bm25")
    assert store.baseline("test") == "bm25"
    store.set_baseline(None, "test")
    store.set_baseline(None, "test")
    assert store.baseline("test") is None


def test_a_baseline_that_can_not_be_is_refused(store: Store) -> None:
    with pytest.raises(DataError, match="name the collection"):
        store.set_baseline(None)
    with pytest.raises(NotFound, match="no collection 'tset'"):
        store.set_baseline(None, "tset")
    with pytest.raises(NotFound, match="no run 'bm26'"):
        store.set_baseline("bm26")


def test_one_run_is_compared_with_the_baseline(store: Store) -> None:
    store.set_baseline("bm25")
    compared = store.compare(["tfidf"], "AP")
    assert compared.pairs[["a", "b"]].to_numpy().tolist() == [["bm25", "tfidf"]]
    assert "compared with bm25, the baseline of collection 'test'" in compared.notes
    with pytest.raises(DataError, match="two runs or more"):
        store.compare(["tfidf"], "AP", no_baseline=True)


def test_leaderboards_have_differences_to_the_baseline(store: Store) -> None:
    assert store.leaderboard_ranks("test")["difference"].isna().all()
    store.set_baseline("bm25")
    ranks = store.leaderboard_ranks("test").set_index("run")["difference"]
    assert ranks["tfidf"] == pytest.approx(25 / 36 - 7 / 9)
    assert store.leaderboard_ranks("test", no_baseline=True)["difference"].isna().all()


def test_a_history_is_a_frame_of_the_runs_of_an_engine(store: Store) -> None:
    frame = store.history("e", "AP")
    assert frame["run"].tolist() == ["bm25", "tfidf", "third"]
    assert frame["value"].tolist() == pytest.approx([7 / 9, 25 / 36, 1 / 6])
    assert frame["difference"].isna().tolist() == [True, False, False]
    assert str(frame["at"].dt.tz) == "UTC"
    assert store.history("e", "AP", last=1)["run"].tolist() == ["third"]
    with pytest.raises(DataError, match="one measure"):
        store.history("e", "P.5,10")
