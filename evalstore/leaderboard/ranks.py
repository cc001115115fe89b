"""Ranks of runs: rank groups, intervals of ranks and figures, differences to a baseline.

Neighbours on a leaderboard can mostly not be separated. Runs that a corrected test does not
separate share a letter, and the interval of a rank has all ranks that the same tests leave open.
There are two families of claims: letters and ranks are about all pairs of runs on a measure;
better and worse are about the pairs with the baseline on all measures, as in a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import natural, qrels_name
from evalstore.comparison.cached import kept_judged_tops
from evalstore.comparison.choosing.baselines import active_baseline
from evalstore.comparison.claims import TEST_NAMES, correction_words, with_claims
from evalstore.comparison.collection_values import (
    CollectionRun,
    MeasureValues,
    load_collection_values,
)
from evalstore.comparison.comparability import number_of_queries
from evalstore.comparison.significance import (
    CORRECTIONS,
    Compared,
    Correction,
    Pair,
    PairsOverQueries,
    Settings,
    Test,
    Verdict,
    attainable_p,
    figure_over,
    figures_of_pairs,
    resamples_for,
)
from evalstore.errors import DataError, check_known
from evalstore.measures import Measure
from evalstore.stats import (
    max_t,
    p_matrix,
    rank_groups,
    rank_intervals_from_pairs,
    tukey_randomized,
)
from evalstore.stats.inputs import check_count, check_fraction, in_units
from evalstore.stats.intervals import (
    proportion_intervals,
    value_intervals_of_rows,
)
from evalstore.stats.paired import pairs, pairs_tested
from evalstore.stats.ranks import strict_ranks
from evalstore.store import Store
from evalstore.store.queries.runs import StoredRun, find_run

F64 = npt.NDArray[np.float64]
RankTest = Literal["t", "max-t", "wilcoxon", "sign", "randomization", "tukey"]
RANK_TESTS: tuple[RankTest, ...] = get_args(RankTest)
OF_ALL_PAIRS = ("max-t", "tukey")
"""The tests of all pairs of runs at once, which correct themselves."""

Sign = Literal["better", "worse", "ahead", "behind", ""]
"""A difference is better or worse after the correction, or ahead or behind only before it."""

COLUMNS = (
    *("measure", "rank", "rank_low", "rank_high", "rank_group", "engine", "run"),
    *("value", "low", "high", "judged_top_10", "difference", "verdict"),
)
"""The measure, followed by the columns of `RankedRun.row`."""


@dataclass(frozen=True)
class RankSettings:
    """Settings of the tests and intervals of a leaderboard.

    Attributes:
        test: a paired test of each pair of runs, with `correction` for all pairs; or one of all
            pairs at once, with a correction of its own: `max-t`, t corrected by the largest |t| of
            any pair under random signs, and `tukey`, the randomised Tukey HSD. The t test is the
            default since it agrees with `compare`. `max-t` finds more of the true differences the
            more runs there are, since Holm's correction takes the pairs for independent.
            Tukey's test uses one range for every pair: it separates more if the spreads are alike,
            but one run far from all others widens the range and hides differences between the
            others. It takes about twenty times as long.
        correction: applied to the p of all pairs of runs, so not `none`; not with `tukey`.
        alpha: runs share a letter unless the corrected p of their pair is below it; intervals have
            level 1 - alpha.
        resamples: of the tests of all pairs at once.
        most_in_groups: the most runs for which all pairs are tested, and ranks have intervals; with
            more runs, only the pairs with the baseline are. None for no limit.
    """

    test: RankTest = "t"
    alpha: float = 0.05
    resamples: int = 5_000
    correction: Correction = "holm"
    seed: int = 1
    most_in_groups: int | None = None

    def __post_init__(self) -> None:
        """Refuse unknown tests and levels."""
        check_known("test", self.test, RANK_TESTS, " of many runs")
        check_known("correction", self.correction, CORRECTIONS)
        if self.correction == "none":
            raise DataError("a leaderboard compares many pairs of runs: choose a correction")
        if self.test in OF_ALL_PAIRS and self.correction != "holm":
            raise DataError(f"the test {self.test!r} has a correction of its own: choose no other")
        check_fraction("alpha", self.alpha)
        check_count("resamples", self.resamples)


@dataclass(frozen=True)
class RankedRun:
    """A run on the leaderboard of one measure; fields that need ranks are None if there are none.

    Attributes:
        low, high: the interval of the value over queries of the same kind: Clopper and Pearson's
            of values of 0 and 1, else `value_interval`; None for one query.
        rank: 1 + the number of strictly better runs; equal values share a rank.
        rank_low, rank_high: the ranks that the tests of all pairs leave open; they hold for all
            runs at once.
        rank_group: one character per rank group: two runs share a letter exactly if the test does
            not separate them. Empty if the measure has no ranks.
        judged_top_10: the share (0 to 1) of the documents at ranks 1 to 10 that are judged, over
            the judged queries; None if the run retrieved nothing for them.
        difference: the value minus that of the baseline, with Student's interval; None for the
            baseline itself, and if there is no baseline with a value.
        p, p_corrected: the p of the paired test against the baseline, before and after the
            correction over the pairs with the baseline on all measures.
        verdict: of the difference to the baseline, as in a comparison; None for the baseline.
        sign: the same, or ahead and behind for what only the test before the correction shows.
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
    verdict: Verdict | None = None
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
        pairs: the number of pairs that letters and ranks are based on; 0 if not all are tested.
        family: the correction of the tests against the baseline, in words; empty without any.
    """

    measure: str
    canonical: str
    direction: int
    runs: tuple[RankedRun, ...]
    not_separated: int | None
    notes: tuple[str, ...]
    pairs: int = 0
    family: str = ""

    @property
    def pairs_with_baseline(self) -> int:
        """The number of runs that are tested against the baseline."""
        return sum(run.p_corrected is not None for run in self.runs)


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
        measures=ranks_of(loaded.measures, judged, settings, None if base is None else base.id),
        settings=settings,
        notes=notes,
        baseline=base,
    )


def ranks_of(
    measures: Mapping[str, MeasureValues],
    judged: Mapping[int, float],
    settings: RankSettings,
    baseline: int | None = None,
) -> tuple[MeasureRanks, ...]:
    """The leaderboards of measures by their names.

    `judged` has the judged shares of the top 10 by run id; `baseline` is the id of a run.
    """
    tables = {
        name: _ranks_of_measure(name, values, judged, settings, baseline)
        for name, values in measures.items()
    }
    return tuple(_with_verdicts(list(tables.values()), measures, settings, baseline))


def _ranks_of_measure(
    name: str,
    values: MeasureValues,
    judged: Mapping[int, float],
    settings: RankSettings,
    baseline: int | None,
) -> MeasureRanks:
    """The leaderboard of one measure, before the tests against the baseline."""
    direction = {True: 1, False: -1, None: 0}[values.measure.descriptor.higher_is_better]
    value_of = dict(zip((run.id for run in values.runs), values.aggregates.tolist(), strict=True))
    base = value_of.get(baseline) if baseline is not None else None
    runs = [
        RankedRun(
            run.id,
            run.engine,
            run.name,
            value_of[run.id],
            judged_top_10=judged.get(run.id),
            difference=None if base is None or run.id == baseline else value_of[run.id] - base,
        )
        for run in values.runs
    ]
    reason = _reason_for_no_ranks(name, values.measure)
    if reason is not None or not runs or not len(values.values):
        order = np.argsort(-(direction or 1) * values.aggregates, kind="stable").tolist()
        notes = (*((reason,) if reason else ()), *values.notes)
        ordered = tuple(runs[column] for column in order)
        return MeasureRanks(name, str(values.measure), direction, ordered, None, notes)
    table = direction * values.values
    total = in_units(table).sum(axis=0)
    most = len(runs) if settings.most_in_groups is None else settings.most_in_groups
    p = _corrected_p(table, settings) if len(runs) <= most else None
    order = np.argsort(-total, kind="stable").tolist()
    not_separated = None
    notes = values.notes
    if p is None:
        notes = (*notes, f"ranks have no intervals above {most:,} runs")
    else:
        not_separated = int(np.count_nonzero(p[order[:-1], order[1:]] >= settings.alpha))
    ranked = _with_ranks(runs, values, total, p, settings)
    return MeasureRanks(
        measure=name,
        canonical=str(values.measure),
        direction=direction,
        runs=tuple(ranked[column] for column in order),
        not_separated=not_separated,
        notes=notes,
        pairs=0 if p is None else len(runs) * (len(runs) - 1) // 2,
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


def paired_test(settings: RankSettings) -> Test:
    """The test of a run against the baseline: the t test if that of all pairs corrects itself."""
    return "t" if settings.test == "max-t" or settings.test == "tukey" else settings.test  # noqa: PLR1714  (mypy narrows only so)


def _corrected_p(table: F64, settings: RankSettings) -> F64:
    """The corrected p of every pair: runs x runs; not below what so few queries could show."""
    if settings.test == "tukey":
        return tukey_randomized(table, settings.resamples, settings.seed)
    if settings.test == "max-t":
        a, b = pairs(table.shape[1])
        rows = np.ascontiguousarray((table[:, b] - table[:, a]).T)
        return p_matrix(max_t(rows, settings.resamples, settings.seed), table.shape[1])
    alone = pairs_tested(table, partial(attainable_p, settings.test)).p
    return p_matrix(CORRECTIONS[settings.correction](alone), table.shape[1])


def _with_ranks(
    runs: Sequence[RankedRun],
    values: MeasureValues,
    total: F64,
    p: F64 | None,
    settings: RankSettings,
) -> list[RankedRun]:
    """The runs with ranks, and if all pairs are tested with groups and the intervals of ranks.

    `total` are the sums of their values in units where higher is better, and `p` the corrected p of
    every pair; None if not all pairs are tested.
    """
    ranks = strict_ranks(total).tolist()
    groups, spans = [""] * len(runs), [(None, None)] * len(runs)
    if p is not None:
        groups = list(rank_groups(total, p, settings.alpha))
        ends = rank_intervals_from_pairs(total, p, settings.alpha)
        spans = list(zip(ends.low.tolist(), ends.high.tolist(), strict=True))
    own = _intervals(values.values, values.measure, 1 - settings.alpha)
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
        for run, rank, (rank_low, rank_high), group, (low, high) in zip(
            runs, ranks, spans, groups, own, strict=True
        )
    ]


def _with_verdicts(
    tables: Sequence[MeasureRanks],
    measures: Mapping[str, MeasureValues],
    settings: RankSettings,
    baseline: int | None,
) -> list[MeasureRanks]:
    """The leaderboards with the claims on the baseline and each other run, as a comparison's."""
    test = paired_test(settings)
    paired = Settings(test, settings.correction, settings.alpha, tests=(test,))
    parts: list[tuple[list[int], PairsOverQueries]] = []
    for table in tables:
        values = measures[table.measure]
        ids = [run.id for run in values.runs]
        if table.runs and table.runs[0].rank is not None and baseline in ids and len(ids) > 1:
            base = ids.index(baseline)
            chosen = [(base, column) for column in range(len(ids)) if column != base]
            rows = np.ascontiguousarray(values.values.T)
            names = tuple(run.name for run in values.runs)
            part = PairsOverQueries(
                names, rows, None, chosen, table.measure, values.measure, paired
            )
            parts.append(([ids[column] for _, column in chosen], part))
    if not parts:
        return list(tables)
    resamples = resamples_for(paired, sum(len(of) for of, _ in parts))
    paired = replace(paired, resamples=resamples)
    keys = [(part.name, id_) for of, part in parts for id_ in of]
    found = [pair for _, part in parts for pair in figures_of_pairs(replace(part, settings=paired))]
    unit = "pair" if len(tables) == 1 else "comparison"
    claims = with_claims(found, paired, [pair.queries for pair in found], unit)
    claim_of = dict(zip(keys, claims, strict=True))
    tested = {part.name for _, part in parts}
    return [
        replace(
            table,
            runs=tuple(
                _with_claim(run, claim_of.get((table.measure, run.run_id)), paired)
                for run in table.runs
            ),
            family=claims[0].family if table.measure in tested else "",
        )
        for table in tables
    ]


