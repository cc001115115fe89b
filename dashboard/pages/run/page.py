"""The Run page: the facts of a run, its figures, and its values by query.

The module has the page, its updates and files; the recorded facts; and the values, also by query.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

import pandas as pd
from dash import html

from dashboard.address import Address
from dashboard.components import comments, controls, elements, files, shell, wording
from dashboard.components.controls import measure_choice, measure_choices, usual_measure
from dashboard.components.elements import control_change, number, scrolling, td, th, tr
from dashboard.components.files import FORMS, Form, figure_file
from dashboard.components.problems import read
from dashboard.components.wording import LEADERBOARD, measure_info
from dashboard.figures import interactive
from dashboard.figures.figure import Figure, outcome
from dashboard.figures.frames import FOR_REPORTS, RunPair
from dashboard.figures.interactive import Order
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.home.events import done
from dashboard.pages.leaderboard.load import SETTINGS, claims_at
from dashboard.pages.run.load import OneRun, against_other, extremes, load
from dashboard.report.comparison import AGAINST_MEDIAN, run_report
from dashboard.report.page import origin_here
from dashboard.theme import NO_ENGINE, Scheme
from evalstore.client.differences import differing_facts
from evalstore.comparison.collection_values import medians_of_collection
from evalstore.comparison.comparability import differing_lengths
from evalstore.comparison.loading import load_stored_runs
from evalstore.leaderboard.ranks import MeasureRanks, RankedRun
from evalstore.measures import named_measures, parse
from evalstore.store.queries.events import Event
from evalstore.store.queries.facts import RunFacts
from evalstore.tables.table import Table, written_value
from evalstore.tracking.run_overview import Position, rows
from evalstore.transfer.export import run_file

FIGURE = "median"
EXTREMES = "run-extremes"
CAPTION = "median-caption"
TITLE = "median-title"
SIZE = (9.0, 4.0)
"""The size of the figure as a file, in inches."""
UPDATED = frozenset({"m", "order", comments.PARAMETER})
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    one = load(view)
    best_and_worst = one.by_query and extreme_tables(one)
    body = html.Div(
        [
            _heading(one),
            html.P(headline(one, view), className="claim headline"),
            _gate(one),
            _links(one),
            html.Div([_figure_card(one, view), _measures_card(one)], className="run-columns"),
            html.Div(best_and_worst, id=EXTREMES, className="run-columns even"),
            html.Div(
                [
                    html.Div([parameters_card(one), lineage_card(one)]),
                    html.Div([note_card(one), facts_card(one)]),
                ],
                className="run-columns even",
            ),
            comments.section(view, "run"),
            events_card(one),
        ]
    )
    of = one.by_query
    return Rendered(
        f"Run {wording.name(one.run.name, 40)}",
        body,
        view.address.collection,
        None if of is None else of.run.qrels,
        one.qrels,
        {
            "m": usual_measure(one.measures),
            "qrels": one.qrels[:1],
            "order": interactive.usual_order(0 if of is None else len(of.run.qids)),
        },
    )


def update(view: View, before: View) -> Changes | None:
    """The changes for another measure, order or scheme."""
    changed = view.address.differences(before.address)
    if changed == {comments.PARAMETER}:
        return comments.update(view, "run")
    one = load(view)
    if one.by_query is None:
        return {}
    changes = elements.figure_change(FIGURE, histogram(one, view.scheme))
    if comments.PARAMETER in changed:
        changes |= comments.update(view, "run")
    if "m" in changed:
        changes[TITLE] = {"children": _title(one)}
        changes[CAPTION] = {"children": wording.isolated(histogram_caption(one))}
        changes[EXTREMES] = {"children": extreme_tables(one)}
    choices = measure_choices(one.measure.name, one.measures)
    changes |= control_change("m", value=one.measure.name, data=choices)
    return changes | control_change("order", value=one.order)


def _heading(one: OneRun) -> Any:
    about = one.overview.facts
    line: list[Any] = ["engine ", html.Bdi(wording.name(about.engine, 40))]
    line += [f" · ran {about.started_at:%Y-%m-%d %H:%M} UTC"] if about.started_at else []
    line += [f" · {part}" for part in _coverage(one)]
    if about.commit and about.commit_dirty:
        line += [" · ", html.Span("changed files", className="warn")]
    if about.values_only:
        title = "It came as values of measures of 4 decimals: there are no lists to look at"
        line += [" · ", html.Span("values only, without rankings", className="warn", title=title)]
    slot = one.selection.slots[one.run.id]
    label = controls.engine(slot, one.run.name, limit=80)
    return shell.heading(label, html.P(line, className="lead"))


def _coverage(one: OneRun) -> list[str]:
    """The share of the top 10 that is judged, and the answered queries, unless it is all."""
    if one.by_query is None:
        return []
    run, parts = one.by_query.run, []
    share, answered = f"{100 * run.judged_in_top:.0f} %", int(run.answered.sum())
    if math.isfinite(run.judged_in_top) and share != "100 %":
        parts.append(f"{share} of the top 10 judged")
    if answered < len(run.qids):
        parts.append(f"{answered:,} of {len(run.qids):,} queries answered")
    return parts


def _links(one: OneRun) -> Any:
    address, run = one.address, one.run.name
    links: list[Any] = []
    parent = one.overview.parent
    for other, role in (
        (None if one.baseline is None else one.baseline.name, one.role),
        (None if parent is None else parent.name, "parent"),
    ):
        if other is None:
            continue
        chosen = {"runs": (other, run), "base": (other,), "qrels": address.all("qrels")}
        href = Address("compare", address.collection, None, chosen).href
        text = f"Compare with the {role} {one.selection.short(other)}"
        links.append(html.A(text, href=href, className="action" if not links else "quiet-action"))
    history = Address("history", address.collection, None, {"engine": (one.run.engine,)})
    links.append(html.A("History of the engine", href=history.href, className="quiet-action"))
    if not one.overview.facts.values_only:
        title = "The run as a run file: same documents, order and scores"
        links.append(controls.file_link("Run file", files.href(address, "run.txt"), title=title))
    if one.by_query is not None:
        links.append(controls.file_link("HTML report", files.href(address, "report.html")))
    return html.Div(links, className="choices")


def _measures_card(one: OneRun) -> Any:
    if one.by_query is None:
        advice = (
            "This run was not evaluated under these judgments, and so it has no figures. "
            "`evalstore reevaluate` evaluates it."
        )
        return shell.card("Measures", html.P(advice, className="hint"))
    over = wording.count(len(one.by_query.run.qids), "judged query", "judged queries")
    caption = f"Over {over}; the rank is among the runs of the collection."
    if one.baseline is None:
        caption += " Without another run as baseline there are no differences."
    elif one.intervals:
        level = wording.level(SETTINGS.alpha)
        caption += f" Each {level} interval is of one difference, not corrected for their number."
    return shell.card("Measures", html.P(caption, className="caption"), *measures_table(one))


def _figure_card(one: OneRun, view: View) -> Any:
    if one.by_query is None:
        return None
    orders = (("difference", "Sorted"), ("query", "By query"), ("distribution", "Distribution"))
    aside = [
        measure_choice(one.measure.name, one.measures),
        controls.segments("order", orders, one.order, label="Order of the bars"),
        controls.csv_link("run-queries-csv", files.href(one.address, "queries.csv")),
    ]
    return shell.card(
        html.Span(_title(one), id=TITLE),
        html.P(wording.isolated(histogram_caption(one)), id=CAPTION, className="caption"),
        elements.leading_to(
            query_address(one, "q").changed(m=None),
            elements.graph(
                FIGURE,
                histogram(one, view.scheme),
                label="Differences of the run to the median of the collection's runs, by query",
            ),
        ),
        aside=aside,
    )


def _title(one: OneRun) -> str:
    return f"{one.measure.label}, {one.selection.short(one.run.name)} − {one.median_name}"


def _csv(view: View) -> File:
    one = load(view)
    name = files.file_name(one.run.name, one.measure.name, suffix=".csv")
    return files.csv_file(queries_table(one), name)


def _run_file(view: View) -> File:
    one = load(view)
    content = read(view.store, lambda: run_file(view.store, one.run.name, one.selection.collection))
    name = files.file_name(one.run.name, suffix=".run")
    return File(name, content, "text/plain")


def _median(view: View, form: Form) -> File:
    from dashboard.figures import drawings  # noqa: PLC0415  (matplotlib loads slowly)

    one = load(view)
    of, name = one.evaluated, one.measure.name
    order: Order = "query" if one.order == "query" else "difference"
    positions = (one.selection.slots[one.run.id], NO_ENGINE)
    drawing = drawings.median(of.loaded, (name, parse(name)), of.medians, order, positions)
    return figure_file(drawing.static(SIZE), files.file_name(one.run.name, name, suffix=""), form)


def _report(view: View) -> File:
    one, store = load(view), view.store
    usual = [name for name in LEADERBOARD if name in one.measures]
    asked = named_measures(usual or one.measure.name)
    loaded = read(
        store,
        lambda: load_stored_runs(
            store,
            [one.run.name],
            {**named_measures(FOR_REPORTS), **asked},
            collection=one.selection.collection,
            qrels=one.evaluated.run.qrels,
        ),
    )
    medians = read(
        store,
        lambda: medians_of_collection(store, loaded.runs[0], named_measures([AGAINST_MEDIAN])),
    )
    command = f"evalstore export report {shlex.quote(one.run.name)} --output FILE"
    page = run_report(loaded, asked, medians, origin_here(command))
    return File(files.file_name(one.run.name, suffix=".html"), page, "text/html")


PAGE = Page(
    "run",
    render,
    update,
    UPDATED,
    {
        "queries.csv": _csv,
        "run.txt": _run_file,
        **{f"median.{form}": partial(_median, form=form) for form in FORMS},
        "report.html": _report,
    },
)


# The records of a run: facts, parameters beside its parent's, lineage, note, events

PARAMETERS, METADATA = "parameters.", "header."
ELSEWHERE = frozenset(
    {"run", "id", "collection", "parent", "tags", "note", "commit", "commit_dirty", "content_hash"}
)
"""Facts that have their own part of the page."""
LONGEST_NOTE = 20_000
LONGEST_VALUE = 400
MOST_METADATA = 200
LEAST_IN_MB = 100_000


def facts_card(one: OneRun) -> Any:
    """The facts that were given, one per row."""
    facts = one.overview.facts
    collection = facts.collection
    own: list[tuple[str, Any]] = []
    metadata: list[tuple[str, Any]] = []
    for name, value in rows(facts):
        if name in ELSEWHERE or name.startswith(PARAMETERS):
            continue
        if name.startswith(METADATA):
            metadata.append((wording.name(name.removeprefix(METADATA), 80), text(value)))
            continue
        content: Any = text(value)
        if name == "engine":
            href = Address("history", collection, None, {"engine": (facts.engine,)}).href
            content = html.A(content, href=href)
        elif name.endswith("_bytes") and isinstance(value, int):
            whole = f"{value:,} bytes"
            in_mb = f"{value / 1e6:,.1f} MB"
            content = html.Span(in_mb if value >= LEAST_IN_MB else whole, title=whole)
        elif name == "experiment":
            content = html.A(content, href=_leaderboard(collection, str(value)))
        own.append((name.replace("_bytes", " size").replace("_", " "), content))
    if facts.commit is not None:
        changed = html.Span(" changed files", className="warn") if facts.commit_dirty else None
        code = html.Code(wording.name(str(facts.commit), 80), className="break")
        own.append(("commit", [code, changed]))
    whole = html.Code(facts.content_hash, className="break")
    short = html.Summary(html.Code(facts.content_hash[:12]))
    own.append(("content hash", html.Details([short, whole])))
    if facts.tags:
        own.append(("tags", _tags(facts)))
    parts = [_table(own)]
    if metadata:
        count = wording.count(len(metadata), "entry", "entries")
        listed = _table(metadata[:MOST_METADATA])
        parts.append(html.Details([html.Summary(f"Metadata of the file, {count}"), listed]))
    return shell.card(
        "Facts", html.Details([html.Summary(wording.count(len(own), "fact")), *parts])
    )


def _tags(facts: RunFacts) -> Any:
    links = [
        html.A(
            html.Bdi(wording.name(tag, 40)), href=_leaderboard(facts.collection, tag),
            className="tag",
        )
        for tag in facts.tags
    ]  # fmt: skip
    return html.Span(links, **controls.roving("a"))


def _leaderboard(collection: str, find: str) -> str:
    return Address("leaderboard", collection, None, {"find": (find,)}).href


def parameters_card(one: OneRun) -> Any:
    """The parameters beside the parent's, and the names of other facts that differ."""
    facts, parent = one.overview.facts, one.overview.parent
    own = _parameters(facts)
    if parent is None:
        if not own:
            return shell.card("Parameters", html.P("None were given.", className="hint"))
        return shell.card("Parameters", _table([(name, text(own[name])) for name in own]))
    before = _parameters(parent)
    changed = {one.fact: one for one in differing_facts(parent, facts)}
    cells = [
        tr(
            [
                th(html.Bdi(name), scope="row"),
                td(text(before.get(name))),
                td(text(own.get(name))),
                td("changed" if PARAMETERS + name in changed else "", className="hint"),
            ],
            className="changed" if PARAMETERS + name in changed else "",
        )
        for name in dict.fromkeys([*before, *own])
    ]
    head = ("", wording.name(parent.name, 24), wording.name(facts.name, 24), "")
    made = elements.table([th(html.Bdi(t)) for t in head], cells, "plain-table facts-table")
    others = [name for name in changed if not name.startswith((PARAMETERS, METADATA))]
    differing = sum(name.startswith(PARAMETERS) for name in changed)
    verb = "differs" if differing == 1 else "differ"
    count = wording.count(differing, "parameter") if differing else "No parameters"
    beside = f"{count} {verb} from the parent {wording.name(parent.name, 40)}."
    if others:
        beside += f" Also different: {', '.join(name.replace('_', ' ') for name in others)}."
    body = [scrolling(made)] if cells else []
    return shell.card("Parameters", html.P(beside, className="caption"), *body)


