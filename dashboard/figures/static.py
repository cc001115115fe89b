"""The static figures: pure functions from a DataFrame to a matplotlib Figure.

Arguments, colours and marks are the same as for the interactive figures. No text is read as TeX
("$" is an ordinary character of a name), and no state outside the figure is used or changed.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import IO, Any, Literal
from warnings import catch_warnings, filterwarnings

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures.frames import RunPair
from dashboard.figures.interactive import MOST_BARS, halves, row_labels, value_range
from dashboard.figures.recall import interpolated
from dashboard.theme import TOKENS, series_colour, series_dash, series_symbol
from evalstore.comparison.ranked_query import Point
from evalstore.comparison.significance import Pair, Settings

Format = Literal["svg", "png", "pdf"]

TOKEN = TOKENS["light"]
HOURGLASS = ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0))
BOWTIE = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0))
MARKERS: Mapping[str, Any] = MappingProxyType(
    {
        **{"circle": "o", "square": "s", "diamond": "D", "star": "*", "cross": "P"},
        **{"pentagon": "p", "hourglass": HOURGLASS, "bowtie": BOWTIE},
    }
)
"""matplotlib's names, or points, for plotly's markers; those that end in `-open` are not filled."""
LINES: Mapping[str, Any] = MappingProxyType(
    {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": (0, (8, 2))}
)
SETTINGS: Mapping[Any, Any] = MappingProxyType(
    {
        "font.family": ["DejaVu Sans"],  # comes with matplotlib, so it is the same everywhere
        "font.size": 10.0,
        "text.parse_math": False,
        "text.usetex": False,
        "axes.unicode_minus": True,
        "axes.edgecolor": TOKEN["line"],
        "axes.labelcolor": TOKEN["ink"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": TOKEN["grid"],
        "text.color": TOKEN["ink"],
        "xtick.color": TOKEN["line"],
        "ytick.color": TOKEN["line"],
        "xtick.labelcolor": TOKEN["muted"],
        "ytick.labelcolor": TOKEN["muted"],
        "legend.frameon": False,
        "svg.fonttype": "none",  # text remains text: it can be searched and edited
        "svg.hashsalt": "evalstore",  # otherwise the ids differ in every run
        "pdf.fonttype": 42,  # embeds fonts as TrueType, which publishers ask for
    }
)
DATES: Mapping[Format, Mapping[str, None]] = MappingProxyType(
    {"svg": {"Date": None}, "png": {}, "pdf": {"CreationDate": None}}
)
"""Metadata to leave out of a file, so that the same figure gives the same bytes."""


@contextmanager
def drawing() -> Iterator[None]:
    """Apply our settings while a figure is made and saved, instead of those in the user's files."""
    with catch_warnings(), mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        # Names may be in any script. Characters missing from the font are drawn as boxes; in SVG
        # they remain text.
        filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


def save(figure: Figure, stream: IO[bytes], form: Format, dpi: int) -> None:
    """Write a figure; the same figure gives the same bytes with the same matplotlib."""
    with drawing():
        figure.savefig(stream, format=form, dpi=dpi, metadata=dict(DATES[form]))


def recall_precision(
    curves: pd.DataFrame, labels: Mapping[int, str], size: tuple[float, float]
) -> Figure:
    """Draw interpolated precision at the recall levels."""
    with drawing():
        figure, axes = _empty(size)
        _lines(axes, curves.rename(columns={"recall": "x", "precision": "y"}), labels)
        axes.set(xlabel="Recall", ylabel="Interpolated precision", xlim=(-0.02, 1.02))
        _legend(figure, labels)
        return figure


def query_curves(
    points: Mapping[int, Sequence[Point]],
    levels: pd.DataFrame,
    labels: Mapping[int, str],
    size: tuple[float, float],
) -> Figure:
    """Draw the curves of one query; the arguments are as for `recall.query_curves`."""
    with drawing():
        figure, axes = _empty(size)
        for run_id in labels:
            of_run = points.get(run_id, ())
            axes.plot(
                [recall for recall, _ in of_run], [precision for _, precision in of_run],
                linestyle="none", markersize=6, clip_on=False, zorder=3, **_marked(run_id),
            )  # fmt: skip
        for run_id in labels:
            of_run = points.get(run_id, ())
            colour = series_colour(run_id, "light")
            axes.step(
                [0.0, *(recall for recall, _ in of_run), 1.0], interpolated(of_run), where="pre",
                color=colour, linewidth=1.4, linestyle=LINES[series_dash(run_id)],
            )  # fmt: skip
            at_levels = levels[levels["run_id"] == run_id]
            axes.plot(at_levels["recall"], at_levels["precision"], "|", color=colour)
        _unit_axis(axes)
        axes.set(xlabel="Recall", ylabel="Precision", xlim=(-0.02, 1.02))
        _legend(figure, labels)
        return figure


