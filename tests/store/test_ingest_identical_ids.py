"""A run is stored without documents whose id is the query's, where that is asked for."""

from __future__ import annotations

from pathlib import Path

from samples import add, statuses, write_run

from evalstore.catalog.runs import history
from evalstore.store import Store
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export import run_lists

RANKINGS = {"q1": ["q1", "d1", "d2"], "q2": ["d2", "q2"]}


def test_the_stored_run_is_the_ranking_without_them(store: Store, tmp_path: Path) -> None:
    write_run(tmp_path, RANKINGS)
    [outcome] = add(store, tmp_path, str(tmp_path / "bm25.run"), ignore_identical_ids=True)
    assert outcome.status == "stored"
    assert [w for w in outcome.warnings if "left out" in w] == [
        f"{tmp_path / 'bm25.run'}: 2 retrieved documents whose id is the query's are left out"
    ]
    with run_lists(store, "bm25") as run:
        assert [docnos for _, docnos, _ in run.lists] == [["d1", "d2"], ["d2"]]
    assert list(db_check(store).problems) == []
    [event] = [event for event in history(store) if event.subject == "bm25"]
    assert event.details is not None
    assert event.details["ignored_identical_ids"] == 2


def test_the_same_file_with_and_without_the_option_is_two_runs(
    store: Store, tmp_path: Path
) -> None:
    run = write_run(tmp_path, RANKINGS)
    assert statuses(add(store, tmp_path, run)) == ["stored"]
    [refused] = add(store, tmp_path, run, ignore_identical_ids=True)
    assert refused.status == "failed"
    assert refused.detail == (
        f"{run}: a run named 'bm25' with other content (2 documents with the id of their query are "
        "left out of this one) is in collection 'test'"
    )
    assert statuses(add(store, tmp_path, run, ignore_identical_ids=True, name="less")) == ["stored"]
    less = {"ignore_identical_ids": True, "name": "less"}
    assert statuses(add(store, tmp_path, run, **less)) == ["already stored"]
    assert statuses(add(store, tmp_path, run)) == ["already stored"]
