"""The operations on a store, whether it is local or behind a server."""

# ruff: noqa: D102  (`AnyStore` has the docstrings of the methods of `LocalStore`)

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from evalstore.catalog.annotate import ChangedRun, RunChange
    from evalstore.catalog.names import Condition
    from evalstore.catalog.queries import StoredQuery
    from evalstore.comparison.comparability import RunValues
    from evalstore.comparison.loading import LoadedRuns, Medians, RunsToCompare
    from evalstore.comparison.significance import Test
    from evalstore.evaluation.explain import Explained
    from evalstore.formats import Qrels, Run
    from evalstore.formats.lists import Lists
    from evalstore.leaderboard import run_list
    from evalstore.leaderboard.agreement import Agreement
    from evalstore.leaderboard.power import CollectionPower, PowerSettings
    from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings
    from evalstore.leaderboard.table import Details
    from evalstore.measures import Measure
    from evalstore.sql import ask as sql
    from evalstore.store import Store
    from evalstore.store.queries.collections import StoredCollection
    from evalstore.store.queries.events import Event
    from evalstore.store.queries.facts import RunFacts
    from evalstore.store.queries.qrels import QrelsSummary
    from evalstore.store.queries.runs import StoredExperiment, StoredRun
    from evalstore.store.queries.tracking import Comment, StoredBaseline
    from evalstore.tables.renderers import Format
    from evalstore.tracking import history
    from evalstore.tracking.experiments import ExperimentRuns


class TextStyle(NamedTuple):
    """Format of a table, its decimals, and whether formulas are guarded."""

    format: Format
    digits: int = 4
    guard_formulas: bool = False


class WrittenTable(NamedTuple):
    """A table as text, and the notes that one needs to read it."""

    text: str
    notes: tuple[str, ...]


class DefaultQrels(NamedTuple):
    """A qrels that is the default of its collection, and whether it was the default before."""

    collection: str
    name: str
    was_default: bool


