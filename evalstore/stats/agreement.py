"""The agreement of two orders of the same items (Kendall's tau, tau-AP), and of two rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import F64, I64, check_count, check_fraction, finite

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
    # Ordered by x, and by y among ties of x: pairs in the wrong order are then discordant.
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
    sizes = np.bincount(groups)
    return int((sizes * (sizes - 1) // 2).sum())


def _inversions(ranks: I64) -> int:
    """Pairs of which the first is larger than the second; ranks from 0.

    Two numbers part at their highest differing bit. For each bit, the ranks with equal higher bits
    are brought together in their order, and every 0 that follows a 1 there counts.
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


# The similarity of two rankings, which need not hold the same documents


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


def rbo_to_depth(a: Sequence[str], b: Sequence[str], p: float = 0.95, depth: int = 1000) -> float:
    """Rank-biased overlap of two lists of ids, best first, cut at a depth and normalised.

    The mean overlap of the two lists down to each depth d, d weighing p^(d - 1). Nothing follows a
    list that ends: equal lists shorter than `depth` have less than 1, unlike in `rbo`. Ties are
    settled before. A list that is empty: 0.

    Source: `RBO` of repro_eval, from Clarke, Vtyurina and Smucker, ACM Transactions on Information
    Systems 2021, equation 2.

    Raises:
        DataError: an id twice in a list; p not in (0, 1); `depth` below 1.
    """
    check_fraction("p", p)
    check_count("depth", depth)
    check_ids(a)
    check_ids(b)
    shorter, longer = sorted((a[:depth], b[:depth]), key=len)
    if not shorter:
        return 0.0
    within = _common_down_to_each_depth(shorter, longer)
    common = np.concatenate([within, np.full(depth - len(longer), within[-1])])
    weight = np.power(p, np.arange(depth))
    return float((common / np.arange(1, depth + 1) * weight).sum() / weight.sum())


def tau_union(a: Sequence[str], b: Sequence[str], depth: int = 1000) -> float:
    """Kendall's tau Union of two lists of ids, best first, each cut after `depth` ids.

    The ids of both lists are numbered in the order of their texts, and the numbers at equal ranks
    paired: it is `kendall_tau_b` of these pairs. So it depends on the ids, and a single document
    that is inserted at the top moves all pairs. Lists of unlike length are compared down to the end
    of the shorter; repro_eval refuses them. Fewer than two ids in a list: NaN.

    Source: `KTU` of repro_eval, after Breuer et al., SIGIR 2020.

    Raises:
        DataError: an id twice in a list; `depth` below 1.
    """
    check_count("depth", depth)
    check_ids(a)
    check_ids(b)
    number = {name: i for i, name in enumerate(sorted({*a[:depth], *b[:depth]}))}
    length = min(len(a), len(b), depth)
    return kendall_tau_b(*([number[name] for name in ids[:length]] for ids in (a, b)))


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
    """The number of ids both lists have in their first 1, 2, 3, ... places, to the longer's end."""
    position = {name: i for i, name in enumerate(longer)}
    # An id is common from the deeper of its two places on.
    deeper = [max(i, position[name]) for i, name in enumerate(shorter) if name in position]
    return np.cumsum(np.bincount(deeper, minlength=len(longer))).astype(np.float64)


# The agreement of each two of many rankings, for which the functions for two would take long

CELLS = 4_000_000
"""Bytes that the comparison of places may take at a time."""


class ListAgreement(NamedTuple):
    """Coefficients of each two lists: float64, lists x lists, symmetric."""

    rbo: F64
    kendall_tau_b: F64
    overlap: F64


