"""The two figures of the Compare page: recall-precision, and the differences by query."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from dash import html

from dashboard.components import controls, elements, wording
from dashboard.components.elements import number, scrolling, th, tr
from dashboard.components.problems import read
from dashboard.figures import frames, interactive, recall
from dashboard.figures.figure import Figure, mean_over, outcome
from dashboard.figures.frames import RunPair
from dashboard.figures.interactive import MOST_IN_LEGEND, Order, distribution
from dashboard.page import View
from dashboard.pages.compare.load import ONE_RELEVANT, SUCCESS, Comparison
from dashboard.theme import NO_ENGINE, TOKENS, series_number
from evalstore.comparison.comparability import F64, RunValues
from evalstore.comparison.ranked_query import load_ranked_query
from evalstore.measures import parse
from evalstore.stats import Interval

KINDS = ("precision", "difference")


def kind(comparison: Comparison) -> str:
    """The kind of the curves: precision, or precision minus that of the baseline."""
    chosen = comparison.address.one("curves")
    return chosen if chosen in KINDS else KINDS[0]


def kind_choice(comparison: Comparison) -> Any:
    """The control for the kind of the curves; None if they are of a single query."""
    if comparison.only_query:
        return None
    base = wording.name(comparison.selection.short(comparison.baseline), 20)
    return controls.segments(
        "curves",
        ((KINDS[0], "Precision"), (KINDS[1], f"− {base}")),
        kind(comparison),
        label="Precision, or precision less that of the baseline",
    )


def curves_figure(comparison: Comparison, view: View) -> Any:
    """The curves of the marked query or of the only query, else of the means."""
    labels = comparison.labels
    if comparison.curves_query:
        return recall.query_curves(
            points(comparison, view), comparison.recall_curves, labels, view.scheme
        )
    less = kind(comparison) == "difference"
    runs = comparison.loaded.runs
    curves = comparison.recall_curves
    # With more runs no bands are drawn.
    banded = runs if len(runs) <= recall.MOST_BANDS else runs[:0]
    bands = frames.recall_bands(banded, baseline=0 if less else None)
    bands["run_id"] = bands["run_id"].map(dict(enumerate(labels)))
    if less:
        curves = recall.less_baseline(curves, comparison.slots[comparison.baseline])
    return recall.mean_curves(
        curves,
        bands,
        labels,
        less=labels[comparison.slots[comparison.baseline]] if less else None,
        scheme=view.scheme,
    )


def marks_remark(comparison: Comparison) -> str:
    """A remark on where the curves are named if the figure has no legend."""
    if len(comparison.names) <= MOST_IN_LEGEND:
        return ""
    return " Colours and marks are those of the table of runs."


def curves_caption(comparison: Comparison) -> list[Any]:
    """The queries that the curves cover; for one query, also the marks and a link back."""
    if comparison.curves_query:
        qid = comparison.curves_query
        query = comparison.address.to("query", qid).only("runs", "base", "m", "qrels")
        only = qid == comparison.only_query
        return [
            "Of query ",
            html.A(html.Bdi(wording.name(qid, 40)), href=query.href, id="open-query"),
            ", the only one" if only else " alone",
            ": a mark at each relevant document, the interpolation as steps, its 11 levels "
            "ticked. One query shows no difference: there is no test. ",
            marks_remark(comparison),
            None if only else controls.choice("All queries", comparison.address, "", query=""),
        ]
    runs = comparison.loaded.runs
    parts: list[Any] = [mean_over(runs)]
    if len(runs) <= recall.MOST_BANDS and len(frames.shared_queries(runs)) > 1:
        parts.append(" The bands are 95 % intervals of each mean, not of a difference.")
    flat = flat_remark(runs, comparison.single_relevant)
    return [*parts, f" {flat}"] if flat else parts


def flat_remark(runs: tuple[RunValues, ...], share: float) -> str:
    """A remark that curves say little, if nearly every query has one relevant document.

    `share` is the share of queries with one relevant document. Empty if the curves are useful.
    """
    names = [name for name in SUCCESS if runs and name in runs[0].values]
    if share < ONE_RELEVANT or not names:
        return ""
    each = "; ".join(
        f"{wording.name(run.name, 24)} "
        + " / ".join(f"{_mean(run.values[name][run.answered]):.3f}" for name in names)
        for run in runs
    )
    ranks = " / ".join(name.partition("@")[2] for name in names)
    return (
        f"On {100 * share:.0f} % of the queries one document is relevant, so the curves are nearly "
        f"flat. Success@{ranks} tells more: {each}."
    )


def curves_words(comparison: Comparison) -> str:
    """A text description of the curves for screen readers."""
    of = "averaged over the queries"
    if comparison.curves_query:
        of = f"of query {wording.name(comparison.curves_query, 40)}"
    values = _by_place(comparison.recall_curves, "recall", "precision")
    each = []
    for slot, name in comparison.labels.items():
        at = ", ".join(f"{values[x][slot]:.3f} at recall {x:g}" for x in (0.0, 0.5, 1.0))
        each.append(f"{name} {at}")
    return f"Interpolated precision {of}: {'; '.join(each)}."


def table(comparison: Comparison) -> Any:
    """The curves as a table: one row per level, one column per run."""
    return points_table(comparison.recall_curves, comparison, "recall", "precision", "Recall")


def points_table(points: pd.DataFrame, comparison: Comparison, x: str, y: str, header: str) -> Any:
    """Points of curves as a table that can be opened: one row per x, one column per run."""
    values = _by_place(points, x, y)
    head = [header, *(html.Bdi(name) for name in comparison.labels.values())]
    body = [
        tr(
            [
                th(f"{float(place):g}", scope="row"),
                *(number(wording.value(float(values[place][slot]))) for slot in comparison.labels),
            ]
        )
        for place in sorted(values)
    ]
    made = scrolling(elements.table(list(map(th, head)), body))
    return html.Details([html.Summary("Show as table"), made], className="as-table")


def points(comparison: Comparison, view: View) -> dict[int, Any]:
    """The points of the query whose own curves are drawn, by slot of the run."""
    query = read(
        view.store,
        lambda: load_ranked_query(
            view.store,
            comparison.address.collection or "",
            comparison.curves_query,
            comparison.selection.runs,
            parse(comparison.measure.name),
            comparison.qrels[0],
        ),
    )
    points_of = {ranking.run.name: query.points(ranking) for ranking in query.rankings}
    return {slot: points_of[name] for name, slot in comparison.slots.items()}


def _by_place(points: pd.DataFrame, x: str, y: str) -> dict[float, dict[int, float]]:
    """Curve values as {x: {slot: y}}."""
    values: dict[float, dict[int, float]] = {}
    for place, slot, value in zip(points[x], points["run_id"], points[y], strict=True):
        values.setdefault(place, {})[slot] = value
    return values


def _mean(values: F64) -> float:
    return float(np.mean(values)) if len(values) else 0.0


# The differences by query on the Compare page: sorted, in query order, or as a distribution


def order_choice(comparison: Comparison) -> Any:
    """The control for the order of the histogram."""
    choices = [("difference", "Sorted"), ("distribution", "Distribution")]
    if len(comparison.compared.qids) <= interactive.MOST_BARS:
        choices.insert(1, ("query", "By query"))
    return controls.segments("order", choices, comparison.order, label="Order of the bars")


def pair_by_query(comparison: Comparison) -> RunPair:
    """The chosen pair in the form that figures need."""
    short = comparison.selection.short
    names = (short(comparison.run), short(comparison.baseline))
    positions = (comparison.slots[comparison.run], comparison.slots[comparison.baseline])
    if len({series_number(slot) for slot in positions}) == 1:  # two shades are not told apart
        positions = (positions[0], NO_ENGINE)
    return RunPair(comparison.pair_values, comparison.measure, names, positions)


def histogram_figure(comparison: Comparison, view: View) -> Any:
    """The differences of the chosen pair."""
    chosen = comparison.query or None
    scheme, by_query = view.scheme, pair_by_query(comparison)
    if comparison.order == "distribution":
        drawn = distribution(by_query, scheme=scheme, chosen=chosen)
    else:
        order: Order = "query" if comparison.order == "query" else "difference"
        drawn = interactive.differences(by_query, order=order, scheme=scheme, chosen=chosen)
    pair = comparison.pair(comparison.run)
    if pair is not None:
        along = "x" if comparison.order == "distribution" else "y"
        _draw_mean(drawn, pair.difference, pair.interval, along, TOKENS[view.scheme]["ink"])
    return drawn


def _draw_mean(figure: Figure, mean: float, interval: Interval, along: str, colour: str) -> None:
    """Draw a line at the mean difference, with its interval behind the bars."""
    across = "y" if along == "x" else "x"
    whole = {f"{across}ref": "paper", f"{across}0": 0, f"{across}1": 1, f"{along}ref": along}
    if all(map(math.isfinite, interval)):
        ends = {f"{along}0": interval.low, f"{along}1": interval.high}
        band = {"fillcolor": colour, "opacity": 0.1, "line": {"width": 0}, "layer": "below"}
        figure.add_shape(type="rect", **whole, **ends, **band)
    line = {"color": colour, "width": 1.5, "dash": "dash"}
    figure.add_shape(type="line", **whole, **{f"{along}0": mean, f"{along}1": mean}, line=line)


def title(comparison: Comparison) -> str:
    """The title of the histogram: the measure and the pair."""
    short = comparison.selection.short
    return f"{comparison.measure.label}, {short(comparison.run)} − {short(comparison.baseline)}"


def histogram_caption(comparison: Comparison) -> str:
    """The signs of the figure; the counts and the interval stand in the claim."""
    if comparison.pair(comparison.run) is None:
        return outcome(pair_by_query(comparison))
    level = wording.level(comparison.compared.settings.alpha)
    return f"The dashed line is the mean difference, the band its {level} interval."


def histogram_words(comparison: Comparison) -> str:
    """A text description of the histogram for screen readers."""
    pairs = comparison.pair_values
    if pairs.empty:
        return histogram_caption(comparison)
    counts = comparison.measure.counts
    ends = []
    for word, at in (
        ("highest", pairs["difference"].idxmax()),
        ("lowest", pairs["difference"].idxmin()),
    ):
        value = wording.difference(float(pairs.loc[at, "difference"]), counts=counts)
        ends.append(f"{word} {value} on query {wording.name(str(pairs.loc[at, 'qid']), 40)}")
    return f"{histogram_caption(comparison)} The differences: {', '.join(ends)}."
