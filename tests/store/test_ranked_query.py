"""One query over several runs: rankings with grades and values, texts, the order of queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import BM25, HOSTILE, NOTHING_FOR_Q3, QRELS, TFIDF, Filled, add, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.links import LinkedRun
from evalstore.catalog.queries import tag_queries
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.ranked_query import (
    RankedQuery,
    load_document_texts,
    load_ranked_query,
    query_order,
)
from evalstore.errors import NotFound, StoreError
from evalstore.formats import Document
from evalstore.ingest.documents import store_texts
from evalstore.measures import named_measures, parse
from evalstore.store import Store
from evalstore.store.packing import pack_text, unpack_start
from evalstore.store.queries.runs import list_runs

RUNS = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}


def fill(store: Store, folder: Path) -> None:
    add(store, folder, *(write_run(folder, r, f"{n}.run", n) for n, r in RUNS.items()))


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def runs_of(store: Store) -> list[LinkedRun]:
    """The runs of the collection `test`, by name."""
    with store.read() as connection:
        runs = list_runs(connection, collection="test")
    return [LinkedRun(run.id, run.name, "engine", "0", 0) for run in runs]


def ranked(store: Store, qid: str, measure: str = "AP", qrels: str | None = None) -> RankedQuery:
    return load_ranked_query(store, "test", qid, runs_of(store), parse(measure), qrels)


def named(store: Store, name: str) -> LinkedRun:
    return next(run for run in runs_of(store) if run.name == name)


def test_every_run_has_its_whole_ranking_with_grades_and_its_stored_value(filled: Store) -> None:
    query = ranked(filled, "q1")
    by_name = {ranking.run.name: ranking for ranking in query.rankings}
    assert list(by_name) == ["bm25", "partial", "tfidf"]
    assert by_name["bm25"].docnos == ("d1", "d9", "d2")
    assert by_name["bm25"].grades == (2.0, None, 1.0)
    assert by_name["bm25"].relevant_ranks() == [1, 3]
    assert by_name["tfidf"].rank_of == {"d3": 1, "d1": 2}
    # AP by hand: (1 + 2/3) / 2, (1/2) / 2, 1 / 2.
    values = {name: ranking.value for name, ranking in by_name.items()}
    assert values == pytest.approx({"bm25": 5 / 6, "tfidf": 1 / 4, "partial": 1 / 2})
    assert query.qrels == "test"
    assert query.all_qrels == ("test",)


def test_there_is_a_point_at_each_relevant_document_that_was_retrieved(
    own: Store, tmp_path: Path
) -> None:
    judged = write_qrels(
        tmp_path, {"q1": {"d1": 2, "d2": 1, "d3": 0, "d4": -1, "d5": 1}}, "p.qrels"
    )
    run = write_run(tmp_path, {"q1": ["d3", "d1", "x", "d2"]}, "one.run", "one")
    add(own, tmp_path, run, qrels=judged)
    query = ranked(own, "q1", qrels="p")
    points = {ranking.run.name: query.points(ranking) for ranking in query.rankings}
    assert points["one"] == ((1 / 3, 1 / 2), (2 / 3, 2 / 4))
    nothing = ranked(own, "q2", qrels="p")
    assert [nothing.points(ranking) for ranking in nothing.rankings] == [()] * len(nothing.rankings)


def test_a_relevant_document_that_no_run_retrieves_is_missed(own: Store, tmp_path: Path) -> None:
    more = {**QRELS, "q1": {**QRELS["q1"], "d7": 1, "d8": 3, "d0": 0}}
    qrels = write_qrels(tmp_path, more, "more.qrels")
    add(own, tmp_path, write_run(tmp_path, {"q1": ["d5"]}, "x.run", "x"), qrels=qrels)
    # The highest grade first; d0 is judged, but not relevant.
    assert ranked(own, "q1", qrels="more").missed == ("d8", "d7")
    assert ranked(own, "q1", qrels="test").missed == ()


@both_databases
def test_a_run_that_does_not_answer_has_no_ranking_and_the_value_of_an_empty_one(
    filled: Store,
) -> None:
    partial = ranked(filled, "q3").rankings[1]
    assert partial.docnos == ()
    assert partial.no_ranking == "it does not answer this query"
    assert partial.value == 0.0
    assert ranked(filled, "q3", "P@2").rankings[1].value == 0.0  # computed


@pytest.mark.parametrize("measure", ["P@2", "ERR@3", "nDCG(dcg='exp-log2')@2", "AP(rel=2)@2"])
@pytest.mark.parametrize("qid", ["q1", "q2", "q3"])
def test_a_measure_that_is_not_stored_is_computed_as_for_all_queries(
    filled: Store, measure: str, qid: str
) -> None:
    # The whole run under the whole qrels is the reference: ERR divides by its highest grade, which
    # only q3 has.
    loaded = load_stored_runs(filled, ["bm25", "partial", "tfidf"], named_measures([measure]))
    at = loaded.runs[0].qids.index(qid)
    expected = [next(iter(run.values.values()))[at] for run in loaded.runs]
    values = [ranking.value for ranking in ranked(filled, qid, measure).rankings]
    assert values == pytest.approx(expected, abs=1e-15)


def test_a_measure_that_needs_missing_facts_or_all_queries_has_no_value_but_a_reason(
    filled: Store,
) -> None:
    (time, *_) = ranked(filled, "q1", "ResponseTime").rankings
    assert time.value is None
    assert "needs" in time.no_value
    (coverage, *_) = ranked(filled, "q1", "ItemCoverage").rankings
    assert coverage.value is None
    assert "all queries" in coverage.no_value


def test_a_query_that_the_qrels_does_not_judge_has_rankings_without_grades_and_values(
    own: Store, tmp_path: Path
) -> None:
    add(own, tmp_path, write_run(tmp_path, {**BM25, "q9": ["d1", "d2"]}, "nine.run", "nine"))
    nine = next(r for r in ranked(own, "q9").rankings if r.run.name == "nine")
    assert nine.grades == (None, None)
    assert nine.value is None
    assert nine.no_value == "the qrels does not judge this query"
    query = ranked(own, "q9")
    assert query.explained(nine, 10) is None
    assert query.interpolated(nine) == ()


@both_databases
def test_without_a_relevant_document_nothing_is_missed_and_there_is_no_curve(
    store: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d1": 0, "d2": -1}, "q2": {"d4": 1}}, "zero.qrels")
    add(store, tmp_path, write_run(tmp_path), qrels=qrels)
    query = ranked(store, "q1")
    (ranking,) = query.rankings
    assert query.relevant == query.missed == ()
    assert query.interpolated(ranking) == ()
    assert ranking.grades == (0.0, None, -1.0)
    assert ranking.value == 0.0


@both_databases
def test_a_run_of_values_only_says_that_it_has_no_ranking(own: Store) -> None:
    with own.write() as connection:
        partial = named(own, "partial").id
        connection.execute(
            text(
                "DELETE FROM ranking WHERE content_id = (SELECT content_id FROM run WHERE id = :id)"
            ),
            {"id": partial},
        )
        connection.execute(
            text("UPDATE run SET values_only = true WHERE id = :id"), {"id": partial}
        )
    ranking = ranked(own, "q1").rankings[1]
    assert ranking.no_ranking == "it came as values of measures, without rankings"
    assert ranking.value == 0.5
    # Nothing can be computed from a ranking that is not there.
    lacking = ranked(own, "q1", "P@2").rankings[1]
    assert lacking.value is None
    assert lacking.no_value == "no value of P@2 came with the run"


def test_a_run_that_is_not_evaluated_under_the_qrels_shows_grades_but_no_value(
    own: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d9": 1}}, "new.qrels")
    add(own, tmp_path, write_run(tmp_path, {"q1": ["d9"]}, "n.run", "n"), qrels=qrels)
    bm25 = ranked(own, "q1", qrels="new").rankings[0]
    assert bm25.grades == (None, 1.0, None)
    assert bm25.value is None
    assert bm25.no_value == "the run is not evaluated under qrels 'new'"


def test_an_evaluation_by_the_rules_of_trec_eval_9_orders_ties_of_32_bit_scores(
    store: Store, tmp_path: Path
) -> None:
    # 1.00000001 and 1.0 are the same as 32-bit floats: then the docno decides, d2 before d1.
    path = tmp_path / "close.run"
    path.write_text("q1 Q0 d1 1 1.00000001 t\nq1 Q0 d2 2 1.0 t\n")
    add(store, tmp_path, str(path), compat="trec_eval-9")
    (ranking,) = ranked(store, "q1").rankings
    assert ranking.docnos == ("d2", "d1")


def test_interpolated_precision_is_that_of_the_stored_levels(filled: Store) -> None:
    query = ranked(filled, "q1")
    # bm25: relevant at ranks 1 and 3 of two: 1 up to recall 0.5, then 2/3.
    assert query.interpolated(query.rankings[0]) == pytest.approx((1,) * 6 + (2 / 3,) * 5)


def test_the_text_and_the_attributes_of_the_query_come_with_it(own: Store) -> None:
    assert ranked(own, "q1").text is None
    tag_queries(own, "test", {"q1": {"lang": "de", "kind": "long"}})
    assert ranked(own, "q1").attributes == {"kind": "long", "lang": "de"}


def test_a_query_that_the_collection_does_not_have_is_named_with_the_nearest(
    filled: Store,
) -> None:
    with pytest.raises(NotFound, match="'q11'.*did you mean"):
        ranked(filled, "q11")


@pytest.mark.parametrize("qid", ["__proto__", "'; DROP TABLE run; --", "q" * 300, "מנוע"])
def test_a_hostile_query_id_and_docno_are_names_like_any(
    store: Store, tmp_path: Path, qid: str
) -> None:
    qid = qid.replace(" ", "_")
    docnos = [name.replace(" ", "_") for name in HOSTILE]
    qrels = write_qrels(tmp_path, {qid: {docnos[0]: 1}}, "hostile.qrels")
    add(store, tmp_path, write_run(tmp_path, {qid: docnos}), qrels=qrels)
    (ranking,) = ranked(store, qid).rankings
    assert list(ranking.docnos) == docnos
    assert ranking.value == 1.0


# --- texts ---------------------------------------------------------------------------------------


@both_databases
def test_title_and_text_of_a_document_are_cut_after_so_many_characters(own: Store) -> None:
    million = "wörter " * 150_000
    documents = [Document("d1", "title " * 100, million), Document("d2", "", "short")]
    store_texts(own, "test", documents)
    texts = load_document_texts(own, "test", ["d1", "d2", "unknown"], 20)
    assert texts == {"d1": (("title " * 4)[:20], million[:20]), "d2": ("", "short")}


@pytest.mark.parametrize("whole", ["", "a", "ä", "🦉🇦🇹" * 100, "plain " * 3000])
@pytest.mark.parametrize("most", [1, 2, 7, 100_000])
def test_the_start_of_a_packed_text_is_that_of_the_text(whole: str, most: int) -> None:
    assert unpack_start(pack_text(whole), most) == whole[:most]


@pytest.mark.parametrize("packed", [b"", b"\x07text", b"\x01no zlib", b"\x00\xff\xff"])
def test_a_damaged_packed_text_is_refused(packed: bytes) -> None:
    with pytest.raises(StoreError, match="packed text"):
        unpack_start(packed, 10)


# --- the order of the queries --------------------------------------------------------------------


def test_queries_are_ordered_by_the_size_of_the_difference(filled: Store) -> None:
    ids = (named(filled, "bm25"), named(filled, "tfidf"))
    order = query_order(filled, "test", parse("AP"), *ids)
    assert order.qids == ("q1", "q2", "q3")
    # tfidf - bm25: 1/4 - 5/6, 5/6 - 1, 1 - 1/2.
    assert order.differences == pytest.approx({"q1": -7 / 12, "q2": -1 / 6, "q3": 1 / 2})
    assert order.by_difference == ("q1", "q3", "q2")


def test_equal_differences_stand_in_natural_order(store: Store, tmp_path: Path) -> None:
    qids = ["q10", "q9", "q2", "q1"]
    qrels = write_qrels(tmp_path, {qid: {"d1": 1} for qid in qids}, "many.qrels")
    one = write_run(tmp_path, {qid: ["d1"] for qid in qids}, "one.run", "one")
    two = {qid: ["d0", "d1"] for qid in qids} | {"q9": ["d1", "d0"]}
    add(store, tmp_path, one, write_run(tmp_path, two, "two.run", "two"), qrels=qrels)
    order = query_order(store, "test", parse("RR"), named(store, "one"), named(store, "two"))
    assert order.qids == ("q1", "q2", "q9", "q10")
    assert order.by_difference == ("q1", "q2", "q10", "q9")


def test_without_two_runs_there_is_only_the_order_by_id(filled: Store) -> None:
    order = query_order(filled, "test", parse("AP"), named(filled, "bm25"), None)
    assert order.qids == ("q1", "q2", "q3")
    assert order.by_difference == ()


@both_databases
def test_a_measure_that_is_not_stored_orders_queries_by_difference_too(filled: Store) -> None:
    runs = named(filled, "bm25"), named(filled, "tfidf")
    order = query_order(filled, "test", parse("P@2"), *runs)
    assert sorted(order.by_difference) == ["q1", "q2", "q3"]


def test_a_run_named_like_the_id_of_another_is_not_taken_for_it(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    first, second = named(store, "bm25"), named(store, "tfidf")
    before = query_order(store, "test", parse("P@2"), first, second)
    worst = {qid: ["n"] for qid in ("q1", "q2", "q3")}
    add(store, tmp_path, write_run(tmp_path, worst, f"{second.id}.run"))
    assert query_order(store, "test", parse("P@2"), first, second) == before
