"""Binary preferences: relevant documents should stand above the judged nonrelevant ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from evalstore.measures.judged import (
    F64,
    Judged,
    PreferenceGroup,
    QueryPreferences,
    Scope,
    Share,
    of_grades,
    pairs,
    ratio,
    ties_ascending,
)
from evalstore.measures.registry import REL, Parameter, TrecName, measure

of_bpref = partial(measure, family="preference", from_hits=False, parameters=(REL,), ideal=1.0)


def _preference(judged: Judged, rel: float) -> F64:
    hits = judged.hits(rel)
    total = judged.pool.nonrelevant(rel)
    above = judged.judged_so_far()[hits.row] - hits.found
    relevant = hits.total[hits.query]
    worst = np.minimum(total[hits.query], relevant)
    kept = 1 - ratio(np.minimum(above, relevant), worst)
    return ratio(judged.sum_by_query(hits.query, kept), hits.total)


@of_bpref(
    name="Bpref",
    title="Binary preference",
    advice="Use it if judgments are incomplete: it ignores documents without a judgment. "
    "Without judged nonrelevant documents it is the recall.",
    formula="1/R x sum over relevant retrieved of 1 - min(n, R) / min(N, R); n judged "
    "nonrelevant documents above it, N in all",
    source="Buckley and Voorhees, SIGIR 2004; trec_eval m_bpref.c",
    trec=(TrecName("bpref", "Bpref"),),
    aliases=("BPref",),
)
def bpref(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Frequency with which a relevant document is above judged nonrelevant ones."""
    return _preference(judged, rel)


