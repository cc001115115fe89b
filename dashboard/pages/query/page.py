"""The Query page: the documents that moved between the rankings of one query.

The module has the page and its updates; its parts from top to bottom; and the table of a measure
rank by rank.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from dash import html

from dashboard.address import Address
from dashboard.components import comments, controls, elements, files, judging, wording
from dashboard.components.controls import measure_choice, usual_measure
from dashboard.components.elements import OF_KEYS, control_change, number, scrolling, td, th, tr
from dashboard.components.problems import read
from dashboard.components.selection import MOST_RUNS
from dashboard.figures.interactive import MOST_IN_LEGEND
from dashboard.figures.recall import query_curves
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.query import lists, movement
from dashboard.pages.query.lists import (
    copy_button,
    docno_link,
    in_words,
    marked_pieces,
    numbered,
    strip_data,
)
from dashboard.pages.query.load import MOST_LISTS, MOST_MISSED, WINDOWS, QueryView, load
from dashboard.pages.query.movement import READ, marked, query_words, snippet
from evalstore.comparison.ranked_query import (
    is_relevant,
    load_document_explanations,
    load_document_texts,
)
from evalstore.evaluation.explain import Explained
from evalstore.tables.table import Table, Value

LISTS, MISSED, SECTIONS, DOCUMENT = "ranked-lists", "missed", "query-sections", "document"
STEPS = "steps"
UPDATED = frozenset({"k", "show", "text", "open", "doc", comments.PARAMETER})
"""The parameters that change parts of the page; all others render it anew."""
TABLE_WORDS = "Rank by rank: grade, P@k, R@k, CG, DCG, nDCG"
CURVE_WORDS = "Recall-precision steps of this query"


def render(view: View) -> Rendered:
    """Render the page."""
    query_view = load(view)
    csv = files.href(query_view.address.only("runs", "base", "qrels", "m"), "rankings.csv")
    body = html.Div(
        [
            title(query_view),
            html.P(wording.isolated(summary(query_view)), className="claim headline"),
            values(query_view),
            about(query_view),
            html.Section(
                [
                    html.P([known(query_view), html.Small(SIGNS)], className="caption known"),
                    strip(query_view),
                ],
                className="card",
            ),
            html.Section(
                [
                    html.Div(
                        [
                            html.H2("Ranked lists"),
                            html.Div(
                                [switches(query_view), controls.csv_link("rankings-csv", csv)],
                                className="card-aside",
                            ),
                        ],
                        className="card-head",
                    ),
                    html.Div(lists.lists(query_view), id=LISTS),
                    html.Div(missed(query_view), id=MISSED),
                ],
                className="card",
            ),
            html.Div(_document(query_view, view), id=DOCUMENT),
            html.Div(_sections(query_view, view), id=SECTIONS),
            comments.section(view, "query"),
        ],
        className="query-page",
        **judging.in_place(view),
    )
    name = f"Query {wording.name(query_view.query.qid, 24)}"
    return Rendered(
        name,
        body,
        view.address.collection,
        query_view.query.qrels,
        query_view.query.all_qrels,
        {
            "m": usual_measure(query_view.measures),
            "runs": query_view.usual,
            "k": "20",
            "show": "all",
            "text": "on",
            "pair": query_view.selection.names[1:2],
        },
    )


def update(view: View, before: View) -> Changes | None:
    """Update the lists, the opened document and the opened sections for the new address."""
    changed = view.address.differences(before.address)
    query_view = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if changed & {"k", "show", "text"}:
        changes[LISTS] = {"children": lists.lists(query_view)}
        changes[MISSED] = {"children": missed(query_view)}
        for name, value in switch_values(query_view).items():
            changes |= control_change(name, value=value)
    if "doc" in changed:
        changes[DOCUMENT] = {"children": _document(query_view, view)}
    if comments.PARAMETER in changed:
        changes |= comments.update(view, "query")
    if changed & {"k", "open"} or view.scheme != before.scheme:
        changes[SECTIONS] = {"children": _sections(query_view, view)}
    return changes


def _sections(query_view: QueryView, view: View) -> list[Any]:
    """The sections that are computed and drawn only when they are opened."""
    return [
        _section(query_view, "table", TABLE_WORDS, lambda: tables(query_view)),
        _section(query_view, "curve", CURVE_WORDS, lambda: _curve(query_view, view)),
    ]


def _section(query_view: QueryView, name: str, words: str, draw: Any) -> Any:
    is_open = name in query_view.opened
    others = [other for other in query_view.opened if other != name]
    toggle = controls.choice(
        [html.Span("▾ " if is_open else "▸ ", **{"aria-hidden": "true"}), words],
        query_view.address,
        "section-toggle",
        title="Close" if is_open else "Open",
        open=others if is_open else [*others, name],
    )
    return html.Section([html.H2(toggle), draw() if is_open else None], className="card")


def _curve(query_view: QueryView, view: View) -> Any:
    query = query_view.query
    if not query.relevant:
        return html.P("No document is known to be relevant to this query, so it has no curve.")
    slots, labels, points = query_view.selection.slots, {}, {}
    levels: list[tuple[int, float, float]] = []
    for ranking in query.rankings:
        if ranking.no_ranking:
            continue
        slot = slots[ranking.run.id]
        labels[slot] = ranking.run.name
        points[slot] = query.points(ranking)
        levels += [(slot, n / 10, value) for n, value in enumerate(query.interpolated(ranking))]
    caption = (
        "A mark at each relevant document, the interpolation as steps, its 11 levels ticked. One "
        "query: no band, no test."
    )
    if len(labels) > MOST_IN_LEGEND:
        caption += " Colours and marks are those of the rankings above."
    frame = pd.DataFrame(levels, columns=["run_id", "recall", "precision"])
    figure = query_curves(points, frame, labels, view.scheme)
    label = "Interpolated precision at 11 levels of recall, a line a run"
    return html.Div(
        [html.P(caption, className="caption"), elements.graph(STEPS, figure, label=label)]
    )


def _csv(view: View) -> File:
    query_view = load(view)
    name = files.file_name(view.address.collection or "", query_view.query.qid, suffix=".csv")
    return files.csv_file(rankings_table(query_view), name)


PAGE = Page("query", render, update, UPDATED, {"rankings.csv": _csv})


# The other parts of the Query page: each a function from its view to components

KEYS = (
    ("J, K", "next and previous query by difference"),
    ("Alt+J, Alt+K", "next and previous query in the order of their ids"),
    ("↓, ↑", "next and previous document of a list, or link of a group"),
    ("Enter", "open the document of the row"),
    ("Esc", "close the document"),
    ("C", "copy its docno"),
    ("G", "judge it, if it is not judged"),
    ("?", "this list"),
    ("Ctrl+K", "search, on every page"),
)

TEXT = 600
"""The most characters of a query's text."""


