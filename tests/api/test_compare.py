"""`ev.compare` and `store.compare`: one object with the verdict, the figures and the sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, QRELS, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError, NotFound
from evalstore.measures import AP, P


def scores(rankings: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {
        qid: {docno: float(9 - rank) for rank, docno in enumerate(docnos)}
        for qid, docnos in rankings.items()
    }


RUNS = {"bm25": scores(BM25), "tfidf": scores(TFIDF), "partial": scores(NOTHING_FOR_Q3)}  # type: ignore[arg-type]
BOTH = {name: RUNS[name] for name in ("bm25", "tfidf")}


def test_pairs_are_a_frame_with_a_row_a_pair_and_measure() -> None:
    result = ev.compare(QRELS, RUNS, [AP, P @ 1])
    assert result.comparable == "partly"
    pairs = result.pairs
    assert pairs[["a", "b", "measure"]].values.tolist() == [
        ["bm25", "tfidf", "AP"],
        ["bm25", "tfidf", "P@1"],
        ["bm25", "partial", "AP"],
        ["bm25", "partial", "P@1"],
        ["tfidf", "partial", "AP"],
        ["tfidf", "partial", "P@1"],
    ]
    assert pairs["queries"].tolist() == [3] * 6
    assert set(pairs["verdict"]) == {"undecided"}
    assert set(pairs["family"]) == {"Holm over 6 comparisons"}
    assert (pairs["p_corrected_t"] >= pairs["p_t"]).all()
    assert len(result.sentences) == 6


def test_per_query_has_the_values_of_evaluate_also_where_a_run_answers_nothing() -> None:
    result, evaluated = ev.compare(QRELS, RUNS, [AP]), ev.evaluate(QRELS, RUNS, [AP])
    assert result.per_query["AP"].to_dict() == pytest.approx(evaluated.per_query["AP"].to_dict())
    assert result.per_query["AP"]["partial", "q3"] == 0
    assert result.per_query.index.names == ["run", "qid"]


def test_over_common_queries_those_that_a_run_does_not_answer_are_left_out() -> None:
    result = ev.compare(QRELS, RUNS, [AP], over="common")
    assert result.pairs["queries"].tolist() == [2, 2, 2]
    assert set(result.per_query.index.get_level_values("qid")) == {"q1", "q2"}


def test_runs_are_equivalent_if_their_difference_is_shown_to_be_within_the_margin() -> None:
    qrels = {f"q{number}": {"d1": 1} for number in range(6)}
    runs = {name: {qid: {"d1": 1.0} for qid in qrels} for name in ("a", "b")}
    assert ev.compare(qrels, runs, [AP], margin=0.01).pairs["verdict"].tolist() == ["equivalent"]
    assert ev.compare(qrels, runs, [AP]).pairs["verdict"].tolist() == ["undecided"]


def test_runs_that_are_not_comparable_have_empty_frames_and_no_sentence() -> None:
    result = ev.compare(QRELS, {"a": RUNS["bm25"], "b": {"q9": {"d1": 1.0}}}, [AP])
    assert result.comparable == "no"
    assert (len(result.pairs), len(result.per_query), result.sentences) == (0, 0, ())
    assert repr(result).startswith("not comparable, because ")
    assert list(result.pairs) == list(ev.compare(QRELS, BOTH, [AP]).pairs)


def test_it_prints_verdict_figures_and_sentences_and_escapes_names() -> None:
    result = ev.compare(QRELS, {"bm25": RUNS["bm25"], "<b>\x1b": RUNS["tfidf"]}, [AP])
    text, html = repr(result), result._repr_html_()
    assert text.startswith("comparable: same judgments, 3 of 3 queries")
    assert "<b>\\x1b is behind bm25 on AP" in text
    assert "<td>&lt;b&gt;\\x1b</td>" in html
    assert "<b>" not in html


def test_a_baseline_is_one_of_the_runs() -> None:
    assert set(ev.compare(QRELS, RUNS, [AP], baseline="partial").pairs["a"]) == {"partial"}
    with pytest.raises(DataError, match="baseline 'bm52' is not among .* did you mean 'bm25'"):
        ev.compare(QRELS, RUNS, [AP], baseline="bm52")


def test_the_same_object_in_another_order_gives_the_same_figures() -> None:
    turned = {name: dict(reversed(run.items())) for name, run in BOTH.items()}
    grades = dict(reversed(QRELS.items()))
    assert ev.compare(grades, turned, [AP]).to_dict() == ev.compare(QRELS, BOTH, [AP]).to_dict()


def test_a_store_compares_its_runs_as_ev_compares_them(tmp_path: Path) -> None:
    paths = [
        write_run(tmp_path, BM25, "bm25.run"),
        write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"),
    ]
    with ev.open(tmp_path / "store.db") as store:
        store.ingest(collection="c", qrels=write_qrels(tmp_path), runs=paths)
        stored = store.compare(["bm25", "tfidf"], [AP, P @ 7], baseline="tfidf")
        given = ev.compare(QRELS, BOTH, [AP, P @ 7], baseline="tfidf")
        assert stored.to_dict() == given.to_dict()
        assert list(store.compare(["bm25", "tfidf"]).pairs["measure"]) == ["AP", "nDCG@10"]
        assert store.compare([1, 2], [AP, P @ 7], baseline=2).to_dict() == given.to_dict()
        assert store.run(1).facts.name == "bm25"
        with pytest.raises(NotFound, match="no run 'bm52'"):
            store.compare(["bm52", "tfidf"])
