"""The coefficients of many rankings are those of each two."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from evalstore.errors import DataError
from evalstore.stats import agreement_of_lists, kendall_tau_b, overlap, rbo
from evalstore.stats.agreement import CELLS


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("p", "k"), [(0.9, 10), (0.5, 1), (0.99, 200)])
def test_each_two_lists_agree_as_they_do_alone(seed: int, p: float, k: int) -> None:
    random = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(60)]
    lists = [random.permutation(names)[: random.integers(0, 41)].tolist() for _ in range(7)] + [
        ["elsewhere"],
        ["d0", "elsewhere"],
        names,
        names,
    ]
    many = agreement_of_lists(lists, p, k)
    for a, b in combinations(range(len(lists)), 2):
        one, other = lists[a], lists[b]
        assert many.rbo[a, b] == many.rbo[b, a] == pytest.approx(rbo(one, other, p), abs=1e-12)
        assert many.overlap[a, b] == many.overlap[b, a] == overlap(one, other, k)
        tau = kendall_tau_b(one, other)
        assert many.kendall_tau_b[a, b] == pytest.approx(tau, abs=1e-12, nan_ok=True)


def test_many_long_lists_agree_as_they_do_alone() -> None:
    random = np.random.default_rng(1)
    names = [f"d{i}" for i in range(400)]
    lists = [random.permutation(names)[:300].tolist() for _ in range(12)]
    assert len(list(combinations(lists, 2))) * 300 * 300 > CELLS
    many = agreement_of_lists(lists)
    for a, b in combinations(range(len(lists)), 2):
        tau = kendall_tau_b(lists[a], lists[b])
        assert many.kendall_tau_b[a, b] == pytest.approx(tau, abs=1e-12)


def test_of_one_list_and_of_none_nothing_is_left_to_say() -> None:
    assert agreement_of_lists([["a"]]).rbo.tolist() == [[1]]
    assert agreement_of_lists([]).overlap.shape == (0, 0)
    assert agreement_of_lists([[], []]).rbo.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("wrong", [{"p": 1}, {"k": 0}, {"lists": [["a", "a"]]}])
def test_what_can_not_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        agreement_of_lists(**{"lists": [["a"]], **wrong})  # type: ignore[arg-type]
