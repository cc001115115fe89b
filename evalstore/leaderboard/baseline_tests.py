"""The runs of a leaderboard tested against one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evalstore.comparison.collection_values import CollectionValues
from evalstore.errors import DataError
from evalstore.leaderboard.ranks import LeaderboardRanks
from evalstore.stats import holm, paired_t


@dataclass(frozen=True)
class BaselineTests:
    """The paired t test of every other run against the baseline, on every measure with ranks.

    Attributes:
        run_id, name: the baseline.
        p_corrected: by measure, then by the id of the run: after Holm's correction for all runs
            and measures.
        is_better: by measure, then by the id of the run, whether its mean is the better one.
    """

    run_id: int
    name: str
    p_corrected: Mapping[str, Mapping[int, float]]
    is_better: Mapping[str, Mapping[int, bool]]

    @property
    def comparisons(self) -> int:
        """How many p the correction is over."""
        return sum(map(len, self.p_corrected.values()))


def baseline_tests(
    values: CollectionValues, ranks: LeaderboardRanks, run_id: int, name: str
) -> BaselineTests:
    """Test every other run against the baseline, over all judged queries.

    A query that a run does not answer counts as an empty ranking, as in the figures.

    Args:
        values: of all runs.
        ranks: the leaderboards of the same measures; one without ranks is left out.
        run_id: the baseline.
        name: its name.

    Raises:
        DataError: the baseline has no values.
    """
    keys: list[tuple[str, int]] = []
    p: list[float] = []
    is_better: dict[str, dict[int, bool]] = {}
    for measure in ranks.measures:
        of = values.measures[measure.measure]
        ids = [run.id for run in of.runs]
        if run_id not in ids:
            raise DataError(
                f"the baseline {name!r} has no values of {measure.measure} under qrels "
                f"{ranks.qrels!r}"
            )
        if measure.not_separated is None:
            continue
        table = measure.direction * of.values
        baseline = table[:, ids.index(run_id)]
        is_better[measure.measure] = {}
        for column, other in enumerate(ids):
            if other != run_id:
                keys.append((measure.measure, other))
                p.append(paired_t(baseline, table[:, column]).p)
                difference = float((table[:, column] - baseline).mean())
                is_better[measure.measure][other] = difference > 0
    corrected: dict[str, dict[int, float]] = {name: {} for name in is_better}
    for (measure_name, other), value in zip(keys, holm(np.array(p)).tolist(), strict=True):
        corrected[measure_name][other] = value
    return BaselineTests(run_id, name, corrected, is_better)
