"""Measure how often the verdicts are wrong, on values drawn from real distributions.

    python benchmarks/claims.py [--replications 400] [--seed 1] [--only gates]

Prints a Markdown table for each property: shares in %, with their Monte Carlo errors, one column a
number of queries. Cells that miss what is asked are bold, and listed at the end. Asked is: false
claims at most 5 %, coverage 93 to 97 % from 10 queries on (intervals that hold for many runs at
once, and exact ones, may cover more), each within two standard errors; no interval outside the
range of its measure; the true difference always within the bounds.

The values come from `real_values.py`: counts of those of real runs, correlated over queries as the
real ones are. Runs drawn alike are exchangeable: every claim about them is false. A run of strength
w has, with the chance w, the better of two values, and with a negative w the worse of them; so its
true mean follows from the counts. "Near copies" have the value of one common run on nine queries of
ten. No collection has response times: the values of AP stand for them, as milliseconds.

`evalstore.compare` begins with rankings. Values are given to what it calls after the measures are
computed, `compare_loaded`, since no rankings have just these values, and those of so many runs
would take hours; only the bounds are computed by `evalstore.compare` itself. The leaderboard is
`ranks_of`, slices are `split_by`, gates are `check_loaded`, histories are `marked_runs`.
"""

# ruff: noqa: T201  (a program that prints its tables)

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import scipy.stats
from real_values import F64, MEASURES, POPULATIONS, Random, judged_rankings

import evalstore
from evalstore.comparison.collection_values import CollectionRun, MeasureValues
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.compare import compare_loaded, split_by
from evalstore.comparison.gate.check import check_loaded
from evalstore.comparison.gate.rules import parse_rule
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Compared, Settings
from evalstore.formats.queries import Queries
from evalstore.leaderboard.ranks import MeasureRanks, RankSettings, RankTest, ranks_of
from evalstore.measures import named_measures, parse
from evalstore.stats import Interval, holm, max_t, pairs
from evalstore.store.queries.tracking import RunInTime
from evalstore.tracking.history import HistoryRun, marked_runs

QUERIES = (2, 3, 5, 10, 25, 50, 200)
SLICES = ((30, 2), (20, 3), (12, 5), (6, 10))
"""Numbers of slices, and of queries in each."""

ALPHA = 0.05
COPIED = 0.9  # of the values of near copies
SETTINGS = Settings(tests=("t",))
OF_AGGREGATES = Settings(tests=("t",), resamples=10_000)  # 1,000 draws, for speed


# Runs


def loaded(values: F64, measure: str, slices: int = 1) -> LoadedRuns:
    """Runs with these values (queries x runs); each query has the attribute `slice`."""
    qids = tuple(f"q{number:04}" for number in range(len(values)))
    runs = tuple(
        RunValues(
            name=f"run{number}",
            collection="c",
            qrels="q",
            qrels_hash="0",
            compat="exact",
            depth=1000,
            judged_in_top=1.0,
            qids=qids,
            answered=np.ones(len(qids), bool),
            values={measure: column},
        )
        for number, column in enumerate(values.T)
    )
    of_slice = {qid: {"slice": f"s{number % slices}"} for number, qid in enumerate(qids)}
    return LoadedRuns(runs, Queries(dict.fromkeys(qids, ""), of_slice))


def compared(values: F64, measure: str, settings: Settings = SETTINGS) -> Compared:
    """All pairs of runs with these values, compared on one measure."""
    return compare_loaded(loaded(values, measure), named_measures([measure]), settings)


def ranked(values: F64, measure: str, test: RankTest = "t") -> MeasureRanks:
    """The leaderboard of runs with these values."""
    runs = tuple(CollectionRun(n, n, "engine", f"run{n}") for n in range(values.shape[1]))
    of = MeasureValues(parse(measure), runs, values, values.mean(axis=0), ())
    [table] = ranks_of({measure: of}, {}, RankSettings(test))
    return table


# Shares of replications, and what is asked of them


class Asked(NamedTuple):
    """The least and the greatest share that is allowed, from some number of queries on."""

    least: float
    greatest: float
    queries: int = 0


FALSE = Asked(0.0, ALPHA)
COVERED = Asked(0.93, 0.97, 10)
ALL_COVERED = Asked(0.95, 1.0, 10)
ALWAYS, NEVER = Asked(1.0, 1.0), Asked(0.0, 0.0)