def _parameters(facts: RunFacts) -> dict[str, Any]:
    return {
        name.removeprefix(PARAMETERS): value
        for name, value in rows(facts)
        if name.startswith(PARAMETERS)
    }


def lineage_card(one: OneRun) -> Any:
    """The runs from which it was derived, and those derived from it, as links."""
    line, children = one.overview.ancestors, one.overview.children
    if not line and not children:
        return None
    lines: list[Any] = []
    if line:
        steps: list[Any] = []
        for ancestor in reversed(line):
            name = html.Bdi(wording.name(ancestor.name, 40))
            if ancestor.is_removed:
                steps += [html.Span([name, " (removed)"], className="hint"), " → "]
            else:
                steps += [html.A(name, href=_run(one, ancestor.name)), " → "]
        own = html.Strong(html.Bdi(wording.name(one.run.name, 40)))
        lines.append(
            html.P(["Derived: ", *steps, own], className="lineage", **controls.roving("a"))
        )
    if children:
        links = [
            [", " if place else "", html.A(html.Bdi(wording.name(child, 40)), _run(one, child))]
            for place, child in enumerate(children)
        ]
        before = f"{wording.count(len(children), 'run')} derived from it: "
        lines.append(
            html.P(
                [before, *(part for link in links for part in link)],
                className="lineage",
                **controls.roving("a"),
            )
        )
    return shell.card("Lineage", *lines)


