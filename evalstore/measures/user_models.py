"""Measures that model a reader going down the ranking and stopping somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from evalstore.measures.judged import F64, Judged, accumulate, ratio
from evalstore.measures.notation import named
from evalstore.measures.registry import RANK, RANK_REQUIRED, Parameter, TrecName, measure

P = Parameter("p", 0.8, "how likely the reader goes on to the next document", above=0, below=1)
BINARY_REL = Parameter(
    "rel", None, "a document of at least this grade gains 1 and others 0; graded without", above=0
)
MAX_REL = Parameter(
    "max_rel",
    None,
    "the grade of a perfect document; the highest of the qrels unless given",
    above=0,
    most=1e6,
    aliases=("max",),
)
RBP_MAX_REL = replace(
    MAX_REL, doc="the grade of a perfect document; the highest of the query unless given"
)
MIN_REL = Parameter(
    "min_rel",
    0,
    "the grade of a useless document: gain is (grade - min_rel) / (max_rel - min_rel)",
    least=0,
    most=1e6,
)
WANTED = Parameter("T", 1, "the gain the reader wants, in perfect documents", least=0.5, most=1e4)

CWL = "cwl_eval (2019)"
DEPTH = 1000  # cwl_eval looks no deeper
AT_ONCE = 1 << 20  # numbers in one table of queries by ranks


# Rank-biased precision


def _rbp_gain(judged: Judged, rel: float | None, max_rel: float | None) -> F64:
    if rel is not None:
        return (judged.grade >= rel).astype(np.float64)
    if max_rel is not None:
        return np.clip(judged.grade, 0, max_rel) / max_rel
    highest = np.maximum(judged.pool.highest(), 1.0)
    return np.maximum(judged.grade, 0) / highest[judged.query]


@measure(
    name="RBP",
    title="Rank-biased precision",
    advice="Use it with a p that fits your readers (0.5 impatient, 0.8 web, 0.95 patient). "
    "State p and whether gains are graded.",
    formula="(1 - p) x sum over ranks i (to k) of gain x p^(i - 1); gain is grade / highest "
    "grade of the query if that is above 1; see rel=, max_rel=",
    source="Moffat and Zobel, TOIS 2008; trec_eval m_rbp.c (graded, p = 0.9)",
    parameters=(P, BINARY_REL, RBP_MAX_REL),
    cutoff=RANK,
    trec=(TrecName("rbp", "RBP(p=0.9)", arguments=named),),
)
def rbp(
    judged: Judged, *, cutoff: int | None, p: float, rel: float | None, max_rel: float | None
) -> F64:
    """Gain per document of a reader who goes on to the next with probability p."""
    terms = _rbp_gain(judged, rel, max_rel) * np.power(p, judged.rank - 1.0)
    if cutoff is not None:
        terms = np.where(judged.rank <= cutoff, terms, 0.0)
    return np.asarray((1 - p) * judged.sum_by_query(judged.query, terms))


@measure(
    name="RBPResidual",
    from_hits=False,
    title="Residual of rank-biased precision",
    advice="Use it beside RBP: a smaller difference between two engines proves nothing.",
    formula="p^n + (1 - p) x sum over unjudged ranks i of p^(i - 1), n documents retrieved; 0 "
    "where all retrieved are judged",
    source="Moffat and Zobel, TOIS 2008; trec_eval m_rbp_resid.c (p = 0.9), which leaves out "
    "p^n if nothing is unjudged",
    parameters=(P,),
    trec=(TrecName("rbp_resid", "RBPResidual(p=0.9)", arguments=named),),
    higher_is_better=None,
    condensable=False,
)
def rbp_residual(judged: Judged, *, cutoff: None, p: float) -> F64:
    """Rise of RBP if all unjudged documents were relevant."""
    graded = judged.grade >= 0
    query = judged.query[graded]
    seen = judged.sum_by_query(query, np.power(p, judged.rank[graded] - 1.0))
    # All weights sum to 1, those beyond the ranking included: what is not judged is the rest.
    unjudged = judged.retrieved > judged.count_by_query(query)
    return np.where(unjudged, np.clip(1 - (1 - p) * seen, 0.0, 1.0), 0.0)


# The cascade


def satisfied(judged: Judged, max_rel: float | None) -> F64:
    """The probability that each judged document ends the search: (2^grade - 1) / 2^max_rel."""
    highest = judged.highest_grade if max_rel is None else max_rel
    grade = np.clip(judged.grade, 0, highest)
    return np.asarray(np.exp2(grade - highest) - np.exp2(-highest))


@measure(
    name="ERR",
    title="Expected reciprocal rank",
    advice="Use it if one good answer ends the search and judgments are graded. State the "
    "highest grade.",
    formula="sum over ranks i (to k) of 1/i x s_i x product over ranks j above i of p (1 - s_j); "
    "s = (2^grade - 1) / 2^max_rel",
    source="Chapelle et al., CIKM 2009 (p: their section 7.2)",
    parameters=(
        Parameter(
            "p",
            1,
            "how likely a reader not yet satisfied goes on to the next document",
            above=0,
            most=1,
        ),
        MAX_REL,
    ),
    cutoff=RANK,
)
def err(judged: Judged, *, cutoff: int | None, p: float, max_rel: float | None) -> F64:
    """The expected reciprocal of the rank at which a reader is satisfied."""
    ends = satisfied(judged, max_rel)
    left = accumulate(np.multiply, judged.query, 1 - ends)
    first = judged.pooled_so_far() == 1
    before = np.where(first, 1.0, np.append(1.0, left[:-1])[: len(left)])
    terms = before * ends / judged.rank * np.power(p, judged.rank - 1.0)
    if cutoff is not None:
        terms = np.where(judged.rank <= cutoff, terms, 0.0)
    return judged.sum_by_query(judged.query, terms)


# C/W/L


def scaled(judged: Judged, min_rel: float, max_rel: float | None) -> F64:
    """The gain of each judged document: 0 at grade `min_rel`, 1 at `max_rel`, linear between."""
    highest = judged.highest_grade if max_rel is None else max_rel
    if highest <= min_rel:
        return (judged.grade > min_rel).astype(np.float64)
    return (np.clip(judged.grade, min_rel, highest) - min_rel) / (highest - min_rel)


@measure(
    name="SDCG",
    title="Scaled discounted cumulated gain",
    advice="Use it as nDCG@k if the number of relevant documents is not known; 1 may be out "
    "of reach.",
    formula="sum over ranks i to k of gain / log2(i + 1), over the same with every gain 1",
    source=CWL + "; Jarvelin and Kekalainen, TOIS 2002",
    parameters=(MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
)
def sdcg(judged: Judged, *, cutoff: int, min_rel: float, max_rel: float | None) -> F64:
    """The discounted gain as a share of that of k perfect documents."""
    inside = judged.rank <= cutoff
    terms = scaled(judged, min_rel, max_rel)[inside] / np.log2(judged.rank[inside] + 1.0)
    perfect = np.sum(1 / np.log2(np.arange(1, min(cutoff, 1_000_000) + 1) + 1.0))
    return np.asarray(judged.sum_by_query(judged.query[inside], terms) / perfect)


@measure(
    name="BPM",
    title="Bejeweled player model (static)",
    advice="Use it for readers with both limits.",
    formula="gain of the documents read / their number; the reader stops at rank k or at gain T",
    source="Zhang et al., SIGIR 2017; gains as in " + CWL,
    parameters=(WANTED, MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
    monotone=False,
)
def bpm(judged: Judged, *, cutoff: int, T: float, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who stops when content, or after k documents."""
    so_far = accumulate(np.add, judged.query, scaled(judged, min_rel, max_rel))
    stop = np.full(len(judged), cutoff)
    content = so_far >= T
    np.minimum.at(stop, judged.query[content], judged.rank[content])
    read = judged.rank <= stop[judged.query]
    gained = np.zeros(len(judged))
    np.maximum.at(gained, judged.query[read], so_far[read])
    return np.asarray(gained / stop)


