"""`store.log_run`: a whole run that is in memory, stored by one call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import QRELS, add, write_run

import evalstore as ev
from evalstore.errors import Conflict, DataError, NotFound, QrelsMissing
from evalstore.store import Store

SCORES = {"q1": {"d1": 2.0, "d9": 1.0}, "q3": {"d6": 0.5}}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ev.Store]:
    """A store whose collection `test` has judgments and the run bm25."""
    monkeypatch.chdir(tmp_path)
    with Store.open("store.db") as database:
        add(database, tmp_path, write_run(tmp_path))
    with ev.open("store.db") as opened:
        yield opened


@pytest.mark.parametrize(
    "rankings",
    [
        SCORES,
        {qid: list(scores.items()) for qid, scores in SCORES.items()},
        {qid: tuple(reversed(scores.items())) for qid, scores in SCORES.items()},
    ],
    ids=["scores by docno", "pairs", "pairs in another order"],
)
def test_a_run_in_memory_is_stored_with_its_facts_and_values(
    store: ev.Store, rankings: Any
) -> None:
    outcome = store.log_run(
        rankings, engine="own", collection="test", name="new", params={"k1": 0.9}, parent="bm25"
    )
    assert (outcome.path, outcome.status, outcome.detail) == ("new", "stored", "new")
    run = store.run("new")
    assert run.ranking.to_dict() == SCORES
    assert (run.facts.engine, run.facts.parameters) == ("own", {"k1": 0.9})
    assert run.facts.started_at is not None
    assert run.facts.host
    assert not run.values("AP").empty
    with store.start_run("own", "test", "logged", params={"k1": 0.8}) as logged:
        logged.log("q1", {"d1": 2.0})
    assert set(vars(run.facts)) == set(vars(store.run("logged").facts))


def test_no_file_stays_whether_it_is_stored_or_not(store: ev.Store, tmp_path: Path) -> None:
    store.log_run(SCORES, engine="own", collection="test", name="new")
    for rankings in ({"q1": {"d1": float("nan")}}, {"zz": {"d1": 1.0}}, {"q1": [("d1", 1)] * 2}):
        with pytest.raises(DataError) as raised:
            store.log_run(rankings, engine="own", collection="test", name="bad")
        assert ".evalrun" not in "".join(
            [str(raised.value), *getattr(raised.value, "__notes__", [])]
        )
    assert {path for path in tmp_path.rglob("*") if path.suffix == ".evalrun"} == set()
    assert "bad" not in set(store.runs()["run"])
    store.log_run({"q1": {"d2": 1.0}}, engine="own", collection="test", name="bad")


def test_a_run_tells_of_another_with_the_same_rankings(store: ev.Store) -> None:
    store.log_run(SCORES, engine="own", collection="test", name="new")
    again = store.log_run(SCORES, engine="own", collection="test")
    assert (again.status, again.same_as) == ("stored", "new")


def test_a_cell_of_a_notebook_can_be_run_again(store: ev.Store) -> None:
    def log(rankings: Any, **more: Any) -> Any:
        return store.log_run(rankings, engine="own", collection="test", name="new", **more)

    assert log(SCORES, params={"k1": 1}).status == "stored"
    before = store.run("new").facts
    again = log(SCORES, params={"k1": 2})
    assert (again.status, again.detail) == ("already stored", "new")
    assert store.run("new").facts == before
    other = {"q1": {"d1": 1.0}}
    with pytest.raises(Conflict, match=r"'new' with other content .* replace=True puts this one"):
        log(other)
    with pytest.raises(Conflict, match="is stored already: replace=True puts this one in its pla"):
        store.start_run("own", "test", "new")
    replaced = store.log_run(other, engine="own", collection="test", name="new", replace=True)
    assert replaced.status == "replaced"


def test_what_can_not_be_stored_is_refused(store: ev.Store) -> None:
    with pytest.raises(DataError, match="the run has no query"):
        store.log_run({}, engine="own", collection="test")
    with pytest.raises(QrelsMissing, match="there is no collection 'new' in the store"):
        store.log_run(SCORES, engine="own", collection="new")
    with pytest.raises(NotFound):
        store.log_run(SCORES, engine="own", collection="test", parent="nothing")
    outcome = store.log_run(SCORES, engine="own", collection="new", qrels=QRELS)
    assert outcome.status == "stored"
