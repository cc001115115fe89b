"""Slots of engines: a number for each engine of a collection, which never changes."""

from __future__ import annotations

from pathlib import Path

from databases import both_databases
from samples import BM25, NOTHING_FOR_Q3, TFIDF, add, write_run

from evalstore.catalog.annotate import RunChange, apply_change
from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.store import Store
from evalstore.store.queries.runs import load_slots
from evalstore.transfer.copy import copy


def slots(store: Store, collection: str = "test") -> dict[str, int]:
    with store.read() as connection:
        return load_slots(connection, collection)


def three_engines(store: Store, folder: Path) -> None:
    for name, rankings in {"z": BM25, "a": TFIDF, "m": NOTHING_FOR_Q3}.items():
        add(store, folder, write_run(folder, rankings, f"{name}.run", name))


def test_slots_are_the_order_of_the_engines_first_runs(store: Store, tmp_path: Path) -> None:
    three_engines(store, tmp_path)
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "again.run", "a"))
    assert slots(store) == {"z": 0, "a": 1, "m": 2}


def test_each_collection_counts_for_itself(store: Store, tmp_path: Path) -> None:
    three_engines(store, tmp_path)
    add(store, tmp_path, write_run(tmp_path, BM25, "m.run", "m"), collection="other")
    assert slots(store, "other") == {"m": 0}


def test_an_engine_that_goes_leaves_the_slots_of_the_others(store: Store, tmp_path: Path) -> None:
    three_engines(store, tmp_path)
    remove_runs(store, ["z"])
    purge_runs(store)
    assert slots(store) == {"a": 1, "m": 2}
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "n.run", "n"))
    assert slots(store) == {"a": 1, "m": 2, "n": 3}


@both_databases
def test_a_run_given_to_another_engine_gives_that_engine_a_slot(
    store: Store, tmp_path: Path
) -> None:
    three_engines(store, tmp_path)
    apply_change(store, "a", RunChange(engine="new"))
    assert slots(store)["new"] == 3


def test_a_copy_keeps_the_slots(store: Store, tmp_path: Path) -> None:
    three_engines(store, tmp_path)
    remove_runs(store, ["z"])
    purge_runs(store)
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(store, target)
        assert slots(target) == slots(store)
