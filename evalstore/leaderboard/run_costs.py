"""What runs cost: their response times and the sizes of their indexes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evalstore.leaderboard.positions import Board
from evalstore.store import Store
from evalstore.store.queries.costs import list_index_bytes, list_times


@dataclass(frozen=True)
class RunCost:
    """What is recorded of the cost of a run; None where nothing is.

    Attributes:
        mean: milliseconds, over the judged queries that were timed.
        p95: within so many milliseconds 95 % of them were answered (between two by proportion).
        index_bytes: the size of the index.
    """

    mean: float | None
    p95: float | None
    index_bytes: int | None


def run_costs(store: Store, board: Board) -> Mapping[int, RunCost]:
    """The costs of the active runs of a board, by run id; runs without any are left out."""
    with store.read() as connection:
        sizes = list_index_bytes(connection, board.collection_id)
        times = list_times(connection, board.collection_id, board.qrels_id)
    costs = {}
    for run_id in {*sizes, *times}:
        own = np.array(times.get(run_id, ()), np.float64)
        mean, p95 = (float(own.mean()), float(np.percentile(own, 95))) if len(own) else (None, None)
        costs[run_id] = RunCost(mean, p95, sizes.get(run_id))
    return costs


def pareto_front(costs: Mapping[int, float], values: Mapping[int, float]) -> tuple[int, ...]:
    """The runs that no other run beats: none is as good and cheaper, or as cheap and better.

    Args:
        costs: by run id; less is better.
        values: by run id; more is better. Runs that have no cost or no value are left out.

    Returns:
        The ids by rising cost; equal runs are all on the front.
    """
    front: list[int] = []
    best, cost_of_best = -np.inf, np.nan
    both = [run_id for run_id in costs if run_id in values]
    for run_id in sorted(both, key=lambda run: (costs[run], -values[run], run)):
        value, cost = values[run_id], costs[run_id]
        if value > best or (value == best and cost == cost_of_best):
            front.append(run_id)
            best, cost_of_best = value, cost
    return tuple(front)
