"""The Compare page: whether a run is better, for which queries, and why.

The module has the parts of the page, from the verdict to the table of runs; then its files; then
the page and its updates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, files, shell, wording
from dashboard.components.controls import best_first, measure_choice, usual_measure
from dashboard.components.elements import number, scrolling, td, th, tr
from dashboard.components.files import FORMS, Form, csv_file, figure_file
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.components.selection import reference_of
from dashboard.figures import frames
from dashboard.figures.figure import better_or_worse, corrected_p, tint
from dashboard.figures.interactive import usual_order
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.compare import curves, queries, sections
from dashboard.pages.compare.curves import KINDS
from dashboard.pages.compare.load import RANK_MEASURES, SECTIONS, Comparison, load
from dashboard.pages.compare.queries import DIFFERENCE, PARAMETERS, SORTS
from dashboard.pages.leaderboard.load import claims_at
from evalstore.catalog.links import run_names
from evalstore.comparison.choosing.luck import MOST_VALUES
from evalstore.comparison.claims import CORRECTION_NAMES, comparability_line
from evalstore.comparison.comparability import (
    JUDGED_GAP,
    LITTLE_JUDGED,
    RunValues,
    common_depth,
)
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.comparison_table import comparison_export
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.significance import Pair, Settings
from evalstore.comparison.unjudged.bounds import has_bounds
from evalstore.errors import MeasureError
from evalstore.leaderboard.ranks import summary_of_comparison, what_is_shown
from evalstore.measures import Measure, parse
from evalstore.measures.join import TOP
from evalstore.tables.renderers import Format as TableFormat
from evalstore.tables.renderers import export_text
from evalstore.tables.table import written_value
from evalstore.tracking.history import engine_history

# The parts of the Compare page: each a function from the comparison to components

SIGNS = {"yes": "✓", "partly": "◐", "no": "⊘"}


def banner(comparison: Comparison) -> Any:
    """The verdict on whether the runs may be compared, at the top; the notes can be opened."""
    compared = comparison.compared
    words = _shortened(comparison, comparability_line(compared))
    kind, sign = str(compared.comparable), SIGNS[compared.comparable]
    if any(run.judged_in_top < LITTLE_JUDGED for run in compared.runs):
        kind = f"{kind} little"
        if compared.comparable == "yes":
            sign, words = SIGNS["partly"], words.replace(":", ", but few documents are judged:", 1)
        words += "; figures may be too low"
    line = readable(f"{sign} {words[0].upper()}{words[1:]}")
    if not compared.notes:
        return html.P(line, className=f"verdict {kind}", role="note")
    notes = [html.Li(readable(note)) for note in compared.notes]
    count = wording.count(len(notes), "note")
    return html.Details(
        [html.Summary([line, html.Span(count, className="verdict-more")]), html.Ul(notes)],
        className=f"verdict {kind}",
    )


def choices(comparison: Comparison, stored: Iterable[str]) -> Any:
    """The measure, a select to add a run, and the button that swaps the pair."""
    names = comparison.names
    swap = controls.choice(
        "Swap baseline",
        comparison.address,
        "quiet-action",
        title=f"Show {wording.name(comparison.baseline)} beside {wording.name(comparison.run)}",
        base=comparison.run,
        pair=comparison.baseline,
    )
    add = controls.add_run(name for name in stored if name not in names)
    measure = measure_choice(comparison.measure.name, comparison.measures)
    return html.Div([measure, add, swap], className="choices")


def claim(comparison: Comparison, view: View, stored: Sequence[str]) -> Any:
    """The claim about the chosen pair, and notes on what may say otherwise.

    `stored` are the names of all runs of the collection.
    """
    pair = comparison.pair(comparison.run)
    if pair is None:
        return "These two runs have no values on the same query."
    texts = (
        pair.sentence,
        on_judged_documents(comparison, view),
        at_common_depth(comparison, view),
    )
    of_pair, on_judged, at_depth = [readable(_shortened(comparison, text)) for text in texts]
    limits: list[Any] = [f" {at_depth}"] if at_depth else []
    # Other tests would have to evaluate all runs, or to read very many values.
    is_small = len(stored) * len(comparison.compared.qids) <= MOST_VALUES
    if pair.is_shown and comparison.measure.name in comparison.measures and is_small:
        limits += [
            *_of_all_runs(comparison, view, stored),
            *_of_history(comparison, pair, view),
        ]
    best = summary_of_comparison(comparison.compared)
    if best:  # of three runs or more, as on the command line
        # If it is on this pair, the table has all else: but for what judgments could change, and
        # for what is not shown.
        is_said = f"{comparison.run} against {comparison.baseline}:" in best
        is_said = is_said and pair.is_shown and (pair.bounds is None or not pair.unjudged)
        more = [*limits, " ", on_judged] if is_said else [f"{of_pair} ", *limits, " ", on_judged]
        return [
            readable(_shortened(comparison, wording.headline(best))),
            html.Span(more, className="claim-more"),
        ]
    return [of_pair, *limits, html.Span(f" {on_judged}", className="claim-more")]


def _of_all_runs(comparison: Comparison, view: View, stored: Sequence[str]) -> list[Any]:
    """A sentence on the leaderboard if it does not show what few runs alone do."""
    if len(stored) <= len(comparison.names):
        return []
    # Turned round, the pair is still that of the leaderboard of its baseline.
    run, other = comparison.run, comparison.baseline
    own = replace(view, address=comparison.address.only("qrels"))
    if run == reference_of(own, parse(comparison.measure.name)):
        run, other = other, run
    claims = claims_at(view, comparison.measure.name, other)
    of_run = next((one for one in claims.runs if one.run == run), None)
    if of_run is None or of_run.verdict in (None, "better", "worse"):
        return []
    chosen = {"base": other, "sort": best_first(comparison.measure.name)}
    board = comparison.address.only("qrels", "runs").to("leaderboard").changed(**chosen)
    p = written_value(of_run.p_corrected, "p", 4)
    base, others = comparison.selection.short(other), len(claims.runs) - 1
    return [
        f" With all {others:,} runs compared with {base}, {comparison.selection.short(run)} is "
        f"{what_is_shown(of_run.verdict)} "
        f"(p {p}): ",
        html.A("leaderboard", href=board.href),
        ".",
    ]


def _of_history(comparison: Comparison, pair: Pair, view: View) -> list[Any]:
    """A sentence on the history of an engine if it does not show what two of its runs alone do.

    They are a run and the one before, or its reference. Empty if the order of the runs is only that
    of storing.
    """
    name, address = comparison.measure.name, comparison.address
    engines = {comparison.selection.run(run).engine for run in (pair.a, pair.b)}
    if len(engines) > 1:
        return []
    [engine] = engines
    qrels, measure = address.one("qrels") or None, (name, parse(name))
    history = read(
        view.store,
        lambda: engine_history(view.store, engine, measure, address.collection, qrels),
    )
    for before, run in pairwise(history.runs if history.is_order_known else ()):
        for other, change, *figures in (
            (before.run, run.change, run.p, run.level),
            (run.reference or "", run.reference_change, run.reference_p, run.reference_level),
        ):
            if {other, run.run} != {pair.a, pair.b} or change != "not shown":
                continue
            p, level = (written_value(number, "p", 4) for number in figures)
            link = address.only("qrels").to("history").changed(m=name, engine=engine)
            return [
                f" Among all versions of {wording.name(engine, 40)} the difference is not shown "
                f"(p {p}, {level} is needed): ",
                html.A("history", href=link.href),
                ".",
            ]
    return []


def _shortened(comparison: Comparison, sentence: str) -> str:
    """The sentence with the labels of runs with long names, as in the table of runs."""
    for name in sorted(comparison.names, key=len, reverse=True):  # one may begin with another
        label = comparison.selection.short(name)
        if len(label) < len(name):
            sentence = sentence.replace(name, label)
    return sentence


def readable(sentence: str) -> str:
    """Remove control characters from a sentence with names, and shorten very long words."""
    words = (wording.shorten(word, LONGEST_WORD) for word in wording.clean(sentence).split())
    return wording.isolated(" ".join(words))


LONGEST_WORD = 60


def run_table(comparison: Comparison) -> Any:
    """One row per run: its mean, and the difference to the baseline with interval and p."""
    measure, pairs = comparison.measure, len(comparison.compared.pairs)
    correction = CORRECTION_NAMES[comparison.compared.settings.correction]
    reach = _reach(comparison)
    level = wording.level(comparison.compared.settings.alpha)
    base = comparison.selection.short(comparison.baseline)
    bounded = any(pair.bounds is not None and pair.unjudged for pair in comparison.compared.pairs)
    head = [
        th("Run"),
        th(html.Abbr(f"{measure.label}{measure.arrow}", title=measure.help), className="number"),
        th(
            ["−\u00a0", *controls.breakable(base)],
            className="number",
            title=f"run − {wording.name(comparison.baseline, 200)}: mean of the differences",
        ),
        th(
            _axis(reach),
            className="strip-cell",
            title=f"{level} interval of the difference: blue if shown better, orange if worse, "
            "double if equivalent",
        ),
        th(
            html.Abbr(
                f"p, {correction}, {wording.count(pairs, 'pair')}",
                title="Of the paired t test, corrected for the pairs that claims are made on.",
            ),
            className="number",
        ),
        th("wins / ties / losses", className="number"),
    ]
    rows = [_baseline_row(comparison)]
    rows += [_row(comparison, run, reach) for run in comparison.names[1:]]
    made = elements.table(head, rows, "plain-table run-table")
    table = scrolling(made, "The runs and their differences to the baseline")
    marks = f"▲ better, ▼ worse after {correction} over {wording.count(pairs, 'pair')}; △ ahead, "
    marks += f"▽ behind only before it. A line is the {level} interval of a difference"
    marks += ", dashed if nothing is shown, double if the runs are shown to be equivalent"
    bands = "; the band is what the judgment of unjudged documents could make of it"
    legend = html.P(f"{marks}{bands if bounded else ''}.", className="hint")
    return html.Div([table, legend, _without_bounds(comparison)])


def _without_bounds(comparison: Comparison) -> Any:
    """A line that leads to a measure with bounds; None if this one has them, or needs none."""
    other = next((name for name in WITH_BOUNDS if name in comparison.measures), None)
    complete = all(not run.judged_in_top < 1 for run in comparison.loaded.runs)
    if complete or other is None or has_bounds(parse(comparison.measure.name)):
        return None
    return html.P(
        [
            f"How far unjudged documents could move {comparison.measure.name} is not known; for ",
            controls.choice(other, comparison.address, m=other),
            " it is.",
        ],
        className="hint",
    )


WITH_BOUNDS = ("nDCG@10", "P@10")
"""Usual measures for which the bounds of a difference over all further judgments are known."""


def _baseline_row(comparison: Comparison) -> Any:
    pair = next(iter(comparison.compared.pairs), None)
    value = wording.value(_mean(comparison, comparison.baseline), counts=comparison.measure.counts)
    run = comparison.selection.runs[0]
    # Of more runs without a chosen baseline all pairs are tested, and none is the baseline.
    is_baseline = comparison.compared.baseline is not None or len(comparison.names) == 2
    flag = ["⚑"] if is_baseline else []
    return tr(
        [
            _run_head(comparison, [*flag, comparison.selection.label(run)], run.name),
            number(value),
            *(number("") for _ in range(4)),
        ],
        className="baseline-row" if pair else "",
    )


def _run_head(comparison: Comparison, label: Sequence[Any], name: str) -> Any:
    """The head of a run's row, with a link that leaves the run out; of a pair both must stay."""
    names, out = comparison.names, None
    if len(names) > 2:
        out = controls.leave_out(comparison.address, names, name)
    return th(html.Span([*label, out], className="run-name"), scope="row")


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
        cells = [td("–", title="No query on which both have a value")] * 5
    else:
        counts = comparison.measure.counts
        sign, title = better_or_worse(pair)
        cells = [
            number(wording.value(pair.mean_b, counts=counts)),
            td(
                [
                    wording.difference(pair.difference, counts=counts),
                    html.Span(f" {sign}" if sign else "", title=title, className="sign"),
                    # A phone has no columns of the interval and of p.
                    html.Small(wording.interval(*pair.interval, counts=counts)),
                    html.Small(f"p {corrected_p(pair, comparison.compared.settings.test)}"),
                ],
                className=f"number {tint(sign)}".strip(),
            ),
            td(_strip(pair, reach), className="strip-cell"),
            _p_cell(comparison, pair),
            number(
                f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}",
                title="Queries on which the run is better, the same, worse",
            ),
        ]
    return tr(
        [_run_head(comparison, label, name), *cells], className="chosen-row" if chosen else ""
    )


