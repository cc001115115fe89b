"""The data of the Queries page: queries x runs, the queries an address selects, and filters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.controls import chosen_measure
from dashboard.components.elements import in_order
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import (
    MOST_RUNS,
    Selection,
    baseline_of,
    reference_of,
    select_runs,
)
from dashboard.components.wording import MeasureInfo, measure_info
from dashboard.page import View
from evalstore.catalog.links import run_names
from evalstore.catalog.qrels import list_qrels
from evalstore.comparison.comparability import F64
from evalstore.comparison.ranked_query import (
    Bools,
    QueryDifficulty,
    all_fail,
    deciding,
    far_apart,
    leading_runs,
    query_difficulty,
    runs_disagree,
)
from evalstore.leaderboard.positions import leaderboard_measures
from evalstore.stats.inputs import UNITS_PER_ONE, in_units

ALL, FAIL, DISAGREE, DECIDES = "all", "fail", "disagree", "decides"
SHOWN = (ALL, FAIL, DISAGREE, DECIDES)
RUN = "run:"
"""The prefix of a run's name in an order by the values of that run."""
MOST_NAMED = 3
"""The most queries that the heading names of each kind."""
DECIMALS = 4
"""Decimals of values in the table."""


@dataclass(frozen=True, eq=False)
class Queries:
    """The data of the page.

    `difficulty` has the values, with the best run and the hardest query first. `pair` has the run
    and the baseline whose difference is shown, None if there is one run. `show` is one of `SHOWN`.
    `find` is a text to search in ids and texts. `left_out` is the number of chosen runs beyond the
    most that are shown. `baseline` is one that somebody chose, else empty.
    """

    address: Address
    selection: Selection
    others: tuple[str, ...]
    measure: MeasureInfo
    measures: tuple[str, ...]
    qrels: tuple[str, ...]
    difficulty: QueryDifficulty
    pair: tuple[str, str] | None
    show: str
    find: str
    left_out: int
    default_runs: tuple[str, ...]
    baseline: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs that have values, the best first."""
        return tuple(run.name for run in self.difficulty.runs)

    @cached_property
    def differences(self) -> F64 | None:
        """Run - baseline for every query, rounded to 1e-9; None without a pair."""
        if self.pair is None:
            return None
        run, base = (self.difficulty.position(name) for name in self.pair)
        values = self.difficulty.values
        return in_units(values[:, run] - values[:, base]) / UNITS_PER_ONE

    @property
    def chosen(self) -> Mapping[str, Bools]:
        """The queries that each choice shows, by its name in the address."""
        values, differences = self.difficulty.values, self.differences
        bounds = self.difficulty.measure.descriptor.bounds
        none = np.zeros(len(values), bool)
        return {
            ALL: ~none,
            FAIL: all_fail(values, self.measure.higher_is_better),
            DISAGREE: runs_disagree(values, bounds) if len(self.names) > 1 else none,
            DECIDES: none if differences is None else deciding(differences),
        }

    def highest(self, values: F64) -> list[int]:
        """The rows of the highest values: up to three that no other equals, else all that tie."""
        negative = -np.round(values, DECIMALS)
        rows: list[int] = np.argsort(negative, kind="stable").tolist()
        ends = [*(np.flatnonzero(np.diff(np.sort(negative))) + 1).tolist(), len(rows)]
        return rows[: max((end for end in ends if end <= MOST_NAMED), default=ends[0])]

    @property
    def far_apart(self) -> str:
        """The rule for runs that disagree, in words."""
        limit = far_apart(self.difficulty.measure.descriptor.bounds)
        least = "half of the larger" if limit is None else f"{limit:g}"
        return f"the highest and the lowest {self.measure.label} differ by {least} or more"

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of the runs in headers."""
        short = [self.selection.short(name) for name in self.names]
        return dict(zip(self.names, header_labels(short), strict=True))

    @property
    def of_pair(self) -> str:
        """The difference of the pair, as a header; empty without a pair."""
        return " − ".join(self.labels[name] for name in self.pair or ())

    @property
    def is_difference_shown(self) -> bool:
        """Whether the table has the difference of the pair: also if it is sorted by it."""
        asked = self.show == DECIDES or self.address.one("sort").removeprefix("-") == DIFFERENCE
        return self.pair is not None and (asked or len(self.names) == 2)

    @property
    def headers(self) -> dict[str, str]:
        """The columns of numbers other than run values, with their headers."""
        difference = {DIFFERENCE: self.of_pair} if self.is_difference_shown else {}
        # The median of two values is their mean, and their spread has no sign.
        columns = {"rel": COLUMNS["rel"]} if len(self.names) == 2 else COLUMNS
        return {**difference, **columns}

    @property
    def bounds(self) -> Bounds:
        """The bounds from the filters of the headers."""
        return bounds_of(self.address, tuple(self.headers))

    @property
    def is_narrow(self) -> bool:
        """Whether the search or a filter may exclude queries."""
        return bool(self.find or self.bounds.columns)

    @property
    def sort(self) -> str:
        """The column to sort by, with a `-` before it for descending order; else empty."""
        sort = self.address.one("sort")
        columns = ["qid", "text", *self.headers, *(f"{RUN}{name}" for name in self.names)]
        return sort if sort.removeprefix("-") in columns else ""

    def value(self, column: str, row: int) -> Any:
        """A value of a column as shown; None if there is none."""
        of, qid = self.difficulty, self.difficulty.qids[row]
        match column:
            case "qid":
                return qid
            case "text":
                return of.texts.get(qid)
            case "rel":
                return int(of.relevant[row])
            case "median":
                number = of.median[row]
            case "spread":
                number = of.spread[row]
            case "difference" if self.differences is not None:
                number = self.differences[row]
            case _:
                number = of.values[row, of.position(column.removeprefix(RUN))]
        return round(float(number), DECIMALS)

    @cached_property
    def found(self) -> list[int]:
        """The rows of the queries that are chosen and found, in the order of the address.

        By default the hardest come first, or those that differ most, or decide most.
        """
        chosen = np.flatnonzero(self.chosen[self.show]).tolist()
        if self.find:
            wanted, texts = self.find.casefold(), self.difficulty.texts
            chosen = [row for row in chosen if any(
                wanted in text.casefold()
                for qid in [self.difficulty.qids[row]]
                for text in (qid, texts.get(qid, ""))
            )]  # fmt: skip
        differences = self.differences if self.show == DECIDES else None
        if self.show == DISAGREE:
            differences = self.difficulty.spread
        if differences is not None:
            chosen.sort(key=lambda row: -abs(round(float(differences[row]), DECIMALS)))
        column, descending = self.sort.removeprefix("-"), self.sort.startswith("-")
        if column:
            chosen = in_order(chosen, lambda row: self.value(column, row), descending=descending)
        return chosen

    @cached_property
    def rows(self) -> list[int]:
        """The rows in `found` that pass the filters of the headers."""
        bounds, rows = self.bounds, self.found
        for column in bounds.columns:
            rows = [row for row in rows if bounds.hold(column, self.value(column, row))]
        return rows


