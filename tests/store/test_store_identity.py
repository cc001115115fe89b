"""Ids and names are data: compared byte for byte, sorted by bytes, and never changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from leaderboard_frames import collections, leaderboard
from samples import HOSTILE, add, statuses, write, write_qrels, write_run

from evalstore.comparison.loading import load_stored_runs
from evalstore.ingest.store_qrels import store_qrels
from evalstore.measures import named_measures
from evalstore.sql.ask import ask
from evalstore.store import Store
from evalstore.store.queries.comparison import list_judged_queries

DIFFERENT = (
    *("1", "01", "1.0", "1e0", "10", "9", "2"),
    *("NA", "na", "null", "None", "nan", "true", "all"),
    *("9007199254740993", "9007199254740992", "18446744073709551617"),
    *("caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", "ß", "ss", "\u0131", "i", "I"),
    *("a", "a-1", "aa", "B", "A", "Z", "_", "🦉", "\uffff", "x#", "'", '"'),
)


def queries_of(store: Store) -> list[str]:
    """In the order of the database, which sums are taken in."""
    with store.read() as connection:
        return [query.qid for query in list_judged_queries(connection, 1)]


@both_databases
def test_query_ids_are_different_where_a_byte_is(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {qid: {f"d-{qid}": 1} for qid in DIFFERENT})
    run = write_run(tmp_path, {qid: [f"d-{qid}"] for qid in DIFFERENT})
    assert statuses(add(store, tmp_path, run, qrels=qrels)) == ["stored"]
    board = leaderboard(store, "test")
    assert board.queries == len(DIFFERENT)
    assert board.values["NumRelRet"].tolist() == [len(DIFFERENT)]


@both_databases
def test_queries_stand_in_the_order_of_their_bytes(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {qid: {"d": 1} for qid in DIFFERENT})
    add(store, tmp_path, write_run(tmp_path, {"1": ["d"]}), qrels=qrels)
    assert queries_of(store) == sorted(DIFFERENT, key=str.encode)
    (loaded,) = load_stored_runs(store, ["bm25"], named_measures("AP")).runs
    values = dict(zip(loaded.qids, loaded.values["AP"].tolist(), strict=True))
    assert set(values) == set(DIFFERENT)
    assert values["1"] == 1.0
    assert sum(values.values()) == 1.0, "1, 01 and 1.0 are three queries"


@both_databases
def test_a_document_is_found_by_its_bytes_alone(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {"q": {"caf\u00e9": 1, "01": 1, "D": 1}})
    run = write_run(tmp_path, {"q": ["cafe\u0301", "1", "d", "D"]})
    add(store, tmp_path, run, qrels=qrels)
    rows = ask(store, "SELECT rank, docno FROM hit").rows
    assert rows == [(4, "D")]


@both_databases
def test_names_sort_by_bytes_in_sql(store: Store, tmp_path: Path) -> None:
    for place, name in enumerate(["b", "a", "a-1", "aa", "B", "ä"]):
        run = write_run(tmp_path, {"q1": [f"d{place}"]}, f"{place}.run")
        add(store, tmp_path, run, engine=name, name=name)
    rows = ask(store, "SELECT DISTINCT engine FROM leaderboard ORDER BY engine").rows
    assert [row[0] for row in rows] == ["B", "a", "a-1", "aa", "b", "ä"]


@both_databases
def test_hostile_query_and_document_ids_round_trip(store: Store, tmp_path: Path) -> None:
    qids = [name.replace(" ", "_") for name in HOSTILE]
    qrels = write_qrels(tmp_path, {qid: {qid: 1} for qid in qids})
    add(store, tmp_path, write_run(tmp_path, {qid: [qid] for qid in qids}), qrels=qrels)
    assert queries_of(store) == sorted(qids, key=str.encode)
    assert {row[0] for row in ask(store, "SELECT docno FROM retrieved").rows} == set(qids)
    assert {row[0] for row in ask(store, "SELECT docno FROM judgment").rows} == set(qids)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_a_name_like_any_other(store: Store, tmp_path: Path, name: str) -> None:
    qrels, run = write_qrels(tmp_path), write_run(tmp_path)
    stored = {"collection": name, "engine": name, "name": name, "experiment": name}
    assert statuses(add(store, tmp_path, run, qrels=qrels, **stored)) == ["stored"]
    assert statuses(add(store, tmp_path, run, qrels=qrels, **stored)) == ["already stored"]
    assert collections(store)["collection"].tolist() == [name]
    board = leaderboard(store, name)
    assert board.runs[["engine", "run", "experiment"]].to_numpy().tolist() == [[name] * 3]
    (loaded,) = load_stored_runs(store, [name], {}, collection=name).runs
    assert (loaded.collection, loaded.name) == (name, name)


@both_databases
def test_hostile_query_texts_round_trip(store: Store, tmp_path: Path) -> None:
    texts = dict(zip(("q1", "q2", "q3"), ("=cmd|' /C'!A0", "a\ttab", "x" * 100_000), strict=True))
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path), queries=texts)
    add(store, tmp_path, write_run(tmp_path))
    assert load_stored_runs(store, ["bm25"], {}).texts == texts


def test_a_file_with_a_hostile_name_gives_a_run_of_that_name(store: Store, tmp_path: Path) -> None:
    path = write(tmp_path / "'; DROP TABLE run; -- <b>.run", "q1 Q0 d1 1 9 t\n")
    add(store, tmp_path, path)
    assert leaderboard(store, "test").runs["run"].tolist() == ["'; DROP TABLE run; -- <b>"]
