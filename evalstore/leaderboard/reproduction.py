"""The reproduction of a run by another: rankings, values, and the effect over a baseline.

The names of the figures are those of repro_eval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from evalstore.catalog.names import natural
from evalstore.comparison.comparability import F64, RunValues, comparability, notes_on
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import aligned
from evalstore.errors import MeasureError, NotComparable
from evalstore.formats import Run
from evalstore.measures import Measure
from evalstore.measures.evaluate import is_of_means
from evalstore.stats import (
    delta_relative_improvement,
    effect_ratio,
    nrmse,
    paired_t,
    rbo_to_depth,
    rmse,
    tau_union,
    unpaired_t,
)
from evalstore.store.columns import texts
from evalstore.tables.table import finite, written_value

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
DEPTH = 1000
"""The rank down to which rankings are compared, as by repro_eval."""

ALPHA = 0.05
"""The p below which the paired t test tells two runs apart; not corrected for several measures."""

RBO_OF_LONG = 0.99
"""The rank-biased overlap of equal rankings below which a note says that they are short."""

Key = tuple[str, str | None, str | None]
"""A figure, its measure (None: of rankings), and its query (None: over all)."""


class RankingFigures(NamedTuple):
    """Kendall's tau Union and rank-biased overlap of two rankings."""

    ktu: float
    rbo: float


OF_VALUES: Mapping[str, Callable[[F64, F64], float]] = {
    "rmse": rmse,
    "nrmse": nrmse,
    "ttest": lambda original, reproduction: paired_t(original, reproduction).p,
    "ttest_unpaired": lambda original, reproduction: unpaired_t(original, reproduction).p,
}
"""The figures of the values of two runs, by name."""

OF_EFFECTS: Mapping[str, Callable[[F64, F64, F64, F64], float]] = {
    "er": effect_ratio,
    "dri": delta_relative_improvement,
}
"""The figures of the values of baseline and run, original and reproduced, by name."""


