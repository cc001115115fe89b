"""Finding the run that a link names: by its name, and the start of its content hash."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_runs import rename_run
from databases import both_databases
from samples import TFIDF, add, write_run

from evalstore.catalog.collections import remove_collections
from evalstore.catalog.links import TracedRun, trace_named_runs
from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NotFound
from evalstore.store import Store
from evalstore.store.queries.runs import find_run


def trace_named_run(store: Store, collection: str, text: str) -> TracedRun:
    with store.read() as connection:
        return trace_named_runs(connection, collection, [text])[text]


def hash_of(store: Store, name: str, collection: str = "test") -> str:
    run = trace_named_run(store, collection, name).run
    assert run is not None
    return run.content_hash


def test_a_name_finds_its_run_with_and_without_the_hash(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    content = hash_of(store, "bm25")
    for text in ("bm25", f"bm25~{content[:4]}", f"bm25~{content}"):
        traced = trace_named_run(store, "test", text)
        assert (traced.status, traced.name) == ("stored", "bm25")


def test_a_run_that_was_renamed_is_found_under_its_old_names(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    rename_run(store, "bm25", "b")
    rename_run(store, "b", "c")
    content = hash_of(store, "c")
    for text in ("bm25", "b", f"bm25~{content[:6]}"):
        traced = trace_named_run(store, "test", text)
        assert (traced.status, traced.name) == ("moved", "c")


def test_a_name_that_means_another_run_now_is_told_by_the_hash(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    content = hash_of(store, "bm25")
    add(store, tmp_path, write_run(tmp_path, TFIDF), replace=True)
    traced = trace_named_run(store, "test", f"bm25~{content[:8]}")
    assert (traced.status, traced.name) == ("replaced", "bm25")
    assert trace_named_run(store, "test", "bm25~00000000").status == "other"


def test_a_removed_run_is_told_as_such_by_its_name(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    remove_runs(store, ["bm25"])
    traced = trace_named_run(store, "test", "bm25")
    assert (traced.status, traced.name) == ("removed", "bm25")
    assert traced.at is not None


@both_databases
def test_a_purged_run_is_said_to_be_deleted_and_when(small: Store) -> None:
    content = hash_of(small, "bm25")
    remove_runs(small, ["bm25"])
    purge_runs(small, ["bm25"])
    traced = trace_named_run(small, "test", f"bm25~{content[:8]}")
    assert (traced.status, traced.name, traced.collection) == ("deleted", "bm25", "test")
    assert traced.at is not None


def test_a_run_of_a_removed_collection_is_said_to_be_removed(small: Store) -> None:
    with small.read() as connection:
        run_id = find_run(connection, "bm25").id
    remove_collections(small, ["test"])
    traced = trace_named_run(small, "test", "bm25")
    assert traced.status == "removed"
    assert traced.at is not None
    with pytest.raises(NotFound, match=f"no run '{run_id}'"):
        load_stored_runs(small, [str(run_id)], {})


def test_a_name_that_never_was_is_unknown(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert trace_named_run(store, "test", "nothing").status == "unknown"
    assert trace_named_run(store, "test", "nothing~00000000").status == "unknown"
    assert trace_named_run(store, "elsewhere", "bm25").status == "unknown"


def test_a_name_that_ends_like_a_hash_is_a_name_first(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path), name="bm25~beef")
    assert trace_named_run(store, "test", "bm25~beef").status == "stored"