def _p_cell(comparison: Comparison, pair: Pair) -> Any:
    test = comparison.compared.settings.test
    title = f"{written_value(pair.p[test], 'p', 4)} alone"
    if pair.untested:
        title = pair.untested
    return number(corrected_p(pair, test), title=title)


def _mean(comparison: Comparison, name: str) -> float:
    pair = next((p for p in comparison.compared.pairs if name in (p.a, p.b)), None)
    if pair is None:
        return math.nan
    return pair.mean_a if pair.a == name else pair.mean_b


def _reach(comparison: Comparison) -> float:
    """The largest value, in both directions, of the axis of differences."""
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
    """The labels of an axis of differences, each above its value."""
    value, text = elements.axis_label(reach)
    labels = ((-value, f"−{text}"), (0.0, "0"), (value, f"+{text}"))
    return html.Span(
        [html.Span(words, style={"left": f"{50 + 50 * at / reach:.2f}%"}) for at, words in labels],
        className="strip-axis",
    )


def _strip(pair: Pair, reach: float) -> Any:
    """The interval of a difference as a line, with its mean as a dot; 0 is in the middle.

    A faint band shows what the judgment of unjudged documents could make of the difference; it
    ends in an arrow at the end of the axis if it goes on.
    """

    def at(value: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, value / reach))

    low, high = pair.interval
    parts = [html.Span(className="strip-zero")]
    if pair.bounds is not None and pair.unjudged:
        least, most = pair.bounds
        style = {"left": f"{at(least):.2f}%", "width": f"{at(most) - at(least):.2f}%"}
        beyond = f"{' below' if least < -reach else ''}{' above' if most > reach else ''}"
        parts.append(html.Span(className=f"strip-bounds{beyond}", style=style))
    words = "no interval from one query"
    if math.isfinite(low) and math.isfinite(high):
        style = {"left": f"{at(low):.2f}%", "width": f"{at(high) - at(low):.2f}%"}
        parts.append(html.Span(className=f"strip-line {pair.verdict}", style=style))
        words = wording.interval(low, high)
    if pair.bounds is not None and pair.unjudged:
        documents = wording.count(pair.unjudged, "unjudged document")
        words += f"; with {documents} judged {wording.interval(*pair.bounds)}"
    parts.append(html.Span(className="strip-dot", style={"left": f"{at(pair.difference):.2f}%"}))
    return html.Span(parts, className="strip", role="img", title=words, **{"aria-label": words})


