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
from evalstore.measures import named_measures


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
