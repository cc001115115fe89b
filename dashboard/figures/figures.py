"""The figures: pure functions from a DataFrame to a plotly Figure, without an app or a store.

All text that comes from data passes `wording.plot_name` or `wording.plot_paragraph` (plotly reads
a subset of HTML), and reaches hover boxes as `customdata`, never inside a template.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Literal

import pandas as pd

from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures import figure as plain
from dashboard.theme import TOKENS, Scheme, series_colour, series_dash, series_symbol

Order = Literal["query", "difference"]

MOST_LABELS = 24
"""Labels of queries that an axis has at most."""
MOST_IN_LEGEND = 4
"""Runs up to which a figure on a page names them; of more, whose names would take the place of the
curves on a phone, the table above it does, and hovering."""

_UNIT_AXIS = {"range": [-0.02, 1.03], "tick0": 0, "dtick": 0.2, "tickformat": ".1f"}


def message(sentence: str, scheme: Scheme = "light") -> plain.Figure:
    """Return a figure with only a sentence, which says why there is nothing to draw."""
    figure = plain.Figure(scheme)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=wording.plot_paragraph(sentence, width=48),
        showarrow=False,
        xref="paper",
        yref="paper",
        x=0.5,
        y=0.5,
        font={"size": 14, "color": TOKENS[scheme]["muted"]},
    )
    return figure


def recall_precision(
    curves: pd.DataFrame, labels: Mapping[int, str], scheme: Scheme = "light"
) -> plain.Figure:
    """Draw interpolated precision at the recall levels, a line an engine.

    `curves` is long: run_id, recall, precision; a run's number gives it its colour and marker.
    `labels` maps the numbers to names.
    """
    if curves.empty:
        return message("There are no relevant documents to draw a curve from.", scheme)
    figure = plain.Figure(scheme)
    of_run = {int(str(run)): part for run, part in curves.groupby("run_id", sort=False)}
    for run_id, label in labels.items():
        if run_id not in of_run:
            continue
        part = of_run[run_id].sort_values("recall")
        figure.add_trace(
            plain.scatter(
                x=part["recall"].tolist(),
                y=part["precision"].tolist(),
                name=wording.plot_name(label),
                mode="lines+markers",
                line={
                    "color": series_colour(run_id, scheme),
                    "width": 2.5,
                    "dash": series_dash(run_id),
                },
                marker={"symbol": series_symbol(run_id), "size": 8},
                cliponaxis=False,
                hovertemplate="%{y:.4f}",
            )
        )
    figure.update_layout(
        hovermode="x unified",
        showlegend=True,
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(title="Recall", hoverformat=".1f", **_UNIT_AXIS)
    figure.update_yaxes(title="Interpolated precision", **_UNIT_AXIS)
    return figure


def differences(
    pairs: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    order: Order = "query",
    scheme: Scheme = "light",
    chosen: str | None = None,
) -> plain.Figure:
    """Draw measure(A) − measure(B), a bar per query; each half names the engine that wins there.

    `pairs` has a row per query: qid, text, a, b, difference. `positions` are those of A and B in
    the comparison, which give the colours. The bar of the query `chosen` is marked by its name.
    """
    if pairs.empty:
        return message("There are no queries to compare on.", scheme)
    if order == "difference":
        # Stable: queries of equal difference stay in query order.
        pairs = pairs.sort_values("difference", ascending=False, kind="stable")
    token = TOKENS[scheme]
    (_, above), (_, below) = halves(measure, labels, positions, scheme)
    values = [float(number) for number in pairs["difference"]]
    categories = _categories(pairs["qid"])
    figure = plain.Figure(scheme)
    figure.add_trace(
        plain.bar(
            x=categories,
            y=values,
            customdata=_hover_rows(pairs, measure, labels),
            marker={
                "color": [above if v > 0 else below if v < 0 else token["tie"] for v in values],
                # A bar of height zero is drawn by its outline alone: a tie must be seen.
                "line": {
                    "color": token["tie"],
                    "width": [0 if v else 5 for v in values],
                },
            },
            hovertemplate=(
                "<b>Query %{customdata[0]}</b>%{customdata[1]}<br>"
                "%{customdata[2]}<br>%{customdata[3]}<br>"
                "<b>Difference: %{customdata[4]}</b><extra></extra>"
            ),
            showlegend=False,
        )
    )
    qids = [str(qid) for qid in pairs["qid"]]
    if chosen in qids:
        at = qids.index(chosen)
        figure.add_vline(x=at, line={"color": token["ink"], "width": 1.5, "dash": "dot"})
        figure.add_annotation(
            text=f"<b>{wording.plot_name(chosen, 20)}</b>", showarrow=False, x=at, y=values[at],
            yanchor="bottom" if values[at] >= 0 else "top", font={"color": token["ink"]},
            bgcolor=token["surface"],
        )  # fmt: skip
    margin = _room_of_labels(min(max(pairs["qid"].astype(str).str.len()), 20), len(pairs))
    figure.update_layout(hovermode="x", bargap=0.15, clickmode="event", margin=margin)
    figure.update_xaxes(
        type="category",
        categoryorder="array",
        categoryarray=categories,
        title="Query" if order == "query" else f"Query, by difference in {measure.label}",
        showgrid=False,
        # Space between the labels: plotly's default leaves none.
        nticks=MOST_LABELS,
        range=[-0.7, len(values) - 0.3],
    )
    reach = max((abs(v) for v in values), default=0.0)
    name_halves(figure, measure, labels, positions, reach, scheme)
    return figure


def halves(
    measure: MeasureInfo, labels: tuple[str, str], positions: tuple[int, int], scheme: Scheme
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The name and colour of the run that is better above zero, and of the one below."""
    a, b = ((name, series_colour(p, scheme)) for name, p in zip(labels, positions, strict=True))
    # Where lower is better, A's value is the higher above zero, and so B is the better there.
    return (b, a) if measure.higher_is_better is False else (a, b)