def cutoff_curves(
    curves: pd.DataFrame, labels: Mapping[int, str], title: str, size: tuple[float, float]
) -> Figure:
    """Draw a measure at cutoffs, over a logarithmic axis of ranks."""
    with drawing():
        figure, axes = _empty(size)
        _lines(axes, curves.rename(columns={"cutoff": "x", "value": "y"}), labels)
        axes.set_xscale("log")
        ticks = sorted({int(cutoff) for cutoff in curves["cutoff"]})
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        axes.set(xlabel="Rank k (logarithmic)", ylabel=title)
        _legend(figure, labels)
        return figure


def sweep(
    points: pd.DataFrame,
    labels: Mapping[int, str],
    along: str,
    measure: MeasureInfo,
    size: tuple[float, float],
) -> Figure:
    """Draw a measure against a parameter of the engine."""
    with drawing():
        figure, axes = _empty(size)
        means = points.groupby(["run_id", "x"])[["y"]].mean().reset_index()
        _lines(axes, means, labels, is_unit=False)
        for line in axes.get_lines():
            line.set_marker("")
        for number in labels:
            own = points[points["run_id"] == number]
            axes.plot(own["x"], own["y"], linestyle="", markersize=5, zorder=4, **_marked(number))
        axes.set(xlabel=wording.name(along, 40), ylabel=measure.label)
        if len(labels) > 1:
            _legend(figure, labels)
        return figure


def differences(pair: RunPair, size: tuple[float, float], order: str = "query") -> Figure:
    """Draw a - b of every query; more than 300 queries are sorted and drawn as two areas."""
    pairs, measure, labels, _ = pair
    many = len(pairs) > MOST_BARS
    if many or order == "difference":
        pairs = pairs.sort_values("difference", ascending=False, kind="stable")
    values = pairs["difference"].to_numpy(np.float64)
    above, below = halves(pair, "light")
    with drawing():
        figure, axes = _empty(size)
        axes.grid(False, axis="x")
        axes.axhline(0, color=TOKEN["zero"], linewidth=0.8)
        if many:
            edges = np.arange(len(values) + 1) + 0.5
            axes.stairs(np.maximum(values, 0), edges, fill=True, color=above[1])
            axes.stairs(np.minimum(values, 0), edges, fill=True, color=below[1])
            axes.xaxis.set_major_formatter(lambda number, _: f"{number:,.0f}")
        else:
            where = np.arange(len(values))
            colours = [above[1] if value > 0 else below[1] for value in values]
            axes.bar(where, values, width=0.85, color=colours)
            ties = where[values == 0]
            axes.plot(ties, np.zeros(len(ties)), "_", color=TOKEN["tie"], markeredgewidth=2.5)
            step = math.ceil(len(values) / 24)
            names = [wording.name(str(qid), 12) for qid in pairs["qid"]]
            axes.set_xticks(where[::step], names[::step], rotation=90, fontsize=8)
        sorted_by = "" if order == "query" and not many else f", by difference in {measure.label}"
        reach = float(np.abs(values).max(initial=0.0)) or 1.0
        axes.set(
            xlabel=f"{'Queries' if many else 'Query'}{sorted_by}",
            ylabel=_difference_title(measure, labels),
            ylim=(-1.2 * reach, 1.2 * reach),
            xlim=(-0.7, len(values) - 0.3) if not many else (0, len(values) + 1),
        )
        for (name, colour), y, align in ((above, 0.98, "top"), (below, 0.02, "bottom")):
            _write(axes, 0.01, y, f"{wording.name(name, 32)} {measure.better}", colour, va=align)
        return figure


def scatter(pair: RunPair, size: tuple[float, float]) -> Figure:
    """Draw each query as a point (b on the x axis, a on the y axis), and the diagonal."""
    pairs, measure, labels, _ = pair
    (_, above), (_, below) = halves(pair, "light")
    low, high = value_range(pairs[["a", "b"]].to_numpy(np.float64))
    signs = np.sign(pairs["difference"].to_numpy())
    with drawing():
        figure, axes = _empty(size)
        axes.plot([low, high], [low, high], color=TOKEN["zero"], linewidth=0.8)
        for sign, colour in ((1, above), (0, TOKEN["tie"]), (-1, below)):
            part = pairs[signs == sign]
            axes.scatter(
                part["b"], part["a"], s=22 if len(pairs) <= MOST_BARS else 5, color=colour,
                alpha=0.8, linewidths=0,
            )  # fmt: skip
        counts = (int((signs > 0).sum()), int((signs < 0).sum()))
        corners = ((0.02, 0.98, "left", "top"), (0.98, 0.02, "right", "bottom"))
        for (x, y, ha, va), label, count, colour in zip(
            corners, labels, counts, (above, below), strict=True
        ):
            text = f"{wording.name(label, 24)} higher: {count:,}"
            _write(axes, x, y, text, colour, ha=ha, va=va)
        pad = 0.03 * (high - low)
        across, up = (f"{measure.label}({wording.name(x, 30)})" for x in reversed(labels))
        axes.set(xlabel=across, ylabel=up, xlim=(low - pad, high + pad), aspect="equal")
        axes.set_ylim(low - pad, high + pad)
        return figure


