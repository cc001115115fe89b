"""Events and saved views in a store of which some collections can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
import two_collections
from databases import both_databases
from two_collections import OPEN, PRIVATE

from evalstore.catalog import collections, links, runs
from evalstore.errors import DataError, NotFound
from evalstore.sql import ask
from evalstore.store import Store
from evalstore.tracking import experiments

pytestmark = pytest.mark.slow  # every change of a full store


@both_databases
def test_events_stay_those_of_their_collection_when_names_change(
    store: Store, tmp_path: Path
) -> None:
    two_collections.fill(store, tmp_path)
    collections.rename_collection(store, PRIVATE, "secret")
    collections.rename_collection(store, OPEN, PRIVATE)
    store.allow_restriction()
    part = store.restricted_to([two_collections.id_of(store, PRIVATE)])
    events = runs.history(part)
    assert "zanzibar.qrels" not in str(events)
    assert {event.collection for event in events} == {OPEN, PRIVATE}
    assert {"ingest", "rename", "tag", "purge"} <= {event.action for event in events}


@both_databases
def test_events_of_a_collection_that_was_deleted_are_for_who_reads_the_whole_store(
    store: Store, tmp_path: Path
) -> None:
    two_collections.fill(store, tmp_path)
    collections.remove_collections(store, [PRIVATE])
    collections.purge_collections(store)
    events = runs.history(two_collections.restricted(store))
    assert PRIVATE in {event.collection for event in runs.history(store)}
    assert {event.collection for event in events} == {OPEN, None}


@both_databases
def test_who_may_read_every_collection_finds_what_belongs_to_none(
    store: Store, tmp_path: Path
) -> None:
    two_collections.fill(store, tmp_path)
    store.allow_restriction()
    every = store.restricted_to([two_collections.id_of(store, name) for name in (OPEN, PRIVATE)])
    names = {one.name for one in experiments.experiments(every)}
    assert names == {one.name for one in experiments.experiments(store)}
    statement = "SELECT address FROM saved_view ORDER BY address"
    assert ask.ask(every, statement).rows == ask.ask(store, statement).rows


@both_databases
def test_a_page_of_a_collection_is_saved_for_who_may_read_it(store: Store, tmp_path: Path) -> None:
    two_collections.fill(store, tmp_path)
    part = two_collections.restricted(store)
    address = f"/c/{OPEN}/compare?runs=plain"
    key = links.save_view(part, address, OPEN, whole=store)
    assert links.saved_view(part, key) == address
    private = store.restricted_to([two_collections.id_of(store, PRIVATE)])
    with pytest.raises(NotFound):
        links.saved_view(private, key)
    with pytest.raises(NotFound, match="there is no collection"):
        links.save_view(part, f"/c/{PRIVATE}", PRIVATE, whole=store)
    with pytest.raises(DataError, match="only a page of a collection"):
        links.save_view(part, "/sql?s=SELECT+1", whole=store)
