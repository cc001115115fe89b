"""The documents of several runs to judge next, in the order in which to judge them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from evalstore.catalog.names import natural
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.unjudged.bounds import ROUNDING
from evalstore.comparison.unjudged.holes import DIGITS, find_holes
from evalstore.comparison.unjudged.retrieved import F64, Retrieved, retrieved
from evalstore.errors import DataError, check_known
from evalstore.formats import Run
from evalstore.formats.reading.lines import texts
from evalstore.measures import Measure
from evalstore.measures.judged import places
from evalstore.stats.inputs import check_count, check_fraction

Order = Literal["depth", "rbp", "rrf", "settle"]
ORDERS: tuple[Order, ...] = get_args(Order)

RRF_CONSTANT = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""

PERSISTENCE = 0.8
"""The chance that a user of rank-biased precision looks at the next document."""

STEPS = 100
"""Of the regression that predicts gains, from which on the order does not change."""


class PooledDocument(NamedTuple):
    """An unjudged document of a pool.

    Attributes:
        stratum: the ranks that it was drawn from, like `11-50`; None without a sample.
        probability: the chance that it was drawn, at most 1; 0 if it was not drawn; None without a
            sample.
    """

    qid: str
    docno: str
    stratum: str | None = None
    probability: float | None = None


Strata = Sequence[tuple[int, float]]
"""The last rank of each stratum, ascending, and the share of its documents to draw."""


def make_pool(
    loaded: LoadedRuns,
    depth: int,
    order: Order = "depth",
    *,
    budget: int | None = None,
    anew: bool = False,
    p: float = PERSISTENCE,
    measure: tuple[str, Measure] | None = None,
    without: Container[tuple[str, str]] = (),
) -> list[tuple[str, str]]:
    """The unjudged documents in the first `depth` of any run as (qid, docno), the next one first.

    See `draw_pool`; with `anew` the judged ones too. Those in `without` are left out.
    """
    every = _ranked_pool(loaded, depth, order, p, measure, anew=anew)
    ranked = [one for one in every if one[:2] not in without]
    return [(qid, docno) for qid, docno, _ in _within(ranked, budget, order)]


def draw_pool(
    loaded: LoadedRuns,
    depth: int,
    order: Order = "depth",
    *,
    strata: Strata = (),
    undrawn: bool = False,
    budget: int | None = None,
    seed: int | None = None,
    p: float = PERSISTENCE,
    measure: tuple[str, Measure] | None = None,
) -> list[PooledDocument]:
    """The unjudged documents in the first `depth` of any run, or a sample, the next one first.

    All queries that a run answers count, judged or not, unless `loaded` is restricted. Orders:

    - `depth`: by the best rank in any run; each query in turn gives its next document.
    - `rbp`: by the sum over the runs of (1 - p) p^(rank - 1), over all queries together
      (Moffat, Webber and Zobel, SIGIR 2007).
    - `rrf`: by the sum over the runs of 1 / (60 + rank), over all queries together.
    - `settle`: by how far a judgment is expected to move the bound that keeps a difference open,
      over all queries together; of the pairs of the first run with each other one the largest
      move counts. Pairs whose bounds exclude 0 come after the open ones, documents that change no
      difference last.

    Ties are in order of the best rank, the queries, and the docno as bytes.

    A stratum of a query has its unjudged documents whose best rank in any run is in the stratum.
    The share of them, rounded to a whole number and at least one, is drawn without replacement; so
    the probability of each is that number over theirs. Below the last stratum nothing is drawn.

    Args:
        loaded: the runs; `settle` needs their values on the measure.
        depth: the rank down to which documents are looked at, at least 1.
        order: one of `ORDERS`.
        strata: of a sample; empty for all documents.
        undrawn: whether to list the other documents of the strata too, with probability 0, as
            measures of samples need them.
        budget: the largest number of documents; None for all. It is spread over the queries, each
            of which gives its first ones in the order; by `settle` they are the first of all.
        seed: shuffles the documents that are left, so that ranks and runs can't be read from their
            order; None keeps the order. A sample is drawn by it too, by 0 without one.
        p: of `rbp`.
        measure: the name and measure of `settle`.

    Raises:
        DataError: the runs can't be loaded or, for `settle`, compared; one came as values; strata
            that do not ascend, or whose shares are not above 0 and at most 1; a sample with a
            budget, which would change the probabilities.
        MeasureError: `settle` on a measure that is no mean over queries, or needs more than
            judgments.
    """
    if budget is not None:
        check_count("budget", budget)
    if seed is not None and seed < 0:
        raise DataError(f"the seed must not be negative; got {seed}")
    if strata and budget is not None:
        raise DataError("a budget would cut the sample unevenly: draw smaller shares instead")
    check_strata(strata)
    ranked = _ranked_pool(loaded, depth, order, p, measure)
    if strata:
        drawn = _sample(ranked, strata, np.random.default_rng(seed or 0))
        if not undrawn:
            drawn = [document for document in drawn if document.probability]
    else:
        kept = _within(ranked, budget, order)
        drawn = [PooledDocument(qid, docno) for qid, docno, _ in kept]
    if seed is None:
        return drawn
    return [drawn[at] for at in np.random.default_rng(seed).permutation(len(drawn)).tolist()]


def _within(
    ranked: Sequence[tuple[str, str, int]], budget: int | None, order: Order
) -> Sequence[tuple[str, str, int]]:
    """The documents that a budget allows; see `draw_pool`."""
    if budget is None or order == "settle":
        return ranked[:budget]
    taken: Counter[str] = Counter()
    turn = []
    for qid, _, _ in ranked:
        turn.append(taken[qid])
        taken[qid] += 1
    kept = sorted(range(len(ranked)), key=turn.__getitem__)[:budget]
    return [ranked[at] for at in sorted(kept)]


def check_strata(strata: Strata) -> None:
    """Refuse strata that do not ascend, or whose shares are not above 0 and at most 1."""
    last = 0
    for rank, share in strata:
        if rank <= last:
            raise DataError(f"the last ranks of strata ascend from 1; got {rank} after {last}")
        if not 0 < share <= 1:
            raise DataError(f"the share of a stratum is above 0 and at most 1; got {share:g}")
        last = rank


def _sample(
    ranked: Sequence[tuple[str, str, int]], strata: Strata, draw: np.random.Generator
) -> list[PooledDocument]:
    """The documents of the strata of those with best ranks, in their order, and which are drawn.

    What is drawn does not depend on the order.
    """
    lasts = [last for last, _ in strata]
    members: dict[tuple[str, int], list[int]] = {}
    for at in sorted(range(len(ranked)), key=lambda at: ranked[at]):
        stratum = bisect_left(lasts, ranked[at][2])
        if stratum < len(strata):
            members.setdefault((ranked[at][0], stratum), []).append(at)
    drawn: dict[int, PooledDocument] = {}
    for (qid, stratum), of in members.items():
        last, share = strata[stratum]
        number = max(1, int(share * len(of) + 0.5))
        name = f"{strata[stratum - 1][0] + 1 if stratum else 1}-{last}"
        drawn |= {at: PooledDocument(qid, ranked[at][1], name, 0.0) for at in of}
        for at in draw.choice(of, number, replace=False).tolist():
            drawn[at] = PooledDocument(qid, ranked[at][1], name, number / len(of))
    return [drawn[at] for at in sorted(drawn)]


def _ranked_pool(
    loaded: LoadedRuns,
    depth: int,
    order: Order,
    p: float,
    measure: tuple[str, Measure] | None,
    *,
    anew: bool = False,
) -> list[tuple[str, str, int]]:
    """The unjudged documents, or all, as (qid, docno, best rank), in order."""
    check_count("depth", depth)
    check_known("order", order, ORDERS)
    check_fraction("p", p)
    runs, qrels = loaded.all_rankings(None if order == "settle" else depth)
    table = retrieved(runs, qrels, _queries(loaded, runs), depth)
    best = np.full(len(table.query), np.inf)
    for documents, ranks in table.runs:
        best[documents] = np.minimum(best[documents], ranks)
    docnos, is_open = texts(table.docnos), ~(table.grade >= 0) | anew
    if order == "depth":
        by_rank = np.lexsort((best, table.query))
        turn = np.zeros(len(best))
        by_rank = by_rank[is_open[by_rank]]
        query = table.query[by_rank]
        turn[by_rank] = places(query, np.bincount(query, minlength=len(table.qids)))
        first: Sequence[F64] = (turn,)
    elif order == "settle":
        if measure is None:
            raise DataError("name the measure whose difference is to be settled")
        read = loaded.with_rankings(runs, qrels)
        first = _changes(table, docnos, best, read, measure)
    else:
        first = (-_weights(table, order, p),)
    # Documents are numbered by query and docno, and the sort is stable.
    ranked = np.lexsort((table.query, best, *reversed(first)))
    to_judge = ranked[is_open[ranked]].tolist()
    return [(table.qids[table.query[at]], docnos[at], int(best[at])) for at in to_judge]


def _queries(loaded: LoadedRuns, runs: Sequence[Run]) -> list[str]:
    """The queries to judge, in natural order: those of the runs, unless they are restricted."""
    if loaded.restriction is not None:
        return sorted(loaded.runs[0].qids, key=natural)
    return sorted({qid for run in runs for qid in run.qids}, key=natural)


def _weights(table: Retrieved, order: Order, p: float) -> F64:
    """The weight of each document, summed over the runs that retrieve it: the best rank first.

    In this order the sum does not depend on the order of the runs.
    """
    document = np.concatenate([documents for documents, _ in table.runs])
    rank = np.concatenate([ranks for _, ranks in table.runs]).astype(np.float64)
    by_rank = np.lexsort((rank, document))
    weight = (1 - p) * p ** (rank - 1) if order == "rbp" else 1 / (RRF_CONSTANT + rank)
    sums = np.bincount(document[by_rank], weight[by_rank], minlength=len(table.query))
    return sums.astype(np.float64)


def _changes(
    table: Retrieved,
    docnos: Sequence[str],
    best: F64,
    loaded: LoadedRuns,
    measure: tuple[str, Measure],
) -> tuple[F64, F64]:
    """The expected change by each document, negated to sort: of open pairs, and of any pair.

    What keeps a pair open is its bound on the side away from the expected difference. There,
    documents that speak for the run behind have the highest grade, the others none. So a judgment
    of the former moves this bound by what their gain will lack, of the latter by what it will have.
    """
    if len(loaded.runs) < 2:
        raise DataError("a pair to settle takes two runs or more")
    qids = (table.qids[query] for query in table.query.tolist())
    number_of = {key: number for number, key in enumerate(zip(qids, docnos, strict=True))}
    gain = _expected_gains(table, best, measure[1])
    open_pairs, every_pair = np.zeros((2, len(docnos)))
    for other in range(1, len(loaded.runs)):
        found = find_holes(loaded.only([0, other]), *measure)
        bounds = found.bounds
        change = np.zeros(len(docnos))
        for hole in found.holes:
            number = number_of.get((hole.qid, hole.docno))
            if number is not None:  # else below the depth
                change[number] = hole.change
        for_run_behind = change * (found.difference + float(change @ gain)) <= 0
        moved = (np.abs(change) * np.where(for_run_behind, 1 - gain, gain)).round(DIGITS)
        every_pair = np.maximum(every_pair, moved)
        if bounds is None or bounds.low <= 0 <= bounds.high:
            open_pairs = np.maximum(open_pairs, moved)
    return -open_pairs, -every_pair


def _expected_gains(table: Retrieved, best: F64, measure: Measure) -> F64:
    """The expected gain of each document, as a share of that of the highest grade: from 0 to 1.

    With a lowest relevant grade the gain is 1 from it on, else the grade. A logistic regression
    over the judged documents (of shares: Papke and Wooldridge, Journal of Applied Econometrics
    1996) on the best rank and the sum of reciprocal ranks, with an effect of each query. A ridge of
    1 on all effects draws them to 0 if few documents are judged.
    """
    judged, queries = table.grade >= 0, len(table.qids)
    grade, query = table.grade[judged], table.query[judged]
    rel = measure.arguments.get("rel")
    if isinstance(rel, int | float) and rel > 0:
        share = (grade >= rel).astype(np.float64)
    else:
        share = grade / max(float(grade.max(initial=1.0)), 1.0)
    facts = np.column_stack([np.log(best), np.log(_weights(table, "rrf", PERSISTENCE))])
    facts -= facts[judged].mean(axis=0) if len(share) else 0.0
    spread = np.sqrt((facts[judged] ** 2).mean(axis=0)) if len(share) else np.ones(2)
    facts = np.column_stack([facts / np.maximum(spread, ROUNDING), np.ones(len(best))])
    known = facts[judged]
    # The curvature is nowhere above that at a chance of 1/2, so that these steps always ascend.
    own = 1 + np.bincount(query, minlength=queries) / 4
    cross = np.array([np.bincount(query, of, queries) / 4 for of in known.T]).T
    inner = np.eye(known.shape[1]) + known.T @ known / 4 - cross.T @ (cross / own[:, None])
    effect, of_query = np.zeros(known.shape[1]), np.zeros(queries)
    for _ in range(STEPS):
        rest = share - 1 / (1 + np.exp(-(known @ effect + of_query[query])))
        up, up_query = known.T @ rest - effect, np.bincount(query, rest, queries) - of_query
        step = np.linalg.solve(inner, up - cross.T @ (up_query / own))
        effect += step
        of_query += (up_query - cross @ step) / own
    gains: F64 = 1 / (1 + np.exp(-(facts @ effect + of_query[table.query])))
    return gains