def _run(one: OneRun, name: str) -> str:
    return Address("run", one.address.collection, name).href


def note_card(one: OneRun) -> Any:
    """The note, as Markdown."""
    note = one.overview.facts.note
    if not note:
        return None
    return shell.card("Note", elements.markdown(wording.shorten(note, LONGEST_NOTE), id="note"))


def events_card(one: OneRun) -> Any:
    """The events of the run, the newest first."""
    events = one.overview.events
    if not events:
        body: Any = html.P("Nothing is recorded under this name.", className="hint")
    else:
        body = html.Ul([event_item(event) for event in events], className="events run-events")
        body = html.Details([html.Summary(wording.count(len(events), "event")), body])
    return shell.card("Events", body)


def event_item(event: Event) -> Any:
    """An event in words."""
    details = dict(event.details or {})
    if event.action == "gate":
        details["rules"] = [
            f"{of.get('rule')} {'failed' if of.get('fails') else 'passed'}"
            for of in details.get("rules") or ()
        ]
    words = " · ".join(f"{key}: {text(value)}" for key, value in details.items())
    return html.Li(
        [
            html.Span(f"{event.at:%Y-%m-%d %H:%M}", className="event-time", title="UTC"),
            html.Span(done(event), className="event-action"),
            html.Span(f"by {wording.name(event.who, 40)}", className="event-who"),
            html.Span(wording.name(words, 400), className="event-details", dir="auto"),
        ]
    )


