"""Saved views: a long address of the dashboard under a short key."""

from __future__ import annotations

import pytest

from evalstore.catalog.links import save_view, saved_view
from evalstore.errors import DataError, NotFound
from evalstore.store import Store

ADDRESS = "/c/test/compare?runs=" + ",".join(f"run{i}" for i in range(400))


def test_a_view_is_found_under_its_key(store: Store) -> None:
    key = save_view(store, ADDRESS)
    assert len(key) == 4
    assert saved_view(store, key) == ADDRESS


def test_one_address_has_one_key(store: Store) -> None:
    assert save_view(store, ADDRESS) == save_view(store, ADDRESS)


def test_an_address_whose_key_is_taken_gets_a_longer_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    class Fixed:
        def __init__(self, text: bytes) -> None:
            self.text = text

        def digest(self) -> bytes:
            return b"\0" * 3 + bytes(28) + self.text[-1:]

    monkeypatch.setattr(hashlib, "sha256", Fixed)
    first, second = save_view(store, "/a"), save_view(store, "/b")
    assert second.startswith(first)
    assert len(second) > len(first)
    assert saved_view(store, second) == "/b"


def test_an_unknown_key_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="no view is saved under 'zzzz'"):
        saved_view(store, "zzzz")


@pytest.mark.parametrize("address", ["//evil.example/x", "/\\evil.example", "https://x", ""])
def test_only_addresses_of_the_dashboard_are_saved(store: Store, address: str) -> None:
    with pytest.raises(DataError, match="begins with /"):
        save_view(store, address)


def test_an_address_has_a_largest_size(store: Store) -> None:
    with pytest.raises(DataError, match="more than 100,000 characters"):
        save_view(store, "/" + "x" * 100_000)