def title(view: QueryView) -> Any:
    """The id and the text of the query."""
    query = view.query
    text = [" ", html.Span(f"“{wording.clean((query.text or '')[:TEXT])}”", dir="auto")]
    return html.H1(
        [html.Bdi(wording.name(query.qid, 60)), *(text if query.text else [])],
        # On the screen the text is cut after three lines.
        title=wording.clean((query.text or "")[:TEXT]),
        className="query-title",
    )


def about(view: QueryView) -> Any:
    """The attributes of the query, and links to the next and previous ones."""
    chips = [
        html.Span([f"{wording.name(name, 30)} ", html.B(wording.name(value, 40))], className="fact")
        for name, value in view.query.attributes.items()
    ]
    return html.Div([html.Div(chips), neighbours(view)], className="query-heading")


def neighbours(view: QueryView) -> Any:
    """Links to the queries before and after this one, by difference and in natural order."""
    by_id, by_difference = view.order.qids, view.order.by_difference
    sentence = _place(view, by_difference, by_id)
    parts: list[Any] = []
    if by_difference:
        parts += [_step(view, by_difference, -1, "K", "k"), _step(view, by_difference, 1, "J", "j")]
    in_order = html.Span(
        [
            "by id ",
            _step(view, by_id, -1, "Alt+K" if by_difference else "K", "alt+k"),
            _step(view, by_id, 1, "Alt+J" if by_difference else "J", "alt+j"),
        ],
        className="by-id",
    )
    keys = html.Button(
        "?",
        type="button",
        className="keys-button",
        title=OF_KEYS,
        **{"data-command": OF_KEYS},
    )
    parts += [html.Span(sentence, className="place"), in_order, keys, elements.keys_dialog(KEYS)]
    label = {"aria-label": "Other queries"}
    members = controls.roving("a.step, .keys-button")
    return html.Nav(parts, className="neighbours", **label, **members)


