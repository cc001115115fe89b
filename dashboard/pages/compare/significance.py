"""The statistics of the chosen pair: how they were computed, the effect size, all four tests."""

from __future__ import annotations

import math
from typing import Any

from dash import html

from dashboard.components import shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.comparison.claims import CORRECTION_NAMES, LEAST_TESTED, TEST_NAMES
from evalstore.tables.table import written_value


def section(comparison: Comparison, view: View) -> Any:
    """A row for each test: p alone and corrected; above it what they are of."""
    del view
    pair = comparison.pair(comparison.run)
    title = "Statistics"
    if pair is None:
        return shell.card(title, html.P("These two runs share no query that both answer."))
    if pair.queries < LEAST_TESTED:
        return shell.card(title, html.P("These two runs share one query: no test can be made."))
    settings = comparison.compared.settings
    correction = CORRECTION_NAMES[settings.correction]
    family = wording.count(len(comparison.compared.pairs), "pair")
    effect = f"{pair.cohens_d:.2f}".replace("-", "−") if math.isfinite(pair.cohens_d) else "–"
    rows = [
        tr(
            [
                th(
                    [TEST_NAMES[test], html.Strong(" decides") if test == settings.test else None],
                    scope="row",
                ),
                td(written_value(pair.p[test], "p", 4), className="number"),
                td(written_value(pair.p_corrected[test], "p", 4), className="number"),
            ]
        )
        for test in pair.p
    ]
    head = ("Test, two-sided", "p alone", f"p after {correction}, {family}")
    return shell.card(
        title,
        html.P(
            f"{comparison.measure.label}, {wording.name(comparison.run)} − "
            f"{wording.name(comparison.baseline)}, paired over "
            f"{wording.count(pair.queries, 'query', 'queries')}. The interval is Student's, of the "
            f"mean of the differences. Cohen's d of the paired differences (mean / standard "
            f"deviation): {effect}. The randomization test draws {settings.resamples:,} patterns "
            f"of signs with seed {settings.seed} where it is not exact.",
            className="caption",
            dir="auto",
        ),
        html.Table(
            [
                html.Thead(
                    tr([th(text, className="number" if n else "") for n, text in enumerate(head)])
                ),
                html.Tbody(rows),
            ],
            className="plain-table",
        ),
        html.P(
            f"A corrected p below {settings.alpha:g} of the {TEST_NAMES[settings.test]} alone "
            "grants “better”. A larger one is no proof that the runs are equal.",
            className="hint",
        ),
    )
