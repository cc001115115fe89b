"""The facts in which several runs differ."""

from __future__ import annotations

from pathlib import Path

from samples import add, write_qrels, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.differences import differing_of_several
from evalstore.store import Store

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0, "d4": -1, "d5": 1}, "q2": {"d1": 0}}


def test_facts_that_any_two_of_several_runs_do_not_share_are_listed(
    store: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path)
    values = [{"k1": 0.9, "b": 0.4}, {"k1": 0.9, "b": 0.4, "rm3": True}, {"k1": 1.2, "b": 0.4}]
    for number, parameters in enumerate(values):
        path = write_run(tmp_path, {"q1": [f"x{number}", "d1"]}, f"r{number}.run")
        facts = GivenFacts(parameters=parameters)
        add(store, tmp_path, path, qrels=qrels, engine="bm25", facts=facts)
    every = differing_of_several(store, ["r0", "r1", "r2"], "test")
    assert every.facts == {
        "parameters.k1": (0.9, 0.9, 1.2),
        "parameters.rm3": (None, True, None),
    }
    two = differing_of_several(store, ["r0", "r2"], "test")
    assert list(two.facts) == ["parameters.k1"]
    assert two.recorded == every.recorded - 1
