"""The claims of a leaderboard on a baseline and each other run are those of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from compared_runs import compared, numbered, run_values

from evalstore.comparison.collection_values import CollectionRun, MeasureValues
from evalstore.comparison.significance import TESTS, Test
from evalstore.leaderboard.ranks import RankSettings, ranks_of
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
