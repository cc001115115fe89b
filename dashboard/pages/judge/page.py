"""The Judge page: the drafts of a collection, and the documents of one draft to judge.

The documents come later, in the answers to assets/pages/judge.js (`sending.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, judging, shell, wording
from dashboard.components.controls import chosen_measure, labelled
from dashboard.components.elements import number, number_heads, scrolling, td, th, tr
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import reference_of
from dashboard.page import Page, Rendered, View
from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.catalog.links import run_names
from evalstore.comparison.ranked_query import leading_runs
from evalstore.comparison.unjudged.pool import ORDERS
from evalstore.judging.assessors import AssessorFigures, assessors
from evalstore.judging.drafts import RULES, Draft, list_drafts
from evalstore.judging.reading import JudgingSettings, grade_choices, judging_settings
from evalstore.leaderboard.positions import (
    coverage,
    find_leaderboard,
    kept_collection_runs,
    leaderboard_measures,
)
from evalstore.measures import Measure
from evalstore.store import Store

DRAFT, VIEW = "draft", "view"
VIEWS = (("one", "One"), ("list", "List"), ("judged", "Judged"))
ADJUDICATE, FIGURES = "adjudicate", "figures"
KEYS = (
    ("a digit", "the grade with this key"),
    ("C", "can't tell; the comment says why"),
    ("L", "later: the document comes again at the end"),
    ("M", "the field for a comment; Esc leaves it"),
    ("U, Z", "undo"),
    ("↓, ↑", "next and previous document of the list"),
    ("Enter", "its whole text"),
    ("?", "this list"),
)
ORDERS_IN_WORDS = {
    "depth": "best rank first",
    "rbp": "largest RBP weight",
    "rrf": "reciprocal rank fusion",
    "settle": "settles a difference soonest",
}
RULES_IN_WORDS = {
    "majority": "most common, then lowest",
    "mean": "mean",
    "minimum": "minimum",
    "adjudicated": "agreed or adjudicated",
}
MOST_RUNS = 100


def render(view: View) -> Rendered:
    """Render the page."""
    collection = view.address.collection or ""
    drafts = read(view.store, lambda: list_drafts(view.store, collection))
    name = view.address.one(DRAFT)
    title = f"Judge {wording.name(collection, 40)}"
    if not name:
        return Rendered(title, _drafts(view, drafts), collection, files=())
    draft = next((draft for draft in drafts if draft.name == name), None)
    if draft is None:
        raise PageProblem(
            "Not in this store",
            f"There is no draft {wording.name(name)} in {wording.name(collection)}.",
            link=Address("judge", collection).href,
            link_text="See the drafts",
        )
    title = f"Judge {wording.name(name, 40)}"
    return Rendered(title, _draft(view, draft), collection, files=(), defaults={VIEW: "one"})


PAGE = Page("judge", render)


# The drafts of a collection, and a new one


def _drafts(view: View, drafts: Sequence[Draft]) -> Any:
    collection = view.address.collection or ""
    may_write = view.may_write(collection)
    parts: list[Any] = [html.H1(_headline(collection, drafts), className="claim headline")]
    if drafts:
        parts.append(shell.card("Drafts", _table(drafts)))
    if may_write:
        settings = read(view.store, lambda: judging_settings(view.store, collection))
        parts += [_new(view, drafts), _settings(view, settings)]
    return html.Div(parts, className="judge-page")


def _headline(collection: str, drafts: Sequence[Draft]) -> str:
    """The number of documents that wait for a grade, and the draft with most of them."""
    named = wording.name(collection, 60)
    if not drafts:
        return wording.isolated(f"{named} has no draft to judge.")
    left = {one.name: one.documents - one.graded for one in drafts if one.documents > one.graded}
    first = max(left, key=lambda name: left[name], default="")
    if not left:
        return wording.isolated(f"No document in a draft of {named} waits for a grade.")
    all_left = wording.count(sum(left.values()), "document")
    where = wording.name(first, 40)
    if len(left) > 1:
        where = f"drafts, {left[first]:,} of them in {where}"
    return wording.isolated(f"{named}: {all_left} to grade in {where}.")


def _table(drafts: Sequence[Draft]) -> Any:
    head = [
        *number_heads("Draft", "Documents", "Graded", "Can't tell", "Later", "Disagreements"),
        th("Made by"),
        th("Published as"),
    ]
    rows = []
    for draft in reversed(drafts):  # the newest first
        link = html.A(
            html.Bdi(wording.name(draft.name, 60)),
            href=Address("judge", draft.collection, None, {DRAFT: (draft.name,)}).href,
        )
        counts = (draft.documents, draft.graded, draft.cannot_tell, draft.later)
        rows.append(
            tr(
                [
                    th(link, scope="row"),
                    *(number(f"{count:,}") for count in (*counts, draft.disagreements)),
                    td([html.Bdi(wording.name(draft.who, 30)), f" {draft.created_at:%Y-%m-%d}"]),
                    td(_published(draft)),
                ]
            )
        )
    return scrolling(elements.table(head, rows, "plain-table judge-table"), "Drafts")


def _published(draft: Draft) -> Any:
    if draft.published is None:
        return "–"
    to = Address("leaderboard", draft.collection, None, {"qrels": (draft.published,)})
    return html.A(html.Bdi(wording.name(draft.published, 40)), href=to.href)


def _new(view: View, drafts: Sequence[Draft]) -> Any:
    """The form for a draft of the unjudged documents of runs."""
    address, collection = view.address, view.address.collection or ""
    every = read(view.store, lambda: run_names(view.store, collection))
    qrels = read(view.store, lambda: kept_collection(view.store, collection)).qrels
    if not every or not qrels:
        sentence = "A draft has the unjudged documents of runs: add runs and judgments first."
        return shell.card("New draft", html.P(sentence, className="hint"))
    of = address.one("qrels") or qrels[0].name
    stored = read(view.store, lambda: leaderboard_measures(view.store, collection, of))
    name, measure = chosen_measure(address, stored)
    base = reference_of(view, measure)
    chosen = [run for run in address.all("runs") if run in every] or read(
        view.store, lambda: _with_holes(view.store, collection, measure, of, base)
    )
    runs = controls.multi_select(
        "runs",
        controls.options(every),
        chosen,
        label="Runs",
        most=MOST_RUNS,
        class_name="select-wide",
    )
    form = {
        "action": "draft",
        "collection": collection,
        "runs": chosen,
        "qrels": of,
        "measure": name,
    }
    fields = [
        dmc.TextInput(name="name", label="Name", required=True, size="xs"),
        _number("depth", "First ranks of each run", "10"),
        _choice("order", "Choose first", {order: ORDERS_IN_WORDS[order] for order in ORDERS}),
        _number("most", "Documents at most", ""),
        _choice("others", "Documents in other drafts", {"no": "left out", "yes": "included"}),
        _number("overlap", "Judges per document", "1"),
        _choice("rule", "Where judges differ", {rule: RULES_IN_WORDS[rule] for rule in RULES}),
        dmc.TextInput(
            name="judges",
            label="Assign queries to",
            placeholder="names; all, if left out",
            size="xs",
        ),
    ]
    return shell.card(
        "New draft",
        html.P(
            [
                "A draft collects grades until it is published as a qrels. This one continues ",
                html.Bdi(wording.name(of, 40)),
                ": it has the documents in the first ranks of these runs that this qrels does not "
                "judge. Judges see neither run nor rank, and the documents of a query in a random "
                "order.",
                *(
                    [" Documents that other drafts have are left out, unless you choose otherwise."]
                    if any(draft.documents for draft in drafts)
                    else []
                ),
            ],
            className="caption",
        ),
        html.Div(labelled("runs", runs), className="choices"),
        _form(form, fields, "Make the draft"),
    )


def _with_holes(
    store: Store, collection: str, measure: Measure, qrels: str, base: str
) -> list[str]:
    """The best run and `base`, or else the second, of those that lack judgments in their top 10.

    If none does they are of all.
    """
    board = find_leaderboard(store, collection, qrels)
    runs = kept_collection_runs(store, board.collection_id)
    covered = coverage(store, board, list(runs))
    judged = {run.name: covered[run_id].judged for run_id, run in runs.items()}
    leading = leading_runs(store, collection, measure, qrels, len(runs), base)
    lacking = {name for name, share in judged.items() if share is not None and round(share, 2) < 1}
    wanted = [name for name in leading if name in lacking] or leading
    return [*wanted[:1], *([base] if base in wanted[1:] else wanted[1:2])]


def _settings(view: View, settings: JudgingSettings) -> Any:
    """The form for labels, guidelines and the link of a collection."""
    collection = view.address.collection or ""
    labels = settings.labels or dict(
        read(view.store, lambda: grade_choices(view.store, collection))
    )
    fields = [
        dmc.Textarea(
            name="labels",
            label="Grades, one per line: number, then label",
            value="\n".join(f"{grade} {label}".strip() for grade, label in labels.items()),
            autosize=True,
            minRows=2,
            size="xs",
            className="wide",
        ),
        dmc.Textarea(
            name="guidelines",
            label="Guidelines, in Markdown",
            value=settings.guidelines or "",
            autosize=True,
            minRows=2,
            maxRows=16,
            size="xs",
            className="wide",
        ),
        dmc.TextInput(
            name="link",
            label="Link to a document without a stored text",
            value=settings.document_link or "",
            placeholder="https://example.org/{docno}",
            size="xs",
            className="wide",
        ),
    ]
    form = {"action": "settings", "collection": collection}
    return shell.card("Grades and guidelines", _form(form, fields, "Save"))


def _form(sent: Mapping[str, Any], fields: Sequence[Any], button: str) -> Any:
    """A form that the script sends with `sent`; a refusal is shown in it."""
    return html.Form(
        [
            *fields,
            html.Button(button, type="submit", className="action"),
            html.Span(role="status", className="hint"),
        ],
        className="judge-form",
        **{"data-judge-form": json.dumps(sent)},
    )


def _number(name: str, label: str, value: str) -> Any:
    return dmc.TextInput(name=name, label=label, value=value, size="xs", w=150)


def _choice(name: str, label: str, choices: Mapping[str, str]) -> Any:
    data = [{"value": value, "label": text} for value, text in choices.items()]
    return dmc.Select(
        name=name,
        label=label,
        data=data,
        value=data[0]["value"],
        allowDeselect=False,
        size="xs",
        w=220,
    )


# One draft


def _draft(view: View, draft: Draft) -> Any:
    collection = draft.collection
    may_write = view.may_write(collection)
    views = list(VIEWS) if view.may_judge(collection) else []
    if may_write:
        views.append((ADJUDICATE, f"Disagreements {draft.disagreements:,}"))
    views.append((FIGURES, "Publish" if may_write else "Figures"))
    usual = views[0][0]
    shown = view.address.one(VIEW) or usual
    if shown not in dict(views):
        shown = usual
    body = _figures(view, draft) if shown == FIGURES else _judging(view, draft, shown)
    return html.Div(
        [
            shell.heading(
                [html.Bdi(wording.name(draft.name, 60))],
                html.P(_about(draft, with_counts=shown == FIGURES), className="caption"),
            ),
            html.Div(
                [
                    controls.segments(VIEW, views, shown, label="What is shown"),
                    html.A(
                        "All drafts",
                        href=Address("judge", collection).href,
                        className="quiet-action",
                    ),
                    html.Button(
                        "Keys",
                        type="button",
                        className="quiet-action keys-button",
                        title=elements.OF_KEYS,
                    ),
                    elements.keys_dialog(KEYS),
                ],
                className="choices",
            ),
            *body,
        ],
        className="judge-page",
    )


def _about(draft: Draft, *, with_counts: bool) -> list[Any]:
    """Where a draft comes from and how far it is, in a line.

    The counts change while one judges, so they are left out there.
    """
    documents = wording.count(draft.documents, "document")
    counts = f"{draft.graded:,} of {documents} graded, {draft.cannot_tell:,} can't tell, "
    if draft.graded_by_fewer:
        counts = (
            f"{draft.graded + draft.graded_by_fewer:,} of {documents} judged, "
            f"{draft.graded_by_fewer:,} of them by fewer than {draft.overlap:,}, "
            f"{draft.cannot_tell:,} can't tell, "
        )
    parts: list[Any] = [f"{counts}{draft.later:,} for later" if with_counts else documents]
    if draft.overlap > 1:
        parts.append(f" · {draft.overlap:,} judges each")
    if draft.parent:
        parts += [" · continues ", html.Bdi(wording.name(draft.parent, 40))]
    if draft.published:
        parts += [" · last published as ", _published(draft)]
    return parts


def _judging(view: View, draft: Draft, shown: str) -> list[Any]:
    """The query, and an empty element that the script fills with documents and grades."""
    collection = draft.collection
    settings = read(view.store, lambda: judging_settings(view.store, collection))
    mode: judging.Mode = "adjudicate" if shown == ADJUDICATE else "judge"
    data = judging.settings(
        view, draft.name, mode, is_list=shown == "list", is_review=shown == "judged"
    )
    guidelines = None
    if settings.guidelines:
        guidelines = html.Details(
            [html.Summary("Guidelines"), elements.markdown(settings.guidelines)]
        )
    return [
        html.Section(
            [
                html.Div(id="judge-query"),
                html.Div(elements.markdown("", id="judge-description"), dir="auto"),
                guidelines,
            ],
            className="card",
            **{"aria-label": "Query"},
        ),
        html.Div(id="judge", **{"data-judging": data}),
    ]


def _figures(view: View, draft: Draft) -> list[Any]:
    """The figures of the assessors, and the form that publishes the draft."""
    collection = draft.collection
    every = read(view.store, lambda: assessors(view.store, collection, draft.name))
    parts = [shell.card("Judges", _assessors(every))]
    if not view.may_write(collection):
        return parts
    form = {"action": "publish", "collection": collection, "draft": draft.name}
    rules: dict[str, str] = {draft.rule: RULES_IN_WORDS[draft.rule]}
    rules |= {rule: RULES_IN_WORDS[rule] for rule in RULES}
    fields = [
        dmc.TextInput(name="name", label="Name", placeholder="the next version", size="xs"),
        dmc.TextInput(name="reason", label="Why", required=True, size="xs", className="wide"),
        _choice("rule", "Where judges differ", rules),
        _choice(
            "default",
            "Figures are shown",
            {"no": "under the default as before", "yes": "under the new qrels"},
        ),
    ]
    sentence = (
        "Publishing makes a qrels of the judgments so far and evaluates the stored runs under it. "
        "The draft stays open."
    )
    caption = html.P(sentence, className="caption")
    return [*parts, shell.card("Publish", caption, _form(form, fields, "Publish"))]


def _assessors(every: Sequence[AssessorFigures]) -> Any:
    if not every:
        return html.P("Nobody has judged yet.")
    head = number_heads(
        "Judge", "Graded", "Can't tell", "Later", "Adjudicated", "Shared", "Agreement", "Kappa",
        "1st half", "2nd half", "Repeats", "Same again",
    )  # fmt: skip
    rows = []
    for one in every:
        counts = (one.graded, one.cannot_tell, one.later, one.adjudicated, one.pairs)
        shares = (one.agreement, one.kappa, one.first_half, one.second_half)
        rows.append(
            tr(
                [
                    th(html.Bdi(wording.name(one.assessor, 40)), scope="row"),
                    *(number(f"{count:,}") for count in counts),
                    *(number(_share(share)) for share in shares),
                    number(f"{one.repeats:,}"),
                    number(_share(one.consistency)),
                ]
            )
        )
    notes = (
        "Shared: grades of a document that another judge graded too. Agreement: the share of equal "
        "ones, and in each half of them in time; kappa is Cohen's. Repeats: documents judged "
        "again by the same person, also in another draft."
    )
    table = elements.table(head, rows, "plain-table judge-table")
    return html.Div([scrolling(table, "Figures of the judges"), html.P(notes, className="caption")])


def _share(share: float) -> str:
    return "–" if math.isnan(share) else f"{share:.2f}"