def intervals(
    pairs: Sequence[Pair],
    positions: Mapping[str, int],
    settings: Settings,
    size: tuple[float, float],
) -> Figure:
    """Draw the mean differences with their intervals; filled if shown after correction."""
    with drawing():
        figure, axes = _empty((size[0], max(size[1] / 2, 1 + 0.28 * len(pairs))))
        axes.axvline(0, color=TOKEN["zero"], linewidth=0.8)
        axes.grid(False, axis="y")
        for number, pair in enumerate(pairs):
            index = positions[pair.b]
            colour = series_colour(index, "light")
            if all(map(math.isfinite, pair.interval)):
                axes.plot([*pair.interval], [number] * 2, color=colour, marker="|")
            axes.plot(
                [pair.difference], [number], marker=_marker(index),
                markeredgecolor=colour, color=colour if pair.is_shown else "white", markersize=6,
            )  # fmt: skip
        axes.set_yticks(range(len(pairs)), row_labels(pairs), fontsize=8)
        axes.set_ylim(len(pairs) - 0.4, -0.6)
        axes.set_xlabel(f"Difference, {wording.level(settings.alpha)} interval")
        return figure


def history(
    points: pd.DataFrame,
    labels: Mapping[int, str],
    slots: Mapping[int, int],
    title: str,
    size: tuple[float, float],
) -> Figure:
    """Draw a measure over time, with one line per engine.

    `points` has `line` (a number of `labels` and of `slots`), `at`, `value` (NaN at a break of the
    line) and `is_shown` (whether the mark is filled).
    """
    with drawing():
        figure, axes = _empty(size)
        for line, slot in slots.items():
            part = points[points["line"] == line]
            colour, marker = series_colour(slot, "light"), _marker(slot)
            axes.plot(
                part["at"], part["value"], color=colour, linewidth=1.6, marker=marker,
                markersize=6, markerfacecolor="white",
            )  # fmt: skip
        for line, slot in slots.items():
            filled = points[(points["line"] == line) & points["is_shown"]]
            axes.plot(
                filled["at"], filled["value"], color=series_colour(slot, "light"),
                linestyle="none", marker=_marker(slot), markersize=6,
            )  # fmt: skip
        axes.set(ylabel=title)
        axes.tick_params(axis="x", labelrotation=30)
        _legend(figure, labels)
        return figure


# Parts of several figures


def _write(axes: Axes, x: float, y: float, text: str, colour: str, **alignment: Any) -> None:
    """Write a text at a position given as fractions of width and height."""
    axes.text(
        x, y, text, color=colour, weight="bold", transform=axes.transAxes,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.8}, **alignment,
    )  # fmt: skip


def _marker(slot: int) -> Any:
    return MARKERS[series_symbol(slot).removesuffix("-open")]


def _empty(size: tuple[float, float]) -> tuple[Figure, Axes]:
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def _lines(
    axes: Axes, curves: pd.DataFrame, labels: Mapping[int, str], *, is_unit: bool = True
) -> None:
    """Draw one line per run through the points x, y; `is_unit`: values are between 0 and 1."""
    for run_id in labels:
        part = curves[curves["run_id"] == run_id].sort_values("x")
        axes.plot(
            part["x"], part["y"], linewidth=1.6, linestyle=LINES[series_dash(run_id)],
            markersize=5, clip_on=False, zorder=3, **_marked(run_id),
        )  # fmt: skip
    if is_unit:
        _unit_axis(axes)


def _marked(slot: int) -> dict[str, Any]:
    """The colour and mark of a slot, as arguments for matplotlib's lines."""
    colour = series_colour(slot, "light")
    filled = not series_symbol(slot).endswith("-open")
    return {
        "color": colour,
        "marker": _marker(slot),
        "markerfacecolor": colour if filled else "white",
    }


def _unit_axis(axes: Axes) -> None:
    """Set the y axis to values from 0 to 1."""
    axes.set_ylim(-0.02, 1.03)
    axes.set_yticks(np.arange(0, 1.01, 0.2))


def _legend(figure: Figure, labels: Mapping[int, str]) -> None:
    """Draw a legend above the figure, in as many columns as fit."""
    names = [wording.name(label, 32) for label in labels.values()]
    lines = figure.axes[0].get_lines()[: len(names)]
    # A character of this size is 0.075 inches wide, and the line before a name 0.6.
    fitting = int(figure.get_figwidth() / (0.075 * max(map(len, names)) + 0.6))
    columns = max(1, min(len(names), fitting))
    # As the label of a line, a name that begins with "_" would be left out of the legend.
    figure.legend(lines, names, loc="outside upper left", ncols=columns, fontsize=9)


def _difference_title(measure: MeasureInfo, labels: tuple[str, str]) -> str:
    run, baseline = (wording.name(label, 24) for label in labels)
    return "\n".join(textwrap.wrap(f"{measure.label}: {run} − {baseline}", 44)[:2])
