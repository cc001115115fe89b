"""trec_eval's own names, and sets of measures."""

from __future__ import annotations

import pytest

from evalstore.measures import parse, parse_all


def shown(text: str) -> list[tuple[str, str]]:
    return [(name, str(measure)) for name, measure in parse_all(text)]


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("map_cut.10", "AP@10"),
        ("gm_map", "GMAP"),
        ("recip_rank", "RR"),
        ("bpref", "Bpref"),
        ("gm_bpref", "GM-Bpref"),
        ("infAP", "infAP"),
        ("11pt_avg", "11ptAP"),
        ("11pt_avg..25,.5,.75", "11ptAP(levels=(0.25,0.5,0.75))"),
        ("P_5", "P@5"),
        ("recall_1000", "R@1000"),
        ("success_1", "Success@1"),
        ("relative_P_5", "RelP@5"),
        ("iprec_at_recall_0.20", "IPrec@0.2"),
        ("Rprec", "Rprec"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg.1=3,2=9,4=4.5", "nDCG(gains={1:3,2:9,4:4.5})"),
        ("ndcg_rel", "nDCGrel"),
        ("Rndcg", "Rndcg"),
        ("G", "G"),
        ("binG", "binG"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_relative_P", "SetRelP"),
        ("set_map", "SetAP"),
        ("set_F", "SetF"),
        ("set_F.4", "SetF(beta=2)"),
        ("set_F_0.25", "SetF(beta=0.5)"),
        ("utility", "Utility"),
        ("utility.2,-1,0,0", "Utility(p1=2)"),
        ("num_ret", "NumRet"),
        ("num_q", "NumQ"),
        ("num_nonrel_judged_ret", "NumNonrelRet"),
        ("rbp", "RBP(p=0.9)"),
        ("rbp.p=0.5", "RBP(p=0.5)"),
        ("rbp_resid", "RBPResidual(p=0.9)"),
        ("unj_5", "Unjudged@5"),
        ("map_avgjg", "GroupAP"),
        ("P_avgjg_15", "GroupP@15"),
        ("Rprec_mult_avgjg_0.40", "GroupRprec(mult=0.4)"),
        ("prefs_simp", "PrefSimple"),
        ("prefs_simp_imp", "PrefSimple(scope='either')"),
        ("prefs_pair_ret", "PrefPair(scope='both')"),
        ("prefs_avgjg", "PrefGroup"),
        ("prefs_avgjg_Rnonrel_ret", "PrefBalanced(scope='both')"),
        ("prefs_num_prefs_ful_ret", "NumPrefsFulfilled(scope='both')"),
    ],
)
def test_a_name_of_trec_eval(text: str, measure: str) -> None:
    assert shown(text) == [(text, measure)]


def test_a_name_may_stand_for_several() -> None:
    assert shown("P.5,10") == [("P_5", "P@5"), ("P_10", "P@10")]
    assert shown("unj")[0] == ("unj_5", "Unjudged@5")
    assert shown("iprec_at_recall")[10] == ("iprec_at_recall_1.00", "IPrec@1.0")
    assert shown("Rprec_mult.0.35,5.0")[1] == ("Rprec_mult_5.00", "Rprec(mult=5)")
    assert [name for name, _ in shown("iprec_at_recall..10,.2")] == [
        "iprec_at_recall_0.10",
        "iprec_at_recall_0.20",
    ]


def test_official_is_what_trec_eval_prints_by_default() -> None:
    assert [name for name, _ in shown("official")] == [
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
        "recip_rank",
        *(f"iprec_at_recall_{i / 10:.2f}" for i in range(11)),
        *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    ]


def test_all_trec_has_everything_in_the_order_of_trec_eval() -> None:
    cuts = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    official = [name for name, _ in shown("official")]
    assert [name for name, _ in shown("all_trec")] == [
        *official,
        *(f"recall_{k}" for k in cuts),
        *("infAP", "gm_bpref"),
        *(f"Rprec_mult_{i / 5:.2f}" for i in range(1, 11)),
        *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
        *(f"ndcg_cut_{k}" for k in cuts),
        *(f"map_cut_{k}" for k in cuts),
        *(f"relative_P_{k}" for k in cuts),
        *(f"success_{k}" for k in (1, 5, 10)),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
        *("num_nonrel_judged_ret", "rbp", "rbp_resid", "unj_5", "unj_10", "unj_20"),
    ]


def test_what_ingest_stores() -> None:
    names = [name for name, _ in parse_all("standard")]
    assert len(names) == len(set(names)) <= 45
    assert {str(parse(name)) for name in names} == set(names)
    assert not any(parse(name).descriptor.needs for name in names)
    assert {
        *(f"IPrec@{i / 10}" for i in range(11)),
        *("AP", "Rprec", "RR", "nDCG@10", "P@5", "P@10", "P@20", "R@100", "R@1000"),
        *("NumRet", "NumRel", "NumRelRet", "SetP", "SetR", "SetF", "Bpref", "RBP", "ERR@20"),
    } <= set(names)
