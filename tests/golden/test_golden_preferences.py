"""Preferences and judgment groups as trec_eval 9 computes them (regenerate_preferences.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from samples import write

from evalstore.formats import Qrels, read_judgment_groups, read_preferences, read_qrels, read_run
from evalstore.measures import evaluate, parse_all
from evalstore.measures.join import Extras, match
from evalstore.measures.notation import SETS

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("preferences.json").read_text("utf-8")
)["cases"]


@pytest.mark.parametrize("compat", ["exact", "trec_eval-9"])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_recorded(number: int, compat: Any, tmp_path: Path) -> None:
    case = CASES[number]
    path = write(tmp_path / "judgments", case["judgments"])
    extras = None
    if case["format"] == "qrels_prefs":
        qrels = read_qrels(path)
    else:
        qrels = Qrels.from_dict({qid: {"another": 0} for qid in case["values"]})
        extras = (
            Extras(preferences=read_preferences(path))
            if case["format"] == "prefs"
            else Extras(judgment_groups=read_judgment_groups(path))
        )
    run = read_run(write(tmp_path / "run", case["run"]))
    judged = match(run, qrels, compat=compat, extras=extras)
    names = SETS["qrels_jg" if case["format"] == "qrels_jg" else "all_prefs"]
    measures = dict(pair for name in names for pair in parse_all(name))
    values = evaluate(judged, measures.values())
    ours = {
        qid: {name: values[measure][i] for name, measure in measures.items()}
        for i, qid in enumerate(judged.qids)
    }
    assert ours.keys() == case["values"].keys()
    for qid, expected in case["values"].items():
        assert ours[qid] == pytest.approx(expected, abs=1e-11)
