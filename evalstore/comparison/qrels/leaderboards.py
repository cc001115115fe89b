"""The leaderboards of the same runs under two qrels: their order, and the claims they support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from evalstore.catalog.names import natural
from evalstore.comparison.comparability import RunValues, pairs_of
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.qrels.changes import ChangedRun, MeasureChanges, leaderboard_changes
from evalstore.comparison.qrels.families import FamilyBias, bias_by_family
from evalstore.comparison.significance import Pair, Settings, aligned, figure_over
from evalstore.errors import DataError, MeasureError, did_you_mean
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.evaluate import follows_from_values
from evalstore.stats import rbo
from evalstore.stats.inputs import UNITS_PER_ONE, in_units
from evalstore.tables.table import Value, finite

F64 = npt.NDArray[np.float64]
Change = Literal["kept", "lost", "new", "turned"]
CHANGES: tuple[Change, ...] = ("kept", "lost", "new", "turned")

TOP = 10
"""The first runs under a, whose order is compared apart."""

MOST_PAIRS = 20_000
"""The most pairs of runs whose claims are compared."""

RUN_COLUMNS = ("run", "a", "b", "difference", "rank_a", "rank_b")
"""The columns of `Leaderboards.runs`."""

QUERY_COLUMNS = ("query", "share", "a", "b")
"""The columns of `Leaderboards.queries`."""

CLAIM_COLUMNS = ("baseline", "run", "change", "verdict_a", "verdict_b")
"""The columns of `Leaderboards.claims`; verdicts are on the run."""


class QueryShare(NamedTuple):
    """The part of a query in what changes between the runs.

    A change that is the same for all runs moves none past another; `share` is what a query has of
    all deviations from the mean change of the runs, from 0 to 1. `a` and `b` are the mean values of
    the runs under both.
    """

    query: str
    share: float
    a: float
    b: float


@dataclass(frozen=True)
class Claim:
    """A pair of runs whose difference is shown under a or b: the figures under both."""

    change: Change
    under_a: Pair
    under_b: Pair


@dataclass(frozen=True)
class Leaderboards:
    """The same runs on one measure under qrels a and b.

    Attributes:
        changes: the figures, ranks, and agreement of the two orders; a is the reference.
        rbo: rank-biased overlap of the two orders (p 0.9); equal runs are in order of their names.
        top: the changes of the first 10 runs under a alone, and their rank-biased overlap with the
            first 10 under b.
        claims: the pairs whose difference is shown under a or b; None if nothing can be claimed.
        baseline: the run with which all others are compared; None for all pairs.
        families: the bias by family of engines; empty if none is stated.
        queries: those that change the runs unequally, most first; of queries with values of all
            runs under both.
    """

    changes: MeasureChanges
    rbo: float
    top: tuple[MeasureChanges, float]
    claims: tuple[Claim, ...] | None
    baseline: str | None
    notes: tuple[str, ...] = field(repr=False)
    families: tuple[FamilyBias, ...] = ()
    queries: tuple[QueryShare, ...] = ()

    @property
    def most_of_it(self) -> tuple[QueryShare, ...]:
        """The first queries that together make half of what changes between the runs, or more."""
        shares = np.cumsum([one.share for one in self.queries])
        return self.queries[: int(np.searchsorted(in_units(shares), UNITS_PER_ONE / 2)) + 1]

    @property
    def half_words(self) -> str:
        """How few queries make half of what changes between the runs."""
        most, every = len(self.most_of_it), len(self.queries)
        if every == 1:
            return "one query alone changes the runs unequally"
        half = f"make{'s' * (most == 1)} half of what changes between the runs"
        return f"{most:,} of the {every:,} queries that change them unequally {half}"

    @property
    def counts(self) -> dict[Change, int] | None:
        """The number of claims that are kept, lost, new and turned; None without claims."""
        if self.claims is None:
            return None
        found = Counter(claim.change for claim in self.claims)
        return {change: found[change] for change in CHANGES}

    @property
    def largest_drop(self) -> ChangedRun | None:
        """The run that loses most ranks, the first one under a of several; None if none does."""
        return next(iter(self.largest_drops), None)

    @property
    def largest_drops(self) -> tuple[ChangedRun, ...]:
        """The runs that lose most ranks, in the order under a; empty if none does."""
        runs = self.changes.runs
        most = max((run.rank_after - run.rank_before for run in runs), default=0)
        return tuple(run for run in runs if run.rank_after - run.rank_before == most > 0)

    @property
    def drop_words(self) -> str:
        """The ranks of the largest drop, and how many more runs have one of that size."""
        drop, *others = self.largest_drops
        more = f" ({len(others):,} more lose{'s' * (len(others) == 1)} as many)" if others else ""
        return f"from rank {drop.rank_before:,} to {drop.rank_after:,}{more}"

    def run_rows(self) -> list[dict[str, str | int | float]]:
        """A row for each run, the best under a first."""
        return [_row(run) for run in self.changes.runs]

    def claim_rows(self) -> list[dict[str, str]]:
        """A row for each claim."""
        return [
            dict(
                zip(
                    CLAIM_COLUMNS,
                    (of.under_a.a, of.under_a.b, of.change, of.under_a.verdict, of.under_b.verdict),
                    strict=True,
                )
            )
            for of in self.claims or ()
        ]

    @property
    def figures(self) -> dict[str, Value]:
        """The agreement of the orders, and the counts of claims; None for those not known."""
        counts = self.counts or {}
        known = {str(change): counts.get(change) for change in CHANGES}
        return {**_orders(self.changes, self.rbo), **known}

    def to_dict(self) -> dict[str, object]:
        """The leaderboards for JSON; None for NaN, and for counts of claims without claims."""
        top, top_rbo = self.top
        return {
            "measure": self.changes.measure,
            **self.figures,
            "baseline": self.baseline,
            "top_10": _orders(top, top_rbo),
            "swapped": len(self.changes.swapped),
            "largest_drop": None if self.largest_drop is None else _row(self.largest_drop),
            "runs": self.run_rows(),
            "claims": self.claim_rows(),
            "queries": [one._asdict() for one in self.queries],
            "notes": list(self.notes),
        }


def _row(run: ChangedRun) -> dict[str, str | int | float]:
    figures = (run.before, run.after, run.after - run.before, run.rank_before, run.rank_after)
    return dict(zip(RUN_COLUMNS, (run.run, *figures), strict=True))


def _orders(changes: MeasureChanges, overlap: float) -> dict[str, Value]:
    tau, top_heavy = finite(changes.kendall_tau_b), finite(changes.tau_ap)
    return {"tau": tau, "tau_ap": top_heavy, "rbo": overlap}


def compare_leaderboards(
    under_a: LoadedRuns,
    under_b: LoadedRuns,
    name: str,
    measure: Measure,
    families: Mapping[str, str] | None = None,
) -> Leaderboards:
    """Compare the leaderboards of the same runs, by name, loaded under two qrels.

    Figures are over all queries that each qrels judges. The claims are those of a comparison: of
    the pairs with the baseline of `under_a`, or else of all pairs. `families` are those of
    `bias_by_family`.

    Raises:
        DataError: fewer than two runs, or runs that can't be compared under one of the qrels.
        MeasureError: the figure of the measure does not follow from the values of the queries.
    """
    if not follows_from_values(measure):
        raise MeasureError(
            f"{name} is a figure of all queries together, on which no difference is tested"
        )
    for loaded in (under_a, under_b):
        if loaded.obstacle is not None:
            raise DataError(loaded.obstacle)
    if len(under_a.runs) < 2:
        raise DataError("a leaderboard takes two runs or more")
    names = [run.name for run in under_a.runs]
    figures = [
        np.array([figure_of(run, name, measure) for run in loaded.runs])
        for loaded in (under_a, under_b)
    ]
    order = sorted(np.flatnonzero(~np.isnan(figures).any(axis=0)), key=lambda n: natural(names[n]))
    before, after = (of[order] for of in figures)
    ordered = [(names[number], "") for number in order]
    changes = leaderboard_changes(name, measure, ordered, before, after)
    best_a, best_b = _best_first(changes)
    top = [number for number, run in enumerate(ordered) if run[0] in best_a[:TOP]]
    of_top = leaderboard_changes(
        name, measure, [ordered[number] for number in top], before[top], after[top]
    )
    baseline = None if under_a.baseline is None else names[under_a.baseline]
    claims, notes = _claims(under_a, under_b, name, measure)
    for side, of in (("a", before), ("b", after)):
        if len(of) > 1 and np.ptp(in_units(of)) == 0:
            notes = (
                *notes,
                f"all runs are equal under {side}: tau-AP and RBO follow from their names",
            )
    different = set(under_a.runs[0].qids) ^ set(under_b.runs[0].qids)
    if different:
        notes = (
            *notes,
            f"the figures are over different queries: {len(different):,} "
            f"{'is' if len(different) == 1 else 'are'} judged in one of the two alone",
        )
    return Leaderboards(
        changes=changes,
        rbo=rbo(best_a, best_b),
        top=(of_top, rbo(best_a[:TOP], best_b[:TOP])),
        claims=claims,
        baseline=baseline,
        notes=(*changes.notes, *notes),
        families=bias_by_family(under_a, under_b, families or {}),
        queries=_shares(under_a, under_b, name),
    )


def _shares(under_a: LoadedRuns, under_b: LoadedRuns, name: str) -> tuple[QueryShare, ...]:
    """The queries that change the runs unequally, most first."""
    again = {run.name: run for run in under_b.runs}
    runs = [run for run in under_a.runs if run.name in again]
    common = set(under_b.runs[0].qids)
    qids = [qid for qid in under_a.runs[0].qids if qid in common]
    before = np.array([aligned(run, name, qids) for run in runs])
    after = np.array([aligned(again[run.name], name, qids) for run in runs])
    change = after - before
    deviation = np.abs(change - change.mean(axis=0)).sum(axis=0)
    deviation[np.isnan(deviation) | (in_units(deviation) == 0)] = 0.0
    if not deviation.any():
        return ()
    share = deviation / deviation.sum()
    means = zip(qids, share.tolist(), before.mean(axis=0), after.mean(axis=0), strict=True)
    shares = [QueryShare(qid, of, float(a), float(b)) for qid, of, a, b in means if of > 0]
    return tuple(sorted(shares, key=lambda one: (-round(one.share, 9), natural(one.query))))


def given_under(
    qrels: Sequence[Qrels],
    runs: Mapping[str, Run],
    name: str,
    measure: Measure,
    baseline: str | None = None,
) -> list[LoadedRuns]:
    """Runs by name, evaluated under each of some qrels; DataError for an unknown baseline."""
    if baseline is not None and baseline not in runs:
        raise DataError(f"no run is called {baseline!r}{did_you_mean(baseline, runs)}")
    number = None if baseline is None else list(runs).index(baseline)
    under = (evaluate_given_runs(of, runs, {name: measure}, allow_disjoint=True) for of in qrels)
    return [replace(loaded, baseline=number) for loaded in under]


def figure_of(run: RunValues, name: str, measure: Measure) -> float:
    """The figure of a run over the queries on which it has a value; NaN if there is none."""
    values = aligned(run, name, run.qids)
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    return figure_over(measure, values[known], run.weights_of(name, run.qids)[known])


def _best_first(changes: MeasureChanges) -> tuple[list[str], list[str]]:
    """The names of the runs in the order of each leaderboard."""
    by_name = sorted(changes.runs, key=lambda run: natural(run.run))
    return (
        [run.run for run in sorted(by_name, key=lambda run: run.rank_before)],
        [run.run for run in sorted(by_name, key=lambda run: run.rank_after)],
    )


def _claims(
    under_a: LoadedRuns, under_b: LoadedRuns, name: str, measure: Measure
) -> tuple[tuple[Claim, ...] | None, tuple[str, ...]]:
    """The claims under either qrels, and notes; None if there are too many pairs or none."""
    first, notes = pairs_under(under_a, under_a.baseline, name, measure)
    second, more = pairs_under(under_b, under_a.baseline, name, measure)
    if first is None or second is None:
        return None, notes or more
    found = [
        Claim(change, first[pair], second[pair])
        for pair in first
        if pair in second and (change := _change(first[pair], second[pair])) is not None
    ]
    return tuple(found), ()


def pairs_under(
    loaded: LoadedRuns, baseline: int | None, name: str, measure: Measure
) -> tuple[dict[tuple[str, str], Pair] | None, tuple[str, ...]]:
    """The pairs compared under one qrels, by the names of the runs a and b; or None, and reasons.

    They are those with a baseline (the number of a run), or else all.
    """
    pairs = len(pairs_of(len(loaded.runs), baseline))
    if pairs > MOST_PAIRS:
        return None, (f"claims are not compared: {pairs:,} pairs; choose a baseline",)
    # Claims need no rankings: without them no bounds of unjudged documents are computed.
    plain = replace(loaded, rankings=None, settings=None, baseline=baseline)
    done = compare_loaded(plain, {name: measure}, Settings(tests=("t",)))
    if done.comparable == "no":
        return None, tuple(f"claims are not compared: {reason}" for reason in done.reasons)
    return {(pair.a, pair.b): pair for pair in done.pairs}, ()


def _change(under_a: Pair, under_b: Pair) -> Change | None:
    """The change of a claim from a to b; None if neither shows a difference."""
    if not under_b.is_shown:
        return "lost" if under_a.is_shown else None
    if not under_a.is_shown:
        return "new"
    return "kept" if under_a.difference * under_b.difference > 0 else "turned"
