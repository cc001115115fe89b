"""Which measures an ingest stores; what is not stored is computed, the same to the last bit."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from databases import both_databases
from samples import TFIDF, add, dump, write, write_qrels, write_run

import evalstore as ev
from evalstore.catalog.collections import collections
from evalstore.comparison.collection_values import load_collection_values
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import MeasureError, NotFound
from evalstore.evaluation.ingest_options import storable
from evalstore.evaluation.measure import measure as store_measures
from evalstore.ingest.reevaluate import reevaluate
from evalstore.ingest.store_run import set_collection_measures
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.measures import Measure, parse, parse_list, registry
from evalstore.store import Store
from evalstore.store.queries.evaluations import list_evaluations, stored_measures
from evalstore.transfer.copy import copy

pytestmark = pytest.mark.slow  # every measure is computed again

AP = (parse("AP"),)


def every_measure() -> dict[str, Measure]:
    """A measure of every descriptor that an ingest can store, and the standard set."""
    examples = [parse(d.example) for d in registry().values() if not d.facts]
    examples += map(parse, ("P(rel=2)@5", "AP(rel=0.5)", "AP(judged_only=True)", "RBP(p=0.5)"))
    examples += map(parse, ("nDCG(gains={0:1,3:7})@5", "P(judged_only=True)@5", "nDCG(rel=2)@10"))
    return {str(one): one for one in (*examples, *parse_list("standard").values())}


def write_drawn(folder: Path) -> tuple[str, str]:
    """A run and judgments of 20 queries with ties, negative grades and unanswered queries."""
    draw = random.Random(7)
    grades = {f"q{q}": {f"d{d}": draw.choice((-1, 0, 0, 1, 1.1, 2.5, 3)) for d in range(30)}
              for q in range(20)}  # fmt: skip
    lines = [
        f"q{q} Q0 d{d} 0 {draw.randrange(40) / 10} drawn\n"
        for q in range(18)
        for d in draw.sample(range(60), 45)
    ]
    return write(folder / "drawn.run", "".join(lines)), write_qrels(folder, grades, "drawn.qrels")


def stored(store: Store, run: str, collection: str = "test") -> list[set[str]]:
    """The names of the measures of each evaluation of a run, in the order of the qrels."""
    with store.read() as connection:
        return [
            stored_measures(connection, evaluation.id)
            for evaluation in list_evaluations(connection, None, collection)
            if evaluation.run.name == run
        ]


def bits(values: npt.ArrayLike) -> list[int]:
    """The bits of float64 numbers: -0.0 is not 0.0, and NaN is NaN."""
    return np.ascontiguousarray(values, np.float64).view(np.int64).ravel().tolist()


def names(measures: Iterable[Measure]) -> set[str]:
    return set(map(str, measures))


@pytest.mark.parametrize("compat", ["exact", "trec_eval-9"])
@both_databases
def test_what_is_not_stored_is_computed_to_the_same_last_bit(
    store: Store, tmp_path: Path, compat: str
) -> None:
    measures = every_measure()
    run, qrels = write_drawn(tmp_path)
    every = tuple(measures.values())
    add(store, tmp_path, run, qrels=qrels, compat=compat, collection="full", measures=every)
    add(store, tmp_path, run, qrels=qrels, compat=compat, collection="few", measures=AP)
    assert stored(store, "drawn", "full") == [set(measures)]
    assert stored(store, "drawn", "few") == [{"AP"}]
    full, few = (load_collection_values(store, name, measures) for name in ("full", "few"))
    loaded = [load_stored_runs(store, ["drawn"], measures, collection=name).runs[0]
              for name in ("full", "few")]  # fmt: skip
    for name in measures:
        assert bits(few.measures[name].values) == bits(full.measures[name].values), name
        assert bits(few.measures[name].aggregates) == bits(full.measures[name].aggregates), name
        assert bits(loaded[1].values[name]) == bits(loaded[0].values[name]), name
    store_measures(store, every, collection="few")
    assert values_of(store, "few") == values_of(store, "full")


@both_databases
def test_a_leaderboard_of_measures_that_follow_from_hits_unpacks_no_ranking(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, qrels = write_drawn(tmp_path)
    add(store, tmp_path, run, qrels=qrels, measures=AP)
    measures = parse_list("nDCG@10,RR,P(rel=2)@5")

    def unpack(_: bytes) -> None:
        raise AssertionError

    monkeypatch.setattr("evalstore.store.packing.unpack", unpack)
    loaded = load_collection_values(store, "test", measures)
    (listed,) = list_runs(store, list(measures.values()), Choice("test"))
    for name, measure in measures.items():
        assert bits(loaded.measures[name].aggregates) == bits([listed.values[str(measure)]])
    load_stored_runs(store, ["drawn"], measures)
    for needs_rankings in ("Bpref", "AP(judged_only=True)", "P(rel=0.5)@5"):
        with pytest.raises(AssertionError):
            load_collection_values(store, "test", {"": parse(needs_rankings)})


def values_of(store: Store, collection: str) -> Mapping[tuple[int, str], list[int]]:
    """Stored aggregates, spreads and values by query, as bits, of the one run of a collection."""
    with store.read() as connection:
        (evaluation,) = list_evaluations(connection, None, collection)
    rows = dump(store)
    qid_of = {row[0]: row[2] for row in rows["query"]}
    figures: dict[tuple[int, str], list[int]] = {
        (row[1], ""): bits(row[2:4]) for row in rows["aggregate"] if row[0] == evaluation.id
    }
    figures |= {
        (row[1], qid_of[row[2]]): bits(row[3])
        for row in rows["measurement"]
        if row[0] == evaluation.id
    }
    return figures


def test_an_ingest_stores_the_measures_that_it_names_or_those_of_the_collection(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert stored(store, "bm25") == [names(parse_list("standard").values())]
    set_collection_measures(store, "test", "summary")
    tfidf = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    add(store, tmp_path, tfidf)
    assert stored(store, "tfidf") == [names(parse_list("summary").values())]
    third = write_run(tmp_path, {"q1": ["d1"]}, "third.run", "third")
    add(store, tmp_path, third, measures=AP)
    assert stored(store, "third") == [{"AP"}]
    add(store, tmp_path, third)
    assert stored(store, "third") == [{"AP"}], "what is stored stays as it is"
    set_collection_measures(store, "test", "standard")
    assert [one.measures for one in collections(store)] == [None]


def test_a_replaced_run_and_one_under_further_judgments_get_the_measures_of_the_collection(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    set_collection_measures(store, "test", "P@5,AP")
    add(store, tmp_path, write_run(tmp_path, TFIDF), replace=True)
    assert stored(store, "bm25") == [{"AP", "P@5"}]
    other = write_qrels(tmp_path, {"q1": {"d9": 1}}, "other.qrels")
    add(store, tmp_path, write_run(tmp_path, TFIDF), qrels=other)
    assert stored(store, "bm25") == [{"AP", "P@5"}, {"AP", "P@5"}]


def test_reevaluate_gives_a_run_what_it_has_under_the_judgments_before(
    store: Store, tmp_path: Path
) -> None:
    set_up = write_run(tmp_path)
    add(store, tmp_path, set_up, measures=AP)
    third = ev.Qrels.from_dict({"q1": {"d9": 1}}, name="third.qrels")
    reevaluate(store, "test", third)
    assert stored(store, "bm25") == [{"AP"}, {"AP"}]


@both_databases
def test_a_logged_run_and_one_of_python_get_the_measures_of_the_collection(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path)
    set_collection_measures(store, "test", "AP,P@5")
    with ev.open(store.url) as opened:
        with opened.start_run("bm25", "test", "logged", journal=tmp_path) as run:
            run.log("q1", {"d1": 1.0})
        opened.ingest(collection="test", runs={"given": {"q1": {"d2": 1.0}}})
        other = {"named": {"q2": {"d4": 1.0}}}
        opened.ingest(collection="test", runs=other, measures=["RR", "P@1"])
    assert stored(store, "logged") == [{"AP", "P@5"}]
    assert stored(store, "given") == [{"AP", "P@5"}]
    assert stored(store, "named") == [{"RR", "P@1"}]


@pytest.mark.parametrize("text", ["alpha_nDCG@5", "AP,ResponseTime", "PrefSimple"])
def test_a_measure_of_more_than_a_run_and_a_qrels_is_refused(store: Store, text: str) -> None:
    with pytest.raises(MeasureError, match="an ingest can't store"):
        storable(parse_list(text).values())
    with pytest.raises(MeasureError, match="an ingest can't store"):
        set_collection_measures(store, "test", text)


def test_the_measures_of_a_collection_are_checked_when_they_are_set(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path)
    with pytest.raises(NotFound, match="no collection 'tests'"):
        set_collection_measures(store, "tests", "AP")
    for text in ("", "AP,nonsense", " , "):
        with pytest.raises(MeasureError):
            set_collection_measures(store, "test", text)
    assert [one.measures for one in collections(store)] == [None]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (" P@5 , AP,AP", "P@5,AP"),
        ("map,P.5,10", "AP,P@5,P@10"),
        (" summary ", "summary"),
        ("nDCG( dcg='exp-log2' )@10", "nDCG(dcg='exp-log2')@10"),
    ],
)
def test_the_measures_of_a_collection_are_written_by_their_own_names(
    store: Store, text: str, written: str, tmp_path: Path
) -> None:
    add(store, tmp_path)
    assert set_collection_measures(store, "test", text) == written
    assert [one.measures for one in collections(store)] == [written]


def test_a_copied_collection_keeps_its_measures(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path)
    set_collection_measures(store, "test", "nDCG(dcg='exp-log2',rel=2)@10,AP")
    with Store.open(f"sqlite:///{tmp_path / 'target.db'}") as target:
        copy(store, target)
        (copied,) = collections(target)
    assert copied.measures == "nDCG(dcg='exp-log2',rel=2)@10,AP"