class Share(NamedTuple):
    """The mean of some replications, each 0, 1, or a share, and its standard error."""

    share: float
    error: float
    of: int

    @classmethod
    def over(cls, happened: Sequence[float]) -> Share:
        """The error is above 0 also if something happened never or always."""
        spread = float(np.std(happened)) / math.sqrt(len(happened))
        return cls(float(np.mean(happened)), spread or 1 / (len(happened) + 2), len(happened))

    def meets(self, asked: Asked) -> bool:
        """Whether the share is within what is asked, or two standard errors (of that) off."""
        low, high = (
            2 * math.sqrt(end * (1 - end) / self.of) for end in (asked.least, asked.greatest)
        )
        return asked.least - low - 1e-9 <= self.share <= asked.greatest + high + 1e-9

    def __str__(self) -> str:
        """In %."""
        return f"{100 * self.share:.1f} ± {100 * self.error:.1f}"


@dataclass(frozen=True)
class Row:
    """A row of a table: its name, how often each cell is drawn, and one replication of a cell.

    `draw` gets the random numbers and a column, and tells whether it happened, or a share of it.
    `cost` is how many replications one of this row counts for; the columns of a table are those
    of its first row.
    """

    name: str
    draw: Callable[[Random, int], float]
    asked: Asked | None = None
    cost: float = 1
    columns: Sequence[int] | None = None

    def share(self, column: int, replications: int, seed: int) -> Share:
        """The share of one cell.

        The random numbers depend on the seed, the column and the name up to a colon: rows that
        differ in what follows it are about the same values.
        """
        scenario = self.name.partition(":")[0]
        random = np.random.default_rng([seed, zlib.crc32(scenario.encode()), column])
        times = max(20, int(replications / self.cost))
        return Share.over([float(self.draw(random, column)) for _ in range(times)])


# False verdicts and letters of runs that are alike


def claims(of: Compared) -> bool:
    """Whether any verdict calls a run better or worse."""
    return any(pair.verdict in ("better", "worse") for pair in of.pairs)


def alike(
    measure: str, runs: int, copied: float = 0.0, claims: Callable[[Compared], bool] = claims
) -> Callable[[Random, int], float]:
    """Whether any verdict of all pairs is better or worse, for runs that are exchangeable."""

    def draw(random: Random, queries: int) -> float:
        values = POPULATIONS[measure].draw(random, queries, [0.0] * runs, copied)
        return claims(compared(values, measure))

    return draw


def verdicts() -> Iterator[Row]:
    """False verdicts, of all pairs."""
    for runs, cost in ((2, 0.25), (5, 1), (20, 4)):
        for measure in MEASURES:
            yield Row(f"{measure}, {runs} runs", alike(measure, runs), FALSE, cost)
    for measure in ("AP", "P@10"):
        yield Row(f"{measure}, 5 near copies", alike(measure, 5, COPIED), FALSE, 2)
    yield Row("median of 2 runs", _aggregate_claims("ResponseTime(percentile=50)"), FALSE, 4)
    yield Row("GMAP of 2 runs", _aggregate_claims("GMAP"), FALSE, 4)


def _aggregate_claims(measure: str) -> Callable[[Random, int], float]:
    def draw(random: Random, queries: int) -> float:
        values = POPULATIONS["AP"].draw(random, queries, [0.0, 0.0])
        return claims(compared(values, measure, OF_AGGREGATES))

    return draw


def slices() -> Iterator[Row]:
    """False verdicts in slices of few queries; a column is a number of queries in each slice."""
    number_of = {queries: number for number, queries in SLICES}

    def of(measure: str, runs: int) -> Callable[[Random, int], float]:
        def draw(random: Random, queries: int) -> float:
            number = number_of[queries]
            values = POPULATIONS[measure].draw(random, number * queries, [0.0] * runs)
            given = loaded(values, measure, number)
            whole = compare_loaded(given, named_measures([measure]), SETTINGS)
            return any(
                pair.verdict in ("better", "worse")
                for part in split_by(whole, "slice").slices
                for pair in part.pairs
            )

        return draw

    columns = [queries for _, queries in SLICES]
    for measure in MEASURES:
        yield Row(f"{measure}, 2 runs", of(measure, 2), FALSE, 1, columns)


def letters() -> Iterator[Row]:
    """Two runs of the leaderboard without a letter in common, though they are alike."""

    def of(measure: str, runs: int, test: RankTest = "t") -> Callable[[Random, int], float]:
        def draw(random: Random, queries: int) -> float:
            values = POPULATIONS[measure].draw(random, queries, [0.0] * runs)
            groups = {frozenset(run.rank_group) for run in ranked(values, measure, test).runs}
            return any(not one & other for one, other in combinations(groups, 2))

        return draw

    for runs, cost in ((5, 1), (20, 1), (100, 4)):
        for measure in MEASURES:
            yield Row(f"{measure}, {runs} runs", of(measure, runs), FALSE, cost)
    for measure in ("AP", "P@10"):
        yield Row(f"{measure}, 20 runs, by max-t", of(measure, 20, "max-t"), FALSE, 4)


