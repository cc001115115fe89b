"""The figures of `evalstore export figure`; drawn interactive or static."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from dashboard.components import wording
from dashboard.components.wording import measure_info
from dashboard.figures import frames, interactive
from dashboard.figures.figure import Figure, mean_over, outcome
from dashboard.figures.frames import RunPair, Swept
from dashboard.figures.interactive import Order
from evalstore.comparison.loading import LoadedRuns, Medians
from evalstore.comparison.significance import Compared
from evalstore.measures import Measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as StaticFigure

Size = tuple[float, float]
"""Width and height in inches."""


@dataclass(frozen=True)
class Drawing:
    """A figure that is not drawn yet.

    `interactive` draws it with plotly in light colours, `static` with matplotlib.
    """

    title: str
    caption: str
    notes: tuple[str, ...]
    interactive: Callable[[], Figure]
    static: Callable[[Size], StaticFigure]


def recall_precision(loaded: LoadedRuns) -> Drawing:
    """Interpolated precision at the 11 recall levels, with one line per run."""
    labels = _labels(loaded)
    curves = frames.recall_curves(loaded.runs)
    return Drawing(
        "Recall-precision",
        mean_over(loaded.runs),
        _notes(loaded),
        lambda: interactive.recall_precision(curves, labels),
        lambda size: _static().recall_precision(curves, labels, size),
    )


def at_cutoffs(loaded: LoadedRuns, measure: str) -> Drawing:
    """P or R at cutoffs from 5 to 1,000, with one line per run."""
    labels = _labels(loaded)
    curves = frames.cutoff_curves(loaded.runs, measure)
    title = f"{measure}@k"
    return Drawing(
        title,
        mean_over(loaded.runs),
        _notes(loaded),
        lambda: interactive.cutoff_curves(curves, labels, title),
        lambda size: _static().cutoff_curves(curves, labels, title, size),
    )


def differences(
    loaded: LoadedRuns, measure: tuple[str, Measure], baseline: int, order: Order
) -> Drawing:
    """The difference run - baseline of every query, for two runs."""
    return _differences(loaded, _pair(loaded, measure, baseline), order)


def median(
    loaded: LoadedRuns,
    measure: tuple[str, Measure],
    medians: Medians,
    order: Order,
    positions: tuple[int, int] = (0, 1),
) -> Drawing:
    """The difference between a run and the median of several runs, for every query."""
    (run,) = loaded.runs
    name = measure[0]
    values = frames.values_and_medians(run, medians.values[name], name, loaded.texts)
    labels = (run.name, f"median of {wording.count(medians.runs, 'run')}")
    pair = RunPair(values, measure_info(str(measure[1])), labels, positions)
    return _differences(loaded, pair, order)


def _differences(loaded: LoadedRuns, pair: RunPair, order: Order) -> Drawing:
    run, base = map(wording.name, pair.labels)
    return Drawing(
        f"{pair.measure.label}: {run} − {base}",
        outcome(pair),
        _notes(loaded),
        lambda: interactive.differences(pair, order=order),
        lambda size: _static().differences(pair, size, order),
    )


def _pair(loaded: LoadedRuns, measure: tuple[str, Measure], baseline: int) -> RunPair:
    """The values of two runs by query."""
    positions = (1 - baseline, baseline)
    run, base = (loaded.runs[position] for position in positions)
    values = frames.pair_values(run, base, measure[0], loaded.texts)
    return RunPair(values, measure_info(str(measure[1])), (run.name, base.name), positions)


def scatter(loaded: LoadedRuns, measure: tuple[str, Measure], baseline: int) -> Drawing:
    """The value of the baseline against that of the run, with one point per query."""
    pair = _pair(loaded, measure, baseline)
    return Drawing(
        f"{pair.measure.label} by query",
        outcome(pair),
        _notes(loaded),
        lambda: interactive.scatter(pair),
        lambda size: _static().scatter(pair, size),
    )


def intervals(compared: Compared) -> Drawing:
    """The mean difference of every pair and measure, with its interval."""
    settings, positions = compared.settings, {r.name: n for n, r in enumerate(compared.runs)}
    level = wording.level(settings.alpha)
    return Drawing(
        "Mean differences",
        f"Differences are run − baseline, with their {level} intervals. A filled mark is a "
        "difference that is shown after the correction.",
        _restricted_to(compared.restriction) + compared.notes,
        lambda: interactive.intervals(compared.pairs, positions, settings),
        lambda size: _static().intervals(compared.pairs, positions, settings, size),
    )


def sweep(runs: Sequence[Swept], measure: Measure, along: str, lines: str = "") -> Drawing:
    """A measure against a parameter of the engine, with one line per value of another."""
    complete, lacking = frames.complete_runs(runs, along)
    points, labels = frames.sweep(complete, along, lines)
    info = measure_info(str(measure))
    left_out = len(complete) - len(points)
    notes = [f"{wording.count(left_out, 'run')} without a number as {along} left out"]
    several = points.duplicated(["run_id", "x"]).sum()
    more = [f"{wording.count(int(several), 'run')} at a point that another run has too"]
    return Drawing(
        f"{info.label} by {along}",
        f"A point is a run: its {info.label} over all judged queries. Lines are through means.",
        (
            *(notes if left_out else ()),
            *(more if several else ()),
            *([frames.on_incomplete(lacking)] if lacking else ()),
        ),
        lambda: interactive.sweep(points, labels, along, info),
        lambda size: _static().sweep(points, labels, along, info, size),
    )


def _notes(loaded: LoadedRuns) -> tuple[str, ...]:
    return _restricted_to(loaded.restriction) + loaded.notes


def _restricted_to(restriction: str | None) -> tuple[str, ...]:
    return () if restriction is None else (f"only {restriction}",)


def _labels(loaded: LoadedRuns) -> dict[int, str]:
    return {number: run.name for number, run in enumerate(loaded.runs)}


def _static() -> ModuleType:
    """The module of the static figures, which needs matplotlib."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and an extra)

    return static
