"""Recall and precision at each relevant document of one query; the facts in which runs differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import add, write_qrels, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.differences import differing_of_several
from evalstore.errors import NotFound
from evalstore.evaluation.explain import recall_points
from evalstore.store import Store

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0, "d4": -1, "d5": 1}, "q2": {"d1": 0}}


@both_databases
def test_there_is_a_point_at_each_relevant_document_that_was_retrieved(
    store: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path, QRELS)
    one = write_run(tmp_path, {"q1": ["d3", "d1", "x", "d2"], "q2": ["d1"]}, "one.run")
    two = write_run(tmp_path, {"q1": ["d4", "x"]}, "two.run")
    for path in (one, two):
        add(store, tmp_path, path, qrels=qrels, engine=path[-7:])
    curve = recall_points(store, "test", ["one", "two"], "test", "q1")
    assert curve.relevant == 3
    assert curve.points == {"one": ((1 / 3, 1 / 2), (2 / 3, 2 / 4)), "two": ()}
    nothing = recall_points(store, "test", ["one"], "test", "q2")
    assert (nothing.relevant, nothing.points) == (0, {"one": ()})


@pytest.mark.parametrize(("collection", "qrels"), [("nothing", "test"), ("test", "nothing")])
def test_an_unknown_collection_or_qrels_is_named(
    store: Store, tmp_path: Path, collection: str, qrels: str
) -> None:
    add(store, tmp_path, write_run(tmp_path), qrels=write_qrels(tmp_path))
    with pytest.raises(NotFound, match="nothing"):
        recall_points(store, collection, ["bm25"], qrels, "q1")


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