def _with_claim(run: RankedRun, claim: Pair | None, settings: Settings) -> RankedRun:
    """A run with the claim on the baseline and it, if there is one."""
    if claim is None:
        return run
    test = settings.test
    sign: Sign = ""
    if claim.verdict == "better" or claim.verdict == "worse":  # noqa: PLR1714  (mypy narrows only so)
        sign = claim.verdict
    elif claim.p[test] < settings.alpha and claim.test_points_to * claim.difference > 0:
        sign = "ahead" if claim.difference * claim.direction > 0 else "behind"
    low, high = (end if math.isfinite(end) else None for end in claim.interval)
    return replace(
        run,
        difference_low=low,
        difference_high=high,
        p=claim.p[test],
        p_corrected=claim.p_corrected[test],
        verdict=claim.verdict,
        sign=sign,
    )


def _intervals(
    table: F64, measure: Measure, level: float
) -> list[tuple[float, float] | tuple[None, None]]:
    """The interval of the figure of every run (queries x runs); None for one query."""
    if len(table) < 2:
        return [(None, None)] * table.shape[1]
    lowest, highest = measure.descriptor.bounds
    if (lowest, highest) == (0.0, 1.0) and np.isin(table, (0.0, 1.0)).all():
        ends = proportion_intervals(table.sum(axis=0).astype(np.int64), len(table), level)
        return list(zip(ends.low.tolist(), ends.high.tolist(), strict=True))
    factor = len(table) if measure.descriptor.aggregate == "sum" else 1
    # Imported values may lie outside what the measure can be. Rows must be contiguous: only then
    # are their means rounded like those of a single run.
    bounds = min(lowest, float(table.min())), max(highest, float(table.max()))
    ends = value_intervals_of_rows(np.ascontiguousarray(table.T), level, bounds)
    return [
        (factor * low, factor * high) if np.isfinite([low, high]).all() else (None, None)
        for low, high in zip(ends.low.tolist(), ends.high.tolist(), strict=True)
    ]