@dataclass(frozen=True)
class ReproducedRun:
    """A run and its reproduction, by name.

    Attributes:
        per_query: the figures of each query that both runs answer, judged or not, in natural order.
        of_values: by figure (`OF_VALUES`) and measure; NaN if no query has the values.
    """

    original: str
    reproduction: str
    per_query: Mapping[str, RankingFigures] = field(repr=False)
    of_values: Mapping[str, Mapping[str, float]]

    @property
    def of_rankings(self) -> RankingFigures:
        """The means over the queries for which a figure is defined; NaN if there is none."""
        columns = np.array(list(self.per_query.values())).reshape(-1, 2).T
        known = [column[~np.isnan(column)] for column in columns]
        return RankingFigures(*(float(of.mean()) if len(of) else math.nan for of in known))

    def figures(self) -> dict[Key, float]:
        """The figures over all queries."""
        figures: dict[Key, float] = {
            (name, None, None): value for name, value in self.of_rankings._asdict().items()
        }
        return figures | _by_measure(self.of_values)

    def figures_of_queries(self) -> dict[Key, float]:
        """The figures of single queries."""
        return {
            (name, None, qid): value
            for qid, of in self.per_query.items()
            for name, value in of._asdict().items()
        }

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON; None for NaN and infinity."""
        return {
            "original": self.original,
            "reproduction": self.reproduction,
            **_finite(self.of_rankings._asdict()),
            **{name: _finite(of) for name, of in self.of_values.items()},
            "per_query": {qid: _finite(of._asdict()) for qid, of in self.per_query.items()},
        }


COLUMNS = ("figure", "measure", "query", "value", "baseline")
"""The columns of `Reproduction.rows`; `baseline` is the figure of the reproduced baseline."""


@dataclass(frozen=True)
class Reproduction:
    """A reproduced run, and its reproduced baseline if there is one.

    Attributes:
        queries: the number of judged queries, over which the figures of values are.
        of_effects: by figure (`OF_EFFECTS`) and measure; empty without a baseline.
        notes: sentences that a reader of the figures needs.
    """

    run: ReproducedRun
    baseline: ReproducedRun | None
    queries: int
    of_effects: Mapping[str, Mapping[str, float]]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """How much of the effect is reproduced, and on which measures the two runs differ."""
        run, found = self.run, []
        shares = [
            f"{round(100 * share):,} % on {name}"
            for name, share in self.of_effects.get("er", {}).items()
            if math.isfinite(share)
        ]
        if self.baseline is not None and shares:
            found.append(
                f"{run.reproduction} reproduces this share of the difference between "
                f"{run.original} and {self.baseline.original}: {', '.join(shares)}."
            )
        errors = run.of_values["rmse"]
        tested = {name: p for name, p in run.of_values["ttest"].items() if not math.isnan(p)}
        apart = {name: p for name, p in tested.items() if p < ALPHA}
        alone = "; p is not corrected for several measures" if len(tested) > 1 else ""
        if not any(errors.values()):
            found.append(f"The values of every query are equal on {', '.join(errors)}.")
        elif apart:
            written = (f"{name} (p {written_value(p, 'p', 4)})" for name, p in apart.items())
            others = [name for name in tested if name not in apart]
            rest = f", not on {', '.join(others)}" if others else ""
            found.append(
                f"The two runs differ by the paired t test on {', '.join(written)}{rest}{alone}."
            )
        elif tested:
            least = written_value(min(tested.values()), "p", 4)
            found.append(
                f"The paired t test does not tell the two runs apart on {', '.join(tested)} "
                f"(smallest p {least}){alone}."
            )
        return " ".join(found)

    def rows(self, *, per_query: bool = False) -> list[tuple[str | float | None, ...]]:
        """A row a figure and measure, and `per_query` one a figure and query; None for no value."""
        own = {**self.run.figures(), **_by_measure(self.of_effects)}
        other = {} if self.baseline is None else self.baseline.figures()
        if per_query:
            own |= self.run.figures_of_queries()
            other |= {} if self.baseline is None else self.baseline.figures_of_queries()
        return [
            (*key, *(finite(of.get(key, math.nan)) for of in (own, other)))
            for key in dict.fromkeys([*own, *other])
        ]

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON; None for NaN and infinity."""
        return {
            "sentence": self.sentence,
            "queries": self.queries,
            **self.run.to_dict(),
            **{name: _finite(self.of_effects.get(name, {})) for name in OF_EFFECTS},
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
            "notes": list(self.notes),
        }


def _by_measure(figures: Mapping[str, Mapping[str, float]]) -> dict[Key, float]:
    return {(name, on, None): value for name, of in figures.items() for on, value in of.items()}


def _finite(figures: Mapping[str, float]) -> dict[str, object]:
    return {name: finite(value) for name, value in figures.items()}


def reproduction_of(loaded: LoadedRuns, measures: Mapping[str, Measure]) -> Reproduction:
    """Compare the loaded runs: original, reproduction, and then the baseline of each, or no more.

    Every judged query counts, as in a comparison; one that a run does not answer is an empty
    ranking. A query without a value in some run is left out of the figures of that measure.

    Raises:
        NotComparable: the runs differ in collection, judgments or rules, or share no query.
        MeasureError: the figure of a measure is no mean of the values of queries.
    """
    for name, measure in measures.items():
        if not is_of_means(measure):
            raise MeasureError(f"{name} is no mean of the values of queries")
    if loaded.obstacle is not None:
        raise NotComparable(loaded.obstacle)
    runs = loaded.runs
    pairs = [(number, number + 1) for number in range(0, len(runs), 2)]
    checked = comparability(runs, measures, pairs)
    if checked.comparable == "no":
        raise NotComparable("; ".join(checked.reasons))
    qids = runs[0].qids
    tables = {name: _values(runs, name, qids) for name in measures}
    lists = [None] * len(runs) if loaded.rankings is None else loaded.rankings(DEPTH).runs
    among = None if loaded.restriction is None else frozenset(qids)
    found, notes = [], []
    for original, reproduction in pairs:
        names = runs[original].name, runs[reproduction].name
        per_query, on_rankings = _compared(names, lists[original], lists[reproduction], among)
        notes += on_rankings
        of_values = {
            figure: {
                name: _figure(figure, compute, measure, *tables[name][[original, reproduction]])
                for name, measure in measures.items()
            }
            for figure, compute in OF_VALUES.items()
        }
        found.append(ReproducedRun(*names, per_query, of_values))
    of_effects = {
        figure: {
            name: compute(*table[[2, 0, 3, 1]]) if table.size else math.nan
            for name, table in tables.items()
        }
        for figure, compute in OF_EFFECTS.items()
        if len(runs) > 2
    }
    restriction = [] if loaded.restriction is None else [f"only {loaded.restriction}"]
    notes = [*restriction, *loaded.notes, *checked.reasons, *notes_on(runs, len(qids)), *notes]
    baseline = found[1] if len(found) > 1 else None
    return Reproduction(found[0], baseline, len(qids), of_effects, tuple(notes))