def not_comparable(comparison: Comparison) -> Any:
    """The page for runs that can't be compared."""
    address = comparison.address
    back = Address("leaderboard", address.collection, None, address.parameters)
    under = [
        html.A(
            f"Compare under {wording.name(qrels, 24)}",
            # The first one is the default, which needs no parameter.
            href=address.changed(qrels=qrels if number else None).href,
            className="action" if number == 0 else BESIDE,
        )
        for number, qrels in enumerate(comparison.loaded.shared_qrels[:MOST_QRELS])
    ]
    other = html.A("Choose other runs", href=back.href, className=BESIDE if under else "action")
    return html.Div([banner(comparison), html.P([*under, other], className="ways-on")])


MOST_QRELS = 3
"""The most qrels that are offered if runs can't be compared under the requested one."""
BESIDE = "quiet-action"


# The difference of the chosen pair by what both runs have: judged documents, or a common depth


def on_judged_documents(comparison: Comparison, view: View) -> str:
    """A sentence on the difference of the chosen pair without unjudged documents.

    Empty if similar shares of both top 10 are judged, or if the measure needs unjudged documents.
    """
    base, run = (one.judged_in_top for one in _pair_of(comparison))
    # NaN if nothing was retrieved: then every comparison is false.
    if not abs(run - base) > JUDGED_GAP:
        return ""
    figures = _by(comparison, view, lambda measure: measure(judged_only=True))
    return figures and (
        f"Of the top {TOP} of {comparison.run} {100 * run:.0f} % is judged "
        f"({comparison.baseline} {100 * base:.0f} %). On judged documents alone: {figures}."
    )


