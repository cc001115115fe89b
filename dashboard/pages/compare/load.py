"""The data of the Compare page: a comparison of the runs that its address names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.controls import chosen_measure, usual_measure
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import (
    Selection,
    baseline_of,
    check_most,
    select_runs,
    with_first,
)
from dashboard.components.wording import MeasureInfo, measure_info
from dashboard.figures.frames import (
    at_cutoffs,
    pair_values,
    recall_curves,
    recall_curves_of_means,
    shared_queries,
)
from dashboard.figures.interactive import usual_order
from dashboard.figures.recall import MOST_BANDS
from dashboard.page import View
from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.catalog.links import have_rankings, run_names
from evalstore.comparison.cached import kept_aggregates, kept_single_relevant
from evalstore.comparison.comparability import F64
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns, load_stored_runs
from evalstore.comparison.significance import Compared, Pair, Settings
from evalstore.formats.facts.judged_by import is_of_model
from evalstore.leaderboard.positions import (
    all_values,
    find_leaderboard,
    kept_collection_runs,
    leaderboard_measures,
    oldest_run,
    role_of_oldest,
)
from evalstore.measures import parse
from evalstore.measures.notation import RECALL_LEVELS
from evalstore.store import Store

SECTIONS = ("why", "ranks", "scatter", "pairs", "facts", "slices", "tests", "models", "packages")
"""The sections that are drawn only when they are opened."""
RANK_MEASURES = ("P", "R", "CG", "DCG", "nDCG")
"""The measures that can be drawn by rank."""
SUCCESS = ("Success@1", "Success@5", "Success@10")
"""Measures for queries with one relevant document."""
ONE_RELEVANT = 0.9
"""With this share of queries with one relevant document, recall-precision curves say little."""
LEAST_PER_QUERY = 200
"""The approximate size of a query in bytes without its text: ids, attributes."""
ORDERS = ("difference", "query", "distribution")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs compared on a measure: the baseline first, then the others in the order of the address.

    Attributes:
        address: the address of the page.
        selection: the runs.
        measure: the measure of the differences.
        loaded: the values of the runs for the measure and, if there are no `levels`, for precision
            at the recall levels.
        levels: mean precisions, runs x recall levels, if only these are needed for the curves.
        compared: the comparison on the measure, of the pairs with a chosen baseline, else of all.
        measures: the names of the measures that can be chosen.
        qrels: the name of the judgments, if there are values.
        all_qrels: the names of all judgments of the collection, the default first.
        models: the names of those that a model made, beside `qrels`.
        run: the name of the run that is shown beside the baseline.
        order: the order of the histogram, one of `ORDERS`.
        query: the id of the query that is marked in table and figures; empty for none.
        opened: the sections that are open, from `SECTIONS`.
        rank_measure: the measure of the curves by rank, one of `RANK_MEASURES`.
        single_relevant: the share of the queries with one relevant document; 0 if not known.
    """

    address: Address
    selection: Selection
    measure: MeasureInfo
    loaded: LoadedRuns
    levels: F64 | None
    compared: Compared
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    all_qrels: tuple[str, ...]
    models: tuple[str, ...]
    run: str
    order: str
    query: str
    opened: tuple[str, ...]
    rank_measure: str
    single_relevant: float

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs, the baseline's first."""
        return self.selection.names

    @property
    def baseline(self) -> str:
        """The name of the baseline."""
        return self.names[0]

    @property
    def slots(self) -> dict[str, int]:
        """The slot of each run, by run name."""
        return {run.name: self.selection.slots[run.id] for run in self.selection.runs}

    @property
    def labels(self) -> dict[int, str]:
        """The labels of the runs by slot, the baseline's first, for figures."""
        return {slot: self.selection.short(name) for name, slot in self.slots.items()}

    @cached_property
    def pair_values(self) -> Any:
        """The chosen pair by query, for figures: a is the run, b the baseline."""
        runs = {run.name: run for run in self.loaded.runs}
        return pair_values(
            runs[self.run], runs[self.baseline], self.measure.name, self.loaded.texts
        )

    @cached_property
    def only_query(self) -> str:
        """The id of the query, if there is only one; else empty."""
        shared = shared_queries(self.loaded.runs) if self.loaded.runs else []
        return shared[0] if len(shared) == 1 else ""

    @property
    def curves_query(self) -> str:
        """The query whose own curves are drawn: the marked or only one; empty for mean curves."""
        return self.query or self.only_query

    @cached_property
    def mean_curves(self) -> pd.DataFrame:
        """`frames.recall_curves`, with the slots of the runs: run_id, recall, precision."""
        if self.levels is None:
            curves = recall_curves(self.loaded.runs)
        else:
            curves = recall_curves_of_means(self.levels)
        return curves.assign(run_id=curves["run_id"].map(dict(enumerate(self.labels))))

    @cached_property
    def recall_curves(self) -> pd.DataFrame:
        """Interpolated precision of the marked query, if any, else `mean_curves`."""
        if not self.query:
            return self.mean_curves
        rows = []
        for slot, run in zip(self.labels, self.loaded.runs, strict=True):
            at = run.qids.index(self.query)
            rows += [
                (slot, float(name.partition("@")[2]), float(run.values[name][at]))
                for name in RECALL_LEVELS
            ]
        return pd.DataFrame(rows, columns=["run_id", "recall", "precision"])

    def pair(self, run: str) -> Pair | None:
        """The figures of a run compared with the baseline; None if they share no query."""
        pairs = (p for p in self.compared.pairs if (p.a, p.b) == (self.baseline, run))
        return next(pairs, None)


