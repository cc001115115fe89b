"""Measures of preferences, by hand and against a count of all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_samples import Answer, by_hand, qrels_of, run_of, value, values

from evalstore.formats import Preferences
from evalstore.formats.trec.preferences import Row, preferences_of
from evalstore.measures import registry
from evalstore.measures.join import Extras, match
from evalstore.measures.judged import CompatMode, Judged

ALL = (
    *("PrefSimple", "PrefSimple(scope='either')", "PrefSimple(scope='both')"),
    *("PrefPair", "PrefPair(scope='either')", "PrefPair(scope='both')"),
    *("PrefGroup", "PrefGroup(scope='either')", "PrefGroup(scope='both')"),
    *("PrefBalanced", "PrefBalanced(scope='both')"),
    *("NumPrefs", "NumPrefsFulfilled", "NumPrefsFulfilled(scope='both')"),
)


def given_preferences(*lines: str) -> Preferences:
    """Lines of `group subgroup docno level` of the query `q`, or of five columns."""
    words = [line.split() if line.count(" ") == 4 else ["q", *line.split()] for line in lines]
    ids = [[word.encode() for word in line[:4]] for line in words]
    levels = [float(line[4]) for line in words]
    rows = [
        Row(qid, group, subgroup, docno, level)
        for (qid, group, subgroup, docno), level in zip(ids, levels, strict=True)
    ]
    return preferences_of("prefs", rows)


def judged(
    ranking: str | Sequence[str],
    *lines: str,
    scores: Mapping[str, float] | None = None,
    depth: int | None = None,
    judged_only: bool = False,
    compat: CompatMode = "exact",
) -> Judged:
    """A run that answers `q` with these documents (each a letter), joined to preferences."""
    run = {"q": scores or {docno: 100.0 - i for i, docno in enumerate(ranking)}}
    return match(
        run_of(run),
        qrels_of({"q": {"anything": 0}}),
        extras=Extras(preferences=given_preferences(*lines)),
        depth=depth,
        judged_only=judged_only,
        compat=compat,
    )


ANN = ("ann s a 3", "ann s b 2", "ann s c 1", "ann s d 0")
# a over b, c, d; b over c, d; c over d. The run retrieves b, x, a, d: c is missed.
# Both retrieved: a>b no, a>d yes, b>d yes. One: a>c, b>c yes, c>d no. Neither: none.


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("NumPrefs", 6),
        ("NumPrefsFulfilled", 4),
        ("NumPrefsFulfilled(scope='both')", 2),
        ("PrefSimple", 4 / 6),
        ("PrefSimple(scope='both')", 2 / 3),
        ("PrefSimple(scope='either')", 4 / 6),
        ("PrefPair", 4 / 6),
        ("PrefGroup", 4 / 6),
        # R = 3, N = 1: 3 x 2 added, 2 x 2 of them fulfilled (c is missed).
        ("PrefBalanced", (4 + 4) / (6 + 6)),
        # Retrieved R = 2, N = 1: 3 x 1 added, 2 x 1 fulfilled.
        ("PrefBalanced(scope='both')", (2 + 2) / (3 + 3)),
    ],
)
def test_one_judge(measure: str, expected: float) -> None:
    assert values(judged("bxad", *ANN), measure) == pytest.approx([expected], abs=1e-15)


# Bob agrees with a over b, and prefers d over both; e over f too, neither of which is retrieved.
BOB = ("bob s d 3", "bob s a 2", "bob s b 1", "bob t e 2", "bob t f 1")
# Both retrieved: d>a no, d>b no, a>b no; neither: e>f.


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("NumPrefs", 6 + 4),
        ("PrefSimple", 4 / 10),
        ("PrefSimple(scope='either')", 4 / 9),
        ("PrefSimple(scope='both')", 2 / 6),
        # Pairs: ab (both judges against) 0, ad 1/2, bd 1/2, ac 1, bc 1, cd 0, ef 0.
        ("PrefPair", 3 / 7),
        ("PrefPair(scope='either')", 3 / 6),
        ("PrefPair(scope='both')", 1 / 3),
        ("PrefGroup", (4 / 6 + 0) / 2),
        ("PrefGroup(scope='both')", (2 / 3 + 0) / 2),
    ],
)
def test_two_judges_who_disagree(measure: str, expected: float) -> None:
    assert values(judged("bxad", *ANN, *BOB), measure) == pytest.approx([expected], abs=1e-15)


def test_subgroups_of_a_judge_add_up() -> None:
    """a over b in one and b over c in another make a over c; nothing is said of c and d."""
    lines = ("g s a 3", "g s b 2", "g t b 9", "g t c 8", "g u a 2", "g u d 1")
    assert values(judged("abcd", *lines), "NumPrefs") == [4.0]
    assert values(judged("abcd", *lines), "PrefSimple") == [1.0]
    assert values(judged("cab", *lines), "NumPrefsFulfilled") == [2.0]  # a>b, and a>d: d is missed


def test_the_same_preference_in_two_subgroups_counts_once() -> None:
    lines = ("g s a 2", "g s b 1", "g t a 5", "g t b 4")
    assert values(judged("ab", *lines), "NumPrefs") == [1.0]


def test_equal_levels_make_no_preference() -> None:
    lines = ("g s a 1", "g s b 1", "g s c 1")
    assert values(judged("abc", *lines), "PrefSimple") == [0.0]
    assert values(judged("abc", *lines), "NumPrefs") == [0.0]


def test_more_nonrelevant_documents_than_relevant_ones_are_cut() -> None:
    """One relevant document a, three of level 0 of which d is not retrieved: b is kept.

    a over b is one preference, fulfilled; as trec_eval does, b, c and d are compared with b too:
    three more, none fulfilled.
    """
    lines = ("g s a 1", "g s b 0", "g s c 0", "g s d 0")
    assert values(judged("abc", *lines), "PrefBalanced") == [1 / 4]
    assert values(judged("abc", *lines), "PrefBalanced(scope='both')") == [1 / 3]


def test_in_a_group_of_several_subgroups_the_cut_documents_are_left_out() -> None:
    """a over b; c, the second nonrelevant document, is not kept."""
    lines = ("g s a 1", "g s b 0", "g t a 1", "g t c 0")
    assert values(judged("abc", *lines), "PrefBalanced") == [1.0]
    assert values(judged("bac", *lines), "PrefBalanced") == [0.0]
    assert values(judged("bac", *lines), "PrefSimple") == [1 / 2]


def test_a_judge_with_nothing_to_compare_makes_a_balanced_value_0() -> None:
    """As in trec_eval, where 0 / 0 takes part in the mean."""
    lines = ("ann s a 1", "ann s b 0", "bob s c 0")
    assert values(judged("ab", "ann s a 1", "ann s b 0"), "PrefBalanced") == [1.0]
    assert values(judged("ab", *lines), "PrefBalanced") == [0.0]
    assert values(judged("ab", *lines), "PrefGroup") == [1 / 2]


# --- which documents, queries and orders count ---------------------------------------------------


@pytest.mark.parametrize("measure", ALL)
def test_nothing_to_prefer_is_0(measure: str) -> None:
    """A single document, a query without preferences, and a query that is not answered."""
    run = run_of({"alone": {"a": 1.0}, "none": {"a": 1.0}})
    qrels = qrels_of({"alone": {"a": 1}, "none": {"a": 1, "b": 0}, "missing": {"a": 1}})
    preferences = given_preferences("alone g s a 1", "elsewhere g s a 1", "elsewhere g s b 0")
    table = match(run, qrels, extras=Extras(preferences=preferences))
    assert table.qids == ("alone", "missing", "none")
    one = 1.0 if measure.startswith("PrefBalanced") else 0.0  # R = 1 more than N = 0
    assert values(table, measure) == [one, 0.0, 0.0]


def test_a_query_that_is_not_answered_fulfils_nothing() -> None:
    qrels = qrels_of({"q": {"a": 1}})
    table = match(
        run_of({"p": {"a": 1.0}}), qrels, extras=Extras(preferences=given_preferences(*ANN))
    )
    assert values(table, "NumPrefs") == [6.0]
    assert [values(table, m) for m in ALL if m != "NumPrefs"] == [[0.0]] * (len(ALL) - 1)


@pytest.mark.parametrize("compat", ["exact", "trec_eval-9", "trec_eval-10"])
def test_equal_scores_are_ordered_by_document_id_ascending(compat: CompatMode) -> None:
    """As trec_eval does for preferences; for everything else it is descending."""
    tied = {"b": 1.0, "a": 1.0, "z": 1.0, "c": 2.0}
    lines = ("g s a 2", "g s b 1")
    assert values(judged("", *lines, scores=tied, compat=compat), "PrefSimple") == [1.0]
    table = match(run_of({"q": tied}), qrels_of({"q": {"a": 2, "b": 1}}), compat=compat)
    assert values(table, "PrefSimple") == [1.0]
    assert values(table, "RR(rel=2)") == [1 / 4]


def test_a_depth_cuts_the_ranking() -> None:
    assert values(judged("bxad", *ANN, depth=2), "NumPrefsFulfilled") == [2.0]  # b>c, b>d
    assert values(judged("bxad", *ANN, depth=2), "NumPrefsFulfilled(scope='both')") == [0.0]
    table = match(run_of({"q": {"b": 2.0, "a": 1.0}}), qrels_of({"q": {"a": 1, "b": 0}}), depth=1)
    assert values(table, "PrefSimple") == [0.0]


@pytest.mark.parametrize("measure", ALL)
def test_leaving_out_unjudged_documents_changes_nothing(measure: str) -> None:
    table, condensed = judged("bxad", *ANN, *BOB), judged("bxad", *ANN, *BOB, judged_only=True)
    assert values(condensed, measure) == values(table, measure)


def test_without_preferences_the_grades_of_the_qrels_are_compared() -> None:
    """Retrieved: 1, not judged, 2, 0; missed: 2 and 0. 2 over 1, 2 over 0 (4 times), 1 over 0."""
    table = by_hand(Answer((1, None, 2, 0), (2.0, 0.0)))
    assert values(table, "NumPrefs") == [2 + 4 + 2]
    # 1 over 0 twice, 2 over 0 twice for the one retrieved.
    assert values(table, "NumPrefsFulfilled") == [4.0]
    assert values(table, "PrefSimple") == [4 / 8]
    assert values(table, "PrefPair(scope='both')") == [2 / 3]


def test_a_negative_grade_is_not_judged_and_makes_no_preference() -> None:
    assert value("NumPrefs", 1, -1, 0, missed=(-2.0,)) == 1.0


def test_preferences_given_replace_the_grades_for_every_query() -> None:
    run, qrels = run_of({"p": {"a": 1.0}}), qrels_of({"p": {"a": 1, "b": 0}, "q": {"a": 1}})
    assert values(match(run, qrels), "NumPrefs") == [1.0, 0.0]
    extras = Extras(preferences=given_preferences(*ANN))
    assert values(match(run, qrels, extras=extras), "NumPrefs") == [0.0, 6.0]


def test_preferences_of_the_grades_equal_those_of_a_file_with_the_same_levels() -> None:
    grades = {"a": 2, "b": 0, "c": 1, "d": 0, "e": 2}
    run = run_of({"q": {"b": 3.0, "e": 2.0, "x": 2.0, "d": 2.0, "c": 1.0}})
    lines = [f"g s {docno} {grade}" for docno, grade in grades.items()]
    without = match(run, qrels_of({"q": grades}))
    extras = Extras(preferences=given_preferences(*lines))
    assert [values(without, m) for m in ALL] == [
        values(match(run, qrels_of({"q": grades}), extras=extras), m) for m in ALL
    ]


# --- against a count of all pairs ----------------------------------------------------------------

Groups = dict[str, dict[str, dict[str, int]]]
LEVELS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=1)


@st.composite
def consistent_groups(draw: st.DrawFn) -> Groups:
    """Groups of subgroups whose levels come from one order, so that no cycle can be."""
    groups: Groups = {}
    for group in "ghi"[: draw(st.integers(1, 3))]:
        order = draw(st.fixed_dictionaries(dict.fromkeys("abcdefg", st.integers(0, 3))))
        for subgroup in "stu"[: draw(st.integers(1, 3))]:
            docnos = draw(st.sets(st.sampled_from("abcdefg"), min_size=1))
            groups.setdefault(group, {})[subgroup] = {docno: order[docno] for docno in docnos}
    return groups


def preferred(subgroups: Mapping[str, Mapping[str, int]]) -> set[tuple[str, str]]:
    """Every (better, worse) of a group, with what follows from them."""
    pairs = {
        (a, b) for levels in subgroups.values() for a, b in product(levels, repeat=2)
        if levels[a] > levels[b]
    }  # fmt: skip
    while True:
        more = {(a, d) for (a, b), (c, d) in product(pairs, repeat=2) if b == c} - pairs
        if not more:
            return pairs
        pairs |= more


@pytest.mark.slow
@given(consistent_groups(), st.lists(st.sampled_from("abcdefgxyz"), unique=True))
def test_as_counted_pair_by_pair(groups: Groups, ranking: list[str]) -> None:
    lines = [
        f"{group} {subgroup} {docno} {level}"
        for group, subgroups in groups.items()
        for subgroup, levels in subgroups.items()
        for docno, level in levels.items()
    ]
    table = judged(ranking or ["nothing"], *lines)
    rank = {docno: i for i, docno in enumerate(ranking)}
    every = [preferred(subgroups) for subgroups in groups.values()]

    def fulfilled(a: str, b: str) -> bool:
        return a in rank and rank[a] < rank.get(b, 99)

    def inside(scope: str, a: str, b: str) -> bool:
        return (a in rank) + (b in rank) >= {"all": 0, "either": 1, "both": 2}[scope]

    for scope in ("all", "either", "both"):
        possible = [{p for p in pairs if inside(scope, *p)} for pairs in every]
        good = [{p for p in pairs if fulfilled(*p)} for pairs in possible]
        total = sum(map(len, possible))
        simple = sum(map(len, good)) / total if total else 0.0
        shares = [len(g) / len(p) if p else 0.0 for g, p in zip(good, possible, strict=True)]
        of_pair: dict[frozenset[str], list[bool]] = {}
        for pairs in possible:
            for a, b in pairs:
                of_pair.setdefault(frozenset((a, b)), []).append(fulfilled(a, b))
        means = [sum(v) / len(v) for v in of_pair.values()]
        asked = [f"{name}(scope={scope!r})" for name in ("PrefSimple", "PrefGroup", "PrefPair")]
        assert [values(table, m)[0] for m in asked] == pytest.approx(
            [simple, sum(shares) / len(shares), sum(means) / len(means) if means else 0.0]
        )


def test_every_measure_of_preferences_is_tested_here() -> None:
    names = {m.partition("(")[0] for m in ALL}
    assert names == {n for n, d in registry().items() if "preferences" in d.optional_needs}
