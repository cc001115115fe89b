"""What the page of a run is made of: lineage, events, and its position among all runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Filled, add, write_qrels, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import remove_runs
from evalstore.errors import NotFound
from evalstore.store import Store
from evalstore.tracking.run_overview import Position, run_overview, run_positions

# AP by hand, of q1, q2, q3: bm25 5/6, 1, 1/2; tfidf 1/4, 5/6, 1; partial 1/2, 0, not answered.
BM25_AP = (5 / 6 + 1 + 1 / 2) / 3
TFIDF_AP = (1 / 4 + 5 / 6 + 1) / 3
PARTIAL_AP = 1 / 6


def fill(store: Store, folder: Path) -> None:
    """bm25 with two runs derived from it: tfidf, and of that partial."""
    add(store, folder, write_run(folder, BM25, "bm25.run", "bm25"))
    of_bm25 = GivenFacts(parent="bm25", parameters={"k1": 1.2})
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"), facts=of_bm25)
    of_tfidf = GivenFacts(parent="tfidf")
    path = write_run(folder, NOTHING_FOR_Q3, "partial.run", "partial")
    add(store, folder, path, facts=of_tfidf)


@pytest.fixture
def line(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def position(store: Store, run: str, measure: str, baseline: str | None = None) -> Position:
    positions = run_positions(store, run, "test", "test", baseline)
    return next(one for one in positions if one.measure == measure)


def test_lineage_leads_to_parents_and_to_children(line: Store) -> None:
    middle = run_overview(line, "tfidf", "test")
    assert middle.facts.parameters == {"k1": 1.2}
    assert middle.parent is not None
    assert middle.parent.name == "bm25"
    assert middle.children == ("partial",)
    last = run_overview(line, "partial", "test")
    assert [one.name for one in last.ancestors] == ["tfidf", "bm25"]
    assert last.children == ()


def test_a_removed_child_is_left_out_and_a_removed_parent_is_marked(own: Store) -> None:
    remove_runs(own, ["tfidf"])
    assert run_overview(own, "bm25", "test").children == ()
    last = run_overview(own, "partial", "test")
    assert last.parent is None
    assert [(one.name, one.is_removed) for one in last.ancestors] == [
        ("tfidf", True),
        ("bm25", False),
    ]


def test_the_events_are_those_of_the_run_the_newest_first(line: Store) -> None:
    events = run_overview(line, "bm25", "test").events
    assert {event.subject for event in events} == {"bm25"}
    assert events[-1].action == "ingest"


def test_an_unknown_run_is_named(line: Store) -> None:
    with pytest.raises(NotFound, match="there is no run 'nobody'"):
        run_overview(line, "nobody", "test")


def test_a_rank_is_one_more_than_how_many_runs_are_better(line: Store) -> None:
    expected = {"bm25": (1, BM25_AP), "tfidf": (2, TFIDF_AP), "partial": (3, PARTIAL_AP)}
    for run, (rank, value) in expected.items():
        figures = position(line, run, "AP")
        assert (figures.rank, figures.runs, figures.value) == (rank, 3, pytest.approx(value))


def test_equal_figures_share_a_rank(own: Store, tmp_path: Path) -> None:
    # Another document that is not judged in place of d9: the same figures.
    twin = {**BM25, "q1": ["d1", "other", "d2"]}
    add(own, tmp_path, write_run(tmp_path, twin, "twin.run", "twin"))
    assert [position(own, run, "AP").rank for run in ("bm25", "twin", "tfidf")] == [1, 1, 3]


def test_a_count_that_is_neither_better_nor_worse_has_no_rank(line: Store) -> None:
    assert position(line, "bm25", "NumRel").rank is None


@both_databases
def test_a_difference_is_the_run_less_the_baseline(line: Store) -> None:
    figures = position(line, "tfidf", "AP", "bm25")
    assert figures.difference == pytest.approx(TFIDF_AP - BM25_AP)
    assert position(line, "bm25", "AP", "bm25").difference is None
    assert position(line, "bm25", "AP").difference is None


def test_removed_runs_and_other_judgments_do_not_count(own: Store, tmp_path: Path) -> None:
    remove_runs(own, ["bm25"])
    other = write_qrels(tmp_path, {"q1": {"d1": 1}}, "other.qrels")
    add(own, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "solo.run", "solo"), qrels=other)
    figures = position(own, "tfidf", "AP")
    assert (figures.rank, figures.runs) == (1, 2)
    assert run_positions(own, "tfidf", "test", "other") == []
