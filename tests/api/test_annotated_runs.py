"""Facts of runs in Python: given with `ingest`, corrected with `annotate`, read from `facts`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from samples import BM25, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError


def test_facts_are_given_corrected_and_read(tmp_path: Path) -> None:
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with ev.open(tmp_path / "store.db") as store:
        store.ingest(
            collection="test",
            qrels=write_qrels(tmp_path),
            runs=write_run(tmp_path, BM25),
            params={"k1": 0.9, "stem": True},
            tags=["paper"],
            money=(0.12, "EUR"),
            started_at=noon,
            checkout=False,
        )
        facts = store.run("bm25").facts
        assert (facts.parameters, facts.tags) == ({"k1": 0.9, "stem": True}, ("paper",))
        assert (facts.money, facts.currency, facts.started_at) == (0.12, "EUR", noon)
        assert (facts.host, facts.commit) == (None, None)
        changes = store.annotate("bm25", params={"k1": 1.2}, unset=["money"], unset_params=["stem"])
        assert changes == {
            **{"parameters.stem": (True, None), "parameters.k1": (0.9, 1.2)},
            **{"money": (0.12, None), "currency": ("EUR", None)},
        }
        assert store.run("bm25").facts.parameters == {"k1": 1.2}


def test_a_run_in_memory_has_the_facts_too(tmp_path: Path) -> None:
    with ev.open(tmp_path / "store.db") as store:
        runs = {"mine": {"q1": {"d1": 1.0}}}
        store.ingest(collection="test", qrels=write_qrels(tmp_path), runs=runs, note="by hand")
        facts = store.run("mine").facts
        assert facts.note == "by hand"
        assert facts.host


@pytest.mark.parametrize("name", ["name", "parameters", "currency"])
def test_an_argument_that_is_no_fact_is_named(tmp_path: Path, name: str) -> None:
    with ev.open(tmp_path / "store.db") as store:
        runs = {"mine": {"q1": {"d1": 1.0}}}
        wrong = {name: "x"}
        with pytest.raises(TypeError, match=f"^there is no argument '{name}'; facts are params, "):
            store.ingest(collection="test", qrels=write_qrels(tmp_path), runs=runs, **wrong)


def test_a_fact_that_can_not_be_stores_nothing(tmp_path: Path) -> None:
    with ev.open(tmp_path / "store.db") as store:
        with pytest.raises(DataError, match="of type set"):
            store.ingest(
                collection="test",
                qrels=write_qrels(tmp_path),
                runs=write_run(tmp_path, BM25),
                params={"k1": {1}},  # type: ignore[dict-item]  (what is refused)
            )
        with pytest.raises(ev.errors.StoreError, match="no store"):
            store.runs()
