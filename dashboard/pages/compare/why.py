"""The section "Why" of the Compare page: what makes the difference of the chosen pair.

It has the queries that make most of the difference, the relevant documents that crossed the top 10
there, the parameters and other facts in which the two runs differ, and their notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from dash import html

from dashboard.components import controls, elements, judging, shell, wording
from dashboard.components.elements import number, number_heads, scrolling, td, th, tr
from dashboard.components.problems import read
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from dashboard.pages.query.movement import TOP, Moved, crossed, rank_words
from evalstore.client.differences import differing_of_several
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.ranked_query import load_ranked_query
from evalstore.comparison.unjudged.holes import check_measure, find_holes
from evalstore.errors import EvalstoreError, MeasureError
from evalstore.measures import parse
from evalstore.tracking.run_overview import run_facts

MOST_QUERIES = 5
MOST_DOCUMENTS = 3
MOST_FACTS = 8
LONGEST_NOTE = 2_000
LONG = 60
"""Characters of a fact or text; a longer one is shortened."""


def why_section(comparison: Comparison, view: View) -> Any:
    """The queries, the documents and the facts behind the difference of the chosen pair."""
    run, base = map(comparison.selection.short, (comparison.run, comparison.baseline))
    title = f"Why: {run} − {base}"
    values = comparison.pair_values
    pair = comparison.pair(comparison.run)
    if pair is None or not pair.difference:
        return shell.card(title, html.P("There is no difference to explain."))
    side = values[values["difference"] * pair.difference > 0]
    order = side["difference"].abs().sort_values(ascending=False, kind="stable").index
    most = side.loc[order[:MOST_QUERIES]]
    share = 100 * most["difference"].sum() / side["difference"].sum()
    which = "above" if pair.difference > 0 else "below"
    of = wording.count(len(side), "query", "queries")
    sentence = (
        f"{comparison.measure.label}: {len(most)} of the {of} with a difference {which} 0 make "
        f"{share:.0f} % of what these differ."
    )
    rows = [
        _query_row(comparison, view, str(qid), float(difference))
        for qid, difference in zip(most["qid"], most["difference"], strict=True)
    ]
    head = number_heads("Query", "Difference")
    head += [th(f"Relevant that left the top {TOP}"), th(f"Relevant that entered the top {TOP}")]
    return shell.card(
        title,
        html.P(sentence, className="caption"),
        scrolling(
            elements.table(head, rows, "plain-table why-queries"),
            "The queries that make most of the difference",
        ),
        _unjudged(comparison, view),
        _facts(comparison, view),
        *_notes(comparison, view),
    )


def _query_row(comparison: Comparison, view: View, qid: str, difference: float) -> Any:
    runs = [comparison.selection.run(name) for name in (comparison.baseline, comparison.run)]
    query = read(
        view.store,
        lambda: load_ranked_query(
            view.store,
            comparison.address.collection or "",
            qid,
            runs,
            parse(comparison.measure.name),
            comparison.qrels[0],
        ),
    )
    entered, left = crossed(*query.rankings)
    address = comparison.address.to("query", qid).changed(
        runs=[run.name for run in runs], pair=None, query=None, open=None, base=runs[0].name
    )
    text = html.Bdi(wording.name(query.text or "", LONG), className="hint")
    unanswered = [
        html.Div([html.Bdi(comparison.selection.short(ranking.run.name)), f": {why}"])
        for ranking in query.rankings
        if (why := ranking.no_ranking)
    ]
    return tr(
        [
            th(
                [html.A(html.Bdi(wording.name(qid, 40)), href=address.href), " ", text, *unanswered]
            ),
            number(wording.difference(difference, counts=comparison.measure.counts)),
            td(_documents(left)),
            td(_documents(entered)),
        ]
    )


def _unjudged(comparison: Comparison, view: View) -> Any:
    """The unjudged documents whose judgment would change the difference most, to judge here."""
    names, collection = (comparison.baseline, comparison.run), comparison.address.collection or ""
    name = comparison.measure.name
    measure = parse(name)
    try:
        check_measure(name, measure)
    except MeasureError:
        return None
    loaded = read(
        view.store,
        lambda: load_stored_runs(
            view.store,
            names,
            {name: measure},
            collection=collection,
            qrels=comparison.qrels[0],
        ),
    )
    try:
        holes = find_holes(loaded, name, measure).holes[:MOST_QUERIES]
    except EvalstoreError:  # such as a run without rankings, of which the page says more above
        return None
    if not holes:
        return None
    own = judging.own_grades(view)
    rows = []
    for hole in holes:
        query = comparison.address.to("query", hole.qid).changed(
            runs=names, pair=None, query=None, open=None, base=names[0], doc=hole.docno
        )
        rows.append(
            tr(
                [
                    td(controls.grade(None, judging.unjudged(hole.qid, hole.docno, own))),
                    th(html.Bdi(wording.name(hole.qid, 40)), scope="row"),
                    td(html.A(html.Bdi(wording.name(hole.docno, 60)), href=query.href)),
                    number(wording.difference(hole.change, counts=comparison.measure.counts)),
                ],
                **{"data-docno": hole.docno},
            )
        )
    head = [th("Grade"), th("Query"), th("Document"), th("Changes it by", className="number")]
    return html.Div(
        [
            html.P(
                "Unjudged documents that would change the difference most with the highest grade:",
                className="caption",
            ),
            scrolling(elements.table(head, rows), "Unjudged documents", members="button, a"),
        ],
        className="card-part",
        **judging.in_place(view),
    )


def _documents(moved: Sequence[Moved]) -> list[Any]:
    """The first documents that crossed, each with its ranks before and after."""
    if not moved:
        return ["–"]
    parts: list[Any] = []
    for docno, before, after in moved[:MOST_DOCUMENTS]:
        parts += [
            html.Bdi(wording.name(docno, LONG)),
            f" {rank_words(before)} → {rank_words(after)}",
            html.Br(),
        ]
    if len(moved) > MOST_DOCUMENTS:
        parts.append(f"and {len(moved) - MOST_DOCUMENTS} more")
    return parts


def _facts(comparison: Comparison, view: View) -> Any:
    """The recorded facts in which the two runs differ."""
    names = (comparison.baseline, comparison.run)
    facts = read(
        view.store,
        lambda: differing_of_several(view.store, names, comparison.address.collection or ""),
    )
    if not facts.facts:
        return html.P("The two runs differ in no recorded parameter, commit or other fact.")
    shown = dict(islice(facts.facts.items(), MOST_FACTS))
    table = facts_table([(comparison.slots[name], name) for name in names], shown)
    more = len(facts.facts) - len(shown)
    title = html.P("Recorded facts that differ:", className="caption")
    rest = html.P(f"{more} more under “Parameters that differ”.", className="hint")
    return html.Div([title, table, rest if more else None], className="card-part")


def _notes(comparison: Comparison, view: View) -> list[Any]:
    """The note of each of the two runs that has one: it may say what no parameter does."""
    collection, parts = comparison.address.collection, []
    for name in (comparison.baseline, comparison.run):
        facts = read(view.store, partial(run_facts, view.store, name, collection))
        if facts.note:
            of = html.P(
                ["Note of ", html.Bdi(comparison.selection.short(name)), ":"], className="caption"
            )
            text = elements.markdown(wording.shorten(facts.note, LONGEST_NOTE))
            parts.append(html.Div([of, html.Div(text, dir="auto")], className="card-part"))
    return parts


def facts_table(runs: Iterable[tuple[int, str]], facts: Mapping[str, Sequence[Any]]) -> Any:
    """One row per fact, one column per run; `runs` are the slots and names of the runs."""
    head = ["", *(controls.engine(slot, name) for slot, name in runs)]
    body = [
        tr(
            [
                th(html.Bdi(wording.name(name.removeprefix("parameters."), LONG)), scope="row"),
                *(_fact(value) for value in values),
            ]
        )
        for name, values in facts.items()
    ]
    return scrolling(elements.table(list(map(th, head)), body), "Facts in which the runs differ")


def _fact(value: Any) -> Any:
    if value is None:
        return td("–", title="not recorded")
    text = str(value)
    return td(html.Bdi(wording.name(text, LONG)), title=wording.name(text, 400))
