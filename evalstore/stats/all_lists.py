"""The agreement of each two of many rankings, which the functions for two would take long for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalstore.stats.inputs import F64, I64, check_count, check_fraction
from evalstore.stats.rank_biased_overlap import check_ids

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

    What the functions for two lists give, up to rounding in the last digits. Two lists with fewer
    than two ids in common have no tau: NaN; the diagonal is 1 throughout.

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
    deeper = np.maximum(there, np.arange(there.shape[1]))  # len(weights) where it is not there
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
