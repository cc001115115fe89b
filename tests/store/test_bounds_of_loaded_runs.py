"""Bounds of differences of runs from files and from a store: the same for the same rankings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compared_runs import difference_bounds
from databases import both_databases
from samples import BM25, NOTHING_FOR_Q3, TFIDF, add, write, write_qrels, write_run

from evalstore.comparison.comparability import pairs_of
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs, load_stored_runs
from evalstore.comparison.unjudged import bounds
from evalstore.comparison.unjudged.bounds import bounds_of
from evalstore.formats import Qrels, Run, read_qrels, read_run
from evalstore.measures import named_measures
from evalstore.store import Store

MEASURES = named_measures(["P@2", "nDCG@3", "RR", "AP"])
PAIRS = pairs_of(3, None)
ENGINES = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return {name: write_run(tmp_path, of, f"{name}.run", name) for name, of in ENGINES.items()}


def from_files(folder: Path, files: dict[str, str]) -> LoadedRuns:
    runs = {name: read_run(path) for name, path in files.items()}
    return evaluate_given_runs(read_qrels(write_qrels(folder)), runs, MEASURES)


def of_all(loaded: LoadedRuns) -> dict[object, object]:
    """The bounds of every measure and pair, as plain values."""
    found = bounds_of(loaded, MEASURES, PAIRS, loaded.runs[0].qids)
    return {
        key: None if of is None else (of.low, of.high, of.high_of_query.tolist(), of.unjudged)
        for key, of in found.items()
    }


def test_each_pair_has_the_bounds_of_its_two_runs(tmp_path: Path, files: dict[str, str]) -> None:
    loaded = from_files(tmp_path, files)
    all_bounds = bounds_of(loaded, MEASURES, PAIRS, ("q1", "q3"))
    assert list(all_bounds) == [(name, pair) for name in MEASURES for pair in PAIRS]
    runs, qrels = [read_run(path) for path in files.values()], read_qrels(write_qrels(tmp_path))
    for (name, (a, b)), found in all_bounds.items():
        expected = difference_bounds(MEASURES[name], runs[a], runs[b], qrels, ("q1", "q3"))
        if expected is None or found is None:
            assert name == "AP"
            assert found is None
            continue
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-15)
        assert found.low_of_query == pytest.approx(expected.low_of_query, abs=1e-15)
        assert found.unjudged == expected.unjudged


def test_where_all_is_judged_the_bounds_are_the_difference_to_the_last_bit() -> None:
    draw = np.random.default_rng(1)
    docnos = [f"d{number}" for number in range(30)]
    grades = {f"q{n}": dict(zip(docnos, draw.integers(0, 4, 30), strict=True)) for n in range(50)}
    runs = {
        name: Run.from_dict({q: dict(zip(docnos, draw.random(30), strict=True)) for q in grades})
        for name in "ab"
    }
    measures = named_measures(["P@20", "nDCG@10", "nDCG", "RBP", "R@5", "DCG@7"])
    loaded = evaluate_given_runs(Qrels.from_dict(grades), runs, measures)
    a, b = loaded.runs
    for (name, _), found in bounds_of(loaded, measures, [(0, 1)], a.qids).items():
        assert found is not None
        difference = b.values[name] - a.values[name]
        assert np.array_equal(found.low_of_query, difference)
        assert np.array_equal(found.high_of_query, difference)
        assert found.low == found.high == difference.mean()


def test_runs_that_predict_other_ratings_are_partly_comparable(tmp_path: Path) -> None:
    given = {
        "a": {"u1": {"x": 4.0, "y": 2.0, "new": 5.0}, "u2": {"x": 3.0}},
        "b": {"u1": {"y": 3.0, "z": 1.0}, "u2": {"x": 2.0}},
    }
    qrels = read_qrels(write(tmp_path / "q", "u1 0 x 5\nu1 0 y 2\nu1 0 z 1\nu2 0 x -1\n"))
    runs = {
        name: read_run(
            write(
                tmp_path / name,
                "".join(f"{u} Q0 {d} 0 {s} r\n" for u, of in lists.items() for d, s in of.items()),
            )
        )
        for name, lists in given.items()
    }
    for measures, expected in ((["MAE", "AP"], True), (["AP"], False)):
        named = named_measures(measures)
        compared = compare_loaded(evaluate_given_runs(qrels, runs, named), named)
        sentence = (
            "a and b both predict 2 of the 4 ratings that either predicts (50 %): errors (MAE) are "
            "of different items"
        )
        assert (sentence in compared.reasons) == expected


def test_blocks_of_queries_change_nothing(
    tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = from_files(tmp_path, files)
    expected = of_all(loaded)
    monkeypatch.setattr(bounds, "ROWS", 1)
    assert of_all(loaded) == expected


@both_databases
def test_stored_runs_have_the_bounds_of_their_files(
    store: Store, tmp_path: Path, files: dict[str, str]
) -> None:
    add(store, tmp_path, *files.values())
    loaded = load_stored_runs(store, list(files), MEASURES)
    assert of_all(loaded) == of_all(from_files(tmp_path, files))


def test_equal_scores_are_ordered_by_the_rules_of_the_evaluation(
    store: Store, tmp_path: Path
) -> None:
    close = write(tmp_path / "close.run", "q3 Q0 d6 1 16777217 t\nq3 Q0 d8 2 16777216 t\n")
    add(store, tmp_path, close, write_run(tmp_path), compat="trec_eval-9")  # d8 first
    measures = named_measures(["P@1"])
    stored = load_stored_runs(store, ["close", "bm25"], measures)
    runs = {"close": read_run(close), "bm25": read_run(str(tmp_path / "bm25.run"))}
    qrels = read_qrels(write_qrels(tmp_path))
    given = evaluate_given_runs(qrels, runs, measures, compat="trec_eval-9")
    for loaded in (stored, given):
        found = bounds_of(loaded, measures, [(0, 1)], ("q3",))["P@1", (0, 1)]
        assert found is not None
        assert (found.low, found.high, found.unjudged) == (0.0, 0.0, 1)


def test_a_run_that_came_as_values_has_no_bounds(store: Store, tmp_path: Path) -> None:
    printed = "P_2\tq1\t0.5000\nP_2\tq2\t0.5000\nP_2\tq3\t0.0000\nrunid\tall\told\n"
    values = write(tmp_path / "old.txt", printed)
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run"), values)
    measures = named_measures(["P@2"])
    loaded = load_stored_runs(store, ["bm25", "old", "tfidf"], measures)
    found = bounds_of(loaded, measures, pairs_of(3, None), ("q1", "q2", "q3"))
    assert [pair for (_, pair), of in found.items() if of is None] == [(0, 1), (1, 2)]


def test_rankings_are_read_only_where_a_measure_has_bounds() -> None:
    depths: list[int | None] = []

    def load(depth: int | None) -> object:
        depths.append(depth)
        raise LookupError

    loaded = LoadedRuns((), rankings=load)  # type: ignore[arg-type]  # it never returns
    assert bounds_of(loaded, named_measures("AP"), [(0, 1)], ()) == {("AP", (0, 1)): None}
    for names in (["AP", "P@5", "nDCG@20"], ["P@5", "RR"]):
        with pytest.raises(LookupError):
            bounds_of(loaded, named_measures(names), [(0, 1)], ())
    assert depths == [20, None]


def test_runs_whose_rankings_are_not_known_have_no_bounds() -> None:
    measures = named_measures("P@5")
    assert bounds_of(LoadedRuns(()), measures, [(0, 1)], ("q",)) == {("P@5", (0, 1)): None}
