"""Ranks of runs: rank groups, intervals of ranks and figures, differences to a baseline.

Neighbours on a leaderboard can mostly not be separated. Runs that a corrected test does not
separate share a letter, and the interval of a rank shows how far it could move with other queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import natural
from evalstore.comparison.baselines import active_baseline
from evalstore.comparison.cached import kept_judged_tops
from evalstore.comparison.claims import TEST_NAMES, correction_words
from evalstore.comparison.collection_values import MeasureValues, load_collection_values
from evalstore.comparison.significance import CORRECTIONS, Correction, Test, rows_tested
from evalstore.errors import DataError, did_you_mean
from evalstore.measures import Measure
from evalstore.stats import (
    p_matrix,
    rank_groups,
    rank_intervals,
    tukey_randomized,
)
from evalstore.stats.inputs import check_count, check_fraction, in_units
from evalstore.stats.intervals import t_intervals_of_rows
from evalstore.stats.paired import pairs_tested
from evalstore.stats.ranks import strict_ranks
from evalstore.store import Store
from evalstore.store.queries.runs import StoredRun, find_run

F64 = npt.NDArray[np.float64]
RankTest = Literal["t", "wilcoxon", "sign", "randomization", "tukey"]
RANK_TESTS: tuple[RankTest, ...] = get_args(RankTest)
Sign = Literal["better", "worse", "ahead", "behind", ""]
"""A difference is better or worse after the correction, or ahead or behind only before it."""

COLUMNS = (
    *("measure", "rank", "rank_low", "rank_high", "rank_group", "engine", "run"),
    *("value", "low", "high", "judged_top_10", "difference"),
)
"""The measure, followed by the columns of `RankedRun.row`."""


@dataclass(frozen=True)
class RankSettings:
    """Settings of the tests and intervals of a leaderboard.

    Attributes:
        test: a paired test of each pair of runs, with `correction` for all pairs; or `tukey`, the
            randomised Tukey HSD, which has a correction of its own. The t test is the default since
            it judges each pair by the spread of its own differences, and so agrees with `compare`.
            Tukey's test uses one range for every pair: it separates more if the spreads are alike,
            but one run far from all others widens the range and hides differences between the
            others. It takes about twenty times as long.
        correction: applied to the p of all pairs of runs, so not `none`; not with `tukey`.
        alpha: runs share a letter unless the corrected p of their pair is below it; intervals have
            level 1 - alpha.
        resamples: permutations of Tukey's test; `rank_resamples` are for intervals of ranks.
        most_in_groups: the most runs for which all pairs are tested; with more runs, only the pairs
            with the baseline are.
        most_with_intervals: the most runs for which ranks have intervals, whose table grows with
            the square of the number of runs. None for no limit.
    """

    test: RankTest = "t"
    alpha: float = 0.05
    resamples: int = 5_000
    correction: Correction = "holm"
    rank_resamples: int = 2_000
    seed: int = 1
    most_in_groups: int | None = None
    most_with_intervals: int | None = None

    def __post_init__(self) -> None:
        """Refuse unknown tests and levels."""
        if self.test not in RANK_TESTS:
            raise DataError(
                f"there is no test {self.test!r} of many runs"
                f"{did_you_mean(str(self.test), RANK_TESTS)}; there are {', '.join(RANK_TESTS)}"
            )
        if self.correction not in CORRECTIONS:
            raise DataError(
                f"there is no correction {self.correction!r}"
                f"{did_you_mean(str(self.correction), CORRECTIONS)}; there are "
                f"{', '.join(CORRECTIONS)}"
            )
        if self.correction == "none":
            raise DataError("a leaderboard compares many pairs of runs: choose a correction")
        if self.test == "tukey" and self.correction != "holm":
            raise DataError("Tukey's test has a correction of its own: choose no other")
        check_fraction("alpha", self.alpha)
        check_count("resamples", self.resamples)
        check_count("rank_resamples", self.rank_resamples)


@dataclass(frozen=True)
class RankedRun:
    """A run on the leaderboard of one measure; fields that need ranks are None if there are none.

    Attributes:
        low, high: Student's interval of the value over queries of the same kind; None for one
            query.
        rank: 1 + the number of strictly better runs; equal values share a rank.
        rank_low, rank_high: the bootstrap interval of the rank over queries.
        rank_group: one character per rank group: two runs share a letter exactly if the test does
            not separate them. Empty if the measure has no ranks.
        judged_top_10: the share (0 to 1) of the documents at ranks 1 to 10 that are judged, over
            the judged queries; None if the run retrieved nothing for them.
        difference: the value minus that of the baseline, with Student's interval; None for the
            baseline itself, and if there is no baseline with a value.
        p, p_corrected: the p of the paired t test against the baseline, before and after the
            correction.
    """

    run_id: int
    engine: str
    run: str
    value: float
    low: float | None = None
    high: float | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    rank_group: str = ""
    judged_top_10: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    sign: Sign = ""

    def row(self) -> dict[str, str | int | float | None]:
        """The figures by column, without the id of the run."""
        return {name: getattr(self, name) for name in COLUMNS[1:]}


@dataclass(frozen=True)
class MeasureRanks:
    """The leaderboard of one measure, under its requested name.

    Attributes:
        direction: 1 if higher is better, -1 if lower is, 0 if neither.
        runs: the best first (without ranks, the highest), then by engine and name in natural order.
        not_separated: the number of neighbours (each run and the next one) that the test does not
            separate; None if there are no ranks, or if not all pairs are tested.
        pairs: the number of pairs that the correction covers; 0 if nothing is tested.
        all_pairs: whether these are all pairs of runs, or only those with the baseline.
    """

    measure: str
    canonical: str
    direction: int
    runs: tuple[RankedRun, ...]
    not_separated: int | None
    notes: tuple[str, ...]
    pairs: int = 0
    all_pairs: bool = False


@dataclass(frozen=True)
class LeaderboardRanks:
    """The leaderboards of a collection under one qrels, one per measure, in the requested order.

    All figures are over all `queries` that the qrels judges; `notes` are about all measures.
    """

    collection: str
    qrels: str
    qrels_id: int
    queries: int
    measures: tuple[MeasureRanks, ...]
    settings: RankSettings
    notes: tuple[str, ...]
    baseline: StoredRun | None = None

    @property
    def every_note(self) -> tuple[str, ...]:
        """The notes, including those of the measures."""
        return (*self.notes, *(note for measure in self.measures for note in measure.notes))


def leaderboard_ranks(
    store: Store,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    settings: RankSettings | None = None,
    *,
    baseline: str | None = None,
    no_baseline: bool = False,
) -> LeaderboardRanks:
    """Rank the active runs of a collection on some measures; nothing is written.

    Measures that are not stored are computed; MeasureError for a measure that can't be computed for
    any of the runs. Differences are to the run `baseline` (a name or id), or else to the
    collection's baseline, if any.
    """
    settings = settings or RankSettings()
    loaded = load_collection_values(store, collection, measures, qrels)
    with store.read() as connection:
        if baseline is not None:
            base: StoredRun | None = find_run(connection, baseline, collection)
        elif no_baseline:
            base = None
        else:
            base = active_baseline(connection, find_collection_id(connection, collection))
        ids = [run.id for run in loaded.runs]
        shares = kept_judged_tops(store, connection, loaded.qrels_id, ids)
    judged = {run_id: share for run_id, share in shares.items() if not np.isnan(share)}
    notes = loaded.notes
    if base is not None and base.id not in ids:
        without = f"the baseline {base.name!r} was never evaluated under qrels {loaded.qrels!r}"
        notes = (*notes, without)
        base = None
    return LeaderboardRanks(
        collection=collection,
        qrels=loaded.qrels,
        qrels_id=loaded.qrels_id,
        queries=len(loaded.qids),
        measures=tuple(
            ranks_of(name, values, judged, settings, None if base is None else base.id)
            for name, values in loaded.measures.items()
        ),
        settings=settings,
        notes=notes,
        baseline=base,
    )


def ranks_of(
    name: str,
    values: MeasureValues,
    judged: Mapping[int, float],
    settings: RankSettings,
    baseline: int | None = None,
) -> MeasureRanks:
    """The leaderboard of one measure; `judged` has the judged shares of the top 10, by run id."""
    higher_is_better = values.measure.descriptor.higher_is_better
    direction = {True: 1, False: -1, None: 0}[higher_is_better]
    ids = [run.id for run in values.runs]
    base = ids.index(baseline) if baseline in ids else None
    runs = [
        RankedRun(run.id, run.engine, run.name, value, judged_top_10=judged.get(run.id))
        for run, value in zip(values.runs, values.aggregates.tolist(), strict=True)
    ]
    if base is not None:
        runs = [
            run if column == base else replace(run, difference=run.value - runs[base].value)
            for column, run in enumerate(runs)
        ]
    reason = _reason_for_no_ranks(name, values.measure)
    if reason is not None or not runs or not len(values.values):
        order = np.argsort(-(direction or 1) * values.aggregates, kind="stable").tolist()
        notes = (*((reason,) if reason else ()), *values.notes)
        ordered = tuple(runs[column] for column in order)
        return MeasureRanks(name, str(values.measure), direction, ordered, None, notes)
    table = direction * values.values
    total = in_units(table).sum(axis=0)
    all_pairs = settings.most_in_groups is None or len(runs) <= settings.most_in_groups
    p = _corrected_p(table, settings) if all_pairs else None
    runs, notes = _with_ranks(runs, values, table, total, p, settings)
    pairs = len(runs) * (len(runs) - 1) // 2 if all_pairs else 0
    if base is not None and len(runs) > 1:
        runs = _with_tests(runs, values, base, direction, p, settings)
        pairs = pairs if all_pairs else len(runs) - 1
    order = np.argsort(-total, kind="stable").tolist()
    not_separated = None
    if p is not None:
        not_separated = int(np.count_nonzero(p[order[:-1], order[1:]] >= settings.alpha))
    return MeasureRanks(
        measure=name,
        canonical=str(values.measure),
        direction=direction,
        runs=tuple(runs[column] for column in order),
        not_separated=not_separated,
        notes=(*values.notes, *notes),
        pairs=pairs,
        all_pairs=all_pairs,
    )


def has_ranks(measure: Measure) -> bool:
    """Whether runs have ranks on a measure: it has a direction, and its figure is over queries."""
    return _reason_for_no_ranks("", measure) is None


def _reason_for_no_ranks(name: str, measure: Measure) -> str | None:
    """The reason why runs have no ranks on a measure; None if they have."""
    descriptor = measure.descriptor
    if descriptor.higher_is_better is None:
        return f"{name} has no ranks: neither a high nor a low value is better"
    if descriptor.aggregate not in ("mean", "sum"):
        kind = "computed in its own way" if descriptor.aggregate == "own" else "a geometric mean"
        return f"{name} has no ranks: its figure is {kind}, and the tests are of means over queries"
    return None


def _paired(settings: RankSettings) -> Test:
    """The test of a run against the baseline: Tukey's is of all runs, so there it is the t test."""
    return "t" if settings.test == "tukey" else settings.test


