"""Differences, intervals, tests and effect sizes of every pair of runs.

Every judged query counts: one that a run does not answer counts as an empty ranking, as on a
leaderboard. A query on which a run has no value (a response time that was not measured) leaves the
pairs of this run. Values are joined on query ids and summed in byte order of these ids. So the
figures depend neither on the order of files nor on the order of queries, and further runs change
only the corrected p of a pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from evalstore.comparison.comparability import (
    F64,
    Comparable,
    RunValues,
)
from evalstore.errors import DataError, check_known
from evalstore.evaluation.parallel import each
from evalstore.formats.queries import Queries
from evalstore.measures import Measure
from evalstore.measures.evaluate import is_of_means, pooled
from evalstore.stats import Interval, benjamini_hochberg, bonferroni, holm
from evalstore.stats.aggregates import aggregate_differences
from evalstore.stats.inputs import check_fraction, check_positive, in_units
from evalstore.stats.intervals import (
    UNBOUNDED,
    Intervals,
    Outcomes,
    cohens_dz_of_rows,
    mean_intervals_of_rows,
    outcomes_of_rows,
)
from evalstore.stats.paired import (
    PairedTests,
    equivalence_of_rows,
    least_p,
    randomization_of_rows,
    sign_of_rows,
    t_of_rows,
    wilcoxon_of_rows,
)
from evalstore.tables.table import finite

if TYPE_CHECKING:
    from evalstore.comparison.qrels.predicted import Predicted

Test = Literal["t", "wilcoxon", "sign", "randomization"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
Over = Literal["judged", "common"]
Verdict = Literal["better", "worse", "equivalent", "undecided", "none"]
TESTS: tuple[Test, ...] = get_args(Test)
CORRECTIONS: Mapping[Correction, Callable[[F64], F64]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": lambda p: p,
}
OVER: tuple[Over, ...] = get_args(Over)
RESAMPLES = 100_000
MOST_RESAMPLES = 1_000_000
SEED = 1
CELLS = 1 << 19
"""The most differences held in memory at a time."""

PAIRS_IN_TASK = 64
"""Pairs that a worker computes in one task: half a second of resampling at 250 queries."""


@dataclass(frozen=True)
class Settings:
    """Settings of the tests.

    Attributes:
        test: the test whose corrected p decides whether one run is said to beat another.
        correction: applied to the p of all pairs and measures of the comparison, for each test.
        alpha: a corrected p below it is significant; intervals have level 1 - alpha.
        tie_width: a query on which the values differ by at most this much is a tie.
        resamples: the number for the randomization test, if it is not exact; None for as many as
            the number of comparisons needs (`resamples_for`).
        tests: the tests to compute, including `test`; the randomization test takes longest.
        scheduler: the address of a Dask scheduler whose workers compute; None for this process.
        over: `judged` compares over all judged queries, `common` over those that all runs answer.
        margin: runs whose difference is shown to be smaller than this are called equivalent; None
            for no such claim.
    """

    test: Test = "t"
    correction: Correction = "holm"
    alpha: float = 0.05
    tie_width: float = 0.0
    resamples: int | None = None
    seed: int = SEED
    tests: tuple[Test, ...] = TESTS
    scheduler: str | None = None
    over: Over = "judged"
    margin: float | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and levels."""
        check_known("test", self.test, TESTS)
        check_known("correction", self.correction, CORRECTIONS)
        check_known("choice of queries", self.over, OVER)
        check_fraction("alpha", self.alpha)
        if self.margin is not None:
            check_positive("the margin", self.margin)


