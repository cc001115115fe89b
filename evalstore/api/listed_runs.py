"""The runs of a store as frames: listed, chosen by what is recorded of them, ranked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalstore.api.many_runs import Measures
from evalstore.catalog.conditions import parse_conditions
from evalstore.client.reader_ import Reader
from evalstore.leaderboard import run_list
from evalstore.measures import Measure, named_measures

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("id", "collection", "engine", "run", "experiment", "date", "queries", "answered", "tags"),
    "values_only",
)


class ListedRuns(ABC):
    """The part of `Store` that lists runs."""

    @abstractmethod
    def _reader(self) -> Reader:
        """What reads the store, which must be there."""

    def runs(
        self,
        collection: str | None = None,
        *,
        measures: Measures = (),
        engine: str | None = None,
        experiment: str | None = None,
        tag: str | None = None,
        where: str | Iterable[str] = (),
        find: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        """A row a run (index `id`), with its names and the measures asked for.

        Columns: collection, engine, run, experiment (or None), date (UTC), queries (those that
        the values are over), answered (those that the run answers), tags, and a column a measure,
        named as it was asked for.

        Args:
            collection: only runs of the collection of that name.
            measures: objects or texts; those that are not stored are computed.
            engine: only runs of this engine.
            experiment: only runs of this experiment.
            tag: only runs that have this tag.
            where: conditions on facts, all of which hold: `"k1>=0.9"`,
                `"header.method.name=BM25"`. A fact is named as in `StoredRun.facts`, names within
                others are joined by dots, and a parameter may be named alone. `=` and `!=` compare
                text or numbers, `<`, `<=`, `>` and `>=` compare numbers.
            find: words, each of which is in a name, tag, note, parameter or header of the run.
            sort: a measure (the best first) or a column; a `-` before it turns the order round.
            limit: only so many.

        Raises:
            errors.NotFound: a collection, engine, experiment, tag or fact that no run has.
            errors.DataError: a condition that is none.
        """
        choice = run_list.Choice(
            collection=collection,
            engine=engine,
            experiment=experiment,
            tag=tag,
            where=parse_conditions(where),
            find=find,
            limit=limit,
        )
        return self._list(choice, measures, sort).set_index("id")

    def leaderboard(
        self,
        collection: str,
        *,
        measures: Measures = ("AP", "nDCG@10", "P@10", "Rprec"),
        qrels: str | None = None,
        sort: str | None = None,
    ) -> pd.DataFrame:
        """A row a run (index `run`) of a collection, a column a measure; the best run first.

        Args:
            collection: its name.
            measures: objects or texts; those that are not stored are computed. The first one
                sorts, unless `sort` says otherwise.
            qrels: the judgments; the default ones of the collection unless named.
            sort: as in `runs`.

        Raises:
            errors.NotFound: there is no such collection or qrels.
        """
        named = named_measures(measures)
        by = sort if sort is not None or not named else str(next(iter(named.values())))
        choice = run_list.Choice(collection=collection, qrels=qrels)
        frame = self._list(choice, measures, by)
        return frame[["run", "engine", *named]].set_index("run")

    def _list(self, choice: run_list.Choice, measures: Measures, sort: str | None) -> pd.DataFrame:
        named = named_measures(measures) if measures != () else {}
        rows = self._reader().list_runs(list(named.values()), choice, sort)
        return listed_runs_frame(rows, named)


def listed_runs_frame(
    runs: Sequence[run_list.ListedRun], named: Mapping[str, Measure]
) -> pd.DataFrame:
    """A row a run: `COLUMNS`, and a column a measure under the name that it was asked for by."""
    import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

    columns: dict[str, list[Any]] = {name: [getattr(run, name) for run in runs] for name in COLUMNS}
    for name, measure in named.items():
        columns[name] = [run.values.get(str(measure)) for run in runs]
    return pd.DataFrame(columns)
