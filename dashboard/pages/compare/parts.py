"""The parts of the Compare page: each a function from the comparison to components."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, wording
from dashboard.components.controls import measure_choice
from dashboard.components.elements import td, th, tr
from dashboard.components.problems import read
from dashboard.figures.figure import better_or_worse, corrected_p, tint
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.comparison.claims import CORRECTION_NAMES, LEAST_TESTED, is_shown, sentence, verdict
from evalstore.comparison.comparability import JUDGED_GAP, TOP
from evalstore.comparison.loading import compare_loaded, load_stored_runs
from evalstore.comparison.significance import Pair, Settings
from evalstore.errors import MeasureError
from evalstore.measures import parse
from evalstore.tables.table import written_value

SIGNS = {"yes": "✓", "partly": "◐", "no": "⊘"}


def banner(comparison: Comparison) -> Any:
    """Whether the runs may be compared, before anything else; the notes can be opened."""
    compared = comparison.compared
    words = verdict(compared)
    line = readable(f"{SIGNS[compared.comparable]} {words[0].upper()}{words[1:]}")
    if not compared.notes:
        return html.P(line, className=f"verdict {compared.comparable}", role="note", dir="auto")
    notes = [html.Li(readable(note), dir="auto") for note in compared.notes]
    count = wording.count(len(notes), "note")
    return html.Details(
        [html.Summary([line, html.Span(count, className="verdict-more")]), html.Ul(notes)],
        className=f"verdict {compared.comparable}",
    )


def runs_and_choices(comparison: Comparison, others: controls.Options) -> Any:
    """The runs as chips that can be dropped, a choice that adds one, the measure."""
    address, names = comparison.address, comparison.names
    chips = [
        html.Span(
            [
                html.Span("⚑", title="Baseline", className="flag") if position == 0 else None,
                comparison.selection.label(run),
                controls.choice(
                    "×",
                    address,
                    "chip-remove",
                    **{"aria-label": f"Leave {wording.name(run.name)} out"},
                    **_without(address, names, run.name),
                )
                if len(names) > 2
                else None,
            ],
            className="chip",
        )
        for position, run in enumerate(comparison.selection.runs)
    ]
    add = controls.select(
        {"control": "add"},
        others,
        None,
        label="Add a run to the comparison",
        placeholder="+ run",
        class_name="select-add",
    )
    swap = controls.choice(
        "Swap baseline",
        address,
        "quiet-action",
        title=f"Show {wording.name(comparison.baseline)} beside {wording.name(comparison.run)}",
        base=comparison.run,
        pair=comparison.baseline,
    )
    return html.Div(
        [
            *chips,
            add,
            measure_choice(comparison.measure.name, comparison.measures),
            swap,
        ],
        className="choices",
    )


def _without(address: Address, names: Sequence[str], name: str) -> dict[str, Any]:
    """The parameters of the address without a run."""
    roles = {role: address.one(role) for role in ("base", "pair")}
    kept = {role: "" if chosen == name else chosen for role, chosen in roles.items()}
    return {"runs": [other for other in names if other != name], **kept}


def claim(comparison: Comparison, view: View) -> str:
    """What may be said of the chosen pair, in one sentence, and where it may be otherwise."""
    pair = comparison.pair(comparison.run)
    if pair is None:
        return "These two runs share no query that both answer."
    compared = comparison.compared
    words = sentence(pair, compared.settings, len(compared.pairs), len(compared.qids), unit="pair")
    return readable(f"{words} {on_judged_documents(comparison, view)}")


def readable(sentence: str) -> str:
    """A sentence with names in it, without control characters; very long words are shortened."""
    return " ".join(wording.shorten(word, LONGEST_WORD) for word in wording.clean(sentence).split())


LONGEST_WORD = 60


def run_table(comparison: Comparison) -> Any:
    """A row for each run: its mean, and the difference to the baseline with interval and p."""
    measure, pairs = comparison.measure, len(comparison.compared.pairs)
    correction = CORRECTION_NAMES[comparison.compared.settings.correction]
    arrow = {True: " ↑", False: " ↓", None: ""}[measure.higher_is_better]
    reach = _reach(comparison)
    level = f"{100 * (1 - comparison.compared.settings.alpha):g} %"
    base = wording.name(comparison.baseline, 20)
    head = [
        th("Run"),
        th(html.Abbr(f"{measure.label}{arrow}", title=measure.help), className="number"),
        th(
            f"− {base}",
            className="number",
            title=f"run − {wording.name(comparison.baseline, 200)}: mean of the differences",
        ),
        th(_axis(reach), className="strip-cell", title=f"{level} interval of the difference"),
        th(
            html.Abbr(
                f"p, {correction}, {wording.count(pairs, 'pair')}",
                title="Of the paired t test, corrected for all pairs of this page.",
            ),
            className="number",
        ),
        th("wins / ties / losses", className="number"),
    ]
    rows = [_baseline_row(comparison)]
    rows += [_row(comparison, run, reach) for run in comparison.names[1:]]
    return html.Div(
        html.Table([html.Thead(tr(head)), html.Tbody(rows)], className="plain-table run-table"),
        className="scroll-x",
        tabIndex=0,
        role="region",
        **{"aria-label": "The runs and their differences to the baseline"},
    )


def _baseline_row(comparison: Comparison) -> Any:
    pair = next(iter(comparison.compared.pairs), None)
    value = wording.value(_mean(comparison, comparison.baseline), counts=comparison.measure.counts)
    run = comparison.selection.runs[0]
    return tr(
        [
            th(["⚑ ", comparison.selection.label(run)], scope="row"),
            td(value, className="number"),
            *(td("", className="number") for _ in range(4)),
        ],
        className="baseline-row" if pair else "",
    )


def _row(comparison: Comparison, name: str, reach: float) -> Any:
    run, pair = comparison.selection.run(name), comparison.pair(name)
    chosen = name == comparison.run
    label: list[Any] = [comparison.selection.label(run)]
    if not chosen:
        show = controls.choice(
            "show",
            comparison.address,
            "row-action",
            title=f"Show {wording.name(name)} beside the baseline",
            pair=name,
        )
        label.append(show)
    if pair is None:
        cells = [td("–", title="No query that both answer")] * 5
    else:
        counts = comparison.measure.counts
        sign, title = better_or_worse(pair, shown=comparison.is_shown(pair))
        cells = [
            td(wording.value(pair.mean_b, counts=counts), className="number"),
            td(
                [
                    wording.difference(pair.difference, counts=counts),
                    html.Span(f" {sign}" if sign else "", title=title, className="sign"),
                ],
                className=f"number {tint(sign)}".strip(),
            ),
            td(_strip(pair, reach), className="strip-cell"),
            _p_cell(comparison, pair),
            td(
                f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}",
                className="number",
                title="Queries on which the run is better, the same, worse",
            ),
        ]
    return tr([th(label, scope="row"), *cells], className="chosen-row" if chosen else "")


def _p_cell(comparison: Comparison, pair: Pair) -> Any:
    test = comparison.compared.settings.test
    title = f"{written_value(pair.p[test], 'p', 4)} alone"
    if pair.queries < LEAST_TESTED:
        title = "One query allows no test"
    return td(corrected_p(pair, test), className="number", title=title)


def _mean(comparison: Comparison, name: str) -> float:
    pair = next((p for p in comparison.compared.pairs if name in (p.a, p.b)), None)
    if pair is None:
        return math.nan
    return pair.mean_a if pair.a == name else pair.mean_b


def _reach(comparison: Comparison) -> float:
    """How far the axis of the differences goes to both sides."""
    pairs = [comparison.pair(name) for name in comparison.names[1:]]
    ends = [
        abs(end)
        for pair in pairs
        if pair is not None
        for end in (*pair.interval, pair.difference)
        if math.isfinite(end)
    ]
    return 1.05 * max(ends, default=0.0) or 1.0


def _axis(reach: float) -> Any:
    end = f"{reach:.2f}" if reach >= 0.01 else f"{reach:.0e}"
    return html.Span(
        [html.Span(f"−{end}"), html.Span("0"), html.Span(f"+{end}")], className="strip-axis"
    )


def _strip(pair: Pair, reach: float) -> Any:
    """The interval of a difference as a line, its mean as a dot; 0 is in the middle."""

    def at(value: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, value / reach))

    low, high = pair.interval
    parts = [html.Span(className="strip-zero")]
    words = "no interval from one query"
    if math.isfinite(low) and math.isfinite(high):
        style = {"left": f"{at(low):.2f}%", "width": f"{at(high) - at(low):.2f}%"}
        parts.append(html.Span(className="strip-line", style=style))
        words = f"{wording.difference(low)} to {wording.difference(high)}"
    parts.append(html.Span(className="strip-dot", style={"left": f"{at(pair.difference):.2f}%"}))
    return html.Span(parts, className="strip", role="img", title=words, **{"aria-label": words})


def not_comparable(comparison: Comparison) -> Any:
    """What stands in place of the figures where there can be none."""
    address = comparison.address
    back = Address("leaderboard", address.collection, None, address.parameters)
    under = [
        html.A(
            f"Compare under {wording.name(qrels, 24)}",
            # The first is what is taken where none is named.
            href=address.changed(qrels=qrels if number else None).href,
            className="action" if number == 0 else BESIDE,
        )
        for number, qrels in enumerate(comparison.loaded.shared_qrels[:MOST_QRELS])
    ]
    other = html.A("Choose other runs", href=back.href, className=BESIDE if under else "action")
    return html.Div([banner(comparison), html.P([*under, other], className="ways-on")])


MOST_QRELS = 3
"""The judgments that a comparison is offered under, where it can't be under those asked for."""
BESIDE = "quiet-action"


