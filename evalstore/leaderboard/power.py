"""The discriminative power of measures, the number of queries they need, and the costs of runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evalstore.comparison.collection_values import (
    CollectionValues,
    MeasureValues,
    load_collection_values,
)
from evalstore.errors import DataError, check_known
from evalstore.leaderboard.positions import Leaderboard
from evalstore.measures import Measure
from evalstore.stats import detectable_difference, discriminative_power, queries_needed
from evalstore.stats.inputs import check_count, check_fraction, check_positive
from evalstore.store import Store
from evalstore.store.queries.facts import list_index_bytes, list_times
from evalstore.tables.table import finite

F64 = npt.NDArray[np.float64]
PowerTest = Literal["bootstrap", "tukey"]
POWER_TESTS: tuple[PowerTest, ...] = get_args(PowerTest)
RESAMPLES: Mapping[PowerTest, int] = {"bootstrap": 1_000, "tukey": 5_000}
COLUMNS = (
    *("measure", "runs", "queries", "pairs", "share", "sd", "queries_needed"),
    "detectable_difference",
)
"""The columns of `MeasurePower.row`."""


@dataclass(frozen=True)
class PowerSettings:
    """Settings of the tests of discriminative power.

    Attributes:
        test: the test whose achieved significance levels are counted: `bootstrap`, Sakai's paired
            bootstrap test, without a correction; or `tukey`, the randomised Tukey HSD, which
            corrects for all pairs.
        alpha: a level below it counts as significant; it is also the size of the test for which the
            queries are planned.
        power: the chance of finding the `difference` of means with the planned number of queries.
        resamples: their number; None means 1,000 for the bootstrap and 5,000 for Tukey's test.
    """

    test: PowerTest = "bootstrap"
    alpha: float = 0.05
    difference: float = 0.05
    power: float = 0.8
    resamples: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse unknown tests and levels."""
        check_known("test", self.test, POWER_TESTS, " of discriminative power")
        check_fraction("alpha", self.alpha)
        check_fraction("power", self.power)
        check_positive("the difference", self.difference)
        check_count("resamples", self.draws)

    @property
    def draws(self) -> int:
        """The number of resamples."""
        return RESAMPLES[self.test] if self.resamples is None else self.resamples


@dataclass(frozen=True, eq=False)
class MeasurePower:
    """The power of a measure, under its requested name, with the numbers of runs and queries.

    `levels` are the achieved significance levels of the pairs, ascending, and `share` is the share
    of them below alpha: the discriminative power. `sd` is the standard deviation of differences
    between two runs, pooled over all pairs. With one query `sd` and `detectable_difference` are
    NaN, and `queries_needed` is None. `queries_needed` is also None if no number of queries is
    enough.
    """

    measure: str
    runs: int
    queries: int
    levels: F64
    share: float
    sd: float
    queries_needed: int | None
    detectable_difference: float
    notes: tuple[str, ...]

    def row(self) -> dict[str, str | int | float | None]:
        """The figures by column; None if there is none."""
        return {
            **{"measure": self.measure, "runs": self.runs, "queries": self.queries},
            **{"pairs": len(self.levels), "share": self.share, "sd": finite(self.sd)},
            "queries_needed": self.queries_needed,
            "detectable_difference": finite(self.detectable_difference),
        }


