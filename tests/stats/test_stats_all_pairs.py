"""All pairs of many runs at once: the figures of each pair alone."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_values import F64, many_runs
from hypothesis import given

from evalstore import stats
from evalstore.errors import DataError
from evalstore.stats import paired
from evalstore.stats.paired import MOST_IN_A_PRODUCT


@given(many_runs())
def test_every_pair_has_the_figures_it_has_alone(values: F64) -> None:
    a, b = stats.pairs(values.shape[1])
    for one, every in (
        (stats.paired_t, stats.paired_t_all(values)),
        (stats.wilcoxon, stats.wilcoxon_all(values)),
        (stats.sign, stats.sign_all(values)),
    ):
        alone = [one(values[:, i], values[:, j]) for i, j in zip(a, b, strict=True)]
        assert every.p == pytest.approx([test.p for test in alone], rel=1e-12)
        expected = pytest.approx([test.statistic for test in alone], rel=1e-12, nan_ok=True)
        assert every.statistic == expected


@pytest.mark.parametrize("queries", [1, 2, 12, 20, 21, 40])
def test_pairs_randomized_together_have_the_p_they_have_alone(queries: int) -> None:
    random = np.random.default_rng(queries)
    values = random.integers(0, 30, (queries, 5)) / 30  # some pairs tie on some queries
    values[:, 4] = values[:, 3]
    values[1:, 2] = values[1:, 1]
    together = stats.randomization_all(values, resamples=3_000, seed=5)
    alone = [
        stats.randomization(values[:, i], values[:, j], resamples=3_000, seed=5)
        for i, j in zip(*stats.pairs(5), strict=True)
    ]
    assert list(zip(together.statistic.tolist(), together.p.tolist(), strict=True)) == alone


def test_many_queries_do_not_fill_the_memory_with_random_numbers() -> None:
    values = np.random.default_rng(1).random((MOST_IN_A_PRODUCT + 1, 3))
    together = stats.randomization_all(values, resamples=200)
    alone = [
        stats.randomization(values[:, i], values[:, j], resamples=200).p
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert together.p.tolist() == alone


def test_many_pairs_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).random((10, 7))
    whole = stats.wilcoxon_all(values)
    monkeypatch.setattr(paired, "CELLS", 25)  # two pairs at a time
    parts = stats.wilcoxon_all(values)
    assert parts.p.tolist() == whole.p.tolist()
    assert parts.statistic.tolist() == whole.statistic.tolist()


def test_the_first_run_of_a_pair_is_the_baseline() -> None:
    values = np.array([[0.0, 0.5, 0.9], [0.1, 0.5, 0.8]])
    assert [list(column) for column in stats.pairs(3)] == [[0, 0, 1], [1, 2, 2]]
    assert stats.sign_all(values).statistic.tolist() == [2, 2, 2]


def test_a_matrix_of_p_is_symmetric_with_1_on_the_diagonal() -> None:
    expected = [[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]]
    assert stats.p_matrix([0.1, 0.2, 0.3], 3).tolist() == expected


def test_one_run_has_no_pairs() -> None:
    assert len(stats.paired_t_all([[0.5], [0.6]]).p) == 0
    assert stats.p_matrix([], 1).tolist() == [[1.0]]


def test_a_matrix_needs_one_p_a_pair() -> None:
    with pytest.raises(DataError, match="3 runs have 3 pairs"):
        stats.p_matrix([0.1, 0.2], 3)


@pytest.mark.parametrize("values", [[], [0.1, 0.2], [[]], [[0.1, float("nan")]]])
def test_what_is_no_table_of_numbers_is_refused(values: list[float]) -> None:
    with pytest.raises(DataError, match=r"values must be (a table|finite)"):
        stats.sign_all(values)
