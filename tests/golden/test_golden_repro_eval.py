"""Reproductions as repro_eval measures them, recorded by regenerate_repro_eval.py."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import evalstore as ev

RECORDED: dict[str, Any] = json.loads(
    Path(__file__).with_name("repro_eval.json").read_text("utf-8")
)
MEASURES = list(RECORDED["figures"]["er"])


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    runs = RECORDED["runs"]
    return ev.reproduce(
        RECORDED["qrels"],
        runs["orig_a"],
        runs["rpd_a"],
        MEASURES,
        baseline=runs["orig_b"],
        reproduced_baseline=runs["rpd_b"],
    ).to_dict()


@pytest.mark.parametrize("name", ["ktu", "rbo"])
@pytest.mark.parametrize("role", ["advanced", "baseline"])
def test_rankings_as_recorded(found: dict[str, Any], name: str, role: str) -> None:
    ours = found["baseline"] if role == "baseline" else found
    assert ours[name] == pytest.approx(RECORDED["figures"][name][role], abs=1e-9)
    expected = RECORDED["figures"][f"{name}_per_topic"][role]
    by_query = {qid: of[name] for qid, of in ours["per_query"].items()}
    assert by_query == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["rmse", "nrmse", "ttest", "ttest_unpaired"])
@pytest.mark.parametrize("role", ["advanced", "baseline"])
def test_values_as_recorded(found: dict[str, Any], name: str, role: str) -> None:
    ours = found["baseline"] if role == "baseline" else found
    # The values of RR are all equal: repro_eval has NaN, except where those of all measures are.
    expected = {
        measure: 1.0 if math.isnan(value) else value
        for measure, value in RECORDED["figures"][name][role].items()
    }
    assert ours[name] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["er", "dri"])
def test_effects_as_recorded(found: dict[str, Any], name: str) -> None:
    assert found[name] == pytest.approx(RECORDED["figures"][name], abs=1e-9)
