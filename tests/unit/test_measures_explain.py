"""One ranking laid open."""

from __future__ import annotations

from math import log2

import pytest
from measure_samples import qrels_of, run_of, values

from evalstore.errors import NotFound
from evalstore.evaluation.explain import explain_query, relstring
from evalstore.measures.join import match

QRELS = qrels_of({"q": {"a": 2, "b": 0, "c": 1, "d": 3, "e": -1}, "empty": {"a": 0}})
RUN = run_of({"q": {"b": 3.0, "a": 2.0, "z": 2.0, "e": 1.0, "c": 0.5}, "alien": {"a": 1.0}})


def test_the_table() -> None:
    explained = explain_query(RUN, QRELS, "q")
    assert (explained.retrieved, explained.relevant, explained.judged) == (5, 3, 4)
    assert [row.docno for row in explained.ranks] == ["b", "z", "a", "e", "c"]  # z ties with a
    assert [row.grade for row in explained.ranks] == [0, None, 2, -1, 1]
    assert [row.found for row in explained.ranks] == [0, 0, 1, 1, 2]
    third, last = explained.ranks[2], explained.ranks[4]
    assert (third.precision, third.recall) == (1 / 3, 1 / 3)
    assert (third.gain, third.discount, third.dcg) == (2.0, 2.0, 1.0)
    assert third.ideal_dcg == pytest.approx(3 + 2 / log2(3) + 1 / 2)
    assert third.contribution == pytest.approx(1 / 3 / 3)
    assert explained.ranks[3].contribution == 0
    judged = match(RUN, QRELS)
    at = judged.qids.index("q")
    assert last.ndcg == pytest.approx(values(judged, "nDCG")[at])
    assert sum(row.contribution for row in explained.ranks) == pytest.approx(
        values(judged, "AP")[at]
    )


def test_only_the_top_and_the_hits_below_it() -> None:
    every, explained = explain_query(RUN, QRELS, "q"), explain_query(RUN, QRELS, "q", 2)
    assert explained.ranks == every.ranks[:2]
    assert explained.hits_below == (every.ranks[2], every.ranks[4])
    assert [row.cumulated for row in explained.hits_below] == [2.0, 3.0]
    assert explained.rest == every.rest == 0


def test_other_gains_and_levels() -> None:
    explained = explain_query(RUN, QRELS, "q", rel=2, dcg="jk")
    assert explained.relevant == 2
    assert explained.ranks[2].dcg == pytest.approx(2 / log2(3))
    assert explain_query(RUN, QRELS, "q", dcg="exp-log2").ranks[2].gain == 3


def test_a_query_without_an_answer_or_without_anything_relevant() -> None:
    assert explain_query(RUN, QRELS, "empty").ranks == ()
    first = explain_query(run_of({"empty": {"a": 1.0}}), QRELS, "empty").ranks[0]
    assert (first.recall, first.ndcg, first.contribution) == (0.0, 0.0, 0.0)
    with pytest.raises(NotFound, match="alien"):
        explain_query(RUN, QRELS, "alien")


def test_a_string_of_grades() -> None:
    qrels = qrels_of({"q": {"a": 2, "b": 0, "c": 12, "e": -1, "d": 9.5}})
    run = run_of({"q": {"b": 5, "a": 4, "z": 3, "e": 2, "c": 1, "d": 0.5}, "r": {}})
    assert relstring(match(run, qrels)) == ("02-.>9",)
    assert relstring(match(run, qrels), 3) == ("02-",)
