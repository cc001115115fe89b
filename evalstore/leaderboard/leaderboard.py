"""The collections of a store, and the measures of their leaderboards."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.catalog.names import natural
from evalstore.errors import MeasureError
from evalstore.measures import parse, registry
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.leaderboard import list_aggregated_measures
from evalstore.store.queries.qrels import list_qrels


def collections(store: Store) -> pd.DataFrame:
    """A row per collection, in natural order: collection, documents, queries, runs, qrels.

    Of the qrels the default comes first.
    """
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


def run_counts(store: Store) -> Mapping[str, int]:
    """The number of active runs of each collection, by name in natural order."""

    def read() -> dict[str, int]:
        table = collections(store)
        return dict(zip(map(str, table["collection"]), map(int, table["runs"]), strict=True))

    return store.keep(("run counts",), read, bytes_of)


def leaderboard_measures(
    store: Store, collection: str, qrels: str | None = None
) -> tuple[str, ...]:
    """The measures of which runs of a collection have aggregates, in the order of `in_order`.

    Raises:
        NotFound: there is no such collection or qrels.
    """

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            _, chosen = kept_choice(store, collection, qrels)
            return in_order(set(list_aggregated_measures(connection, chosen.id)))

    key = ("leaderboard measures", collection, qrels)
    return store.keep(key, read, bytes_of)


def in_order(names: set[str]) -> tuple[str, ...]:
    """Measures in the order of the registry, then by parameters and cutoff."""
    families = {name: position for position, name in enumerate(registry())}

    def key(name: str) -> tuple[int, str, float, str]:
        try:
            measure = parse(name)
        except MeasureError:  # stored by a version with more measures
            return len(families), name, 0.0, name
        return families[measure.name], str(measure.parameters), measure.cutoff or 0, name

    return tuple(sorted(names, key=key))