def _rows(values: F64) -> F64:
    """The differences of all pairs: pairs x queries."""
    a, b = pairs(values.shape[1])
    return np.ascontiguousarray((values[:, b] - values[:, a]).T)


# Coverage


def coverage() -> Iterator[Row]:
    """Intervals of differences and means that hold the truth."""
    for measure in MEASURES:
        stronger = POPULATIONS[measure].strength(0.05)
        yield Row(f"difference, {measure}, alike", _difference(measure, 0.0), COVERED)
        yield Row(f"difference, {measure}, +0.05", _difference(measure, stronger), COVERED)
    yield Row("difference, AP, near copies", _difference("AP", 0.0, COPIED), COVERED)
    yield Row("difference of medians, +0.05", _aggregate("ResponseTime(percentile=50)"), COVERED)
    yield Row("difference of GMAP, +0.05", _aggregate("GMAP"), COVERED)
    for measure in MEASURES:
        asked = Asked(0.93, 1.0, 10) if measure == "Success@1" else COVERED
        yield Row(f"one run's mean, {measure}", _mean(measure), asked, 0.5)


def _holds(interval: Interval, truth: float, bounds: tuple[float, float]) -> bool:
    """Whether an interval holds the truth; RuntimeError if it leaves what the measure can be."""
    low, high = interval
    if not bounds[0] - 1e-9 <= low <= high <= bounds[1] + 1e-9:
        raise RuntimeError(f"the interval {low} to {high} is outside {bounds}")
    return low - 1e-9 <= truth <= high + 1e-9


def _difference(
    measure: str, stronger: float, copied: float = 0.0
) -> Callable[[Random, int], float]:
    of = POPULATIONS[measure]
    truth = of.mean(stronger) - of.mean(0)

    def draw(random: Random, queries: int) -> float:
        [pair] = compared(of.draw(random, queries, [0.0, stronger], copied), measure).pairs
        return _holds(pair.interval, truth, (-1, 1))

    return draw


def _aggregate(measure: str) -> Callable[[Random, int], float]:
    of = POPULATIONS["AP"]
    stronger = of.strength(0.05)
    figure = of.geometric_mean if measure == "GMAP" else of.median
    truth = figure(stronger) - figure(0)
    bounds = (-1.0, 1.0) if measure == "GMAP" else (-math.inf, math.inf)

    def draw(random: Random, queries: int) -> float:
        values = of.draw(random, queries, [0.0, stronger])
        [pair] = compared(values, measure, OF_AGGREGATES).pairs
        return _holds(pair.interval, truth, bounds)

    return draw


def _mean(measure: str) -> Callable[[Random, int], float]:
    of = POPULATIONS[measure]
    truth = of.mean(0)

    def draw(random: Random, queries: int) -> float:
        [run] = ranked(of.draw(random, queries, [0.0]), measure).runs
        ends = Interval(-1.0 if run.low is None else run.low, 2.0 if run.high is None else run.high)
        return _holds(ends, truth, (0, 1))

    return draw


def ranks() -> Iterator[Row]:
    """Intervals of ranks that hold the true ranks."""

    def of(measure: str, strengths: Sequence[float], most: int) -> Callable[[Random, int], float]:
        means = np.array([POPULATIONS[measure].mean(strength) for strength in strengths])
        better, worse = ((sign * means > sign * means[:, None]).sum(axis=1) for sign in (1, -1))

        def draw(random: Random, queries: int) -> float:
            values = POPULATIONS[measure].draw(random, queries, strengths)
            return all(
                run.rank_low is not None
                and run.rank_high is not None
                and run.rank_low <= 1 + better[run.run_id]
                and run.rank_high >= len(means) - worse[run.run_id]
                for run in ranked(values, measure).runs[:most]
            )

        return draw

    spread = np.linspace(-0.9, 0.9, 20).tolist()
    for measure in MEASURES:
        yield Row(f"{measure}, all of 20 unlike runs", of(measure, spread, 20), ALL_COVERED)
        yield Row(f"{measure}, leader of 20 alike", of(measure, [0.0] * 20, 1), ALL_COVERED)


# Power


