"""The data of the Run page: one run, with its values, the baseline's and the median."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.controls import chosen_measure
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import Selection, baseline_of, reference_and_role, select_runs
from dashboard.components.wording import LEADERBOARD, MeasureInfo, measure_info
from dashboard.figures.frames import pair_values, values_and_medians
from dashboard.figures.interactive import usual_order
from dashboard.page import View
from evalstore.catalog.links import LinkedRun
from evalstore.catalog.qrels import list_qrels
from evalstore.comparison.collection_values import medians_of_collection
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import LoadedRuns, Medians, load_stored_runs
from evalstore.comparison.significance import aligned, difference_intervals
from evalstore.leaderboard.positions import leaderboard_measures
from evalstore.leaderboard.ranks import RankSettings
from evalstore.measures import Measure, named_measures
from evalstore.store import Store
from evalstore.tracking.run_overview import Position, RunOverview, run_overview, run_positions

ORDERS = ("difference", "query", "distribution")
MOST_QUERIES = 10
"""The most queries in the lists of the best and the worst."""


@dataclass(frozen=True, eq=False)
class ByQuery:
    """The values of the run for every judged query, and the medians of all runs of the collection.

    `baseline` is None if there is no other run as baseline, or if it has other judgments.
    """

    loaded: LoadedRuns
    medians: Medians
    baseline: RunValues | None

    @property
    def run(self) -> RunValues:
        """The values of the run."""
        return self.loaded.runs[0]


@dataclass(frozen=True, eq=False)
class OneRun:
    """The data of the page of a run.

    `selection` has the run, and the baseline if it is another run; `role` is that of
    `reference_and_role`. `positions` has the stored figures, `intervals` those of the differences
    of usual measures to the baseline. `by_query` is None if the run was never evaluated.
    """

    address: Address
    selection: Selection
    overview: RunOverview
    measure: MeasureInfo
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    positions: tuple[Position, ...]
    by_query: ByQuery | None
    order: str
    role: str
    intervals: Mapping[str, tuple[float, float]]

    @property
    def run(self) -> LinkedRun:
        """The run."""
        return self.selection.runs[0]

    @property
    def baseline(self) -> LinkedRun | None:
        """The baseline; None if there is none, and for the baseline itself."""
        return self.selection.runs[1] if len(self.selection.runs) > 1 else None

    @property
    def evaluated(self) -> ByQuery:
        """The values for every judged query; PageProblem if the run was never evaluated."""
        if self.by_query is None:
            raise PageProblem(
                "This run has no figures",
                f"The run “{wording.name(self.run.name)}” was not evaluated under these judgments.",
                link=self.address.href,
                link_text="Go to the run",
            )
        return self.by_query

    @cached_property
    def against_median(self) -> pd.DataFrame:
        """Each judged query: the value of the run (a), the median (b) and the difference."""
        of, measure = self.evaluated, self.measure.name
        return values_and_medians(of.run, of.medians.values[measure], measure, of.loaded.texts)

    @property
    def other(self) -> str:
        """The name of the baseline, or else of the median, for the best and worst queries."""
        baseline = self.evaluated.baseline
        return self.median_name if baseline is None else baseline.name

    @property
    def median_name(self) -> str:
        """The name of the median."""
        return f"median of {wording.count(self.evaluated.medians.runs, 'run')}"


def load(view: View) -> OneRun:
    """Load the run that the address of a view names.

    Raises PageProblem if something is not stored, and Redirect if the run was renamed.
    """
    address, store = view.address, view.store
    collection, name = address.collection or "", address.name or ""
    names = tuple(one.name for one in read(store, lambda: list_qrels(store, collection)))
    qrels = address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels)) if names else ()
    measure = chosen_measure(address, stored)
    base, role = reference_and_role(view, measure[1]) if names else (baseline_of(view), "baseline")
    selection = select_runs(view, [name, *([base] if base and base != name else [])])
    run = selection.runs[0]
    way_on = (address.changed(m=None).href, "Show the usual measure")
    loaded = read(
        store,
        lambda: load_stored_runs(
            store, [run.name], dict([measure]), collection=collection, qrels=qrels
        ),
        *way_on,
    )
    others = selection.names[1:]
    by_query, positions, intervals = None, [], {}
    if loaded.runs:
        by_query = read(store, lambda: _by_query(store, loaded, others, measure), *way_on)
        of = loaded.runs[0].qrels
        positions = read(store, lambda: run_positions(store, run.name, collection, of, *others))
        both = {row.measure for row in positions if row.difference is not None}
        if usual := [name for name in LEADERBOARD if name in both]:
            intervals = read(store, lambda: _intervals(store, selection, usual, of))
    return OneRun(
        address=address,
        selection=selection,
        overview=read(store, lambda: run_overview(store, run.name, collection)),
        measure=measure_info(measure[0]),
        measures=stored,
        qrels=names,
        positions=tuple(positions),
        by_query=by_query,
        order=_order(address, 0 if by_query is None else len(by_query.run.qids)),
        role=role,
        intervals=intervals,
    )


def against_other(one: OneRun) -> pd.DataFrame:
    """Like `against_median`, but against the baseline, if there is one."""
    of = one.evaluated
    if of.baseline is None:
        return one.against_median
    return pair_values(of.run, of.baseline, one.measure.name, of.loaded.texts)


def extremes(pairs: pd.DataFrame, sign: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The queries with the largest differences in favour of a, and those against it.

    `sign` is that of a better difference. There are at most `MOST_QUERIES` of each; equal ones keep
    the order of `pairs`. Ties are on neither side.
    """
    towards = sign * pairs["difference"].to_numpy(np.float64)
    best, worst = np.argsort(-towards, kind="stable"), np.argsort(towards, kind="stable")
    return (
        pairs.iloc[best[towards[best] > 0][:MOST_QUERIES]],
        pairs.iloc[worst[towards[worst] < 0][:MOST_QUERIES]],
    )


def _by_query(
    store: Store, loaded: LoadedRuns, base: tuple[str, ...], measure: tuple[str, Measure]
) -> ByQuery:
    run, measures = loaded.runs[0], dict([measure])
    medians = store.keep(
        ("medians", run.collection, run.qrels, run.compat, measure),
        lambda: medians_of_collection(store, run, measures),
        lambda medians: sum(values.nbytes for values in medians.values.values()),
    )
    others: tuple[RunValues, ...] = ()
    if base:
        others = load_stored_runs(
            store, base, measures, collection=run.collection, qrels=run.qrels
        ).runs
    return ByQuery(loaded, medians, others[0] if others else None)


def _intervals(
    store: Store, selection: Selection, names: Sequence[str], qrels: str
) -> dict[str, tuple[float, float]]:
    """The interval of the difference of the run to the baseline by measure, each alone."""
    measures, intervals = named_measures(names), {}
    both = load_stored_runs(
        store, selection.names, measures, collection=selection.collection, qrels=qrels
    ).runs
    for name, measure in measures.items():
        run, base = (aligned(one, name, both[0].qids) for one in both)
        rows = (run - base)[np.isfinite(run - base)][np.newaxis]
        if rows.shape[1] > 1:
            ends = difference_intervals(measure, rows, 1 - RankSettings().alpha)
            intervals[name] = float(ends.low[0]), float(ends.high[0])
    return intervals


def _order(address: Address, queries: int) -> str:
    order = address.one("order")
    return order if order in ORDERS else usual_order(queries)
