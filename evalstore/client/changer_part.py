"""What commands and Python users change in a store, whether it is here or behind a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evalstore.catalog import qrels, run_changes, runs
from evalstore.catalog.run_changes import ChangedRun, RunChange
from evalstore.comparison import baselines
from evalstore.store import Store
from evalstore.store.queries.runs import StoredRun


class RunName(NamedTuple):
    """A run, by the name of its collection and its own."""

    collection: str
    name: str


class DefaultQrels(NamedTuple):
    """A qrels that is the default of its collection, and whether it was that before."""

    collection: str
    name: str
    was_default: bool


class Changer(Protocol):
    """Changes what is recorded; each method raises what the use case of that name does."""

    def change_run(self, run: str, change: RunChange, collection: str | None = None) -> ChangedRun:
        """Change a run: its names, tags and facts; all of it or nothing."""

    def remove_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """Mark runs as removed, all of them or none."""

    def restore_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """Bring back runs that were removed, all of them or none."""

    def set_baseline(self, run: str, collection: str | None = None) -> RunName:
        """Make a run the baseline of its collection."""

    def unset_baseline(self, collection: str) -> RunName:
        """Leave a collection without a baseline; gives the run that it was."""

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        """Make a qrels the one under which the figures of its collection are shown."""


class StoreChanger:
    """Changes a store that is here."""

    def __init__(self, store: Store) -> None:
        """Change this store."""
        self.store = store

    def change_run(self, run: str, change: RunChange, collection: str | None = None) -> ChangedRun:
        """As `catalog.run_changes`."""
        return run_changes.apply_change(self.store, run, change, collection)

    def remove_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """As `catalog.runs`."""
        return list(map(_named, runs.remove_runs(self.store, names, collection)))

    def restore_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """As `catalog.runs`."""
        return list(map(_named, runs.restore_runs(self.store, names, collection)))

    def set_baseline(self, run: str, collection: str | None = None) -> RunName:
        """As `comparison.baselines`."""
        return _named(baselines.set_baseline(self.store, run, collection))

    def unset_baseline(self, collection: str) -> RunName:
        """As `comparison.baselines`."""
        return _named(baselines.unset_baseline(self.store, collection))

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        """As `catalog.qrels`."""
        before = qrels.set_default(self.store, name, collection)
        return DefaultQrels(before.collection, before.name, before.is_default)


def _named(run: StoredRun) -> RunName:
    return RunName(run.collection, run.name)
