"""`copy` moves a store between databases: everything, exactly, and only what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from changed_runs import tag_run
from databases import both_databases
from full_store import content, fill, forget
from postgres import Server
from samples import BM25, TFIDF, Fill, add, dump, write_qrels, write_run

from evalstore.catalog.runs import history, remove_runs, removed_runs
from evalstore.errors import DataError, NotFound
from evalstore.evaluation.measure import measure
from evalstore.ingest.store_qrels import store_qrels
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.transfer.copy import copy_evaluations
from evalstore.transfer.copy import Copied, copy
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export import run_lists

pytestmark = pytest.mark.slow  # full stores are copied

ON_POSTGRES = pytest.mark.postgres
KINDS = [
    "SQLite to SQLite",
    pytest.param("SQLite to PostgreSQL", marks=ON_POSTGRES),
    pytest.param("PostgreSQL to SQLite", marks=ON_POSTGRES),
    pytest.param("PostgreSQL to PostgreSQL", marks=ON_POSTGRES),
]


@pytest.fixture(params=KINDS)
def pair(
    request: pytest.FixtureRequest, filled_folder: Callable[[Fill], Path], tmp_path: Path
) -> Iterator[tuple[Store, Store]]:
    """A store with rows in every table, and an empty one."""
    source, _, target = request.param.partition(" to ")
    source_url, target_url = f"sqlite:///{tmp_path}/source.db", f"sqlite:///{tmp_path}/target.db"
    shutil.copyfile(filled_folder(fill) / "store.db", tmp_path / "source.db")
    with ExitStack() as stack:
        if "PostgreSQL" in request.param:
            server: Server = request.getfixturevalue("postgres")
            if source == "PostgreSQL":
                source_url = server.copy_of(request.getfixturevalue("filled_on_postgres")(fill))
                stack.callback(server.drop, source_url)
            if target == "PostgreSQL":
                target_url = server.new_store()
                stack.callback(server.drop, target_url)
        with Store.open(source_url) as from_, Store.open(target_url) as to:
            yield from_, to


to_each = pytest.mark.parametrize("pair", KINDS[:2], indirect=True)
"""A store in a file is copied into one of each kind: from the other kind all is read as it was."""


def statuses(copied: list[Copied]) -> list[tuple[str, str, str]]:
    return [(c.kind, c.name, c.status) for c in copied if c.kind in ("run", "qrels")]


def test_a_copy_holds_everything_bit_for_bit(pair: tuple[Store, Store]) -> None:
    source, target = pair
    assert all(c.status == "copied" for c in copy(source, target))
    assert list(db_check(target).problems) == []
    expected, target_rows = content(source), content(target)
    for name, rows in expected.items():
        assert target_rows[name] == rows, name
    with run_lists(target, "bm25") as copied, run_lists(source, "bm25") as original:
        assert list(copied.lists) == list(original.lists)
        assert copied.tag == original.tag
    assert [r.name for r in removed_runs(target)] == ["tfidf"]


@to_each
def test_a_copy_again_adds_nothing(pair: tuple[Store, Store]) -> None:
    source, target = pair
    copy(source, target)
    before = dump(target)
    assert {status for _, _, status in statuses(copy(source, target))} == {"there already"}
    assert dump(target) == before


@to_each
def test_there_and_back_is_the_same_store(pair: tuple[Store, Store], tmp_path: Path) -> None:
    source, target = pair
    copy(source, target)
    with Store.open(f"sqlite:///{tmp_path / 'back.db'}") as back:
        copy(target, back)
        assert content(back) == content(source)


@to_each
def test_what_is_missing_is_added(pair: tuple[Store, Store], tmp_path: Path) -> None:
    source, target = pair
    copy(source, target)
    add(source, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"))
    measure(source, [parse("P@7")], ["bm25"])
    third = write_qrels(tmp_path, {"q1": {"d9": 1}}, "fourth.qrels")
    add(source, tmp_path, write_run(tmp_path, BM25), qrels=third)
    changed = [s for s in statuses(copy(source, target)) if s[2] != "there already"]
    assert changed == [
        ("qrels", "fourth", "copied"),
        ("run", "bm25", "completed"),
        ("run", "new", "copied"),
    ]
    before, after = content(source), content(target)
    # Of a run that is there already the files that it was read from later are not copied.
    del before["run_file"], after["run_file"]
    assert after == before


@to_each
def test_what_belongs_to_a_run_or_qrels_of_the_target_is_added_if_it_has_none(
    pair: tuple[Store, Store],
) -> None:
    source, target = pair
    copy(source, target)
    forget(target)
    changed = [one for one in copy(source, target) if one.status == "completed"]
    assert [(one.kind, one.name, one.detail) for one in changed] == [
        ("qrels", "judged ✓", "origins of judgments"),
        ("run", "bm25", "times or explanations"),
    ]
    assert content(target) == content(source)


@to_each
def test_a_collection_is_copied_alone(pair: tuple[Store, Store]) -> None:
    source, target = pair
    copied = copy(source, target, "odd ✓")
    assert {c.collection for c in copied} == {"odd ✓"}
    assert [row[0] for row in content(target)["collection"]] == ["odd ✓"]
    assert {event.collection for event in history(target)} == {"odd ✓"}
    with pytest.raises(NotFound, match="no collection 'nothing' in "):
        copy(source, target, "nothing")


@to_each
def test_who_did_what_is_copied_too_and_the_copy_is_an_event(pair: tuple[Store, Store]) -> None:
    source, target = pair
    copy(source, target)
    theirs, ours = history(source), history(target)
    assert [e for e in ours if e.action != "copy"] == theirs
    assert {e.details["source"] for e in ours if e.action == "copy" and e.details} == {
        source.url_shown
    }


@both_databases
def test_what_the_target_has_is_never_changed(store: Store, target: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    add(target, tmp_path, write_run(tmp_path), engine="ours")
    tag_run(target, "bm25", ["kept"])
    remove_runs(store, ["bm25"])
    assert statuses(copy(store, target)) == [
        ("qrels", "test", "there already"),
        ("run", "bm25", "there already"),
    ]
    assert tag_run(target, "bm25") == ["kept"]


@both_databases
def test_a_run_whose_rankings_the_target_has_shares_them(
    store: Store, target: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    add(target, tmp_path, write_run(tmp_path), name="mine")
    assert ("run", "bm25", "copied") in statuses(copy(store, target))
    rows = dump(target)
    assert [len(rows[name]) for name in ("run", "content", "evaluation")] == [2, 1, 1]
    assert db_check(target).problems == ()


@both_databases
def test_a_name_with_other_content_in_the_target_fails_alone(
    store: Store, target: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run"))
    add(target, tmp_path, write_run(tmp_path, {"q1": ["d1"]}))
    failed, copied = [c for c in copy(store, target) if c.kind == "run"]
    assert (failed.status, copied.status) == ("failed", "copied")
    assert "run 'bm25' has other content in the target" in failed.detail
    assert list(db_check(target).problems) == []


@both_databases
def test_a_qrels_with_other_content_gets_a_free_name(
    store: Store, target: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    store_qrels(target, "test", qrels_path=write_qrels(tmp_path, {"q1": {"d1": 1}}))
    assert statuses(copy(store, target))[0] == ("qrels", "test (2)", "copied")
    assert list(db_check(target).problems) == []


@both_databases
def test_a_copy_that_breaks_off_holds_each_run_whole_or_not_at_all(
    store: Store, target: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run"))
    seen: list[int] = []

    def broken(*arguments: Any) -> int:
        if seen:
            raise RuntimeError("in the middle")
        seen.append(1)
        return copy_evaluations(*arguments)

    monkeypatch.setattr("evalstore.store.transfer.copy.copy_evaluations", broken)
    with pytest.raises(RuntimeError, match="in the middle"):
        copy(store, target)
    monkeypatch.undo()
    assert list(db_check(target).problems) == []
    assert statuses(copy(store, target)) == [
        ("qrels", "test", "there already"),
        ("run", "bm25", "there already"),
        ("run", "tfidf", "copied"),
    ]


@both_databases
def test_a_store_is_not_copied_into_itself(store: Store, database_url: str) -> None:
    with Store.open(database_url) as again, pytest.raises(DataError, match="into itself"):
        copy(store, again)