def _place(view: QueryView, by_difference: tuple[str, ...], by_id: tuple[str, ...]) -> str:
    """The position of the query in the order that the keys follow."""
    qid, order, pair = view.query.qid, by_difference or by_id, view.pair
    place = f"{order.index(qid) + 1:,} of {len(order):,}" if qid in order else "not judged"
    if by_difference and pair is not None:
        names = [view.selection.short(ranking.run.name) for ranking in pair]
        if sum(map(len, names)) > wording.LONGEST_LABEL:
            return f"{place} by size of difference"
        return f"{place} by |{names[1]} − {names[0]}| on {view.measure.name}"
    if pair is not None and by_id:
        return f"{place} by id; {view.measure.name} can't be computed for both runs"
    return f"{place} by id"


def _step(view: QueryView, order: tuple[str, ...], by: int, key: str, data_key: str) -> Any:
    """A link to a neighbouring query in an order; "–" at its end."""
    at = order.index(view.query.qid) + by if view.query.qid in order else (0 if by > 0 else -1)
    words = "Next" if by > 0 else "Previous"
    if not 0 <= at < len(order):
        text = "– →" if by > 0 else "← –"
        return html.Span(text, className="step", title=f"No {words.lower()} query")
    qid = order[at]
    label = wording.name(qid, 24)
    difference = view.order.differences.get(qid)
    if difference is not None and "Alt" not in key:
        label += f" ({wording.difference(difference, counts=view.measure.counts)})"
    text = f"{label} →" if by > 0 else f"← {label}"
    return html.A(
        html.Bdi(text),
        href=view.address.to("query", qid).changed(doc=None, comment=None).href,
        className="step",
        title=f"{words} query ({key})",
        **{"data-key": data_key, "data-command": f"{words} query ({key})"},
    )


def values(view: QueryView) -> Any:
    """The value of every run, with its difference to the baseline, and the controls."""
    query = view.query
    base, names = query.rankings[0].value, view.selection.names
    entries = []
    for position, ranking in enumerate(query.rankings):
        parts: list[Any] = [
            html.Span("⚑", title="Baseline", className="flag") if not position else None,
            view.selection.label(ranking.run),
            html.Span(
                wording.value(ranking.value, counts=view.measure.counts),
                className="query-value",
                title=ranking.no_value,
            ),
        ]
        if position and base is not None and ranking.value is not None:
            difference = wording.difference(ranking.value - base, counts=view.measure.counts)
            name = view.selection.short(query.rankings[0].run.name)
            parts.append(html.Span(difference, className="query-difference", title=f"− {name}"))
        elif ranking.value is None:
            parts.append(html.Span(wording.clean(ranking.no_value), className="query-no-value"))
        if len(names) > 1:
            parts.append(controls.leave_out(view.address, names, ranking.run.name))
        entries.append(html.Span(parts, className="chip"))
    chips = html.Div(entries, className="chips", **controls.roving("a"))
    return html.Div([chips, *_choices(view)], className="choices")


def _choices(view: QueryView) -> list[Any]:
    chosen = {"runs": view.selection.names, "base": (), "pair": view.selection.names[1:2]}
    parameters = {**view.address.only("m", "qrels").parameters, **chosen}
    compare = Address("compare", view.address.collection, None, parameters)
    parts: list[Any] = [measure_choice(view.measure.name, view.measures)]
    if view.others and len(view.selection.runs) < MOST_RUNS:
        parts.insert(0, controls.add_run(view.others))
    if len(view.selection.runs) > 1:
        parts.append(html.A("Compare these runs", href=compare.href, className="quiet-action"))
    return parts


