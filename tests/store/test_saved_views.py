"""Saved views: a long address of the dashboard under a short key."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import Filled, add, write_run

from evalstore.catalog.links import name_view, named_views, save_view, saved_view, unname_view
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.store import Store
from evalstore.transfer.copy import copy

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


# Saved views with names


@pytest.fixture
def filled(copied: Filled) -> Store:
    """A store with the collection `test`."""
    return copied(lambda store, folder: add(store, folder, write_run(folder)))


def names(store: Store) -> list[str | None]:
    return [view.name for view in named_views(store, "test")]


def test_a_name_is_of_one_view_of_a_collection(filled: Store) -> None:
    key = name_view(filled, "/c/test?m=AP", "v2", "test")
    name_view(filled, "/c/test?m=P@5", "v10", "test")
    with pytest.raises(Conflict, match="another view of collection 'test' has the name 'v2'"):
        name_view(filled, "/c/test", "v2", "test")
    assert names(filled) == ["v2", "v10"]
    unname_view(filled, key, "test")
    with pytest.raises(NotFound, match=f"no named view '{key}' is in collection 'test'"):
        unname_view(filled, key, "test")
    assert names(filled) == ["v10"]
    assert saved_view(filled, key) == "/c/test?m=AP"


def test_a_copy_names_the_views_that_have_no_name(filled: Store, tmp_path: Path) -> None:
    save_view(filled, "/c/test?m=AP", "test")
    name_view(filled, "/c/test?m=P@5", "both", "test")
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(filled, target)
        name_view(filled, "/c/test?m=AP", "later", "test")
        name_view(target, "/c/test?m=P@5", "renamed", "test")
        found = [one.detail for one in copy(filled, target) if one.kind == "views"]
        assert found == ["1 new"]
        assert names(target) == ["later", "renamed"]