@of_bpref(
    name="GM-Bpref",
    title="Binary preference, geometric mean",
    advice="Use it as Bpref if the worst queries matter.",
    formula="as GMAP, of Bpref",
    source="trec_eval m_gm_bpref.c",
    aggregate="geometric mean",
    trec=(TrecName("gm_bpref", "GM-Bpref"),),
)
def geometric_bpref(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Binary preference, whose mean over queries is a geometric one."""
    return _preference(judged, rel)


# Rankings with the preferred document of a pair first: trec_eval's `prefs_*`. A preference a over b
# is fulfilled if a was retrieved and b was not, or stands below a. The preferences are those of a
# file, or else those of the grades of the qrels. Equal scores are ordered by document id ascending,
# as trec_eval does for these measures alone.

T = TypeVar("T")

SCOPE = Parameter(
    "scope",
    "all",
    "which preferences count: 'all', those with at least one of the two documents retrieved "
    "('either'), or with both ('both')",
    kind="text",
    choices=("all", "either", "both"),
)
BOTH = Parameter(
    "scope",
    "all",
    "which preferences count: 'all', or those with both documents retrieved ('both')",
    kind="text",
    choices=("all", "both"),
)
of_preferences = partial(
    measure, family="preference judgments", optional_needs=("preferences",), condensable=False
)


def _queries(judged: Judged) -> tuple[QueryPreferences, ...]:
    """The preferences of each query: those given, or else those of the grades."""
    if judged.preferences is not None:
        return judged.preferences
    return judged.memo("preferences of grades", lambda: _of_grades(judged))


def _of_grades(judged: Judged) -> tuple[QueryPreferences, ...]:
    kept = judged.grade >= 0
    query, rank, grade = judged.query[kept], judged.rank[kept], judged.grade[kept]
    rank = ties_ascending(query, rank, judged.score[kept])
    grade = grade[np.lexsort((rank, query))]
    in_pool = judged.pool.grade >= 0
    pool_query, pool_grade = judged.pool.query[in_pool], judged.pool.grade[in_pool]
    numbers = np.arange(len(judged) + 1)
    first, pool_first = np.searchsorted(query, numbers), np.searchsorted(pool_query, numbers)
    preferences = []
    for i in range(len(judged)):
        ranked = grade[first[i] : first[i + 1]]
        pool = pool_grade[pool_first[i] : pool_first[i + 1]]
        levels, counts = np.unique(pool, return_counts=True)
        counts -= np.bincount(np.searchsorted(levels, ranked), minlength=len(levels))
        preferences.append(of_grades(ranked.tolist(), np.repeat(levels, counts).tolist()))
    return tuple(preferences)


def _memo(judged: Judged, name: str, compute: Callable[[QueryPreferences], T]) -> list[T]:
    """The results of each query, computed once."""
    return judged.memo(("preferences", name), lambda: [compute(q) for q in _queries(judged)])


def _shares(judged: Judged, scope: Scope) -> list[list[Share]]:
    counted = _memo(judged, "counts", lambda query: [query.counts(g) for g in query.groups])
    return [[counts.share(scope) for counts in query] for query in counted]


def _total(shares: list[Share]) -> Share:
    return Share(sum(s.fulfilled for s in shares), sum(s.possible for s in shares))


def _ratio(share: Share) -> float:
    return share.fulfilled / share.possible if share.possible else 0.0


def _values(values: list[float]) -> F64:
    return np.array(values, np.float64)


@of_preferences(
    name="PrefSimple",
    title="Share of preferences fulfilled",
    advice="Use it if people said which of two documents is better. A judge with many "
    "preferences outweighs one with few (else PrefGroup). scope='both' is for collections that "
    "grew after judging.",
    formula="preferences fulfilled / preferences, over all judgment groups; fulfilled: the "
    "preferred document was retrieved, and the other one was not or is below it",
    source="trec_eval m_prefs_simp.c, m_prefs_simp_ret.c, m_prefs_simp_imp.c; "
    "Carterette et al., ECIR 2008",
    parameters=(SCOPE,),
    trec=(
        TrecName("prefs_simp", "PrefSimple"),
        TrecName("prefs_simp_ret", "PrefSimple(scope='both')"),
        TrecName("prefs_simp_imp", "PrefSimple(scope='either')"),
    ),
)
def pref_simple(judged: Judged, *, cutoff: None, scope: Scope) -> F64:
    """The share of the preferences that the ranking fulfils."""
    return _values([_ratio(_total(shares)) for shares in _shares(judged, scope)])


@of_preferences(
    name="PrefPair",
    title="Share of preferences fulfilled, pair by pair",
    advice="Use it as PrefSimple if several judges compare the same documents: each pair "
    "counts once.",
    formula="mean over pairs of documents with a preference of: judgment groups whose preference "
    "is fulfilled / judgment groups with a preference; 0 for a pair of which neither was "
    "retrieved",
    source="trec_eval m_prefs_pair.c, m_prefs_pair_ret.c, m_prefs_pair_imp.c",
    parameters=(SCOPE,),
    trec=(
        TrecName("prefs_pair", "PrefPair"),
        TrecName("prefs_pair_ret", "PrefPair(scope='both')"),
        TrecName("prefs_pair_imp", "PrefPair(scope='either')"),
    ),
)
def pref_pair(judged: Judged, *, cutoff: None, scope: Scope) -> F64:
    """Agreement of judges with the ranking, averaged over pairs of documents."""
    values = []
    for pair in _memo(judged, "pairs", pairs):
        agreed, count = pair.both, pair.both_pairs
        if scope != "both":
            agreed, count = agreed + pair.one, count + pair.one_pairs
        if scope == "all":
            count += pair.neither_pairs
        values.append(agreed / count if count else 0.0)
    return _values(values)


@of_preferences(
    name="PrefGroup",
    title="Share of preferences fulfilled, averaged over judgment groups",
    advice="Use it as PrefSimple if every judge should weigh alike.",
    formula="mean over judgment groups of preferences fulfilled / preferences; 0 for a group "
    "without preferences",
    source="trec_eval m_prefs_avgjg.c, m_prefs_avgjg_ret.c, m_prefs_avgjg_imp.c",
    parameters=(SCOPE,),
    trec=(
        TrecName("prefs_avgjg", "PrefGroup"),
        TrecName("prefs_avgjg_ret", "PrefGroup(scope='both')"),
        TrecName("prefs_avgjg_imp", "PrefGroup(scope='either')"),
    ),
)
def pref_group(judged: Judged, *, cutoff: None, scope: Scope) -> F64:
    """The share of the preferences that the ranking fulfils, every judge weighing alike."""
    return _values(
        [
            sum(map(_ratio, shares)) / len(shares) if shares else 0.0
            for shares in _shares(judged, scope)
        ]
    )


@of_preferences(
    name="PrefBalanced",
    title="Share of preferences fulfilled, as many nonrelevant as relevant",
    advice="Use it only to reproduce figures of trec_eval: if N > R in a group of one "
    "subgroup, good rankings get low values.",
    formula="as PrefGroup, with R documents of a level above 0 and N of level 0 in a group: if "
    "R >= N, R x (R - N) preferences are added, those of retrieved documents being fulfilled; if "
    "N > R only the first R documents of level 0 count, by rank and then by id, and in a group of "
    "one subgroup the N are preferred to each of these R. With scope='both' R and N count "
    "retrieved documents, but the R before the parentheses counts all. A group without anything to "
    "count makes the query 0",
    source="trec_eval m_prefs_avgjg_Rnonrel.c, m_prefs_avgjg_Rnonrel_ret.c",
    parameters=(BOTH,),
    trec=(
        TrecName("prefs_avgjg_Rnonrel", "PrefBalanced"),
        TrecName("prefs_avgjg_Rnonrel_ret", "PrefBalanced(scope='both')"),
    ),
    monotone=False,
)
def pref_balanced(judged: Judged, *, cutoff: None, scope: Scope) -> F64:
    """The share of preferences fulfilled, the nonrelevant documents cut to as many as relevant."""
    values = []
    for query in _queries(judged):
        shares = [_balanced(query, group, scope) for group in query.groups]
        counts = bool(shares) and all(share.possible for share in shares)
        values.append(sum(map(_ratio, shares)) / len(shares) if counts else 0.0)
    return _values(values)


def _balanced(query: QueryPreferences, group: PreferenceGroup, scope: Scope) -> Share:
    """The preferences of a group with as many documents of level 0 as above 0."""
    inside = query.retrieved if scope == "both" else -1
    relevant = (group.relevant & inside).bit_count()
    nonrelevant = (group.nonrelevant & inside).bit_count()
    if relevant >= nonrelevant:
        fulfilled, possible = query.counts(group).share(scope)
        more = relevant - nonrelevant
        retrieved = (group.relevant & query.retrieved).bit_count()
        return Share(fulfilled + retrieved * more, possible + group.relevant.bit_count() * more)
    if not group.in_one_order:  # trec_eval keeps as many as all relevant documents in either scope
        kept = query.first(group.nonrelevant, group.relevant.bit_count())
        return query.counts(group, ~group.nonrelevant | kept).share(scope)
    kept = query.first(group.nonrelevant, relevant)
    fulfilled, possible = query.counts(group, ~group.nonrelevant | kept).share(scope)
    # Of the nonrelevant documents compared with the ones kept, the retrieved ones above fulfil.
    retrieved = (group.nonrelevant & query.retrieved).bit_count()
    above = sum(min(place, retrieved) for place in range(relevant))
    return Share(fulfilled + above, possible + nonrelevant * relevant)


@of_preferences(
    name="NumPrefs",
    title="Number of preferences",
    advice="Use it to see on how many preferences the other measures rest.",
    formula="preferences in all judgment groups, whatever was retrieved",
    source="trec_eval m_prefs_num_prefs_poss.c",
    bounds=(0.0, np.inf),
    higher_is_better=None,
    aggregate="sum",
    counts=True,
    trec=(TrecName("prefs_num_prefs_poss", "NumPrefs"),),
    rank_sensitive=False,
)
def num_prefs(judged: Judged, *, cutoff: None) -> F64:
    """Number of preferences between documents that the judges have."""
    return _values([_total(shares).possible for shares in _shares(judged, "all")])


@of_preferences(
    name="NumPrefsFulfilled",
    title="Number of preferences fulfilled",
    advice="Use it beside NumPrefs.",
    formula="preferences fulfilled in all judgment groups, as PrefSimple counts them",
    source="trec_eval m_prefs_num_prefs_ful.c, m_prefs_num_prefs_ful_ret.c",
    parameters=(BOTH,),
    bounds=(0.0, np.inf),
    aggregate="sum",
    counts=True,
    trec=(
        TrecName("prefs_num_prefs_ful", "NumPrefsFulfilled"),
        TrecName("prefs_num_prefs_ful_ret", "NumPrefsFulfilled(scope='both')"),
    ),
)
def num_prefs_fulfilled(judged: Judged, *, cutoff: None, scope: Scope) -> F64:
    """Number of preferences between documents that the ranking fulfils."""
    return _values([_total(shares).fulfilled for shares in _shares(judged, scope)])