def summary(view: QueryView) -> str:
    """The difference of the run to the baseline beside it, and the movement between them."""
    pair = view.pair
    if pair is None:
        return "One run alone: add another with runs=… or from the Compare page to see what moves."
    short = view.selection.short
    names = (short(pair[0].run.name), short(pair[1].run.name))
    first, (base, run) = "", pair
    if view.query.relevant and len(view.query.missed) == len(view.query.relevant):
        every = len(view.query.relevant)
        none = f"none of the {every:,} relevant documents is retrieved; "
        first = none if every > 1 else "the only relevant document is not retrieved; "
    elif base.value is not None and run.value is not None:
        less = wording.difference(run.value - base.value, counts=view.measure.counts)
        first = f"{view.measure.name} {less}; "
    return movement.summary(base, run, view.k, names, first)


def known(view: QueryView) -> str:
    """The number of relevant documents, and of those that the runs miss."""
    query = view.query
    if not query.grades:
        return (
            f"The qrels {wording.name(query.qrels)} does not judge this query: no value, no grade."
        )
    if not query.relevant:
        return "No document is judged relevant to this query: every run has nothing to find."
    number = wording.count(len(query.relevant), "relevant document")
    if query.missed:
        return f"{number} known · {len(query.missed):,} found by none of these runs"
    found = f"all {len(query.relevant):,} found" if len(query.relevant) > 1 else "found"
    return f"{number} known · {found}{' by at least one run' * (len(query.rankings) > 1)}"


SIGNS = "green: relevant, higher by grade; dot: judged not relevant; ? or grey tick: not judged"


def strip(view: QueryView) -> Any:
    """Every ranking as a line."""
    rankings = view.query.rankings
    numbers = numbered(rankings)
    last = max((len(ranking.docnos) for ranking in rankings), default=0) or 1
    relevant = len(view.query.relevant)
    rows = [
        html.Div(
            [
                html.Span(className="strip-name"),
                html.Div(className="strip-ranks strip-ticks", **{"data-last": str(last)}),
                html.Span("found", className="strip-found"),
            ],
            className="strip-row strip-head",
            **{"aria-hidden": "true"},
        )
    ]
    for position, ranking in enumerate(rankings):
        hits = len(ranking.relevant_ranks())
        drawn = html.Div(
            f"– {ranking.no_ranking}" if ranking.no_ranking else None,
            className="strip-ranks",
            role="img",
            **{"aria-label": wording.clean(in_words(ranking, relevant))},
            **(
                {}
                if ranking.no_ranking
                else {"data-strip": strip_data(ranking, numbers), "data-last": str(last)}
            ),
        )
        rows.append(
            html.Div(
                [
                    html.Span(
                        [view.selection.label(ranking.run), _show(view, position)],
                        className="strip-name",
                    ),
                    drawn,
                    html.Span(f"{hits}/{relevant}", className="strip-found"),
                ],
                className="strip-row",
            )
        )
    return html.Div(rows, className="rank-strip", **controls.roving("a"))


def _show(view: QueryView, position: int) -> Any:
    """The link that adds a ranking to the lists, or removes it."""
    if not position or len(view.selection.runs) < 3:
        return None
    names, chosen = view.selection.names, [view.selection.names[n] for n in view.lists[1:]]
    name = names[position]
    if name not in chosen:
        added = [*chosen[: MOST_LISTS - 2], name]
        title = f"Show the ranking of {wording.name(name)} below"
        return controls.choice("show", view.address, "row-action", title=title, pair=added)
    if len(chosen) == 1:
        return None
    kept = [other for other in chosen if other != name]
    title = f"Take the ranking of {wording.name(name)} out of the lists"
    return controls.choice("hide", view.address, "row-action", title=title, pair=kept)


SWITCHES = {
    "k": ("Ranks", [(k, k) for k in WINDOWS]),
    "show": ("Which documents", [("all", "All"), ("moved", "Relevant or moved")]),
    "text": ("Texts of the documents", [("on", "Snippets"), ("off", "Docnos")]),
}
"""The labels and options for the lists, by parameter."""


