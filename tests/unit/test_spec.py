"""The notation of measures."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalstore.errors import MeasureError
from evalstore.measures import parse, parse_all, parse_list, registry
from evalstore.measures.notation import SETS


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("P@10", "P@10"),
        (" P ( rel = 2 ) @ 10 ", "P(rel=2)@10"),
        ("P(rel=1)@10", "P@10"),
        ("P(rel=2.0)@010", "P(rel=2)@10"),
        ("nDCG(rel=0, dcg='log2')@10", "nDCG@10"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("DCG(dcg='jk')@6", "DCG(dcg='jk')@6"),
        ("nDCG(gains={2:0.9, 1:.5})@10", "nDCG(gains={1:0.5,2:0.9})@10"),
        ("AP(norm='found')@5", "AP(norm='found')@5"),
        ("AP(rel=2,norm='min')", "AP(norm='min',rel=2)"),
        ("RBP(rel=1,p=0.9)", "RBP(p=0.9,rel=1)"),
        ("RBP(p=0.8,rel=1)", "RBP(rel=1)"),
        ("ERR(max=4)@20", "ERR(max_rel=4)@20"),
        ("GM-Bpref", "GM-Bpref"),
        ("11ptAP", "11ptAP"),
        ("IPrec@0", "IPrec@0.0"),
        ("IPrec@.25", "IPrec@0.25"),
        ("MRR", "RR"),
        ("MAP@100", "AP@100"),
        ("NDCG@5", "nDCG@5"),
        ("Precision@5", "P@5"),
        ("Recall(rel=2)@5", "R(rel=2)@5"),
        ("α_nDCG@5", "alpha_nDCG@5"),
        ("alpha_nDCG(alpha=0.5)@10", "alpha_nDCG@10"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("NumRet(rel=1)", "NumRelRet"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(relative=False)", "SetP"),
        ("P(judged_only=True)@10", "P(judged_only=True)@10"),
        ("P(judged_only=False)@10", "P@10"),
        ("Rprec(mult=2e-1)", "Rprec(mult=0.2)"),
    ],
)
def test_one_measure_has_one_string(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_ir_measures_writes_nothing_that_is_not_read() -> None:
    import ir_measures as irm

    written = [
        *(irm.AP, irm.AP @ 10, irm.AP(rel=2), irm.nDCG, irm.nDCG @ 10, irm.RR, irm.RR @ 10),
        *(irm.nDCG(dcg="exp-log2") @ 10, irm.nDCG(gains={1: 3}) @ 10, irm.P(rel=2) @ 5),
        *(irm.RBP(rel=1), irm.RBP(p=0.5), irm.RBP(p=0.9, rel=2) @ 10, irm.ERR @ 20),
        *(irm.Judged @ 10, irm.infAP, irm.Bpref, irm.Bpref(rel=2), irm.Rprec(rel=2)),
        *(irm.IPrec @ 0.2, irm.R @ 5, irm.Success @ 1, irm.SetP, irm.SetR, irm.SetF(beta=2)),
        *(irm.SetAP, irm.SetRelP, irm.NumRet, irm.NumRelRet, irm.NumRel, irm.NumQ),
        *(irm.alpha_nDCG @ 10, irm.alpha_DCG(alpha=0.1) @ 10, irm.ERR_IA @ 10, irm.nERR_IA @ 5),
        *(irm.NRBP(beta=0.8), irm.nNRBP, irm.AP_IA, irm.P_IA @ 5, irm.StRecall @ 5),
        *(irm.BPM(max_rel=3) @ 10, irm.SDCG(max_rel=3) @ 10, irm.INST(max_rel=3, T=2)),
        *(irm.INSQ(max_rel=3, min_rel=1), irm.AP(judged_only=True), irm.P(judged_only=True) @ 5),
    ]
    for measure in written:
        parse(str(measure))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDGC@10", "did you mean 'nDCG'?"),
        ("ndgc_cut_10", "did you mean 'ndcg_cut'?"),
        ("ndgc@10", "did you mean 'nDCG'?"),
        ("nDCG10", "did you mean 'nDCG@10'?"),
        ("P5", "did you mean 'P@5'?"),
        ("frobnicate", "no measure is called 'frobnicate'"),
        ("", "can't read"),
        ("P", None),  # trec_eval's name for nine of them
        ("R", "the @ is missing"),
        ("Rprec@5", "takes no @"),
        ("P@0", "from 1"),
        ("P@-1", "from 1"),
        ("P@1.5", "from 1"),
        ("P@1000001", "1,000,000"),
        ("IPrec@1.1", "0.0 to 1.0"),
        ("IPrec@nan", "0.0 to 1.0"),
        ("P(rel=0)@5", "more than 0"),
        ("P(rel=nan)@5", "can't read"),
        ("P(rel=1e99)@5", "at most"),
        ("P(rel=True)@5", "a number"),
        ("P(level=2)@5", "no parameter 'level'; it has: rel, judged_only"),
        ("P(rel=2,rel=2)@5", "given twice"),
        ("ERR(max=3,max_rel=3)@5", "given twice"),
        ("P(2)@5", "from '2' on"),
        ("P(rel=__import__('os'))@5", "can't read"),
        ("P(rel=2;x=1)@5", "can't read"),
        ("RBP(p=1)", "less than 1"),
        ("RBP(p=0)", "more than 0"),
        ("nDCG(dcg='ln')@5", "one of 'log2', 'exp-log2', 'jk'"),
        ("nDCG(dcg=2)@5", "one of"),
        ("nDCG(gains=2)@5", "map grades to gains"),
        ("nDCG(gains={1:-2})@5", "from 0"),
        ("nDCG(judged_only=1)@5", "True or False"),
        ("11ptAP(levels=(0.5,2))", "recall levels"),
        ("RelativeRecall", "expected= is missing"),
        ("RelativeRecall(expected=2.5)", "whole number"),
        ("MAE(judged_only=True)", "it has: none"),
        ("INST(T=0)", "at least 0.5"),
        ("utility.1,2", "can't read"),
        ("P.5,x", "can't read"),
        ("P_", "did you mean"),
    ],
)
def test_what_is_not_understood_is_said(text: str, said: str | None) -> None:
    if said is None:
        with pytest.raises(MeasureError, match="names 9 measures"):
            parse(text)
        return
    with pytest.raises(MeasureError) as error:
        parse_all(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "(" * 190,
        "P(" + "(" * 150 + ")@5",
        "P(rel=" + "9" * 150 + ")@5",
        "nDCG(gains={" + "1:2," * 40 + "})@5",
        "nDCG(gains={" + ",".join(f"{i}:.1" for i in range(1, 31)) + "})@5",
        "P(" + "a=1," * 45 + ")@5",
        "P@" + "0" * 150,
        "-" * 199,
        "a" * 199,
        "11pt_avg." + ".1," * 60,
        "ndcg." + "1=2," * 45,
        "P(rel=1)@5\x00",
        "nDCG(dcg='\n')@5",
        "\ud800",
    ],
)
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    began = time.thread_time()  # of the processor: other programs may run meanwhile
    with pytest.raises(MeasureError):
        parse(text)
    assert time.thread_time() - began < 1


@settings(deadline=None)
@given(st.text(max_size=60) | st.text("nDCGAP()@=,.{}:'_0123456789rel ", max_size=40))
@example("P(rel=1" + "," * 30)
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        for _, measure in parse_all(text):
            assert parse(str(measure)) == measure
    except MeasureError:
        pass


def test_level_is_set_where_there_is_one_and_none_was_given() -> None:
    assert str(parse("P@5").at_level(2)) == "P(rel=2)@5"
    assert str(parse("P(rel=3)@5").at_level(2)) == "P(rel=3)@5"
    assert str(parse("nDCG@5").at_level(2)) == "nDCG@5"
    assert str(parse("AP(norm='min')").at_level(2)) == "AP(norm='min',rel=2)"
    assert parse("P@5").at_level(1) == parse("P@5")


def test_names_are_unique() -> None:
    names = [name for d in registry().values() for name in (d.name, *d.aliases)]
    trec = [t.name for d in registry().values() for t in d.trec]
    assert len(set(names)) == len(names)
    assert len(set(trec)) == len(trec)
    # A name of both kinds means the same measure in both.
    for d in registry().values():
        for t in d.trec:
            assert t.name not in set(names) - {d.name}
    assert not set(SETS) & {*names, *trec}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("AP", ["AP"]),
        (" AP , nDCG@10,", ["AP", "nDCG@10"]),
        ("nDCG(dcg='exp-log2',rel=2)@10,P@5", ["nDCG(dcg='exp-log2',rel=2)@10", "P@5"]),
        ("P.5,10,AP", ["P@5", "P@10", "AP"]),
        ("AP,map", ["AP"]),
        ("qrels_jg,AP", [*(str(measure) for _, measure in parse_all("qrels_jg")), "AP"]),
    ],
)
def test_a_list_of_measures_is_split_at_the_commas_that_belong_to_no_name(
    text: str, names: list[str]
) -> None:
    measures = [str(measure) for measure in parse_list(text).values()]
    assert list(dict.fromkeys(measures)) == names