def name_halves(
    figure: plain.Figure,
    measure: MeasureInfo,
    labels: tuple[str, str],
    positions: tuple[int, int],
    reach: float,
    scheme: Scheme,
) -> None:
    """Give a figure of differences its axis up to `reach`, and name the better run of each half."""
    token = TOKENS[scheme]
    (winner_above, above), (winner_below, below) = halves(measure, labels, positions, scheme)
    reach = reach or 1.0
    # The same range upwards and downwards, so that the two halves can be compared by eye.
    figure.update_yaxes(
        title=_difference_title(measure.label, *(wording.name(x, 24) for x in labels)),
        range=[-1.22 * reach, 1.22 * reach],
        zeroline=True,
        zerolinewidth=1,
        zerolinelayer="below traces",
    )
    # Of a count, more is neither better nor worse.
    wins = "higher" if measure.higher_is_better is None else "better"
    for winner, arrow, y, anchor, colour in (
        (winner_above, "↑", 1, "top", above),
        (winner_below, "↓", 0, "bottom", below),
    ):
        figure.add_annotation(
            text=f"<b>{wording.plot_name(winner, 20)}</b> {wins} {arrow}",
            showarrow=False,
            xref="paper",
            yref="paper",
            x=0.01,
            xanchor="left",
            y=y,
            yanchor=anchor,
            font={"size": 14, "color": colour},
            # Above the grid lines, which would otherwise cross the text.
            bgcolor=token["surface"],
            borderpad=3,
        )


def _room_of_labels(longest: int, queries: int) -> dict[str, float]:
    """The margin for labels of so many queries, the longest of so many characters.

    About what they need: where they are many or long they are aslant. For what they need beyond it
    plotly.js draws the figure once more.
    """
    if longest * min(queries, MOST_LABELS) < 80:
        return {"l": 72}
    return {"l": 72, "r": 16 + 3.2 * longest, "b": 60 + 3.2 * longest}


def _categories(qids: Iterable[str]) -> list[str]:
    # An axis tells queries apart by their text: where shortening makes two alike, characters of
    # no width keep them two.
    seen: dict[str, int] = {}
    categories = []
    for qid in qids:
        text = wording.plot_name(str(qid), 20)
        seen[text] = seen.get(text, -1) + 1
        categories.append(text + "\u200b" * seen[text])
    return categories


def _difference_title(measure: str, a: str, b: str) -> str:
    first, second = (f"{wording.plot_name(measure)}({wording.plot_name(x)})" for x in (a, b))
    # Written along the axis: long names take two lines rather than leave the figure.
    long = len(measure) * 2 + len(a) + len(b) > 42
    return f"{first}<br>− {second}" if long else f"{first} − {second}"


def _hover_rows(
    pairs: pd.DataFrame, measure: MeasureInfo, labels: tuple[str, str]
) -> list[list[str]]:
    # The engines' names too: within the template plotly would evaluate a name such as "%{y}".
    name_a, name_b = (wording.plot_name(label, 20) for label in labels)
    rows = []
    for qid, text, a, b, difference in pairs[["qid", "text", "a", "b", "difference"]].itertuples(
        index=False, name=None
    ):
        paragraph = wording.plot_paragraph(None if pd.isna(text) else str(text))
        rows.append(
            [
                wording.plot_name(str(qid), 40),
                f"<br>{paragraph}" if paragraph else "",
                f"{name_a}: {wording.value(float(a), counts=measure.counts)}",
                f"{name_b}: {wording.value(float(b), counts=measure.counts)}",
                wording.difference(float(difference), counts=measure.counts),
                # Not for the hover box: what a click on the bar chooses.
                json.dumps({"query": str(qid)}),
            ]
        )
    return rows