def named_test(settings: RankSettings, pairs: str) -> str:
    """The test and the correction in words; `pairs` says of how many pairs."""
    if settings.test == "tukey":
        return f"the randomised Tukey HSD test of {pairs}"
    if settings.test == "max-t":
        return f"the paired t test corrected by the largest t of {pairs}"
    name = TEST_NAMES[settings.test]
    return f"the paired {name} with {correction_words(settings.correction)} for {pairs}"


def summary(ranks: LeaderboardRanks) -> str:
    """A sentence on the first measure: the judgments, the best runs, and what separates them."""
    baseline = None if ranks.baseline is None else ranks.baseline.name
    over = f"over {number_of_queries(ranks.queries)} of the judgments {ranks.qrels}"
    return headline(ranks.measures[0], baseline, f" {over}") or over


def summary_of_comparison(compared: Compared) -> str:
    """The `summary` of three or more compared runs, with the verdicts of the comparison.

    Empty for fewer, without a correction, and if the runs can't be ranked or a value is undefined.
    """
    name, table = next(iter(compared.values.items()), ("", np.empty((0, 0))))
    settings, runs = compared.settings, compared.runs
    if len(runs) < 3 or settings.correction == "none" or np.isnan(table).any():
        return ""
    order = sorted(range(len(runs)), key=lambda number: natural(runs[number].name))
    measure, table = compared.measures[name], np.ascontiguousarray(table[:, order])
    figures = np.array([figure_over(measure, column) for column in table.T])
    ordered = tuple(CollectionRun(number, 0, "", runs[number].name) for number in order)
    values = MeasureValues(measure, ordered, table, figures, ())
    rules = RankSettings(settings.test, settings.alpha, correction=settings.correction)
    ranks = _ranks_of_measure(name, values, {}, rules, compared.baseline)
    baseline = None if compared.baseline is None else runs[compared.baseline].name
    claims = {pair.b: pair for pair in compared.pairs if (pair.a, pair.measure) == (baseline, name)}
    claimed = tuple(_with_claim(run, claims.get(run.run), settings) for run in ranks.runs)
    qrels = runs[0].qrels if runs[0].collection else qrels_name(runs[0].qrels)
    over = compared.restriction or number_of_queries(len(compared.qids))
    over = f" over {over} of the judgments {qrels}"
    return headline(replace(ranks, runs=claimed), baseline, over, len(compared.measures))