def text(value: Any) -> str:
    """A fact as text; – if there is none."""
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return wording.name(", ".join(map(text, value)), LONGEST_VALUE)
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return wording.name(written, LONGEST_VALUE)


def _table(pairs: Sequence[tuple[str, Any]]) -> Any:
    body = [tr([th(html.Bdi(name), scope="row"), td(value, dir="auto")]) for name, value in pairs]
    return scrolling(elements.table((), body, "plain-table facts-table"))


# The values of a run: figures and ranks, and its queries beside baseline and median

COLUMNS = ["qid", "text", "a", "b", "difference"]
"""The columns of a frame of pairs: see `figures.frames.pair_values`."""


def headline(one: OneRun, view: View) -> list[Any]:
    """The place of the run on the first usual measure, and the claim on it and the baseline.

    The ranks that the tests leave open, and the place among the runs of its engine, are smaller.
    """
    stored = {row.measure: row for row in one.positions}
    first = next((stored[name] for name in LEADERBOARD if name in stored), None)
    if first is None:
        return ["No usual measure is stored of this run."]
    info = measure_info(first.measure)
    claims = claims_at(view, first.measure, one.address.one("base"))
    of_run = next((run for run in claims.runs if run.run_id == one.run.id), None)
    place = f"{info.label} {wording.value(first.value, counts=info.counts)}"
    more: list[str] = []
    if one.by_query is not None and one.by_query.baseline is not None:
        own, base = one.by_query.run, one.by_query.baseline
        depths = {own.name: float(own.depth), base.name: float(base.depth)}
        measures = {info.label: parse(first.measure)}
        has_rankings = not own.values_only and not base.values_only
        if has_rankings and differing_lengths(depths, measures):
            more.append(
                f"Its rankings have at most {own.depth:,} documents, those of "
                f"{one.selection.short(base.name)} {base.depth:,}: {info.label} may see documents "
                "that only the longer ones have."
            )
    if first.rank is not None:
        place += f", rank {first.rank:,} of {first.runs:,}"
        low, high = (of_run.rank_low, of_run.rank_high) if of_run else (None, None)
        if low is not None and high is not None and low < high:
            tests = f"The tests of all {claims.pairs:,} pairs of runs"
            more.append(f"{tests} leave the ranks {low:,} to {high:,} open.")
    beside = _beside_baseline(one, first, claims, of_run)
    if of_run is not None:
        versions = [run.run_id for run in claims.runs if run.engine == of_run.engine]
        if len(versions) > 1 and of_run.rank is not None:
            among = versions.index(one.run.id) + 1
            more.append(f"Place {among:,} among the {len(versions):,} runs of its engine.")
    claim = f"{'; '.join(filter(None, (place, beside)))}. "
    small = html.Span(" ".join(more), className="claim-more")
    return [wording.isolated(claim), small]


