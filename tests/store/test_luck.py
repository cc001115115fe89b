"""Which compared run is said to be the best of several settings of its engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from databases import both_databases
from samples import Filled, add, write_qrels, write_run

from evalstore.catalog.annotate import RunChange, apply_change
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import parse_conditions
from evalstore.catalog.queries import tag_queries
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs, restrict
from evalstore.measures import named_measures
from evalstore.stats import luck_of_best
from evalstore.store import Store

QUERIES = 6
GOOD_AT = {"s1": {0, 1, 2}, "s2": {1, 5}, "s3": {3}, "other": {0, 1, 2, 3}}
"""The queries of which a run has the relevant document at rank 1; else it is at rank 2."""


def fill(store: Store, folder: Path) -> None:
    """The runs s1 to s3 of the engine ql, with unlike parameters, and one of another engine."""
    qrels = write_qrels(folder, {f"q{query}": {"r": 1} for query in range(QUERIES)})
    for name, good in GOOD_AT.items():
        rankings = {f"q{q}": ["r", "n"] if q in good else ["n", "r"] for q in range(QUERIES)}
        path = write_run(folder, rankings, f"{name}.run", name)
        engine = "other" if name == "other" else "ql"
        facts = GivenFacts(parameters={"mu": name})
        add(store, folder, path, qrels=qrels, engine=engine, facts=facts)


@pytest.fixture
def store(copied: Filled) -> Store:
    return copied(fill)


def said(store: Store, *runs: str, measures: str = "RR", where: str = "") -> list[str]:
    """The notes on the luck of the best, of a comparison."""
    named = named_measures(measures.split())
    loaded = load_stored_runs(store, runs, named)
    loaded = restrict(loaded, parse_conditions([where] if where else []))
    notes = compare_loaded(loaded, named).notes
    return [note for note in notes if "by luck alone" in note]


def values(*runs: str) -> list[list[float]]:
    return [[1.0 if query in GOOD_AT[run] else 0.5 for run in runs] for query in range(QUERIES)]


@both_databases
def test_the_best_of_three_settings_or_more_is_named_with_its_expected_luck(store: Store) -> None:
    luck = luck_of_best(values("s1", "s2", "s3"))
    assert said(store, "other", "s1") == [
        "s1 is the best of 3 runs of engine ql on RR: of 3 equal settings the best leads their "
        f"mean by {luck:.4f} by luck alone; choose on other queries (a holdout)"
    ]


def test_one_note_names_all_measures_whose_figure_is_a_mean(store: Store) -> None:
    [note] = said(store, "other", "s1", measures="RR P@1 NumRelRet GMAP")
    assert "of engine ql on RR and P@1: " in note


def test_no_other_run_is_said_to_be_chosen(store: Store) -> None:
    assert said(store, "other", "s2") == []


def test_a_run_that_shares_the_best_figure_was_chosen_too(store: Store, tmp_path: Path) -> None:
    rankings = {f"q{q}": ["r", "n"] if q >= 3 else ["n", "r"] for q in range(QUERIES)}
    path = write_run(tmp_path, rankings, "s4.run", "s4")
    qrels = write_qrels(tmp_path, {f"q{query}": {"r": 1} for query in range(QUERIES)})
    add(store, tmp_path, path, qrels=qrels, engine="ql", facts=GivenFacts(parameters={"mu": "s4"}))
    notes = said(store, "other", "s1", "s4")
    assert [note.partition(" on ")[0] for note in notes] == [
        "s1 is the best of 4 runs of engine ql",
        "s4 is the best of 4 runs of engine ql",
    ]


def test_runs_whose_parameters_are_all_equal_are_no_settings_but_unknown_ones_are(
    store: Store,
) -> None:
    same = RunChange(facts=GivenFacts(parameters={"mu": "s1"}))
    apply_change(store, "s2", same)
    assert len(said(store, "other", "s1")) == 1
    apply_change(store, "s3", same)
    assert said(store, "other", "s1") == []
    for name in GOOD_AT:
        apply_change(store, name, RunChange(unset=("parameters",)))
    assert len(said(store, "other", "s1")) == 1


def test_removed_runs_are_no_settings(store: Store) -> None:
    remove_runs(store, ["s3"])
    assert said(store, "other", "s1") == []


def test_it_is_over_the_queries_that_are_compared(store: Store) -> None:
    tag_queries(store, "test", {f"q{query}": {"half": str(query // 3)} for query in range(QUERIES)})
    [note] = said(store, "other", "s1", where="half=0")
    of_half = np.array(values("s1", "s2", "s3"))[:3]
    assert f"by {luck_of_best(of_half):.4f} by luck alone" in note
    assert said(store, "other", "s1", where="half=1") == []