def headline(measure: MeasureRanks, baseline: str | None, over: str = "", measures: int = 1) -> str:
    """The answer of a leaderboard: which run leads, and whether that is shown; empty without ranks.

    A run is shown to be best if the tests of all pairs show a better one than each other run; else
    those that no run is shown to be better than share the lead. `over` follows the name of the
    measure; `measures` is the number of those whose tests are corrected together.
    """
    best = [run for run in measure.runs if run.rank == 1]
    if not best:
        return ""
    first = best[0]
    if measure.not_separated is None:
        return f"{_named(best)} on {measure.measure}{over}"
    sharing = sharing_lead(measure)
    joined = [run.run for run in measure.runs if set(run.rank_group) & set(first.rank_group)]
    if len(sharing) == 1:
        others = len(measure.runs) - 1
        apart = "the other run" if others == 1 else f"all {others:,} others"
        apart = f"separated from {apart}" if others else "the only run"
        if len(joined) > 1:
            apart = f"the only one of {others + 1:,} runs that none is shown to be better than"
        claim = f"{_named(best)} on {measure.measure}{over}, {apart}"
    else:
        names = [f"{first.run} ({first.value:,.4f})", *(run.run for run in sharing[1:MOST])]
        last = f"{len(sharing) - MOST:,} more" if len(sharing) > MOST else names.pop()
        claim = (
            f"no run is shown to be best on {measure.measure}{over}: {', '.join(names)} and {last} "
            "share the lead"
        )
    if baseline is None or first.difference is None or not first.verdict:
        return claim
    whose = "" if len(sharing) == 1 else f"{first.run} "
    shown = what_is_shown(first.verdict)
    if len(measure.runs) > 2:  # the tests of fewer runs may show more
        shown += f" among {len(measure.runs):,} runs"
        shown += f" and {measures:,} measures" if measures > 1 else ""
    if first.verdict in ("better", "worse") and baseline in joined:
        shown += f" if only the pairs with {baseline} are tested"
    return f"{claim}; {whose}against {baseline}: {first.difference:+,.4f}, {shown}"