def _values(runs: Sequence[RunValues], measure: str, qids: Sequence[str]) -> F64:
    """The values of a measure, runs x queries, of the queries that have one in all runs."""
    table = np.array([aligned(run, measure, qids) for run in runs])
    return table[:, ~np.isnan(table).any(axis=0)]


def _figure(
    name: str,
    compute: Callable[[F64, F64], float],
    measure: Measure,
    original: F64,
    reproduction: F64,
) -> float:
    """A figure of two runs' values; NaN if there are none, or if the measure may leave 0 to 1."""
    low, high = measure.descriptor.bounds
    if not original.size or (name == "nrmse" and (low < 0 or high > 1)):
        return math.nan
    return compute(original, reproduction)


def _compared(
    names: tuple[str, str],
    original: Run | None,
    reproduction: Run | None,
    among: Collection[str] | None,
) -> tuple[dict[str, RankingFigures], list[str]]:
    """The figures of the rankings of two runs, and notes; only queries `among` these, if given."""
    if original is None or reproduction is None:
        return {}, [f"no ktu and rbo of {names[0]} and {names[1]}, which are not both rankings"]
    first, second = _lists(original, among), _lists(reproduction, among)
    both = sorted(first.keys() & second.keys(), key=natural)
    figures = {
        qid: RankingFigures(
            tau_union(first[qid], second[qid], DEPTH),
            rbo_to_depth(first[qid], second[qid], depth=DEPTH),
        )
        for qid in both
    }
    notes = []
    of_two = f"of {names[0]} and {names[1]}"
    alone = len(first.keys() ^ second.keys())
    if alone:
        notes.append(
            f"ktu and rbo {of_two} are over the {len(both):,} queries that both answer; "
            f"{alone:,} more are answered by one alone"
        )
    unlike = sum(len(first[qid]) != len(second[qid]) for qid in both)
    if unlike:
        notes.append(
            f"the rankings {of_two} differ in length on {unlike:,} of {len(both):,} queries: ktu "
            "compares them down to the end of the shorter (repro_eval refuses them)"
        )
    without = sum(math.isnan(of.ktu) for of in figures.values())
    if without:
        notes.append(
            f"ktu {of_two} is not defined on {without:,} of {len(both):,} queries, where a ranking "
            "has a single document"
        )
    most = _rbo_of_equal([len(first[qid]) for qid in both])
    if most < RBO_OF_LONG:
        notes.append(
            f"rbo goes down to {DEPTH:,} documents: equal rankings as short as those of {names[0]} "
            f"have {most:.4f}"
        )
    return figures, notes


def _rbo_of_equal(lengths: Sequence[int]) -> float:
    """The mean rank-biased overlap of equal rankings of these lengths; 1 for none."""
    ids = list(map(str, range(max(lengths, default=0))))
    of_length = {n: rbo_to_depth(ids[:n], ids[:n], depth=DEPTH) for n in set(lengths)}
    return float(np.mean([of_length[n] for n in lengths])) if lengths else 1.0


def _lists(run: Run, among: Collection[str] | None) -> dict[str, list[str]]:
    """The first documents of every list of a run, by query."""
    return {
        qid: texts(run.docnos.slice(start, min(length, DEPTH)))
        for qid, start, length in zip(
            run.qids, run.starts.tolist(), run.lengths.tolist(), strict=True
        )
        if length and (among is None or qid in among)
    }
