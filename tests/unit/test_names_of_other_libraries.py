"""Measures as other libraries write them, each with the value that the library computes.

ranx 0.3.21 and ragas 0.4.3 are too heavy for this project: their values were computed by them, on
the run and the judgments below. pytrec_eval, by which MTEB and BEIR compute all but MRR, runs here.
"""

from __future__ import annotations

import pytest
import pytrec_eval

import evalstore as ev
from evalstore.errors import MeasureError
from evalstore.measures import parse

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 1, "d9": 3}, "q2": {"d1": 1, "d5": 2}}
RUN = {
    "q1": {"d4": 9.0, "d1": 8.0, "d3": 7.0, "d8": 6.0, "d2": 5.0, "d7": 4.0},
    "q2": {"d6": 3.0, "d5": 2.0, "d8": 1.0},
}

RANX = {
    "hit_rate@1": 0.0,
    "hit_rate@3": 1.0,
    "precision@3": 0.5,
    "recall@3": 0.5,
    "f1@3": 0.48571428571428577,
    "r-precision": 0.5,
    "mrr@3": 0.5,
    "map@3": 0.2708333333333333,
    "map": 0.3458333333333333,
    "dcg@5": 1.7052859107601859,
    "dcg_burges@5": 2.336215664331643,
    "ndcg@5": 0.446716404007413,
    "ndcg_burges@5": 0.40212771807081227,
}
RAGAS = {
    "id_based_context_precision": (0.5 + 1 / 3) / 2,
    "id_based_context_recall": (0.75 + 0.5) / 2,
}
"""The means of the library's values: 0.5 and 1/3, 0.75 and 0.5."""

PYTREC_EVAL = {
    "ndcg_cut_5": "ndcg_at_5 NDCG@5 nDCG@5 Ndcg@5 ndcg_cut.5",
    "map_cut_3": "map_at_3 MAP@3 Map@3 map_cut.3",
    "recall_5": "recall_at_5 Recall@5 RECALL@5 recall.5",
    "P_3": "precision_at_3 P@3 p@3 P.3",
    "success_1": "hit_rate_at_1 Success@1 hit@1",
    "recip_rank": "mrr MRR",
}
"""What MTEB, BEIR and pytrec_eval write, by trec_eval's name."""


def value(name: str) -> float:
    return float(ev.evaluate(QRELS, RUN, measures=[name]).aggregates.iloc[0, 0])


@pytest.mark.parametrize(("name", "expected"), [*RANX.items(), *RAGAS.items()])
def test_a_name_of_a_library_is_the_measure_that_gives_its_value(
    name: str, expected: float
) -> None:
    assert value(name) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("reference", PYTREC_EVAL)
def test_names_that_mteb_and_beir_write_are_what_pytrec_eval_computes(reference: str) -> None:
    base, _, cutoff = reference.rpartition("_")
    asked = f"{base}.{cutoff}" if cutoff.isdigit() else reference
    of_queries = pytrec_eval.RelevanceEvaluator(QRELS, {asked}).evaluate(RUN)
    expected = sum(one[reference] for one in of_queries.values()) / len(of_queries)
    for name in PYTREC_EVAL[reference].split():
        assert value(name) == pytest.approx(expected, abs=1e-12), name


@pytest.mark.parametrize("name", ["mrr@10", "mrr_at_10", "MRR@10", "Mrr@10"])
def test_mrr_with_a_cutoff_is_the_reciprocal_rank_within_it(name: str) -> None:
    assert str(parse(name)) == "RR@10"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hits@5", "ranx counts the relevant documents at the top"),
        ("rbp.95", r"ranx multiplies by the grade itself.*RBP\(p=0.95,rel=1\)"),
        ("R_cap@10", "BEIR's capped recall divides by min"),
        ("hole@10", "BEIR's hole@k is the share of unjudged documents"),
        ("context_precision", "RAGAS lets a model judge each context"),
        ("context_recall", "RAGAS compares an answer's sentences with the contexts"),
        ("mrrr@10", "no measure is called 'mrrr'; did you mean 'MRR'?"),
    ],
)
def test_a_name_with_another_definition_is_refused_with_the_difference(
    name: str, message: str
) -> None:
    with pytest.raises(MeasureError, match=message):
        parse(name)