def load(view: View) -> Queries:
    """Load the queries that the address of a view selects.

    Raises PageProblem if something is not stored, and Redirect if a run was renamed.
    """
    address, store = view.address, view.store
    collection, qrels = address.collection or "", address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels))
    name, measure = chosen_measure(address, stored)
    way_on = (address.changed(m=None, runs=None).href, "Show the usual measure and runs")
    base = reference_of(view, measure)
    default = read(store, lambda: leading_runs(store, collection, measure, qrels, MOST_RUNS, base))
    asked = address.all("runs") or default
    if not asked:
        raise PageProblem(
            "No run has figures yet",
            f"No run of the collection “{wording.name(collection)}” was evaluated under these "
            "judgments.",
            link=Address("leaderboard", collection).href,
            link_text="Go to the leaderboard",
        )
    selection = select_runs(view, asked[:MOST_RUNS])
    difficulty = read(
        store,
        lambda: store.keep(
            ("difficulty", collection, str(measure), qrels, selection.ids),
            lambda: query_difficulty(store, collection, measure, qrels, selection.ids),
            lambda one: one.values.nbytes + sum(map(len, one.texts.values())),
        ),
        *way_on,
    )
    if not difficulty.runs:
        raise PageProblem(
            "These runs have no figures",
            "None of the chosen runs was evaluated under these judgments.",
            link=way_on[0],
            link_text="Show other runs",
        )
    show = address.one("show")
    names = tuple(run.name for run in difficulty.runs)
    return Queries(
        address=address,
        selection=selection,
        others=tuple(read(store, lambda: run_names(store, collection))),
        measure=measure_info(name),
        measures=stored,
        qrels=tuple(one.name for one in read(store, lambda: list_qrels(store, collection))),
        difficulty=difficulty,
        pair=pair_of(names, selection.names, address.one("pair"), base),
        show=show if show in SHOWN else ALL,
        find=address.one("find"),
        left_out=len(asked) - len(asked[:MOST_RUNS]),
        default_runs=tuple(default),
        baseline=baseline_of(view),
    )