def at_common_depth(comparison: Comparison, view: View) -> str:
    """A sentence on the difference at the depth of the shorter rankings of the chosen pair.

    Empty if there is no such depth, or if the measure takes no cutoff.
    """
    depth = common_depth(_pair_of(comparison), parse(comparison.measure.name))
    if not depth:  # 0 of a run that retrieved nothing
        return ""
    figures = _by(comparison, view, lambda measure: measure @ depth)
    return figures and f"At the depth of both rankings, the first {depth:,} documents: {figures}."


def _pair_of(comparison: Comparison) -> list[RunValues]:
    """The baseline and the chosen run."""
    runs = {run.name: run for run in comparison.loaded.runs}
    return [runs[comparison.baseline], runs[comparison.run]]


def _by(comparison: Comparison, view: View, form: Callable[[Measure], Measure]) -> str:
    """The difference of the chosen pair by a form of the measure, and p; empty if there is none."""
    try:
        measure = form(parse(comparison.measure.name))
    except MeasureError:
        return ""
    names, measures = (comparison.baseline, comparison.run), {str(measure): measure}
    loaded = read(
        view.store,
        lambda: load_stored_runs(
            view.store,
            names,
            measures,
            collection=comparison.address.collection,
            qrels=comparison.qrels[0],
        ),
    )
    pairs = compare_loaded(loaded, measures, Settings(tests=("t",))).pairs
    if not pairs or pairs[0].untested:
        return ""
    difference = wording.difference(pairs[0].difference, counts=comparison.measure.counts)
    p = written_value(pairs[0].p["t"], "p", 4).replace("<", "< ")
    return f"{difference} (p {'' if p.startswith('<') else '= '}{p}, not corrected)"


