"""Differences corrected by a model's judgments of further queries."""

from __future__ import annotations

import pytest

import evalstore as ev

QIDS = [f"q{number}" for number in range(9)]
HUMAN = {qid: {"x": 1, "y": int(n == 1)} for n, qid in enumerate(QIDS[:4])}
MODEL = {qid: {"x": int(n != 2), "y": int(n in (1, 7))} for n, qid in enumerate(QIDS[1:], 1)}
RUNS = {
    "a": {qid: {"x": 1, "y": 2} for qid in QIDS},
    "b": {qid: {"x": 2, "y": 1} for qid in QIDS},
}


def test_of_the_queries_that_people_judged_those_of_the_model_too_correct_it() -> None:
    """Differences of P@1: people's on q1 to q3 are 0, 1, 1, the model's 0, 0, 1."""
    compared = ev.compare(HUMAN, RUNS, "P@1", predicted_by=MODEL, alpha=0.1)
    [row] = compared.predicted.to_dict("records")
    rest = [1, 1, 1, 0, 1]
    zeros = [0] * 3
    expected = ev.stats.ppi_difference(
        zeros, [0, 1, 1], zeros, [0, 0, 1], [0] * 5, rest, 0.9, interval="t"
    )
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected)
    assert (row["queries"], row["predicted_queries"], row["level"]) == (3, 5, 0.9)
    assert row["difference_alone"] == pytest.approx(2 / 3)
    assert compared.compared.predicted[0].sentence.startswith(
        "b less a on P@1, corrected by the judgments of qrels on 5 further queries: +"
    )
    # The comparison by people's judgments stays what it is.
    alone = ev.compare(HUMAN, RUNS, "P@1", alpha=0.1)
    assert compared.pairs.equals(alone.pairs)
    assert "predicted" not in alone.to_dict()
    assert alone.predicted.empty


def test_only_means_over_queries_are_corrected() -> None:
    """The mean of a - b is no difference of geometric means, nor of sums."""
    of = ev.compare(HUMAN, RUNS, ["GMAP", "NumRelRet", "P@1"], predicted_by=MODEL)
    assert of.predicted["measure"].tolist() == ["P@1"]
    note = "a model corrects means over queries alone, and not GMAP, NumRelRet"
    assert note in of.to_dict()["notes"]


def test_only_queries_for_which_the_conditions_hold_count_and_common_ones() -> None:
    queries = {qid: {"text": qid, "lang": "en" if n else "de"} for n, qid in enumerate(QIDS)}
    runs = {**RUNS, "b": {qid: RUNS["b"][qid] for qid in QIDS[:-1]}}
    of = ev.compare(
        *(HUMAN, runs, "P@1"), predicted_by=MODEL, queries=queries, where="lang=en", over="common"
    )
    assert of.predicted[["queries", "predicted_queries"]].to_numpy().tolist() == [[3, 4]]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({qid: MODEL[qid] for qid in QIDS[1:4]}, "judges no query that 'qrels' does not"),
        ({qid: MODEL[qid] for qid in QIDS[3:]}, "1 query of qrels 'qrels' judged in 'qrels' too"),
    ],
)
def test_without_further_queries_or_shared_ones_there_is_nothing_to_correct(
    model: dict[str, dict[str, int]], message: str
) -> None:
    with pytest.raises(ev.errors.DataError, match=message):
        ev.compare(HUMAN, RUNS, "P@1", predicted_by=model)
    with pytest.raises(ev.errors.DataError, match="exclude each other"):
        ev.compare(HUMAN, RUNS, "P@1", predicted_by=MODEL, holdout=0.5)
