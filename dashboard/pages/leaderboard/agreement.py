"""The agreement view: how far measures agree on the order of runs, and runs on documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.components.problems import PageProblem, sentence
from dashboard.components.selection import MOST_RUNS, Selection, select_runs
from dashboard.components.wording import MeasureInfo
from dashboard.figures.figure import Figure, Trace
from dashboard.figures.interactive import message
from dashboard.page import View
from dashboard.pages.leaderboard.load import Shown
from dashboard.theme import TOKENS, Scheme, series_colour, series_symbol
from evalstore.catalog.names import natural
from evalstore.errors import EvalstoreError
from evalstore.leaderboard.agreement import Agreement, measure_agreement, run_agreement
from evalstore.leaderboard.positions import (
    Sorting,
    Values,
    all_values,
    place_runs,
)
from evalstore.tables.table import Table

FIGURE = "agreement"
TAU = "kendall_tau_b"
RBO, OVERLAP = "rbo", "overlap"


def view_body(view: View, shown: Shown, ticked: Selection) -> tuple[str | None, list[Any]]:
    """The headline; a triangle of measures, with a figure of the chosen pair, and one of runs."""
    measures = _measures(view, shown)
    runs = _runs(view, shown, ticked)
    pair = chosen_pair(shown)
    parts = [
        shell.card(
            "Do the measures order the runs alike?",
            _caption(measures, "Kendall's tau-b of the order of the runs: 1 the same, −1 reversed"),
            measures_triangle(shown, measures),
        )
    ]
    if pair is not None:
        label = f"{pair[0]} against {pair[1]}, a point a run"
        figure = elements.graph(FIGURE, _scatter(view, shown, pair), label=label, height=460)
        parts.append(shell.card(f"{pair[0]} against {pair[1]}", figure))
    which = "The ticked runs. " if len(ticked.runs) > 1 else ""
    if not which and len(shown.runs) > MOST_RUNS:
        which = f"The {MOST_RUNS} leading runs. "
    parts.append(
        shell.card(
            "Do the runs order the documents alike?",
            _caption(
                runs,
                f"{which}Rank-biased overlap (p 0.9), and below it the share of the "
                "top 10 that both have; means over the queries that both answer",
            ),
            None if isinstance(runs, str) else runs_triangle(view, runs),
        )
    )
    return _headline(measures), [html.Div(parts, className="board-agreement")]


def table(view: View, shown: Shown) -> Table:
    """The coefficients of each pair of measures as a file."""
    measures = _measures(view, shown)
    if isinstance(measures, str):
        raise PageProblem("There is nothing to export", sentence(measures))
    return Table.for_files(measures.columns, measures.rows())


def _headline(measures: Agreement | str) -> str | None:
    """The measures that agree most, and least; None with fewer than two pairs."""
    if isinstance(measures, str):
        return None
    tau, names = measures.coefficients[TAU], measures.names
    pairs = [
        (float(tau[row, column]), names[column], names[row])
        for row in range(len(names))
        for column in range(row)
        if math.isfinite(tau[row, column])
    ]
    if len(pairs) < 2:
        return None
    (most, a, b), (least, c, d) = max(pairs), min(pairs)
    return (
        f"{a} and {b} order the runs most alike (tau {coefficient(most)}), "
        f"{c} and {d} least ({coefficient(least)})."
    )


def chosen_pair(shown: Shown) -> tuple[str, str] | None:
    """The two measures whose figure is drawn; None if none is chosen."""
    one, other = shown.address.one("x"), shown.address.one("y")
    return (one, other) if one in shown.measures and other in shown.measures else None


def _measures(view: View, shown: Shown) -> Agreement | str:
    collection, qrels = shown.board.collection, shown.board.qrels
    key = ("agreement of measures", collection, qrels, tuple(shown.measures))
    return _kept(
        view, key, lambda: measure_agreement(view.store, collection, shown.measures, qrels)
    )


def _runs(view: View, shown: Shown, ticked: Selection) -> Agreement | str:
    runs = [(run.id, run.name) for run in ticked.runs[:MOST_RUNS]]
    if len(runs) < 2:
        runs = leading(view, shown)
    collection = shown.board.collection
    return _kept(
        view,
        ("agreement of runs", collection, *runs),
        lambda: run_agreement(view.store, collection, [name for _, name in runs]),
        lasting=True,
    )


def _kept(
    view: View, key: Hashable, compute: Callable[[], Agreement], *, lasting: bool = False
) -> Agreement | str:
    """The coefficients from the cache of the store, or the reason why there are none."""
    try:
        return view.store.keep(key, compute, _bytes, lasting=lasting)
    except EvalstoreError as error:
        return str(error)


def _bytes(agreement: Agreement) -> int:
    return sum(table.nbytes for table in agreement.coefficients.values())


def leading(view: View, shown: Shown) -> list[tuple[int, str]]:
    """The ids and names of the runs that lead on the leading measure."""
    higher = shown.lead.descriptor.higher_is_better is not False
    placed = place_runs(view.store, shown.board, Sorting(shown.lead, higher))
    return [(run.id, run.name) for run in placed[:MOST_RUNS]]


def _caption(agreement: Agreement | str, words: str) -> Any:
    if isinstance(agreement, str):
        text = sentence(wording.clean(agreement))
        return html.P(text, className="board-problem", dir="auto")
    counted = "runs" if agreement.between == "measures" else ""
    number = f", over {int(agreement.counts.max()):,} {counted}" if counted else ""
    return html.P(f"{words}{number}.", className="caption")


def measures_triangle(shown: Shown, agreement: Agreement | str) -> Any:
    """Kendall's tau for each pair of measures; a cell links to the figure of the pair."""
    if isinstance(agreement, str):
        return None
    tau = agreement.coefficients[TAU]
    names = agreement.names

    def cell(row: int, column: int) -> Any:
        text = coefficient(float(tau[row, column]))
        title = f"Show {names[column]} against {names[row]}"
        link = controls.choice(text, shown.address, title=title, x=names[column], y=names[row])
        return td(link, className=f"number {shade(float(tau[row, column]))}".strip())

    return triangle([html.Bdi(name) for name in names], cell, "Agreement of the measures")


