"""Reads a store that is here, with the methods of `client.reader_.Reader`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evalstore.catalog import collections, links, qrels, queries
from evalstore.catalog import runs as change_runs
from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.names import Condition
from evalstore.client.reader import TextStyle, WrittenTable
from evalstore.comparison import collection_values
from evalstore.comparison.baselines import (
    baseline,
    baselines,
    with_named_baseline,
    with_stored_baseline,
)
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import LoadedRuns, Medians, RunsToCompare, load_stored_runs
from evalstore.formats import Qrels
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.collections import StoredCollection
from evalstore.store.queries.events import Event
from evalstore.store.queries.qrels import QrelsSummary, load_qrels
from evalstore.store.queries.run_facts import RunFacts
from evalstore.store.queries.runs import StoredExperiment, StoredRun
from evalstore.store.queries.tracking import StoredBaseline
from evalstore.tracking import show_run

if TYPE_CHECKING:
    from evalstore.evaluation.explain import Explained
    from evalstore.formats.lists import Lists
    from evalstore.leaderboard import run_list
    from evalstore.leaderboard.agreement import Agreement
    from evalstore.leaderboard.power import CollectionPower, PowerSettings
    from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings
    from evalstore.leaderboard.table import Details
    from evalstore.sql import ask as sql
    from evalstore.tracking import history
    from evalstore.tracking.experiments import ExperimentRuns


class StoreReader:
    """Reads a store that is here."""

    def __init__(self, store: Store) -> None:
        """Read this store."""
        self.store = store

    def collections(self) -> list[StoredCollection]:
        """As `catalog.collections`."""
        return collections.collections(self.store)

    def list_qrels(self, collection: str | None = None) -> Sequence[QrelsSummary]:
        """As `catalog.qrels`."""
        return qrels.list_qrels(self.store, collection)

    def list_runs(
        self, measures: Sequence[Measure], choice: run_list.Choice, sort: str | None = None
    ) -> list[run_list.ListedRun]:
        """As `leaderboard.run_list`."""
        from evalstore.leaderboard import run_list  # noqa: PLC0415  (it imports pandas)

        return run_list.list_runs(self.store, measures, choice, sort)

    def run_facts(self, run: str, collection: str | None = None) -> RunFacts:
        """As `tracking.show_run`."""
        return show_run.run_facts(self.store, run, collection)

    def ancestors(self, run: RunFacts) -> list[int]:
        """As `tracking.show_run`."""
        return show_run.ancestor_ids(self.store, run.id)

    def events(
        self, collection: str | None = None, subject: str | None = None, last: int | None = None
    ) -> list[Event]:
        """As `catalog.runs`."""
        return change_runs.history(self.store, collection, subject, last)

    def removed_runs(self, collection: str | None = None) -> list[StoredRun]:
        """As `catalog.runs`."""
        return change_runs.removed_runs(self.store, collection)

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
        """As `leaderboard.ranks`."""
        from evalstore.leaderboard.ranks import leaderboard_ranks  # noqa: PLC0415  (few commands need it)

        return leaderboard_ranks(
            self.store,
            collection,
            measures,
            qrels,
            settings,
            baseline=baseline,
            no_baseline=no_baseline,
        )

    def engine_slots(self, collection: str) -> Mapping[str, int]:
        """As `catalog.linked_runs`."""
        return links.engine_slots(self.store, collection)

    def medians(self, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
        """As `comparison.medians`."""
        return collection_values.medians_of_collection(self.store, run, measures)

    def baseline(self, collection: str) -> str | None:
        """As `comparison.baselines`."""
        run = baseline(self.store, collection)
        return None if run is None else run.name

    def baselines(self) -> list[StoredBaseline]:
        """As `comparison.baselines`."""
        return baselines(self.store)

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """As `comparison.baselines`."""
        if baseline is None:
            return with_stored_baseline(self.store, runs, collection)
        return with_named_baseline(self.store, runs, baseline, collection)

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """As `comparison.stored_runs`."""
        return load_stored_runs(self.store, runs, measures, collection=collection, qrels=qrels)

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
        """As `tracking.history`."""
        from evalstore.tracking import history  # noqa: PLC0415  (few commands need it)

        return history.engine_history(
            self.store, engine, measure, collection, qrels, last=last, alpha=alpha
        )

    def ask(self, statement: str, limits: sql.Limits) -> sql.Answer:
        """As `sql.ask`."""
        from evalstore.sql import ask as sql  # noqa: PLC0415  (few commands need it)

        return sql.ask(self.store, statement, limits)

    def run_lists(self, run: str, collection: str | None = None) -> AbstractContextManager[Lists]:
        """As `transfer.export`."""
        from evalstore.transfer import export  # noqa: PLC0415  (few commands need it)

        return export.run_lists(self.store, run, collection)

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        """As `store.qrels`."""
        with self.store.read() as connection:
            _, chosen = choose_qrels(connection, collection, name)
            return load_qrels(connection, chosen)

    def write_leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        details: Details,
        style: TextStyle,
    ) -> WrittenTable:
        """As `leaderboard.export_leaderboard`."""
        from evalstore.leaderboard.table import leaderboard_export  # noqa: PLC0415  (as above)
        from evalstore.tables.renderers import export_text  # noqa: PLC0415  (few commands need it)

        exported = leaderboard_export(self.store, collection, measures, qrels, settings, details)
        text = export_text(
            exported, style.format, digits=style.digits, guard_formulas=style.guard_formulas
        )
        return WrittenTable(text, tuple(exported.notes))

    def measure_agreement(
        self, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
    ) -> Agreement:
        """As `leaderboard.agreement`."""
        from evalstore.leaderboard import agreement  # noqa: PLC0415  (few commands need it)

        return agreement.measure_agreement(self.store, collection, measures, qrels)

    def run_agreement(
        self, collection: str, runs: Sequence[str] = (), *, p: float, k: int, depth: int
    ) -> Agreement:
        """As `leaderboard.agreement`."""
        from evalstore.leaderboard import agreement  # noqa: PLC0415  (few commands need it)

        return agreement.run_agreement(self.store, collection, runs, p=p, k=k, depth=depth)

    def power(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: PowerSettings,
    ) -> CollectionPower:
        """As `leaderboard.power`."""
        from evalstore.leaderboard import power  # noqa: PLC0415  (few commands need it)

        return power.collection_power(self.store, collection, measures, qrels, settings)

    def experiments(self) -> list[StoredExperiment]:
        """As `tracking.experiments`."""
        from evalstore.tracking import experiments  # noqa: PLC0415  (it imports pandas)

        return experiments.experiments(self.store)

    def experiment_runs(self, name: str, measures: Sequence[Measure]) -> ExperimentRuns:
        """As `tracking.experiments`."""
        from evalstore.tracking import experiments  # noqa: PLC0415  (it imports pandas)

        return experiments.experiment_runs(self.store, name, measures)

    def list_queries(
        self, collection: str, conditions: Sequence[Condition] = ()
    ) -> list[queries.StoredQuery]:
        """As `catalog.queries`."""
        return queries.list_queries(self.store, collection, conditions)

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
        """As `evaluation.explain`."""
        from evalstore.evaluation import explain  # noqa: PLC0415  (few commands need it)

        return explain.explain_stored_query(
            self.store, run, qid, depth, collection=collection, qrels=qrels, rel=rel, dcg=dcg
        )
