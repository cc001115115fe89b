"""What commands and Python users read of a store, whether it is here or behind a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from evalstore.catalog import annotate, qrels, runs
from evalstore.catalog.annotate import ChangedRun, RunChange
from evalstore.catalog.names import Condition
from evalstore.comparison import baselines
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import LoadedRuns, Medians, RunsToCompare
from evalstore.formats import Qrels
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.collections import StoredCollection
from evalstore.store.queries.events import Event
from evalstore.store.queries.qrels import QrelsSummary
from evalstore.store.queries.run_facts import RunFacts
from evalstore.store.queries.runs import StoredExperiment, StoredRun
from evalstore.store.queries.tracking import StoredBaseline

if TYPE_CHECKING:
    from evalstore.catalog.queries import StoredQuery
    from evalstore.evaluation.explain import Explained
    from evalstore.formats.lists import Lists
    from evalstore.leaderboard import run_list
    from evalstore.leaderboard.agreement import Agreement
    from evalstore.leaderboard.power import CollectionPower, PowerSettings
    from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings
    from evalstore.leaderboard.table import Details
    from evalstore.sql import ask as sql
    from evalstore.tables.renderers import Format
    from evalstore.tracking import history
    from evalstore.tracking.experiments import ExperimentRuns


class TextStyle(NamedTuple):
    """How a table is written: its format, decimals, and whether formulas are guarded."""

    format: Format
    digits: int = 4
    guard_formulas: bool = False


class WrittenTable(NamedTuple):
    """A table as text, and what has to be known to read it."""

    text: str
    notes: tuple[str, ...]


class RunLoader(Protocol):
    """Gives what comparisons are made of."""

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare with the baseline that is named, or else that of the collection."""

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values under the same judgments."""


class Reader(RunLoader, Protocol):
    """Reads a store; each method is the use case of that name, and raises what that does."""

    def collections(self) -> Sequence[StoredCollection]:
        """The collections in natural order."""

    def list_qrels(self, collection: str | None = None) -> Sequence[QrelsSummary]:
        """The judgments of all collections, or of one."""

    def list_runs(
        self, measures: Sequence[Measure], choice: run_list.Choice, sort: str | None = None
    ) -> list[run_list.ListedRun]:
        """The chosen runs with the aggregate of each measure."""

    def run_facts(self, run: str, collection: str | None = None) -> RunFacts:
        """What is recorded of a run."""

    def ancestors(self, run: RunFacts) -> list[int]:
        """The ids of the runs that a run was derived from, its parent first."""

    def events(
        self, collection: str | None = None, subject: str | None = None, last: int | None = None
    ) -> list[Event]:
        """The events, the oldest first; only the newest `last` of them unless it is None."""

    def removed_runs(self, collection: str | None = None) -> list[StoredRun]:
        """The runs that are marked as removed, by collection and name in natural order."""

    def leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        *,
        baseline: str | None = None,
        no_baseline: bool = False,
    ) -> LeaderboardRanks:
        """The runs of a collection, ranked on some measures."""

    def baseline(self, collection: str) -> str | None:
        """The name of the run that the others of a collection are compared with."""

    def engine_slots(self, collection: str) -> Mapping[str, int]:
        """The number of the colour and mark of each engine of a collection, by its name."""

    def medians(self, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
        """The median of the runs of a stored run's collection, for every query of the run."""

    def baselines(self) -> list[StoredBaseline]:
        """The baselines of all collections, in natural order of their names."""

    def history(
        self,
        engine: str,
        measure: tuple[str, Measure],
        collection: str | None = None,
        qrels: str | None = None,
        *,
        last: int | None = None,
        alpha: float = 0.05,
    ) -> history.EngineHistory:
        """The runs of an engine in time."""

    def ask(self, statement: str, limits: sql.Limits) -> sql.Answer:
        """The answer to one SELECT."""

    def run_lists(self, run: str, collection: str | None = None) -> AbstractContextManager[Lists]:
        """A run, a ranking at a time."""

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        """The judgments of a collection of that name, or its default ones; its path is the name."""

    def write_leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        details: Details,
        style: TextStyle,
    ) -> WrittenTable:
        """The leaderboard of a collection as a text."""

    def measure_agreement(
        self, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
    ) -> Agreement:
        """How far measures agree on the order of the runs of a collection."""

    def run_agreement(
        self, collection: str, runs: Sequence[str] = (), *, p: float, k: int, depth: int
    ) -> Agreement:
        """How far runs, or all of a collection, agree on the order of documents."""

    def power(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: PowerSettings,
    ) -> CollectionPower:
        """What measures can show on a collection, and how many queries they need."""

    def experiments(self) -> list[StoredExperiment]:
        """The experiments, in natural order of their names."""

    def experiment_runs(self, name: str, measures: Sequence[Measure]) -> ExperimentRuns:
        """An experiment and the figures of its runs."""

    def list_queries(
        self, collection: str, conditions: Sequence[Condition] = ()
    ) -> list[StoredQuery]:
        """The queries of a collection for which all conditions hold."""

    def explain(
        self,
        run: str,
        qid: str,
        depth: int = 20,
        *,
        collection: str | None = None,
        qrels: str | None = None,
        rel: float = 1,
        dcg: str = "log2",
    ) -> Explained:
        """How the values of a query of a stored run are computed, rank by rank."""


# What commands and Python users change in a store, whether it is here or behind a server


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
        return annotate.apply_change(self.store, run, change, collection)

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