def _corrected_p(table: F64, settings: RankSettings) -> F64:
    """The corrected p of every pair: runs x runs."""
    if settings.test == "tukey":
        return tukey_randomized(table, settings.resamples, settings.seed)
    alone = pairs_tested(table, partial(rows_tested, settings.test)).p
    return p_matrix(CORRECTIONS[settings.correction](alone), table.shape[1])


def _with_ranks(
    runs: Sequence[RankedRun],
    values: MeasureValues,
    table: F64,
    total: F64,
    p: F64 | None,
    settings: RankSettings,
) -> tuple[list[RankedRun], tuple[str, ...]]:
    """The runs with ranks, groups and intervals, and notes on what is not computed.

    `table` has the values, queries x runs, where higher is better, and `total` their sums in units;
    `p` is the corrected p of every pair, None if not all pairs are tested.
    """
    level = 1 - settings.alpha
    ranks = strict_ranks(total)
    groups = rank_groups(total, p, settings.alpha) if p is not None else [""] * len(runs)
    spans: list[tuple[int | None, int | None]] = [(None, None)] * len(runs)
    most, notes = settings.most_with_intervals, tuple[str, ...]()
    if most is None or len(runs) <= most:
        ends = rank_intervals(table, level, settings.rank_resamples, settings.seed)
        spans = list(zip(ends.low.tolist(), ends.high.tolist(), strict=True))
    else:
        notes = (f"ranks have no intervals above {most:,} runs",)
    own = _intervals(values.values, values.measure, level)
    columns = zip(runs, ranks.tolist(), spans, groups, own, strict=True)
    return [
        replace(
            run,
            rank=rank,
            rank_low=rank_low,
            rank_high=rank_high,
            rank_group=group,
            low=low,
            high=high,
        )
        for run, rank, (rank_low, rank_high), group, (low, high) in columns
    ], notes