@measure(
    name="INSQ",
    title="INSQ",
    advice="Use it for readers whose patience does not depend on what they find.",
    formula="sum over ranks i (to 1000) of w_i x gain; w_i proportional to (2T / (2T + i - "
    "1))^2, all weights summing to 1",
    source="Moffat et al., ADCS 2012; depth and gains as in " + CWL,
    parameters=(WANTED, MIN_REL, MAX_REL),
)
def insq(judged: Judged, *, cutoff: None, T: float, min_rel: float, max_rel: float | None) -> F64:
    """Gain per document of a reader with T documents in mind."""
    weights = (2 * T / (2 * T + np.arange(DEPTH))) ** 2
    inside = judged.rank <= DEPTH
    gain = scaled(judged, min_rel, max_rel)[inside]
    terms: F64 = gain * (weights / weights.sum())[judged.rank[inside] - 1]
    return judged.sum_by_query(judged.query[inside], terms)


@measure(
    name="INST",
    title="INST",
    advice="Use it for readers whose patience falls with what they find.",
    formula="sum over ranks i (to 1000) of w_i x gain; w_(i+1) / w_i = ((i + T + t - 1) / (i + T + "
    "t))^2, t = T - gain so far, all weights summing to 1",
    source="Moffat et al., ADCS 2015; depth and gains as in " + CWL,
    parameters=(WANTED, MIN_REL, MAX_REL),
    monotone=False,
)
def inst(judged: Judged, *, cutoff: None, T: float, min_rel: float, max_rel: float | None) -> F64:
    """Gain per document of a reader who wants T documents and is content with them."""

    def going_on(gains: F64) -> F64:
        here = np.arange(1, DEPTH + 1) + 2 * T - np.cumsum(gains, axis=1)
        # Gains are at most 1, so `here` never falls below 2T.
        return np.asarray(((here - 1) / here) ** 2)

    return gain_per_document(judged, scaled(judged, min_rel, max_rel), DEPTH, going_on)


