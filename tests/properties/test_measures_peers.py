"""The same measures by other implementations, on random runs with ties, gaps and odd grades.

pytrec_eval is trec_eval 9 in the process: 32-bit scores, and it takes the process down for a query
with only negative grades, so none is drawn. It remembers a query by its id alone, so every example
has ids of its own.
"""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_samples import qrels_of, run_of

from evalstore.measures import evaluate, parse, parse_all
from evalstore.measures.join import match

pytestmark = pytest.mark.slow  # other libraries are imported

Table = dict[str, dict[str, float]]

DOCNOS = ["a", "B", "a1", "a-1", "z", "é", "10", "9", "A", "b", "c", "d"]
GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
# Some tie in 32 bits, some only nearly, some are far apart.
SCORES = st.sampled_from([0.0, -1.5, 1.0, 1.0, 1.0 + 1e-9, 1.0000002, 2.0, 1e-30, 16777217.0])
FRESH = itertools.count()


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Table]:
    """Judgments and scores; some queries are in one of the two alone."""
    grades: Table = {}
    scores: Table = {}
    for _ in range(draw(st.integers(1, 3))):
        qid = f"q{next(FRESH)}"
        judged: dict[str, float] = draw(
            st.dictionaries(st.sampled_from(DOCNOS), GRADES, min_size=1, max_size=9)
        )
        if max(judged.values()) < 0:
            judged[DOCNOS[0]] = 0
        grades[qid] = judged
        if draw(st.booleans()) or not scores:
            scores[qid] = draw(
                st.dictionaries(st.sampled_from(DOCNOS), SCORES, min_size=1, max_size=12)
            )
    return grades, scores


PYTREC = [
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "infAP"),
    *(
        "iprec_at_recall",
        "P.1,2,3,5,10",
        "recall.1,2,5",
        "ndcg",
        "ndcg_cut.1,2,5,100",
        "map_cut.2,5",
    ),
    *("Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg_rel", "Rndcg", "relative_P.2,5"),
    *("success.1,2,5", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "num_nonrel_judged_ret",
]


@given(tables(), st.sampled_from([1, 2, 3]), st.booleans())
def test_pytrec_eval_agrees(drawn: tuple[Table, Table], level: int, judged_only: bool) -> None:
    import pytrec_eval

    grades, scores = drawn
    whole = {q: {d: int(g) for d, g in of_query.items()} for q, of_query in grades.items()}
    theirs = pytrec_eval.RelevanceEvaluator(
        whole, PYTREC, relevance_level=level, judged_docs_only_flag=judged_only
    ).evaluate(scores)

    judged = match(
        run_of(scores), qrels_of(grades), compat="trec_eval-9", common=True, judged_only=judged_only
    )
    assert set(theirs) == set(judged.qids)
    named = [pair for text in PYTREC for pair in parse_all(text)]
    ours = {name: measure.at_level(level) for name, measure in named}
    values = evaluate(judged, ours.values())
    for i, qid in enumerate(judged.qids):
        expected = {name: theirs[qid][name] for name in ours}
        # trec_eval divides by 0 where nothing was retrieved or is relevant: these are 0 here.
        expected = {n: v if math.isfinite(v) else 0.0 for n, v in expected.items()}
        computed = {name: values[measure][i] for name, measure in ours.items()}
        assert computed == pytest.approx(expected, abs=1e-12)


IR_MEASURES = [
    *("AP", "AP@2", "AP(rel=2)", "AP(judged_only=True)", "nDCG", "nDCG@3", "RR", "RR(rel=2)"),
    *("nDCG(gains={0:1,1:3})@4", "nDCG(judged_only=True)@3", "P@1", "P(rel=2)@5", "R@2", "Rprec"),
    *("Rprec(rel=2)", "Bpref", "Bpref(rel=2)", "IPrec@0.0", "IPrec@0.3", "IPrec(rel=2)@0.8"),
    *("infAP", "Success@1", "Success(rel=2)@3", "SetP", "SetR", "SetF", "SetF(beta=2)", "SetAP"),
    *("SetRelP", "NumRet", "NumRel", "NumRelRet", "NumRelRet(rel=2)", "NumQ"),
]


@given(tables())
def test_ir_measures_agrees(drawn: tuple[Table, Table]) -> None:
    import ir_measures

    grades, scores = drawn
    # ir_measures hands beta to trec_eval as it is, where it counts as beta squared.
    spelled = {
        "SetF(beta=2)": "SetF(beta=4.0)",
        "NumRelRet": "NumRet(rel=1)",
        "NumRelRet(rel=2)": "NumRet(rel=2)",
    }
    asked = {m: ir_measures.parse_measure(spelled.get(m, m)) for m in IR_MEASURES}
    whole = {q: {d: int(g) for d, g in of_query.items()} for q, of_query in grades.items()}
    # Of a query that the run does not answer it knows nothing, not even NumRel.
    judged = match(run_of(scores), qrels_of(grades), compat="trec_eval-9", common=True)
    for name, measure in asked.items():
        # One at a time: asked for together, gains of one measure leak into others.
        theirs = {v.query_id: v.value for v in ir_measures.iter_calc([measure], whole, scores)}
        computed = evaluate(judged, [parse(name)])[parse(name)]
        assert computed == pytest.approx([theirs[q] for q in judged.qids], abs=1e-12), name


@given(tables(), st.randoms(use_true_random=False))
def test_ir_measures_agrees_on_compat_where_no_scores_are_equal(
    drawn: tuple[Table, Table], random: Random
) -> None:
    import ir_measures

    grades, given_scores = drawn
    # It orders equal scores otherwise, and takes a document that was not retrieved for one of 0.
    scores = {
        qid: dict(zip(row, random.sample(range(1, 100), len(row)), strict=True))
        for qid, row in given_scores.items()
    }
    whole = {q: {d: int(g) for d, g in row.items()} for q, row in grades.items()}
    judged = match(run_of(scores), qrels_of(grades), common=True)
    for name in ("Compat", "Compat(p=0.7)", "Compat(normalize=False)"):
        asked = [ir_measures.parse_measure(name)]
        theirs = {v.query_id: v.value for v in ir_measures.iter_calc(asked, whole, scores)}
        ours = evaluate(judged, [parse(name)])[parse(name)]
        assert ours == pytest.approx([theirs[q] for q in judged.qids], abs=1e-12), name
