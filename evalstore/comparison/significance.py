"""Differences, intervals, tests and effect sizes of every pair of runs.

Values are joined on query ids and summed in byte order of these ids. So the figures depend neither
on the order of files nor on the order of queries, and further runs change only the corrected p of a
pair.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from evalstore.comparison.comparability import (
    F64,
    RunValues,
    Verdict,
)
from evalstore.errors import DataError, did_you_mean
from evalstore.evaluation.parallel import each
from evalstore.formats.queries import Queries
from evalstore.measures import Measure
from evalstore.stats import Interval, bca_interval, benjamini_hochberg, bonferroni, holm
from evalstore.stats.intervals import (
    Outcomes,
    cohens_dz_of_rows,
    outcomes_of_rows,
    t_intervals_of_rows,
)
from evalstore.stats.paired import (
    PairedTests,
    randomization_of_rows,
    sign_of_rows,
    t_of_rows,
    wilcoxon_of_rows,
)
from evalstore.tables.table import finite

Test = Literal["t", "wilcoxon", "sign", "randomization"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
TESTS: tuple[Test, ...] = get_args(Test)
CORRECTIONS: Mapping[Correction, Callable[[F64], F64]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": lambda p: p,
}
RESAMPLES = 100_000
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
        resamples: the number for the randomization test, if it is not exact; the BCa interval
            takes a tenth of it.
        tests: the tests to compute, including `test`; the randomization test takes longest.
        scheduler: the address of a Dask scheduler whose workers compute; None for this process.
    """

    test: Test = "t"
    correction: Correction = "holm"
    alpha: float = 0.05
    tie_width: float = 0.0
    resamples: int = RESAMPLES
    seed: int = SEED
    tests: tuple[Test, ...] = TESTS
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names and levels."""
        for kind, value, known in (
            ("test", self.test, TESTS),
            ("correction", self.correction, tuple(CORRECTIONS)),
        ):
            if value not in known:
                raise DataError(
                    f"there is no {kind} {value!r}{did_you_mean(str(value), known)}; "
                    f"there are {', '.join(known)}"
                )
        if not 0 < self.alpha < 1:
            raise DataError(f"alpha must lie between 0 and 1; got {self.alpha}")


@dataclass(frozen=True)
class Pair:
    """The figures of two runs (a is the baseline) on a measure, over the queries that both answer.

    Attributes:
        mean_a, mean_b: the means of the values per query, whatever the measure's aggregate.
        interval: of the mean of b - a. With the test `t` it is Student's, which agrees with that
            test, otherwise the BCa bootstrap's, which assumes no normal distribution.
        p: two-sided, by test; `p_corrected` is corrected for all pairs and measures.
        cohens_d: mean / standard deviation of the differences; NaN for one query.
        wins, losses: queries on which b is better or worse; higher or lower if `direction` is 0.
        direction: 1 if higher is better, -1 if lower is, 0 if neither.
        of_values: whether the measure's own figure is a geometric mean (GMAP), not these means.
        test_points_to: 1 if the deciding test is in favour of higher values of b, -1 if of lower
            ones, 0 if of neither. The Wilcoxon and sign tests can contradict the mean.
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
    of_values: bool = False

    def row(self) -> dict[str, str | int | float]:
        """The figures by column, for data frames and CSV."""
        return {
            **{"a": self.a, "b": self.b, "measure": self.measure, "queries": self.queries},
            **{"mean_a": self.mean_a, "mean_b": self.mean_b, "difference": self.difference},
            **{"low": self.interval.low, "high": self.interval.high},
            **{f"p_{test}": p for test, p in self.p.items()},
            **{f"p_corrected_{test}": p for test, p in self.p_corrected.items()},
            **{"cohens_d": self.cohens_d},
            **{"wins": self.wins, "ties": self.ties, "losses": self.losses},
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
        }


@dataclass(frozen=True, eq=False)
class PairsOverQueries:
    """Pairs of runs, by number, on a measure; `values` are runs x queries answered by all."""

    runs: tuple[str, ...]
    values: F64
    pairs: Sequence[tuple[int, int]]
    name: str
    measure: Measure
    settings: Settings

    def __fspath__(self) -> str:
        """The name that `parallel.each` shows in messages."""
        return f"{len(self.pairs):,} pairs on {self.name}"


