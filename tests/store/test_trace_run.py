"""Finding the run that a link names: by its id or name, and the start of its content hash."""

from __future__ import annotations

from pathlib import Path

import pytest
from leaderboard_frames import leaderboard
from samples import BM25, TFIDF, add, write_run

from evalstore.catalog.collections import remove_collections
from evalstore.catalog.links import trace_named_run, trace_run
from evalstore.catalog.runs import purge_runs, remove_runs, rename_run
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NotFound
from evalstore.store import Store

Named = tuple[int, str]


@pytest.fixture
def store(small: Store) -> Store:
    """The runs bm25 and tfidf."""
    return small


@pytest.fixture
def linked(store: Store) -> Named:
    """The id and the start of the hash of the run bm25."""
    runs = leaderboard(store, "test").runs.set_index("run")
    return int(runs.at["bm25", "run_id"]), str(runs.at["bm25", "content_hash"])[:8]


def test_a_run_that_is_stored_is_found_with_and_without_its_hash(
    store: Store, linked: Named
) -> None:
    run_id, content = linked
    for traced in (trace_run(store, run_id), trace_run(store, run_id, content)):
        assert (traced.status, traced.name, traced.collection) == ("stored", "bm25", "test")


def test_a_removed_run_is_said_to_be_removed_and_when(store: Store, linked: Named) -> None:
    remove_runs(store, ["bm25"])
    for traced in (trace_run(store, *linked), trace_run(store, linked[0])):
        assert traced.status == "removed"
        assert traced.name == "bm25"
        assert traced.at is not None


def test_a_run_is_found_by_its_content_under_another_id(store: Store, linked: Named) -> None:
    run_id, content = linked
    traced = trace_run(store, run_id + 1000, content)
    assert traced.status == "moved"
    assert traced.run is not None
    assert traced.run.id == run_id


def test_a_replaced_run_leads_to_the_one_that_has_its_name(
    store: Store, linked: Named, tmp_path: Path
) -> None:
    better = {**BM25, "q3": ["d6"]}
    add(store, tmp_path, write_run(tmp_path, better), replace=True)
    traced = trace_run(store, *linked)
    assert (traced.status, traced.name, traced.collection) == ("replaced", "bm25", "test")
    assert traced.run is not None
    assert traced.run.content_hash[:8] != linked[1]
    assert traced.at is not None


def test_a_purged_run_is_said_to_be_deleted_and_when(store: Store, linked: Named) -> None:
    remove_runs(store, ["bm25"])
    purge_runs(store, ["bm25"])
    traced = trace_run(store, *linked)
    assert (traced.status, traced.name, traced.collection) == ("deleted", "bm25", "test")
    assert traced.at is not None


def test_an_id_that_belongs_to_another_run_is_said_to_be_anothers(
    store: Store, linked: Named
) -> None:
    traced = trace_run(store, linked[0], "00000000")
    assert traced.status == "other"
    assert traced.run is not None
    assert traced.run.name == "bm25"


@pytest.mark.parametrize("run_id", [0, -1, 987654, 2**63, 10**30])
def test_what_nobody_knows_is_unknown(store: Store, linked: Named, run_id: int) -> None:
    assert trace_run(store, run_id).status == "unknown"
    assert trace_run(store, run_id, "00000000").status == "unknown"
    assert trace_run(store, run_id, "%_______").status == "unknown"


def test_a_run_of_a_removed_collection_is_said_to_be_removed(store: Store, linked: Named) -> None:
    remove_collections(store, ["test"])
    traced = trace_run(store, *linked)
    assert traced.status == "removed"
    assert traced.at is not None
    with pytest.raises(NotFound, match=f"no run '{linked[0]}'"):
        load_stored_runs(store, [str(linked[0])], {})


# --- by name -----------------------------------------------------------------------------------


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
    assert trace_named_run(store, "test", "bm25").status == "removed"


def test_a_name_that_never_was_is_unknown(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert trace_named_run(store, "test", "nothing").status == "unknown"
    assert trace_named_run(store, "elsewhere", "bm25").status == "unknown"


def test_a_name_that_ends_like_a_hash_is_a_name_first(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path), name="bm25~beef")
    assert trace_named_run(store, "test", "bm25~beef").status == "stored"
