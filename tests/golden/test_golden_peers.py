"""What pytrec_eval and gdeval said of a small run, recorded by regenerate_peers.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from measure_samples import qrels_of, run_of

from evalstore.measures import evaluate, parse
from evalstore.measures.join import match

pytestmark = pytest.mark.slow  # every measure of every case

PEERS: dict[str, Any] = json.loads(Path(__file__).with_name("peers.json").read_text("utf-8"))


@pytest.mark.parametrize("name", PEERS["values"])
def test_as_recorded(name: str) -> None:
    written, _, level = name.partition(" -l ")
    by_gdeval = re.match(r"ERR|nDCG\(", name) is not None
    # gdeval holds scores in 64 bits, takes 4 as the highest grade, and prints five decimals.
    measure = parse(written.replace("ERR@", "ERR(max_rel=4)@")).at_level(int(level or 1))
    judged = match(
        run_of(PEERS["run"]),
        qrels_of(PEERS["qrels"]),
        compat="exact" if by_gdeval else "trec_eval-9",
        common=True,
    )
    assert list(judged.qids) == PEERS["queries"]
    values = evaluate(judged, [measure])[measure]
    assert values == pytest.approx(PEERS["values"][name], abs=6e-6 if by_gdeval else 1e-11)
