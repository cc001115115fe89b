"""The JSON of a leaderboard as the object that the use case gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalstore.client.answers import as_object
from evalstore.leaderboard.ranks import LeaderboardRanks, MeasureRanks, RankedRun, RankSettings
from evalstore.measures import parse
from evalstore.store.queries.runs import StoredRun


def read_leaderboard(content: Mapping[str, Any], settings: RankSettings) -> LeaderboardRanks:
    """The leaderboards of a collection; the ids of runs and judgments are not known, and 0."""
    collection, baseline = content["collection"], content["baseline"]
    measures = (
        as_object(
            MeasureRanks,
            of,
            canonical=str(parse(of["measure"])),
            runs=tuple(as_object(RankedRun, run, run_id=0) for run in of["runs"]),
        )
        for of in content["measures"]
    )
    return as_object(
        LeaderboardRanks,
        content,
        qrels_id=0,
        measures=tuple(measures),
        settings=settings,
        baseline=None if baseline is None else StoredRun(0, baseline["run"], "", collection),
    )