def power() -> Iterator[Row]:
    """True differences of 0.05 AP that are shown, by verdicts, Holm-t and max-t."""
    stronger = POPULATIONS["AP"].strength(0.05)

    def of(runs: int, shown: Callable[[F64], F64]) -> Callable[[Random, int], float]:
        strengths = [0.0] * (runs - runs // 2) + [stronger] * (runs // 2)
        a, b = pairs(runs)
        differ = np.array(strengths)[a] != np.array(strengths)[b]

        def draw(random: Random, queries: int) -> float:
            values = POPULATIONS["AP"].draw(random, queries, strengths)
            return float(shown(values)[differ].mean())

        return draw

    def by_verdict(values: F64) -> F64:
        return np.array([pair.verdict == "better" for pair in compared(values, "AP").pairs], float)

    def by_holm(values: F64) -> F64:
        rows = _rows(values)
        p = np.nan_to_num(scipy.stats.ttest_1samp(rows, 0, axis=1).pvalue, nan=1.0)  # all 0
        return np.asarray((holm(p) < ALPHA) & (rows.mean(axis=1) > 0), float)

    def by_max_t(values: F64) -> F64:
        rows = _rows(values)
        return np.asarray((max_t(rows, 2_000) < ALPHA) & (rows.mean(axis=1) > 0), float)

    for runs, cost in ((2, 1), (5, 2), (20, 10)):
        yield Row(f"{runs} runs: verdicts", of(runs, by_verdict), None, cost)
        yield Row(f"{runs} runs: Holm-t", of(runs, by_holm), None, cost)
        yield Row(f"{runs} runs: max-t", of(runs, by_max_t), None, cost)


# Gates


def gates() -> Iterator[Row]:
    """Gates on AP at a true loss, with a margin of 0.02: how often they pass and fail."""

    def of(rule: str, loss: float, fails: bool | None) -> Callable[[Random, int], float]:
        parsed = parse_rule(rule)
        strength = POPULATIONS["AP"].strength(-loss) if loss else 0.0

        def draw(random: Random, queries: int) -> float:
            values = POPULATIONS["AP"].draw(random, queries, [0.0, strength])
            [result] = check_loaded(loaded(values, "AP"), [parsed], SETTINGS).results
            return result.fails is fails

        return draw

    rule, same, old = "AP not worse by 0.02", "AP same within 0.02", "AP drop > 0 and p < 0.05"
    for loss, passes, fails in (
        *((0.0, None, FALSE), (0.01, None, FALSE)),
        *((0.02, FALSE, FALSE), (0.04, FALSE, None)),
    ):
        name = f"not worse by 0.02, loss {loss:g}"
        yield Row(f"{name}: passes", of(rule, loss, False), passes, 1, QUERIES[3:])
        yield Row(f"{name}: fails", of(rule, loss, True), fails)
    for loss, passes, fails in ((0.0, None, FALSE), (0.02, FALSE, FALSE)):
        yield Row(f"same within 0.02, loss {loss:g}: passes", of(same, loss, False), passes)
        yield Row(f"same within 0.02, loss {loss:g}: fails", of(same, loss, True), fails)
    yield Row("drop > 0 and p < 0.05, loss 0: fails", of(old, 0.0, True), FALSE)
    yield Row("drop > 0 and p < 0.05, loss 0.02: passes", of(old, 0.02, False))


# Histories

LOOKS = 100
START = datetime(2026, 1, 1, tzinfo=UTC)


def marked(values: F64) -> list[HistoryRun]:
    """The versions of an engine with these values (queries x versions), with their marks."""
    versions = np.ascontiguousarray(values.T)
    runs = [RunInTime("c", n, f"v{n}", START + timedelta(days=n)) for n in range(len(versions))]
    return marked_runs(runs, versions.mean(axis=1).tolist(), versions, parse("AP"), SETTINGS)


def history() -> Iterator[Row]:
    """Marks of histories of AP over 100 looks, 20 for the slow drift."""
    of = POPULATIONS["AP"]
    shown = ("better", "worse")

    def constant(copied: float) -> Callable[[Random, int], float]:
        def draw(random: Random, queries: int) -> float:
            values = of.draw(random, queries, [0.0] * LOOKS, copied)
            return any(run.mark in shown for run in marked(values))

        return draw

    def steps(random: Random, queries: int) -> float:
        """The share of false marks, of all, if seven of the versions change the engine."""
        changed = np.isin(np.arange(LOOKS), random.choice(np.arange(1, LOOKS), 7, replace=False))
        strengths = random.uniform(-0.9, 0.9, LOOKS)[np.maximum.accumulate(changed * range(LOOKS))]
        runs = marked(of.draw(random, queries, strengths))
        at = {run.run: strength for run, strength in zip(runs, strengths, strict=True)}
        gains = [
            (at[run.run] - at[other]) * (1 if change == "better" else -1)
            for before, run in pairwise(runs)
            for other, change in (
                (before.run, run.change),
                (run.reference or "", run.reference_change),
            )
            if change in shown
        ]
        return float(np.mean(np.array(gains) <= 0)) if gains else 0.0

    def drift(random: Random, queries: int) -> float:
        strengths = np.linspace(of.strength(0.05), of.strength(-0.05), 21)
        return any(run.mark == "worse" for run in marked(of.draw(random, queries, strengths)))

    def taken_back(random: Random, queries: int) -> float:
        values = of.draw(random, queries, random.uniform(-0.9, 0.9, LOOKS))
        first = int(random.integers(2, LOOKS))
        return marked(values[:, :first]) != marked(values)[:first]

    yield Row("constant engine, a mark", constant(0.0), FALSE, 1, QUERIES[3:])
    yield Row("constant engine of near copies, a mark", constant(COPIED), FALSE)
    yield Row("seven true changes, share of false marks", steps, FALSE, 2)
    yield Row("slow drift from +0.05 to -0.05 found", drift, None, 4)
    yield Row("a mark taken back", taken_back, NEVER, 1.6)


# Bounds under masked judgments

BOUNDED = ("P@10", "Success@1", "nDCG@10", "RR", "R@10", "RBP(p=0.8)")


def inside(measure: str, queries: int, random: Random, *, seen: bool) -> bool:
    """Whether the true difference is within the bounds after judgments were taken away.

    If `seen`, only of documents that a run retrieves in the depth of the measure; else of any.
    """
    depth = 10 if seen else 20
    qrels, runs = judged_rankings(random, queries, depth)
    share = random.uniform(0.1, 0.9)
    retrieved = {qid: set(runs["a"][qid]) | set(runs["b"][qid]) for qid in qrels}
    masked = {
        qid: {
            document: grade
            for document, grade in grades.items()
            if document == f"d{depth + 19}"
            or (seen and document not in retrieved[qid])
            or random.random() >= share
        }
        for qid, grades in qrels.items()
    }
    [whole] = evalstore.compare(qrels, runs, measure, resamples=1).compared.pairs
    [part] = evalstore.compare(masked, runs, measure, resamples=1).compared.pairs
    if part.bounds is None:
        raise RuntimeError(f"{measure} has no bounds")
    return part.bounds.low - 1e-9 <= whole.difference <= part.bounds.high + 1e-9


def bounds() -> Iterator[Row]:
    """True differences within the bounds from masked judgments of retrieved documents."""

    def of(measure: str, *, seen: bool) -> Callable[[Random, int], float]:
        return lambda random, queries: inside(measure, queries, random, seen=seen)

    for measure in BOUNDED:
        yield Row(f"{measure}", of(measure, seen=True), ALWAYS, 2, (2, 10))
    for measure in ("nDCG@10", "R@10"):
        name = f"{measure}, documents that no run retrieves masked too"
        yield Row(name, of(measure, seen=False), None, 2, (2, 10))


# Tables

TABLES: Mapping[str, Callable[[], Iterator[Row]]] = {
    of.__name__: of
    for of in (verdicts, slices, letters, coverage, ranks, power, gates, history, bounds)
}


def table(name: str, replications: int, seed: int, missed: list[str]) -> Iterator[str]:
    """The lines of a table; cells that miss what is asked are added to `missed`."""
    rows = list(TABLES[name]())
    columns = rows[0].columns or QUERIES
    yield f"### {(TABLES[name].__doc__ or name).rstrip('.')}"
    yield ""
    yield f"| n = | drawn | {' | '.join(map(str, columns))} |"
    yield "|---|--:|" + "--:|" * len(columns)
    for row in rows:
        cells = []
        for column in columns:
            share = row.share(column, replications, seed)
            misses = row.asked and column >= row.asked.queries and not share.meets(row.asked)
            cells.append(f"**{share}**" if misses else f"{share}")
            if misses:
                missed.append(f"{name}: {row.name}, n = {column}: {share}")
        yield f"| {row.name} | {share.of:,} | {' | '.join(cells)} |"
    yield ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--replications", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(TABLES))
    given = parser.parse_args()
    missed: list[str] = []
    for name in given.only or TABLES:
        for line in table(name, given.replications, given.seed, missed):
            print(line, flush=True)
    print("\n".join(missed) or "no cell misses what is asked", file=sys.stderr)


if __name__ == "__main__":
    main()
