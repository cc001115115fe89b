"""How far a run reproduces another one, as frames."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import BM25, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError, NotComparable


def test_files_and_stored_runs_have_the_same_frames(tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path)
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    found = ev.reproduce(qrels, *runs, "P@1", baseline=runs[1], reproduced_baseline=runs[0])
    assert found.figures.loc[("rmse", "P@1"), "value"] == pytest.approx((2 / 3) ** 0.5)
    assert found.figures.loc[("ktu", ""), "baseline"] == -1
    assert list(found.figures.index.get_level_values("figure").unique()) == [
        *("ktu", "rbo", "rmse", "nrmse", "ttest", "ttest_unpaired", "er", "dri"),
    ]
    assert found.baseline_per_query is not None
    assert found.per_query.index.tolist() == found.baseline_per_query.index.tolist()
    assert repr(found).splitlines()[0].split() == ["figure", "measure", "value", "baseline"]
    with ev.open(tmp_path / "store.db") as store:
        store.ingest(collection="test", qrels=qrels, runs=runs)
        stored = store.reproduce("bm25", 2, "P@1", baseline="tfidf", reproduced_baseline=1)
        assert stored.figures.equals(found.figures)
        assert stored.per_query.equals(found.per_query)


def test_a_run_reproduces_itself(tmp_path: Path) -> None:
    run = write_run(tmp_path)
    found = ev.reproduce(write_qrels(tmp_path), run, run, ["AP"])
    assert found.figures["value"].drop(index=("rbo", "")).tolist() == [1, 0, 0, 1, 1]
    assert found.baseline_per_query is None


def test_the_sentence_tells_of_the_effect_and_of_the_two_runs() -> None:
    queries = [f"q{number}" for number in range(8)]
    qrels = {qid: {"good": 1, "bad": 0} for qid in queries}

    def run(found: int) -> dict[str, dict[str, float]]:
        return {
            qid: {"good" if number < found else "bad": 1.0} for number, qid in enumerate(queries)
        }

    def sentence(found: int, baseline: dict[str, dict[str, float]] | None = None) -> str:
        return ev.reproduce(qrels, run(8), run(found), "P@1", baseline=baseline).sentence

    # P@1: all 8 of the original, 0 of the baseline. t of 1 and of 6 differences of -1 among 8.
    assert sentence(8) == "The values of every query are equal on P@1."
    assert sentence(7, run(0)) == (
        "reproduction reproduces this share of the difference between original and baseline: "
        "88 % on P@1. "
        "The paired t test does not tell the two runs apart on P@1 (smallest p 0.3506)."
    )
    assert sentence(2) == "The two runs differ by the paired t test on P@1 (p 0.0025)."


def test_runs_without_a_common_query_and_half_a_baseline_are_refused(
    tmp_path: Path,
) -> None:
    qrels, run = write_qrels(tmp_path), write_run(tmp_path, BM25)
    with pytest.raises(NotComparable, match="share no judged query"):
        ev.reproduce(qrels, run, {"q9": {"d1": 1.0}}, allow_disjoint=True)
    with pytest.raises(DataError, match="name the baseline that is reproduced too"):
        ev.reproduce(qrels, run, run, reproduced_baseline=run)
