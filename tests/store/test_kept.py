"""Results that a store keeps: never an old one, never more than fits."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evalstore.errors import StoreError
from evalstore.store import Store
from evalstore.store.cache import LEAST, Cache
from evalstore.store.queries.collections import ensure_collection

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Counted:
    """Something that is computed, and how often it was."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def in_kept(kept: Cache, key: str, compute: Counted, state: int = 1, size: int = LEAST) -> int:
    return kept.get(key, state, compute, lambda _: size)


def test_a_result_is_computed_once_for_each_key() -> None:
    kept, compute = Cache(), Counted()
    assert [in_kept(kept, key, compute) for key in "aaba"] == [1, 1, 2, 1]


def test_in_another_state_of_the_store_it_is_computed_anew() -> None:
    kept, compute = Cache(), Counted()
    assert [in_kept(kept, "a", compute, state) for state in (1, 2, 2, 1)] == [1, 2, 2, 1]


def test_the_result_that_is_unused_longest_makes_room() -> None:
    kept, compute = Cache(most=2 * LEAST), Counted()
    assert [in_kept(kept, key, compute) for key in "abacab"] == [1, 2, 1, 3, 1, 4]


def test_a_result_that_is_too_large_is_not_kept_and_costs_no_other_one() -> None:
    kept, compute = Cache(most=4 * LEAST), Counted()
    in_kept(kept, "small", compute)
    assert [in_kept(kept, "large", compute, size=5 * LEAST) for _ in range(2)] == [2, 3]
    assert in_kept(kept, "small", compute) == 1


def test_of_several_keys_only_those_that_are_not_kept_are_computed_together() -> None:
    kept, asked = Cache(), []

    def compute(keys: list[str]) -> dict[str, str]:
        asked.append(keys)
        return {key: key * 2 for key in keys}

    def get(keys: str, state: int = 1) -> dict[str, str]:
        return kept.get_each(keys, state, compute, lambda _: LEAST)

    assert get("ab") == {"a": "aa", "b": "bb"}
    assert get("cab") == {"c": "cc", "a": "aa", "b": "bb"}
    assert get("ba") == {"a": "aa", "b": "bb"}
    get("a", state=2)
    assert asked == [["a", "b"], ["c"], ["a"]]


def test_results_of_several_keys_that_do_not_fit_are_given_and_not_kept() -> None:
    kept, asked = Cache(most=LEAST), []

    def compute(keys: list[str]) -> dict[str, int]:
        asked.append(keys)
        return dict.fromkeys(keys, 1)

    for _ in range(2):
        assert kept.get_each("ab", 1, compute, lambda _: 2 * LEAST) == {"a": 1, "b": 1}
    assert asked == [["a", "b"]] * 2


def test_what_is_raised_is_not_kept() -> None:
    kept = Cache()

    def fail() -> int:
        raise StoreError("gone")

    for _ in range(2):
        with pytest.raises(StoreError, match="gone"):
            kept.get("a", 1, fail, lambda _: 1)
    assert in_kept(kept, "a", Counted()) == 1


def test_two_that_ask_at_once_wait_for_one_computation() -> None:
    kept, compute = Cache(), Counted()
    started, go_on = threading.Event(), threading.Event()

    def slowly() -> int:
        started.set()
        go_on.wait(300)
        return compute()

    results: list[int] = []
    first = threading.Thread(target=lambda: results.append(kept.get("a", 1, slowly, lambda _: 1)))
    second = threading.Thread(target=lambda: results.append(in_kept(kept, "a", compute)))
    first.start()
    started.wait(300)
    second.start()
    go_on.set()
    first.join(300)
    second.join(300)
    assert results == [1, 1]


def test_what_was_computed_while_the_store_changed_is_not_given_afterwards() -> None:
    kept, compute = Cache(), Counted()

    def while_it_changes() -> int:
        in_kept(kept, "other", Counted(), state=2)
        return compute()

    kept.get("a", 1, while_it_changes, lambda _: 1)
    assert in_kept(kept, "a", compute, state=2) == 2


def test_a_change_by_another_program_is_noticed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    compute = Counted()
    with Store.open(url) as store, Store.open(url) as other:
        assert [store.keep("a", compute, lambda _: 1) for _ in range(2)] == [1, 1]
        with other.write() as connection:
            ensure_collection(connection, "new", NOW)
        assert store.keep("a", compute, lambda _: 1) == 2
        with store.write() as connection:  # a connection of its own changes it too
            ensure_collection(connection, "newer", NOW)
        assert store.keep("a", compute, lambda _: 1) == 3


def test_a_lasting_result_stays_until_the_database_is_another_one(tmp_path: Path) -> None:
    path, compute = tmp_path / "store.db", Counted()
    with Store.open(f"sqlite:///{path}") as store:

        def keep() -> int:
            return store.keep("a", compute, lambda _: 1, lasting=True)

        assert store.keep("a", compute, lambda _: 1) == 1  # the two kinds are kept apart
        assert keep() == 2
        with store.write() as connection:
            ensure_collection(connection, "new", NOW)
        assert keep() == 2
        other = tmp_path / "other.db"
        Store.open(f"sqlite:///{other}").close()
        other.replace(path)
        assert keep() == 3