def _parts(
    runs: tuple[str, ...],
    values: Mapping[str, F64],
    chosen: Sequence[tuple[int, int]],
    measures: Mapping[str, Measure],
    settings: Settings,
) -> Iterator[PairsOverQueries]:
    """Split the pairs of each measure into parts over the same queries; skip pairs that share none.

    `values` are queries x runs, NaN if a run does not answer.
    """
    most = CELLS if settings.scheduler is None else PAIRS_IN_TASK
    for name, table in values.items():
        answered = ~np.isnan(table)
        over: dict[bytes, list[tuple[int, int]]] = {}
        for a, b in chosen:
            over.setdefault((answered[:, a] & answered[:, b]).tobytes(), []).append((a, b))
        for shared, pairs in over.items():
            rows = np.ascontiguousarray(table[np.frombuffer(shared, bool)].T)
            if not rows.shape[1]:
                continue
            step = min(max(1, CELLS // rows.shape[1]), most)
            for first in range(0, len(pairs), step):
                part = pairs[first : first + step]
                yield PairsOverQueries(runs, rows, part, name, measures[name], settings)


def figures_of_pairs(part: PairsOverQueries) -> list[Pair]:
    """The figures of each pair, before the correction: `p_corrected` is `p`."""
    values, measure, settings = part.values, part.measure, part.settings
    first, second = np.array(part.pairs).T
    rows = values[second] - values[first]
    means = {run: _mean(values[run]) for run in np.unique(np.concatenate([first, second])).tolist()}
    # A figure of the whole run is one observation, even though it is repeated for each query.
    observed = slice(1) if measure.descriptor.of_run else slice(None)
    tested = rows[:, observed]
    tests = {
        test: rows_tested(test, tested, settings.resamples, settings.seed)
        for test in settings.tests
    }
    p = {test: result.p.tolist() for test, result in tests.items()}
    deciding = tests[settings.test].statistic.tolist()
    differences, d = rows.mean(axis=1).tolist(), cohens_dz_of_rows(tested).tolist()
    intervals = _intervals(values[:, observed], part.pairs, tested, settings)
    outcomes = outcomes_of_rows(rows, settings.tie_width)
    strict_outcomes = outcomes_of_rows(tested, 0.0)
    direction = {True: 1, False: -1, None: 0}[measure.descriptor.higher_is_better]
    pairs = []
    for number, (a, b) in enumerate(part.pairs):
        higher, ties, lower = outcomes[number]
        p_of_pair: dict[Test, float] = {test: p[test][number] for test in p}
        pair = Pair(
            a=part.runs[a],
            b=part.runs[b],
            measure=part.name,
            queries=values.shape[1],
            mean_a=means[a],
            mean_b=means[b],
            difference=differences[number],
            interval=intervals[number],
            p=p_of_pair,
            p_corrected=p_of_pair,
            cohens_d=d[number],
            wins=lower if direction < 0 else higher,
            ties=ties,
            losses=higher if direction < 0 else lower,
            direction=direction,
            test_points_to=_points_to(settings.test, deciding[number], strict_outcomes[number]),
            of_values=measure.descriptor.aggregate == "geometric mean",
        )
        pairs.append(pair)
    return pairs


def rows_tested(test: Test, rows: F64, resamples: int = RESAMPLES, seed: int = SEED) -> PairedTests:
    """A paired test of each row of differences (float64, contiguous: tests x queries)."""
    if test == "randomization":
        return randomization_of_rows(rows, resamples, seed)
    return {"t": t_of_rows, "wilcoxon": wilcoxon_of_rows, "sign": sign_of_rows}[test](rows)


def _intervals(
    values: F64, pairs: Sequence[tuple[int, int]], rows: F64, settings: Settings
) -> list[Interval]:
    level = 1 - settings.alpha
    if settings.test == "t":
        low, high = t_intervals_of_rows(rows, level)
        return [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]
    resamples = max(settings.resamples // 10, 1)
    return [bca_interval(values[a], values[b], level, resamples, settings.seed) for a, b in pairs]


def _mean(values: F64) -> float:
    """The mean, summed one value after another, so that it equals the stored aggregate exactly."""
    return float(np.add.accumulate(values)[-1]) / len(values)


def _points_to(test: Test, statistic: float, outcomes: Outcomes) -> int:
    """Whether the statistic favours higher (1) or lower (-1) values of b, or neither (0)."""
    kept = outcomes.wins + outcomes.losses
    middle = {"wilcoxon": kept * (kept + 1) / 4, "sign": kept / 2}.get(test, 0.0)
    return 0 if math.isnan(statistic) else int(np.sign(statistic - middle))


COLUMNS = (
    *("a", "b", "measure", "queries", "mean_a", "mean_b", "difference", "low", "high"),
    *(f"p_{test}" for test in TESTS),
    *(f"p_corrected_{test}" for test in TESTS),
    *("cohens_d", "wins", "ties", "losses"),
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
        values: by measure, float64, queries x runs; NaN if a run does not answer the query.
        restriction: the judged queries that were compared, as a phrase; None for all.
        baseline: the number of the run with which all others were compared; None for all pairs.
    """

    comparable: Verdict
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
            **only,
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def differences(self, pair: Pair) -> dict[str, float]:
        """The differences b - a of a pair, by query id, for the queries that both answer."""
        names = [run.name for run in self.runs]
        table = self.values[pair.measure]
        difference = table[:, names.index(pair.b)] - table[:, names.index(pair.a)]
        rows = zip(self.qids, difference.tolist(), strict=True)
        return {qid: value for qid, value in rows if not math.isnan(value)}


def aligned(run: RunValues, measure: str, qids: Sequence[str]) -> F64:
    """The values of a run in the order of `qids`; NaN for queries it does not answer."""
    row = {qid: number for number, qid in enumerate(run.qids) if run.answered[number]}
    values = run.values[measure]
    return np.array([values[row[qid]] if qid in row else np.nan for qid in qids], np.float64)


def figures_by_pair(
    runs: Sequence[RunValues],
    values: Mapping[str, F64],
    chosen: Sequence[tuple[int, int]],
    measures: Mapping[str, Measure],
    settings: Settings,
) -> dict[tuple[str, tuple[int, int]], Pair]:
    """The figures by measure and pair; pairs that share no query are left out."""
    names = tuple(run.name for run in runs)
    parts = list(_parts(names, values, chosen, measures, settings))
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


def corrected(pairs: Sequence[Pair], settings: Settings) -> list[Pair]:
    """The pairs, with the p of each test corrected for all of them."""
    correct = CORRECTIONS[settings.correction]
    by_test = {test: correct(np.array([pair.p[test] for pair in pairs])) for test in settings.tests}
    return [
        replace(pair, p_corrected={test: float(by_test[test][number]) for test in by_test})
        for number, pair in enumerate(pairs)
    ]
