"""Drafts and versions of judgments in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import write_qrels, write_run

import evalstore as ev


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ev.Store]:
    with ev.open(tmp_path / "store.db") as opened:
        run = write_run(tmp_path)
        qrels = write_qrels(tmp_path)
        opened.ingest(runs=run, collection="test", qrels=qrels, allow_disjoint=True)
        yield opened


def test_a_draft_is_made_judged_and_published(store: ev.Store) -> None:
    store.new_draft(
        "test",
        "d",
        [("q1", "d9"), ("q3", "d8", "top", 0.5)],
        parent="test",
        overlap=2,
        pool="by hand",
    )
    store.judge("test", "d", {"q1": {"d9": 1}, "q2": {"d9": 0}}, "ann")
    store.judge("test", "d", {"q1": {"d9": 2}}, "bob")
    [draft] = store.drafts("test").reset_index().to_dict("records")
    names = ("name", "parent", "documents", "graded", "disagreements", "pool")
    assert [draft[name] for name in names] == ["d", "test", 3, 1, 1, "by hand"]
    made = store.publish_draft("test", "d", reason="holes", rule="mean", default_qrels=True)
    names = ("name", "parent", "rule", "is_default", "judged", "origins")
    assert [made[name] for name in names] == [
        *("test-2", "test", "mean", True, 2),
        {"file": 6, "person": 2},
    ]
    assert store.qrels("test")["name"].tolist() == ["test-2", "test"]


def test_a_judgment_is_corrected(store: ev.Store) -> None:
    made = store.edit_judgment("test", "test", "q1", "d1", 0, reason="a typing error")
    assert (made["name"], made["changes"]["judgments"]["changed"]) == ("test-2", 1)
    compared = store.compare_qrels("test", "test-2", "AP")
    assert compared.to_dict()["both"] == 6
