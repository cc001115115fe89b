"""Graded relevance: gains, cumulated and discounted by rank."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from evalstore.measures.judged import F64, I64, Judged, Pool, accumulate, ratio
from evalstore.measures.notation import gains as gains_named
from evalstore.measures.registry import RANK, REL, TREC_CUTOFFS, Parameter, TrecName, measure

Gains = tuple[tuple[float, float], ...] | None

GRADED_REL = Parameter("rel", 0, "grades below it gain nothing", least=0)
DCG = Parameter(
    "dcg",
    "log2",
    "gain and discount: 'log2' is grade / log2(i + 1), 'exp-log2' (2^grade - 1) / log2(i + 1), "
    "'jk' grade / log2(max(i, 2))",
    kind="text",
    choices=("log2", "exp-log2", "jk"),
)
GAINS = Parameter(
    "gains", None, "the gain of some grades, {1:0.5,2:0.9}; others keep theirs", kind="gains"
)
STEEPEST = 1000.0  # 2^1000 is still a number; no scale of grades is longer


def gain_of(grade: F64, dcg: str = "log2", gains: Gains = None, rel: float = 0) -> F64:
    """The gain of a document of each grade: never negative."""
    positive = np.maximum(grade, 0.0)
    gain = np.exp2(np.minimum(positive, STEEPEST)) - 1 if dcg == "exp-log2" else positive
    for level, level_gain in gains or ():
        gain = np.where(grade == level, level_gain, gain)
    return np.where(grade >= rel, gain, 0.0)


def discount_of(rank: I64, dcg: str = "log2") -> F64:
    """The divisor of a gain at each rank."""
    return np.log2(np.maximum(rank, 2)) if dcg == "jk" else np.log2(rank + 1.0)


class Ideal:
    """The gains of the ideal ranking of each query, and their discounted sums up to each rank.

    Attributes:
        gain: float64, of each judgment, in the order of the ideal ranking.
        best_to: float64, the ideal DCG at the place of each judgment.
        start: int64, where the judgments of each query begin.
        gaining: int64, how many judgments of each query gain something; they come first.
    """

    def __init__(self, pool: Pool, *, dcg: str, gains: Gains, rel: float) -> None:
        gain = gain_of(pool.grade, dcg, gains, rel)
        if gains:  # gains may reverse the order of the grades
            gain = gain[np.lexsort((-gain, pool.query))]
        self.gain = gain
        self.best_to = accumulate(np.add, pool.query, gain / discount_of(pool.places(), dcg))
        self.start = np.cumsum(pool.count()) - pool.count()
        self.gaining = np.bincount(pool.query[gain > 0], minlength=pool.queries)

    def best(self, query: I64, rank: I64) -> F64:
        """The ideal DCG of queries at ranks; 0 for a query that has none."""
        position = np.minimum(rank, self.gaining[query])
        at = np.maximum(self.start[query] + position - 1, 0)
        value = np.zeros(len(query))
        some = position > 0
        value[some] = self.best_to[at[some]]
        return value

    def best_all(self, cutoff: int | None = None) -> F64:
        """The ideal DCG at a rank, per query."""
        every = np.arange(len(self.gaining))
        rank = self.gaining if cutoff is None else np.full(len(every), cutoff)
        return self.best(every, rank)


class Curves:
    """The gains of a run and of the ideal rankings, and their discounted sums up to each rank.

    Attributes:
        gain: float64, of each judged document retrieved.
        ideal: the ideal rankings.
    """

    def __init__(
        self, judged: Judged, *, dcg: str = "log2", gains: Gains = None, rel: float = 0
    ) -> None:
        # Keep the arrays and not `judged`, which holds the curves: a reference cycle would stay
        # in memory after the run.
        self.query, self.rank, self.count = judged.query, judged.rank, len(judged)
        self.dcg = dcg
        self.gain = gain_of(judged.grade, dcg, gains, rel)
        self.ideal = judged.pool.memo(
            ("ideal", dcg, gains, rel), lambda: Ideal(judged.pool, dcg=dcg, gains=gains, rel=rel)
        )

    @cached_property
    def terms(self) -> F64:
        """The discounted gain of each judged document retrieved."""
        return self.gain / discount_of(self.rank, self.dcg)

    def reached(self, cutoff: int | None = None) -> F64:
        """The DCG of the run at a rank, per query."""
        terms = self.terms
        if cutoff is not None:
            terms = np.where(self.rank <= cutoff, terms, 0.0)
        return np.bincount(self.query, terms, minlength=self.count).astype(np.float64)

    def reached_at(self, query: I64, rank: I64) -> F64:
        """The DCG of the run at a rank of a query, for several."""
        running = accumulate(np.add, self.query, self.terms)
        span = int(max(self.rank.max(initial=0), rank.max(initial=0))) + 1
        names, wanted = self.query * span + self.rank, query * span + rank
        at = np.searchsorted(names, wanted, side="right") - 1
        inside = at >= 0
        inside[inside] = self.query[at[inside]] == query[inside]
        value = np.zeros(len(query))
        value[inside] = running[at[inside]]
        return value


def curves(judged: Judged, *, dcg: str = "log2", gains: Gains = None, rel: float = 0) -> Curves:
    """The curves for a way to gain, shared by the measures."""
    key = ("curves", dcg, gains, rel)
    return judged.memo(key, lambda: Curves(judged, dcg=dcg, gains=gains, rel=rel))


JARVELIN = "Jarvelin and Kekalainen, TOIS 2002"


@measure(
    name="CG",
    title="Cumulated gain",
    advice="Use it to teach; compare queries by nDCG.",
    formula="sum over ranks i (to k) of the grade",
    source=JARVELIN,
    parameters=(GAINS, GRADED_REL),
    cutoff=RANK,
    bounds=(0.0, np.inf),
)
def cumulated_gain(judged: Judged, *, cutoff: int | None, gains: Gains, rel: float) -> F64:
    """The sum of the grades of the documents retrieved."""
    gain = gain_of(judged.grade, "log2", gains, rel)
    if cutoff is not None:
        gain = np.where(judged.rank <= cutoff, gain, 0.0)
    return judged.sum_by_query(judged.query, gain)


@measure(
    name="DCG",
    title="Discounted cumulated gain",
    advice="Use it to follow one query down the ranks; compare queries by nDCG.",
    formula="sum over ranks i (to k) of gain / discount; see dcg=",
    source=JARVELIN + " ('jk': their discount with base 2); 'exp-log2' is Burges et al., ICML 2005",
    parameters=(DCG, GAINS, GRADED_REL),
    cutoff=RANK,
    bounds=(0.0, np.inf),
)
def dcg(judged: Judged, *, cutoff: int | None, dcg: str, gains: Gains, rel: float) -> F64:
    """The sum of the gains, each worth less the deeper it is."""
    return curves(judged, dcg=dcg, gains=gains, rel=rel).reached(cutoff)


@measure(
    name="nDCG",
    title="Normalised discounted cumulative gain",
    advice="Use it at a cutoff (nDCG@10) if judgments are graded and the top matters. Say "
    "which gain you use: other tools may use 2^g - 1.",
    formula="DCG / ideal DCG, DCG = sum over ranks i (to k) of gain / discount (see dcg=); the "
    "ideal ranks all judged documents of the query by gain",
    source=JARVELIN + "; exp-log2: Burges et al., ICML 2005; trec_eval m_ndcg.c, m_ndcg_cut.c",
    parameters=(DCG, GAINS, GRADED_REL),
    cutoff=RANK,
    trec=(
        TrecName("ndcg_cut", "nDCG@{}", TREC_CUTOFFS),
        TrecName("ndcg", "nDCG", arguments=gains_named),
    ),
    aliases=("NDCG",),
    ideal=1.0,
)
def ndcg(judged: Judged, *, cutoff: int | None, dcg: str, gains: Gains, rel: float) -> F64:
    """The discounted gain of the ranking as a share of the best possible."""
    gain_curves = curves(judged, dcg=dcg, gains=gains, rel=rel)
    return ratio(gain_curves.reached(cutoff), gain_curves.ideal.best_all(cutoff))


@measure(
    name="Rndcg",
    title="nDCG averaged at the changes of the ideal gain",
    advice="Use it to compare with trec_eval, which calls it experimental.",
    formula="mean of nDCG@k at the ranks k where the ideal gain changes (after all documents of "
    "the highest grade, of the two highest, ...) and at the end of a longer ranking",
    source="trec_eval m_Rndcg.c",
    parameters=(GAINS, REL),
    trec=(TrecName("Rndcg", "Rndcg", arguments=gains_named),),
    ideal=1.0,
)
def rndcg(judged: Judged, *, cutoff: None, gains: Gains, rel: float) -> F64:
    """The mean of nDCG at the ranks where the ideal ranking changes to a lower gain."""
    gain_curves = curves(judged, gains=gains)
    pool, ideal = judged.pool, gain_curves.ideal
    position = pool.places()
    last = np.append(pool.query[1:] != pool.query[:-1], True)[: len(position)]
    drops = np.append(ideal.gain[1:] < ideal.gain[:-1], True)[: len(position)]
    turn = (last | drops) & (ideal.gain > 0)
    query, rank = pool.query[turn], position[turn]
    total = judged.sum_by_query(
        query, ratio(gain_curves.reached_at(query, rank), ideal.best_to[turn])
    )
    # trec_eval adds the end only if two documents or more follow the last relevant place.
    beyond = (judged.retrieved > ideal.gaining + 1) & (ideal.gaining > 0)
    total += np.where(beyond, ratio(gain_curves.reached(), ideal.best_all()), 0.0)
    # -l decides here only which queries count at all.
    return ratio(total, judged.count_by_query(query) + beyond) * (judged.hits(rel).total > 0)


@measure(
    name="nDCGrel",
    title="nDCG averaged at the relevant documents",
    advice="Use it to compare with trec_eval, which calls it experimental.",
    formula="mean of nDCG at the ranks of the R documents with a gain; one not retrieved counts "
    "the nDCG of the whole ranking",
    source="trec_eval m_ndcg_rel.c",
    parameters=(GAINS,),
    trec=(TrecName("ndcg_rel", "nDCGrel", arguments=gains_named),),
    monotone=False,
    ideal=1.0,
)
def ndcg_at_relevant(judged: Judged, *, cutoff: None, gains: Gains) -> F64:
    """The mean of nDCG at the ranks of the relevant documents."""
    gain_curves = curves(judged, gains=gains)
    ideal = gain_curves.ideal
    running = accumulate(np.add, judged.query, gain_curves.terms)
    gaining = gain_curves.gain > 0
    query, rank = judged.query[gaining], judged.rank[gaining]
    total = judged.sum_by_query(query, ratio(running[gaining], ideal.best(query, rank)))
    missed = ideal.gaining - judged.count_by_query(query)
    total += missed * ratio(gain_curves.reached(), ideal.best_all())
    return ratio(total, ideal.gaining)


@measure(
    name="G",
    title="Normalised gain",
    advice="Use it to compare with trec_eval, which calls it experimental.",
    formula="sum of gain / log2(2 + cost - gain so far) / sum of all gains; the cost of a rank is "
    "the ideal gain there, at least 1",
    source="trec_eval m_G.c",
    parameters=(GAINS,),
    trec=(TrecName("G", "G", arguments=gains_named),),
    monotone=False,
)
def normalised_gain(judged: Judged, *, cutoff: None, gains: Gains) -> F64:
    """Gain discounted by how much the ranks above fell short of the ideal."""
    gain_curves = curves(judged, gains=gains)
    pool, ideal = judged.pool, gain_curves.ideal
    above_one = accumulate(np.add, pool.query, np.maximum(ideal.gain - 1, 0.0))
    position = np.minimum(judged.rank, pool.count()[judged.query])
    cost = judged.rank + above_one[ideal.start[judged.query] + position - 1]
    so_far = accumulate(np.add, judged.query, gain_curves.gain)
    # The ideal ranking gains the most at every rank, so this is at least log2(2).
    terms = gain_curves.gain / np.log2(np.maximum(2 + cost - so_far, 2.0))
    everything = judged.sum_by_query(pool.query, ideal.gain)
    return ratio(judged.sum_by_query(judged.query, terms), everything)


@measure(
    name="binG",
    title="Binary normalised gain",
    advice="Use it to compare with trec_eval, which calls it experimental.",
    formula="1/R x sum over relevant retrieved of 1 / log2(2 + nonrelevant documents above)",
    source="trec_eval m_binG.c",
    parameters=(REL,),
    trec=(TrecName("binG", "binG"),),
    ideal=1.0,
)
def binary_gain(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Relevant documents, each discounted by the nonrelevant ones above it."""
    hits = judged.hits(rel)
    terms = 1 / np.log2(2.0 + hits.rank - hits.found)
    return ratio(judged.sum_by_query(hits.query, terms), hits.total)
