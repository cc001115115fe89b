"""The held-out queries of a collection: stored at the first use, and the same for everybody."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import Filled, add, write_qrels, write_run

from evalstore.catalog.queries import list_queries, tag_queries, untag_queries
from evalstore.client.any_store import LocalStore
from evalstore.comparison.choosing.holdout import held_out_of_store, split
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load
from evalstore.errors import DataError, StoreError
from evalstore.measures import named_measures
from evalstore.store import Store

QIDS = [f"q{number}" for number in range(10)]
AP = named_measures("AP")


def fill(store: Store, folder: Path) -> None:
    """Two runs over ten judged queries."""
    qrels = write_qrels(folder, {qid: {"r": 1} for qid in QIDS})
    for name, ranking in (("a", ["r", "n"]), ("b", ["n", "r"])):
        path = write_run(folder, dict.fromkeys(QIDS, ranking), f"{name}.run", name)
        add(store, folder, path, qrels=qrels)


@pytest.fixture
def store(copied: Filled) -> Store:
    return copied(fill)


def stored(store: Store) -> dict[str, str]:
    queries = list_queries(store, "test")
    return {q.qid: q.attributes["holdout"] for q in queries if "holdout" in q.attributes}


@both_databases
def test_the_first_use_stores_the_split_and_later_ones_read_it(store: Store) -> None:
    options = ComparisonOptions(holdout=0.4)
    for _ in range(2):
        loaded = load(LocalStore(store), ["a", "b"], AP, options)
        assert stored(store) == split(QIDS, 0.4)
        held = {qid for qid, value in stored(store).items() if value == "yes"}
        assert set(compare_loaded(loaded, AP).qids) == held


def test_the_stored_split_counts_whoever_made_it(store: Store) -> None:
    own = {qid: {"holdout": "yes" if qid in QIDS[:4] else "no"} for qid in QIDS}
    tag_queries(store, "test", own)
    assert held_out_of_store(store, "test", QIDS, 0.4) == set(QIDS[:4])


def test_another_share_is_refused_until_the_split_is_removed(store: Store) -> None:
    held_out_of_store(store, "test", QIDS, 0.4)
    remedy = "`evalstore queries untag holdout --all --collection=test` removes that split"
    with pytest.raises(DataError) as refused:
        held_out_of_store(store, "test", QIDS, 0.6)
    assert str(refused.value) == (
        f"collection 'test' holds out 4 of 10 queries, and a share of 0.6 would be 6; {remedy}"
    )
    untag_queries(store, "test", "holdout")
    assert len(held_out_of_store(store, "test", QIDS, 0.6)) == 6


def test_other_values_of_the_attribute_are_refused(store: Store) -> None:
    tag_queries(store, "test", {"q1": {"holdout": "maybe"}})
    with pytest.raises(DataError, match="must be yes or no, and is also maybe; `evalstore queries"):
        held_out_of_store(store, "test", QIDS, 0.4)


@both_databases
def test_what_only_reads_uses_the_stored_split_and_makes_none(store: Store) -> None:
    with pytest.raises(DataError, match="has no held-out queries yet, and this only reads"):
        held_out_of_store(store, "test", QIDS, 0.4, reads_only=True)
    assert stored(store) == {}
    held = held_out_of_store(store, "test", QIDS, 0.4)
    assert held_out_of_store(store, "test", QIDS, 0.4, reads_only=True) == held


def test_a_store_that_can_not_be_changed_says_that_nothing_is_held_out(store: Store) -> None:
    store.allow_restriction()
    part = store.restricted_to([1])
    with pytest.raises(StoreError, match="has no held-out queries yet, and they can't be stored"):
        held_out_of_store(part, "test", QIDS, 0.4)
    held = held_out_of_store(store, "test", QIDS, 0.4)
    assert held_out_of_store(part, "test", QIDS, 0.4) == held
