"""The qrels and collections of a store: the default, names, removal, and what is refused.

Each test runs on both databases (conftest.py).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from databases import both_databases
from leaderboard_frames import leaderboard
from samples import BM25, QRELS, TFIDF, Filled, add, dump, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.collections import (
    collections,
    purge_collections,
    remove_collections,
    rename_collection,
    restore_collections,
)
from evalstore.catalog.qrels import (
    list_qrels,
    purge_qrels,
    remove_qrels,
    rename_qrels,
    restore_qrels,
    set_default,
)
from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.errors import Conflict, Disjoint, NotFound
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check

MORE = {**QRELS, "q4": {"d1": 1}}
OTHERS = {"x1": {"d1": 1}, "x2": {"d2": 1}}


def defaults(store: Store) -> list[tuple[str, bool]]:
    return [(qrels.name, qrels.is_default) for qrels in list_qrels(store)]


def fill(store: Store, folder: Path) -> None:
    """A collection with two qrels and a run under each, and another collection."""
    add(store, folder, write_run(folder))
    more = write_qrels(folder, MORE, "more.qrels")
    add(store, folder, write_run(folder, TFIDF, "tfidf.run"), qrels=more)
    add(store, folder, write_run(folder), collection="other")


@pytest.fixture
def full(copied: Filled) -> Store:
    return copied(fill)


# --- the default ---------------------------------------------------------------------------------


def test_the_first_qrels_of_a_collection_is_its_default_until_another_is_asked_for(
    full: Store, tmp_path: Path
) -> None:
    expected = [("test", True), ("more", False), ("test", True)]
    assert sorted(defaults(full)) == sorted(expected)
    assert leaderboard(full, "test").qrels == "test"
    warnings: list[str] = []
    more = write_qrels(tmp_path, MORE, "more.qrels")
    store_qrels(full, "test", qrels_path=more, warn=warnings.append)
    assert warnings == [
        "figures of collection 'test' are shown under qrels 'test', its default, not under 'more'"
    ]
    store_qrels(full, "test", qrels_path=more, default_qrels=True)
    assert leaderboard(full, "test").qrels == "more"


def test_a_stored_qrels_can_be_made_the_default(full: Store) -> None:
    assert not set_default(full, "more").is_default
    assert set_default(full, "more").is_default  # again changes nothing
    assert leaderboard(full, "test").qrels == "more"
    with pytest.raises(NotFound, match="several collections have a qrels 'test'"):
        set_default(full, "test")
    set_default(full, "test", "test")
    assert leaderboard(full, "test").qrels == "test"


@both_databases
def test_a_removed_default_gives_way_to_the_newest_left(full: Store, tmp_path: Path) -> None:
    remove_qrels(full, ["test"], "test")
    assert leaderboard(full, "test").qrels == "more"
    assert [qrels.name for qrels in list_qrels(full, "test", removed=True)] == ["test"]
    restore_qrels(full, ["test"], "test")
    assert leaderboard(full, "test").qrels == "more"
    assert db_check(full).problems == ()


@both_databases
def test_a_collection_whose_only_qrels_was_removed_has_a_default_when_one_comes_back(
    full: Store, tmp_path: Path
) -> None:
    remove_qrels(full, ["test"], "other")
    with pytest.raises(NotFound, match="collection 'other' has no qrels yet"):
        store_qrels(full, "other")
    store_qrels(full, "other", qrels_path=write_qrels(tmp_path))  # the same: it is restored
    assert leaderboard(full, "other").qrels == "test"
    assert db_check(full).problems == ()


# --- what belongs to another collection ----------------------------------------------------------


def test_a_qrels_that_shares_no_query_with_the_collection_is_refused_and_nothing_stored(
    full: Store, tmp_path: Path
) -> None:
    before = dump(full)
    with pytest.raises(Disjoint, match=r"others\.qrels: none of its 2 queries is among the 4"):
        store_qrels(full, "test", qrels_path=write_qrels(tmp_path, OTHERS, "others.qrels"))
    assert dump(full) == before


def test_a_qrels_that_shares_no_query_is_stored_when_asked_for(full: Store, tmp_path: Path) -> None:
    path = write_qrels(tmp_path, OTHERS, "others.qrels")
    store_qrels(full, "test", qrels_path=path, allow_disjoint=True)
    assert leaderboard(full, "test").qrels == "test"
    assert {qrels.name for qrels in list_qrels(full, "test")} == {"test", "more", "others"}


def test_a_qrels_that_shares_less_than_half_of_its_queries_is_warned_about(
    full: Store, tmp_path: Path
) -> None:
    few = {"q1": {"d1": 1}, **{f"x{i}": {"d1": 1} for i in range(9)}}
    half = {"q1": {"d1": 1}, "q2": {"d1": 1}, "x1": {"d1": 1}, "x2": {"d1": 1}}
    for grades, expected in ((few, 2), (half, 1)):
        warnings: list[str] = []
        path = write_qrels(tmp_path, grades, f"part{len(grades)}.qrels")
        store_qrels(full, "test", qrels_path=path, warn=warnings.append)
        numbers = [warning for warning in warnings if " of its " in warning]
        assert len(numbers) == expected - 1
    assert few.keys() - QRELS.keys()


# --- names ---------------------------------------------------------------------------------------


def test_a_qrels_gets_another_name_that_is_free(full: Store) -> None:
    rename_qrels(full, "more", "2026")
    assert ("2026", False) in defaults(full)
    with pytest.raises(Conflict, match="collection 'test' has a qrels named 'test' already"):
        rename_qrels(full, "2026", "test")
    with pytest.raises(NotFound, match="no qrels 'more'"):
        rename_qrels(full, "more", "x")


def test_a_collection_gets_another_name_that_is_free(full: Store) -> None:
    rename_collection(full, "test", "adi")
    assert [stored.name for stored in collections(full)] == ["adi", "other"]
    remove_collections(full, ["other"])
    with pytest.raises(Conflict, match="a collection named 'other' already"):
        rename_collection(full, "adi", "other")


# --- removal -------------------------------------------------------------------------------------


@both_databases
def test_a_removed_qrels_is_shown_nowhere_and_restored_as_it_was(full: Store) -> None:
    before = dump(full)
    remove_qrels(full, ["more"])
    with full.read() as connection:
        for view in ("leaderboard", "query_values", "judgments", "relevant_found"):
            query = text(f"SELECT count(*) FROM {view} WHERE qrels = 'more'")
            assert connection.execute(query).scalar() == 0, view
    with pytest.raises(NotFound, match="no qrels 'more'"):
        leaderboard(full, "test", "more")
    with pytest.raises(NotFound, match="qrels 'more' in the store was removed"):
        set_default(full, "more")
    restore_qrels(full, ["more"])
    after = dump(full)
    assert after.pop("event") != before.pop("event")
    assert after == before


@both_databases
def test_a_removed_collection_is_shown_nowhere_and_restored_as_it_was(full: Store) -> None:
    before = dump(full)
    remove_collections(full, ["test"])
    assert [stored.name for stored in collections(full)] == ["other"]
    with full.read() as connection:
        for view in ("leaderboard", "query_values", "judgments", "retrieved_docs", "runs_overview"):
            query = text(f"SELECT count(*) FROM {view} WHERE collection = 'test'")
            assert connection.execute(query).scalar() == 0, view
    with pytest.raises(NotFound, match="no collection 'test'"):
        leaderboard(full, "test")
    with pytest.raises(Conflict, match="collection 'test' was removed"):
        store_qrels(full, "test")
    with pytest.raises(NotFound):
        remove_runs(full, ["tfidf"])
    restore_collections(full, ["test"])
    after = dump(full)
    assert after.pop("event") != before.pop("event")
    assert after == before


@both_databases
def test_a_purged_qrels_takes_what_was_computed_under_it_and_nothing_else(full: Store) -> None:
    remove_qrels(full, ["more"])
    assert [qrels.name for qrels in purge_qrels(full)] == ["more"]
    assert leaderboard(full, "test").values["AP"].notna().sum() == 1
    assert list_qrels(full, removed=True) == []
    problems = db_check(full).problems
    assert problems == ("run 'tfidf' of collection 'test': it was never evaluated",)


def test_a_purged_collection_takes_all_that_belongs_to_it_and_nothing_else(
    full: Store, new_store: Callable[[], str]
) -> None:
    with Store.open(new_store()) as expected:
        copy(full, expected, "other")
        remove_collections(full, ["test"])
        assert purge_collections(full) == ["test"]
        assert db_check(full).problems == ()
        counts = {name: len(rows) for name, rows in dump(full).items() if name != "event"}
        others = {name: len(rows) for name, rows in dump(expected).items() if name != "event"}
        assert counts == others
    assert purge_collections(full) == []


def test_only_what_was_removed_is_purged(full: Store) -> None:
    with pytest.raises(NotFound, match="collection 'test' is not removed"):
        purge_collections(full, ["test"])
    with pytest.raises(NotFound, match="qrels 'more' in the store is not removed"):
        purge_qrels(full, ["more"])


# --- ids -----------------------------------------------------------------------------------------


def test_the_id_of_a_purged_run_is_never_given_to_another(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    add(store, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run"))
    before = {row[0] for row in dump(store)["run"]}
    remove_runs(store, ["tfidf"])
    purge_runs(store)
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d3"]}, "new.run"))
    new = {row[0] for row in dump(store)["run"]} - before
    assert len(new) == 1
    assert min(new) > max(before)


def test_the_ids_of_a_purged_collection_and_its_qrels_are_never_given_to_others(
    store: Store, tmp_path: Path
) -> None:
    used: set[tuple[str, int]] = set()
    for _ in range(3):
        add(store, tmp_path, write_run(tmp_path, BM25))
        rows = dump(store)
        ids = {(table, rows[table][0][0]) for table in ("collection", "qrels", "query", "run")}
        assert not ids & used
        used |= ids
        remove_collections(store, ["test"])
        purge_collections(store)
