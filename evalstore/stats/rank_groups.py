"""Rank groups of a leaderboard: engines that a corrected test does not separate share a letter."""

from __future__ import annotations

import string
from itertools import chain, count

import numpy as np
import numpy.typing as npt

from evalstore.errors import DataError
from evalstore.stats.inputs import check_fraction, finite, probabilities


def rank_groups(means: npt.ArrayLike, p: npt.ArrayLike, alpha: float = 0.05) -> tuple[str, ...]:
    """The letters of every engine, in the order given (compact letter display).

    `means` are the engines' figures, higher the better (give -means of a measure where lower is
    better); `p` is engines x engines, symmetric, already corrected for the family (`holm`, ...;
    `p_matrix` makes a matrix of pairs). Two engines share a letter exactly if their p is not below
    alpha. A letter stands for a set of engines no two of which are separated and which can take no
    other engine; `a` is one that holds the best mean. Sets that only repeat what others say are
    left out. After z come A to Z, then the letters of other alphabets: always one character a
    group. Equal means keep their order.

    Source: Piepho, Journal of Computational and Graphical Statistics 2004 (its maximal sets, of
    which those are kept that are needed).

    Raises:
        DataError: `p` is not a symmetric matrix with a row for every mean, or holds NaN; `alpha` is
            not in (0, 1).
    """
    check_fraction("alpha", alpha)
    figures, p_values = finite(means, "the means"), probabilities(p)
    if figures.ndim != 1:
        raise DataError(f"the means must be one number an engine; got shape {figures.shape}")
    if p_values.shape != (len(figures), len(figures)) or not (p_values == p_values.T).all():
        raise DataError(
            f"p must be a symmetric matrix with a row for each of the {len(figures)} means; "
            f"got shape {p_values.shape}"
        )
    best_first = np.argsort(-figures, kind="stable")
    alike = p_values[np.ix_(best_first, best_first)] >= alpha
    np.fill_diagonal(alike, True)
    groups = sorted(_groups(alike))
    letters = [""] * len(figures)
    for letter, group in zip(_letters(len(groups)), groups, strict=True):
        for position in group:
            letters[best_first[position]] += letter
    return tuple(letters)


def _groups(alike: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Sets of engines, each two of a set alike, so that every two alike engines share a set.

    No set can take another engine. There may be more such sets than are given, exponentially many
    where a test separates pairs here and there: for two engines without a set in common, one is
    made by taking in every engine that fits: first those that share no set with the first of the
    two either, then the others, the best first.
    """
    # A set of engines is the bits of a whole number, engine 0 the lowest. Each is like itself.
    like = [sum(1 << i for i in np.flatnonzero(row).tolist()) for row in alike]
    together = [0] * len(like)  # the engines with which each shares a set
    groups = []
    for engine in range(len(like)):
        while missing := like[engine] & ~together[engine]:
            group, fitting = 0, -1
            for member in (engine, _lowest(missing)):  # twice the same where it shares no set yet
                group, fitting = group | 1 << member, fitting & like[member]
            while others := fitting & ~group:
                member = _lowest(others & missing or others)
                group, fitting = group | 1 << member, fitting & like[member]
            members = [i for i in range(len(like)) if group >> i & 1]
            for member in members:
                together[member] |= group
            groups.append(members)
    return groups


def _lowest(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def _letters(number: int) -> list[str]:
    others = (chr(code) for code in count(0x3B1) if chr(code).isalpha())  # from Greek alpha on
    every = chain(string.ascii_letters, others)
    return [next(every) for _ in range(number)]