@dataclass(frozen=True)
class Pair:
    """The figures of two runs (a is the baseline) on a measure, and what they show.

    Attributes:
        queries: the number of queries compared: the judged ones on which both runs have a value.
        mean_a, mean_b: the measure's figure over these queries: for most measures a mean, for
            counts the sum, for GMAP the geometric mean.
        interval: of the difference b - a: of the mean by Student's t, of other aggregates by a
            bootstrap. It stays inside what the measure can be.
        p: two-sided, by test; `p_corrected` is corrected for all pairs and measures. An aggregate
            that is neither mean nor sum has one test, by randomization, whatever the name.
        cohens_d: mean / standard deviation of the differences; NaN for one query.
        wins, losses: queries on which b is better or worse; higher or lower if `direction` is 0.
        direction: 1 if higher is better, -1 if lower is, 0 if neither.
        test_points_to: 1 if the deciding test is in favour of higher values of b, -1 if of lower
            ones, 0 if of neither. The Wilcoxon and sign tests can contradict the mean.
        least_p: the least p that a sign-flip test can attain with as many non-zero differences.
        p_equivalent: of the two one-sided tests of the margin; 1 without one.
        untested: the reason why no test may be made; empty if it may.
        verdict: on b: `better` or `worse` if the data show it, `equivalent` if they show that the
            difference is within the margin, `none` if no test may be made, else `undecided`.
        reason: of the verdict, and `sentence` the whole claim, in words.
        is_shown: whether a difference is shown, also if the measure has no direction.
        family: the correction and the number of comparisons that it covers, in words.
        bounds: the least and the greatest difference over all grades that unjudged documents could
            have; None if the measure has no such bounds, or the rankings are not known.
        unjudged: the number of documents without a judgment that the measure sees.
    """

    a: str
    b: str
    measure: str
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    interval: Interval
    p: Mapping[Test, float]
    p_corrected: Mapping[Test, float]
    cohens_d: float
    wins: int
    ties: int
    losses: int
    direction: int
    test_points_to: int
    least_p: float = 0.0
    p_equivalent: float = 1.0
    untested: str = ""
    verdict: Verdict = "undecided"
    reason: str = ""
    sentence: str = ""
    is_shown: bool = False
    family: str = ""
    bounds: Interval | None = None
    unjudged: int = 0

    def attainable_p(self, test: Test) -> float:
        """The p of a test before correction, not below what signs alone could give."""
        return max(self.p[test], self.least_p)

    def row(self) -> dict[str, str | int | float | None]:
        """The figures by column, for data frames and CSV."""
        return {
            **{"a": self.a, "b": self.b, "measure": self.measure, "queries": self.queries},
            **{"mean_a": self.mean_a, "mean_b": self.mean_b, "difference": self.difference},
            **{"low": self.interval.low, "high": self.interval.high},
            **{f"p_{test}": p for test, p in self.p.items()},
            **{f"p_corrected_{test}": p for test, p in self.p_corrected.items()},
            **{"cohens_d": self.cohens_d},
            **{"wins": self.wins, "ties": self.ties, "losses": self.losses},
            "bounds_low": None if self.bounds is None else self.bounds.low,
            "bounds_high": None if self.bounds is None else self.bounds.high,
            **{"verdict": self.verdict, "reason": self.reason, "family": self.family},
        }

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON; None for numbers that are not finite."""
        return {
            **{"a": self.a, "b": self.b, "measure": self.measure, "queries": self.queries},
            **{"mean_a": self.mean_a, "mean_b": self.mean_b, "difference": self.difference},
            "interval": [finite(end) for end in self.interval],
            "p": dict(self.p),
            "p_corrected": dict(self.p_corrected),
            "cohens_d": finite(self.cohens_d),
            **{"wins": self.wins, "ties": self.ties, "losses": self.losses},
            **{"verdict": self.verdict, "reason": self.reason, "sentence": self.sentence},
            "bounds": None if self.bounds is None else list(self.bounds),
            "family": self.family,
        }


@dataclass(frozen=True, eq=False)
class PairsOverQueries:
    """Pairs of runs, by number, on a measure.

    `values` and `weights` (of the queries in the measure's own aggregate; None if all are 1) are
    runs x queries, for the queries on which all these runs have a value.
    """

    runs: tuple[str, ...]
    values: F64
    weights: F64 | None
    pairs: Sequence[tuple[int, int]]
    name: str
    measure: Measure
    settings: Settings

    def __fspath__(self) -> str:
        """The name that `parallel.each` shows in messages."""
        return f"{len(self.pairs):,} pairs on {self.name}"


def _parts(
    runs: Sequence[RunValues],
    qids: Sequence[str],
    values: Mapping[str, F64],
    chosen: Sequence[tuple[int, int]],
    measures: Mapping[str, Measure],
    settings: Settings,
) -> Iterator[PairsOverQueries]:
    """Split the pairs of each measure into parts over the same queries; skip pairs that share none.

    `values` are queries x runs, NaN if a run has no value.
    """
    names = tuple(run.name for run in runs)
    most = CELLS if settings.scheduler is None else PAIRS_IN_TASK
    for name, table in values.items():
        known = ~np.isnan(table)
        weights = None
        if measures[name].descriptor.weigh is not None:
            weights = np.column_stack([run.weights_of(name, qids) for run in runs])
        over: dict[bytes, list[tuple[int, int]]] = {}
        for a, b in chosen:
            over.setdefault((known[:, a] & known[:, b]).tobytes(), []).append((a, b))
        for shared, pairs in over.items():
            rows = np.frombuffer(shared, bool)
            if not rows.any():
                continue
            own = np.ascontiguousarray(table[rows].T)
            of = None if weights is None else np.ascontiguousarray(weights[rows].T)
            step = min(max(1, CELLS // own.shape[1]), most)
            for first in range(0, len(pairs), step):
                part = pairs[first : first + step]
                yield PairsOverQueries(names, own, of, part, name, measures[name], settings)


def figures_of_pairs(part: PairsOverQueries) -> list[Pair]:
    """The figures of each pair, before the correction: `p_corrected` is `p`."""
    measure = part.measure
    direction = {True: 1, False: -1, None: 0}[measure.descriptor.higher_is_better]
    first, second = np.array(part.pairs).T
    rows = part.values[second] - part.values[first]
    of_means = measure.descriptor.of_run or is_of_means(measure)
    figures = (_of_means if of_means else _of_aggregates)(part, rows)
    outcomes = outcomes_of_rows(rows, part.settings.tie_width)
    figure_of = {run: _figure_of_run(part, run) for run in np.unique(part.pairs).tolist()}
    pairs = []
    for (a, b), (higher, ties, lower), of_pair in zip(part.pairs, outcomes, figures, strict=True):
        pair = Pair(
            a=part.runs[a],
            b=part.runs[b],
            measure=part.name,
            queries=part.values.shape[1],
            mean_a=figure_of[a],
            mean_b=figure_of[b],
            wins=lower if direction < 0 else higher,
            ties=ties,
            losses=higher if direction < 0 else lower,
            direction=direction,
            p_corrected=of_pair["p"],
            **of_pair,
        )
        pairs.append(pair)
    return pairs


def _figure_of_run(part: PairsOverQueries, run: int) -> float:
    weights = None if part.weights is None else part.weights[run]
    return figure_over(part.measure, part.values[run], weights)


def _of_means(part: PairsOverQueries, rows: F64) -> Iterator[dict[str, Any]]:
    """The figures of each pair on a measure whose figure is a mean or a sum.

    `rows` are the differences: pairs x queries.
    """
    values, measure, settings = part.values, part.measure, part.settings
    descriptor, queries = measure.descriptor, values.shape[1]
    # A figure of the whole run is one observation, even though it is repeated for each query.
    tested = rows[:, :1] if descriptor.of_run else rows
    tests = {
        test: rows_tested(test, tested, settings.resamples or RESAMPLES, settings.seed)
        for test in settings.tests
    }
    scale = queries if descriptor.aggregate == "sum" else 1
    ends = difference_intervals(measure, tested, 1 - settings.alpha)
    strict_outcomes, effects = outcomes_of_rows(tested, 0.0), cohens_dz_of_rows(tested).tolist()
    least, means = least_p(tested).tolist(), (scale * rows.mean(axis=1)).tolist()
    equivalent = [1.0] * len(rows)
    if settings.margin is not None:
        equivalent = equivalence_of_rows(tested, settings.margin / scale).tolist()
    units = in_units(tested)
    constant = ((units == units[:, :1]).all(axis=1) & (units[:, 0] != 0)).tolist()
    for number in range(len(part.pairs)):
        yield {
            "difference": means[number],
            "interval": Interval(float(ends.low[number]), float(ends.high[number])),
            "p": {test: float(result.p[number]) for test, result in tests.items()},
            "cohens_d": effects[number],
            "test_points_to": points_to(
                settings.test,
                float(tests[settings.test].statistic[number]),
                strict_outcomes[number],
            ),
            "least_p": least[number],
            "p_equivalent": equivalent[number],
            "untested": _reason_for_no_test(
                measure, queries, constant[number] and least[number] >= settings.alpha
            ),
        }


def _reason_for_no_test(measure: Measure, queries: int, is_constant: bool) -> str:
    if measure.descriptor.of_run:
        return f"{measure} is one figure of each run, and no test of one figure is possible"
    if queries == 1:
        return "one query allows no test"
    if is_constant:
        return f"no test is made: the {queries:,} differences are equal and so have no spread"
    return ""


def _of_aggregates(part: PairsOverQueries, rows: F64) -> Iterator[dict[str, Any]]:
    """The same for another aggregate, as a percentile, which is compared itself, not a mean."""
    values, measure, settings = part.values, part.measure, part.settings
    weights = np.ones_like(values) if part.weights is None else part.weights
    resamples = max((settings.resamples or RESAMPLES) // 10, 1)
    least = least_p(rows).tolist()

    lowest, highest = measure.descriptor.bounds
    bounds = (lowest - highest, highest - lowest)
    for number, (a, b) in enumerate(part.pairs):
        tested = aggregate_differences(
            *(partial(pooled, measure), values[a], values[b], weights[a], weights[b]),
            *(1 - settings.alpha, resamples, settings.seed, bounds),
        )
        yield {
            "difference": tested.difference,
            "interval": tested.interval,
            "p": dict.fromkeys(settings.tests, tested.p),
            "cohens_d": math.nan,
            "test_points_to": int(np.sign(tested.difference)),
            "least_p": least[number],
            "untested": _reason_for_no_test(measure, values.shape[1], is_constant=False),
        }


def difference_intervals(measure: Measure, rows: F64, level: float) -> Intervals:
    """The interval of each row of differences (pairs x queries), for a mean or a sum.

    It is within what the measure allows, or imported values have. One difference says nothing of
    the spread: then it has no ends.
    """
    queries = rows.shape[1]
    low, high = measure.descriptor.bounds
    bounds = min(low - high, float(rows.min())), max(high - low, float(rows.max()))
    ends = mean_intervals_of_rows(rows, level, bounds if queries > 1 else UNBOUNDED)
    scale = queries if measure.descriptor.aggregate == "sum" else 1
    return Intervals(scale * ends.low, scale * ends.high)


def rows_tested(test: Test, rows: F64, resamples: int = RESAMPLES, seed: int = SEED) -> PairedTests:
    """A paired test of each row of differences (float64, contiguous: tests x queries)."""
    if test == "randomization":
        return randomization_of_rows(rows, resamples, seed)
    return {"t": t_of_rows, "wilcoxon": wilcoxon_of_rows, "sign": sign_of_rows}[test](rows)


def attainable_p(test: Test, rows: F64) -> PairedTests:
    """The same, with no p below the least that a sign-flip test of the row could give."""
    tested = rows_tested(test, rows)
    return PairedTests(tested.statistic, np.maximum(tested.p, least_p(rows)))


def figure_over(measure: Measure, values: F64, weights: F64 | None = None) -> float:
    """The measure's own figure over some queries (at least one), which `follows_from_values`.

    `weights` are those of the queries in it; None if all are 1. A mean is summed one value after
    another, so that it equals the stored aggregate exactly.
    """
    if measure.descriptor.of_run or is_of_means(measure):
        scale = len(values) if measure.descriptor.aggregate == "sum" else 1
        return scale * (float(np.add.accumulate(values)[-1]) / len(values))
    counts = np.ones(len(values)) if weights is None else weights
    return float(pooled(measure, values, counts[None, :])[0])


def points_to(test: Test, statistic: float, outcomes: Outcomes) -> int:
    """Whether the statistic favours higher (1) or lower (-1) values of b, or neither (0)."""
    kept = outcomes.wins + outcomes.losses
    middle = {"wilcoxon": kept * (kept + 1) / 4, "sign": kept / 2}.get(test, 0.0)
    return 0 if math.isnan(statistic) else int(np.sign(statistic - middle))


COLUMNS = (
    *("a", "b", "measure", "queries", "mean_a", "mean_b", "difference", "low", "high"),
    *(f"p_{test}" for test in TESTS),
    *(f"p_corrected_{test}" for test in TESTS),
    *("cohens_d", "wins", "ties", "losses"),
    *("bounds_low", "bounds_high", "verdict", "reason", "family"),
)
"""The columns of `Pair.row`."""

ROUNDING = 5e-10
"""A mean difference below this counts as 0: values are compared after rounding to 1e-9."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Runs compared with each other.

    Attributes:
        pairs: by pair and then by measure; empty if not comparable.
        qids: the judged queries that were compared, in byte order.
        values: by measure, float64, queries x runs; NaN if a run has no value of the query.
        restriction: the judged queries that were compared, as a phrase; None for all.
        baseline: the number of the run with which all others were compared; None for all pairs.
        predicted: the differences corrected by a model's judgments; empty without any.
    """

    comparable: Comparable
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    runs: tuple[RunValues, ...]
    measures: Mapping[str, Measure]
    pairs: tuple[Pair, ...]
    settings: Settings
    qids: tuple[str, ...] = ()
    values: Mapping[str, F64] = field(default_factory=dict, repr=False)
    queries: Queries = field(default_factory=lambda: Queries({}), repr=False)
    restriction: str | None = None
    baseline: int | None = None
    predicted: tuple[Predicted, ...] = ()

    @property
    def texts(self) -> Mapping[str, str]:
        """The known texts of the queries."""
        return self.queries.texts

    def to_dict(self) -> dict[str, object]:
        """The verdict and the figures for JSON; `restricted_to` is the restriction, if any."""
        only = {} if self.restriction is None else {"restricted_to": self.restriction}
        return {
            "comparable": self.comparable,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
            **only,
            "pairs": [pair.to_dict() for pair in self.pairs],
            **({"predicted": [of.to_dict() for of in self.predicted]} if self.predicted else {}),
        }

    def differences(self, pair: Pair) -> dict[str, float]:
        """The differences b - a of a pair by query id, for the queries that it is over."""
        names = [run.name for run in self.runs]
        table = self.values[pair.measure]
        difference = table[:, names.index(pair.b)] - table[:, names.index(pair.a)]
        rows = zip(self.qids, difference.tolist(), strict=True)
        return {qid: value for qid, value in rows if not math.isnan(value)}


def aligned(run: RunValues, measure: str, qids: Sequence[str]) -> F64:
    """The values of a run in the order of `qids`; NaN for queries without a value."""
    row = {qid: number for number, qid in enumerate(run.qids)}
    values = np.where(run.weights.get(measure, 1.0) == 0, np.nan, run.values[measure])
    return np.array([values[row[qid]] if qid in row else np.nan for qid in qids], np.float64)


def resamples_for(settings: Settings, comparisons: int) -> int:
    """The number of resamples with which the correction for so many comparisons can show anything.

    The least p of a randomization test is 1 / (resamples + 1). At least 100,000, and at most
    1,000,000, which is enough for 25,000 comparisons at alpha 0.05; a given number stays.
    """
    if settings.resamples is not None:
        return settings.resamples
    needed = math.ceil(2 * comparisons / settings.alpha) if settings.correction != "none" else 0
    return min(max(RESAMPLES, needed), MOST_RESAMPLES)


def figures_by_pair(
    runs: Sequence[RunValues],
    qids: Sequence[str],
    values: Mapping[str, F64],
    chosen: Sequence[tuple[int, int]],
    measures: Mapping[str, Measure],
    settings: Settings,
) -> dict[tuple[str, tuple[int, int]], Pair]:
    """The figures by measure and pair; pairs that share no query are left out."""
    resamples = resamples_for(settings, len(chosen) * len(values))
    settings = replace(settings, resamples=resamples)
    parts = list(_parts(runs, qids, values, chosen, measures, settings))
    computed: Iterator[list[Pair]] = map(figures_of_pairs, parts)
    if settings.scheduler is not None:
        computed = _by_workers(parts, settings.scheduler)
    return {
        (part.name, pair): figures
        for part, of_part in zip(parts, computed, strict=True)
        for pair, figures in zip(part.pairs, of_part, strict=True)
    }


def _by_workers(parts: Sequence[PairsOverQueries], scheduler: str) -> Iterator[list[Pair]]:
    """The figures of each part, computed by the workers of a Dask scheduler."""
    results = each(figures_of_pairs, parts, jobs=1, preload=__name__, scheduler=scheduler)
    with closing(results):
        for done in results:
            if done.result is None:
                raise done.error or DataError(f"{done.path}: nothing was computed")
            yield done.result