def pair_of(
    names: tuple[str, ...], chosen: tuple[str, ...], run: str, base: str
) -> tuple[str, str] | None:
    """The run and the baseline whose difference is shown; None if there is one run.

    `names` are the runs with values, the best first; `chosen` are all runs in the order of the
    address. If the baseline is not among `chosen`, the first of these takes its place.
    """
    if len(names) < 2:
        return None
    if base not in names:
        base = next(name for name in chosen if name in names)
    others = [name for name in names if name != base]
    return (run if run in others else others[0]), base


def header_labels(labels: Sequence[str]) -> list[str]:
    """The end of each label, which tells versions apart; with the engine where ends are alike."""
    ends = [wording.end_of(label) for label in labels]
    if len(set(ends)) == len(ends):
        return ends
    starts = [label.rpartition("…")[0].rstrip("-_/.") for label in labels]
    engines = [wording.SEPARATORS.split(start) for start in starts]
    # What stands before a point is the library of the engine: it stays where it tells them apart.
    for first in (2, 0):
        kept = ["".join(words[first if words[1:2] == ["."] else 0 :]) for words in engines]
        texts = [f"{engine} {end}".lstrip() for engine, end in zip(kept, ends, strict=True)]
        if len(set(texts)) == len(texts):
            return texts
    return list(labels)


# The column filters of the Queries page, as written in its address:
#
#     least=median~0.5,rel~3&most=median~0.9
#
# Each filter is a column's name, `~`, and the bound. The grid shows them as its own filters.

COLUMNS: Mapping[str, str] = {"rel": "Rel", "median": "Median", "spread": "Spread"}
"""The columns that can always be filtered, with their headers."""
DIFFERENCE = "difference"
PARAMETERS = frozenset({"least", "most"})


@dataclass(frozen=True)
class Bounds:
    """Bounds on values as shown, inclusive, by column."""

    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns that have a bound."""
        return list(dict.fromkeys([*self.least, *self.most]))

    def hold(self, column: str, value: float) -> bool:
        """Whether a value of a column is within its bounds."""
        low, high = self.least.get(column, -math.inf), self.most.get(column, math.inf)
        return low <= value <= high

    def words(self, headers: Mapping[str, str]) -> str:
        """The bounds in words: `Median at least 0.5 and at most 0.9, Rel at least 3`."""
        parts = []
        for column in self.columns:
            ends = [
                f"{words} {given[column]:g}"
                for words, given in (("at least", self.least), ("at most", self.most))
                if column in given
            ]
            parts.append(f"{headers[column]} {' and '.join(ends)}")
        return ", ".join(parts)

    @property
    def filter_model(self) -> dict[str, dict[str, Any]]:
        """The filters in the form of AG Grid."""
        return {column: self._filter(column) for column in self.columns}

    def _filter(self, column: str) -> dict[str, Any]:
        low, high = self.least.get(column), self.most.get(column)
        number: dict[str, Any] = {"filterType": "number"}
        if low is not None and high is not None:
            return {**number, "type": "inRange", "filter": low, "filterTo": high}
        if low is not None:
            return {**number, "type": "greaterThanOrEqual", "filter": low}
        return {**number, "type": "lessThanOrEqual", "filter": high}


def bounds_of(address: Address, columns: Sequence[str]) -> Bounds:
    """Read the bounds for these columns from an address; ignore values that can't be parsed."""
    return Bounds(*(_bounds(address.all(name), columns) for name in ("least", "most")))


def _bounds(texts: Sequence[str], columns: Sequence[str]) -> dict[str, float]:
    bounds = {}
    for text in texts:
        column, _, bound = text.rpartition("~")
        try:
            number = float(bound)
        except ValueError:
            continue
        if column in columns and math.isfinite(number):
            bounds[column] = number
    return bounds
