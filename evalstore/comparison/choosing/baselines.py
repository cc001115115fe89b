"""Baselines of collections: set, unset and list them, and choose one for a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id, kept_collection
from evalstore.catalog.names import natural
from evalstore.comparison.loading import RunsToCompare
from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.runs import StoredRun, find_run, find_runs
from evalstore.store.queries.tracking import StoredBaseline, find_baseline, list_baselines
from evalstore.store.queries.tracking import set_baseline as store_baseline


def set_baseline(store: Store, run: str, collection: str | None = None) -> StoredRun:
    """Make a run the baseline of its collection, in place of any other."""

    def work(connection: Connection) -> StoredRun:
        stored = find_run(connection, run, collection)
        collection_id = find_collection_id(connection, stored.collection)
        before = find_baseline(connection, collection_id)
        if before is None or before.id != stored.id:
            store_baseline(connection, collection_id, stored.id)
            details = {"before": None if before is None else before.name}
            events.log(connection, "baseline", stored.collection, stored.name, **details)
        return stored

    return store.transact(work)


def unset_baseline(store: Store, collection: str) -> StoredRun:
    """Leave a collection without a baseline, and return the old one; NotFound if there is none."""

    def work(connection: Connection) -> StoredRun:
        collection_id = find_collection_id(connection, collection)
        before = find_baseline(connection, collection_id)
        if before is None:
            raise _none_set(collection)
        store_baseline(connection, collection_id, None)
        events.log(connection, "baseline", collection, before.name, unset=True)
        return before

    return store.transact(work)


def baselines(store: Store) -> list[StoredBaseline]:
    """The baselines of all collections, in natural order of their names."""
    with store.read() as connection:
        return sorted(list_baselines(connection), key=lambda stored: natural(stored.collection))


def baseline(store: Store, collection: str) -> StoredRun | None:
    """The baseline of a collection; None if there is none, or its run is marked as removed."""

    def read() -> StoredRun | None:
        with store.read() as connection:
            return active_baseline(connection, kept_collection(store, collection).id)

    return store.keep(("baseline", collection), read, lambda _: 0)


def active_baseline(connection: Connection, collection_id: int) -> StoredRun | None:
    """The baseline of a collection; None if there is none, or its run is marked as removed."""
    stored = find_baseline(connection, collection_id)
    return None if stored is None or stored.removed_at is not None else stored


def runs_to_compare(
    store: Store, runs: Sequence[str], baseline: str | None, collection: str | None
) -> RunsToCompare:
    """Choose the runs (names or ids) to compare, with the named baseline or the collection's.

    A named baseline is put first if it is not among the runs. Without a named one, a single run is
    compared with the baseline of its collection, and two runs with each other in the given order.
    If three or more runs include the collection's baseline, every other run is compared with it;
    otherwise all pairs are compared.
    """
    number, note = None, None
    if baseline is not None:
        if baseline in runs:
            return RunsToCompare(tuple(runs), runs.index(baseline), collection)
        with store.read() as connection:
            baseline_id = find_run(connection, baseline, collection).id
            ids = [run.id for run in find_runs(connection, runs, collection)]
        if baseline_id not in ids:
            return RunsToCompare((baseline, *runs), 0, collection)
        number = ids.index(baseline_id)
    elif len(runs) == 1:
        with store.read() as connection:
            run = find_run(connection, runs[0], collection)
            stored = _baseline_for(connection, run)
        return RunsToCompare((stored.name, run.name), 0, run.collection, _note(stored))
    elif len(runs) > 2:
        with store.read() as connection:
            found = find_runs(connection, runs, collection)
            collection_id = find_collection(connection, found[0].collection)
            active = active_baseline(connection, collection_id or 0)
        ids = [run.id for run in found]
        if active is not None and active.id in ids:
            number, note = ids.index(active.id), _note(active)
    return RunsToCompare(tuple(runs), number, collection, note)


def _note(baseline: StoredRun) -> str:
    return f"compared with {baseline.name}, the baseline of collection {baseline.collection!r}"


def _baseline_for(connection: Connection, run: StoredRun) -> StoredRun:
    """The baseline to compare a run with."""
    collection_id = find_collection_id(connection, run.collection)
    stored = find_baseline(connection, collection_id)
    if stored is None:
        raise _none_set(run.collection)
    if stored.removed_at is not None:
        raise NotFound(
            f"the baseline of collection {run.collection!r}, {stored.name!r}, was removed",
            problem="baseline removed",
        )
    if stored.id == run.id:
        raise DataError(
            f"{run.name!r} is the baseline of collection {run.collection!r} itself",
            problem="is baseline",
        )
    return stored


def _none_set(collection: str) -> NotFound:
    return NotFound(f"collection {collection!r} has no baseline", problem="no baseline")
