"""The Query page: which documents moved between the rankings of one query."""

from __future__ import annotations

from typing import Any

from dash import html

from dashboard.components import controls, elements, files, ids, wording
from dashboard.components.controls import usual_measure
from dashboard.components.problems import read
from dashboard.figures.figures import MOST_IN_LEGEND
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.query import lists, parts
from dashboard.pages.query.load import QueryView, load
from dashboard.pages.query.movement import READ
from evalstore.comparison.ranked_query import load_document_texts

LISTS, MISSED, SECTIONS, DOCUMENT = "ranked-lists", "missed", "query-sections", "document"
STEPS = "steps"
UPDATED = frozenset({"k", "show", "text", "open", "doc"})
"""The parameters that change parts of the page; all others render it anew."""
TABLE_WORDS = "Rank by rank: grade, P@k, R@k, CG, DCG, nDCG"
CURVE_WORDS = "Recall-precision steps of this query"


def render(view: View) -> Rendered:
    """Render the page."""
    query_view = load(view)
    csv = files.href(query_view.address.only("runs", "base", "qrels", "m"), "rankings.csv")
    body = html.Div(
        [
            parts.heading(query_view),
            parts.values(query_view),
            html.P(parts.summary(query_view), className="claim", dir="auto"),
            html.Section(
                [html.P(parts.known(query_view), className="caption"), parts.strip(query_view)],
                className="card",
            ),
            html.Section(
                [
                    html.Div(
                        [
                            html.H2("Ranked lists"),
                            html.Div(
                                [
                                    parts.switches(query_view),
                                    controls.csv_link("rankings-csv", csv),
                                ],
                                className="card-aside",
                            ),
                        ],
                        className="card-head",
                    ),
                    html.Div(lists.lists(query_view), id=LISTS),
                    html.Div(parts.missed(query_view), id=MISSED),
                ],
                className="card",
            ),
            html.Div(_document(query_view, view), id=DOCUMENT),
            html.Div(_sections(query_view, view), id=SECTIONS),
        ],
        className="query-page",
    )
    title = f"Query {wording.name(query_view.query.qid, 24)}"
    return Rendered(
        title,
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
    """The lists, the opened document and the opened sections follow the address."""
    changed = view.address.differences(before.address)
    query_view = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if changed & {"k", "show", "text"}:
        changes[LISTS] = {"children": lists.lists(query_view)}
        changes[MISSED] = {"children": parts.missed(query_view)}
        chosen = {"k": str(query_view.k), "show": "moved" if query_view.only_moved else "all"}
        chosen["text"] = "off" if view.address.one("text") == "off" else "on"
        present = {"k"} | ({"show"} if len(query_view.lists) > 1 else set())
        present |= {"text"} if query_view.can_show_texts else set()
        for name in present:
            changes[tuple(ids.control(name).items())] = {"value": chosen[name]}
    if "doc" in changed:
        changes[DOCUMENT] = {"children": _document(query_view, view)}
    if changed & {"k", "open"} or view.scheme != before.scheme:
        changes[SECTIONS] = {"children": _sections(query_view, view)}
    return changes


def _document(query_view: QueryView, view: View) -> Any:
    docno = view.address.one("doc")
    if not docno:
        return None
    collection = view.address.collection or ""
    texts = read(view.store, lambda: load_document_texts(view.store, collection, [docno], READ))
    return parts.document(query_view, texts)


def _sections(query_view: QueryView, view: View) -> list[Any]:
    """What is computed and drawn only when it is opened."""
    return [
        _section(query_view, "table", TABLE_WORDS, lambda: parts.tables(query_view)),
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
    relevant = len(query_view.query.relevant)
    runs = [
        parts.Steps(
            ranking.run.name,
            query_view.selection.slots[ranking.run.id],
            ranking.relevant_ranks(),
            relevant,
            query_view.query.interpolated(ranking),
        )
        for ranking in query_view.query.rankings
        if not ranking.no_ranking
    ]
    caption = (
        "A small dot is a relevant document at its rank; the steps are interpolated precision, "
        "its 11 levels marked. One query: no band, no test."
    )
    if len(runs) > MOST_IN_LEGEND:
        caption += " Colours and marks are those of the rankings above."
    figure = parts.recall_precision_steps(runs, view.scheme)
    label = "Interpolated precision at 11 levels of recall, a line a run"
    return html.Div(
        [html.P(caption, className="caption"), elements.graph(STEPS, figure, label=label)]
    )


def _csv(view: View) -> File:
    query_view = load(view)
    name = files.file_name(view.address.collection or "", query_view.query.qid, suffix=".csv")
    return File(name, parts.rankings_csv(query_view))


PAGE = Page("query", render, update, UPDATED, {"rankings.csv": _csv})
