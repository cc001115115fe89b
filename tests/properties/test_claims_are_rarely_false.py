"""Verdicts on runs drawn from real values, by the program that measures them at length.

A wrong rule fails the same checks, so that they can find one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SEED = 20_261


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("claims")


def share(claims: Any, draw: Callable[..., float], queries: int, times: int) -> Any:
    random = np.random.default_rng(SEED)
    return claims.Share.over([float(draw(random, queries)) for _ in range(times)])


def test_of_runs_that_are_alike_one_is_called_better_in_at_most_5_percent(claims: Any) -> None:
    of_alike = share(claims, claims.alike("AP", 5), 25, 150)
    assert of_alike.meets(claims.FALSE)


def test_a_rule_without_a_correction_is_found_out(claims: Any) -> None:
    def uncorrected(of: Any) -> bool:
        return any(pair.p["t"] < 0.05 for pair in of.pairs)

    assert not share(claims, claims.alike("P@10", 5, 0.0, uncorrected), 25, 150).meets(claims.FALSE)


def test_slices_of_two_queries_claim_nothing(claims: Any) -> None:
    row = next(iter(claims.slices()))
    assert share(claims, row.draw, 2, 10).share == 0


@pytest.mark.parametrize("measure", ["AP", "Success@1"])
def test_intervals_of_differences_hold_the_truth(claims: Any, measure: str) -> None:
    row = next(row for row in claims.coverage() if row.name == f"difference, {measure}, +0.05")
    assert share(claims, row.draw, 25, 150).meets(claims.COVERED)


def test_intervals_that_are_too_narrow_are_found_out(
    claims: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = claims.Settings(tests=("t",), alpha=0.2)
    monkeypatch.setattr(claims.compared, "__defaults__", (narrow,))
    row = next(row for row in claims.coverage() if row.name == "difference, AP, +0.05")
    assert not share(claims, row.draw, 25, 150).meets(claims.COVERED)


def test_rank_intervals_hold_the_ranks_of_twenty_runs_that_are_alike(claims: Any) -> None:
    row = next(row for row in claims.letters() if row.name == "P@10, 20 runs")
    assert share(claims, row.draw, 50, 100).meets(claims.FALSE)


def test_a_gate_passes_a_loss_of_its_margin_in_at_most_5_percent(claims: Any) -> None:
    passes = next(r for r in claims.gates() if r.name == "not worse by 0.02, loss 0.02: passes")
    assert share(claims, passes.draw, 50, 150).meets(claims.FALSE)


@pytest.mark.parametrize("measure", ["P@10", "nDCG@10", "RR"])
def test_the_truth_is_within_the_bounds(claims: Any, measure: str) -> None:
    random = np.random.default_rng(SEED)
    assert all(claims.inside(measure, 5, random, seen=True) for _ in range(10))


def test_the_true_figures_are_those_of_many_draws(claims: Any) -> None:
    of, queries = claims.POPULATIONS["AP"], 20_000
    stronger = of.strength(0.05)
    drawn = of.draw(np.random.default_rng(SEED), queries, [0.0, stronger])
    assert of.mean(stronger) - of.mean(0) == pytest.approx(0.05)
    error = drawn.std(axis=0) / math.sqrt(queries)
    assert np.abs(drawn.mean(axis=0) - [of.mean(0), of.mean(stronger)]).max() < 4 * error.max()
    assert of.median(0) == pytest.approx(np.median(drawn[:, 0]), abs=0.01)
