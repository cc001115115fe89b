"""Rank groups of a leaderboard: engines that a corrected test does not separate share a letter."""

from __future__ import annotations

import string
from itertools import chain, count

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import check_fraction, probabilities


def rank_groups(means: npt.ArrayLike, p: npt.ArrayLike, alpha: float = 0.05) -> tuple[str, ...]:
    """The letters of every engine, in the order given (compact letter display).

    `means` are the engines' figures, higher the better (give -means of a measure where lower is
    better); `p` is engines x engines, symmetric, already corrected for the family (`holm`, ...;
    `p_matrix` makes a matrix of pairs). Two engines share a letter exactly if their p is not below
    alpha. A letter stands for one largest set of engines no two of which are separated; `a` is the
    set that holds the best mean. After z come A to Z, then the letters of other alphabets: always
    one character a group. Equal means keep their order.

    Source: Piepho, Journal of Computational and Graphical Statistics 2004 (the sets of its
    insert-and-absorb algorithm).

    Raises:
        DataError: `p` is not a symmetric matrix with a row for every mean, or holds NaN; `alpha` is
            not in (0, 1).
    """
    check_fraction("alpha", alpha)
    figures, given = np.asarray(means, dtype=np.float64), probabilities(p)
    if figures.ndim != 1 or np.isnan(figures).any():
        raise DataError("the means must be one number an engine, and none may be missing (NaN)")
    if given.shape != (len(figures), len(figures)) or not (given == given.T).all():
        raise DataError(
            f"p must be a symmetric matrix with a row for each of the {len(figures)} means; "
            f"got shape {given.shape}"
        )
    best_first = np.argsort(-figures, kind="stable")
    alike = given[np.ix_(best_first, best_first)] >= alpha
    groups = sorted(_largest_sets(alike))
    letters = [""] * len(figures)
    for letter, group in zip(_letters(len(groups)), groups, strict=True):
        for place in group:
            letters[best_first[place]] += letter
    return tuple(letters)


def _largest_sets(alike: npt.NDArray[np.bool_]) -> list[list[int]]:
    """All largest sets of engines of which each two are alike; sets are bits of whole numbers."""
    sets: list[int] = []
    for engine, row in enumerate(alike):
        # Bit i says whether this engine is like engine i, of those before it.
        like = sum(1 << i for i in np.flatnonzero(row[:engine]).tolist())
        joined = {group & like for group in sets} or {0}
        # A set inside another one that the engine joins says nothing more.
        largest: list[int] = []
        for group in sorted(joined, key=int.bit_count, reverse=True):
            if not any(group & other == group for other in largest):
                largest.append(group)
        kept = [group for group in sets if group & like != group]
        sets = kept + [group | 1 << engine for group in largest]
    return [[i for i in range(len(alike)) if group >> i & 1] for group in sets]


def _letters(number: int) -> list[str]:
    others = (chr(code) for code in count(0x3B1) if chr(code).isalpha())  # from Greek alpha on
    every = chain(string.ascii_letters, others)
    return [next(every) for _ in range(number)]
