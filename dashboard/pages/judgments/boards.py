"""The leaderboards of the same runs: under two qrels, and without what one engine found alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import number, number_heads, td, th, tr
from dashboard.components.problems import sentence
from dashboard.figures.figure import better_or_worse, tint
from dashboard.page import View
from dashboard.pages.judgments.load import TwoQrels, reused
from dashboard.pages.leaderboard.agreement import coefficient
from evalstore.comparison.qrels.changes import ChangedRun
from evalstore.comparison.qrels.families import FamilyBias
from evalstore.comparison.qrels.leaderboards import CHANGES, Claim, Leaderboards
from evalstore.comparison.significance import Pair
from evalstore.store.queries.qrels import StoredQrels
from evalstore.tables.table import written_value

MOST_ROWS = 20
MOST_QUERIES = 5
TABLE = "plain-table judgment-table"
IN_ORDER = ("turned", "lost", "new", "kept")
MARKS = (
    "▲ better, ▼ worse: shown by the test after correction. △, ▽: not shown after correction. "
    "Without a mark: neither."
)
"""The signs of `better_or_worse`."""
EXPLAINED: Mapping[str, str] = {
    "kept": "Shown under a and under b",
    "lost": "Shown under a alone",
    "new": "Shown under b alone",
    "turned": "Shown under both, in opposite directions",
}


def parts(two: TwoQrels, slots: Mapping[str, int]) -> list[Any]:
    """The card of the leaderboards; `slots` are those of the engines, by run."""
    boards = two.boards
    title = "What does it mean for the leaderboard?"
    if boards is None:
        return [shell.card(title, html.P("Runs are compared under both…", className="caption"))]
    notes = [
        html.P(sentence(note), dir="auto") for note in map(wording.clean, two.compared.every_note)
    ]
    below = html.Div(notes, className="board-notes")
    of = boards.leaderboards
    if of is None:
        return [shell.card(title, html.P(boards.reason, className="board-problem"), below)]
    labels = wording.labels({*(run.run for run in of.changes.runs), of.baseline or ""})
    orders, claims = _orders(two, of, labels), _claims(two, of, labels)
    card = shell.card(title, orders, _runs(two, of, labels, slots), claims, below)
    return [card, *_families(of)]


def _orders(two: TwoQrels, of: Leaderboards, labels: Mapping[str, str]) -> Any:
    """The agreement of the two orders, of all runs and of the best under a."""
    top, overlap = of.top
    figures = (
        ("tau-b", of.changes.kendall_tau_b, top.kendall_tau_b, "Kendall's tau-b of the two orders"),
        ("tau-AP", of.changes.tau_ap, top.tau_ap, "Tau-AP: changes at the top count more"),
        ("RBO", of.rbo, overlap, "Rank-biased overlap, p 0.9"),
    )
    every = wording.count(len(of.changes.runs), "run")
    words: list[Any] = [f"{every} on ", html.Abbr(two.info.label, title=two.info.help), ": "]
    for label, value, of_top, title in figures:
        words += [html.Abbr(label, title=title), f" {coefficient(value)}"]
        words.append(f" ({coefficient(of_top)} of the 10 best under a), ")
    drop = of.largest_drop
    words[-1] = words[-1].removesuffix(", ") + "."
    if drop is not None:
        run = html.Bdi(labels[drop.run])
        words += [" Largest drop: ", run, f", {of.drop_words}."]
    return html.P([*words, *_by_queries(two, of)], className="caption")


def _by_queries(two: TwoQrels, of: Leaderboards) -> list[Any]:
    """The queries that make half of what changes between the runs, as links."""
    if not of.queries:
        return []
    most = of.most_of_it
    words: list[Any] = [f" {of.half_words}: "]
    for place, one in enumerate(most[:MOST_QUERIES]):
        href = Address("query", two.address.collection, one.query).href
        link = html.A(html.Bdi(wording.name(one.query, 24)), href=href)
        words += [", " if place else "", link, f" ({100 * one.share:.0f} %)"]
    return [*words, ", …" if len(most) > MOST_QUERIES else "."]


def _runs(
    two: TwoQrels, of: Leaderboards, labels: Mapping[str, str], slots: Mapping[str, int]
) -> Any:
    """The runs in the order under a; the rest of many runs can be opened."""
    rows = [_run(two, run, labels[run.run], slots) for run in of.changes.runs]
    heads = number_heads("run", "under a", "rank", "", "rank", "under b")
    made = elements.table(heads, rows[:MOST_ROWS], TABLE)
    shown = elements.scrolling(made, "Runs under a and under b", members="a")
    if len(rows) <= MOST_ROWS:
        return shown
    rest = elements.table(heads, rows[MOST_ROWS:], TABLE)
    summary = html.Summary(f"{wording.count(len(rows) - MOST_ROWS, 'more run')}")
    opened = elements.scrolling(rest, "More runs", members="a")
    return html.Div([shown, html.Details([summary, opened])])


def _run(two: TwoQrels, run: ChangedRun, label: str, slots: Mapping[str, int]) -> Any:
    counts = two.info.counts
    moved = run.rank_before - run.rank_after
    # Blue and orange, and the signs of claims, are for what a test shows.
    places = f"{moved:+,}".replace("-", "−") if moved else "="
    href = two.under(two.a, "run", run.run).href
    return tr(
        [
            th(controls.engine(slots.get(run.run, 0), label, href=href, limit=32), scope="row"),
            number(wording.value(run.before, counts=counts)),
            number(f"{run.rank_before:,}"),
            td(places, className="number one-line"),
            number(f"{run.rank_after:,}"),
            number(wording.value(run.after, counts=counts)),
        ]
    )


def _claims(two: TwoQrels, of: Leaderboards, labels: Mapping[str, str]) -> Any:
    """The claims: their numbers by change, which choose the rows, and the rows."""
    if of.claims is None or of.counts is None:
        return None
    asked = two.address.one("show")
    chosen = asked if asked in CHANGES else ""
    filters = [
        controls.choice(
            [name, html.Span(f" {of.counts[name]:,}", className="count-of")],
            two.address,
            "filter current" if name == chosen else "filter",
            title=EXPLAINED[name],
            show="" if name == chosen else name,
        )
        for name in CHANGES
    ]
    pairs = "of all pairs"
    if of.baseline is not None:
        pairs = f"of the pairs with the baseline {labels[of.baseline]}"
    found = [one for one in of.claims if one.change == (chosen or one.change)]
    found.sort(key=lambda one: IN_ORDER.index(one.change))
    heads = [th("claim"), *number_heads("run", "under a", "under b")]
    rows = [_claim(two, one, labels, of.baseline) for one in found[:MOST_ROWS]]
    more = len(found) - MOST_ROWS
    return html.Div(
        [
            html.H3("Differences that are shown"),
            html.P(wording.isolated(f"Claims {pairs}."), className="caption"),
            html.Div(filters, className="filters"),
            elements.scrolling(
                elements.table(heads, rows, f"{TABLE} claim-table"), "Claims", members="a"
            )
            if rows
            else html.P("There is none.", className="caption"),
            html.P(MARKS, className="hint") if rows else None,
            html.P(f"{more:,} more; the CSV file has all.", className="hint") if more > 0 else None,
        ]
    )


def _claim(two: TwoQrels, one: Claim, labels: Mapping[str, str], baseline: str | None) -> Any:
    names = (one.under_a.b, one.under_a.a)
    run, base = (html.Bdi(labels[name], title=wording.name(name, 400)) for name in names)
    return tr(
        [
            th(one.change, scope="row", title=EXPLAINED[one.change]),
            td(run if baseline else [run, html.Span(" against ", className="query-text"), base]),
            *(_verdict(two, *side) for side in ((one.under_a, two.a), (one.under_b, two.b))),
        ]
    )


def _verdict(two: TwoQrels, pair: Pair, qrels: StoredQrels) -> Any:
    """The difference of a pair under one qrels, as a link to its comparison."""
    sign, title = better_or_worse(pair)
    difference = wording.difference(pair.difference, counts=two.info.counts)
    runs: Sequence[str] = (pair.a, pair.b)
    compare = two.under(qrels, "compare").changed(runs=runs, base=pair.a, m=two.name)
    text = f"{sign} {difference}".strip()
    link = html.A(text, href=compare.href, title=f"Compare: {title or pair.verdict}")
    return td(link, className=f"number one-line {tint(sign)}".strip())


def _families(of: Leaderboards) -> list[Any]:
    """The card of the families of engines that are stated; none without any."""
    if not of.families:
        return []
    words = (
        "b is tested against a, on the documents that both judge in the first 10 ranks of a "
        "family’s runs: how much more b gives than a, and than to the documents of the other runs "
        "with the same grade in a (favour, with its 95 % interval and corrected p)."
    )
    heads = [th("family"), *number_heads("documents", "b − a", "favour")]
    rows = [_family(one) for one in of.families]
    return [
        shell.card(
            "Does b favour a family of engines?",
            html.P(words, className="caption"),
            elements.scrolling(
                elements.table(heads, rows, f"{TABLE} claim-table"), "Families of engines"
            ),
        )
    ]


def _family(one: FamilyBias) -> Any:
    favour = one.favour
    known = math.isfinite(favour.low)
    ends = f"{_grades(favour.low)} to {_grades(favour.high)}" if known else ""
    tested = math.isfinite(one.p_corrected)
    p = f"p {written_value(one.p_corrected, 'p', 4)}" if tested else ""
    name = html.Bdi(wording.name(one.family, 32))
    shown = "favoured" if one.favoured else "gets less" if one.gets_less else ""
    return tr(
        [
            th([name, " ", html.Strong(shown)], scope="row"),
            number(f"{one.documents:,}"),
            number(_grades(one.bias)),
            number([_grades(favour.favour), html.Small([ends, html.Br(), p])]),
        ]
    )


def _grades(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−") if math.isfinite(value) else "–"


REUSE = "reuse"
"""Opens the card on another use of the judgments: `open=reuse`."""


def reuse_card(view: View, qrels: StoredQrels) -> Any:
    """Whether judgments serve a new engine; computed once it is asked for."""
    title = "Can they be used again?"
    if view.address.one("open") != REUSE:
        name = wording.name(qrels.name, 40)
        words = (
            f"How the runs would rank under {name} if their engine had not been in the pool: "
            "what it alone found would not be judged. "
        )
        ask = controls.choice("Leave each engine out", view.address, "quiet-action", open=REUSE)
        return shell.card(title, html.P([words, ask], className="caption", dir="auto"))
    found = reused(view, qrels)
    if isinstance(found, str):
        return shell.card(title, html.P(found, className="board-problem", dir="auto"))
    heads = [th("run"), *number_heads("found alone", found.measure, "without", "rank", "without")]
    counts = wording.measure_info(found.measure).counts
    labels = wording.labels(of.run for of in found.runs)
    rows = [
        tr(
            [
                th(html.Bdi(labels[of.run]), scope="row"),
                number(f"{of.unique:,}"),
                number(wording.value(of.before, counts=counts)),
                number(wording.value(of.after, counts=counts)),
                number(f"{of.rank_before:,}"),
                number(f"{of.rank_after:,}"),
            ]
        )
        for of in found.runs
    ]
    per = f"{found.judgments_per_relevant:.1f} documents were judged per relevant one."
    return shell.card(
        title,
        html.P(wording.isolated(f"{found.sentence}. {per}"), dir="auto"),
        elements.scrolling(elements.table(heads, rows, TABLE), "Each engine left out"),
    )