class AnyStore(Protocol):
    """Operations for local stores and servers; each raises the same errors as its use case."""

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare, with the named baseline, or else the collection's baseline."""

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values under the same judgments."""

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of a collection; of the judged queries `qids` if none are stored."""

    def collections(self) -> Sequence[StoredCollection]:
        """The collections in natural order."""

    def list_qrels(self, collection: str | None = None) -> Sequence[QrelsSummary]:
        """The judgments of all collections, or of one."""

    def list_runs(
        self, measures: Sequence[Measure], choice: run_list.Choice, sort: str | None = None
    ) -> list[run_list.ListedRun]:
        """The chosen runs with the aggregate of each measure."""

    def run_facts(self, run: str, collection: str | None = None) -> RunFacts:
        """The facts of a run."""

    def ancestors(self, run: RunFacts) -> list[int]:
        """The ids of all ancestors of a run, its parent first."""

    def events(
        self, collection: str | None = None, subject: str | None = None, last: int | None = None
    ) -> list[Event]:
        """The events, oldest first; only the newest `last` events, or all if None."""

    def removed_runs(self, collection: str | None = None) -> list[StoredRun]:
        """The runs marked as removed, in natural order of collection and name."""

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
        """The name of a collection's baseline, which its other runs are compared with."""

    def engine_slots(self, collection: str) -> Mapping[str, int]:
        """The number of each engine's colour and mark in a collection, by engine name."""

    def medians(self, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
        """For each query of a stored run, the median over the runs of its collection."""

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
        test: Test = "t",
        alpha: float = 0.05,
    ) -> history.EngineHistory:
        """The runs of an engine over time."""

    def ask(self, statement: str, limits: sql.Limits) -> sql.Answer:
        """The answer to one SELECT."""

    def run_lists(self, run: str, collection: str | None = None) -> AbstractContextManager[Lists]:
        """A run, read one ranking at a time."""

    def load_run(self, facts: RunFacts) -> Run:
        """A whole run."""

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        """A collection's judgments by name, or its default ones; their path is the name."""

    def write_leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        details: Details,
        style: TextStyle,
    ) -> WrittenTable:
        """The leaderboard of a collection as text."""

    def measure_agreement(
        self, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
    ) -> Agreement:
        """Agreement of measures on the order of the runs of a collection."""

    def run_agreement(
        self, collection: str, runs: Sequence[str] = (), *, p: float, k: int, depth: int
    ) -> Agreement:
        """Agreement of some runs, or of all runs of a collection, on the order of documents."""

    def power(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: PowerSettings,
    ) -> CollectionPower:
        """Discriminative power of measures on a collection, and the queries that they need."""

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
        measure: Measure | None = None,
    ) -> Explained:
        """The computation of the values of a query of a stored run, rank by rank."""

    def change_run(self, run: str, change: RunChange, collection: str | None = None) -> ChangedRun:
        """Change a run: its names, tags and facts; all changes are made, or none."""

    def run_comments(self, run: str, collection: str | None = None) -> list[Comment]:
        """All comments on a run, the oldest first."""

    def comment_on_run(self, run: str, text: str, collection: str | None = None) -> Comment:
        """Comment on a run, in Markdown."""

    def remove_runs(self, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
        """Mark runs as removed, all of them or none."""

    def restore_runs(self, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
        """Bring back removed runs, all of them or none."""

    def set_baseline(self, run: str, collection: str | None = None) -> StoredRun:
        """Make a run the baseline of its collection."""

    def unset_baseline(self, collection: str) -> StoredRun:
        """Leave a collection without a baseline; return the run that was the baseline."""

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        """Make a qrels the default, under which the figures of its collection are shown."""


class _UseCase:
    """A method that calls a use case with the store; its module is imported by the first call."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, store: LocalStore, _: type) -> partial[Any]:
        return partial(use_case(self.path), store.store)


@cache
def use_case(path: str) -> Callable[..., Any]:
    """The function at a path below `evalstore`, like `tracking.history.engine_history`."""
    module, _, name = path.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(f"evalstore.{module}"), name)
    return function


# `tests/unit/test_any_store.py` checks what mypy can't see here: the parameters of each use case.
def _calls(path: str) -> Any:
    return _UseCase(path)


class LocalStore:
    """A local store."""

    def __init__(self, store: Store) -> None:
        """Ask this store."""
        self.store = store

    ask = _calls("sql.ask.ask")
    baselines = _calls("comparison.choosing.baselines.baselines")
    change_run = _calls("catalog.annotate.apply_change")
    collections = _calls("catalog.collections.collections")
    comment_on_run = _calls("tracking.comments.comment_on_run")
    engine_slots = _calls("catalog.links.engine_slots")
    events = _calls("catalog.runs.history")
    experiment_runs = _calls("tracking.experiments.experiment_runs")
    experiments = _calls("tracking.experiments.experiments")
    explain = _calls("evaluation.explain.explain_stored_query")
    held_out = _calls("comparison.choosing.holdout.held_out_of_store")
    history = _calls("tracking.history.engine_history")
    leaderboard = _calls("leaderboard.ranks.leaderboard_ranks")
    list_qrels = _calls("catalog.qrels.list_qrels")
    list_queries = _calls("catalog.queries.list_queries")
    list_runs = _calls("leaderboard.run_list.list_runs")
    load_runs = _calls("comparison.loading.load_stored_runs")
    measure_agreement = _calls("leaderboard.agreement.measure_agreement")
    medians = _calls("comparison.collection_values.medians_of_collection")
    power = _calls("leaderboard.power.collection_power")
    remove_runs = _calls("catalog.runs.remove_runs")
    removed_runs = _calls("catalog.runs.removed_runs")
    restore_runs = _calls("catalog.runs.restore_runs")
    run_agreement = _calls("leaderboard.agreement.run_agreement")
    run_comments = _calls("tracking.comments.run_comments")
    run_facts = _calls("tracking.run_overview.run_facts")
    run_lists = _calls("transfer.export.run_lists")
    runs_to_compare = _calls("comparison.choosing.baselines.runs_to_compare")
    set_baseline = _calls("comparison.choosing.baselines.set_baseline")
    unset_baseline = _calls("comparison.choosing.baselines.unset_baseline")

    def ancestors(self, run: RunFacts) -> list[int]:
        found: list[int] = use_case("tracking.run_overview.ancestor_ids")(self.store, run.id)
        return found

    def baseline(self, collection: str) -> str | None:
        run: StoredRun | None = use_case("comparison.choosing.baselines.baseline")(
            self.store, collection
        )
        return None if run is None else run.name

    def load_run(self, facts: RunFacts) -> Run:
        from evalstore.store.queries.rankings import load_run  # noqa: PLC0415  (few commands need it)
        from evalstore.store.queries.runs import find_run  # noqa: PLC0415  (as above)

        with self.store.read() as connection:
            return load_run(connection, find_run(connection, facts.name, facts.collection))

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        from evalstore.catalog.chosen_qrels import choose_qrels  # noqa: PLC0415  (as above)
        from evalstore.store.queries.qrels import load_qrels  # noqa: PLC0415  (few commands need it)

        with self.store.read() as connection:
            return load_qrels(connection, choose_qrels(connection, collection, name)[1])

    def write_leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        details: Details,
        style: TextStyle,
    ) -> WrittenTable:
        from evalstore.leaderboard.table import leaderboard_export  # noqa: PLC0415  (as above)
        from evalstore.tables.renderers import export_text  # noqa: PLC0415  (few commands need it)

        exported = leaderboard_export(self.store, collection, measures, qrels, settings, details)
        text = export_text(
            exported, style.format, digits=style.digits, guard_formulas=style.guard_formulas
        )
        return WrittenTable(text, tuple(exported.notes))

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        before: QrelsSummary = use_case("catalog.qrels.set_default")(self.store, name, collection)
        return DefaultQrels(before.collection, before.name, before.is_default)
