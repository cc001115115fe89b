"""Baselines, experiments and histories from Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.api.store import Store
from evalstore.errors import DataError, NotFound

BM25_AGAIN = {
    qid: {docno: 1000.0 - rank for rank, docno in enumerate(docnos)} for qid, docnos in BM25.items()
}
"""The ranking of bm25 with other scores."""


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
    assert frame["reference"].tolist()[1:] == ["bm25", "bm25"]
    assert frame["reference_difference"].tolist()[2] == pytest.approx(1 / 6 - 7 / 9)
    assert str(frame["at"].dt.tz) == "UTC"
    assert store.history("e", "AP", last=1)["run"].tolist() == ["third"]
    with pytest.raises(DataError, match="one measure"):
        store.history("e", "P.5,10")


# --- differences and experiments -----------------------------------------------------------------


def test_a_diff_has_the_facts_and_the_figures_that_differ(store: Store) -> None:
    store.annotate("bm25", params={"k1": 0.9, "b": 0.4}, tags=["x"])
    store.annotate("tfidf", params={"k1": 1.2, "b": 0.4}, parent="bm25")
    diff = store.diff("bm25", "tfidf", ["AP", "P@1"])
    assert diff.line == "tfidf was derived from bm25"
    assert diff.facts.reset_index().to_numpy().tolist() == [
        ["parameters.k1", 0.9, 1.2],
        ["tags", "x", None],
    ]
    assert diff.moved[["a", "b", "measure"]].to_numpy().tolist() == [
        ["bm25", "tfidf", "AP"],
        ["bm25", "tfidf", "P@1"],
    ]
    assert diff.moved["difference"].tolist() == pytest.approx([25 / 36 - 7 / 9, 0.0])
    assert diff.unchanged == ()
    assert diff.comparison.sentences[0].startswith("tfidf is behind bm25 on AP by 0.0833")
    assert "parameters.k1   0.9     1.2" in repr(diff).splitlines()[2]
    assert "tags              x  (none)" in repr(diff)


def test_a_run_does_not_differ_from_itself(store: Store) -> None:
    store.ingest(collection="test", runs={"copy": BM25_AGAIN}, engine="e")
    diff = store.diff("bm25", "copy", "AP")
    assert diff.facts.empty
    assert (len(diff.moved), diff.unchanged) == (0, ("AP",))
    assert repr(diff).startswith("no recorded fact differs\n")
    with pytest.raises(NotFound, match="no run 'bm26'"):
        store.diff("bm25", "bm26")


def test_an_experiment_is_made_edited_and_read(store: Store) -> None:
    assert store.experiments().empty
    store.set_experiment("e10", "which k1?")
    store.set_experiment("e2")
    store.set_experiment("e10", conclusion="0.9")
    frame = store.experiments()
    assert frame.index.tolist() == ["e2", "e10"]
    assert frame.loc["e10", ["question", "conclusion", "runs"]].tolist() == ["which k1?", "0.9", 0]
    store.set_experiment("e10", question="")
    store.ingest(collection="test", runs={"b": {"q1": {"d1": 1}}}, experiment="e10")
    experiment = store.experiment("e10", ["AP"])
    assert (experiment.name, experiment.question, experiment.conclusion) == ("e10", None, "0.9")
    assert experiment.runs["run"].tolist() == ["b"]
    assert experiment.runs["AP"].tolist() == pytest.approx([1 / 6])
    assert store.experiment("e2").runs.empty


def test_an_experiment_that_can_not_be_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="no experiment 'e3'"):
        store.experiment("e3")
    with pytest.raises(DataError, match="the experiment has an empty name"):
        store.set_experiment(" ")
    with pytest.raises(DataError, match="that can't be stored"):
        store.set_experiment("e", "\0")
