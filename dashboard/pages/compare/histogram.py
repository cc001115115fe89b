"""The differences by query on the Compare page: sorted, by query, or how often which occurs."""

from __future__ import annotations

import math
from typing import Any

from dashboard.components import controls, ids, wording
from dashboard.figures import interactive
from dashboard.figures.captions import outcome
from dashboard.figures.distribution import distribution
from dashboard.figures.figure import Figure
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from dashboard.theme import TOKENS
from evalstore.stats import Interval


def order_choice(comparison: Comparison) -> Any:
    """The choice of the histogram's order."""
    choices = [("difference", "Sorted"), ("distribution", "Distribution")]
    if len(comparison.compared.qids) <= interactive.MOST_BARS:
        choices.insert(1, ("query", "By query"))
    return controls.segments(
        ids.control("order"), choices, comparison.order, label="Order of the bars"
    )


def figure(comparison: Comparison, view: View) -> Any:
    """The differences of the chosen pair."""
    pairs, names = comparison.pair_values, (comparison.run, comparison.baseline)
    positions = (comparison.slots[comparison.run], comparison.slots[comparison.baseline])
    chosen = comparison.query or None
    if comparison.order == "distribution":
        drawn = distribution(
            pairs, comparison.measure, names,
            positions=positions, scheme=view.scheme, chosen=chosen,
        )  # fmt: skip
    else:
        drawn = interactive.differences(
            pairs,
            comparison.measure,
            names,
            positions=positions,
            order="query" if comparison.order == "query" else "difference",
            scheme=view.scheme,
            chosen=chosen,
        )
    pair = comparison.pair(comparison.run)
    if pair is not None:
        along = "x" if comparison.order == "distribution" else "y"
        _draw_mean(drawn, pair.difference, pair.interval, along, TOKENS[view.scheme]["ink"])
    return drawn


def _draw_mean(figure: Figure, mean: float, interval: Interval, along: str, colour: str) -> None:
    """Draw a line at the mean difference, and its interval behind the bars."""
    across = "y" if along == "x" else "x"
    whole = {f"{across}ref": "paper", f"{across}0": 0, f"{across}1": 1, f"{along}ref": along}
    if all(map(math.isfinite, interval)):
        ends = {f"{along}0": interval.low, f"{along}1": interval.high}
        band = {"fillcolor": colour, "opacity": 0.1, "line": {"width": 0}, "layer": "below"}
        figure.add_shape(type="rect", **whole, **ends, **band)
    line = {"color": colour, "width": 1.5, "dash": "dash"}
    figure.add_shape(type="line", **whole, **{f"{along}0": mean, f"{along}1": mean}, line=line)


def title(comparison: Comparison) -> str:
    """The measure and the pair."""
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    return f"{comparison.measure.label}, {run} − {base}"


def caption(comparison: Comparison) -> str:
    """On how many queries which run is better."""
    differences = comparison.pair_values["difference"].tolist()
    counted = outcome(differences, comparison.measure, (comparison.run, comparison.baseline))
    pair = comparison.pair(comparison.run)
    if pair is None:
        return counted
    low, high = (wording.difference(end) for end in pair.interval)
    settings = comparison.compared.settings
    known = all(map(math.isfinite, pair.interval))
    interval = f", {100 * (1 - settings.alpha):g} % interval {low} to {high}" if known else ""
    return (
        f"{counted} The dashed line is the mean, {wording.difference(pair.difference)}{interval}."
    )


def words(comparison: Comparison) -> str:
    """The figure in words, for those who can't see it."""
    pairs = comparison.pair_values
    if pairs.empty:
        return caption(comparison)
    counts = comparison.measure.counts
    ends = []
    for word, at in (
        ("highest", pairs["difference"].idxmax()),
        ("lowest", pairs["difference"].idxmin()),
    ):
        value = wording.difference(float(pairs.loc[at, "difference"]), counts=counts)
        ends.append(f"{word} {value} on query {wording.name(str(pairs.loc[at, 'qid']), 40)}")
    return f"{caption(comparison)} The differences: {', '.join(ends)}."
