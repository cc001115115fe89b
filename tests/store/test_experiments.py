"""Experiments: made, edited, renamed and removed; their runs stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from leaderboard_frames import leaderboard
from samples import BM25, TFIDF, Filled, add, write_qrels, write_run

from evalstore.catalog.annotate import RunChange, apply_change
from evalstore.catalog.collections import remove_collections
from evalstore.catalog.runs import history, purge_runs, remove_runs
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.tracking.experiments import (
    edit_experiment,
    experiment_runs,
    experiments,
    new_experiment,
    remove_experiment,
    rename_experiment,
)
from evalstore.transfer.copy import copy


def fill(store: Store, folder: Path) -> None:
    """Two runs of the experiment `june`, one of none."""
    files = [write_run(folder, BM25, f"{name}.run", name) for name in ("run10",)]
    files.append(write_run(folder, TFIDF, "run2.run", "run2"))
    add(store, folder, *files, experiment="june", engine="e")
    add(store, folder, write_run(folder, {"q1": ["d1"]}, "other.run"))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def test_an_experiment_has_a_question_a_conclusion_and_its_runs(filled: Store) -> None:
    edit_experiment(filled, "june", question="*which?*\n", conclusion="none")
    (stored,) = experiments(filled)
    assert (stored.name, stored.question, stored.conclusion) == ("june", "*which?*", "none")
    assert stored.runs == 2
    experiment = experiment_runs(filled, "june", [parse("AP"), parse("P@7")])
    assert [run.run for run in experiment.runs] == ["run2", "run10"]
    assert experiment.runs[0].values == pytest.approx({"AP": 25 / 36, "P@7": 4 / 21})


def test_an_experiment_may_be_made_before_its_runs(filled: Store, tmp_path: Path) -> None:
    new_experiment(filled, "july", "why?")
    assert experiment_runs(filled, "july", [parse("AP")]).runs == ()
    add(filled, tmp_path, str(tmp_path / "run2.run"), name="run3", experiment="july")
    assert [run.run for run in experiment_runs(filled, "july", []).runs] == ["run3"]
    assert {stored.name: stored.question for stored in experiments(filled)}["july"] == "why?"


def test_experiments_are_listed_in_natural_order(store: Store) -> None:
    for name in ("run10", "run2", "Run1"):
        new_experiment(store, name)
    assert [stored.name for stored in experiments(store)] == ["Run1", "run2", "run10"]


def test_an_empty_text_removes_it_and_none_leaves_it(filled: Store) -> None:
    assert edit_experiment(filled, "june", "which?", "none") == ("question", "conclusion")
    assert edit_experiment(filled, "june", conclusion=" \n") == ("conclusion",)
    assert edit_experiment(filled, "june", question="which?") == ()
    (stored,) = experiments(filled)
    assert (stored.question, stored.conclusion) == ("which?", None)


@both_databases
def test_each_change_is_an_event_that_keeps_the_texts_from_before(filled: Store) -> None:
    new_experiment(filled, "july")
    edit_experiment(filled, "july", question="which?")
    edit_experiment(filled, "july", question="who?")
    rename_experiment(filled, "july", "august")
    remove_experiment(filled, "august")
    listed = [(e.action, e.subject, e.details) for e in history(filled, last=5)]
    kind = {"kind": "experiment"}
    assert listed == [
        ("new", "july", kind),
        ("edit", "july", {**kind, "before": {"question": None}}),
        ("edit", "july", {**kind, "before": {"question": "which?"}}),
        ("rename", "august", {**kind, "before": "july"}),
        ("rm", "august", {**kind, "runs": 0, "question": "who?", "conclusion": None}),
    ]


def test_the_runs_of_a_removed_experiment_stay(filled: Store) -> None:
    assert remove_experiment(filled, "june").runs == 2
    assert experiments(filled) == []
    assert leaderboard(filled, "test").runs["experiment"].tolist() == [None] * 3


def test_removed_runs_and_those_of_removed_collections_are_not_counted(filled: Store) -> None:
    remove_runs(filled, ["run2"])
    assert [stored.runs for stored in experiments(filled)] == [1]
    remove_collections(filled, ["test"])
    assert [stored.runs for stored in experiments(filled)] == [0]


@both_databases
def test_a_purge_keeps_experiments_about_which_something_is_written(filled: Store) -> None:
    new_experiment(filled, "july", "what comes next?")
    apply_change(filled, "other", RunChange(experiment="august"))
    edit_experiment(filled, "august", "what then?")
    remove_runs(filled, ["run2", "run10", "other"])
    assert [stored.name for stored in experiments(filled)] == ["august", "july", "june"]
    purge_runs(filled)
    assert [stored.name for stored in experiments(filled)] == ["august", "july"]


def test_what_can_not_be_is_refused(filled: Store) -> None:
    with pytest.raises(Conflict, match="there is an experiment 'june' already"):
        new_experiment(filled, "june")
    new_experiment(filled, "july")
    with pytest.raises(Conflict, match="there is an experiment 'june' already"):
        rename_experiment(filled, "july", "june")
    with pytest.raises(NotFound, match="no experiment 'jun' in the store; did you mean 'june'"):
        edit_experiment(filled, "jun", "x")
    with pytest.raises(DataError, match="empty name"):
        new_experiment(filled, " ")
    with pytest.raises(DataError, match="the question has a character that can't be stored"):
        edit_experiment(filled, "june", "\0")
    with pytest.raises(DataError, match="the conclusion is longer than 1,048,576 bytes"):
        edit_experiment(filled, "june", conclusion="é" * 600_000)


def test_a_copy_completes_the_texts_that_the_target_lacks_and_changes_none(
    filled: Store, tmp_path: Path
) -> None:
    edit_experiment(filled, "june", "which?", "none")
    new_experiment(filled, "without runs")
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        new_experiment(target, "june", question="our question")
        copy(filled, target, "test")
        (stored,) = experiments(target)
        assert (stored.question, stored.conclusion) == ("our question", "none")
        assert stored.runs == 2
        copy(filled, target)
        assert [stored.name for stored in experiments(target)] == ["june", "without runs"]


def test_a_copy_brings_the_baseline_unless_the_target_has_one(
    filled: Store, tmp_path: Path
) -> None:
    from evalstore.comparison.choosing.baselines import baseline, set_baseline

    set_baseline(filled, "run10")
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(filled, target)
        copied = baseline(target, "test")
        assert copied is not None
        assert copied.name == "run10"
        set_baseline(target, "run2")
        copy(filled, target)
        kept = baseline(target, "test")
        assert kept is not None
        assert kept.name == "run2"


def test_an_experiment_may_have_runs_of_several_collections(filled: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path)
    add(
        filled, tmp_path, str(tmp_path / "run2.run"), qrels=qrels, collection="a", experiment="june"
    )
    experiment = experiment_runs(filled, "june", [parse("AP")])
    assert [(run.collection, run.run) for run in experiment.runs] == [
        ("a", "run2"),
        ("test", "run2"),
        ("test", "run10"),
    ]