def switch_values(view: QueryView) -> dict[str, str]:
    """The chosen options for the lists: number of ranks, which rows, with or without texts."""
    values = {"k": str(view.k)}
    if len(view.lists) > 1:
        values["show"] = "moved" if view.only_moved else "all"
    if view.can_show_texts:
        values["text"] = "on" if view.with_texts else "off"
    return values


def switches(view: QueryView) -> Any:
    """The controls of these options."""
    parts = [
        controls.segments(name, SWITCHES[name][1], value, label=SWITCHES[name][0])
        for name, value in switch_values(view).items()
    ]
    return html.Div(parts, className="switches")


def missed(view: QueryView) -> Any:
    """The relevant documents that none of the runs retrieves."""
    docnos = view.query.missed
    if not docnos:
        return None
    words = query_words(view.query.text)
    rows = []
    for docno in docnos[:MOST_MISSED]:
        title, text = view.texts.get(docno, ("", ""))
        line = [controls.grade(view.query.grades[docno]), " ", docno_link(view, docno)]
        line += [copy_button(docno), html.Bdi(wording.name(title, 120), className="document-title")]
        parts = [html.Div(line)]
        if text and view.with_texts:
            pieces = marked_pieces(snippet(text, words))
            parts.append(html.Div(pieces, className="snippet", dir="auto"))
        rows.append(html.Li(parts, **{"data-docno": docno}))
    more = len(docnos) - MOST_MISSED
    if more > 0:
        rows.append(html.Li(f"and {more:,} more; the CSV file has all."))
    return html.Div(
        [
            html.H2(f"Missed by all: {len(docnos):,} of {len(view.query.relevant):,}"),
            html.Ul(rows, className="missed", **controls.roving("a.docno")),
        ]
    )


def _document(query_view: QueryView, view: View) -> Any:
    """The opened document: its grade, its rank in every run, its text."""
    docno = view.address.one("doc")
    if not docno:
        return None
    collection = view.address.collection or ""
    texts = read(view.store, lambda: load_document_texts(view.store, collection, [docno], READ))
    query = query_view.query
    title, text = texts.get(docno, ("", ""))
    ranks = [
        html.Span(
            [
                query_view.selection.label(ranking.run),
                f" {_rank(ranking.rank_of.get(docno))}",
            ],
            className="chip",
        )
        for ranking in query.rankings
    ]
    words = query_words(query.text)
    body: Any = html.P("No text is stored of this document.", className="caption")
    if text:
        cut = f" … (the first {READ:,} characters)" if len(text) >= READ else ""
        lines = wording.lines(text)
        body = html.Div(
            [*marked_pieces(list(marked(lines, words))), cut], className="document-text", dir="auto"
        )
    close = controls.choice("Close", view.address, "quiet-action", doc=None)
    return html.Section(
        [
            html.Div(
                [
                    html.H2(
                        [
                            controls.grade(
                                query.grades.get(docno),
                                judging.unjudged(query.qid, docno, query_view.own_grades),
                            ),
                            " ",
                            html.Small(_grade_words(query.grades.get(docno)), className="hint"),
                            " ",
                            html.Code(html.Bdi(wording.name(docno, 200))),
                        ]
                    ),
                    html.Div(close, className="card-aside"),
                ],
                className="card-head",
            ),
            html.P(html.Bdi(wording.name(title, 400))) if title else None,
            html.Div(ranks, className="choices"),
            _explanations(query_view, view, docno),
            body,
        ],
        className="card opened-document",
        tabIndex=-1,
        **{"aria-label": f"Document {wording.name(docno, 80)}"},
    )


