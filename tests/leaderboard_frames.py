"""The runs of a collection and their stored aggregates as frames, for tests to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import natural
from evalstore.leaderboard.positions import in_order
from evalstore.store import Store
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.leaderboard import (
    LeaderboardRun,
    count_judged_answers,
    count_judged_queries,
    list_aggregated_measures,
    list_figures,
    list_leaderboard_runs,
)
from evalstore.store.queries.qrels import list_qrels


@dataclass(frozen=True)
class Leaderboard:
    """The runs of a collection under one qrels, and their aggregates.

    Attributes:
        collection, qrels: their names.
        queries: the number of queries that the qrels judges; every aggregate is over all of them.
        runs: a row per run, by engine and name in natural order: run_id, content_hash, engine,
            run, experiment (or None), date (UTC), queries_answered (all queries that the run
            answers), judged_answered (only queries that the qrels judges), retrieved, values_only
            (whether it came as values of measures, without rankings).
        values: indexed by run_id, a float64 column per measure (its canonical name): the stored
            aggregate; NaN where a run has none.
        measures: the stored measures, in the order of `in_order`.
    """

    collection: str
    qrels: str
    queries: int
    runs: pd.DataFrame
    values: pd.DataFrame
    measures: tuple[str, ...]


def collections(store: Store) -> pd.DataFrame:
    """A row per collection, in natural order: documents, queries, runs, qrels (default first)."""
    with store.read() as connection:
        rows = sorted(list_collections(connection), key=lambda row: natural(row.name))
        qrels = [tuple(q.name for q in list_qrels(connection, row.id)) for row in rows]
    return pd.DataFrame(
        {
            "collection": [row.name for row in rows],
            "documents": pd.array([row.documents for row in rows], dtype="Int64"),
            "queries": [row.queries for row in rows],
            "runs": [row.runs for row in rows],
            "qrels": qrels,
        }
    )


def leaderboard(
    store: Store,
    collection: str,
    qrels: str | None = None,
    measures: Sequence[str] | None = None,
) -> Leaderboard:
    """The runs of a collection and their aggregates under a qrels (the default unless named).

    For all stored measures, or only for those named: with many runs that is much faster.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        runs = sorted(
            list_leaderboard_runs(connection, collection_id),
            key=lambda run: (natural(run.engine), natural(run.name)),
        )
        stored = list_aggregated_measures(connection, chosen.id)
        names = in_order(stored)
        columns = [name for name in names if measures is None or name in measures]
        figures = list_figures(connection, chosen.id, columns)
        queries = count_judged_queries(connection, chosen.id)
        answered = count_judged_answers(connection, chosen.id, [run.id for run in runs])
    frame = _run_frame(runs, answered)
    columns_of = {name: pd.Series(of, dtype="float64") for name, of in figures.items()}
    values = pd.DataFrame(columns_of, index=pd.Index(frame["run_id"]))
    return Leaderboard(collection, chosen.name, queries, frame, values, names)


def _run_frame(runs: Sequence[LeaderboardRun], answered: Mapping[int, int]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run_id": pd.array([run.id for run in runs], dtype="int64"),
            "content_hash": pd.Series([run.content_hash for run in runs], dtype="object"),
            "engine": pd.Series([run.engine for run in runs], dtype="object"),
            "run": pd.Series([run.name for run in runs], dtype="object"),
            "experiment": pd.Series([run.experiment for run in runs], dtype="object"),
            "date": pd.to_datetime([run.created_at for run in runs], utc=True),
            "queries_answered": pd.array([run.queries for run in runs], dtype="int64"),
            "judged_answered": pd.array([answered.get(run.id, 0) for run in runs], dtype="int64"),
            "retrieved": pd.array([run.retrieved for run in runs], dtype="int64"),
            "values_only": pd.array([run.values_only for run in runs], dtype="bool"),
        }
    )
