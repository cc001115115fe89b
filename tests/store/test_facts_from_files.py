"""Facts that a run's own file tells: stored with a new run, and never over what people said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from changed_runs import annotate
from databases import both_databases
from samples import BM25, add, statuses, write

from evalstore.catalog.given_facts import GivenFacts
from evalstore.store import Store
from evalstore.store.queries.facts import load_values
from evalstore.store.queries.runs import find_run

META = {"model_name": "org/small", "revision": "4c2f"}


def predictions(folder: Path, meta: dict[str, str] | None = None) -> str:
    """A file of MTEB's predictions, with the model's name and revision."""
    scores = {
        qid: {docno: 9.0 - rank for rank, docno in enumerate(docnos)}
        for qid, docnos in BM25.items()
    }
    content = {"mteb_model_meta": meta or META, "default": {"test": scores}}
    return write(folder / "task.json", json.dumps(content))


def parameters(store: Store, run: str = "task") -> dict[str, Any]:
    with store.read() as connection:
        return dict(load_values(connection, find_run(connection, run).id)["parameters"] or {})


def test_a_new_run_has_the_facts_of_its_file(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, predictions(tmp_path))
    assert parameters(store) == {"model": "org/small", "revision": "4c2f"}


@both_databases
def test_facts_given_with_the_ingest_count_more_than_those_of_the_file(
    store: Store, tmp_path: Path
) -> None:
    facts = GivenFacts(parameters={"revision": "main", "k": 5})
    add(store, tmp_path, predictions(tmp_path), facts=facts)
    assert parameters(store) == {"model": "org/small", "revision": "main", "k": 5}


def test_a_file_ingested_again_changes_no_fact_that_was_corrected(
    store: Store, tmp_path: Path
) -> None:
    path = predictions(tmp_path)
    add(store, tmp_path, path)
    annotate(store, "task", GivenFacts(parameters={"revision": "v2"}))
    assert statuses(add(store, tmp_path, path)) == ["already stored"]
    assert parameters(store) == {"model": "org/small", "revision": "v2"}


def test_a_file_with_a_fact_that_cannot_be_is_refused_with_its_name(
    store: Store, tmp_path: Path
) -> None:
    path = predictions(tmp_path, {**META, "revision": "x\x1b[31m"})
    [outcome] = add(store, tmp_path, path)
    assert outcome.status == "failed"
    assert outcome.detail.startswith(path)
