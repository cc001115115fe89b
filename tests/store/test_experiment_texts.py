"""Who reads the texts of an experiment: who may read all collections that they are about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import both_databases
from parquet_files import rows
from samples import BM25, Filled, add, write_qrels, write_run
from sqlalchemy import text
from two_collections import id_of

from evalstore.store import Store
from evalstore.store.queries.runs import StoredExperiment
from evalstore.tracking.experiments import (
    edit_experiment,
    experiments,
    new_experiment,
    rename_experiment,
)
from evalstore.transfer.copy import copy
from evalstore.transfer.export_parquet import export_parquet
from evalstore.transfer.import_parquet import check_folder, import_parquet

COLLECTIONS = ("a", "b", "c")


def fill(store: Store, folder: Path) -> None:
    """Three collections with a run each; the texts of `june` are about a and b."""
    for name in COLLECTIONS:
        if name == "c":
            edit_experiment(store, "june", "which?", "none")
        run = write_run(folder, {**BM25, "q1": [f"d-{name}"]}, f"{name}.run")
        add(
            store, folder, run, qrels=write_qrels(folder), collection=name, experiment="june"
        )  # fmt: skip


@pytest.fixture
def filled(copied: Filled) -> Store:
    store = copied(fill)
    store.allow_restriction()
    return store


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """Another store, which holds nothing yet."""
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as store:
        yield store


def read_by(store: Store, collections: str) -> StoredExperiment | None:
    """The experiment `june` as it is to who may read some collections."""
    part = store.restricted_to({id_of(store, name) for name in collections})
    return next((each for each in experiments(part) if each.name == "june"), None)


def questions(store: Store) -> dict[str, str | None]:
    """The question as it is read by who may read some collections."""
    readers = ("a", "b", "c", "ab", "ac", "abc")
    by_reader = {each: read_by(store, each) for each in readers}
    return {each: one and one.question for each, one in by_reader.items()}


ABOUT_A_AND_B = {"a": None, "b": None, "c": None, "ab": "which?", "ac": None, "abc": "which?"}


def test_texts_are_for_who_may_read_all_that_they_are_about(filled: Store) -> None:
    assert questions(filled) == ABOUT_A_AND_B


def test_runs_and_dates_are_those_that_one_may_read(filled: Store) -> None:
    (whole,) = experiments(filled)
    assert whole.runs == 3
    by_reader = {name: read_by(filled, name) for name in (*COLLECTIONS, "ab", "abc")}
    assert {name: one and one.runs for name, one in by_reader.items()} == {
        **dict.fromkeys(COLLECTIONS, 1),
        "ab": 2,
        "abc": 3,
    }
    dates = [one.created_at for name in COLLECTIONS if (one := by_reader[name]) is not None]
    assert dates == sorted(set(dates))
    assert whole.created_at == dates[0]


def test_what_older_texts_were_about_stays(filled: Store) -> None:
    edit_experiment(filled, "june", conclusion="a was better")
    assert questions(filled) == {**dict.fromkeys(ABOUT_A_AND_B), "abc": "which?"}


@both_databases
def test_texts_about_a_collection_that_is_no_more_are_for_who_may_read_every_one(
    filled: Store,
) -> None:
    with filled.write() as connection:
        connection.execute(text("DELETE FROM collection WHERE name = 'a'"))
    assert (read_by(filled, "b"), read_by(filled, "c")) != (None, None)
    for name in ("b", "c"):
        one = read_by(filled, name)
        assert one is not None
        assert one.question is None
    every = read_by(filled, "bc")
    assert every is not None
    assert every.question == "which?"


def test_a_new_name_is_that_of_all_runs(filled: Store) -> None:
    rename_experiment(filled, "june", "july")
    part = filled.restricted_to({id_of(filled, "c")})
    assert [(each.name, each.runs) for each in experiments(part)] == [("july", 1)]


# --- elsewhere -----------------------------------------------------------------------------------


def test_a_copy_is_about_the_same_collections(filled: Store, other: Store) -> None:
    copy(filled, other)
    assert questions(other) == ABOUT_A_AND_B
    copy(filled, other)
    assert questions(other) == ABOUT_A_AND_B


def test_texts_that_are_about_more_than_was_copied_are_for_who_may_read_every_one(
    filled: Store, other: Store, tmp_path: Path
) -> None:
    copy(filled, other, "a")
    copy(filled, other, "c")
    for name in ("a", "c"):
        one = read_by(other, name)
        assert one is not None
        assert one.question is None
    every = read_by(other, "ac")
    assert every is not None
    assert every.question == "which?"


def test_a_copy_of_a_collection_brings_the_texts_about_it_alone(
    filled: Store, other: Store
) -> None:
    new_experiment(filled, "without runs", "why?")
    copy(filled, other, "c")
    assert [(each.name, each.question) for each in experiments(other)] == [("june", None)]


def test_a_parquet_file_has_the_texts_about_its_collection(
    filled: Store, other: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "parquet"
    export_parquet(filled, folder)
    written = {row["collection"]: row for row in rows(folder, "experiments")}
    assert {name: row["question"] for name, row in written.items()} == {
        "a": "which?",
        "b": "which?",
        "c": None,
    }
    import_parquet(other, check_folder(folder))
    assert questions(other) == ABOUT_A_AND_B
