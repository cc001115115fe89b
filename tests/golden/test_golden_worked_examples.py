"""The figures that authors print beside their examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from measure_samples import Answer, by_hand, values

EXAMPLES: dict[str, Any] = json.loads(
    Path(__file__).with_name("worked_examples.json").read_text("utf-8")
)["examples"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_example(name: str) -> None:
    example = EXAMPLES[name]
    judged = by_hand(Answer(example["grades"], [1.0] * example.get("missed", 0)))
    expected = dict(example.get("expect", {}))
    for measure, figures in example.get("by_rank", {}).items():
        for k, figure in enumerate(figures, 1):
            expected[measure.replace("@k", f"@{k}")] = figure
    computed = {measure: values(judged, measure)[0] for measure in expected}
    assert computed == pytest.approx(expected, abs=example["tolerance"])
