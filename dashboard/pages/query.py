"""The Query page: which documents moved between the rankings of one query."""

from __future__ import annotations

from typing import Any

from dash import html

from dashboard import controls, files, graphs, ids, wording
from dashboard.chosen_measure import usual_measure
from dashboard.figures import MOST_IN_LEGEND
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.ranked import lists, parts, steps, table
from dashboard.ranked.load import QueryView, load
from dashboard.ranked.snippet import READ
from dashboard.store_problems import read
from evalstore.usecases.ranked_query import load_document_texts

LISTS, MISSED, SECTIONS, DOCUMENT = "ranked-lists", "missed", "query-sections", "document"
STEPS = "steps"
UPDATED = frozenset({"k", "show", "text", "open", "doc"})
"""The parameters that change parts of the page; all others render it anew."""
TABLE_WORDS = "Rank by rank: grade, P@k, R@k, CG, DCG, nDCG"
CURVE_WORDS = "Recall-precision steps of this query"


def render(view: View) -> Rendered:
    """Render the page."""
    shown = load(view)
    csv = files.href(shown.address.only("runs", "base", "qrels", "m"), "rankings.csv")
    body = html.Div(
        [
            parts.heading(shown),
            parts.values(shown),
            html.P(parts.summary(shown), className="claim", dir="auto"),
            html.Section(
                [html.P(parts.known(shown), className="caption"), parts.strip(shown)],
                className="card",
            ),
            html.Section(
                [
                    html.Div(
                        [
                            html.H2("Ranked lists"),
                            html.Div(
                                [parts.switches(shown), controls.csv_link("rankings-csv", csv)],
                                className="card-aside",
                            ),
                        ],
                        className="card-head",
                    ),
                    html.Div(lists.lists(shown), id=LISTS),
                    html.Div(parts.missed(shown), id=MISSED),
                ],
                className="card",
            ),
            html.Div(_document(shown, view), id=DOCUMENT),
            html.Div(_sections(shown, view), id=SECTIONS),
        ],
        className="query-page",
    )
    title = f"Query {wording.name(shown.query.qid, 24)}"
    return Rendered(
        title,
        body,
        view.address.collection,
        shown.query.qrels,
        shown.query.all_qrels,
        {
            "m": usual_measure(shown.measures),
            "runs": shown.usual,
            "k": "20",
            "show": "all",
            "text": "on",
            "pair": shown.selection.names[1:2],
        },
    )


def update(view: View, before: View) -> Changes | None:
    """The lists, the opened document and the opened sections follow the address."""
    changed = view.address.differences(before.address)
    shown = load(view)
    changes: dict[Any, dict[str, Any]] = {}
    if changed & {"k", "show", "text"}:
        changes[LISTS] = {"children": lists.lists(shown)}
        changes[MISSED] = {"children": parts.missed(shown)}
        chosen = {"k": str(shown.k), "show": "moved" if shown.only_moved else "all"}
        chosen["text"] = "off" if view.address.one("text") == "off" else "on"
        present = {"k"} | ({"show"} if len(shown.lists) > 1 else set())
        present |= {"text"} if shown.can_show_texts else set()
        for name in present:
            changes[tuple(ids.control(name).items())] = {"value": chosen[name]}
    if "doc" in changed:
        changes[DOCUMENT] = {"children": _document(shown, view)}
    if changed & {"k", "open"} or view.scheme != before.scheme:
        changes[SECTIONS] = {"children": _sections(shown, view)}
    return changes


def _document(shown: QueryView, view: View) -> Any:
    docno = view.address.one("doc")
    if not docno:
        return None
    collection = view.address.collection or ""
    texts = read(view.store, lambda: load_document_texts(view.store, collection, [docno], READ))
    return parts.document(shown, texts)


def _sections(shown: QueryView, view: View) -> list[Any]:
    """What is computed and drawn only when it is opened."""
    return [
        _section(shown, "table", TABLE_WORDS, lambda: table.tables(shown)),
        _section(shown, "curve", CURVE_WORDS, lambda: _curve(shown, view)),
    ]


def _section(shown: QueryView, name: str, words: str, draw: Any) -> Any:
    is_open = name in shown.opened
    others = [other for other in shown.opened if other != name]
    toggle = controls.choice(
        [html.Span("▾ " if is_open else "▸ ", **{"aria-hidden": "true"}), words],
        shown.address,
        "section-toggle",
        title="Close" if is_open else "Open",
        open=others if is_open else [*others, name],
    )
    return html.Section([html.H2(toggle), draw() if is_open else None], className="card")


def _curve(shown: QueryView, view: View) -> Any:
    relevant = len(shown.query.relevant)
    runs = [
        steps.Steps(
            ranking.run.name,
            shown.selection.slots[ranking.run.id],
            ranking.relevant_ranks(),
            relevant,
            shown.query.interpolated(ranking),
        )
        for ranking in shown.query.rankings
        if not ranking.no_ranking
    ]
    caption = (
        "A small dot is a relevant document at its rank; the steps are interpolated precision, "
        "its 11 levels marked. One query: no band, no test."
    )
    if len(runs) > MOST_IN_LEGEND:
        caption += " Colours and marks are those of the rankings above."
    figure = steps.recall_precision_steps(runs, view.scheme)
    label = "Interpolated precision at 11 levels of recall, a line a run"
    return html.Div(
        [html.P(caption, className="caption"), graphs.graph(STEPS, figure, label=label)]
    )


def _csv(view: View) -> File:
    shown = load(view)
    name = files.file_name(view.address.collection or "", shown.query.qid, suffix=".csv")
    return File(name, table.rankings_csv(shown))


PAGE = Page("query", render, update, UPDATED, {"rankings.csv": _csv})