def agreement_of_lists(
    lists: Sequence[Sequence[str]], p: float = 0.9, k: int = 10
) -> ListAgreement:
    """`rbo`, `kendall_tau_b` and `overlap` of each two lists of ids, best first.

    The results of the functions for two lists, up to rounding in the last digits. Two lists with
    fewer than two ids in common have no tau: NaN; the diagonal is 1 throughout.

    Args:
        lists: of ids, of any lengths.
        p: of `rbo`.
        k: of `overlap`.

    Raises:
        DataError: an id twice in a list; p not in (0, 1); k below 1.
    """
    check_fraction("p", p)
    check_count("k", k)
    for ids in lists:
        check_ids(ids)
    number, longest = len(lists), max(map(len, lists), default=0)
    lengths = np.array([len(ids) for ids in lists], np.int64)
    column_of: dict[str, int] = {}
    for ids in lists:
        for name in ids:
            column_of.setdefault(name, len(column_of))
    columns = np.full((number, longest), len(column_of))  # shorter lists end with one of no id
    place = np.full((number, len(column_of) + 1), longest)  # of an id in a list, from 0
    for row, ids in enumerate(lists):
        own = [column_of[name] for name in ids]
        columns[row, : len(own)] = own
        place[row, own] = np.arange(len(own))
    one, other = np.triu_indices(number, 1)
    # The places, in the other list of a pair, of the ids of the one, in its order.
    there = place[other[:, None], columns[one]]
    weights = np.power(p, np.arange(1, longest + 1))
    coefficients = (
        _rbo(there, lengths[one], lengths[other], weights, p),
        _tau(there, longest),
        _overlap(there, lengths[one], lengths[other], k),
    )
    tables = [np.ones((number, number)) for _ in coefficients]
    for table, values in zip(tables, coefficients, strict=True):
        table[one, other] = table[other, one] = values
    return ListAgreement(*tables)


def _rbo(there: I64, lengths: I64, others: I64, weights: F64, p: float) -> F64:
    """Equation 32 of Webber et al., with the sums over depths taken id by id.

    An id that both lists have counts at every depth from the deeper of its two places on, with the
    weight p^d / d there.
    """
    by_depth = np.concatenate([[0.0], np.cumsum(weights / np.arange(1, len(weights) + 1))])
    powers = np.concatenate([[0.0], np.cumsum(weights)])
    deeper = np.maximum(there, np.arange(there.shape[1]))  # len(weights) if it is not there
    common = there < len(weights)
    shorter, longer = np.minimum(lengths, others), np.maximum(lengths, others)
    at_longer = common.sum(axis=1)
    at_shorter = (common & (deeper < shorter[:, None])).sum(axis=1)
    from_place = np.where(common, by_depth[deeper], 0.0).sum(axis=1)
    total = at_longer * by_depth[longer] - from_place
    share = at_shorter / np.maximum(shorter, 1)
    beyond = by_depth[longer] - by_depth[shorter]
    total += share * (powers[longer] - powers[shorter] - shorter * beyond)
    tail = (at_longer - at_shorter) / np.maximum(longer, 1) + share
    result = (1 - p) / p * total + tail * np.power(p, longer)
    return np.where(longer == 0, 1.0, np.where(shorter == 0, 0.0, result))


def _tau(there: I64, longest: int) -> F64:
    """(concordant - discordant) / pairs of the ids in both lists; there are no ties."""
    common = there < longest
    in_common = common.sum(axis=1)
    pairs = in_common * (in_common - 1) // 2
    before = np.tri(there.shape[1], k=-1, dtype=bool).T
    small = there.astype(np.min_scalar_type(longest))
    step = max(CELLS // max(longest * longest, 1), 1)
    parts = [
        # Ids that are not in the other list stand last there: only as the first of two they count.
        np.count_nonzero(
            (part[:, :, None] > part[:, None, :]) & (part[:, :, None] < longest) & before,
            axis=(1, 2),
        )
        for part in (small[start : start + step] for start in range(0, len(small), step))
    ]
    discordant = np.concatenate([np.empty(0, np.int64), *parts])
    result = np.full(len(there), np.nan)
    np.divide(pairs - 2 * discordant, pairs, out=result, where=pairs > 0)
    return result


def _overlap(there: I64, lengths: I64, others: I64, k: int) -> F64:
    shared = (there[:, :k] < np.minimum(k, others)[:, None]).sum(axis=1)
    longer = np.minimum(k, np.maximum(lengths, others))
    return np.where(longer == 0, 1.0, shared / np.maximum(longer, 1))
