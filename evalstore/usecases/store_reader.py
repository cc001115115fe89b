"""Reads a store that is here, with the methods of `usecases.reader.Reader`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evalstore.formats import Qrels
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.baselines import StoredBaseline
from evalstore.store.collections import StoredCollection
from evalstore.store.events import Event
from evalstore.store.experiments import StoredExperiment
from evalstore.store.qrels import QrelsSummary, load_qrels
from evalstore.store.run_facts import RunFacts
from evalstore.store.runs import StoredRun
from evalstore.usecases import (
    change_runs,
    collections,
    linked_runs,
    medians,
    qrels,
    queries,
    show_run,
)
from evalstore.usecases.baselines import (
    baseline,
    baselines,
    with_named_baseline,
    with_stored_baseline,
)
from evalstore.usecases.chosen_qrels import choose_qrels
from evalstore.usecases.comparability import RunValues
from evalstore.usecases.conditions import Condition
from evalstore.usecases.loaded_runs import LoadedRuns, Medians, RunsToCompare
from evalstore.usecases.reader import TextStyle, WrittenTable
from evalstore.usecases.stored_runs import load_stored_runs

if TYPE_CHECKING:
    from evalstore.formats.lists import Lists
    from evalstore.usecases import history, run_list, sql
    from evalstore.usecases.agreement import Agreement
    from evalstore.usecases.experiments import ExperimentRuns
    from evalstore.usecases.explain import Explained
    from evalstore.usecases.leaderboard_table import Details
    from evalstore.usecases.power import CollectionPower, PowerSettings
    from evalstore.usecases.ranks import LeaderboardRanks, RankSettings


class StoreReader:
    """Reads a store that is here."""

    def __init__(self, store: Store) -> None:
        """Read this store."""
        self.store = store

    def collections(self) -> list[StoredCollection]:
        """As `usecases.collections`."""
        return collections.collections(self.store)

    def list_qrels(self, collection: str | None = None) -> Sequence[QrelsSummary]:
        """As `usecases.qrels`."""
        return qrels.list_qrels(self.store, collection)

    def list_runs(
        self, measures: Sequence[Measure], choice: run_list.Choice, sort: str | None = None
    ) -> list[run_list.ListedRun]:
        """As `usecases.run_list`."""
        from evalstore.usecases import run_list  # noqa: PLC0415  (it imports pandas)

        return run_list.list_runs(self.store, measures, choice, sort)

    def run_facts(self, run: str, collection: str | None = None) -> RunFacts:
        """As `usecases.show_run`."""
        return show_run.run_facts(self.store, run, collection)

    def ancestors(self, run: RunFacts) -> list[int]:
        """As `usecases.show_run`."""
        return show_run.ancestor_ids(self.store, run.id)

    def events(
        self, collection: str | None = None, subject: str | None = None, last: int | None = None
    ) -> list[Event]:
        """As `usecases.change_runs`."""
        return change_runs.history(self.store, collection, subject, last)

    def removed_runs(self, collection: str | None = None) -> list[StoredRun]:
        """As `usecases.change_runs`."""
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
        """As `usecases.ranks`."""
        from evalstore.usecases.ranks import leaderboard_ranks  # noqa: PLC0415  (few commands need it)

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
        """As `usecases.linked_runs`."""
        return linked_runs.engine_slots(self.store, collection)

    def medians(self, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
        """As `usecases.medians`."""
        return medians.medians_of_collection(self.store, run, measures)

    def baseline(self, collection: str) -> str | None:
        """As `usecases.baselines`."""
        run = baseline(self.store, collection)
        return None if run is None else run.name

    def baselines(self) -> list[StoredBaseline]:
        """As `usecases.baselines`."""
        return baselines(self.store)

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """As `usecases.baselines`."""
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
        """As `usecases.stored_runs`."""
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
        """As `usecases.history`."""
        from evalstore.usecases import history  # noqa: PLC0415  (few commands need it)

        return history.engine_history(
            self.store, engine, measure, collection, qrels, last=last, alpha=alpha
        )

    def ask(self, statement: str, limits: sql.Limits) -> sql.Answer:
        """As `usecases.sql`."""
        from evalstore.usecases import sql  # noqa: PLC0415  (few commands need it)

        return sql.ask(self.store, statement, limits)

    def run_lists(self, run: str, collection: str | None = None) -> AbstractContextManager[Lists]:
        """As `usecases.export`."""
        from evalstore.usecases import export  # noqa: PLC0415  (few commands need it)

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
        """As `usecases.export_leaderboard`."""
        from evalstore.exports.formats import export_text  # noqa: PLC0415  (few commands need it)
        from evalstore.usecases.export_leaderboard import (  # noqa: PLC0415  (as above)
            leaderboard_export,
        )

        exported = leaderboard_export(self.store, collection, measures, qrels, settings, details)
        text = export_text(
            exported, style.format, digits=style.digits, guard_formulas=style.guard_formulas
        )
        return WrittenTable(text, tuple(exported.notes))

    def measure_agreement(
        self, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
    ) -> Agreement:
        """As `usecases.agreement`."""
        from evalstore.usecases import agreement  # noqa: PLC0415  (few commands need it)

        return agreement.measure_agreement(self.store, collection, measures, qrels)

    def run_agreement(
        self, collection: str, runs: Sequence[str] = (), *, p: float, k: int, depth: int
    ) -> Agreement:
        """As `usecases.agreement`."""
        from evalstore.usecases import agreement  # noqa: PLC0415  (few commands need it)

        return agreement.run_agreement(self.store, collection, runs, p=p, k=k, depth=depth)

    def power(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: PowerSettings,
    ) -> CollectionPower:
        """As `usecases.power`."""
        from evalstore.usecases import power  # noqa: PLC0415  (few commands need it)

        return power.collection_power(self.store, collection, measures, qrels, settings)

    def experiments(self) -> list[StoredExperiment]:
        """As `usecases.experiments`."""
        from evalstore.usecases import experiments  # noqa: PLC0415  (it imports pandas)

        return experiments.experiments(self.store)

    def experiment_runs(self, name: str, measures: Sequence[Measure]) -> ExperimentRuns:
        """As `usecases.experiments`."""
        from evalstore.usecases import experiments  # noqa: PLC0415  (it imports pandas)

        return experiments.experiment_runs(self.store, name, measures)

    def list_queries(
        self, collection: str, conditions: Sequence[Condition] = ()
    ) -> list[queries.StoredQuery]:
        """As `usecases.queries`."""
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
        """As `usecases.explain`."""
        from evalstore.usecases import explain  # noqa: PLC0415  (few commands need it)

        return explain.explain_stored_query(
            self.store, run, qid, depth, collection=collection, qrels=qrels, rel=rel, dcg=dcg
        )
