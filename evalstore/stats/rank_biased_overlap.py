"""How alike two rankings of documents are, which need not hold the same documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evalstore.errors import DataError
from evalstore.stats.inputs import F64, check_count, check_fraction


def rbo(a: Sequence[str], b: Sequence[str], p: float = 0.9) -> float:
    """Rank-biased overlap of two lists of ids, best first, extrapolated: from 0 to 1.

    The mean overlap of the two lists down to each depth, depth d weighing p^d: with p = 0.9 the
    first 10 ranks hold 86 % of the weight. Beyond the ends of the lists the last agreement is taken
    to go on; the lists may be of unequal length. Ties are settled before: the ids are in the order
    of the ranking. Two empty lists: 1. One empty: 0.

    Source: Webber, Moffat and Zobel, ACM Transactions on Information Systems 2010, equation 32
    (RBO_EXT).

    Raises:
        DataError: an id twice in a list; p not in (0, 1).
    """
    check_fraction("p", p)
    check_ids(a)
    check_ids(b)
    shorter, longer = sorted((a, b), key=len)
    s, l = len(shorter), len(longer)  # noqa: E741  (their names in the paper)
    if s == 0:
        return 1.0 if l == 0 else 0.0
    common = _common_down_to_each_depth(shorter, longer)
    depth = np.arange(1, l + 1)
    weight = np.power(p, depth)
    at_s, at_l = common[s - 1], common[l - 1]
    agreement = common / depth
    agreement[s:] += at_s * (depth[s:] - s) / (s * depth[s:])
    tail = (at_l - at_s) / l + at_s / s
    return float((1 - p) / p * (agreement * weight).sum() + tail * weight[-1])


def overlap(a: Sequence[str], b: Sequence[str], k: int) -> float:
    """The share of the first k ids of two lists that both have, in any order.

    Common ids / the length of the longer list, each cut after k ids: two equal lists shorter than k
    have 1. Two empty lists: 1.

    Raises:
        DataError: an id twice in a list; k below 1.
    """
    check_count("k", k)
    check_ids(a)
    check_ids(b)
    longer = max(len(a[:k]), len(b[:k]))
    return len(set(a[:k]) & set(b[:k])) / longer if longer else 1.0


def check_ids(ids: Sequence[str]) -> None:
    """Refuse a list that holds an id twice."""
    if len(set(ids)) < len(ids):
        raise DataError("a ranking must not hold an id twice")


def _common_down_to_each_depth(shorter: Sequence[str], longer: Sequence[str]) -> F64:
    """How many ids both lists have in their first 1, 2, 3, ... places, to the longer's end."""
    position = {name: i for i, name in enumerate(longer)}
    # An id is common from the deeper of its two places on.
    deeper = [max(i, position[name]) for i, name in enumerate(shorter) if name in position]
    return np.cumsum(np.bincount(deeper, minlength=len(longer))).astype(np.float64)
