"""Stored runs compared: under which judgments, with what is not stored computed."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_runs import rename_run
from databases import both_databases
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Filled, add, dump, write_qrels, write_run

from evalstore.catalog.collection_facts import CollectionFacts, store_collection_facts
from evalstore.catalog.collections import rename_collection
from evalstore.catalog.qrels import rename_qrels
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.significance import Compared
from evalstore.errors import NotFound
from evalstore.measures import named_measures
from evalstore.store import Store

OTHER_GRADES = {"q1": {"d9": 1}, "q2": {"d4": 1}}


def fill(store: Store, folder: Path) -> None:
    """Three runs under the qrels `test`; the first two also under `other`."""
    files = {
        name: write_run(folder, rankings, f"{name}.run", name)
        for name, rankings in {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}.items()
    }
    add(store, folder, *files.values())
    other = write_qrels(folder, OTHER_GRADES, "other.qrels")
    add(store, folder, files["bm25"], files["tfidf"], qrels=other)


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def compare(store: Store, *runs: str, measure: str = "AP", qrels: str | None = None) -> Compared:
    measures = named_measures([measure])
    return compare_loaded(load_stored_runs(store, runs, measures, qrels=qrels), measures)


def test_the_first_qrels_that_all_runs_share_is_chosen_unless_one_is_named(filled: Store) -> None:
    for qrels in ("test", "other"):
        named = compare(filled, "bm25", "tfidf", qrels=qrels)
        assert {run.qrels for run in named.runs} == {qrels}
    assert {run.qrels for run in compare(filled, "bm25", "partial").runs} == {"test"}


def test_runs_without_a_common_qrels_are_not_comparable(filled: Store) -> None:
    result = compare(filled, "bm25", "partial", qrels="other")
    assert result.comparable == "no"
    assert result.reasons == (
        "partial is not evaluated under qrels 'other'; all are under 'test'; "
        "`evalstore reevaluate --collection=test --qrels=other` evaluates the rest",
    )


def test_the_qrels_that_runs_share_are_told_where_they_lack_the_one_that_is_named(
    filled: Store,
) -> None:
    measures = named_measures(["AP"])
    loaded = load_stored_runs(filled, ["bm25", "partial"], measures, qrels="other")
    assert loaded.shared_qrels == ("test",)


def test_runs_that_share_no_qrels_are_told_which_lack_the_default(
    own: Store, tmp_path: Path
) -> None:
    late = write_run(tmp_path, {"q1": ["d9"]}, "late.run", "late")
    add(own, tmp_path, late, qrels=write_qrels(tmp_path, OTHER_GRADES, "other.qrels"))
    result = compare(own, "partial", "late")
    assert result.reasons == (
        "the runs were never evaluated with the same qrels; late is not evaluated under qrels "
        "'test'; `evalstore reevaluate --collection=test --qrels=test` evaluates the rest",
    )


def test_a_qrels_that_is_not_there_is_an_error(filled: Store) -> None:
    with pytest.raises(NotFound, match="has no qrels 'othr'; did you mean 'other'"):
        compare(filled, "bm25", "tfidf", qrels="othr")


def test_different_rules_of_trec_eval_are_not_comparable(own: Store, tmp_path: Path) -> None:
    add(own, tmp_path, write_run(tmp_path, TFIDF, "nine.run", "nine"), compat="trec_eval-9")
    result = compare(own, "bm25", "nine", qrels="test")
    assert result.comparable == "no"
    assert result.reasons == (
        "the runs have different rules of trec_eval: bm25 'exact', nine 'trec_eval-9'",
    )


def test_a_run_named_twice_is_compared_with_itself(filled: Store) -> None:
    [pair] = compare(filled, "bm25", "bm25").pairs
    assert (pair.a, pair.b, pair.difference, pair.p["t"]) == ("bm25", "bm25 (2)", 0, 1)


def test_what_is_not_stored_is_computed_and_nothing_is_written(filled: Store) -> None:
    before = dump(filled)
    [pair] = compare(filled, "bm25", "tfidf", measure="P@2", qrels="test").pairs
    # P@2 by hand: bm25 1/2, 1, 1/2; tfidf 1/2, 1/2, 1/2.
    assert (pair.mean_a, pair.mean_b) == (pytest.approx(2 / 3), pytest.approx(1 / 2))
    assert dump(filled) == before


def test_depth_and_judged_share_are_of_the_judged_queries(filled: Store) -> None:
    runs = {run.name: run for run in compare(filled, "bm25", "tfidf", qrels="test").runs}
    # bm25 retrieves d1 d9 d2, d5 d4, d8 d6: 5 of 7 are judged; tfidf all but d9 of 6.
    assert runs["bm25"].judged_in_top == pytest.approx(5 / 7)
    assert runs["tfidf"].judged_in_top == pytest.approx(5 / 6)
    assert (runs["bm25"].depth, runs["tfidf"].depth) == (3, 3)


@both_databases
def test_what_was_loaded_before_a_rename_has_the_new_names_afterwards(own: Store) -> None:
    compare(own, "bm25", "tfidf", qrels="other")
    rename_qrels(own, "other", "pooled")
    rename_run(own, "bm25", "okapi")
    rename_collection(own, "test", "trec")
    compared = compare(own, "okapi", "tfidf", qrels="pooled")
    assert {run.qrels for run in compared.runs} == {"pooled"}
    assert {run.collection for run in compared.runs} == {"trec"}
    assert [(pair.a, pair.b) for pair in compared.pairs] == [("okapi", "tfidf")]


def test_values_that_need_facts_follow_the_facts(own: Store) -> None:
    measures = named_measures(["ItemCoverage"])
    for size in (10, 20):
        store_collection_facts(own, "test", CollectionFacts(collection_size=size))
        loaded = load_stored_runs(own, ["bm25", "tfidf"], measures, qrels="test")
        # 3, 2 and 2 documents retrieved.
        expected = [3 / size, 2 / size, 2 / size]
        assert loaded.runs[0].values["ItemCoverage"].tolist() == pytest.approx(expected)
