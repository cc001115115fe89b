"""The runs of an engine over time, each tested against the one before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Literal

import numpy as np

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import natural
from evalstore.comparison.claims import TEST_NAMES, correction_words
from evalstore.comparison.collection_values import MeasureValues, load_collection_values
from evalstore.comparison.significance import (
    CORRECTIONS,
    Correction,
    Settings,
    Test,
    rows_tested,
)
from evalstore.errors import NotFound, did_you_mean
from evalstore.measures import Measure
from evalstore.stats.intervals import t_intervals_of_rows
from evalstore.store import Store
from evalstore.store.queries.tracking import (
    RunInTime,
    count_runs_of_engines,
    list_active_engines,
    list_runs_in_time,
)

Change = Literal["better", "worse", "higher", "lower", "not shown"]
COLUMNS = ("run", "at", "value", "difference", "low", "high", "p", "p_corrected", "change")
"""The columns of `HistoryRun.row`."""
BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class HistoryRun:
    """A run of an engine, and its tested difference to the run before; None for the first run.

    Attributes:
        at: when the engine started, if given, else when the run was stored (UTC).
        low, high: Student's interval of the difference; None without a test, or with one query.
        p: the two-sided p of the paired test against the run before.
        p_corrected: the p after Holm's correction for all differences of the history.
        change: `better` or `worse` if the corrected test shows it (`higher` or `lower` if the
            measure doesn't define what is better), else `not shown`; None without a test.
    """

    run_id: int
    run: str
    at: datetime
    value: float
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    change: Change | None = None

    def row(self) -> dict[str, object]:
        """The figures by column; the time is in ISO 8601."""
        return {**{name: getattr(self, name) for name in COLUMNS}, "at": self.at.isoformat()}


@dataclass(frozen=True)
class EngineHistory:
    """The runs of an engine in a collection on one measure, the oldest first.

    The measure has its requested name. Values are over all judged queries. `direction` is 1 if
    higher is better, -1 if lower is, else 0.
    """

    engine: str
    collection: str
    qrels: str
    measure: str
    direction: int
    queries: int
    test: Test
    correction: Correction
    alpha: float
    runs: tuple[HistoryRun, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """The history for JSON."""
        names = [field.name for field in fields(self) if field.name not in ("runs", "notes")]
        return {
            **{name: getattr(self, name) for name in names},
            "notes": list(self.notes),
            "runs": [run.row() for run in self.runs],
        }


def engine_history(
    store: Store,
    engine: str,
    measure: tuple[str, Measure],
    collection: str | None = None,
    qrels: str | None = None,
    *,
    last: int | None = None,
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = 0.05,
) -> EngineHistory:
    """Load the active runs of an engine over time; `measure` has its shown name. Writes nothing.

    Differences are tested as on a leaderboard, over all judged queries: a query that a run does not
    answer counts as an empty ranking. Without `collection`, the engine must have runs in only one,
    else NotFound. `last` keeps only that many of the newest runs; the first of them still has its
    difference to the run before.
    """
    settings = Settings(test=test, correction=correction, alpha=alpha)  # checks them
    chosen, in_time = _runs(store, engine, collection)
    name, parsed = measure
    ids = [run.id for run in in_time]
    loaded = load_collection_values(store, chosen, {name: parsed}, qrels, ids)
    of = loaded.measures[name]
    column_of = {run.id: column for column, run in enumerate(of.runs)}
    evaluated = [run for run in in_time if run.id in column_of]
    order = [column_of[run.id] for run in evaluated]
    descriptor = parsed.descriptor
    direction = {True: 1, False: -1, None: 0}[descriptor.higher_is_better]
    runs = _with_differences(evaluated, of, order)
    first = 0 if last is None else max(len(runs) - last, 0)
    runs = runs[first:]
    notes = [*loaded.notes, *of.notes]
    if descriptor.aggregate in ("mean", "sum"):
        values = of.values[:, order].T
        previous = max(first, 1) - 1
        is_sum = descriptor.aggregate == "sum"
        runs = _tested(runs, values[previous:], is_sum, direction, settings)
    elif len(runs) > 1:
        notes.append(f"{name} is no mean or sum of values per query: differences are not tested")
    return EngineHistory(
        engine=engine,
        collection=chosen,
        qrels=loaded.qrels,
        measure=name,
        direction=direction,
        queries=len(loaded.qids),
        test=test,
        correction=correction,
        alpha=alpha,
        runs=tuple(runs),
        notes=tuple(notes),
    )


def active_engines(store: Store, collection: str) -> dict[str, int]:
    """The number of active runs of each engine of a collection, by name in natural order."""
    with store.read() as connection:
        counts = count_runs_of_engines(connection, find_collection_id(connection, collection))
    return {engine: counts[engine] for engine in sorted(counts, key=natural)}


def _runs(store: Store, engine: str, collection: str | None) -> tuple[str, list[RunInTime]]:
    """The collection to show, and the runs of the engine in it."""
    with store.read() as connection:
        runs = list_runs_in_time(connection, engine)
        engines = [] if runs else list_active_engines(connection)
    if not runs:
        hint = did_you_mean(engine, engines)
        raise NotFound(f"no run is of the engine {engine!r}{hint}", problem="no run")
    names = sorted({run.collection for run in runs}, key=natural)
    listed = ", ".join(map(repr, names))
    if collection is None:
        if len(names) > 1:
            raise NotFound(
                f"the engine {engine!r} has runs in several collections: {listed}",
                problem="several collections",
            )
        collection = names[0]
    elif collection not in names:
        raise NotFound(
            f"the engine {engine!r} has no run in collection {collection!r}; it has in {listed}"
        )
    return collection, [run for run in runs if run.collection == collection]


def _with_differences(
    in_time: Sequence[RunInTime], of: MeasureValues, order: Sequence[int]
) -> list[HistoryRun]:
    """The runs with their values and differences; `order` has each run's column in the values."""
    values = of.aggregates[list(order)].tolist()
    return [
        HistoryRun(run.id, run.name, run.at, value, value - values[i - 1] if i else None)
        for i, (run, value) in enumerate(zip(in_time, values, strict=True))
    ]


def _tested(
    runs: Sequence[HistoryRun], values: np.ndarray, is_sum: bool, direction: int, settings: Settings
) -> list[HistoryRun]:
    """The runs with tests of their differences; `values` has one row more than differences."""
    steps = [i for i, run in enumerate(runs) if run.difference is not None]
    if not steps:
        return list(runs)
    rows = np.diff(values, axis=0)
    p = rows_tested(settings.test, rows).p
    p_corrected = CORRECTIONS[settings.correction](p).tolist()
    scale = rows.shape[1] if is_sum else 1
    ends = [(end * scale).tolist() for end in t_intervals_of_rows(rows, 1 - settings.alpha)]
    means = rows.mean(axis=1).tolist()
    tested = list(runs)
    # Without a correction, several tests show nothing, as in a comparison.
    is_corrected = settings.correction != "none" or len(steps) == 1
    for number, i in enumerate(steps):
        low, high = ends[0][number], ends[1][number]
        tested[i] = replace(
            runs[i],
            low=low if math.isfinite(low) else None,
            high=high if math.isfinite(high) else None,
            p=float(p[number]),
            p_corrected=p_corrected[number],
            change=_change(
                means[number], is_corrected and p_corrected[number] < settings.alpha, direction
            ),
        )
    return tested


def _change(difference: float, is_shown: bool, direction: int) -> Change:
    if not is_shown:
        return "not shown"
    if direction == 0:
        return "higher" if difference > 0 else "lower"
    return "better" if difference * direction > 0 else "worse"


def sentence(history: EngineHistory) -> str:
    """A sentence on how many differences the corrected test shows; empty if none was tested."""
    changes = [run.change for run in history.runs if run.change is not None]
    if not changes:
        return ""
    counts = [
        f"{changes.count(word)} {word}"
        for word in ("better", "worse", "higher", "lower")
        if word in changes
    ]
    what = ", ".join(counts) if counts else "none is shown to be real"
    number = "1 difference" if len(changes) == 1 else f"{len(changes):,} differences"
    test = f"paired {TEST_NAMES[history.test]}, {correction_words(history.correction)}"
    return f"of {number}: {what} ({test}, alpha {history.alpha:g})"


def sparkline(values: Sequence[float]) -> str:
    """The values as a line of bars, scaled from the lowest to the highest value."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        return BARS[3] * len(values)
    steps = len(BARS) - 1
    return "".join(BARS[round((value - low) / (high - low) * steps)] for value in values)