# The files of a comparison: tables, figures and the report, each at its own address

SIZE = (6.4, 4.0)
"""The size of the figures, in inches."""
MEDIA_TYPES: Mapping[str, str] = MappingProxyType({"csv": "text/csv", "tex": "text/x-tex"})
Draw = Callable[[Comparison, View], Any]


def queries_file(view: View, what: str) -> File:
    """The table of the queries: the filtered ones or all; wide or long."""
    comparison = _comparable(load(view))
    rows = (queries.rows if what.startswith("all") else queries.shown_rows)(comparison)
    made = (queries.long_table if what.endswith("long") else queries.wide_table)(comparison, rows)
    return csv_file(made, _name(comparison, what, ".csv"))


def pairs(view: View, form: TableFormat, suffix: str) -> File:
    """The figures of all pairs, with all tests."""
    comparison = load(view, all_tests=True)
    text = export_text(comparison_export(comparison.compared), form, guard_formulas=True)
    return File(_name(comparison, "comparison", f".{suffix}"), text, MEDIA_TYPES[suffix])


def figure(view: View, name: str, draw: Draw, form: Form) -> File:
    """A figure drawn by matplotlib, in the colours of the page."""
    comparison = _comparable(load(view))
    return figure_file(draw(comparison, view), _name(comparison, name, ""), form)


