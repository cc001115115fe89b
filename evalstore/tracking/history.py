"""The runs of an engine over time: which differ from the one before, or from a fixed reference.

Marks hold: whether a run is marked depends on it and the runs before it alone, not on later ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

import numpy as np

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.given_facts import flat
from evalstore.catalog.names import natural
from evalstore.comparison.claims import OF_ORDER, TEST_NAMES
from evalstore.comparison.collection_values import load_collection_values
from evalstore.comparison.comparability import F64
from evalstore.comparison.significance import (
    RESAMPLES,
    Settings,
    Test,
    attainable_p,
    difference_intervals,
    points_to,
)
from evalstore.errors import NotFound, did_you_mean
from evalstore.leaderboard.positions import kept_collection_runs
from evalstore.measures import Measure
from evalstore.stats.corrections import online_level
from evalstore.stats.inputs import in_units
from evalstore.stats.intervals import outcomes_of_rows
from evalstore.stats.paired import EXACT_UP_TO
from evalstore.store import Store
from evalstore.store.queries.facts import list_values
from evalstore.store.queries.tracking import (
    RunInTime,
    list_active_engines,
    list_runs_in_time,
)
from evalstore.tables.table import written_size, written_value

Change = Literal["better", "worse", "higher", "lower", "not shown"]
COLUMNS = (
    *("run", "at", "value", "difference", "low", "high", "p", "level", "change"),
    *("reference", "reference_difference", "reference_p", "reference_level", "reference_change"),
)
"""The columns of `HistoryRun.row`."""
BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class HistoryRun:
    """A run of an engine, and its differences to the run before and to a reference.

    The reference is the last run before it that was shown to differ, else the first run. If that is
    the run before, the difference is tested once and the figures of the reference are None. All is
    None for the first run.

    Attributes:
        at: when the engine started, if given, else when the run was stored (UTC).
        low, high: the interval of the difference to the run before, of level 1 - alpha; None
            without a test, or with one query.
        p: the two-sided p of the paired test, at least that of differences all of one sign.
        level: of the test (`online_level`), given the tests before it.
        change: `better` or `worse` if p is below the level (`higher` or `lower` if the measure
            doesn't define what is better), else `not shown`; None without a test.
        reference: the name of the reference; None without a test.
    """

    run_id: int
    run: str
    at: datetime
    value: float
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    level: float | None = None
    change: Change | None = None
    reference: str | None = None
    reference_difference: float | None = None
    reference_p: float | None = None
    reference_level: float | None = None
    reference_change: Change | None = None

    @property
    def mark(self) -> Change | None:
        """The change to the run before; if that is not shown, to the reference."""
        is_shown = self.change != "not shown" or self.reference_change is None
        return self.change if is_shown else self.reference_change

    def row(self) -> dict[str, object]:
        """The figures by column; the time is in ISO 8601."""
        return {**{name: getattr(self, name) for name in COLUMNS}, "at": self.at.isoformat()}


@dataclass(frozen=True)
class EngineHistory:
    """The runs of an engine in a collection on one measure, the oldest first.

    The measure has its requested name. Values are over all judged queries. `direction` is 1 if
    higher is better, -1 if lower is, else 0. At most a share `alpha` of the marks is expected to be
    false. `first` is the name of the engine's first run, even if it is not among `runs`. The order
    is not known of runs that were stored together, without times of their own.
    """

    engine: str
    collection: str
    qrels: str
    measure: str
    direction: int
    queries: int
    test: Test
    alpha: float
    first: str | None
    runs: tuple[HistoryRun, ...]
    notes: tuple[str, ...]
    is_order_known: bool = True

    def to_dict(self) -> dict[str, object]:
        """The history for JSON."""
        others = ("runs", "notes", "is_order_known")
        names = [field.name for field in fields(self) if field.name not in others]
        return {
            **{name: getattr(self, name) for name in names},
            "notes": list(self.notes),
            "runs": [run.row() for run in self.runs],
        }


def changed_facts(store: Store, histories: Sequence[Sequence[int]]) -> dict[int, tuple[str, ...]]:
    """The parameters and the commit that differ from those of the run before: `mu 500 → 100`.

    `histories` are the ids of the runs of engines, the oldest first; a first run has no changes. A
    parameter that one of the two runs lacks is `none` there.
    """
    with store.read() as connection:
        recorded = list_values(connection, {id_ for ids in histories for id_ in ids})
    facts = {
        id_: {
            **dict(flat("", values["parameters"])),
            " commit": (values["commit"] or "")[:SHORT_COMMIT],
        }
        for id_, values in recorded.items()
    }
    steps = [(facts.get(a, {}), facts.get(b, {}), b) for ids in histories for a, b in pairwise(ids)]
    return {
        id_: tuple(
            f"{name[1:]} {_said(before.get(name))} → {_said(now.get(name))}"
            for name in dict.fromkeys((*before, *now))
            if name and before.get(name) != now.get(name)
        )
        for before, now, id_ in steps
    }


SHORT_COMMIT = 7
"""The characters of a commit that are shown."""


def _said(value: object) -> str:
    return "none" if value is None or value == "" else str(value)


def engine_history(
    store: Store,
    engine: str,
    measure: tuple[str, Measure],
    collection: str | None = None,
    qrels: str | None = None,
    *,
    last: int | None = None,
    test: Test = "t",
    alpha: float = 0.05,
) -> EngineHistory:
    """Load the active runs of an engine over time; `measure` has its shown name. Writes nothing.

    Differences are tested over all judged queries: a query that a run does not answer counts as an
    empty ranking. Without `collection`, the engine must have runs in only one, else NotFound.
    `last` keeps only that many of the newest runs; their figures and marks stay the same.
    """
    settings = Settings(test=test, alpha=alpha)  # checks them
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
    on_order = _on_order(engine, evaluated)
    notes = [*on_order, *loaded.notes, *of.notes]
    figures = of.aggregates[order].tolist()
    if descriptor.aggregate in ("mean", "sum"):
        of_queries = np.ascontiguousarray(of.values[:, order].T)
        runs = marked_runs(evaluated, figures, of_queries, parsed, settings)
        level = runs[-1].level if runs else None
        is_drawn = test == "randomization" and len(loaded.qids) > EXACT_UP_TO
        if is_drawn and level is not None and level * (RESAMPLES + 1) <= 1:
            notes.append(f"{RESAMPLES:,} resamples are too few to mark a run at this level")
    else:
        runs = _untested(evaluated, figures)
        if len(runs) > 1:
            notes.append(
                f"{name} is no mean or sum of values per query: differences are not tested"
            )
    return EngineHistory(
        engine=engine,
        collection=chosen,
        qrels=loaded.qrels,
        measure=name,
        direction=direction,
        queries=len(loaded.qids),
        test=test,
        alpha=alpha,
        first=runs[0].run if runs else None,
        runs=tuple(runs if last is None else runs[-last:]),
        notes=tuple(notes),
        is_order_known=not on_order,
    )


def _on_order(engine: str, in_time: Sequence[RunInTime]) -> list[str]:
    """A sentence on runs that may be no versions: stored together, without times of their own."""
    times = [run.at for run in in_time]
    if len(times) < 2 or max(times) - min(times) > TOGETHER:
        return []
    if any(run.has_started for run in in_time):
        return []
    return [
        f"the runs of {engine} were stored together, and it is not known when each was made: their "
        "order is that of storing"
    ]


TOGETHER = timedelta(minutes=1)
"""The most time between the first and the last of runs that one command stored."""


def active_engines(store: Store, collection: str) -> dict[str, int]:
    """The number of active runs of each engine of a collection, by name in natural order."""
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
    counts = Counter(run.engine for run in kept_collection_runs(store, collection_id).values())
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


def _untested(in_time: Sequence[RunInTime], figures: Sequence[float]) -> list[HistoryRun]:
    return [
        HistoryRun(run.id, run.name, run.at, figure, figure - figures[i - 1] if i else None)
        for i, (run, figure) in enumerate(zip(in_time, figures, strict=True))
    ]


def marked_runs(
    in_time: Sequence[RunInTime],
    figures: Sequence[float],
    values: F64,
    measure: Measure,
    settings: Settings,
) -> list[HistoryRun]:
    """Test the runs of an engine, the oldest first, by a measure that is a mean or a sum.

    `figures` has one entry a run, over all queries; `values` are runs x queries, contiguous. Only
    `test` and `alpha` of the settings count. The result for fewer runs is the beginning of that for
    more. A run that equals the one before on every query is no new look: its tests give what those
    before gave, and do not count.
    """
    runs = _untested(in_time, figures)
    if len(runs) < 2:
        return runs
    direction = {True: 1, False: -1, None: 0}[measure.descriptor.higher_is_better]
    steps = np.diff(values, axis=0)
    step_tests = _tests(steps, settings.test)
    is_changed = np.count_nonzero(in_units(steps), axis=1) > 0
    ends = difference_intervals(measure, steps, 1 - settings.alpha)
    low, high = ([end if math.isfinite(end) else None for end in side.tolist()] for side in ends)
    tests, reference = 0, 0
    for i in range(1, len(runs)):
        others = {i - 1: step_tests[i - 1]}
        if reference < i - 1:
            (others[reference],) = _tests(values[i : i + 1] - values[reference], settings.test)
        found: list[tuple[float | None, float | None, float | None, Change | None]] = []
        for other, (p, way) in others.items():
            level = online_level(tests, settings.alpha)
            difference = figures[i] - figures[other]
            is_shown = p < level and way * difference > 0
            tests = 0 if is_shown else tests + int(is_changed[i - 1])
            found.append((difference, p, level, _change(difference, is_shown, direction)))
        step, whole = found[0], found[1] if len(found) == 2 else (None,) * 4
        runs[i] = replace(
            runs[i], low=low[i - 1], high=high[i - 1],
            p=step[1], level=step[2], change=step[3], reference=runs[reference].run,
            reference_difference=whole[0], reference_p=whole[1],
            reference_level=whole[2], reference_change=whole[3],
        )  # fmt: skip
        if runs[i].mark != "not shown":
            reference = i
    return runs


def _tests(rows: F64, test: Test) -> list[tuple[float, int]]:
    """The p of rows of differences (tests x queries), and whether each speaks for more or less."""
    tested = attainable_p(test, rows)
    of_rows = zip(tested.statistic.tolist(), outcomes_of_rows(rows, 0.0), strict=True)
    ways = [points_to(test, *of_row) for of_row in of_rows]
    return list(zip(tested.p.tolist(), ways, strict=True))


def _change(difference: float, is_shown: bool, direction: int) -> Change:
    if not is_shown:
        return "not shown"
    if direction == 0:
        return "higher" if difference > 0 else "lower"
    return "better" if difference * direction > 0 else "worse"


def sentence(history: EngineHistory) -> str:
    """A sentence on the marks and on drift (shown only together); empty if nothing was tested."""
    counts = tally(history)
    return f"{counts} ({on_marks(history)})" if counts else ""


def tally(history: EngineHistory) -> str:
    """The number of marks of each kind, and the drift; empty if nothing was tested."""
    runs = [run for run in history.runs if run.change is not None]
    if not runs:
        return ""
    changes = [run.change for run in runs]
    words = [word for word in ("better", "worse", "higher", "lower") if word in changes]
    counts = [f"{changes.count(word)} {word}" for word in words]
    what = ", ".join(counts) if counts else "none is shown to be real"
    number = "1 difference" if len(changes) == 1 else f"{len(changes):,} differences"
    found, drift = drifts(history), ""
    if found:
        more = f", and {len(found) - 1:,} before" if len(found) > 1 else ""
        drift = f"; drift: {claim(history, found[-1])}{more}"
    return f"of {number} to the run before: {what}{drift}"


def on_marks(history: EngineHistory) -> str:
    """The test, and how many marks are false: the same for all engines of a page."""
    return (
        f"paired {TEST_NAMES[history.test]}; marks hold: on average at most "
        f"{100 * history.alpha:g} % of an engine's are false, however often you look"
    )


def drifts(history: EngineHistory) -> list[HistoryRun]:
    """The runs that are shown to differ from their reference, but not from the run before."""
    return [run for run in history.runs if run.change is not None and run.change != run.mark]


def headline(history: EngineHistory) -> str:
    """The change by the newest run: "v12 is worse than v11 on AP by 0.0410, to 0.3 (p 0.0013)".

    Empty for one run. Without a known order there is no change, and only the best run is named.

    After a fall a gain may be a recovery: then the best run before is named too, and whether the
    newest was tested against it. A change that is not shown follows the latest drift that is.
    """
    if len(history.runs) < 2 or history.runs[-1].difference is None:
        return ""
    if not history.is_order_known:
        said = f"The order of the runs of {history.engine} is not known (stored together)"
        if history.direction:
            best = _best(history.runs, history)
            which = "highest" if history.direction > 0 else "lowest"
            said += f": {best.run} has the {which} {history.measure}, {best.value:,.4f}"
        return said
    before, newest = history.runs[-2:]
    difference = newest.difference or 0.0
    size = written_size(difference)
    on = f" on {history.measure}"
    p = "" if newest.p is None else f"p {written_value(newest.p, 'p', 4)}"
    if newest.change in (None, "not shown"):
        sign = "higher" if difference > 0 else "lower"
        change = f"has a {sign} {history.measure} than {before.run} by {size}, not shown to be real"
        if not difference:
            change = f"has the same {history.measure} as {before.run}"
        elif newest.p is not None and newest.level is not None and newest.p >= newest.level:
            change += f" ({p}, {written_value(newest.level, 'p', 4)} is needed)"
        drift = "".join(f"{claim(history, run, on)}; newest: " for run in drifts(history)[-1:])
        return f"{drift}{newest.run} {change}"
    often = "more often " if history.test in OF_ORDER and history.direction else ""
    figures = [p] if p else []
    if newest.low is not None and newest.high is not None:
        ends = (newest.low, newest.high) if difference > 0 else (-newest.high, -newest.low)
        level = f"{100 * (1 - history.alpha):g} % interval"
        figures.insert(0, f"{level} {ends[0]:.4f} to {ends[1]:.4f}")
    said = f"{newest.run} is {often}{newest.change} than {before.run}{on} by {size}, "
    said += f"to {newest.value:,.4f}" + (f" ({', '.join(figures)})" if figures else "")
    best = _best(history.runs[:-1], history)
    if newest.change == "better" and best.value != before.value:  # it may only catch up
        tested = "not tested"
        if best.run == newest.reference and newest.reference_p is not None:
            tested = f"{newest.reference_change}, p {written_value(newest.reference_p, 'p', 4)}"
        less = f"{newest.value - best.value:+.4f}".replace("-", "−")
        said += f"; the best before is {best.run}, {best.value:,.4f} (difference {less}, {tested})"
    return said


def _best(runs: Sequence[HistoryRun], history: EngineHistory) -> HistoryRun:
    return max(runs, key=lambda run: history.direction * run.value)


def claim(history: EngineHistory, run: HistoryRun, on: str = "") -> str:
    """The claim on a run and its reference: "v12 is worse than v03 (...) by 0.0410 (p ...)".

    `on` are words that name the measure, where nothing else does.
    """
    is_first = run.reference == history.first
    kind = "the first version" if is_first else "the last version shown to differ"
    often = "more often " if history.test in OF_ORDER and history.direction else ""
    by = "" if often else f" by {written_size(run.reference_difference or 0.0)}"
    p = "" if run.reference_p is None else f" (p {written_value(run.reference_p, 'p', 4)})"
    return f"{run.run} is {often}{run.reference_change} than {run.reference} ({kind}){on}{by}{p}"


def sparkline(values: Sequence[float], least: float = math.inf) -> str:
    """The values as a line of bars, scaled from the lowest value, or `least`, to the highest."""
    low, high = min((*values, least)), max(values, default=0.0)
    if low == high:
        return BARS[3] * len(values)
    steps = len(BARS) - 1
    return "".join(BARS[round((value - low) / (high - low) * steps)] for value in values)
