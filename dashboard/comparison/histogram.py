"""The differences by query on the Compare page: sorted, by query, or how often which occurs."""

from __future__ import annotations

from typing import Any

from dashboard import controls, ids, wording
from dashboard.comparison.load import Comparison
from dashboard.page import View
from dashboard.plots import interactive
from dashboard.plots.captions import outcome
from dashboard.plots.distribution import distribution


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
        return distribution(
            pairs, comparison.measure, names,
            positions=positions, scheme=view.scheme, chosen=chosen,
        )  # fmt: skip
    return interactive.differences(
        pairs,
        comparison.measure,
        names,
        positions=positions,
        order="query" if comparison.order == "query" else "difference",
        scheme=view.scheme,
        chosen=chosen,
    )


def title(comparison: Comparison) -> str:
    """The measure and the pair."""
    run, base = wording.name(comparison.run, 24), wording.name(comparison.baseline, 24)
    return f"{comparison.measure.label}, {run} − {base}"


def caption(comparison: Comparison) -> str:
    """On how many queries which run is better."""
    differences = comparison.pair_values["difference"].tolist()
    return outcome(differences, comparison.measure, (comparison.run, comparison.baseline))


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
