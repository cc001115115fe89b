"""The retrieved documents as a set, without their order."""

from __future__ import annotations

from functools import partial

import numpy as np

from evalstore.errors import MeasureError
from evalstore.measures.judged import F64, Judged, ratio
from evalstore.measures.notation import in_order, square
from evalstore.measures.registry import NEEDS, RANK, REL, Cutoff, Parameter, TrecName, measure

of_set = partial(measure, parameters=(REL,), rank_sensitive=False)


@of_set(
    name="SetP",
    title="Set precision",
    advice="Use it for engines that return a set (Boolean search, filters).",
    formula="relevant retrieved / retrieved",
    source="trec_eval m_set_P.c",
    parameters=(
        REL,
        Parameter("relative", False, "True names SetRelP", kind="flag", becomes="SetRelP"),
    ),
    trec=(TrecName("set_P", "SetP"),),
)
def set_precision(judged: Judged, *, cutoff: None, rel: float, relative: bool) -> F64:
    """The share of all retrieved documents that is relevant."""
    return ratio(judged.hits(rel).retrieved, judged.retrieved)


@of_set(
    name="SetRelP",
    title="Relative set precision",
    advice="Use it as SetP if sets are larger than the number of relevant documents.",
    formula="relevant retrieved / min(retrieved, R)",
    source="trec_eval m_set_rel_P.c",
    trec=(TrecName("set_relative_P", "SetRelP"),),
    ideal=1.0,
)
def set_relative_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Set precision as a share of the best that a set of this size can have."""
    hits = judged.hits(rel)
    return ratio(hits.retrieved, np.minimum(judged.retrieved, hits.total))


@of_set(
    name="SetR",
    title="Set recall",
    advice="Use it for the whole answer of an engine; at a common depth use R@k.",
    formula="relevant retrieved / R",
    source="trec_eval m_set_recall.c",
    trec=(TrecName("set_recall", "SetR"),),
    ideal=1.0,
)
def set_recall(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """The share of the relevant documents that was retrieved at all."""
    hits = judged.hits(rel)
    return ratio(hits.retrieved, hits.total)


@of_set(
    name="SetAP",
    title="Set average precision",
    advice="Use it to compare with trec_eval; SetF is better known.",
    formula="SetP x SetR",
    source="trec_eval m_set_map.c",
    trec=(TrecName("set_map", "SetAP"),),
)
def set_average_precision(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Set precision for each relevant document retrieved, 0 for the others, averaged over R."""
    hits = judged.hits(rel)
    return ratio(hits.retrieved**2, judged.retrieved * hits.total)


@of_set(
    name="SetF",
    title="Set F",
    advice="Use it when a set must be both precise and complete. A beta above 1 favours recall.",
    formula="(1 + beta^2) x P x R / (beta^2 x P + R), P = SetP, R = SetR; 0 if both are 0",
    source="van Rijsbergen, Information Retrieval, 1979, chapter 7; trec_eval m_set_F.c, whose "
    "number is beta squared",
    parameters=(
        Parameter("beta", 1, "how much more recall weighs than precision", above=0, most=1e6),
        REL,
    ),
    trec=(TrecName("set_F", "SetF", arguments=square),),
)
def set_f(judged: Judged, *, cutoff: None, rel: float, beta: float) -> F64:
    """The weighted harmonic mean of set precision and set recall."""
    hits = judged.hits(rel)
    p, r = ratio(hits.retrieved, judged.retrieved), ratio(hits.retrieved, hits.total)
    return ratio((1 + beta**2) * p * r, beta**2 * p + r)


@measure(
    name="Accuracy",
    title="Accuracy",
    advice="Use it for a classifier over a small collection; in a large one every engine is "
    "above 0.99.",
    formula="(relevant retrieved + nonrelevant not retrieved) / documents of the collection; "
    "with @k only the first k count as retrieved",
    source="Manning et al., Introduction to Information Retrieval, 8.3",
    parameters=(REL,),
    cutoff=RANK,
    needs=("collection_size",),
    rank_sensitive=True,
)
def accuracy(judged: Judged, *, cutoff: int | None, rel: float) -> F64:
    """The share of the collection's documents rightly retrieved or rightly left out."""
    size = judged.collection_size or 1
    hits = judged.hits(rel)
    depth = np.inf if cutoff is None else cutoff
    relevant = judged.count_by_query(hits.query[hits.rank <= depth])
    wrong = np.minimum(judged.retrieved, depth) - relevant + hits.total - relevant
    return np.asarray(np.maximum(size - wrong, 0) / size)


@of_set(
    name="Utility",
    title="Linear utility",
    advice="Use it for filtering, where every document costs or earns something. Long rankings "
    "dominate its mean.",
    formula="p1 x relevant retrieved + p2 x nonrelevant retrieved + p3 x relevant missed + p4 x "
    "the rest of the collection",
    source="Lewis, TREC-5 filtering track; trec_eval m_utility.c",
    parameters=(
        Parameter("p1", 1, "its weight in the formula", least=-1e6, most=1e6),
        Parameter("p2", -1, "its weight in the formula", least=-1e6, most=1e6),
        Parameter("p3", 0, "its weight in the formula", least=-1e6, most=1e6),
        Parameter(
            "p4",
            0,
            "its weight in the formula; needs the size of the collection",
            least=-1e6,
            most=1e6,
        ),
        REL,
    ),
    trec=(TrecName("utility", "Utility", arguments=in_order("p1", "p2", "p3", "p4")),),
    bounds=(-np.inf, np.inf),
)
def utility(
    judged: Judged, *, cutoff: None, rel: float, p1: float, p2: float, p3: float, p4: float
) -> F64:
    """Worth of the answer when every document has a price."""
    if p4 and judged.collection_size is None:
        raise MeasureError(
            f"Utility with p4 needs {NEEDS['collection_size']}", needs="collection_size"
        )
    hits = judged.hits(rel)
    relevant, missed = hits.retrieved, hits.total - hits.retrieved
    others = judged.retrieved - relevant
    left_out = (judged.collection_size or 0) - judged.retrieved - missed
    return np.asarray(p1 * relevant + p2 * others + p3 * missed + p4 * left_out)


