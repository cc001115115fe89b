from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.links import CompareView, PageProblem, RunLink, RunsView, split_measures

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: text.strip() == text
)
RUNS = st.builds(
    RunLink,
    st.integers(1, 10**12),
    st.just("") | st.text("0123456789abcdef", min_size=8, max_size=8),
)
ONE, TWO = RunLink(1), RunLink(2, "1a2b3c4d")


@given(
    st.builds(
        CompareView,
        runs=st.lists(RUNS, min_size=2, max_size=5, unique_by=lambda run: run.id).map(tuple),
        qrels=NAMES | st.none(),
        measure=NAMES | st.none(),
        a=RUNS | st.none(),
        b=RUNS | st.none(),
        sort=st.sampled_from(["difference", "query", None]),
        query=NAMES | st.none(),
    )
)
def test_a_comparison_survives_its_address(view: CompareView) -> None:
    assert CompareView.parse(view.search()) == view


@given(NAMES | st.none(), NAMES | st.none())
def test_a_leaderboard_survives_its_address(collection: str | None, qrels: str | None) -> None:
    view = RunsView(collection, qrels, ("AP", "nDCG(dcg='exp-log2',rel=2)@10"))
    assert RunsView.parse(view.search()) == view


def test_a_link_stays_short_and_readable() -> None:
    assert CompareView((ONE, TWO), measure="nDCG@10").search() == (
        "?runs=1,2~1a2b3c4d&measure=nDCG@10"
    )
    assert RunsView().search() == ""


def test_what_equals_the_default_stays_out_of_the_address() -> None:
    default = CompareView((ONE, TWO), measure="Rprec", a=ONE, b=TWO, sort="query")
    assert CompareView((ONE, TWO), None, "Rprec", ONE, TWO, "query").without(default).search() == (
        "?runs=1,2~1a2b3c4d"
    )


def test_measures_are_split_at_commas_outside_parentheses() -> None:
    assert split_measures("AP,nDCG(a=1,b=2)@10, P@5,,AP") == ("AP", "nDCG(a=1,b=2)@10", "P@5")


@pytest.mark.parametrize(
    ("search", "says"),
    [
        ("", "two or more runs"),
        ("?runs=", "two or more runs"),
        ("?runs=1", "this link names one"),
        ("?runs=abc", "“abc” is not the number of a run"),
        ("?runs=1,2,x%3Cscript%3E", "“x<script>” is not the number of a run"),
        ("?runs=1,1", "more than once"),
        ("?runs=1~1a2b3c4d,1~5e6f7a8b", "more than once"),
        ("?runs=1,2~", "“2~” is not the number"),
        ("?runs=1,2~xyz1", "“2~xyz1” is not the number"),
        ("?runs=1,-2", "“-2” is not the number"),
        ("?runs=1,²", "“²” is not the number"),
        ("?runs=1,1e3", "“1e3” is not the number"),
        ("?runs=1,99999999999999999999", "is not the number"),
        ("?runs=1,2&a=x", "“x” is not the number"),
        ("?" + "&".join(f"k{i}=1" for i in range(200)), "more than a page can show"),
    ],
)
def test_a_rubbish_address_is_answered_in_words(search: str, says: str) -> None:
    with pytest.raises(PageProblem) as caught:
        CompareView.parse(search)
    assert says in caught.value.sentence
    assert caught.value.link


def test_runs_may_come_as_several_parameters() -> None:
    assert CompareView.parse("?runs=1&runs=2,+3").runs == tuple(map(RunLink, (1, 2, 3)))
