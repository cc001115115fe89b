"""Four runs over 12 queries, clearly better and worse, and their ranks."""

from __future__ import annotations

from pathlib import Path

from samples import add, write_qrels, write_run

from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings, leaderboard_ranks
from evalstore.measures import named_measures
from evalstore.store import Store

QUERIES = 12
RUNS = {"best": 0, "good": 0, "late": 3, "worst": 7}
"""At which place each run has the relevant document, but for a few queries."""


def write_ranked_runs(folder: Path) -> list[str]:
    """Runs of one relevant document a query, at the places of RUNS or one further down."""
    paths = []
    for name, place in RUNS.items():
        rankings = {}
        for query in range(QUERIES):
            later = place + (query % (2 if name == "best" else 3) == 0)
            rankings[f"q{query}"] = ["r" if rank == later else f"n{rank}" for rank in range(10)]
        paths.append(write_run(folder, rankings, f"{name}.run", name))
    return paths


def add_ranked_runs(store: Store, folder: Path, collection: str = "test") -> None:
    """Ingest the runs; of each top 10 the relevant document is judged, and n1."""
    grades = {f"q{query}": {"r": 1, "n1": 0} for query in range(QUERIES)}
    qrels = write_qrels(folder, grades, "ranked.qrels")
    add(store, folder, *write_ranked_runs(folder), qrels=qrels, collection=collection)


def ranked(
    store: Store, *measures: str, qrels: str | None = None, settings: RankSettings | None = None
) -> LeaderboardRanks:
    return leaderboard_ranks(store, "test", named_measures(measures or ["RR"]), qrels, settings)
