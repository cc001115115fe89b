"""A store that is here has the operations of one behind a server, with the same parameters."""

from __future__ import annotations

import inspect

import pytest

from evalstore.client import any_store
from evalstore.client.any_store import LocalStore
from evalstore.client.remote_store import RemoteStore

OPERATIONS = sorted(name for name in dir(RemoteStore) if not name.startswith("_"))


def parameters(function: object) -> dict[str, inspect.Parameter]:
    """The parameters of a function or method but the store, by name."""
    assert callable(function)
    listed = list(inspect.signature(function).parameters.values())[1:]
    return {each.name: each for each in listed}


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_local_store_takes_what_a_remote_one_takes(name: str) -> None:
    """mypy can't see into `LocalStore`: a use case may have more parameters, and no fewer."""
    declared = parameters(getattr(RemoteStore, name))
    operation = vars(LocalStore)[name]
    if inspect.isfunction(operation):
        taken = parameters(operation)
    else:
        taken = parameters(any_store.use_case(operation.path))
    by_place = [each.name for each in declared.values() if each.kind is not each.KEYWORD_ONLY]
    assert list(taken)[: len(by_place)] == by_place
    for one in declared.values():
        assert taken[one.name].kind is one.kind
        if one.default is not one.empty:
            assert taken[one.name].default == one.default
