"""The claims of a leaderboard on a baseline and each other run are those of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from compared_runs import compared, numbered, run_values

from evalstore.comparison.collection_values import CollectionRun, MeasureValues
from evalstore.comparison.significance import TESTS, Test
from evalstore.leaderboard.ranks import RankSettings, headline, ranks_of
from evalstore.measures import parse

BASE = [0.2, 0.3, 0.1, 0.4, 0.2, 0.3, 0.1, 0.4, 0.2, 0.3]
OTHERS = {
    "better": [value + 0.1 + number / 100 for number, value in enumerate(BASE)],
    "equal": BASE,
    # Lower on 9 of 10 queries and far higher on one: the sign test speaks against the mean.
    "mixed": [0.9, *(value - 0.01 for value in BASE[1:])],
    "shifted": [value + 0.05 for value in BASE],
}


@pytest.mark.parametrize("queries", [1, 3, 10])
@pytest.mark.parametrize("test", TESTS)
def test_verdict_p_and_family_are_those_of_a_comparison(test: Test, queries: int) -> None:
    columns = {"base": BASE, **OTHERS}
    table = np.array([column[:queries] for column in columns.values()]).T
    runs = tuple(CollectionRun(n, n, "e", name) for n, name in enumerate(columns))
    values = MeasureValues(parse("AP"), runs, table, table.mean(axis=0), ())
    [ranks] = ranks_of({"AP": values}, {}, RankSettings(test=test), baseline=0)
    of_files = [run_values(name, numbered(of[:queries])) for name, of in columns.items()]
    expected = compared(*of_files, baseline=0, test=test)
    by_name = {run.run: run for run in ranks.runs}
    for pair in expected.pairs:
        run = by_name[pair.b]
        assert (run.verdict, run.p, run.p_corrected) == (
            pair.verdict,
            pair.p[test],
            pair.p_corrected[test],
        )
    assert ranks.family == expected.pairs[0].family


def test_the_headline_says_whether_the_best_run_is_shown_to_be_best() -> None:
    def of(columns: dict[str, list[float]], baseline: int | None = None) -> str:
        runs = tuple(CollectionRun(n, n, "e", name) for n, name in enumerate(columns))
        table = np.array([*columns.values()]).T
        values = MeasureValues(parse("AP"), runs, table, table.mean(axis=0), ())
        [ranks] = ranks_of({"AP": values}, {}, RankSettings(), baseline)
        return headline(ranks, None if baseline is None else [*columns][baseline])

    best = [value + 0.5 + number / 100 for number, value in enumerate(BASE)]
    close = [value + 0.01 * (number % 3 - 1) for number, value in enumerate(BASE)]
    assert of({"best": best}) == "best leads with 0.7950 on AP, the only run"
    assert of({"base": BASE, "best": best}) == (
        "best leads with 0.7950 on AP, separated from the other run"
    )
    assert of({"base": BASE, "best": best, "close": close}, 0) == (
        "best leads with 0.7950 on AP, separated from all 2 others; against base: +0.5450, "
        "shown to be better among 3 runs"
    )
    assert of({"base": BASE, "close": close}, 0) == (
        "no run is shown to be best on AP: base (0.2500) and close share the lead"
    )
    # p is 0.018: less than 0.05 with Holm over two pairs, and not over all three.
    ahead = [value + 0.09 + 0.1 * (number % 3 - 1) for number, value in enumerate(BASE)]
    assert of({"base": BASE, "ahead": ahead, "c": BASE}, 0) == (
        "no run is shown to be best on AP: ahead (0.3300), base and c share the lead; ahead "
        "against base: +0.0800, shown to be better among 3 runs if only the pairs with base are "
        "tested"
    )
    four = {"close": [0.01 + value for value in close], "base": BASE, "c": BASE, "d": BASE}
    assert of(four, 1) == (
        "no run is shown to be best on AP: close (0.2590), base, c and 1 more share the lead; "
        "close against base: +0.0090, not shown to differ among 4 runs"
    )


def test_a_run_that_another_is_shown_to_be_better_than_does_not_share_the_lead() -> None:
    # `first` has the highest mean, from one query; `second` is 0.05 above `third` on each.
    third = [0.3 + number / 100 for number in range(12)]
    second = [value + 0.05 + (number % 2) / 1000 for number, value in enumerate(third)]
    first = [*(value + 0.04 for value in third[:-1]), 1.0]
    table = np.array([third, second, first]).T
    names = ("third", "second", "first")
    runs = tuple(CollectionRun(n, n, "e", name) for n, name in enumerate(names))
    values = MeasureValues(parse("AP"), runs, table, table.mean(axis=0), ())
    [ranks] = ranks_of({"AP": values}, {}, RankSettings(), None)
    of = {run.run: run for run in ranks.runs}
    assert set(of["first"].rank_group) & set(of["third"].rank_group)
    assert of["third"].rank_low == 2
    assert headline(ranks, None) == (
        "no run is shown to be best on AP: first (0.4408) and second share the lead"
    )
