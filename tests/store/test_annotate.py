"""Facts of runs are recorded at ingest, corrected later, and every change is in an event."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from changed_runs import annotate
from databases import both_databases
from samples import (
    BM25,
    TFIDF,
    Filled,
    add,
    dump,
    dump_without_files,
    write_run,
)

from evalstore.catalog.annotate import UNSETTABLE
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import history, remove_runs, restore_runs
from evalstore.client.any_store import LocalStore
from evalstore.client.differences import diff_runs, differing_facts
from evalstore.errors import DataError, EvalstoreError, NotFound
from evalstore.evaluation.measure import measure
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries.facts import RunFacts
from evalstore.tracking.run_overview import run_facts
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check

ORIGIN = GivenFacts(host="here", started_by="ann", commit="c0", commit_dirty=True)


def fill(store: Store, folder: Path) -> None:
    """A store with the runs bm25 and tfidf, no facts recorded."""
    add(store, folder, write_run(folder))
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def two_runs(copied: Filled) -> Store:
    return copied(fill)


def annotations(store: Store) -> list[dict[str, Any] | None]:
    return [event.details for event in history(store) if event.action == "annotate"]


def values(store: Store, name: str) -> Any:
    return getattr(run_facts(store, "bm25"), name)


# --- at ingest -----------------------------------------------------------------------------------


@both_databases
def test_a_new_run_has_the_facts_given_and_the_origin_of_the_rest(
    store: Store, tmp_path: Path
) -> None:
    facts = GivenFacts(parameters={"k1": 0.9}, tags=("b", "a=1", "b"), host="cluster")
    run, other = write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    add(store, tmp_path, run, other, facts=facts, origin=ORIGIN)
    for name in ("bm25", "tfidf"):
        stored = run_facts(store, name)
        assert (stored.parameters, stored.tags) == ({"k1": 0.9}, ("a=1", "b"))
        assert (stored.host, stored.started_by) == ("cluster", "ann")
        assert (stored.commit, stored.commit_dirty) == ("c0", True)
    assert annotations(store) == []


@both_databases
def test_a_run_that_is_stored_already_keeps_its_facts_and_says_so(
    store: Store, tmp_path: Path
) -> None:
    run = write_run(tmp_path)
    facts = GivenFacts(parameters={"k1": 0.9}, note="good")
    add(store, tmp_path, run, facts=facts)
    before = dump_without_files(store)
    (same,) = add(store, tmp_path, run, facts=facts, origin=ORIGIN)
    assert (same.status, same.warnings) == ("already stored", ())
    other = GivenFacts(parameters={"k1": 1.2}, note="good", commit="c" * 40)
    (kept,) = add(store, tmp_path, run, facts=other, engine="mine", experiment="e")
    assert kept.status == "already stored"
    assert kept.warnings == (
        "run 'bm25' was stored before and keeps its facts; other values were given for engine, "
        "experiment, parameters.k1, commit",
    )
    assert dump_without_files(store) == before


def test_a_second_run_with_the_same_rankings_is_a_run_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    """As in a sweep where a parameter has no effect."""
    for k1 in (0.9, 1.2):
        (outcome,) = add(
            store,
            tmp_path,
            write_run(tmp_path, name=f"bm25 {k1}.run"),
            facts=GivenFacts(parameters={"k1": k1}),
            engine=f"engine {k1}",
        )
    assert (outcome.status, outcome.detail, outcome.same_as) == ("stored", "bm25 1.2", "bm25 0.9")
    for k1 in (0.9, 1.2):
        stored = run_facts(store, f"bm25 {k1}")
        assert (stored.engine, stored.parameters) == (f"engine {k1}", {"k1": k1})
    rows = dump(store)
    assert [len(rows[name]) for name in ("run", "content", "evaluation")] == [2, 1, 1]
    assert len(rows["ranking"]) == len(BM25)
    assert db_check(store).problems == ()


def test_a_run_whose_parent_is_not_stored_is_not_stored(store: Store, tmp_path: Path) -> None:
    (outcome,) = add(store, tmp_path, write_run(tmp_path), facts=GivenFacts(parent="nothing"))
    assert outcome.status == "failed"
    assert "no run 'nothing'" in outcome.detail
    with pytest.raises(NotFound):
        run_facts(store, "bm25")


# --- later ---------------------------------------------------------------------------------------


@both_databases
def test_every_fact_can_be_set_shown_and_taken_away(two_runs: Store) -> None:
    given: dict[str, Any] = {
        **{"parameters": {"k1": 1e-05, "stem": True, "id": "007"}, "tags": ("a", "b=c")},
        **{"note": "# better\n\nthan *before*", "commit": "c1", "host": "h", "started_by": "u"},
        **{"started_at": datetime(2026, 1, 1, tzinfo=UTC), "command": "search -k 1"},
        **{"ended_at": datetime(2026, 1, 1, 0, 0, 5, 7, tzinfo=UTC), "index_version": "2"},
        **{"collection_version": "3", "parent": "tfidf", "index_bytes": 0, "memory_bytes": 2**40},
        **{"money": 0.12, "energy_joules": 5e-324, "header": {"tag": {"a b": [1]}}},
    }
    assert set(given) == set(UNSETTABLE)
    facts = GivenFacts(**given, commit_dirty=False, currency="EUR")
    annotate(two_runs, "bm25", facts)
    assert {name: values(two_runs, name) for name in given} == given
    assert (values(two_runs, "commit_dirty"), values(two_runs, "currency")) == (False, "EUR")
    annotate(two_runs, "bm25", GivenFacts(), unset=UNSETTABLE)
    assert run_facts(two_runs, "bm25") == RunFacts(
        **{
            **vars(run_facts(two_runs, "bm25")),
            **dict.fromkeys([*given, "commit_dirty", "currency"]),
            "tags": (),
        }
    )
    changed = annotations(two_runs)[-1]
    assert changed is not None
    assert changed["parameters.k1"] == [1e-05, None]
    assert changed["started_at"] == ["2026-01-01T00:00:00+00:00", None]
    assert changed["parent"] == ["tfidf", None]


@both_databases
def test_parameters_and_tags_are_added_to_those_of_the_run(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(parameters={"k1": 1, "b": 0.4}, tags=("x",)))
    changes = annotate(two_runs, "bm25", GivenFacts(parameters={"k1": 2}, tags=("a",)))
    assert changes == {"parameters.k1": (1, 2), "tags": (["x"], ["a", "x"])}
    annotate(two_runs, "bm25", GivenFacts(), unset_parameters=["b"])
    assert values(two_runs, "parameters") == {"k1": 2}


def test_one_and_true_are_two_values(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(parameters={"k": 1}))
    assert annotate(two_runs, "bm25", GivenFacts(parameters={"k": True})) == {
        "parameters.k": (1, True)
    }
    assert values(two_runs, "parameters")["k"] is True


@both_databases
def test_what_changes_nothing_is_no_event(two_runs: Store) -> None:
    facts = GivenFacts(parameters={"k": 1}, commit="c", commit_dirty=True, parent="tfidf")
    annotate(two_runs, "bm25", facts)
    assert annotate(two_runs, "bm25", facts) == {}
    assert annotate(two_runs, "bm25", GivenFacts(commit="c")) == {}
    assert len(annotations(two_runs)) == 1


@both_databases
def test_whether_another_commit_was_dirty_is_not_known(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(commit="c", commit_dirty=True))
    annotate(two_runs, "bm25", GivenFacts(commit="d"))
    assert values(two_runs, "commit_dirty") is None


@both_databases
def test_an_end_before_the_start_that_is_stored_is_refused(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(started_at=datetime(2026, 1, 2, tzinfo=UTC)))
    with pytest.raises(DataError, match="before the start"):
        annotate(two_runs, "bm25", GivenFacts(ended_at=datetime(2026, 1, 1, tzinfo=UTC)))
    assert values(two_runs, "ended_at") is None


@pytest.mark.parametrize(
    ("facts", "taken_away", "message"),
    [
        (GivenFacts(), {"unset": ["notes"]}, "no fact 'notes'; did you mean 'note'"),
        (GivenFacts(note="a"), {"unset": ["note"]}, "note can't be set and taken away"),
        (GivenFacts(), {"unset_parameters": ["k1"]}, "'bm25' has no parameter 'k1'"),
        (GivenFacts(parent="bm25"), {}, "can't be its own parent"),
        (GivenFacts(parent="none"), {}, "no run 'none'"),
    ],
)
def test_what_can_not_be_recorded_changes_nothing(
    two_runs: Store, facts: GivenFacts, taken_away: dict[str, list[str]], message: str
) -> None:
    with pytest.raises(EvalstoreError, match=message):
        annotate(two_runs, "bm25", facts, **taken_away)
    assert annotations(two_runs) == []


@both_databases
def test_values_computed_with_the_earlier_size_of_the_index_are_deleted(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(index_bytes=100))
    measure(two_runs, [parse("IndexSize")], ["bm25"])
    asked = "SELECT count(*) FROM leaderboard WHERE measure = 'IndexSize'"
    with two_runs.read() as connection:
        assert connection.exec_driver_sql(asked).scalar() == 1
    annotate(two_runs, "bm25", GivenFacts(index_bytes=200))
    with two_runs.read() as connection:
        assert connection.exec_driver_sql(asked).scalar() == 0


@both_databases
def test_values_computed_with_the_earlier_currency_are_deleted(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(money=1.5, currency="EUR"))
    measure(two_runs, [parse("CostPerQuery(currency='EUR')")], ["bm25"])
    asked = "SELECT count(*) FROM leaderboard WHERE measure LIKE 'CostPerQuery%'"
    with two_runs.read() as connection:
        assert connection.exec_driver_sql(asked.replace("%", "%%")).scalar() == 1
    annotate(two_runs, "bm25", GivenFacts(money=1.5, currency="USD"))
    with two_runs.read() as connection:
        assert connection.exec_driver_sql(asked.replace("%", "%%")).scalar() == 0


# --- lineage -------------------------------------------------------------------------------------


def test_a_run_is_not_derived_from_what_was_derived_from_it(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(parent="tfidf"))
    with pytest.raises(DataError, match="'bm25' is itself derived from run 'tfidf'"):
        annotate(two_runs, "tfidf", GivenFacts(parent="bm25"))


def test_a_parent_that_was_removed_is_not_shown(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(parent="tfidf"))
    remove_runs(two_runs, ["tfidf"])
    assert values(two_runs, "parent") is None
    restore_runs(two_runs, ["tfidf"])
    assert values(two_runs, "parent") == "tfidf"


def test_a_copy_has_the_parents(two_runs: Store, tmp_path: Path) -> None:
    annotate(two_runs, "bm25", GivenFacts(parent="tfidf"))
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(two_runs, target)
        assert values(target, "parent") == "tfidf"
        assert [c.status for c in copy(two_runs, target) if c.kind == "parents"] == []


# --- differences ---------------------------------------------------------------------------------


@both_databases
def test_a_diff_has_only_the_facts_that_differ(two_runs: Store) -> None:
    both = GivenFacts(parameters={"b": 0.4, "stem": True}, commit="c", note="one", tags=("x", "y"))
    annotate(two_runs, "bm25", both)
    annotate(two_runs, "tfidf", both)
    other = GivenFacts(parameters={"k1": 1.2, "stem": 1}, note="two", tags=("z",), parent="bm25")
    annotate(two_runs, "tfidf", other)
    measures = {"AP": parse("AP"), "P@1": parse("P@1")}
    difference = diff_runs(LocalStore(two_runs), "bm25", "tfidf", measures)
    assert [(fact.fact, fact.a, fact.b) for fact in difference.facts] == [
        ("engine", "bm25", "tfidf"),
        ("parameters.stem", True, 1),
        ("parameters.k1", None, 1.2),
        ("tags", None, "z"),
    ]
    assert difference.line == "tfidf was derived from bm25"
    assert [pair.measure for pair in difference.moved] == ["AP", "P@1"]
    assert differing_facts(difference.a, difference.a) == ()


def test_a_measure_with_the_same_values_has_not_moved(two_runs: Store) -> None:
    difference = diff_runs(LocalStore(two_runs), "bm25", "bm25", {"AP": parse("AP")})
    assert (difference.facts, difference.moved, difference.unchanged) == ((), (), ("AP",))


# --- the view ------------------------------------------------------------------------------------

TEXTS = {
    **{"small": (1e-05, "1e-05"), "large": (1e22, "1e+22"), "third": (1 / 3, "0.3333333333333333")},
    **{"sum": (0.1 + 0.2, "0.30000000000000004"), "whole": (1000.0, "1000.0"), "int": (5, "5")},
    **{"long": (10**18 - 1, "999999999999999999"), "zero": (-0.0, "-0.0"), "yes": (True, "true")},
    **{"no": (False, "false"), "text": ("true", "true"), "empty": ("", ""), "id": ("007", "007")},
    **{"ü.a[0] ': ,": (0.9, "0.9"), "$": (-1.5e-300, "-1.5e-300"), "last}": (7, "7")},
    "quotes": ('"small": 9, {}\\', '"small": 9, {}\\'),
    **{"lines": ("a\nb\tc", "a\nb\tc"), "mall": (3, "3")},
}


@both_databases
def test_the_view_has_the_same_text_of_a_parameter_on_every_database(two_runs: Store) -> None:
    """Numbers as JSON writes them, the fewest digits that give the same double."""
    given = {name: value for name, (value, _) in TEXTS.items()}
    annotate(two_runs, "bm25", GivenFacts(parameters=given))
    asked = "SELECT name, value FROM run_parameters WHERE run = 'bm25' AND engine = 'bm25'"
    with two_runs.read() as connection:
        texts = {row[0]: row[1] for row in connection.exec_driver_sql(asked)}
    assert texts == {name: text for name, (_, text) in TEXTS.items()}


def test_the_view_leaves_out_what_was_removed(two_runs: Store) -> None:
    annotate(two_runs, "bm25", GivenFacts(parameters={"k": 1}))
    remove_runs(two_runs, ["bm25"])
    with two_runs.read() as connection:
        assert connection.exec_driver_sql("SELECT * FROM run_parameters").all() == []
