"""A stored run as Python users see it: its facts, ranking and values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evalstore.api.evaluation import evaluate
from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.client.remote import ServerReader
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NotComparable
from evalstore.formats import Run
from evalstore.measures import Measure, named_measures
from evalstore.store import Store as Database
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.rankings import load_run
from evalstore.store.queries.run_facts import RunFacts
from evalstore.store.queries.runs import find_run

if TYPE_CHECKING:
    import pandas as pd


Measures = str | Measure | Iterable[str | Measure]


@dataclass(frozen=True)
class StoredRun:
    """A run in a store.

    Attributes:
        facts: what is recorded of it: its names and counts, `parameters`, `tags`, `note`,
            `commit`, `commit_dirty`, `host`, `started_by`, `started_at`, `ended_at`, `command`,
            `index_version`, `collection_version`, `parent`, `index_bytes`, `memory_bytes`,
            `money`, `currency`, `energy_joules`, `header`; None where it was not given.
    """

    _database: Database
    facts: RunFacts

    @property
    def name(self) -> str:
        """Its name, unique in its collection."""
        return self.facts.name

    @property
    def values_only(self) -> bool:
        """Whether it came as values of measures, of 4 decimals, without rankings."""
        return self.facts.values_only

    @property
    def ranking(self) -> Run:
        """The whole run, from the packed lists: the same documents, order and scores.

        Writing it writes its header too.

        Raises:
            errors.NoRankings: it came as values.
        """
        with self._database.read() as connection:
            stored = find_run(connection, self.facts.name, self.facts.collection)
            run = load_run(connection, stored)
        header = self.facts.header
        return replace(run, facts={"header": header}) if header else run

    def to_frame(self) -> pd.DataFrame:
        """The rankings as a frame, as `Run.to_frame` gives it.

        Raises:
            errors.NoRankings: it came as values.
        """
        return self.ranking.to_frame()

    def values(self, measures: Measures = "standard", qrels: str | None = None) -> pd.DataFrame:
        """The value of every query (index `qid`), a column a measure, named as it was asked for.

        Args:
            measures: objects or texts.
            qrels: the name of a qrels; the default one of the collection where None.

        Raises:
            errors.NotFound: the collection has no such qrels.
            errors.NoRankings: it came as values, and a measure is not among them.
        """
        if self.values_only:
            return self._stored_values(measures, qrels)
        with self._database.read() as connection:
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
        """The values that it came with."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        loaded = load_stored_runs(
            self._database,
            [self.name],
            named_measures(measures),
            collection=self.facts.collection,
            qrels=qrels,
        )
        if loaded.obstacle is not None:
            raise NotComparable(f"run {self.name!r} has no values under that qrels")
        run = loaded.runs[0]
        return pd.DataFrame(dict(run.values), index=pd.Index(run.qids, name="qid"))

    def __repr__(self) -> str:
        """Its names."""
        return f"<evalstore.StoredRun {self.facts.collection!r} {self.name!r}>"


# A run of a team's server as Python users see it


@dataclass(frozen=True, repr=False)
class ServerRun(StoredRun):
    """A run of a server: its facts, and what is read of it when it is asked for."""

    _database: ServerReader  # type: ignore[assignment]  # what it is read from is no database here

    @property
    def ranking(self) -> Run:
        """As of a `StoredRun`.

        Raises:
            errors.NoRankings: it came as values.
        """
        with self._database.run_lists(str(self.facts.id), self.facts.collection) as lists:
            scores = {qid: dict(zip(docnos, of, strict=True)) for qid, docnos, of in lists.lists}
        run = Run.from_dict(scores, name=self.name, tag=self.facts.tag)
        header = self.facts.header
        return replace(run, facts={"header": header}) if header else run

    def values(self, measures: Measures = "standard", qrels: str | None = None) -> pd.DataFrame:
        """As of a `StoredRun`, under judgments that the run was evaluated with.

        Raises:
            errors.NotFound: the collection has no such qrels.
            errors.NotComparable: the run was never evaluated with it.
            errors.NoRankings: it came as values, and a measure is not among them.
        """
        import pandas as pd  # noqa: PLC0415  (slow to import)

        named = named_measures(measures)
        loaded = self._database.load_runs(
            [str(self.facts.id)], named, collection=self.facts.collection, qrels=qrels
        )
        if loaded.obstacle is not None:
            raise NotComparable(f"run {self.name!r} has no values under that qrels")
        run = loaded.runs[0]
        return pd.DataFrame(dict(run.values), index=pd.Index(run.qids, name="qid"))