def _beside_baseline(
    one: OneRun, row: Position, claims: MeasureRanks, of_run: RankedRun | None
) -> str:
    """The difference to the baseline on a measure, with its interval and test; empty without."""
    if one.baseline is None:
        return f"it is the {one.role}" if one.role else ""
    if row.difference is None:
        return ""
    base, counts = one.selection.short(one.baseline.name), measure_info(row.measure).counts
    difference = wording.difference(row.difference, counts=counts)
    if of_run is None or of_run.verdict is None:
        return f"{difference} against {base}"
    evidence = []
    if of_run.difference_low is not None and of_run.difference_high is not None:
        low, high = of_run.difference_low, of_run.difference_high
        ends = wording.interval(low, high, counts=counts)
        if of_run.verdict in ("better", "worse"):  # as a size, without the sign of the difference
            low, high = (low, high) if row.difference > 0 else (-high, -low)
            ends = wording.interval(low, high, counts=counts).replace("+", "")
        evidence.append(f"{wording.level(SETTINGS.alpha)} interval {ends}")
    if of_run.p_corrected is not None:
        pairs = wording.count(claims.pairs_with_baseline, "pair")
        evidence.append(f"p {written_value(of_run.p_corrected, 'p', 4)} over {pairs}")
    words = f" ({', '.join(evidence)})" if evidence else ""
    if of_run.verdict in ("better", "worse"):
        return f"{of_run.verdict} than {base} by {difference.lstrip('+−')}{words}"
    return f"not shown to differ from {base}: {difference}{words}"