def _explanations(query_view: QueryView, view: View, docno: str) -> Any:
    """The engines' explanations of the document's score; None without any."""
    runs = [ranking.run for ranking in query_view.query.rankings]
    qid, collection = query_view.query.qid, view.address.collection or ""
    said = read(
        view.store,
        lambda: load_document_explanations(
            view.store, collection, qid, docno, [run.id for run in runs]
        ),
    )
    if not said:
        return None
    parts = [
        part
        for run in runs
        if run.id in said
        for part in (
            html.Dt(query_view.selection.label(run)),
            html.Dd(html.Bdi(wording.lines(said[run.id])), className="document-text"),
        )
    ]
    return html.Dl([*parts], className="explanations", **{"aria-label": "Explanations of the rank"})


def _grade_words(grade: float | None) -> str:
    if grade is None or grade < 0:
        return "not judged"
    return "relevant" if is_relevant(grade) else "not relevant"


def _rank(rank: int | None) -> str:
    return "not retrieved" if rank is None else f"rank {rank:,}"


# The table that a lecturer draws: the computation of a measure, rank by rank

HEADERS = (
    ("Rank", "from 1"),
    ("Grade", "of the document; ? where nobody judged it"),
    ("P@k", "relevant documents so far ÷ rank"),
    ("R@k", "relevant documents so far ÷ all that are known"),
    ("Gain", "the grade; 0 where it is negative or there is none"),
    ("CG", "the gains so far, added up"),
    ("÷ log₂", "the discounted gain: the gain ÷ the base-2 logarithm of rank + 1"),
    ("DCG", "the discounted gains so far, added up"),
    ("Ideal DCG", "DCG of the best ranking of the judged documents"),
    ("nDCG", "DCG ÷ ideal DCG"),
    ("to AP", "P@k ÷ the number of relevant documents, at the relevant ones: their sum is AP"),
)


def tables(view: QueryView) -> Any:
    """The table of each ranking that is shown as a list."""
    parts = []
    for ranking in view.listed:
        explained = view.query.explained(ranking, view.k)
        label = view.selection.label(ranking.run)
        if explained is None:
            body: Any = html.P("The qrels does not judge this query: there is nothing to compute.")
        elif ranking.no_ranking:
            body = html.P(f"No ranking: {ranking.no_ranking}.")
        else:
            name = wording.name(ranking.run.name)
            body = scrolling(_table(explained), f"{name}, rank by rank")
        parts.append(html.Div([html.H3(label), body], className="lecture"))
    return html.Div(parts, className="lectures")


def _table(explained: Explained) -> Any:
    head = [
        th(html.Abbr(name, title=help_text), className="" if name == "Grade" else "number")
        for name, help_text in HEADERS
    ]
    rows = []
    for row in (*explained.ranks, *explained.hits_below):
        discounted = (row.gain / row.discount, row.dcg, row.ideal_dcg, row.ndcg)
        cells = [
            number(f"{row.rank:,}"),
            td(controls.grade(row.grade), title=wording.name(row.docno, 400)),
            *(number(wording.value(n)) for n in (row.precision, row.recall)),
            *(number(f"{n:g}") for n in (row.gain, row.cumulated)),
            *(number(wording.value(n)) for n in discounted),
            number(wording.value(row.contribution) if row.relevant else ""),
        ]
        rows.append(tr(cells, className="is-relevant" if row.relevant else ""))
    return elements.table(head, rows, "plain-table lecture-table")


def rankings_table(view: QueryView) -> Table:
    """All documents that are retrieved by a run or relevant: grade, and the rank in each run.

    They are ordered by best rank, then by document.
    """
    query = view.query
    best: dict[str, int] = {}
    for ranking in query.rankings:
        for docno, rank in ranking.rank_of.items():
            best[docno] = min(rank, best.get(docno, rank))
    docnos = sorted(best, key=lambda docno: (best[docno], docno.encode()))
    names = [f"rank in {ranking.run.name}" for ranking in query.rankings]
    rows: list[tuple[Value, ...]] = []
    for docno in (*docnos, *query.missed):
        grade = query.grades.get(docno)
        whole = grade is not None and grade.is_integer()
        ranks = [ranking.rank_of.get(docno) for ranking in query.rankings]
        shown = int(grade) if grade is not None and whole else grade
        rows.append((query.qid, docno, shown, int(is_relevant(grade)), *ranks))
    return Table.for_files(("qid", "docno", "grade", "relevant", *names), rows)
