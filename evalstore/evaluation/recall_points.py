"""Recall and precision of one query at each relevant document: the points of its own curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalstore.catalog.chosen_qrels import kept_choice
from evalstore.store import Store
from evalstore.store.queries.query_hits import count_relevant, list_hit_ranks

Point = tuple[float, float]
"""Recall and precision at the rank of a relevant document."""


@dataclass(frozen=True)
class RecallPoints:
    """The points of one query.

    Attributes:
        qid: the query.
        relevant: how many documents the qrels has with a grade of 1 or more.
        points: by run, in the order of the ranks; none where it retrieved no relevant document.
    """

    qid: str
    relevant: int
    points: Mapping[str, tuple[Point, ...]]


def recall_points(
    store: Store, collection: str, runs: Sequence[str], qrels: str, qid: str
) -> RecallPoints:
    """The points of a query for stored runs: (found / relevant, found / rank) at each hit.

    Args:
        store: where the runs are.
        collection: their collection.
        runs: their names.
        qrels: the name of the judgments.
        qid: the query.

    Raises:
        NotFound: there is no such collection or qrels.
    """
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        relevant = count_relevant(connection, chosen.id, qid)
        ranks = list_hit_ranks(connection, chosen.id, runs, collection_id, qid)
    points = {
        run: tuple((found / relevant, found / rank) for found, rank in enumerate(ranks[run], 1))
        for run in runs
    }
    return RecallPoints(qid, relevant, points)
