"""What may be claimed of the runs of a leaderboard: ranks, and differences to the baseline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import evaluates_rest
from evalstore.comparison.cached import kept_answers, kept_judged_tops
from evalstore.comparison.collection_values import (
    CollectionValues,
    MeasureValues,
    load_collection_values,
    naming,
)
from evalstore.leaderboard.positions import Board, has_ranks
from evalstore.measures import Measure
from evalstore.stats import holm, p_matrix, paired_t_all, pairs, rank_groups, rank_intervals
from evalstore.stats.inputs import in_units
from evalstore.stats.intervals import t_intervals_of_rows
from evalstore.stats.paired import t_of_rows
from evalstore.store import Store

F64 = npt.NDArray[np.float64]

MOST_IN_GROUPS = 50
"""Runs up to which all pairs are tested and have letters; of more only those with the baseline."""
MOST_WITH_RANK_INTERVALS = 2_000
"""Runs up to which ranks have intervals: the table of ranks grows with the square of the runs."""
RESAMPLES = 1_000
LEVEL = 0.95
ALPHA = 0.05

Sign = Literal["better", "worse", "ahead", "behind", ""]
"""Better and worse after the correction; ahead and behind only before it; or not shown."""


@dataclass(frozen=True)
class RunClaims:
    """What may be claimed of a run; None where there is nothing to claim.

    Attributes:
        rank: 1 + how many runs are strictly better.
        rank_low, rank_high: the bootstrap interval of the rank over queries.
        group: the letters of its rank groups; empty above `MOST_IN_GROUPS` runs.
        low, high: Student's interval of its figure over queries of the same kind.
        difference: its figure less that of the baseline.
        difference_low, difference_high: Student's interval of the difference.
        p, p_corrected: of the paired t test against the baseline, alone and after Holm.
        sign: what the tests say of the difference.
    """

    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: str = ""
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    sign: Sign = ""


@dataclass(frozen=True)
class BoardClaims:
    """What may be claimed of the runs of a board on its leading measure.

    Attributes:
        measure: its canonical name.
        runs: the claims by run id, of all runs with values.
        pairs: how many pairs Holm's correction is over; 0 where nothing is tested.
        all_pairs: whether these are all pairs of runs, or only those with the baseline.
        reach: how far the intervals of the differences go from 0; 0 without any.
        notes: sentences on runs that are left out and on what is not computed.
    """

    measure: str
    runs: Mapping[int, RunClaims]
    pairs: int
    all_pairs: bool
    reach: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """Where a run stands among all, whatever the baseline; as in `RunClaims`."""

    rank: int
    rank_low: int | None
    rank_high: int | None
    group: str


Standings = tuple[Standing, ...]
Keep = Callable[[Callable[[], Standings]], Standings]


def not_kept(compute: Callable[[], Standings]) -> Standings:
    """The standings are computed each time."""
    return compute()


def board_claims(
    store: Store, board: Board, measure: Measure, keep: Keep = not_kept
) -> BoardClaims:
    """Compute what may be claimed of all runs of a board; nothing is written.

    The figures are over all judged queries; a query that a run does not answer counts as an empty
    ranking.

    Args:
        store: where the runs are.
        board: which runs, and the baseline.
        measure: what they are compared by.
        keep: gives the standings of the runs on this board and measure, computed now or before:
            they take most of the time, and are the same for every baseline.

    Raises:
        MeasureError: facts that the measure needs are stored for none of the runs.
    """
    name = str(measure)
    loaded = load_collection_values(store, board.collection, {name: measure}, board.qrels)
    base = None if board.baseline is None else board.baseline.id
    claims = claims_of(loaded.measures[name], base, keep)
    return BoardClaims(
        name,
        claims.runs,
        claims.pairs,
        claims.all_pairs,
        claims.reach,
        (*_on_others(board, loaded), *loaded.notes_on_these, *claims.notes),
    )


def _on_others(board: Board, loaded: CollectionValues) -> tuple[str, ...]:
    """A sentence on the runs that stand on the board without values, and what to do about them."""
    others = loaded.not_evaluated
    if not others:
        return ()
    have = "has" if len(others) == 1 else "have"
    return (
        f"{len(others):,} of {board.runs:,} runs {have} no values under qrels {board.qrels!r}: "
        f"{naming(others)}; `{evaluates_rest(board.collection, board.qrels)}` evaluates those "
        "that have rankings",
    )


def claims_of(values: MeasureValues, baseline: int | None, keep: Keep = not_kept) -> BoardClaims:
    """What may be claimed of runs from their values of a measure.

    Args:
        values: of all runs of a board.
        baseline: the id of the run that differences are to; None for no differences.
        keep: as for `board_claims`.
    """
    measure, ids = values.measure, [run.id for run in values.runs]
    base = ids.index(baseline) if baseline in ids else None
    if not ids or not len(values.values):
        return BoardClaims(str(measure), {}, 0, all_pairs=False, reach=0, notes=values.notes)
    differences = None if base is None else values.aggregates - values.aggregates[base]
    if not has_ranks(measure):
        runs = _only_differences(ids, differences, base)
        note = (
            f"{measure} has no ranks and no tests: neither a high nor a low value is better, or "
            "its figure is no mean over queries"
        )
        return BoardClaims(str(measure), runs, 0, False, 0, (note, *values.notes))
    all_pairs = len(ids) <= MOST_IN_GROUPS
    sign = 1 if measure.descriptor.higher_is_better else -1
    standings = keep(lambda: _standings(sign * values.values, all_pairs))
    own = _intervals(values, None)
    table: list[RunClaims] = [
        RunClaims(
            *(its.rank, its.rank_low, its.rank_high, its.group),
            *(own[column] if len(values.values) > 1 else (None, None)),
        )
        for column, its in enumerate(standings)
    ]
    tested, reach = 0, 0.0
    if base is not None and len(ids) > 1 and differences is not None:
        rows = (values.values - values.values[:, [base]]).T
        p = t_of_rows(rows).p
        corrected, tested = _corrected(values.values, base, p, all_pairs)
        spans = _intervals(values, base)
        table = [
            claims
            if column == base
            else _with_difference(
                claims,
                float(differences[column]),
                spans[column],
                (float(p[column]), float(corrected[column])),
                sign,
            )
            for column, claims in enumerate(table)
        ]
        ends = [abs(end) for claims in table for end in _ends(claims) if math.isfinite(end)]
        reach = max(ends, default=0.0)
    elif all_pairs:
        tested = len(ids) * (len(ids) - 1) // 2
    notes = values.notes
    if len(ids) > MOST_WITH_RANK_INTERVALS:
        notes = (*notes, f"ranks have no intervals above {MOST_WITH_RANK_INTERVALS:,} runs")
    runs = dict(zip(ids, table, strict=True))
    return BoardClaims(str(measure), runs, tested, all_pairs, reach, notes)


def _only_differences(
    ids: Sequence[int], differences: F64 | None, base: int | None
) -> dict[int, RunClaims]:
    if differences is None:
        return {run_id: RunClaims() for run_id in ids}
    return {
        run_id: RunClaims() if column == base else RunClaims(difference=float(differences[column]))
        for column, run_id in enumerate(ids)
    }


def _standings(table: F64, all_pairs: bool) -> Standings:
    """Rank, the ends of its interval, and letters of every run; higher values are better."""
    total = in_units(table).sum(axis=0)
    ascending = np.sort(total)
    ranks = (1 + len(total) - np.searchsorted(ascending, total, side="right")).tolist()
    lows: list[int | None] = [None] * len(ranks)
    highs, groups = lows, [""] * len(ranks)
    if len(ranks) <= MOST_WITH_RANK_INTERVALS:
        interval = rank_intervals(table, LEVEL, RESAMPLES)
        lows, highs = interval.low.tolist(), interval.high.tolist()
    if all_pairs:
        p = p_matrix(holm(paired_t_all(table).p), len(ranks))
        groups = list(rank_groups(total, p, ALPHA))
    return tuple(map(Standing, ranks, lows, highs, groups))


def _corrected(values: F64, base: int, p: F64, all_pairs: bool) -> tuple[F64, int]:
    """The p against the baseline after Holm, by run, and how many pairs the correction is over."""
    runs = values.shape[1]
    if all_pairs:
        every = holm(paired_t_all(values).p)
        return p_matrix(every, runs)[base], len(pairs(runs).a)
    others = np.arange(runs) != base
    corrected = np.ones(runs)
    corrected[others] = holm(p[others])
    return corrected, runs - 1


def _intervals(values: MeasureValues, base: int | None) -> list[tuple[float, float]]:
    """Student's interval of every run's figure, or of its difference to the run `base`."""
    subtracted = 0.0 if base is None else values.values[:, [base]]
    intervals = t_intervals_of_rows((values.values - subtracted).T, LEVEL)
    factor = len(values.values) if values.measure.descriptor.aggregate == "sum" else 1
    low, high = factor * intervals.low, factor * intervals.high
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _with_difference(
    claims: RunClaims,
    difference: float,
    span: tuple[float, float],
    p: tuple[float, float],
    direction: int,
) -> RunClaims:
    alone, corrected = p
    sign: Sign = ""
    towards = direction * difference
    if towards and corrected < ALPHA:
        sign = "better" if towards > 0 else "worse"
    elif towards and alone < ALPHA:
        sign = "ahead" if towards > 0 else "behind"
    low, high = (end if math.isfinite(end) else None for end in span)
    return RunClaims(
        *(claims.rank, claims.rank_low, claims.rank_high, claims.group, claims.low, claims.high),
        *(difference, low, high, alone, corrected, sign),
    )


def _ends(claims: RunClaims) -> Iterator[float]:
    for end in (claims.difference_low, claims.difference_high, claims.difference):
        if end is not None:
            yield end


@dataclass(frozen=True)
class Coverage:
    """How far a run can be judged.

    Attributes:
        judged: the share (0 to 1) of the documents at ranks 1 to 10 that are judged; None where it
            retrieved nothing for the judged queries.
        answered: how many of the judged queries it answers.
    """

    judged: float | None
    answered: int


def coverage(store: Store, board: Board, run_ids: Sequence[int]) -> dict[int, Coverage]:
    """The coverage of runs of a board, by run id."""
    with store.read() as connection:
        judged = kept_judged_tops(store, connection, board.qrels_id, run_ids)
        answered = kept_answers(store, connection, board.qrels_id, run_ids)
    return {
        run: Coverage(None if np.isnan(judged[run]) else judged[run], answered[run])
        for run in run_ids
    }
