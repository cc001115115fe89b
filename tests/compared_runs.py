"""Runs with values that tests choose, as a comparison takes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evalstore.comparison.comparability import RunValues
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Compared, Settings
from evalstore.comparison.unjudged.bounds import (
    DifferenceBounds,
    Judgments,
    bounds_of_pair,
    greatest_of,
    rank_cutoff,
)
from evalstore.comparison.unjudged.retrieved import retrieved
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, named_measures


def run_values(
    name: str,
    values: Mapping[str, float],
    *,
    missing: Collection[str] = (),
    measure: str = "AP",
    **facts: Any,
) -> RunValues:
    """A run with these values by query id; those in `missing` it did not answer."""
    run = RunValues(
        name=name,
        collection="c",
        qrels="q",
        qrels_hash="0",
        compat="exact",
        depth=100,
        judged_in_top=1.0,
        qids=tuple(values),
        answered=np.array([qid not in missing for qid in values], bool),
        values={measure: np.array(list(values.values()), np.float64)},
    )
    return replace(run, **facts)


def compared(
    *runs: RunValues, measure: str = "AP", baseline: int | None = None, **settings: Any
) -> Compared:
    loaded = LoadedRuns(runs, baseline=baseline)
    return compare_loaded(loaded, named_measures([measure]), Settings(**settings))


def numbered(values: Sequence[float]) -> dict[str, float]:
    """The values of queries q01, q02, ..."""
    return {f"q{number:02}": value for number, value in enumerate(values, 1)}


def difference_bounds(
    measure: Measure, a: Run, b: Run, qrels: Qrels, qids: Sequence[str]
) -> DifferenceBounds | None:
    """The bounds of the difference b - a of two runs; None if the measure has none."""
    judgments = Judgments.of(qrels, qids)
    greatest = greatest_of(measure, judgments)
    if greatest is None:
        return None
    table = retrieved((a, b), qrels, qids, rank_cutoff(measure))
    return bounds_of_pair(greatest, table.pair(0, 1, None), judgments)