def _with_tests(
    runs: Sequence[RankedRun],
    values: MeasureValues,
    base: int,
    direction: int,
    p: F64 | None,
    settings: RankSettings,
) -> list[RankedRun]:
    """The runs with intervals and tests of their differences to the run in column `base`.

    `p` is the corrected p of every pair; if None, p is corrected over the pairs with the baseline.
    """
    differences = values.values - values.values[:, [base]]
    alone = rows_tested(_paired(settings), np.ascontiguousarray(differences.T)).p
    if p is None:
        others = np.arange(len(runs)) != base
        corrected = np.ones(len(runs))
        corrected[others] = CORRECTIONS[settings.correction](alone[others])
    else:
        corrected = p[base]
    spans = _intervals(differences, values.measure, 1 - settings.alpha)
    columns = zip(runs, spans, alone.tolist(), corrected.tolist(), strict=True)
    return [
        run
        if column == base
        else replace(
            run,
            difference_low=low,
            difference_high=high,
            p=own,
            p_corrected=of_all,
            sign=_sign(direction * (run.difference or 0.0), own, of_all, settings.alpha),
        )
        for column, (run, (low, high), own, of_all) in enumerate(columns)
    ]


def _sign(towards: float, p: float, p_corrected: float, alpha: float) -> Sign:
    if towards and p_corrected < alpha:
        return "better" if towards > 0 else "worse"
    if towards and p < alpha:
        return "ahead" if towards > 0 else "behind"
    return ""