def load(view: View, more: Sequence[str] = (), *, all_tests: bool = False) -> Comparison:
    """Compare the runs that the address of a view names.

    `more` are further measures whose values are loaded. Without `all_tests`, only the deciding test
    is computed, unless the section of tests is open.

    Raises:
        PageProblem: there are fewer than two runs or more than twelve, one is not stored, or a
            measure can't be computed.
        Redirect: a run was renamed.
    """
    address, store = view.address, view.store
    collection = address.collection or ""
    selection = select_runs(view, with_first(address.all("runs"), baseline_of(view)))
    _check_number(view, selection)
    qrels = address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels))
    name, measure = chosen_measure(address, stored)
    way_on = address.changed(m=None).href
    opened = tuple(section for section in SECTIONS if section in address.all("open"))
    rank = address.one("rank")
    rank_measure = rank if rank in RANK_MEASURES else RANK_MEASURES[0]
    ranked = have_rankings(store, selection.ids)
    single = read(store, lambda: kept_single_relevant(store, collection, qrels))
    is_flat = single is not None and single.share >= ONE_RELEVANT
    values_drawn = not ranked or len(selection.runs) <= MOST_BANDS or bool(address.one("query"))
    needed = [
        *(one for one in SUCCESS if is_flat and (ranked or one in stored)),
        *(at_cutoffs(rank_measure) if "ranks" in opened else ()),
        *more,
    ]

    def load_values(wanted: Sequence[str]) -> LoadedRuns:
        named = {name: measure, **{one: parse(one) for one in wanted}}
        return read(
            store,
            lambda: store.keep(
                ("runs", collection, selection.names, qrels, tuple(named.items())),
                lambda: load_stored_runs(
                    store, selection.names, named, collection=collection, qrels=qrels
                ),
                size_of,
            ),
            way_on,
            "Compare on the usual measure",
        )

    loaded, levels = load_values([*needed, *(RECALL_LEVELS if values_drawn else ())]), None
    if not values_drawn:
        levels = read(store, lambda: _mean_levels(store, collection, selection.ids, loaded))
        if levels is None:
            loaded = load_values([*needed, *RECALL_LEVELS])
    every = all_tests or "tests" in opened
    settings = Settings() if every else Settings(tests=("t",))
    # As by the command, p is corrected for the pairs with a chosen baseline, or else for all pairs.
    is_chosen = baseline_of(view) in selection.names
    loaded = replace(loaded, baseline=0 if is_chosen else None)
    compared = compare_loaded(loaded, {name: measure}, settings)
    judged_by = (loaded.runs[0].qrels,) if loaded.runs else ()
    every_qrels = kept_collection(store, collection).qrels
    others = selection.names[1:]
    pair = address.one("pair")
    if pair not in others:  # the best run is shown beside the baseline
        sign = measure.descriptor.sign_of_better
        gains = {pair.b: sign * pair.difference for pair in compared.pairs if pair.a not in others}
        pair = max(others, key=lambda name: gains.get(name, -math.inf))
    return Comparison(
        address=address,
        selection=selection,
        measure=measure_info(name),
        loaded=loaded,
        levels=levels,
        compared=compared,
        measures=stored,
        qrels=judged_by,
        all_qrels=tuple(one.name for one in every_qrels),
        models=tuple(
            one.name for one in every_qrels if is_of_model(one.origin) and one.name not in judged_by
        ),
        run=pair,
        order=_order(address, len(compared.qids)),
        query=address.one("query") if address.one("query") in compared.qids else "",
        opened=opened,
        rank_measure=rank_measure,
        single_relevant=single.share if single and single.qrels in judged_by else 0.0,
    )


