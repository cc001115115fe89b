"""All pairs of a comparison as a matrix: row − column, whether it is shown, and p."""

from __future__ import annotations

import math
from typing import Any

from dash import html

from dashboard.components import controls, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.components.signs import better_or_worse, corrected_p, tint
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.comparison.claims import CORRECTION_NAMES, is_shown
from evalstore.comparison.significance import Pair


def ordered(comparison: Comparison) -> list[str]:
    """The runs, the best mean first; those without a mean last."""
    means: dict[str, float] = {}
    for pair in comparison.compared.pairs:
        means.setdefault(pair.a, pair.mean_a)
        means.setdefault(pair.b, pair.mean_b)
    sign = 1 if comparison.measure.higher_is_better is False else -1
    names = comparison.names
    return sorted(names, key=lambda name: sign * means[name] if name in means else math.inf)


def section(comparison: Comparison, view: View) -> Any:
    """The matrix with its caption."""
    del view
    compared = comparison.compared
    names = ordered(comparison)
    pairs = {frozenset((pair.a, pair.b)): pair for pair in compared.pairs}
    head = [td()] + [th(_label(comparison, name, 14), scope="col") for name in names]
    body = [
        tr(
            [
                th(_label(comparison, row, 28), scope="row"),
                *(
                    td("", className="diagonal")
                    if row == column
                    else _cell(comparison, row, column, pairs.get(frozenset((row, column))))
                    for column in names
                ),
            ]
        )
        for row in names
    ]
    correction = CORRECTION_NAMES[compared.settings.correction]
    number = wording.count(len(compared.pairs), "pair")
    return shell.card(
        "All pairs",
        html.P(
            f"{comparison.measure.label}, row − column, and p of the paired t test after "
            f"{correction} over {number}. ▲ better and ▼ worse after the correction; △ ahead and "
            "▽ behind before it only. The best mean comes first.",
            className="caption",
        ),
        html.Div(
            html.Table([html.Thead(tr(head)), html.Tbody(body)], className="matrix"),
            className="scroll-x",
            tabIndex=0,
            role="region",
            **{"aria-label": "The differences of all pairs"},
        ),
    )


def _label(comparison: Comparison, name: str, limit: int) -> Any:
    return controls.engine(comparison.slots[name], name, limit=limit)


def _cell(comparison: Comparison, row: str, column: str, pair: Pair | None) -> Any:
    if pair is None:
        return td("–", title="No query that both answer")
    settings = comparison.compared.settings
    sign, title = better_or_worse(
        pair, shown=is_shown(pair, settings, len(comparison.compared.pairs))
    )
    difference = pair.difference
    if pair.b != row:
        # The figures of a pair are b - a: here a is the row.
        sign, title = OPPOSITE.get(sign, ""), OPPOSITE_WORDS.get(title, "")
        difference = -difference
    p = corrected_p(pair, settings.test)
    names = f"{wording.name(row)} − {wording.name(column)}"
    return td(
        [
            html.Span(
                f"{wording.difference(difference, counts=comparison.measure.counts)} {sign}".strip()
            ),
            html.Small(f"p {p}"),
        ],
        className=f"number {tint(sign)}".strip(),
        title=f"{names}{f': {title}' if title else ''}",
    )


OPPOSITE = {"▲": "▼", "▼": "▲", "△": "▽", "▽": "△"}
OPPOSITE_WORDS = {
    "better, shown by the test after correction": "worse, shown by the test after correction",
    "worse, shown by the test after correction": "better, shown by the test after correction",
    "ahead; not shown after correction": "behind; not shown after correction",
    "behind; not shown after correction": "ahead; not shown after correction",
}