def _intervals(
    table: F64, measure: Measure, level: float
) -> list[tuple[float, float] | tuple[None, None]]:
    """Student's interval of the aggregate of every column (queries x runs); None for one query."""
    if len(table) < 2:
        return [(None, None)] * table.shape[1]
    factor = len(table) if measure.descriptor.aggregate == "sum" else 1
    # Rows must be contiguous: only then are their means rounded like those of a single run.
    ends = t_intervals_of_rows(np.ascontiguousarray(table.T), level)
    return list(zip((factor * ends.low).tolist(), (factor * ends.high).tolist(), strict=True))


def named_test(settings: RankSettings, pairs: str) -> str:
    """The test and the correction in words; `pairs` says of how many pairs."""
    if settings.test == "tukey":
        return f"the randomised Tukey HSD test of {pairs}"
    name = TEST_NAMES[settings.test]
    return f"the paired {name} with {correction_words(settings.correction)} for {pairs}"


def sentences(ranks: MeasureRanks, settings: RankSettings) -> tuple[str, ...]:
    """Sentences on the letters (the same for all measures with as many runs) and on neighbours."""
    runs = len(ranks.runs)
    if ranks.not_separated is None or runs < 2:
        return ()
    number = runs * (runs - 1) // 2
    pairs = "one pair" if number == 1 else f"all {number:,} pairs"
    test = named_test(settings, pairs)
    verb = "is" if ranks.not_separated == 1 else "are"
    count = (
        f"of {runs - 1:,} pairs of neighbours {ranks.not_separated:,} {verb} not separated"
        if runs > 2
        else f"the two runs are {'not ' * ranks.not_separated}separated"
    )
    return (
        f"runs that share a letter are not separated by {test} (alpha {settings.alpha:g})",
        f"{ranks.measure}: {count}",
    )


def to_dict(ranks: LeaderboardRanks) -> dict[str, object]:
    """The leaderboards for JSON."""
    return {
        "collection": ranks.collection,
        "qrels": ranks.qrels,
        "queries": ranks.queries,
        "test": ranks.settings.test,
        "correction": ranks.settings.correction,
        "alpha": ranks.settings.alpha,
        "baseline": None if ranks.baseline is None else {"run": ranks.baseline.name},
        "notes": list(ranks.notes),
        "measures": [
            {
                "measure": measure.measure,
                "direction": measure.direction,
                "not_separated": measure.not_separated,
                "notes": list(measure.notes),
                "sentences": list(sentences(measure, ranks.settings)),
                "runs": [run.row() for run in measure.runs],
            }
            for measure in ranks.measures
        ],
    }


@dataclass(frozen=True)
class BaselineTests:
    """The paired tests of runs against the baseline, by measure and run id.

    The correction covers all runs and measures; `is_better` says which mean is better.
    """

    name: str
    p_corrected: Mapping[str, Mapping[int, float]]
    is_better: Mapping[str, Mapping[int, bool]]

    @property
    def comparisons(self) -> int:
        """The number of p values that the correction covers."""
        return sum(map(len, self.p_corrected.values()))


def baseline_tests(ranks: LeaderboardRanks, baseline: StoredRun) -> BaselineTests:
    """The tests of all other runs against the baseline; DataError if the baseline has no values."""
    tested: list[tuple[str, RankedRun]] = []
    is_better: dict[str, dict[int, bool]] = {}
    for measure in ranks.measures:
        if baseline.id not in {run.run_id for run in measure.runs}:
            raise DataError(
                f"the baseline {baseline.name!r} has no values of {measure.measure} under qrels "
                f"{ranks.qrels!r}"
            )
        if measure.not_separated is None:
            continue
        by_name = sorted(measure.runs, key=lambda run: (natural(run.engine), natural(run.run)))
        others = [run for run in by_name if run.run_id != baseline.id]
        tested += [(measure.measure, run) for run in others]
        is_better[measure.measure] = {
            run.run_id: measure.direction * (run.difference or 0.0) > 0 for run in others
        }
    corrected: dict[str, dict[int, float]] = {name: {} for name in is_better}
    alone = np.array([run.p for _, run in tested], np.float64)
    p = CORRECTIONS[ranks.settings.correction](alone).tolist()
    for (name, run), value in zip(tested, p, strict=True):
        corrected[name][run.run_id] = value
    return BaselineTests(baseline.name, corrected, is_better)
