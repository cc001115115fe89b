"""The parameters and other recorded facts in which the compared runs differ."""

from __future__ import annotations

from typing import Any

from dash import html

from dashboard.components import controls, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.components.store_problems import read
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.client.differences import differing_of_several

LONG = 60


def section(comparison: Comparison, view: View) -> Any:
    """A row for each fact that differs, a column for each run."""
    facts = read(
        view.store,
        lambda: differing_of_several(
            view.store, comparison.names, comparison.address.collection or ""
        ),
    )
    number = len(facts.facts)
    if not facts.facts:
        recorded = wording.count(facts.recorded, "recorded fact")
        sentence = f"These runs do not differ in any of the {recorded}."
        if not facts.recorded:
            sentence = "Nothing is recorded of these runs beside their rankings."
        return shell.card("Parameters that differ", html.P(sentence))
    head = ["", *(controls.engine(slot, name) for slot, name in comparison.labels.items())]
    body = [
        tr(
            [
                th(html.Bdi(wording.name(name.removeprefix("parameters."), LONG)), scope="row"),
                *(_cell(value) for value in values),
            ]
        )
        for name, values in facts.facts.items()
    ]
    return shell.card(
        f"Parameters that differ: {number} of {facts.recorded}",
        html.Div(
            html.Table(
                [html.Thead(tr([th(text) for text in head])), html.Tbody(body)],
                className="plain-table",
            ),
            className="scroll-x",
            tabIndex=0,
            role="region",
            **{"aria-label": "Facts in which the runs differ"},
        ),
    )


def _cell(value: Any) -> Any:
    if value is None:
        return td("–", title="not recorded")
    text = str(value)
    return td(html.Bdi(wording.name(text, LONG)), title=wording.name(text, 400))
