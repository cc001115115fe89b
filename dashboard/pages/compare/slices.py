"""The comparison of the chosen pair, split by an attribute of the queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dash import html

from dashboard.components import controls, ids, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.components.problems import PageProblem
from dashboard.components.signs import better_or_worse, corrected_p, tint
from dashboard.components.store_problems import read
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.catalog.conditions import attribute_names
from evalstore.comparison.claims import CORRECTION_NAMES, is_shown
from evalstore.comparison.significance import Pair
from evalstore.comparison.slices import SMALL, Slices, split_by

TITLE = "Slices"


def section(comparison: Comparison, view: View) -> Any:
    """A row for all queries, and one for each value of the attribute."""
    compared = comparison.compared
    names = attribute_names(compared.qids, compared.queries)
    if not names:
        return shell.card(
            TITLE,
            html.P(
                [
                    "No attributes or texts of the queries are known. Further columns of the "
                    "queries file are attributes, and ",
                    html.Code("evalstore query tag"),
                    " sets them.",
                ]
            ),
        )
    asked = comparison.address.one("slice")
    chosen = asked if asked in names else names[0]
    choice = controls.select(
        ids.control("slice"), controls.options(names), chosen, label="Attribute of the queries"
    )
    # Every slice has the pairs of the baseline alone: with all pairs p would say less.
    of_baseline = replace(compared, baseline=0)
    # An attribute of too many values is a problem of this section, not of the page.
    try:
        slices = read(view.store, lambda: split_by(of_baseline, chosen))
    except PageProblem as problem:
        return shell.card(TITLE, html.P(problem.sentence, dir="auto"), aside=choice)
    over = wording.count(slices.comparisons, "comparison")
    correction = CORRECTION_NAMES[compared.settings.correction]
    return shell.card(
        TITLE,
        html.P(
            f"{comparison.measure.label}, {wording.name(comparison.run)} − "
            f"{wording.name(comparison.baseline)}, over the queries of each "
            f"{wording.name(chosen)}. p of a slice is after {correction} over {over}: each run "
            f"with the baseline, in each slice. Fewer than {SMALL} queries are small: only large "
            "differences can be shown in them.",
            className="caption",
            dir="auto",
        ),
        html.Div(
            html.Table(
                [_head(comparison, chosen), html.Tbody(_rows(comparison, slices))],
                className="plain-table",
            ),
            className="scroll-x",
            tabIndex=0,
            role="region",
            **{"aria-label": "The differences in each slice"},
        ),
        aside=choice,
    )


def _head(comparison: Comparison, attribute: str) -> Any:
    level = f"{100 * (1 - comparison.compared.settings.alpha):g} % interval"
    run, base = wording.name(comparison.run, 20), wording.name(comparison.baseline, 20)
    texts = (wording.name(attribute, 30), "n", run, base, f"{run} − {base}", level, "p")
    return html.Thead(
        tr([th(text, className="number" if n else "") for n, text in enumerate(texts)])
    )


def _rows(comparison: Comparison, slices: Slices) -> Sequence[Any]:
    names = (comparison.baseline, comparison.run)
    whole = comparison.pair(comparison.run)
    rows = [
        _row(
            comparison,
            "all",
            len(comparison.compared.qids),
            whole,
            shown=whole is not None and comparison.is_shown(whole),
        )
    ]
    for part in slices.slices:
        pair = next((p for p in part.pairs if (p.a, p.b) == names), None)
        shown = pair is not None and is_shown(pair, slices.settings, slices.comparisons)
        rows.append(_row(comparison, part.label, len(part.qids), pair, shown=shown))
    return rows  # fmt: skip


def _row(
    comparison: Comparison, label: str, queries: int, pair: Pair | None, *, shown: bool
) -> Any:
    small = html.Span(" small", className="hint") if queries < SMALL else None
    head = [
        th(html.Bdi(wording.name(label, 60)), scope="row"),
        td([f"{queries:,}", small], className="number"),
    ]
    if pair is None:
        reason = "No query that both answer"
        return tr([*head, *(td("–", className="number", title=reason) for _ in range(5))])
    counts = comparison.measure.counts
    sign, title = better_or_worse(pair, shown=shown)
    low, high = pair.interval
    interval = "–"
    if math.isfinite(low) and math.isfinite(high):
        interval = f"{wording.difference(low)} to {wording.difference(high)}"
    return tr(
        [
            *head,
            td(wording.value(pair.mean_b, counts=counts), className="number"),
            td(wording.value(pair.mean_a, counts=counts), className="number"),
            td(
                f"{wording.difference(pair.difference, counts=counts)} {sign}".strip(),
                className=f"number {tint(sign)}".strip(),
                title=title,
            ),
            td(interval, className="number"),
            td(
                corrected_p(pair, comparison.compared.settings.test),
                className="number",
            ),
        ]
    )
