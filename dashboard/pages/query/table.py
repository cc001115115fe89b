"""The table that a lecturer draws: what a measure makes of a ranking, rank by rank."""

from __future__ import annotations

import io
from typing import Any

from dash import html

from dashboard.components import controls, wording
from dashboard.components.elements import td, th, tr
from dashboard.pages.query.load import QueryView
from evalstore.comparison.ranked_query import QueryRanking, is_relevant
from evalstore.evaluation.explain import Explained
from evalstore.tables.delimited import guarded, row_writer

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
        label = view.selection.label(view.run(ranking))
        if explained is None:
            body: Any = html.P("The qrels does not judge this query: there is nothing to compute.")
        elif ranking.no_ranking:
            body = html.P(f"No ranking: {ranking.no_ranking}.")
        else:
            body = html.Div(
                _table(explained),
                className="scroll-x",
                tabIndex=0,
                role="region",
                **{"aria-label": f"{wording.name(ranking.run.name)}, rank by rank"},
            )
        parts.append(html.Div([html.H3(label), body], className="lecture"))
    return html.Div(parts, className="lectures")


def _table(explained: Explained) -> Any:
    head = [
        th(html.Abbr(name, title=help_text), className="" if name == "Grade" else "number")
        for name, help_text in HEADERS
    ]
    rows = []
    cumulated = 0.0
    for row in explained.ranks:
        cumulated += row.gain
        numbers = (
            (row.precision, row.recall),
            (row.gain, cumulated),
            (row.gain / row.discount, row.dcg, row.ideal_dcg, row.ndcg),
        )
        cells = [
            td(f"{row.rank:,}", className="number"),
            td(controls.grade(row.grade), title=wording.name(row.docno, 400)),
            *(td(wording.value(n), className="number") for n in numbers[0]),
            *(td(f"{n:g}", className="number") for n in numbers[1]),
            *(td(wording.value(n), className="number") for n in numbers[2]),
            td(
                wording.value(row.contribution) if row.relevant else "",
                className="number",
            ),
        ]
        rows.append(tr(cells, className="is-relevant" if row.relevant else ""))
    return html.Table(
        [html.Thead(tr(head)), html.Tbody(rows)], className="plain-table lecture-table"
    )


def rankings_csv(view: QueryView) -> str:
    """All documents that a run retrieves, or that are relevant: grade, and the rank in each run.

    The order is that of the best rank, then by document; texts that a spreadsheet would compute
    are guarded.
    """
    query = view.query
    best: dict[str, int] = {}
    for ranking in query.rankings:
        for docno, rank in ranking.rank_of.items():
            best[docno] = min(rank, best.get(docno, rank))
    docnos = sorted(best, key=lambda docno: (best[docno], docno.encode()))
    stream = io.StringIO()
    writer = row_writer(stream)
    names = [f"rank in {ranking.run.name}" for ranking in query.rankings]
    writer.writerow([guarded(text) for text in ("qid", "docno", "grade", "relevant", *names)])
    for docno in (*docnos, *query.missed):
        grade = query.grades.get(docno)
        ranks = [_rank(ranking, docno) for ranking in query.rankings]
        cells = ["" if grade is None else f"{grade:g}", int(is_relevant(grade)), *ranks]
        writer.writerow([guarded(query.qid), guarded(docno), *cells])
    return stream.getvalue()


def _rank(ranking: QueryRanking, docno: str) -> int | str:
    return ranking.rank_of.get(docno, "")
