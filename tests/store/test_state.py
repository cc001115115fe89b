"""`Store.state`: whether anything was changed since it was last asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from leaderboard_frames import leaderboard
from samples import TFIDF, add, write_run

from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.errors import StoreError
from evalstore.store import Store


def test_reading_does_not_change_it(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    before = store.state()
    leaderboard(store, "test")
    assert store.state() == before


def test_a_change_of_this_process_changes_it(store: Store, tmp_path: Path) -> None:
    states = [store.state()]
    add(store, tmp_path, write_run(tmp_path))
    states.append(store.state())
    set_baseline(store, "bm25")
    states.append(store.state())
    assert len(set(states)) == 3


def test_a_change_by_another_opening_of_the_store_changes_it(store: Store, tmp_path: Path) -> None:
    before = store.state()
    with Store.open(store.url) as other:
        add(other, tmp_path, write_run(tmp_path))
    assert store.state() != before


def test_asked_for_while_another_writes_it_changes_with_the_end_of_the_transaction(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE run SET name = 'renamed'")
        before = store.state()
    assert store.state() != before


def test_a_file_that_replaces_it_has_another_state(tmp_path: Path) -> None:
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    with Store.open(str(path)) as store, Store.open(str(other)) as second:
        add(second, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run"))
        second.close()
        before = store.state()
        os.replace(other, path)
        assert store.state() != before


def test_of_a_store_that_is_gone_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(str(path)) as store:
        store.state()
        store.close()
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        with pytest.raises(StoreError, match="there is no store"):
            store.state()


@pytest.mark.skipif(sys.platform == "win32", reason="processes do not fork")
def test_a_forked_process_asks_over_a_connection_of_its_own(store: Store, tmp_path: Path) -> None:
    before = store.state()
    child = os.fork()
    if child == 0:
        os._exit(0 if store.state() != before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.state() == before