# Counts of documents, judgments and queries

UNBOUNDED = (0.0, np.inf)
of_counts = partial(measure, family="counts", higher_is_better=None)
count = partial(of_counts, bounds=UNBOUNDED, aggregate="sum", counts=True, rank_sensitive=False)


@count(
    name="NumQ",
    bounds=(0.0, 1.0),
    title="Queries",
    advice="Use it to see over how many queries a mean is.",
    formula="1 for each query evaluated",
    source="trec_eval m_num_q.c",
    trec=(TrecName("num_q", "NumQ"),),
    condensable=False,
)
def num_q(judged: Judged, *, cutoff: None) -> F64:
    """Number of queries that were evaluated."""
    return np.ones(len(judged))


@count(
    name="NumRet",
    title="Documents retrieved",
    advice="Use it to see whether engines were cut at the same depth.",
    formula="documents in the ranking",
    source="trec_eval m_num_ret.c",
    parameters=(Parameter("rel", None, "NumRelRet with that rel", above=0, becomes="NumRelRet"),),
    trec=(TrecName("num_ret", "NumRet"),),
)
def num_ret(judged: Judged, *, cutoff: None, rel: None) -> F64:
    """Number of documents that were retrieved."""
    return judged.retrieved.astype(np.float64)


@count(
    name="NumRel",
    title="Relevant documents",
    advice="Use it to interpret a query: with few relevant documents every measure is unstable.",
    formula="R, the judged documents of the query with a grade of at least rel",
    source="trec_eval m_num_rel.c",
    parameters=(REL,),
    trec=(TrecName("num_rel", "NumRel"),),
    condensable=False,
)
def num_rel(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Number of documents of the qrels that are relevant."""
    return judged.hits(rel).total


@count(
    name="NumRelRet",
    title="Relevant documents retrieved",
    advice="Use it beside NumRel: their ratio is recall.",
    formula="relevant documents in the ranking",
    source="trec_eval m_num_rel_ret.c",
    parameters=(REL,),
    higher_is_better=True,
    trec=(TrecName("num_rel_ret", "NumRelRet"),),
)
def num_rel_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Number of relevant documents that were retrieved."""
    return judged.hits(rel).retrieved.astype(np.float64)


@count(
    name="NumNonrelRet",
    from_hits=False,
    title="Judged nonrelevant documents retrieved",
    advice="Use it beside NumRet and NumRelRet: the rest was never judged.",
    formula="documents in the ranking with a grade from 0 to below rel",
    source="trec_eval m_num_nonrel_judged_ret.c",
    parameters=(REL,),
    trec=(TrecName("num_nonrel_judged_ret", "NumNonrelRet"),),
)
def num_nonrel_ret(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Number of documents judged as not relevant that were retrieved."""
    nonrelevant = (judged.grade >= 0) & (judged.grade < rel)
    return judged.count_by_query(judged.query[nonrelevant]).astype(np.float64)


OF_RANKING = Cutoff("rank", required=False, doc="the first k documents; without it the ranking")


def _judged_at(judged: Judged, cutoff: int | None) -> F64:
    graded = judged.grade >= 0
    if cutoff is not None:
        graded &= judged.rank <= cutoff
    return judged.count_by_query(judged.query[graded]).astype(np.float64)


@of_counts(
    name="Judged",
    from_hits=False,
    title="Judged at k",
    advice="Look at it before P@k or nDCG@k: unjudged documents make an engine look worse.",
    formula="documents with a grade of at least 0 in the first k / k",
    source="the complement of trec_eval's unj_k for rankings of at least k documents",
    cutoff=OF_RANKING,
    condensable=False,
)
def judged_at(judged: Judged, *, cutoff: int | None) -> F64:
    """The share of the first k documents that has a judgment."""
    seen = _judged_at(judged, cutoff)
    return ratio(seen, judged.retrieved) if cutoff is None else seen / cutoff


@of_counts(
    name="Unjudged",
    from_hits=False,
    title="Unjudged at k",
    advice="Look at it before P@k or nDCG@k: it should be low.",
    formula="documents in the first k without a grade of at least 0 / k; missing documents count "
    "as judged",
    source="trec_eval m_unjudged.c",
    cutoff=OF_RANKING,
    trec=(TrecName("unj", "Unjudged@{}", ("5", "10", "20")),),
    condensable=False,
)
def unjudged_at(judged: Judged, *, cutoff: int | None) -> F64:
    """The share of the first k documents that has no judgment."""
    seen = _judged_at(judged, cutoff)
    if cutoff is None:
        return ratio(judged.retrieved - seen, judged.retrieved)
    return np.asarray((np.minimum(judged.retrieved, cutoff) - seen) / cutoff)
