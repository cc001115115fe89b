"""Measures near expected reciprocal rank that fit the C/W/L model of a reader.

The reader reads the first document, and from rank i goes on to the next with a probability that
falls with the gain found there. The value is the gain per document read. The four measures differ
in what else makes the reader stop.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalstore.measures.judged import Judged
from evalstore.measures.registry import RANK_REQUIRED, measure
from evalstore.measures.segments import F64
from evalstore.measures.user_models import (
    DEPTH,
    MAX_REL,
    MIN_REL,
    WANTED,
    P,
    gain_per_document,
    scaled,
)

PAPER = "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021, equation "
AS_CWL = "; depth and gains as in cwl_eval (Azzopardi, Thomas and Moffat, SIGIR 2019)"
GAIN = (
    "sum over ranks i {ranks} of w_i x gain, over the sum of w_i; w_1 = 1, w_(i+1) / w_i = "
    "{rate}(1 - gain_i); gain = (grade - min_rel) / (max_rel - min_rel)"
)


def _nearly_err(judged: Judged, min_rel: float, max_rel: float | None, patience: F64) -> F64:
    """The gain per document of a reader who stops when satisfied, or out of patience.

    `patience` holds, for ranks 1, 2, ... to the last that is read, how likely a reader whom the
    document there did not satisfy goes on.
    """
    gain = scaled(judged, min_rel, max_rel)
    return gain_per_document(judged, gain, len(patience), lambda gains: patience * (1 - gains))


@measure(
    name="NERR8",
    title="Nearly expected reciprocal rank, equation 8",
    advice="Use it for readers who stop at the first document that satisfies them, or at rank k. "
    "Unlike ERR it counts the gain per document read; its values are not ERR's.",
    formula=GAIN.format(ranks="to k", rate=""),
    source=PAPER + "8" + AS_CWL,
    parameters=(MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
)
def nerr8(judged: Judged, *, cutoff: int, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who stops when satisfied, or after k documents."""
    return _nearly_err(judged, min_rel, max_rel, np.ones(min(cutoff, DEPTH)))


@measure(
    name="NERR9",
    title="Nearly expected reciprocal rank, equation 9",
    advice="Use it as NERR8 for readers who also lose patience with every rank, as ERR's discount "
    "1/i has it.",
    formula=GAIN.format(ranks="to k", rate="i / (i + 1) x "),
    source=PAPER + "9" + AS_CWL,
    parameters=(MIN_REL, MAX_REL),
    cutoff=RANK_REQUIRED,
)
def nerr9(judged: Judged, *, cutoff: int, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who stops when satisfied, and loses patience by rank."""
    rank = np.arange(1, min(cutoff, DEPTH) + 1)
    return _nearly_err(judged, min_rel, max_rel, rank / (rank + 1))


@measure(
    name="NERR10",
    title="Nearly expected reciprocal rank, equation 10",
    advice="Use it as RBP for readers who stop when satisfied.",
    formula=GAIN.format(ranks="(to 1000)", rate="p "),
    source=PAPER + "10" + AS_CWL,
    parameters=(replace(P, default=0.9), MIN_REL, MAX_REL),
)
def nerr10(judged: Judged, *, cutoff: None, p: float, min_rel: float, max_rel: float | None) -> F64:
    """The gain per document of a reader who goes on with probability p unless satisfied."""
    return _nearly_err(judged, min_rel, max_rel, np.full(DEPTH, p))


@measure(
    name="NERR11",
    title="Nearly expected reciprocal rank, equation 11",
    advice="Use it as INSQ for readers who stop when satisfied.",
    formula=GAIN.format(ranks="(to 1000)", rate="((i + 2T - 1) / (i + 2T))^2 "),
    source=PAPER + "11" + AS_CWL,
    parameters=(WANTED, MIN_REL, MAX_REL),
)
def nerr11(
    judged: Judged,
    *,
    cutoff: None,
    T: float,  # noqa: N803  (its name in the literature)
    min_rel: float,
    max_rel: float | None,
) -> F64:
    """The gain per document of a reader who wants T documents and stops when satisfied."""
    here = np.arange(1, DEPTH + 1) + 2 * T
    return _nearly_err(judged, min_rel, max_rel, ((here - 1) / here) ** 2)
