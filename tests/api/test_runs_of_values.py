"""A stored run that came as values of measures, in Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import write, write_qrels, write_run

import evalstore as ev
from evalstore.errors import NoRankings

PRINTED = "map\tq1\t0.8333\nmap\tq2\t1.0000\nmap\tq3\t0.0000\nrunid\tall\told\n"


@pytest.fixture
def store(tmp_path: Path) -> ev.Store:
    store = ev.open(tmp_path / "store.db")
    paths = [write_run(tmp_path), write(tmp_path / "out.txt", PRINTED)]
    store.ingest(collection="test", qrels=write_qrels(tmp_path), runs=paths)
    return store


def test_a_run_tells_whether_it_came_as_values(store: ev.Store) -> None:
    assert (store.run("out").values_only, store.run("bm25").values_only) == (True, False)
    listed = store.runs(measures=["AP", "nDCG@10"]).set_index("run")
    assert listed["values_only"].to_dict() == {"bm25": False, "out": True}
    assert listed["nDCG@10"].isna().to_dict() == {"bm25": False, "out": True}


def test_it_has_the_values_it_came_with(store: ev.Store) -> None:
    values = store.run("out").values(["AP", "map"])
    assert values.index.name == "qid"
    assert values["AP"].to_dict() == {"q1": 0.8333, "q2": 1.0, "q3": 0.0}
    assert values["map"].equals(values["AP"])


def test_what_needs_rankings_raises(store: ev.Store) -> None:
    run = store.run("out")
    with pytest.raises(NoRankings, match="run 'out' came as values, without rankings$"):
        _ = run.ranking
    with pytest.raises(NoRankings, match="without rankings$"):
        run.to_frame()
    with pytest.raises(NoRankings, match=r"so nDCG@10 can't be computed"):
        run.values("nDCG@10")
