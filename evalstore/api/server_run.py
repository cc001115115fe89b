"""A run of a team's server as Python users see it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evalstore.api.stored_run import Measures, StoredRun
from evalstore.client.reader import ServerReader
from evalstore.errors import NotComparable
from evalstore.formats import Run
from evalstore.measures import named_measures

if TYPE_CHECKING:
    import pandas as pd


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