def _gate(one: OneRun) -> Any:
    """The newest gate of the run, unless it passed."""
    gate = next((event for event in one.overview.events if event.action == "gate"), None)
    details = {} if gate is None else dict(gate.details or {})
    if gate is None or details.get("outcome") == "passed":
        return None
    words = f"⊘ {done(gate)} on {gate.at:%Y-%m-%d}: {details.get('summary', '')}"
    return html.P(wording.name(words, 400), className="board-problem", dir="auto")


def measures_table(one: OneRun) -> list[Any]:
    """The usual measures, and a list to open with all other stored ones."""
    stored = {row.measure: row for row in one.positions}
    usual = [stored[name] for name in LEADERBOARD if name in stored]
    others = [row for row in one.positions if row not in usual]
    parts: list[Any] = [_positions(one, usual)] if usual else []
    if others:
        count = wording.count(len(others), "further measure")
        parts.append(html.Details([html.Summary(count), _positions(one, others)]))
    return parts


def _positions(one: OneRun, positions: Sequence[Position]) -> Any:
    base = one.baseline
    among = {row.runs for row in positions if row.rank is not None}
    is_one = len(among) == 1
    head = [
        th("Measure"),
        th("Value", className="number"),
        th(f"Rank of {max(among):,}" if is_one else "Rank", className="number"),
    ]
    if base is not None:
        title = f"{one.run.name} − {base.name}"
        name = wording.less(one.selection.short(base.name), one.role)
        head.append(th(name, className="number one-line", title=wording.name(title, 200)))
    rows = [_position(one, row, is_bare=is_one) for row in positions]
    made = elements.table(head, rows, "plain-table measures-of-run")
    return scrolling(made, "Figures and ranks of the run", members="a")


def _position(one: OneRun, row: Position, *, is_bare: bool) -> Any:
    info = measure_info(row.measure)
    href = Address("measures", None, row.measure).href
    name = [html.A(html.Bdi(wording.name(info.name, 40)), href=href, title=info.help)]
    among = "" if is_bare else f" of {row.runs:,}"
    rank = f"{row.rank:,}{among}" if row.rank is not None else "–"
    why = "" if row.rank is not None else "Neither a high nor a low value is better"
    cells = [
        th([*name, info.arrow], scope="row"),
        number(wording.value(row.value, counts=info.counts)),
        number(rank, title=why),
    ]
    if one.baseline is not None:
        text = wording.difference(row.difference, counts=info.counts)
        why = "" if row.difference is not None else "The baseline has no value"
        ends = one.intervals.get(row.measure)
        small = html.Small(wording.interval(*ends, counts=info.counts)) if ends else None
        cells.append(number([text, small], title=why))
    return tr(cells)


