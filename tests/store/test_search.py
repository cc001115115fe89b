"""The search for queries by id and text, and for runs by what is known of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import BM25, TFIDF, Filled, add, write_qrels, write_run

from evalstore.catalog.collections import remove_collections
from evalstore.formats import Queries
from evalstore.ingest.store_qrels import store_qrels
from evalstore.leaderboard.positions import (
    BEGINNING,
    ELSEWHERE,
    EXACT,
    INSIDE,
    MOST,
    WORD,
    find_queries,
    find_runs,
    match_of,
)
from evalstore.store import Store

TEXTS = {
    "cat": "what do they eat",
    "q1": "cat food",
    "q2": "a black cat",
    "q3": "education",
    "q4": "food for a dog or a cat",
    "q5": "100% of_it",
    "q6": "Übergang in Österreich",
}


def fill(store: Store, folder: Path) -> None:
    """The collection `test`, with texts and two runs, and `other` with as many queries."""
    qrels = write_qrels(folder)
    store_qrels(store, "other", qrels_path=qrels, queries=Queries({"q1": "cat food"}, {}))
    store_qrels(store, "test", qrels_path=qrels, queries=Queries(TEXTS, {}))
    bm25 = write_run(folder, BM25, "bm25.run", "bm25")
    tfidf = write_run(folder, TFIDF, "tfidf.run", "tfidf")
    add(store, folder, bm25, tfidf, qrels=qrels, collection="test", experiment="after bm25")


def qids(store: Store, text: str, first: str | None = "test") -> list[tuple[str, str, int]]:
    return [(one.collection, one.qid, one.match) for one in find_queries(store, text, first)]


@both_databases
def test_queries_are_found_by_id_and_text_the_best_match_first(read_only: Filled) -> None:
    store = read_only(fill)
    assert qids(store, "CAT") == [
        ("test", "cat", EXACT),
        ("test", "q1", BEGINNING),
        ("other", "q1", BEGINNING),
        ("test", "q2", WORD),
        ("test", "q4", WORD),
        ("test", "q3", INSIDE),
    ]
    assert qids(store, "food cat", "other")[:2] == [
        ("other", "q1", ELSEWHERE),
        ("test", "q1", ELSEWHERE),
    ]
    assert [qid for _, qid, _ in qids(store, "q1", None)] == ["q1", "q1"]


@both_databases
@pytest.mark.parametrize("text", ["%", "_", "0% of_"])
def test_signs_of_patterns_are_text(read_only: Filled, text: str) -> None:
    assert [qid for _, qid, _ in qids(read_only(fill), text)] == ["q5"]


@both_databases
@pytest.mark.parametrize("text", ["über", "Über", "österreich", "übergang in"])
def test_letters_beyond_a_to_z_are_found_in_either_case(read_only: Filled, text: str) -> None:
    assert [qid for _, qid, _ in qids(read_only(fill), text)] == ["q6"]


def test_without_a_text_nothing_is_found(read_only: Filled) -> None:
    assert find_queries(read_only(fill), " ") == find_runs(read_only(fill), " ") == []


def test_there_is_an_end_to_what_is_found(copied: Filled, tmp_path: Path) -> None:
    store = copied(fill)
    many = Queries({f"many{number}": "cat" for number in range(50)}, {})
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path), queries=many)
    assert len(find_queries(store, "cat")) == len(find_queries(store, "many")) == MOST


def test_runs_are_found_by_name_first_and_tell_what_else_matched(read_only: Filled) -> None:
    found = find_runs(read_only(fill), "bm25")
    assert [(run.name, run.match) for run in found] == [("bm25", EXACT), ("tfidf", ELSEWHERE)]
    assert "after bm25" in found[1].about


def test_a_removed_collection_is_not_found(copied: Filled) -> None:
    store = copied(fill)
    remove_collections(store, ["test"])
    assert qids(store, "cat") == [("other", "q1", BEGINNING)]
    assert find_runs(store, "bm25") == []


@pytest.mark.parametrize(
    ("text", "names", "match"),
    [
        ("ap", ("AP",), EXACT),
        ("b", ("x", "bm25"), BEGINNING),
        ("stem", ("ql-stem",), WORD),
        ("stem", ("ql_stem",), WORD),
        ("5", ("bm25",), INSIDE),
        ("bm stem", ("ql-stem", "bm25"), ELSEWHERE),
        ("bm z", ("ql-stem", "bm25"), None),
        ("(", ("P@1",), None),
    ],
)
def test_matches_of_names(text: str, names: tuple[str, ...], match: int | None) -> None:
    assert match_of(text, *names) == match