def recall_precision(comparison: Comparison, view: View) -> Any:
    """The mean curves of all runs, or the curves of the marked or only query."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    if comparison.curves_query:
        points = curves.points(comparison, view)
        return static.query_curves(points, comparison.recall_curves, comparison.labels, SIZE)
    return static.recall_precision(comparison.mean_curves, comparison.labels, SIZE)


def differences(comparison: Comparison, view: View) -> Any:
    """The differences of the chosen pair."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    order = "query" if comparison.order == "query" else "difference"
    return static.differences(curves.pair_by_query(comparison), SIZE, order)


def report(view: View) -> File:
    """The comparison as an HTML page in a single file."""
    from dashboard.report.comparison import comparison_report  # noqa: PLC0415  (slow, rarely used)
    from dashboard.report.page import origin_here  # noqa: PLC0415  (slow, rarely used)

    comparison = load(view, frames.FOR_REPORTS, all_tests=True)
    origin = origin_here(f"the dashboard at {comparison.address.href}")
    page = comparison_report(
        comparison.loaded,
        comparison.compared,
        0,
        origin,
        [comparison.slots[name] for name in comparison.names],
    )
    return File(_name(comparison, "report", ".html"), page, "text/html")


def _comparable(comparison: Comparison) -> Comparison:
    if not comparison.compared.pairs:
        reason = comparability_line(comparison.compared)
        raise PageProblem("These runs can't be compared", sentence(reason))
    return comparison


def _name(comparison: Comparison, what: str, suffix: str) -> str:
    collection = comparison.address.collection or ""
    names = comparison.names[:4]
    return files.file_name(collection, what, comparison.measure.name, *names, suffix=suffix)


FIGURES: Mapping[str, Draw] = MappingProxyType(
    {"recall-precision": recall_precision, "differences": differences}
)

FILES: Mapping[str, Callable[[View], File]] = MappingProxyType(
    {
        **{
            f"{what}.csv": partial(queries_file, what=what)
            for what in ("queries", "queries-long", "all-queries", "all-queries-long")
        },
        "comparison.csv": lambda view: pairs(view, "csv", "csv"),
        "comparison.tex": lambda view: pairs(view, "latex", "tex"),
        **{
            f"{name}.{form}": partial(figure, name=name, draw=draw, form=form)
            for name, draw in FIGURES.items()
            for form in FORMS
        },
        "report.html": report,
    }
)
"""The files by the last part of their addresses: `Page.files` of the page."""

CONTENTS: Mapping[str, str] = MappingProxyType(
    {
        "queries.csv": "queries as the filters show them, a column a run",
        "queries-long.csv": "the same, a row for each query and run",
        "all-queries.csv": "all queries, a column a run",
        "all-queries-long.csv": "all queries, a row for each query and run",
        "comparison.csv": "all pairs, with all tests",
        "comparison.tex": "all pairs, for LaTeX",
        **{f"recall-precision.{form}": "the curves of all runs" for form in FORMS},
        **{f"differences.{form}": "the histogram of the pair" for form in FORMS},
        "report.html": "one page, needs no network",
    }
)
"""The descriptions of the files: `Page.contents` of the page."""


CURVES = "curves"
HISTOGRAM = "histogram"
NO_FIGURES = ("comparison.csv", "report.html")
"""The files for runs that can't be compared: they explain the reason."""
UPDATED = PARAMETERS | {"pair", "order", "query", "curves", "open", "rank", "slice"}
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    comparison = load(view)
    title = "Compare " + ", ".join(map(comparison.selection.short, comparison.names[:4]))
    collection = view.address.collection
    stored = _stored(view)
    if not comparison.compared.pairs:
        return Rendered(title, not_comparable(comparison), collection, files=NO_FIGURES)
    # A page opened with it, as from History, begins with it. A chip opens it below the chips.
    first = [name for name in comparison.opened if name == "why"]
    body = html.Div(
        [
            html.H1(claim(comparison, view, stored), id="claim", className="claim headline"),
            banner(comparison),
            choices(comparison, stored),
            html.Div(run_table(comparison), id="run-table", className="card"),
            *(_section(name, comparison, view) for name in first),
            html.Div(
                [_curves_card(comparison, view), _histogram_card(comparison, view)],
                className="figures",
            ),
            sections.choice(comparison),
            *(_section(name, comparison, view) for name in SECTIONS if name not in first),
            queries.card(comparison),
        ]
    )
    return Rendered(
        title,
        body,
        collection,
        comparison.qrels[0] if comparison.qrels else None,
        comparison.all_qrels,
        {
            "m": usual_measure(comparison.measures),
            "qrels": next(iter(comparison.all_qrels), ""),
            "order": usual_order(len(comparison.compared.qids)),
            "pair": comparison.names[1],
            "curves": KINDS[0],
            "rank": RANK_MEASURES[0],
            "sort": SORTS[0],
            "of": DIFFERENCE,
        },
    )


