"""How far two orders of the same items agree: Kendall's tau and tau-AP."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import F64, I64, finite
from evalstore.stats.rank_biased_overlap import check_ids

Order = npt.ArrayLike | Sequence[str]


def kendall_tau_b(x: Order, y: Order) -> float:
    """Kendall's tau-b: (concordant - discordant pairs) / sqrt((m - ties in x) (m - ties in y)).

    `x` and `y` are the values of the same items (float64), or two lists of ids (text), best first,
    of which the ids in both lists count. m is the number of pairs. Fewer than two items, or all
    equal in x or in y: NaN. Exact equality is a tie. Takes n log n steps.

    Source: Kendall, Biometrika 1945; the same as `scipy.stats.kendalltau`.

    Raises:
        DataError: values that are not aligned or hold NaN, or an id twice in a list.
    """
    first, second = _aligned(x, y)
    n = len(first)
    ranks = np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
    all_pairs = n * (n - 1) // 2
    tied = [_pairs_within(rank) for rank in ranks]
    if n < 2 or all_pairs in tied:
        return math.nan
    both = np.unique(ranks[0] * n + ranks[1], return_inverse=True)[1]
    # Ordered by x, and by y where x ties: what then stands the wrong way round is discordant.
    discordant = _inversions(ranks[1][np.lexsort(ranks[::-1])])
    not_tied = all_pairs - tied[0] - tied[1] + _pairs_within(both)
    share = (all_pairs - tied[0]) * (all_pairs - tied[1])
    return (not_tied - 2 * discordant) / math.sqrt(share)


def tau_ap(reference: Order, other: Order) -> float:
    """The AP correlation of an order with a reference order: errors at the top weigh more.

    2 / (n - 1) x sum over places i = 2..n of `other` of C(i) / (i - 1), less 1; C(i) counts the
    items above place i in `other` that the reference too puts above the item at i. Not symmetric:
    name the reference. `reference` and `other` are the values of the same items (float64, higher
    first), or two lists of ids (text), best first, of which the ids in both lists count. Equal
    values keep the order of the arrays, in both: align the arrays by name first. Fewer than two
    items: NaN.

    Source: Yilmaz, Aslam and Robertson, SIGIR 2008.

    Raises:
        DataError: values that are not aligned or hold NaN, or an id twice in a list.
    """
    first, second = _aligned(reference, other)
    n = len(first)
    if n < 2:
        return math.nan
    position = np.empty(n, np.int64)
    position[np.argsort(-first, kind="stable")] = np.arange(n)
    listed = position[np.argsort(-second, kind="stable")]  # reference places in the other order
    above = [int(np.count_nonzero(listed[:i] < listed[i])) for i in range(1, n)]
    return float(2 / (n - 1) * np.sum(above / np.arange(1, n)) - 1)


def _aligned(x: Order, y: Order) -> tuple[F64, F64]:
    """Values of the same items; of lists of ids, the ids both have, the first the highest."""
    pair: tuple[Any, Any] = (x, y)
    ids = [len(order) > 0 and isinstance(order[0], str) for order in pair]
    if all(ids):
        check_ids(pair[0])
        check_ids(pair[1])
        positions = {name: position for position, name in enumerate(pair[1])}
        shared = [positions[name] for name in pair[0] if name in positions]
        return -np.arange(len(shared), dtype=np.float64), -np.array(shared, dtype=np.float64)
    if any(ids) and len(pair[0]) and len(pair[1]):
        raise DataError("give two lists of ids or two arrays of values, not one of each")
    if any(ids):  # the other list is empty
        return np.zeros(0), np.zeros(0)
    first, second = finite(pair[0], "the values"), finite(pair[1], "the values")
    if first.ndim != 1 or first.shape != second.shape:
        raise DataError(
            "the values must be two lists of one length, a value an item; "
            f"got shapes {first.shape} and {second.shape}"
        )
    return first, second


def _pairs_within(groups: npt.NDArray[np.integer[Any]]) -> int:
    """How many pairs are of one group."""
    sizes = np.bincount(groups)
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(ranks: I64) -> int:
    """Pairs of which the first is larger than the second; ranks from 0.

    Two numbers part at their highest differing bit. For each bit, what agrees above it is brought
    together in its order, and every 0 that follows a 1 there counts.
    """
    total = 0
    for bit in range(int(ranks.max(initial=0)).bit_length()):
        prefix = ranks >> (bit + 1)
        order = np.argsort(prefix, kind="stable")
        group, ones = prefix[order], ranks[order] >> bit & 1
        before = np.cumsum(ones) - ones
        before -= before[np.searchsorted(group, group)]
        total += int(before[ones == 0].sum())
    return total
