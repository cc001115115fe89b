"""Measures of a pool of which a random sample was judged, with a rate of its own in each stratum.

The pool of a query is divided into strata, by rank for example. A judged document stands for as
many as its stratum has documents for each judged one. A negative grade means: in the pool, but not
drawn. After Yilmaz, Kanoulas and Aslam, SIGIR 2008, as NIST's sample_eval.pl computes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from evalstore.measures.gain import discount_of
from evalstore.measures.judged import F64, I64, Bool, Judged, Pool, accumulate, count_so_far, ratio
from evalstore.measures.registry import RANK, REL, Description, measure

SMOOTHING = 1e-5
DEPTH = 1000
"""The largest number of documents of a ranking that sample_eval.pl looks at."""

of_sample: partial[Description] = partial(
    measure,
    source="Yilmaz, Kanoulas and Aslam, SIGIR 2008; NIST sample_eval.pl",
    cutoff=RANK,
    needs=("strata",),
    monotone=False,
    condensable=False,
    from_hits=False,
)


@dataclass(frozen=True, eq=False)
class Strata:
    """The strata of a pool (s); those of a query are in the byte order of their names.

    Attributes:
        query: int64 (s), the query of each.
        size: int64 (s), its number of documents, judged or not.
        drawn: int64 (s), how many of them are judged (grade >= 0).
        stratum: int64 (p), the stratum of each judgment of the pool.
    """

    query: I64
    size: I64
    drawn: I64
    stratum: I64

    def estimate(self, sampled: I64, stratum: I64) -> F64:
        """The number of documents that some sampled ones of strata stand for: float64."""
        return ratio(sampled * self.size[stratum], self.drawn[stratum])


def _strata(judged: Judged) -> tuple[Strata, I64]:
    """The strata of the pool, and that of each judged document retrieved: int64 (m)."""
    pool, own, of_pool = judged.pool, judged.strata, judged.pool.stratum
    nothing = np.zeros(0, np.int64)
    strata = pool.memo("strata", lambda: _of_pool(pool, nothing if of_pool is None else of_pool))
    return strata, nothing if own is None else own


def _of_pool(pool: Pool, stratum: I64) -> Strata:
    size = np.bincount(stratum)
    query = np.zeros(len(size), np.int64)
    query[stratum] = pool.query
    drawn = np.bincount(stratum[pool.grade >= 0], minlength=len(size))
    return Strata(query, size, drawn, stratum)


@of_sample(
    name="xinfAP",
    title="Extended inferred average precision",
    advice="Use it if a random sample of each stratum of the pool was judged (grade -1: in the "
    "pool, not drawn). Of one stratum it is close to infAP.",
    formula="sum of w x P at each relevant document in the first k (1,000) / sum of w of all "
    "relevant ones; w = documents / judged ones of its stratum; P at rank i = (1 + sum over strata "
    "of documents above x (relevant ones above + e) / (judged ones above + 3e)) / i; e = 0.00001",
    parameters=(REL,),
)
def stratified_average_precision(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """Average precision estimated from a sample of each stratum of the pool."""
    judged = judged.cut(cutoff or DEPTH)
    strata, own = _strata(judged)
    relevant = strata.stratum[judged.pool.grade >= rel]
    every = np.arange(len(strata.size))
    found = strata.estimate(np.bincount(relevant, minlength=len(every)), every)
    total = judged.sum_by_query(strata.query, found)

    is_hit = judged.grade >= rel
    at_or_above = accumulate(np.add, judged.query, _changes(judged, own, is_hit))
    first = np.append(True, judged.query[1:] != judged.query[:-1])[: len(own)]
    above = np.where(first, 0.0, np.append(0.0, at_or_above[:-1])[: len(own)])
    hits = np.flatnonzero(is_hit)
    precision = (1 + above[hits]) / judged.rank[hits]
    weight = strata.estimate(np.ones(len(hits), np.int64), own[hits])
    return ratio(judged.sum_by_query(judged.query[hits], weight * precision), total)


def _changes(judged: Judged, stratum: I64, is_hit: Bool) -> F64:
    """By how much each document changes the estimated relevant documents of its stratum so far."""
    order = np.argsort(stratum, kind="stable")  # the rows are by query and rank
    rows, lengths = stratum[order], np.bincount(stratum)
    documents = count_so_far(rows, lengths, np.ones(len(rows), bool))
    relevant = count_so_far(rows, lengths, is_hit[order])
    drawn = count_so_far(rows, lengths, judged.grade[order] >= 0)
    expected = documents * (relevant + SMOOTHING) / (drawn + 3 * SMOOTHING)
    before = np.append(0.0, expected[:-1])[: len(rows)]
    changes = np.empty(len(rows))
    changes[order] = expected - np.where(documents == 1, 0.0, before)
    return changes


@of_sample(
    name="infNDCG",
    title="Inferred nDCG",
    advice="Use it as xinfAP, with grades. As an estimate it can exceed 1.",
    formula="sum over strata of documents x DCG / judged ones, in the first k (1,000) / ideal DCG "
    "of as many documents of each grade as estimated",
    bounds=(0.0, np.inf),
)
def inferred_ndcg(judged: Judged, *, cutoff: int | None) -> F64:
    """The discounted gain estimated from a sample of each stratum, as a share of the ideal."""
    judged = judged.cut(cutoff or DEPTH)
    strata, own = _strata(judged)
    count = len(strata.size)
    gain = np.maximum(judged.grade, 0.0) / discount_of(judged.rank)
    drawn = np.bincount(own[judged.grade >= 0], minlength=count)
    reached = ratio(np.bincount(own, minlength=count) * np.bincount(own, gain, count), drawn)
    return ratio(judged.sum_by_query(strata.query, reached), _ideal(judged, strata, cutoff))


def _ideal(judged: Judged, strata: Strata, cutoff: int | None) -> F64:
    """The DCG of the best ranking of as many documents of each grade as were estimated."""
    pool = judged.pool
    rows = np.flatnonzero(pool.grade > 0)
    rows = rows[np.lexsort((strata.stratum[rows], -pool.grade[rows], pool.query[rows]))]
    query, grade, stratum = pool.query[rows], pool.grade[rows], strata.stratum[rows]
    new_grade = _begins(query, grade)
    group = np.cumsum(new_grade) - 1  # a grade of a query
    parts = np.flatnonzero(_begins(group, stratum))
    sampled = np.diff(parts, append=len(rows))
    documents = np.bincount(group[parts], strata.estimate(sampled, stratum[parts]))
    documents = np.floor(documents + 0.5)  # float64: of no document it is whole numbers
    query, grade = query[new_grade], grade[new_grade]

    ends = accumulate(np.add, query, documents).astype(np.int64)
    starts = ends - documents.astype(np.int64)
    depth = min(cutoff or DEPTH, int(ends.max(initial=0)))
    to_rank = np.append(0.0, np.cumsum(1 / discount_of(np.arange(1, depth + 1))))
    discounts = to_rank[np.minimum(ends, depth)] - to_rank[np.minimum(starts, depth)]
    if cutoff is None:  # as sample_eval.pl, the first document of each grade counts at any rank
        deep = (starts >= DEPTH) & (ends > starts)
        discounts[deep] = 1 / discount_of(starts[deep] + 1)
    return judged.sum_by_query(query, grade * discounts)


def _begins(*columns: I64 | F64) -> Bool:
    """Which rows differ from the one before in any of the columns: bool."""
    differs = np.zeros(len(columns[0]), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[1:] != column[:-1]
    return differs