def runs_triangle(view: View, agreement: Agreement) -> Any:
    """Rank-biased overlap for each pair of runs, and the overlap of their top 10."""
    selection = select_runs(view, agreement.names)
    labels = [
        html.Span([f"{number} ", selection.label(selection.run(name))])
        for number, name in enumerate(agreement.names, 1)
    ]
    # A column has the number of its row: twelve names would be cut, or take two screens.
    heads = [
        html.Span(
            [f"{number} ", controls.mark(selection.slots[selection.run(name).id])],
            title=wording.name(name, 400),
        )
        for number, name in enumerate(agreement.names, 1)
    ]

    def cell(row: int, column: int) -> Any:
        rbo = float(agreement.coefficients[RBO][row, column])
        overlap = float(agreement.coefficients[OVERLAP][row, column])
        share = "–" if math.isnan(overlap) else f"{100 * overlap:.0f} %"
        queries = wording.count(int(agreement.counts[row, column]), "query", "queries")
        return td(
            [coefficient(rbo), html.Span(share, className="board-ranks")],
            className=f"number {shade(rbo)}".strip(),
            title=f"rank-biased overlap, and overlap of the top 10, over {queries}",
        )

    return triangle(labels, cell, "Agreement of the runs", heads)


def triangle(
    labels: Sequence[Any], cell: Any, name: str, heads: Sequence[Any] | None = None
) -> Any:
    """The lower triangle of a matrix of `labels`; `cell` gets the numbers of row and column.

    `heads` are those of the columns; by default the labels.
    """
    head = elements.number_heads("", *(heads or labels)[:-1])
    rows = [
        tr(
            [
                th(labels[row], scope="row"),
                *(cell(row, column) for column in range(row)),
                *(td("") for _ in range(row, len(labels) - 1)),
            ]
        )
        # Numbered heads name no run, so that the first one needs a row.
        for row in range(0 if heads else 1, len(labels))
    ]
    made = elements.table(head, rows)
    return elements.scrolling(made, name, members="a", class_name="scroll-x triangle")


def coefficient(value: float) -> str:
    """A coefficient with three decimals and a true minus sign; – if there is none."""
    if math.isnan(value):
        return "–"
    return f"{value:.3f}".replace("-", "−")


def shade(value: float) -> str:
    """The CSS class of a cell: darker for stronger agreement; the number is shown in it too."""
    if math.isnan(value):
        return ""
    return f"shade-{min(4, max(0, int(5 * value)))}"


def _scatter(view: View, shown: Shown, pair: tuple[str, str]) -> Figure:
    values = {name: all_values(view.store, shown.board, shown.measures[name]) for name in pair}
    runs = sorted(shown.runs.values(), key=lambda run: (natural(run.engine), natural(run.name)))
    names = {run.id: (run.name, shown.slots[run.id]) for run in runs}
    infos = {info.name: info for info in shown.columns}
    return scatter(values, names, (infos[pair[0]], infos[pair[1]]), shown, view.scheme)


def scatter(
    values: Mapping[str, Values],
    names: Mapping[int, tuple[str, int]],
    pair: tuple[MeasureInfo, MeasureInfo],
    shown: Shown,
    scheme: Scheme = "light",
) -> Figure:
    """Draw all runs by two measures; `names` has each run's name and slot."""
    one, other = pair
    ids = [
        run_id for run_id in names if run_id in values[one.name] and run_id in values[other.name]
    ]
    if not ids:
        return message("No run has values of both measures.", scheme)
    figure = Figure(scheme, hovermode="closest")
    x, y = values[one.name], values[other.name]
    add_points(figure, ids, x, y, names, pair, shown, scheme)
    for axis, info in ((figure.update_xaxes, one), (figure.update_yaxes, other)):
        axis(title=f"{wording.plot_name(info.label)}{info.arrow}")
    figure.update_layout(showlegend=False)
    return figure


def add_points(
    figure: Figure,
    ids: Sequence[int],
    x: Values,
    y: Values,
    names: Mapping[int, tuple[str, int]],
    pair: tuple[MeasureInfo, MeasureInfo],
    shown: Shown,
    scheme: Scheme,
) -> Trace:
    """Draw a mark for each run in its colour; the mark links to the run's page."""
    slots = [names[run_id][1] for run_id in ids]
    one, other = pair
    return figure.add_scatter(
        x=[x[run_id] for run_id in ids],
        y=[y[run_id] for run_id in ids],
        mode="markers",
        marker={
            "size": 10,
            "color": [series_colour(slot, scheme) for slot in slots],
            "symbol": [series_symbol(slot) for slot in slots],
            "line": {"width": 0.5, "color": TOKENS[scheme]["surface"]},
        },
        customdata=[
            [
                wording.plot_name(names[run_id][0], 40),
                f"{one.name} {wording.value(x[run_id], counts=one.counts)}",
                f"{other.name} {wording.value(y[run_id], counts=other.counts)}",
                Address("run", shown.board.collection, names[run_id][0]).href,
            ]
            for run_id in ids
        ],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}"
        "<extra></extra>",
    )