def gain_per_document(judged: Judged, gain: F64, depth: int, going_on: Callable[[F64], F64]) -> F64:
    """The gain per document of a reader who reads the first and may stop after each: float64.

    The sum of w_i x gain_i over the sum of w_i, w_i the chance that rank i, to `depth`, is read.
    `going_on` gives for gains from 0 to 1 (queries x ranks) the chance to read the next rank.
    """
    inside = judged.rank <= depth
    query, rank, gain = judged.query[inside], judged.rank[inside], gain[inside]
    value = np.zeros(len(judged))
    step = max(1, AT_ONCE // depth)
    for first in range(0, len(judged), step):
        some = (query >= first) & (query < first + step)
        gains = np.zeros((min(step, len(judged) - first), depth))
        gains[query[some] - first, rank[some] - 1] = gain[some]
        weights = np.ones_like(gains)
        np.cumprod(going_on(gains)[:, :-1], axis=1, out=weights[:, 1:])
        value[first : first + step] = ratio((weights * gains).sum(axis=1), weights.sum(axis=1))
    return value


# Measures near expected reciprocal rank that fit the C/W/L model of a reader. The reader reads the
# first document, and from rank i goes on to the next with a probability that falls with the gain
# found there. The value is the gain per document read. The four measures differ in what else makes
# the reader stop.

NEARLY_ERR = f"Azzopardi et al., ICTIR 2021; depth and gains as in {CWL}"

nearly_err = partial(measure, family="nearly expected reciprocal rank")


def _nearly_err(judged: Judged, min_rel: float, max_rel: float | None, patience: F64) -> F64:
    """The gain per document of a reader who stops when satisfied, or out of patience.

    `patience` is, for each rank that is read, the probability that a reader not satisfied goes on.
    """
    gain = scaled(judged, min_rel, max_rel)
    return gain_per_document(judged, gain, len(patience), lambda gains: patience * (1 - gains))


@nearly_err(
    name="NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    advice="Use it as ERR, but for the gain per document read.",
    formula="sum over ranks i to k of w_i x gain, over the sum of w_i; w_1 = 1, w_(i+1) / w_i = "
    "1 - gain_i",
    source=NEARLY_ERR,
    parameters=(MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
)
def nerr8(judged: Judged, *, cutoff: int, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who stops when satisfied, or after k documents."""
    return _nearly_err(judged, min_rel, max_rel, np.ones(min(cutoff, DEPTH)))


@nearly_err(
    name="NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    advice="Use it as NERR8 with ERR's discount 1/i.",
    formula="as NERR8, but w_(i+1) / w_i = i / (i + 1) x (1 - gain_i)",
    source=NEARLY_ERR,
    parameters=(MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
)
def nerr9(judged: Judged, *, cutoff: int, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who stops when satisfied, and loses patience by rank."""
    rank = np.arange(1, min(cutoff, DEPTH) + 1)
    return _nearly_err(judged, min_rel, max_rel, rank / (rank + 1))


@nearly_err(
    name="NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    advice="Use it as RBP for readers who stop when satisfied.",
    formula="as NERR8 (to 1000), but w_(i+1) / w_i = p (1 - gain_i)",
    source=NEARLY_ERR,
    parameters=(replace(P, default=0.9), MIN_REL, MAX_REL),
)
def nerr10(judged: Judged, *, cutoff: None, p: float, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who goes on with probability p unless satisfied."""
    return _nearly_err(judged, min_rel, max_rel, np.full(DEPTH, p))


@nearly_err(
    name="NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    advice="Use it as INSQ for readers who stop when satisfied.",
    formula="as NERR8 (to 1000), but w_(i+1) / w_i = ((i + 2T - 1) / (i + 2T))^2 (1 - gain_i)",
    source=NEARLY_ERR,
    parameters=(WANTED, MIN_REL, MAX_REL),
)
def nerr11(judged: Judged, *, cutoff: None, T: float, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who wants T documents and stops when satisfied."""
    here = np.arange(1, DEPTH + 1) + 2 * T
    return _nearly_err(judged, min_rel, max_rel, ((here - 1) / here) ** 2)
