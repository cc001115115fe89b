"""The head of the Compare page: what is compared, what is not shared, what can be chosen."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboard import controls, ids, wording
from dashboard.data import Compared
from dashboard.links import RUNS, RunsView
from dashboard.theme import series_variable


def context(found: Compared) -> Any:
    """Return what callbacks need to know of the comparison: ids and defaults, no data."""
    return dcc.Store(
        id=ids.COMPARE_CONTEXT,
        data={
            "runs": list(found.view.runs),
            "qrels": found.view.qrels,
            "shown_qrels": found.comparison.qrels,
            "measure": found.default.measure,
            "a": found.default.a,
            "b": found.default.b,
        },
    )


def engine(found: Compared, run_id: int, limit: int = 28) -> Any:
    """Return an engine's label with the colour it has in the pictures."""
    place = list(found.labels).index(run_id)
    label = found.labels[run_id]
    return html.Span(
        [
            html.Span(
                className="swatch",
                style={"backgroundColor": series_variable(place)},
                **{"aria-hidden": "true"},
            ),
            html.Bdi(wording.name(label, limit)),
        ],
        className="engine",
        title=wording.name(label, 400),
    )


def title(found: Compared) -> list[Any]:
    """Return the heading: the engines by name, the rest by number."""
    run_ids = list(found.labels)
    named = run_ids if len(run_ids) <= 4 else run_ids[:3]
    words: list[Any] = []
    for place, run_id in enumerate(named):
        if place:
            words.append(html.Span("vs", className="versus"))
        words.append(engine(found, run_id))
    if len(named) < len(run_ids):
        words.append(html.Span(f"and {len(run_ids) - len(named)} more", className="versus"))
    return words


def sentence(found: Compared) -> Any:
    """Return what the comparison stands on."""
    shown = found.comparison
    back = RUNS + RunsView(shown.collection, found.view.qrels).search()
    return html.P(
        [
            f"{wording.count(len(found.labels), 'run')} · "
            f"{wording.count(len(shown.queries), 'query', 'queries')} · judged by qrels ",
            html.Strong(wording.name(shown.qrels), dir="auto"),
            " · ",
            dcc.Link("choose other runs", href=back),
        ],
        className="lead",
    )


def notes(found: Compared) -> Any:
    """Return what is not shared, before any difference is shown."""
    if not found.comparison.notes:
        return None
    return html.Div(
        [
            html.Strong("Before you compare"),
            html.Ul([html.Li(wording.name(note, 400)) for note in found.comparison.notes]),
        ],
        className="notes",
        role="note",
    )


def controls_card(found: Compared) -> Any:
    """Return the choices that the summary, the differences and the table follow."""
    choices: list[dict[str, Any]] = [
        {"value": str(run_id), "label": wording.name(label, 60)}
        for run_id, label in found.labels.items()
    ]
    row = [
        dmc.Select(
            id=ids.COMPARE_MEASURE,
            label="Measure",
            data=controls.measure_options(found.comparison.measures),
            value=found.measure,
            searchable=True,
            allowDeselect=False,
            renderOption={"function": "measureOption"},
            maxDropdownHeight=320,
            className="control",
        ),
        html.Div(
            [
                _side("Engine A", ids.COMPARE_A, choices_without(choices, str(found.b)), found.a),
                dmc.ActionIcon(
                    html.Span(className="icon icon-swap"),
                    id=ids.COMPARE_SWAP,
                    variant="default",
                    size=36,
                    **{"aria-label": "Swap A and B"},
                ),
                _side("Engine B", ids.COMPARE_B, choices_without(choices, str(found.a)), found.b),
            ],
            className="sides",
        ),
    ]
    if len(found.qrels) > 1:
        row.append(
            dmc.Select(
                id=ids.COMPARE_QRELS,
                label="Qrels",
                data=controls.options(found.qrels),
                value=found.comparison.qrels,
                allowDeselect=False,
                className="control",
            )
        )
    return html.Div(html.Div(row, className="controls"), className="card controls-card")


def _side(label: str, component_id: str, choices: list[dict[str, Any]], run_id: int) -> Any:
    return dmc.Select(
        id=component_id,
        label=label,
        data=choices,
        value=str(run_id),
        allowDeselect=False,
        searchable=len(choices) > 8,
        className="control",
    )


def choices_without(choices: list[dict[str, Any]], taken: str) -> list[dict[str, Any]]:
    """Return the choices with the one that the other side has taken disabled."""
    return [{**choice, "disabled": choice["value"] == taken} for choice in choices]