def _mean_levels(
    store: Store, collection: str, run_ids: Sequence[int], loaded: LoadedRuns
) -> F64 | None:
    """The stored mean precisions of runs at the recall levels: runs x levels.

    None if some are not stored.
    """
    if not loaded.runs:
        return None
    qrels_id = kept_choice(store, collection, loaded.runs[0].qrels)[1].id
    levels = kept_aggregates(store, qrels_id, run_ids, RECALL_LEVELS)
    return None if np.isnan(levels).any() else levels


def size_of(loaded: LoadedRuns) -> int:
    """The approximate size of loaded runs in bytes."""
    values = sum(one.nbytes for run in loaded.runs for one in run.values.values())
    queries = LEAST_PER_QUERY * sum(len(run.qids) for run in loaded.runs)
    return values + queries + sum(map(len, loaded.texts.values()))


def _order(address: Address, queries: int) -> str:
    order = address.one("order")
    usual = usual_order(queries)
    if order not in ORDERS or (order == "query" and usual != "query"):
        return usual
    return order


def worth_comparing(store: Store, collection: str) -> tuple[tuple[str, str], ...]:
    """Pairs to offer where none is chosen, as addresses and texts.

    The newest run with the baseline, and the run that leads with the second one.
    """
    board = find_leaderboard(store, collection)
    runs = list(kept_collection_runs(store, board.collection_id).values())
    measure = parse(usual_measure(tuple(board.measures)))
    sign = measure.descriptor.sign_of_better
    values = all_values(store, board, measure)
    best = sorted((run for run in runs if run.id in values), key=lambda r: -sign * values[r.id])
    label = wording.labels((run.name for run in runs), 40)
    pairs: dict[tuple[str, str], str] = {}
    oldest = oldest_run(store, board, measure) if board.baseline is None else None
    base = board.baseline or oldest
    others = [run for run in runs if base is None or run.id != base.id]
    if base is not None and others:
        newest = max(others, key=lambda run: run.date)
        role = "baseline" if oldest is None else role_of_oldest(oldest)
        words = "Newest" if newest.started_at else "Last stored"
        pairs[base.name, newest.name] = f"{words} against {role}: {label[newest.name]} − {{}}"
    if len(best) > 1:
        words = f"Leader against second on {measure}: {label[best[0].name]} − {{}}"
        pairs.setdefault((best[1].name, best[0].name), words)
    return tuple(
        (
            Address("compare", collection, None, {"runs": (name, run), "base": (name,)}).href,
            words.format(label[name]),
        )
        for (name, run), words in pairs.items()
    )


def _check_number(view: View, selection: Selection) -> None:
    address, store = view.address, view.store
    leaderboard = Address("leaderboard", address.collection, None, address.parameters)
    if len(selection.runs) < 2:
        collection = address.collection or ""
        names = read(store, lambda: run_names(store, collection))
        raise PageProblem(
            f"Add a run to compare with {wording.name(selection.names[0])}"
            if selection.names
            else "Choose at least two runs",
            "A comparison is between two runs or more of one collection.",
            advice="Begin with one of these, tick runs on the leaderboard, or choose them here."
            if len(names) > 1
            else "This collection has a single run: add another.",
            link=leaderboard.href,
            link_text="Tick runs on the leaderboard",
            others=read(store, lambda: worth_comparing(store, collection)),
            runs=tuple(name for name in names if name not in selection.names),
        )
    check_most(address, selection)
