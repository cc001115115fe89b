"""Single changes of a stored run, as people make them by `evalstore runs edit`."""

from __future__ import annotations

from collections.abc import Sequence

from evalstore.catalog.annotate import ChangedRun, Changes, RunChange, apply_change
from evalstore.catalog.given_facts import GivenFacts
from evalstore.store import Store


def rename_run(store: Store, name: str, new: str, collection: str | None = None) -> ChangedRun:
    return apply_change(store, name, RunChange(name=new), collection)


def tag_run(
    store: Store,
    name: str,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    collection: str | None = None,
) -> list[str]:
    change = RunChange(add_tags=tuple(add), remove_tags=tuple(remove))
    return list(apply_change(store, name, change, collection).tags)


def annotate(
    store: Store,
    run: str,
    facts: GivenFacts,
    collection: str | None = None,
    *,
    unset: Sequence[str] = (),
    unset_parameters: Sequence[str] = (),
) -> Changes:
    change = RunChange(facts=facts, unset=tuple(unset), unset_parameters=tuple(unset_parameters))
    return apply_change(store, run, change, collection).changes