@dataclass(frozen=True)
class CollectionPower:
    """The power of some measures on a collection; `notes` are about all measures."""

    collection: str
    qrels: str
    measures: tuple[MeasurePower, ...]
    settings: PowerSettings
    notes: tuple[str, ...]

    @property
    def every_note(self) -> tuple[str, ...]:
        """The notes, including those of the measures."""
        return (*self.notes, *(note for measure in self.measures for note in measure.notes))

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON."""
        return {
            "collection": self.collection,
            "qrels": self.qrels,
            "test": self.settings.test,
            "alpha": self.settings.alpha,
            "difference": self.settings.difference,
            "power": self.settings.power,
            "notes": list(self.every_note),
            "measures": [
                {**measure.row(), "levels": measure.levels.tolist()} for measure in self.measures
            ],
        }


def collection_power(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    settings: PowerSettings | None = None,
) -> CollectionPower:
    """Compute the discriminative power of measures over the active runs of a collection.

    The result also has the number of queries that each measure needs to detect a difference, and
    the difference that the present queries detect, by the non-central t distribution (Sakai,
    Information Retrieval Journal 2016). The variance is that of paired differences, pooled over all
    pairs of runs. It equals twice the residual variance of Sakai's two-way analysis of variance
    (runs and queries), since the difference of two runs contains the residuals of both. A single
    pair may vary more or less; for one pair, `compare` is the better source. Nothing is written.
    DataError for fewer than two runs.
    """
    loaded = load_collection_values(store, collection, measures, qrels)
    return power_of_values(loaded, settings or PowerSettings())


def power_of_values(loaded: CollectionValues, settings: PowerSettings) -> CollectionPower:
    """`collection_power` of loaded values; DataError for fewer than two runs."""
    return CollectionPower(
        collection=loaded.collection,
        qrels=loaded.qrels,
        measures=tuple(_power(name, of, settings) for name, of in loaded.measures.items()),
        settings=settings,
        notes=loaded.notes,
    )


def _power(name: str, values: MeasureValues, settings: PowerSettings) -> MeasurePower:
    queries, runs = values.values.shape
    if runs < 2:
        raise DataError(f"{name}: two runs or more are needed, and there {_are(runs)}")
    counted = discriminative_power(
        values.values, settings.alpha, settings.test, settings.draws, settings.seed
    )
    sd = pooled_sd(values.values)
    known = math.isfinite(sd)
    alpha, power = settings.alpha, settings.power
    return MeasurePower(
        measure=name,
        runs=runs,
        queries=queries,
        levels=counted.levels,
        share=counted.share,
        sd=sd,
        queries_needed=queries_needed(settings.difference, sd, power, alpha) if known else None,
        detectable_difference=detectable_difference(sd, queries, power, alpha) if known else sd,
        notes=(*_note_on_figure(name, values.measure), *values.notes),
    )


def pooled_sd(values: F64) -> float:
    """The standard deviation of paired differences, pooled over all pairs of two or more runs.

    `values` is queries x runs. The result is the square root of the mean, over the pairs, of the
    variance (with n - 1) of their differences; NaN for one query.
    """
    queries, runs = values.shape
    if queries < 2:
        return math.nan
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    residual_variance = float((residuals**2).sum()) / ((queries - 1) * (runs - 1))
    return math.sqrt(2 * residual_variance)


def _are(runs: int) -> str:
    return "is one" if runs == 1 else "are none"


def _note_on_figure(name: str, measure: Measure) -> tuple[str, ...]:
    if measure.descriptor.aggregate == "mean":
        return ()
    return (f"{name}: these are its values per query and their means, not its figure over queries",)


@dataclass(frozen=True)
class RunCost:
    """The recorded cost of a run; None if nothing is recorded.

    `mean` and `p95` are in milliseconds, over the judged queries that were timed. `p95` is the 95th
    percentile, interpolated linearly between two times.
    """

    mean: float | None
    p95: float | None
    index_bytes: int | None


def run_costs(store: Store, leaderboard: Leaderboard) -> Mapping[int, RunCost]:
    """The costs of the active runs of a leaderboard, by run id; runs without any are left out."""
    with store.read() as connection:
        sizes = list_index_bytes(connection, leaderboard.collection_id)
        times = list_times(connection, leaderboard.collection_id, leaderboard.qrels_id)
    costs = {}
    for run_id in {*sizes, *times}:
        own = np.array(times.get(run_id, ()), np.float64)
        mean, p95 = (float(own.mean()), float(np.percentile(own, 95))) if len(own) else (None, None)
        costs[run_id] = RunCost(mean, p95, sizes.get(run_id))
    return costs


def pareto_front(costs: Mapping[int, float], values: Mapping[int, float]) -> tuple[int, ...]:
    """The ids of the runs that no other run beats in cost (less) and value (more), by rising cost.

    Runs without a cost or a value are left out. Equal runs are all on the front.
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