# What remains of a difference where one run has more unjudged documents than the other


def on_judged_documents(comparison: Comparison, view: View) -> str:
    """The difference of the chosen pair with unjudged documents left out, as a sentence.

    Nothing where about as much of both top 10 is judged, or the measure can't do without the
    unjudged documents.
    """
    runs = {run.name: run for run in comparison.loaded.runs}
    names = (comparison.baseline, comparison.run)
    baseline, run = (runs[name].judged_in_top for name in names)
    # Not a number where nothing was retrieved: then no comparison holds.
    if not abs(run - baseline) > JUDGED_GAP:
        return ""
    try:
        measure = parse(comparison.measure.name)(judged_only=True)
    except MeasureError:
        return ""
    settings = Settings(tests=("t",))
    loaded = read(
        view.store,
        lambda: load_stored_runs(
            view.store,
            names,
            {str(measure): measure},
            collection=comparison.address.collection,
            qrels=comparison.qrels[0],
        ),
    )
    pairs = compare_loaded(loaded, {str(measure): measure}, settings=settings).pairs
    if not pairs:
        return ""
    if pairs[0].queries < LEAST_TESTED:
        return ""
    verdict = "shown" if is_shown(pairs[0], settings, 1) else "not shown"
    difference = wording.difference(pairs[0].difference, counts=comparison.measure.counts)
    p = written_value(pairs[0].p["t"], "p", 4).replace("<", "< ")
    run_name, base_name = comparison.run, comparison.baseline
    return (
        f"Of the top {TOP} of {run_name} {100 * run:.0f} % is judged ({base_name} "
        f"{100 * baseline:.0f} %). On judged documents alone: {difference}, {verdict} "
        f"(p {'' if p.startswith('<') else '= '}{p}, not corrected)."
    )
