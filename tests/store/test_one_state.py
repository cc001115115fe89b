"""Reads that share one transaction see one state, whatever others write meanwhile."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from databases import both_databases
from sqlalchemy import Connection, event, text

from evalstore.errors import StoreError
from evalstore.store import Store
from evalstore.store.queries.collections import ensure_collection

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def add_collection(store: Store, name: str) -> None:
    store.transact(lambda connection: ensure_collection(connection, name, NOW))


def names(store: Store) -> set[str]:
    with store.read() as connection:
        return set(connection.execute(text("SELECT name FROM collection")).scalars())


def test_reads_in_one_state_do_not_see_what_is_written_meanwhile(store: Store) -> None:
    add_collection(store, "before")
    with store.snapshot():
        assert names(store) == {"before"}
        add_collection(store, "meanwhile")
        assert names(store) == {"before"}
    assert names(store) == {"before", "meanwhile"}


def test_the_state_of_the_store_stays_the_same_within_one_state(store: Store) -> None:
    before = store.state()
    with store.snapshot():
        assert store.state() == before
        add_collection(store, "meanwhile")
        assert store.state() == before
    assert store.state() != before


def test_all_reads_in_one_state_take_one_transaction(store: Store) -> None:
    begun: list[Connection] = []
    event.listen(store.engine, "begin", begun.append)
    with store.snapshot():
        for _ in range(3):
            names(store)
    assert len(begun) == 1


def test_what_is_kept_within_one_state_is_never_given_for_a_later_one(store: Store) -> None:
    def kept() -> set[str]:
        return store.keep("names", lambda: names(store), len)

    with store.snapshot():
        names(store)
        add_collection(store, "meanwhile")
        kept()
    assert kept() == {"meanwhile"}


def test_a_state_that_is_asked_for_after_a_read_is_not_older_than_the_next_read(
    store: Store,
) -> None:
    with store.snapshot():
        names(store)
        add_collection(store, "meanwhile")
        later = store.state()
        assert names(store) == {"meanwhile"}
    assert store.state() == later


def test_a_state_that_is_first_asked_for_within_a_read_is_no_other_state(store: Store) -> None:
    with store.snapshot():
        with store.read() as connection:
            connection.execute(text("SELECT name FROM collection"))
            add_collection(store, "meanwhile")
            assert store.keep("names", lambda: "of before", len) == "of before"
        assert names(store) == set()
    assert store.keep("names", lambda: "of now", len) == "of now"


def test_other_threads_read_as_ever(store: Store) -> None:
    seen: list[set[str]] = []
    with store.snapshot():
        names(store)
        add_collection(store, "meanwhile")
        thread = threading.Thread(target=lambda: seen.append(names(store)))
        thread.start()
        thread.join()
        assert names(store) == set()
    assert seen == [{"meanwhile"}]


def test_a_block_within_a_block_reads_the_same_state(store: Store) -> None:
    with store.snapshot():
        names(store)
        with store.snapshot():
            add_collection(store, "meanwhile")
            assert names(store) == set()
        assert names(store) == set()


@both_databases
def test_after_a_statement_that_failed_the_next_read_begins_anew(store: Store) -> None:
    with store.snapshot():
        names(store)
        with pytest.raises(StoreError, match="nothing_like_this"), store.read() as connection:
            connection.execute(text("SELECT * FROM nothing_like_this"))
        assert names(store) == set()


def test_nothing_can_be_written_in_the_transaction_that_reads_share(store: Store) -> None:
    with store.snapshot():
        names(store)
        with pytest.raises(StoreError), store.read() as connection:
            connection.execute(text("DELETE FROM collection"))


@both_databases
def test_a_part_of_the_store_is_read_in_one_state_too(store: Store) -> None:
    store.allow_restriction()
    add_collection(store, "before")
    with store.read() as connection:
        ids = connection.execute(text("SELECT id FROM collection")).scalars().all()
    part = store.restricted_to(ids)
    with part.snapshot():
        before = part.state()
        assert names(part) == {"before"}
        store.transact(lambda writer: writer.execute(text("UPDATE collection SET name = 'new'")))
        assert names(part) == {"before"}
        assert part.state() == before
    assert names(part) == {"new"}
