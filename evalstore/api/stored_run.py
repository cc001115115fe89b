"""A stored run in the Python API: its facts, ranking and values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pandas as pd

from evalstore.api.evaluation import evaluate
from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.client.any_store import AnyStore, LocalStore
from evalstore.errors import NotComparable
from evalstore.formats import Run
from evalstore.measures import Measure, named_measures
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.facts import RunFacts
from evalstore.store.queries.qrels import load_qrels

Measures = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True)
class StoredRun:
    """A run in a store.

    Attributes:
        facts: everything recorded about it: its names and counts, `parameters`, `tags`, `note`,
            `commit`, `commit_dirty`, `host`, `started_by`, `started_at`, `ended_at`, `command`,
            `index_version`, `collection_version`, `parent`, `index_bytes`, `memory_bytes`,
            `money`, `currency`, `energy_joules`, `header`; None for facts that were not given.
    """

    _store: AnyStore
    facts: RunFacts

    @property
    def name(self) -> str:
        """The name, unique in its collection."""
        return self.facts.name

    @property
    def values_only(self) -> bool:
        """Whether it was stored as measure values with 4 decimals, without rankings."""
        return self.facts.values_only

    @property
    def ranking(self) -> Run:
        """The whole run from the stored lists: the same documents, order and scores.

        If it is written to a file, its header is written too.

        Raises:
            errors.NoRankings: it was stored as values.
        """
        run = self._store.load_run(self.facts)
        header = self.facts.header
        return replace(run, facts={"header": header}) if header else run

    def to_frame(self) -> pd.DataFrame:
        """The rankings as a frame, in the form of `Run.to_frame`.

        Raises:
            errors.NoRankings: it was stored as values.
        """
        return self.ranking.to_frame()

    def values(self, measures: Measures = "standard", qrels: str | None = None) -> pd.DataFrame:
        """The value of every query (index `qid`), one column per measure, under its requested name.

        Args:
            measures: objects or texts.
            qrels: the name of a qrels; if None the default one of the collection. Through a
                server, only one that the run was evaluated with.

        Raises:
            errors.NotFound: the collection has no such qrels.
            errors.NotComparable: through a server, the run was never evaluated with it.
            errors.NoRankings: it was stored as values, and a measure is not among them.
        """
        if self.values_only or not isinstance(self._store, LocalStore):
            return self._stored_values(measures, qrels)
        with self._store.store.read() as connection:
            _, chosen = choose_qrels(connection, self.facts.collection, qrels)
            evaluation = find_evaluation(connection, self.facts.id, chosen.id)
            loaded = load_qrels(connection, chosen)
        result = evaluate(
            loaded,
            {self.name: self.ranking},
            measures,
            compat="exact" if evaluation is None else evaluation.compat,
            allow_disjoint=True,
        )
        return result.per_query.droplevel("run")

    def _stored_values(self, measures: Measures, qrels: str | None) -> pd.DataFrame:
        """The values that are stored, or that the server computes."""
        loaded = self._store.load_runs(
            [str(self.facts.id)],
            named_measures(measures),
            collection=self.facts.collection,
            qrels=qrels,
        )
        if loaded.obstacle is not None:
            raise NotComparable(f"run {self.name!r} has no values under that qrels")
        run = loaded.runs[0]
        return pd.DataFrame(dict(run.values), index=pd.Index(run.qids, name="qid"))

    def __repr__(self) -> str:
        """The names of the run."""
        return f"<evalstore.StoredRun {self.facts.collection!r} {self.name!r}>"