def _stored(view: View) -> Sequence[str]:
    return read(view.store, lambda: run_names(view.store, view.address.collection or ""))


def _section(name: str, comparison: Comparison, view: View) -> Any:
    """The container of a section, empty while it is closed."""
    return html.Div(sections.section(name, comparison, view), id=sections.section_id(name))


def update(view: View, before: View) -> Changes | None:
    """Update the parts that depend on pair, query, order, filter, section or scheme."""
    changed = view.address.differences(before.address)
    comparison = load(view)
    if not comparison.compared.pairs:
        return None
    changes: dict[Any, dict[str, Any]] = {}
    if view.scheme != before.scheme:
        changed.add("scheme")
    if "pair" in changed:
        changes["claim"] = {"children": claim(comparison, view, _stored(view))}
        changes["run-table"] = {"children": run_table(comparison)}
    if changed & {"scheme", "query", "curves"}:
        changes |= elements.figure_change(
            CURVES, curves.curves_figure(comparison, view), curves.curves_words(comparison)
        )
        changes["curves-caption"] = {"children": curves.curves_caption(comparison)}
        changes["curves-table"] = {"children": curves.table(comparison)}
    if changed & {"scheme", "query", "pair", "order"}:
        changes |= elements.figure_change(
            HISTOGRAM, curves.histogram_figure(comparison, view), curves.histogram_words(comparison)
        )
        changes["histogram-title"] = {"children": curves.title(comparison)}
        changes["histogram-caption"] = {
            "children": wording.isolated(curves.histogram_caption(comparison))
        }
    if changed & {"query", "pair", *PARAMETERS}:
        changes |= queries.changes(comparison)
    opened_before = {name for name in SECTIONS if name in before.address.all("open")}
    for name in SECTIONS:
        toggled = (name in opened_before) != (name in comparison.opened)
        stays = name in comparison.opened and changed & sections.SECTIONS[name].depends_on
        if toggled or stays:
            content = sections.section(name, comparison, view)
            changes[sections.section_id(name)] = {"children": content}
    return changes


def _curves_card(comparison: Comparison, view: View) -> Any:
    words, caption = curves.curves_words(comparison), curves.curves_caption(comparison)
    return shell.card(
        "Recall-precision",
        html.P(caption, id="curves-caption", className="caption", dir="auto"),
        elements.graph(CURVES, curves.curves_figure(comparison, view), label=words, dims=True),
        html.Div(curves.table(comparison), id="curves-table"),
        aside=curves.kind_choice(comparison),
    )


def _histogram_card(comparison: Comparison, view: View) -> Any:
    words, caption = curves.histogram_words(comparison), curves.histogram_caption(comparison)
    drawn = elements.graph(HISTOGRAM, curves.histogram_figure(comparison, view), label=words)
    return shell.card(
        html.Span(curves.title(comparison), id="histogram-title"),
        html.P(wording.isolated(caption), id="histogram-caption", className="caption"),
        elements.leading_to(comparison.address.only("runs", "base", "qrels"), drawn),
        aside=curves.order_choice(comparison),
    )


PAGE = Page("compare", render, update, UPDATED, FILES, CONTENTS)
