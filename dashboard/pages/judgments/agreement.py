"""The judgments of two qrels: figures, confusion matrix, documents of a cell, queries."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import number, td, th, tr
from dashboard.pages.judgments.load import NONE, TwoQrels, grade_name
from dashboard.pages.leaderboard.agreement import coefficient
from dashboard.theme import HEAT_STEPS
from evalstore.comparison.qrels.documents import JudgedDocuments

MATRIX, DOCUMENTS = "judgments-matrix", "judgments-documents"
MOST_DOCUMENTS = 200
MOST_QUERIES = 20
LONGEST_TEXT = 80

FIGURES = (
    ("agreement", "same grade", "The share of the documents judged in both with the same grade"),
    ("kappa", "kappa", "Cohen's kappa: 1 if all grades are the same, 0 if no more than by chance"),
    ("kappa_linear", "linear kappa", "Cohen's kappa; far grades count more, by their distance"),
    ("kappa_quadratic", "quadratic kappa", "Cohen's kappa; by the square of the distance"),
    ("kappa_binary", "binary kappa", "Cohen's kappa of relevant or not"),
    ("alpha_ordinal", "alpha", "Krippendorff's alpha of ordered grades; the CSV has two others"),
    (
        "relevant_overlap_both",
        "overlap",
        "Of the documents judged in both and relevant in either, the share that is relevant in "
        "both",
    ),
    (
        "relevant_overlap",
        "overlap, not judged as not relevant",
        "Of the documents relevant in either, the share that is relevant in both: not judged "
        "counts as not relevant",
    ),
    ("bias", "b − a", "The mean of the grade in b less that in a: below 0, b is stricter"),
)
"""The figures: name, label and explanation."""
SHOWN = ("agreement", "kappa", "relevant_overlap_both", "bias")
"""The figures that are shown at once."""


def figures(two: TwoQrels) -> Any:
    """The figures with their intervals; most of them and the numbers of documents can be opened."""
    of = two.judgments
    counts = (
        ("in both", of.both, "The documents that a and b judge"),
        ("only in a", of.only_a, "The documents that a judges and b does not"),
        ("only in b", of.only_b, "The documents that b judges and a does not"),
    )
    shown: list[Any] = []
    more = [_box(label, f"{count:,}", "", title) for label, count, title in counts]
    level = wording.level(1 - of.settings.confidence)
    for name, label, title in FIGURES:
        ends = of.intervals[name]
        known = math.isfinite(ends.low)
        interval = f"{coefficient(ends.low)} to {coefficient(ends.high)}" if known else ""
        explained = f"{title}. Below it the {level} interval, by a bootstrap over queries."
        box = _box(label, coefficient(of.figures[name]), interval, explained)
        (shown if name in SHOWN else more).append(box)
    opened = html.Div(more, className="judgment-figures")
    return [
        html.Div(shown, className="judgment-figures"),
        html.Details([html.Summary(f"{len(more)} more figures"), opened]),
    ]


def _box(label: str, value: str, interval: str, title: str) -> Any:
    return html.Div(
        [
            html.Abbr(label, title=title),
            html.Strong(value),
            html.Span(interval, className="hint"),
        ]
    )


def matrix_card(two: TwoQrels, listed: Any) -> Any:
    """The confusion matrix, and the documents of its opened cell."""
    words = (
        "Rows: the grade in a; columns: that in b. Darker: a larger share of the row. A number "
        "opens its documents."
    )
    return shell.card(
        "Which grades do they give?",
        html.P(words, className="caption"),
        html.Div(matrix(two), id=MATRIX),
        html.Div(listed, id=DOCUMENTS),
    )


def matrix(two: TwoQrels) -> Any:
    """Documents by grade in a and in b, and by how much b differs."""
    of = two.judgments
    names = [*map(grade_name, of.grade_numbers), NONE]
    table, bias = of.table.tolist(), [row["bias"] for row in of.by_grade()]
    head = [th("a \\ b", title="a: rows, b: columns")]
    head += [th(_grade(name), className="number", scope="col") for name in names]
    head.append(th("b − a", className="number", title="The mean of the grade in b less this one"))
    rows = []
    for row, name in enumerate(names):
        total = sum(table[row])
        cells = [_cell(two, (name, other), table[row][n], total) for n, other in enumerate(names)]
        moved = float(bias[row] or 0) if row < len(bias) and bias[row] is not None else None
        cells.append(number("" if moved is None else _signed(moved)))
        rows.append(tr([th(_grade(name), scope="row"), *cells]))
    made = elements.table(head, rows, "plain-table confusion")
    return elements.scrolling(made, "Documents by grade in a and in b", members="a")


def _grade(name: str) -> Any:
    return "not judged" if name == NONE else controls.grade(float(name))


def _cell(two: TwoQrels, names: tuple[str, str], count: int, total: int) -> Any:
    if not count:
        return number("" if names == (NONE, NONE) else "0")
    step = round((HEAT_STEPS - 1) * count / total)
    in_a, in_b = ("not judged" if name == NONE else f"grade {name}" for name in names)
    title = f"{in_a} in a, {in_b} in b: {100 * count / total:.0f} % of the row"
    is_open = two.address.all("cell") == names
    link = controls.choice(
        f"{count:,}", two.address, title=title, cell="" if is_open else list(names)
    )
    classes = f"number heat-{step}" + (" chosen" if is_open else "")
    return td(link, className=classes)


def _signed(value: float) -> str:
    return "0.00" if not round(value, 2) else f"{value:+.2f}".replace("-", "−")


def documents_of_cell(two: TwoQrels, of: JudgedDocuments) -> Any:
    """The documents of the opened cell by query, with links to the query, the document open."""
    if two.cell is None:
        return None
    count, (a, b) = len(of.a), two.cell
    words = [
        f"{wording.count(count, 'document')}: {_words(a)} in a, {_words(b)} in b",
        f". The first {MOST_DOCUMENTS}; the CSV file has all" if count > MOST_DOCUMENTS else "",
    ]
    # b's judgments are those that its documents have, if a has none.
    qrels = two.b if a < 0 else two.a
    items = []
    for qid, rows in groupby(of.first(MOST_DOCUMENTS).rows(), lambda row: row[0]):
        query = two.under(qrels, "query", qid)
        links = [
            html.A(html.Bdi(wording.name(docno, 48)), href=query.changed(doc=docno).href)
            for _, docno, _, _ in rows
        ]
        items.append(html.Li([_query_link(query), *links]))
    listed = html.Ul(items, className="cell-documents", **controls.roving("a"))
    return html.Div([html.P(words, className="caption"), listed])


def _words(grade: float) -> str:
    return "not judged" if grade < 0 else f"grade {grade_name(grade)}"


def _query_link(query: Address) -> Any:
    return html.A(
        html.Bdi(wording.name(query.name or "", 24)), href=query.href, className="cell-query"
    )


def sorted_queries(two: TwoQrels) -> list[dict[str, Any]]:
    """The queries, those of the lowest agreement first, then of the lowest overlap."""

    def key(row: dict[str, Any]) -> Any:
        figures = (row["agreement"], row["relevant_overlap"])
        return [1.0 if figure is None else figure for figure in figures]

    return sorted(two.judgments.queries(), key=key)


def queries_card(two: TwoQrels, texts: dict[str, str]) -> Any:
    """The queries that differ most, with links to the query under a and under b."""
    differ = [row for row in sorted_queries(two) if _differs(row)]
    rows = [_query_row(two, row, texts) for row in differ[:MOST_QUERIES]]
    heads = [
        th("query"),
        *(th(text, className="number") for text in ("both", "only a", "only b", "same", "overlap")),
        th("look at it", className="one-line"),
    ]
    first = f"; the first {MOST_QUERIES} are shown" if len(differ) > MOST_QUERIES else ""
    words = (
        f"The share of the documents judged in both that have the same grade, the lowest first; "
        f"then by the overlap of the relevant, where not judged counts as not relevant. "
        f"{len(differ):,} of "
        f"{wording.count(len(two.judgments.qids), 'query', 'queries')} differ{first}."
    )
    return shell.card(
        "Which queries differ most?",
        html.P(words, className="caption"),
        elements.scrolling(
            elements.table(heads, rows, "plain-table judgment-table of-queries"),
            "Queries",
            members="a",
        ),
    )


def _differs(row: dict[str, Any]) -> bool:
    return row["agreement"] not in (None, 1) or bool(row["only_a"] or row["only_b"])


def _query_row(two: TwoQrels, row: dict[str, Any], texts: dict[str, str]) -> Any:
    qid = str(row["qid"])
    text = wording.shorten(wording.clean(texts.get(qid, "")), LONGEST_TEXT)
    name = [html.Bdi(wording.name(qid, 24)), " ", html.Bdi(text, className="hint")]
    links: list[Any] = []
    for words, qrels in (("under a", two.a), ("under b", two.b)):
        links += [html.A(words, href=two.under(qrels, "query", qid).href), " "]
    figures = [_share(row[column]) for column in ("agreement", "relevant_overlap")]
    counts = [f"{row[column]:,}" for column in ("both", "only_a", "only_b")]
    return tr(
        [th(name, scope="row"), *map(number, [*counts, *figures]), td(links, className="one-line")]
    )


def _share(value: Any) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