def what_is_shown(verdict: Verdict) -> str:
    """The verdict for a headline: "shown to be better", or "not shown to differ"."""
    return "not shown to differ" if verdict in ("undecided", "none") else f"shown to be {verdict}"


def sharing_lead(measure: MeasureRanks) -> tuple[RankedRun, ...]:
    """The runs that no other is shown to be better than; empty unless all pairs are tested.

    The tests of all pairs hold together, so a run that any other is better than is not the best,
    also if the test does not separate it from the run with the highest value.
    """
    return tuple(run for run in measure.runs if run.rank_low == 1)


MOST = 3
"""The runs that a headline names of those that share the lead."""


def _named(best: Sequence[RankedRun]) -> str:
    """The best runs and their value, in words: "bm25 leads with 0.3917"."""
    names = " and ".join(run.run for run in best[:2])
    more = f" and {len(best) - 2:,} more" if len(best) > 2 else ""
    return f"{names}{more} {'lead' if len(best) > 1 else 'leads'} with {best[0].value:,.4f}"


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
        "summary": summary(ranks) if ranks.measures else "",
        "measures": [
            {
                "measure": measure.measure,
                "direction": measure.direction,
                "not_separated": measure.not_separated,
                "family": measure.family,
                "notes": list(measure.notes),
                "sentences": list(sentences(measure, ranks.settings)),
                "runs": [run.row() for run in measure.runs],
            }
            for measure in ranks.measures
        ],
    }
