"""Nothing of a failed file is stored: every file is one transaction."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from samples import BM25, QRELS, TFIDF, add, counts, dump, statuses, write, write_qrels, write_run
from sqlalchemy import text

from evalstore.errors import DataError, StoreError
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.store.queries.evaluations import add_values
from evalstore.store.rows import bulk_insert

BAD_RUNS = {
    "empty": "",
    "a header": "qid Q0 docno rank score tag\nq1 Q0 d1 1 9 t\n",
    "bad last line": "q1 Q0 d1 1 9 t\nq1 Q0 d2 2 nine t\n",
    "a document twice": "q1 Q0 d1 1 9 t\nq1 Q0 d1 2 8 t\n",
    "a qrels": "q1 0 d1 1\n",
}


class Unexpected(Exception):
    """A bug in the middle of a transaction."""


def breaking(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, and after it has done its work an exception."""

    def broken(*args: Any, **more: Any) -> Any:
        function(*args, **more)
        raise Unexpected

    return broken


@pytest.mark.parametrize("what", BAD_RUNS)
def test_nothing_is_stored_of_a_bad_run(store: Store, tmp_path: Path, what: str) -> None:
    add(store, tmp_path)
    before = dump(store)
    path = write(tmp_path / "bad.run", BAD_RUNS[what])
    (outcome,) = add(store, tmp_path, path)
    assert outcome.status == "failed"
    assert outcome.detail.startswith(path)
    assert dump(store) == before


@pytest.mark.parametrize(
    "where",
    [
        "ingest.store_run.ensure_engine",
        "ingest.store_run.add_run",
        "ingest.store_run.add_rankings",
        "ingest.store_run.add_evaluation",
        "store.queries.evaluations.add_values",
        "store.queries.rankings.insert_columns",
        "store.queries.evaluations.insert_columns",
        "store.queries.evaluations.insert_values",
        "store.queries.evaluations.bulk_insert",
    ],
)
def test_nothing_is_stored_of_a_run_whose_writing_broke_off(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    add(store, tmp_path)
    before = dump(store)
    module, name = f"evalstore.{where}".rsplit(".", 1)
    function = getattr(import_module(module), name)
    monkeypatch.setattr(f"{module}.{name}", breaking(function))
    with pytest.raises(Unexpected):
        add(store, tmp_path, write_run(tmp_path))
    assert dump(store) == before
    monkeypatch.undo()
    assert statuses(add(store, tmp_path, write_run(tmp_path))) == ["stored"]


def test_a_run_whose_replacement_broke_off_is_still_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    before = dump(store)
    monkeypatch.setattr("evalstore.store.queries.evaluations.add_values", breaking(add_values))
    with pytest.raises(Unexpected):
        add(store, tmp_path, write_run(tmp_path, TFIDF), replace=True)
    assert dump(store) == before


def test_nothing_is_stored_of_a_qrels_whose_writing_broke_off(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(store)
    monkeypatch.setattr("evalstore.store.queries.qrels.bulk_insert", breaking(bulk_insert))
    with pytest.raises(Unexpected):
        store_qrels(store, "test", qrels_path=write_qrels(tmp_path), queries={"q1": "what"})
    assert dump(store) == before


def test_an_error_of_the_database_is_a_store_error_of_one_line(store: Store) -> None:
    with pytest.raises(StoreError) as caught, store.read() as connection:
        connection.execute(text("SELECT * FROM nowhere"))
    assert "nowhere" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_none_of_whose_documents_is_judged_is_refused_unless_allowed(
    store: Store, tmp_path: Path
) -> None:
    """Query ids like 1, 2, 3 occur in many collections."""
    path = write_run(tmp_path, {"q1": ["MARCO_1", "MARCO_2"], "q2": ["MARCO_3"]})
    (refused,) = add(store, tmp_path, path, allow_disjoint=False)
    assert (refused.status, refused.problem) == ("failed", "disjoint")
    assert "none of its 3 documents is judged in the qrels" in refused.detail
    assert refused.detail.endswith(
        "(documents like 'MARCO_1' and 'd1'): is one of another collection?"
    )
    (outcome,) = add(store, tmp_path, path)
    assert outcome.status == "stored"
    assert "none of its 3 documents is judged" in outcome.warnings[-1]


def test_a_low_share_of_judged_documents_is_warned_about(store: Store, tmp_path: Path) -> None:
    path = write_run(tmp_path, {"q1": ["d1", *(f"x{n}" for n in range(9))]})
    (outcome,) = add(store, tmp_path, path)
    assert outcome.warnings[-1] == (
        f"{path}: only 10 % of its documents at ranks 1 to 10 are judged, and the others count as "
        "not relevant: figures may be too low"
    )


def test_a_run_that_shares_no_query_with_the_qrels_is_refused_unless_allowed(
    store: Store, tmp_path: Path
) -> None:
    path = write_run(tmp_path, {"other": ["d1"]})
    (refused,) = add(store, tmp_path, path, allow_disjoint=False)
    assert (refused.status, refused.problem) == ("failed", "disjoint")
    assert "none of its queries (1) is in the qrels" in refused.detail
    (outcome,) = add(store, tmp_path, path, allow_disjoint=True)
    assert outcome.status == "stored"
    (warning,) = outcome.warnings
    assert "none of its queries (1) is in the qrels" in warning
    assert warning.endswith("every ranking counts as empty")


def test_queries_without_judgments_are_reported_and_count_nowhere(
    store: Store, tmp_path: Path
) -> None:
    (outcome,) = add(store, tmp_path, write_run(tmp_path, {**BM25, "extra": ["d1"]}))
    assert outcome.status == "stored"
    assert ["1 of 4 queries have no judgments" in w for w in outcome.warnings] == [True]
    assert {query for _, _, query, _ in dump(store)["measurement"]} == {
        row[0] for row in dump(store)["query"] if row[2] in QRELS
    }


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("collection", ""),
        ("collection", "  "),
        ("collection", "a\x1b[31m"),
        ("collection", "new\nline"),
        ("name", "nul\0"),
        ("name", "c1\x9b"),
        ("engine", "\ud800"),
        ("engine", "x" * 1025),
        ("experiment", "\x7f"),
    ],
)
def test_a_name_that_can_not_be_shown_is_refused(
    store: Store, tmp_path: Path, kind: str, name: str
) -> None:
    from evalstore.evaluation.ingest_options import IngestOptions

    with pytest.raises(DataError, match="name"):  # a request that is made is checked
        IngestOptions(**{"collection": "test", kind: name})
    if kind == "collection":
        with pytest.raises(DataError):
            store_qrels(store, name, qrels_path=write_qrels(tmp_path))
        assert counts(store)["collection"] == 0
