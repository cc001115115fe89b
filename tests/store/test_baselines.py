"""The baseline of a collection: chosen, kept with its run, and used unless told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_runs import rename_run
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Filled, add, write_run

from evalstore.catalog.collections import purge_collections, remove_collections
from evalstore.catalog.runs import history, purge_runs, remove_runs, restore_runs
from evalstore.comparison.choosing.baselines import (
    baseline,
    baselines,
    runs_to_compare,
    set_baseline,
    unset_baseline,
)
from evalstore.errors import DataError, NotFound
from evalstore.store import Store


def fill(store: Store, folder: Path) -> None:
    """Three runs in the collection `test`, none of them the baseline."""
    runs = {"bm25": BM25, "tfidf": TFIDF, "third": NOTHING_FOR_Q3}
    files = [write_run(folder, run, f"{name}.run", name) for name, run in runs.items()]
    add(store, folder, *files)


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def name_of(store: Store, collection: str = "test") -> str | None:
    run = baseline(store, collection)
    return None if run is None else run.name


def test_a_collection_has_no_baseline_until_one_is_set_and_then_one_at_a_time(
    filled: Store,
) -> None:
    assert name_of(filled) is None
    set_baseline(filled, "bm25")
    assert name_of(filled) == "bm25"
    set_baseline(filled, "tfidf")
    assert [each.run for each in baselines(filled)] == ["tfidf"]
    unset_baseline(filled, "test")
    assert name_of(filled) is None


def test_each_change_of_the_baseline_is_an_event_and_no_change_is_none(filled: Store) -> None:
    for run in ("bm25", "tfidf", "tfidf"):
        set_baseline(filled, run)
    unset_baseline(filled, "test")
    listed = [(e.subject, e.details) for e in history(filled) if e.action == "baseline"]
    assert listed == [
        ("bm25", {"before": None}),
        ("tfidf", {"before": "bm25"}),
        ("tfidf", {"unset": True}),
    ]


def test_a_renamed_baseline_stays_the_baseline(filled: Store) -> None:
    set_baseline(filled, "bm25")
    rename_run(filled, "bm25", "new name")
    assert name_of(filled) == "new name"


def test_a_removed_baseline_does_not_count_until_it_is_restored(filled: Store) -> None:
    set_baseline(filled, "bm25")
    remove_runs(filled, ["bm25"])
    assert name_of(filled) is None
    assert [each.is_removed for each in baselines(filled)] == [True]
    with pytest.raises(NotFound, match="the baseline of collection 'test', 'bm25', was removed"):
        runs_to_compare(filled, ["tfidf"], None, None)
    restore_runs(filled, ["bm25"])
    assert name_of(filled) == "bm25"


def test_a_purged_baseline_is_the_baseline_no_more_and_the_event_tells_it(filled: Store) -> None:
    set_baseline(filled, "bm25")
    remove_runs(filled, ["bm25"])
    purge_runs(filled)
    assert baselines(filled) == []
    assert [(e.action, e.subject) for e in history(filled, last=2)] == [
        ("baseline", "bm25"),
        ("purge", "bm25"),
    ]


def test_the_run_that_replaces_the_baseline_becomes_the_baseline(
    filled: Store, tmp_path: Path
) -> None:
    set_baseline(filled, "bm25")
    add(filled, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "bm25.run", "bm25"), replace=True)
    assert name_of(filled) == "bm25"


def test_a_run_that_replaces_another_does_not_become_the_baseline(
    filled: Store, tmp_path: Path
) -> None:
    set_baseline(filled, "tfidf")
    add(filled, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "bm25.run", "bm25"), replace=True)
    assert name_of(filled) == "tfidf"


def test_collections_have_baselines_of_their_own_which_go_with_them(
    filled: Store, tmp_path: Path
) -> None:
    add(filled, tmp_path, write_run(tmp_path), collection="other")
    set_baseline(filled, "bm25", "other")
    set_baseline(filled, "tfidf")
    assert (name_of(filled), name_of(filled, "other")) == ("tfidf", "bm25")
    remove_collections(filled, ["other"])
    assert [each.collection for each in baselines(filled)] == ["test"]
    purge_collections(filled)
    assert name_of(filled) == "tfidf"


def test_a_run_or_collection_that_is_not_there_is_refused(filled: Store) -> None:
    with pytest.raises(NotFound, match="no run 'nothing'"):
        set_baseline(filled, "nothing")
    with pytest.raises(NotFound, match="collection 'test' has no baseline"):
        unset_baseline(filled, "test")
    with pytest.raises(NotFound, match="no collection 'nothing'"):
        baseline(filled, "nothing")


def test_one_run_is_compared_with_the_baseline_of_its_collection(filled: Store) -> None:
    with pytest.raises(NotFound, match="collection 'test' has no baseline"):
        runs_to_compare(filled, ["tfidf"], None, None)
    set_baseline(filled, "bm25")
    chosen = runs_to_compare(filled, ["tfidf"], None, None)
    assert (chosen.runs, chosen.baseline, chosen.collection) == (("bm25", "tfidf"), 0, "test")
    with pytest.raises(DataError, match="'bm25' is the baseline of collection 'test' itself"):
        runs_to_compare(filled, ["bm25"], None, None)


def test_two_runs_are_compared_as_they_are_named(filled: Store) -> None:
    set_baseline(filled, "bm25")
    chosen = runs_to_compare(filled, ["tfidf", "bm25"], None, None)
    assert (chosen.runs, chosen.baseline) == (("tfidf", "bm25"), None)


def test_of_three_runs_all_others_are_compared_with_the_baseline_if_it_is_among_them(
    filled: Store,
) -> None:
    runs = ["tfidf", "bm25", "third"]
    assert runs_to_compare(filled, runs, None, None).baseline is None
    set_baseline(filled, "bm25")
    assert runs_to_compare(filled, runs, None, None).baseline == 1
    add_again = ["tfidf", "third", "tfidf"]
    assert runs_to_compare(filled, add_again, None, None).baseline is None
