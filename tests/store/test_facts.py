"""Facts that some measures need are stored, and stored runs are measured with them.

Each test runs on both databases (conftest.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from databases import both_databases
from leaderboard_frames import leaderboard
from samples import BM25, TFIDF, Filled, add, write, write_qrels, write_run

from evalstore.catalog.collection_facts import (
    CollectionFacts,
    RunCosts,
    store_collection_facts,
    store_run_facts,
)
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import DataError, MeasureError, NotFound
from evalstore.evaluation.measure import measure
from evalstore.formats import (
    read_judgment_groups,
    read_known,
    read_preferences,
    read_qrels,
    read_run,
    read_subtopic_qrels,
    read_times,
)
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.measures import aggregate, evaluate, named_measures, parse
from evalstore.measures.join import Extras, match
from evalstore.store import Store
from evalstore.store.queries.facts import load_explanations, load_extras
from evalstore.store.queries.queries import find_query
from evalstore.store.queries.runs import find_run
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # every measure that needs facts

SUBTOPICS = "q1 a d1 1\nq1 b d1 1\nq1 b d2 1\nq2 a d4 1\nq2 c d9 1\n"
JUDGES = "q1 ann d1 1\nq1 ann d2 0\nq1 bob d2 2\nq2 ann d4 1\n"
PREFERENCES = (
    "q1 ann s d1 2\nq1 ann s d2 1\nq1 ann t d2 5\nq1 ann t d3 4\nq1 bob s d2 1\nq1 bob s d1 0.5\n"
    "q2 ü s d4 1\nq2 ü s d9 0\nq9 ann s d1 1\n"
)
KNOWN = "q1 d1\nq2 d9\n"
TIMES = "q1 10.5\nq2 20\nq3 0.25\n"
MEASURES = (
    *("alpha_nDCG@10", "ERR_IA@10", "StRecall@5", "CoverageRatio", "NoveltyRatio"),
    *("ResponseTime", "IndexSize", "Accuracy", "ItemCoverage"),
    *("PeakMemory", "CostPerQuery(currency='EUR')", "EnergyPerQuery"),
    *("PrefSimple", "PrefPair", "PrefGroup", "PrefBalanced", "NumPrefs", "NumPrefsFulfilled"),
    *("GroupAP", "GroupP@2", "GroupRprec"),
)


def fill(store: Store, tmp_path: Path) -> None:
    """Two runs, and every fact that a measure needs."""
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    facts = CollectionFacts(
        subtopics=read_subtopic_qrels(write(tmp_path / "subtopics", SUBTOPICS)),
        known=read_known(write(tmp_path / "known", KNOWN)),
        collection_size=100,
        judgment_groups=read_judgment_groups(write(tmp_path / "judges", JUDGES)),
        preferences=read_preferences(write(tmp_path / "prefs", PREFERENCES)),
    )
    store_collection_facts(store, "test", facts)
    times = read_times(write(tmp_path / "times", TIMES))
    store_run_facts(store, "bm25", RunCosts(times, 4096, 2**20, 0.3, "EUR", 12.5))


@pytest.fixture
def full(copied: Filled) -> Store:
    return copied(fill)


@both_databases
def test_a_stored_run_is_measured_as_its_files_are(full: Store, tmp_path: Path) -> None:
    extras = Extras(
        collection_size=100,
        known=read_known(str(tmp_path / "known")),
        times=read_times(str(tmp_path / "times")),
        index_bytes=4096,
        memory_bytes=2**20,
        money=0.3,
        currency="EUR",
        energy_joules=12.5,
        subtopics=read_subtopic_qrels(str(tmp_path / "subtopics")),
        judgment_groups=read_judgment_groups(str(tmp_path / "judges")),
        preferences=read_preferences(str(tmp_path / "prefs")),
    )
    run, qrels = read_run(write_run(tmp_path, BM25)), read_qrels(write_qrels(tmp_path))
    judged = match(run, qrels, extras=extras)
    for parsed in map(parse, MEASURES):
        expected = aggregate(parsed, evaluate(judged, [parsed])[parsed], judged)
        (done,) = measure(full, [parsed], ["bm25"])
        assert done.new == (str(parsed),)
        board = leaderboard(full, "test", measures=[str(parsed)])
        values = dict(zip(board.runs["run"], board.values[str(parsed)], strict=True))
        np.testing.assert_equal(values["bm25"], expected, str(parsed))
    assert db_check(full).problems == ()


@both_databases
def test_explanations_are_stored_by_query_and_document_and_replaced(full: Store) -> None:
    for text in ("title 1.4", "body 0.7"):
        facts = RunCosts(explanations={("q1", "d1"): text, ("q2", "d4"): text})
        store_run_facts(full, "bm25", facts)
    with full.read() as connection:
        run, query = find_run(connection, "bm25"), find_query(connection, 1, "q1")
        assert query is not None
        assert load_explanations(connection, [run.id], query.id, "d1") == {run.id: "body 0.7"}
    with pytest.raises(DataError, match="explanations for 1 query that run 'bm25' does not answer"):
        store_run_facts(full, "bm25", RunCosts(explanations={("zz", "d1"): "why"}))


def test_what_is_not_stored_is_named(full: Store) -> None:
    with pytest.raises(MeasureError, match="ResponseTime needs the time each query took"):
        measure(full, [parse("ResponseTime")], ["tfidf"])


def test_new_facts_delete_the_values_that_were_made_with_the_earlier_ones(full: Store) -> None:
    names = ["alpha_nDCG@10", "IndexSize", "P@3"]
    measure(full, [parse(name) for name in names], ["bm25"])
    stored = set(leaderboard(full, "test").measures)
    assert {*names} <= stored
    assert store_run_facts(full, "bm25", RunCosts(index_bytes=1)) == 1
    assert set(leaderboard(full, "test").measures) == stored - {"IndexSize"}
    assert store_collection_facts(full, "test", CollectionFacts(known={"q1": {"d2"}})) == 0
    size = CollectionFacts(collection_size=50)
    assert store_collection_facts(full, "test", size) == 0
    assert set(leaderboard(full, "test").measures) == stored - {"IndexSize"}


@pytest.mark.parametrize(
    ("measure_name", "facts"),
    [
        ("PeakMemory", RunCosts(memory_bytes=1)),
        ("EnergyPerQuery", RunCosts(energy_joules=1.0)),
        ("CostPerQuery(currency='EUR')", RunCosts(money=1.0, currency="EUR")),
        ("CostPerQuery(currency='EUR')", RunCosts(money=0.3, currency="USD")),
    ],
)
@both_databases
def test_another_cost_deletes_the_values_of_its_measure(
    full: Store, measure_name: str, facts: RunCosts
) -> None:
    measure(full, [parse(measure_name)], ["bm25"])
    assert measure_name in leaderboard(full, "test").measures
    assert store_run_facts(full, "bm25", facts) == 1
    assert measure_name not in leaderboard(full, "test").measures


def test_runs_that_cost_money_of_different_currencies_are_never_ranked_together(
    full: Store,
) -> None:
    store_run_facts(full, "tfidf", RunCosts(money=0.2, currency="USD"))
    in_euros = "CostPerQuery(currency='EUR')"
    ranks = leaderboard_ranks(full, "test", named_measures(in_euros))
    assert [ranked.run for ranked in ranks.measures[0].runs] == ["bm25"]
    assert f"tfidf left out: {in_euros} needs the cost in EUR: that of the run is in USD" in (
        " ".join(ranks.measures[0].notes)
    )
    with pytest.raises(MeasureError, match="needs the cost in EUR: that of the run is in USD"):
        load_stored_runs(full, ["bm25", "tfidf"], named_measures(in_euros))


@both_databases
def test_preferences_stored_later_delete_the_values_made_of_the_grades(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    measure(store, [parse("NumPrefs"), parse("P@3")])
    assert of_bm25(store, "NumPrefs") == 3  # d1 over d2 over d3
    preferences = read_preferences(write(tmp_path / "prefs", PREFERENCES))
    facts = CollectionFacts(preferences=preferences)
    assert store_collection_facts(store, "test", facts) == 1
    assert db_check(store).problems == ()
    measure(store, [parse("NumPrefs")])
    assert of_bm25(store, "NumPrefs") == 3 + 1 + 1
    assert store_collection_facts(store, "test", facts) == 1


def of_bm25(store: Store, name: str) -> float:
    board = leaderboard(store, "test", measures=[name])
    return dict(zip(board.runs["run"], board.values[name], strict=True))["bm25"]


def test_preferences_are_loaded_as_they_were_read(full: Store, tmp_path: Path) -> None:
    read = read_preferences(str(tmp_path / "prefs"))
    with full.read() as connection:
        extras = load_extras(connection, 1, 1, [parse("PrefPair"), parse("GroupAP")])
    assert extras is not None
    loaded = extras.preferences
    assert loaded is not None
    assert loaded.qids == read.qids
    for column in ("groups", "subgroups", "docnos"):
        assert getattr(loaded, column).equals(getattr(read, column))
    assert loaded.levels.tolist() == read.levels.tolist()
    groups = extras.judgment_groups
    assert groups is not None
    assert sorted(groups.subtopics.to_pylist()) == [b"ann", b"ann", b"ann", b"bob"]


@both_databases
def test_facts_replace_those_stored_before(full: Store, tmp_path: Path) -> None:
    store_collection_facts(full, "test", CollectionFacts(known={"q3": {"d6"}}))
    store_run_facts(full, "bm25", RunCosts(times={"q3": 1.0}))
    with full.read() as connection:
        needed = [parse(name) for name in ("NoveltyRatio", "ResponseTime", "IndexSize")]
        extras = load_extras(connection, 1, 1, needed)
    assert extras is not None
    assert extras.collection_size is None  # no measure needs it
    assert extras.known == {"q3": {"d6"}}
    assert extras.times == {"q3": 1.0}
    assert extras.index_bytes == 4096


def test_times_of_queries_that_the_run_does_not_answer_are_refused_with_the_first_few(
    full: Store,
) -> None:
    times = dict.fromkeys(("q1", "x1", "x2", "x3", "x4"), 1.0)
    with pytest.raises(DataError, match="times for 4 queries .*: 'x1', 'x2', 'x3', ..."):
        store_run_facts(full, "bm25", RunCosts(times))


def test_facts_of_what_is_not_there_or_can_not_be_are_refused(full: Store) -> None:
    with pytest.raises(NotFound, match="no collection 'nowhere'"):
        store_collection_facts(full, "nowhere", CollectionFacts(collection_size=1))
    with pytest.raises(NotFound, match="no run 'nothing'"):
        store_run_facts(full, "nothing", RunCosts(index_bytes=1))
    for size in (0, 2**63):
        with pytest.raises(DataError, match=f"can't have {size:,} documents"):
            store_collection_facts(full, "test", CollectionFacts(collection_size=size))
    with pytest.raises(DataError, match="index bytes can't be -1"):
        store_run_facts(full, "bm25", RunCosts(index_bytes=-1))
    with pytest.raises(DataError, match="energy joules can't be nan"):
        store_run_facts(full, "bm25", RunCosts(energy_joules=float("nan")))
    with pytest.raises(DataError, match="money is an amount with its currency"):
        store_run_facts(full, "bm25", RunCosts(money=1.0))


def test_a_wrong_size_of_the_collection_stops_no_measure_that_does_not_need_it(
    full: Store,
) -> None:
    """The runs retrieve more documents than the collection is said to have."""
    store_collection_facts(full, "test", CollectionFacts(collection_size=1))
    listed = list_runs(full, [parse("P@3")], Choice())
    assert all("P@3" in run.values for run in listed)
    loaded = load_stored_runs(full, ["bm25", "tfidf"], {"P@3": parse("P@3")})
    assert all("P@3" in run.values for run in loaded.runs)
    measure(full, [parse("ResponseTime")], ["bm25"])
    assert db_check(full).problems == ()
    with pytest.raises(MeasureError, match="can't have 1 documents"):
        measure(full, [parse("Accuracy")], ["bm25"])