def histogram(one: OneRun, scheme: Scheme = "light") -> Figure:
    """The difference of each query to the median; a bar opens its query."""
    if one.order == "distribution":
        return interactive.distribution(_beside_median(one), scheme=scheme)
    order: Order = "query" if one.order == "query" else "difference"
    return interactive.differences(_beside_median(one), order=order, scheme=scheme)


def histogram_caption(one: OneRun) -> str:
    """The number of queries for which the run is better than the median, in words."""
    return outcome(_beside_median(one))


def _beside_median(one: OneRun) -> RunPair:
    names = one.selection.short(one.run.name), one.median_name
    positions = one.selection.slots[one.run.id], NO_ENGINE
    return RunPair(one.against_median, one.measure, names, positions)


def query_address(one: OneRun, qid: str) -> Address:
    """The page of a query with the rankings of the baseline and the run."""
    base = () if one.baseline is None else (one.baseline.name,)
    chosen = {"runs": (*base, one.run.name), "m": (one.measure.name,)}
    chosen |= {name: one.address.all(name) for name in ("qrels", "base")}
    return Address("query", one.address.collection, qid, chosen)


def extreme_tables(one: OneRun) -> list[Any]:
    """The queries that gain and lose most against the baseline, or else against the median."""
    best, worst = extremes(against_other(one), one.measure.sign_of_better)
    run, other = one.selection.short(one.run.name), one.selection.short(one.other)
    tables = []
    words = ("higher", "lower") if one.measure.higher_is_better is None else ("better", "worse")
    for part, word in ((best, words[0]), (worst, words[1])):
        title = f"Queries on which {run} is {word} than {other}"
        empty = f"On no query is {run} {word} than {other} on {one.measure.label}."
        content = _extremes(one, part) if len(part) else html.P(empty, className="hint")
        tables.append(html.Section([html.H2(title, dir="auto"), content], className="card"))
    return tables


def _extremes(one: OneRun, part: pd.DataFrame) -> Any:
    counts = one.measure.counts
    head = [
        th(html.Span("Difference", title=one.measure.help), className="number"),
        th("Query"),
        th("This run", className="number"),
        th(wording.end_of(one.selection.short(one.other)), className="number"),
    ]
    body = []
    for qid, text, a, b, difference in part[COLUMNS].itertuples(index=False, name=None):
        words = "" if pd.isna(text) else wording.name(str(text), 80)
        href = query_address(one, str(qid)).href
        link = html.A(html.Bdi(wording.name(str(qid), 30)), href=href)
        values = [wording.value(float(value), counts=counts) for value in (a, b)]
        body.append(
            tr(
                [
                    number(wording.difference(float(difference), counts=counts)),
                    td([link, html.Span(f" {words}", className="query-text", dir="auto")]),
                    *map(number, values),
                ]
            )
        )
    made = elements.table(head, body, "plain-table extremes")
    return scrolling(made, "Queries and their differences", members="a")


def queries_table(one: OneRun) -> Table:
    """Every judged query: the values of the run, the median and the baseline."""
    base = one.evaluated.baseline
    answers: dict[str, float] = {}
    if base is not None:
        answers = dict(zip(base.qids, base.values[one.measure.name].tolist(), strict=True))
    header = ("qid", "query", one.run.name, one.median_name, *([base.name] if base else []))
    rows = [
        (
            *(str(qid), None if pd.isna(text) else str(text), float(a), float(b)),
            *([answers.get(str(qid))] if base else []),
        )
        for qid, text, a, b, _ in one.against_median[COLUMNS].itertuples(index=False, name=None)
    ]
    return Table.for_files(header, rows)
