"""The top of the Compare page: what is compared, what is not shared, and the controls."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import dcc, html

from dashboard import controls, ids, wording
from dashboard.data import Compared
from dashboard.links import RUNS, RunsView
from dashboard.theme import series_variable


def context(compared: Compared) -> Any:
    """Return what callbacks need to know of the comparison: ids and defaults, no data."""
    return dcc.Store(
        id=ids.COMPARE_CONTEXT,
        data={
            "runs": [str(run) for run in compared.view.runs],
            "qrels": compared.view.qrels,
            "rendered_qrels": compared.comparison.qrels,
            "measure": compared.default.measure,
            "a": str(compared.default.a),
            "b": str(compared.default.b),
        },
    )


def engine(compared: Compared, run_id: int, limit: int = 28) -> Any:
    """Return an engine's label with the colour it has in the figures."""
    position = list(compared.labels).index(run_id)
    label = compared.labels[run_id]
    return html.Span(
        [
            html.Span(
                className="swatch",
                style={"backgroundColor": series_variable(position)},
                **{"aria-hidden": "true"},
            ),
            html.Bdi(wording.name(label, limit)),
        ],
        className="engine",
        title=wording.name(label, 400),
    )


def title(compared: Compared) -> list[Any]:
    """Return the heading: the engines by name, the rest by number."""
    run_ids = list(compared.labels)
    named = run_ids if len(run_ids) <= 4 else run_ids[:3]
    words: list[Any] = []
    for position, run_id in enumerate(named):
        if position:
            words.append(html.Span("vs", className="versus"))
        words.append(engine(compared, run_id))
    if len(named) < len(run_ids):
        words.append(html.Span(f"and {len(run_ids) - len(named)} more", className="versus"))
    return words


def sentence(compared: Compared) -> Any:
    """Return what is compared: how many runs, over which queries, judged by which qrels."""
    comparison = compared.comparison
    back = RUNS + RunsView(comparison.collection, compared.view.qrels).search()
    return html.P(
        [
            f"{wording.count(len(compared.labels), 'run')} · "
            f"{wording.count(len(comparison.queries), 'query', 'queries')} · judged by qrels ",
            html.Strong(wording.name(comparison.qrels), dir="auto"),
            " · ",
            dcc.Link("choose other runs", href=back),
        ],
        className="lead",
    )


def notes(compared: Compared) -> Any:
    """Return what the runs do not share, for above the differences."""
    if not compared.comparison.notes:
        return None
    return html.Div(
        [
            html.Strong("Before you compare"),
            html.Ul([html.Li(wording.name(note, 400)) for note in compared.comparison.notes]),
        ],
        className="notes",
        role="note",
    )


def controls_card(compared: Compared) -> Any:
    """Return the choices that the summary, the differences and the table follow."""
    choices: list[dict[str, Any]] = [
        {"value": str(compared.links[run_id]), "label": wording.name(label, 60)}
        for run_id, label in compared.labels.items()
    ]
    a, b = (str(compared.links[run_id]) for run_id in (compared.a, compared.b))
    row = [
        dmc.Select(
            id=ids.COMPARE_MEASURE,
            label="Measure",
            data=controls.measure_options(compared.comparison.measures),
            value=compared.measure,
            searchable=True,
            allowDeselect=False,
            renderOption={"function": "measureOption"},
            maxDropdownHeight=320,
            className="control",
        ),
        html.Div(
            [
                _engine_choice("Engine A", ids.COMPARE_A, choices_without(choices, b), a),
                dmc.ActionIcon(
                    html.Span(className="icon icon-swap"),
                    id=ids.COMPARE_SWAP,
                    variant="default",
                    size=36,
                    **{"aria-label": "Swap A and B"},
                ),
                _engine_choice("Engine B", ids.COMPARE_B, choices_without(choices, a), b),
            ],
            className="engine-choices",
        ),
    ]
    if len(compared.comparison.shared_qrels) > 1:
        row.append(
            dmc.Select(
                id=ids.COMPARE_QRELS,
                label="Qrels",
                data=controls.options(compared.comparison.shared_qrels),
                value=compared.comparison.qrels,
                allowDeselect=False,
                className="control",
            )
        )
    return html.Div(html.Div(row, className="controls"), className="card controls-card")


def _engine_choice(
    label: str, component_id: str, choices: list[dict[str, Any]], chosen: str
) -> Any:
    return dmc.Select(
        id=component_id,
        label=label,
        data=choices,
        value=chosen,
        allowDeselect=False,
        searchable=len(choices) > 8,
        className="control",
    )


def choices_without(choices: list[dict[str, Any]], taken: str) -> list[dict[str, Any]]:
    """Return the choices with the one disabled that is taken as the other engine."""
    return [{**choice, "disabled": choice["value"] == taken} for choice in choices]
