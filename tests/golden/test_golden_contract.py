"""What users' programs rely on is what was recorded: nothing changes by accident."""

from __future__ import annotations

import json

import pytest
from regenerate_contract import RECORDED, contract, http_lines, python_lines

REMEDY = """\
Lines with - are broken promises: programs of users that rely on them fail. Keep the old name or
parameter beside the new one, or tell users in CHANGELOG.md. If this is meant, run
`python tests/golden/regenerate_contract.py`.
"""


def changes(recorded: list[str], found: list[str]) -> list[str]:
    """The lines that are gone, and those that are new, together by what they are about."""
    gone, new = set(recorded) - set(found), set(found) - set(recorded)
    return [f"{'-' if line in gone else '+'} {line}" for line in sorted(gone | new)]


@pytest.mark.parametrize("part", ["python", "http"])
def test_the_contract_is_the_recorded_one(part: str) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    changed = changes(recorded[part], contract()[part])
    assert not changed, "\n".join(["the contract has changed:", *changed, "", REMEDY])


def test_a_change_is_told_by_the_lines_that_went_and_came() -> None:
    old = ["evalstore.f", "evalstore.f, parameter 1: runs"]
    new = ["evalstore.f", "evalstore.f, parameter 1: all_runs", "evalstore.g"]
    assert changes(old, new) == [
        "+ evalstore.f, parameter 1: all_runs",
        "- evalstore.f, parameter 1: runs",
        "+ evalstore.g",
    ]


def test_names_parameters_and_fields_are_in_the_contract() -> None:
    assert {
        "evalstore.compare, parameter 2: runs",
        "evalstore.compare, keyword: alpha, optional",
        "evalstore.Comparison.pairs",
        "evalstore.Run.from_dict",
        "evalstore.Store.ingest, keyword: collection",
        "evalstore.errors.NotFound, is EvalstoreError, Exception",
        "evalstore.measures.nDCG",
        "evalstore.stats.Interval.low",
        "evalstore.testing.assert_no_regression, parameter 4: require, optional",
    } <= set(python_lines())
    assert {
        "GET /api/v1/collections/{collection}/runs/{run}",
        "GET /api/v1/collections/{collection}/runs/{run}, 200 application/json Run",
        "GET /api/v1/collections/{collection}/runs/{run}, path run: string",
        "Baseline.run: string or null",
    } <= set(http_lines())
