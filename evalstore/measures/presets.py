"""Names that stand for several measures: trec_eval's sets, and ours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RECALL_LEVELS = tuple(f"IPrec@{i / 10}" for i in range(11))

SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # As trec_eval 10 prints them, less the run's name; 9 lacks the last three.
        "official": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
            *("recip_rank", "iprec_at_recall", "P"),
        ),
        "set": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
            *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
        ),
        "all_trec": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
            *("recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult"),
            *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut"),
            *("map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall"),
            *("set_map", "set_F", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj"),
        ),
        "all_prefs": (
            *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
            *("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"),
            *("prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret"),
            *("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
        ),
        "qrels_jg": ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        # What ingest stores: at most 45.
        "standard": (
            *("AP", "AP@100", "Rprec", "Bpref", "RR", "RR@10"),
            *("nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "ERR@20", "RBP"),
            *("P@1", "P@5", "P@10", "P@20", "P@30", "P@100"),
            *("R@10", "R@20", "R@50", "R@100", "R@1000"),
            *("Success@1", "Success@5", "Success@10"),
            *RECALL_LEVELS,
            *("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet"),
        ),
        "summary": (
            *("NumRet", "NumRel", "NumRelRet", "AP", "Rprec", "RR", "nDCG", "nDCG@10"),
            *("P@5", "P@10", "P@20", "R@100", "R@1000"),
        ),
    }
)
