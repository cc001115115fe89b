"""The least and greatest differences that the unjudged documents of two runs leave open.

An unjudged document counts as not relevant. If it were judged, both runs would get the same grade,
and the ideal ranking of nDCG would change as well. The bounds here are exact: the extremes over all
ways to grade the unjudged documents within the measure's cutoff.

Every measure has a function for the greatest difference b - a. The least one is the negative
greatest difference of the exchanged runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.unjudged.retrieved import F64, I64, PairRanks, retrieved
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.gain import discount_of, gain_of
from evalstore.measures.join import numbers_among
from evalstore.measures.judged import places
from evalstore.measures.registry import JUDGED_ONLY

CELLS = 1 << 20
"""The most numbers in one table of queries by numbers of documents."""

ROWS = 1 << 21
"""About how many retrieved documents of all runs are looked at together."""

ROUNDING = 1e-9
"""A bound that is this close to the difference is the difference."""

MOST_GRADES = 1000
"""Whole grades above this are possible only if the qrels gives them."""


@dataclass(frozen=True, eq=False)
class DifferenceBounds:
    """The bounds of a difference b - a over all grades of the unjudged documents.

    Attributes:
        low, high: of the mean difference over the queries; 0 without queries.
        low_of_query, high_of_query: float64 (q), of each query; equal up to rounding where all
            documents are judged.
        unjudged: the number of different unjudged documents of all queries, within the cutoff of
            the measure, in either run.
    """

    low: float
    high: float
    low_of_query: F64 = field(repr=False)
    high_of_query: F64 = field(repr=False)
    unjudged: int


def bounds_of(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    pairs: Sequence[tuple[int, int]],
    qids: Sequence[str],
) -> Mapping[tuple[str, tuple[int, int]], DifferenceBounds | None]:
    """The bounds of every measure (by its name in `measures`) and pair (a, b), over `qids`.

    P, Success, RR, R, RelP, RBP, CG, DCG and nDCG have bounds, with all their parameters except
    `judged_only` and gains of negative grades. None for another measure, and for a pair with a run
    whose rankings are not known. The rankings are read only if a measure has bounds, and only down
    to the deepest cutoff.

    Unjudged are the documents in the first `cutoff` of either ranking (without a cutoff, in the
    whole rankings) that the qrels does not contain or gives a negative grade. Each can stay
    unjudged, or get a whole grade from 0 to the highest of the qrels (at least 1; above 1,000 only
    grades of the qrels) or any other grade of the qrels, in both runs the same.

    Args:
        loaded: the runs; a pair has their numbers.
        measures: the measures by the names of the result.
        pairs: the pairs (a, b).
        qids: the queries of the means; a query that a run does not answer is an empty ranking, and
            one without judgments has no relevant documents.
    """
    none = dict.fromkeys(((name, pair) for name in measures for pair in pairs), None)
    bounded = {name: measure for name, measure in measures.items() if has_bounds(measure)}
    if loaded.rankings is None or not bounded or not pairs:
        return none
    cutoffs = [rank_cutoff(measure) for measure in bounded.values()]
    depths = [cutoff for cutoff in cutoffs if cutoff is not None]
    depth = max(depths) if len(depths) == len(cutoffs) else None
    read, qrels = loaded.rankings(depth)
    numbers = [number for number, run in enumerate(read) if run is not None]
    place = {number: at for at, number in enumerate(numbers)}
    runs = [run for run in read if run is not None]
    known = [pair for pair in pairs if place.keys() >= set(pair)]
    if not known:
        return none
    parts: dict[tuple[str, tuple[int, int]], list[DifferenceBounds]] = {}
    for some in _blocks(runs, qids, depth):
        context = Judgments.of(qrels, some)
        table = retrieved(runs, qrels, some, depth)
        for name, measure in bounded.items():
            greatest = greatest_of(measure, context)
            assert greatest is not None  # noqa: S101  (for mypy)
            for pair in known:
                ranks = table.pair(place[pair[0]], place[pair[1]], rank_cutoff(measure))
                found = bounds_of_pair(greatest, ranks, context)
                parts.setdefault((name, pair), []).append(found)
    differences = {
        (name, (a, b)): _values(loaded.runs[b], name, qids) - _values(loaded.runs[a], name, qids)
        for name, (a, b) in parts
    }
    return {**none, **{key: _joined(parts[key], differences[key]) for key in parts}}


def _values(run: RunValues, name: str, qids: Sequence[str]) -> F64:
    """The values of a run that were computed before, float64 (q); NaN where there are none."""
    if name not in run.values:
        return np.full(len(qids), np.nan)
    return np.append(run.values[name], np.nan)[numbers_among(run.qids, qids)]


def _blocks(runs: Sequence[Run], qids: Sequence[str], depth: int | None) -> Iterator[Sequence[str]]:
    """The queries in blocks of about `ROWS` documents of all runs; at least one block."""
    longest = sum(int(run.lengths.max(initial=0)) for run in runs)
    if depth is not None:
        longest = min(longest, depth * len(runs))
    step = max(1, ROWS // max(longest, 1))
    for first in range(0, max(len(qids), 1), step):
        yield qids[first : first + step]


def _joined(parts: Sequence[DifferenceBounds], differences: F64) -> DifferenceBounds:
    """The bounds over the queries of all parts, without rounding beside the known differences.

    Sums here are added up in another order than in the measures, and a bound must not be on the
    wrong side of the difference by its last bits.
    """
    ends = [
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("low_of_query", "high_of_query")
    ]
    low, high = (np.where(np.abs(end - differences) < ROUNDING, differences, end) for end in ends)
    return _bounds(low, high, sum(part.unjudged for part in parts))


def has_bounds(measure: Measure) -> bool:
    """Whether a measure has bounds (`bounds_of`)."""
    arguments: Mapping[str, Any] = measure.arguments
    negative = any(grade < 0 for grade, _ in arguments.get("gains") or ())
    return measure.name in _MAKERS and not arguments.get(JUDGED_ONLY.name) and not negative


def rank_cutoff(measure: Measure) -> int | None:
    """The rank down to which a measure that has bounds looks; None for whole rankings."""
    return None if measure.cutoff is None else int(measure.cutoff)


@dataclass(frozen=True, eq=False)
class Judgments:
    """The grades of a qrels for some queries; p judged documents.

    Attributes:
        queries: the number of queries.
        query: int64 (p), the number of the query of each judged document.
        grade: float64 (p), at least 0.
        grades: float64, ascending: the grades that an unjudged document could get.
    """

    queries: int
    query: I64
    grade: F64
    grades: F64 = field(repr=False)

    @classmethod
    def of(cls, qrels: Qrels, qids: Sequence[str]) -> Judgments:
        """The judgments of these queries; the possible grades are those of the whole qrels."""
        query = numbers_among(qids, qrels.qids)[qrels.row_query]
        judged = qrels.grades >= 0
        rows = np.flatnonzero((query >= 0) & judged)
        known = np.unique(qrels.grades[judged])
        highest = min(max(float(known.max(initial=1.0)), 1.0), MOST_GRADES)
        grades = np.union1d(np.arange(0.0, np.floor(highest) + 1), known)
        return cls(len(qids), query[rows], qrels.grades[rows], grades)

    @property
    def highest_grade(self) -> float:
        """The highest grade that a document could get."""
        return float(self.grades[-1])

    @cached_property
    def highest(self) -> F64:
        """The highest grade of each query, at least 0: float64 (q)."""
        highest = np.zeros(self.queries)
        np.maximum.at(highest, self.query, self.grade)
        return highest

    def sums(self, query: I64, weights: F64) -> F64:
        """The sum of the weights of each query: float64 (q)."""
        return np.bincount(query, weights, minlength=self.queries).astype(np.float64)


Greatest = Callable[[PairRanks], F64]
"""The greatest difference b - a of each query: float64 (q)."""


def bounds_of_pair(greatest: Greatest, pair: PairRanks, context: Judgments) -> DifferenceBounds:
    """The bounds of a pair of runs, given the documents within the cutoff of the measure."""
    low, high = 0.0 - greatest(pair.swapped()), greatest(pair)  # 0, never -0
    return _bounds(low, high, int(np.count_nonzero(~pair.judged)))


def _bounds(low: F64, high: F64, unjudged: int) -> DifferenceBounds:
    count = max(len(low), 1)
    return DifferenceBounds(
        float(low.sum() / count), float(high.sum() / count), low, high, unjudged
    )


def greatest_of(measure: Measure, context: Judgments) -> Greatest | None:
    """The function of a measure for the greatest difference of each query, or None."""
    if not has_bounds(measure):
        return None
    arguments = {name: of for name, of in measure.arguments.items() if name != JUDGED_ONLY.name}
    return _MAKERS[measure.name](context, rank_cutoff(measure), **arguments)


# Measures that add up a weight of the rank times the gain of the document

Weight = Callable[[F64], F64]
"""The weight of each rank: float64 in, float64 out; 0 at an infinite rank."""

Gain = Callable[[F64], F64]
"""The gain of each grade, at least 0."""


def _linear(context: Judgments, weight: Weight, gain: Gain) -> Greatest:
    """Each document on its own: the highest gain where that favours b, else none."""
    best = gain(context.grades).max()

    def greatest(pair: PairRanks) -> F64:
        change = weight(pair.rank_b) - weight(pair.rank_a)
        gains = np.where(pair.judged, gain(pair.grade), np.where(change > 0, best, 0.0))
        return context.sums(pair.query, change * gains)

    return greatest


def _binary(rel: float) -> Gain:
    return lambda grade: (grade >= rel).astype(np.float64)


def _precision(context: Judgments, cutoff: int, *, rel: float) -> Greatest:
    return _linear(context, lambda rank: np.isfinite(rank) / cutoff, _binary(rel))


def _cumulated_gain(context: Judgments, cutoff: int | None, *, gains: Any, rel: float) -> Greatest:
    return _linear(
        context,
        lambda rank: np.isfinite(rank).astype(np.float64),
        lambda grade: gain_of(grade, "log2", gains, rel),
    )


def _dcg(context: Judgments, cutoff: int | None, *, dcg: str, gains: Any, rel: float) -> Greatest:
    return _linear(context, _discounts(dcg), lambda grade: gain_of(grade, dcg, gains, rel))


def _discounts(dcg: str) -> Weight:
    return lambda rank: 1 / discount_of(rank, dcg)  # type: ignore[arg-type]  # ranks with infinity


def _rbp(
    context: Judgments, cutoff: int | None, *, p: float, rel: float | None, max_rel: float | None
) -> Greatest:
    def weight(rank: F64) -> F64:
        return np.asarray((1 - p) * np.power(p, rank - 1.0))

    if rel is not None:
        return _linear(context, weight, _binary(rel))
    if max_rel is not None:
        return _linear(context, weight, lambda grade: np.clip(grade, 0, max_rel) / max_rel)
    return _rbp_of_highest(context, weight)


def _rbp_of_highest(context: Judgments, weight: Weight) -> Greatest:
    """The gain is the grade over the highest grade of the query, which a new grade can raise.

    With h the highest grade after the new judgments, the gain of an unjudged document is from 0 to
    1 whatever h is, and the judged part is proportional to 1 / h. So for each sign of the judged
    part either the lowest or the highest h is best. A raised h needs one document of that grade.
    """
    now = np.maximum(context.highest, 1.0)
    most = context.highest_grade

    def greatest(pair: PairRanks) -> F64:
        change = weight(pair.rank_b) - weight(pair.rank_a)
        judged, open_ = pair.judged, ~pair.judged
        fixed = context.sums(pair.query[judged], (change * pair.grade)[judged])
        gained = context.sums(pair.query[open_], np.maximum(change[open_], 0.0))
        raised = np.full(context.queries, -np.inf)  # the best change of a single document
        np.maximum.at(raised, pair.query[open_], change[open_])
        with_highest = fixed / most + np.where(raised > 0, gained, raised)
        return np.maximum(fixed / now + gained, np.where(most > now, with_highest, -np.inf))

    return greatest


# Measures of the first relevant document


def _first(context: Judgments, value: Weight, rel: float) -> Greatest:
    """The value of the first relevant rank: at most one more relevant document is needed.

    Of several, the one that b retrieves first decides the value of b; without the others the value
    of a is no higher.
    """
    possible = context.highest_grade >= rel

    def greatest(pair: PairRanks) -> F64:
        value_a, value_b = value(pair.rank_a), value(pair.rank_b)
        relevant, open_ = pair.grade >= rel, ~pair.judged
        now_a, now_b = np.zeros((2, context.queries))
        np.maximum.at(now_a, pair.query[relevant], value_a[relevant])
        np.maximum.at(now_b, pair.query[relevant], value_b[relevant])
        best = now_b - now_a
        if possible:
            query = pair.query[open_]
            with_one = np.maximum(now_b[query], value_b[open_])
            with_one -= np.maximum(now_a[query], value_a[open_])
            np.maximum.at(best, query, with_one)
        return best

    return greatest


def _success(context: Judgments, cutoff: int, *, rel: float) -> Greatest:
    return _first(context, lambda rank: np.isfinite(rank).astype(np.float64), rel)


def _reciprocal_rank(context: Judgments, cutoff: int | None, *, rel: float) -> Greatest:
    return _first(context, lambda rank: 1 / rank, rel)


# Measures that are a share of the ideal, which every relevant document raises


def _recall(context: Judgments, cutoff: int, *, rel: float) -> Greatest:
    return _share(context, lambda rank: np.isfinite(rank).astype(np.float64), _binary(rel), None)


def _relative_precision(context: Judgments, cutoff: int, *, rel: float) -> Greatest:
    return _share(context, lambda rank: np.isfinite(rank).astype(np.float64), _binary(rel), cutoff)


def _ndcg(context: Judgments, cutoff: int | None, *, dcg: str, gains: Any, rel: float) -> Greatest:
    def gain(grade: F64) -> F64:
        return gain_of(grade, dcg, gains, rel)

    return _share(context, _discounts(dcg), gain, cutoff)


@dataclass(frozen=True, eq=False)
class _Levels:
    """The gains of the judged documents of each query, and the highest possible one; l levels.

    Attributes:
        step: float64 (q, l), each gain less the next lower one, from the highest gain down.
        count: int64 (q, l), the number of judged documents with this gain or a higher one.
        highest: the highest possible gain.
    """

    step: F64
    count: I64
    highest: float

    @classmethod
    def of(cls, context: Judgments, gain: Gain) -> _Levels:
        gains, queries = gain(context.grade), np.arange(context.queries)
        highest = float(gain(context.grades).max())
        gaining = gains > 0
        query = np.concatenate([context.query[gaining], queries])
        value = np.concatenate([gains[gaining], np.full(len(queries), highest)])
        is_document = np.concatenate([np.ones(np.count_nonzero(gaining)), np.zeros(len(queries))])
        order = np.lexsort((-value, query))
        query, value = query[order], value[order]
        new = np.append(True, (query[1:] != query[:-1]) | (value[1:] != value[:-1]))[: len(order)]
        level = np.cumsum(new) - 1
        count = np.bincount(level, is_document[order]).astype(np.int64)
        query, value = query[new], value[new]
        place = places(query, np.bincount(query, minlength=context.queries)) - 1
        shape = (context.queries, int(place.max(initial=0)) + 1)
        table, counts = np.zeros(shape), np.zeros(shape, np.int64)
        table[query, place], counts[query, place] = value, count
        step = table - np.append(table[:, 1:], np.zeros((shape[0], 1)), axis=1)
        return cls(step, np.cumsum(counts, axis=1), highest)


def _share(context: Judgments, weight: Weight, gain: Gain, cutoff: int | None) -> Greatest:
    """The quotient of a sum of weighted gains and that of the ideal ranking of `cutoff` documents.

    In the ideal ranking rank i has the weight of rank i too. 0 if there is no gain at all.
    """
    levels = _Levels.of(context, gain)

    def greatest(pair: PairRanks) -> F64:
        change = weight(pair.rank_b) - weight(pair.rank_a)
        judged, open_ = pair.judged, ~pair.judged
        fixed = context.sums(pair.query[judged], (change * gain(pair.grade))[judged])
        query = pair.query[open_]
        order = np.lexsort((-change[open_], query))
        query, change = query[order], change[open_][order]
        number = np.bincount(query, minlength=context.queries)
        place = places(query, number)
        longest = int((levels.count[:, -1] + number).max(initial=0)) if context.queries else 0
        ranks = np.arange(1.0, longest + 1)
        weights = np.where(ranks <= (np.inf if cutoff is None else cutoff), weight(ranks), 0.0)
        ideal = np.append(0.0, np.cumsum(weights))
        best = np.empty(context.queries)
        width = int(number.max(initial=0)) + 1
        step = max(1, CELLS // width)
        for first in range(0, context.queries, step):
            part = slice(first, min(first + step, context.queries))
            inside = slice(*np.searchsorted(query, [part.start, part.stop]))
            sums = np.zeros((part.stop - part.start, width))
            sums[query[inside] - first, place[inside]] = change[inside]
            np.cumsum(sums, axis=1, out=sums)
            best[part] = _greatest_shares(
                fixed[part],
                sums,
                np.minimum(np.arange(width), number[part, None]),
                _Levels(levels.step[part], levels.count[part], levels.highest),
                ideal,
            )
        return best

    return greatest


def _greatest_shares(fixed: F64, sums: F64, number: I64, levels: _Levels, ideal: F64) -> F64:
    """The greatest quotient of each query: float64 (q).

    Of all ways to give fixed numbers of documents each gain, the numerator is the greatest where
    the documents with the greatest changes get the highest gains; the denominator is the same. So a
    choice is, for each level of gain, the number m of documents that get this gain or more, which
    grows from level to level. Numerator and denominator are then sums over the levels:

        fixed + sum of step x sums[m]   and   sum of step x ideal[count + m].

    A quotient below 0: for a multiplier l < 0, numerator - l x denominator is convex in the gains,
    as the ideal is. So it is greatest where every gain is 0 or the highest: m is the same for all
    levels, and all m are tried.

    A quotient above 0: Dinkelbach's method (Management Science 1967) raises l until the greatest
    numerator - l x denominator is 0. For l > 0 each level can be maximised for itself: `ideal` is
    concave, so levels of higher counts take no fewer documents, and m grows by itself. It is also
    concave in the gains, so no gain is needed other than those of judged documents, 0 and the
    highest.

    Args:
        fixed: float64 (q), the judged part of the numerator.
        sums: float64 (q, n + 1), the sum of the m greatest changes.
        number: int64 (q, n + 1), m; the last one is repeated.
        levels: the levels of gain of these queries.
        ideal: float64, the sum of the weights of the first i ranks.
    """
    rows = np.arange(len(fixed))

    def at_level(level: int) -> tuple[F64, F64]:
        return levels.step[:, level], ideal[levels.count[:, level, None] + number]

    numerator = fixed[:, None] + levels.highest * sums
    denominator = np.zeros_like(sums)
    for level in range(levels.step.shape[1]):
        step, best = at_level(level)
        denominator += step[:, None] * best
    quotients = np.divide(
        numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0
    )
    quotient: F64 = quotients.max(axis=1)
    rising = quotient > 0
    while rising.any() and levels.step.shape[1] > 1:
        top, bottom = fixed.copy(), np.zeros(len(fixed))
        for level in range(levels.step.shape[1]):
            step, best = at_level(level)
            chosen = np.argmax(sums - quotient[:, None] * best, axis=1)
            top += step * sums[rows, chosen]
            bottom += step * best[rows, chosen]
        better = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
        rising &= better > quotient
        quotient = np.where(rising, better, quotient)
    return quotient


_MAKERS: Mapping[str, Callable[..., Greatest]] = {
    "P": _precision,
    "Success": _success,
    "RR": _reciprocal_rank,
    "R": _recall,
    "RelP": _relative_precision,
    "RBP": _rbp,
    "CG": _cumulated_gain,
    "DCG": _dcg,
    "nDCG": _ndcg,
}
