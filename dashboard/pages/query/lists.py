"""The ranked lists side by side, as components; the browser draws the lines between them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from dashboard.components import controls, judging, wording
from dashboard.pages.query import movement
from dashboard.pages.query.load import QueryView
from dashboard.pages.query.movement import Piece, Row, query_words, snippet
from evalstore.comparison.ranked_query import QueryRanking, is_relevant

DOCNO = 40
"""The longest docno in a row, in characters; the tooltip has the whole docno."""
TITLE = 120


def lists(view: QueryView) -> Any:
    """The lists with the lines between them."""
    rows = view.rows()
    numbers = numbered(view.query.rankings)
    parts: list[Any] = []
    for place, number in enumerate(view.lists):
        if place:
            parts.append(_gutter(rows[place - 1], rows[place], numbers))
        parts.append(_list(view, place, view.query.rankings[number], rows[place], numbers))
    size = "with-texts" if view.with_texts else "without-texts"
    return html.Div(parts, className=f"ranked-lists {size} lists-{len(view.lists)}")


def _gutter(left: Sequence[Row], right: Sequence[Row], numbers: Mapping[str, int]) -> Any:
    """The space between two lists, with the data from which the browser draws lines."""
    drawn = [
        [line.left, line.right, int(line.is_relevant), numbers.get(line.docno, -1)]
        for line in movement.lines(left, right)
    ]
    data = json.dumps({"rows": max(len(left), len(right)), "lines": drawn}, separators=(",", ":"))
    return html.Div(className="gutter", **{"data-lines": data, "aria-hidden": "true"})


def _list(
    view: QueryView,
    place: int,
    ranking: QueryRanking,
    rows: Sequence[Row],
    numbers: Mapping[str, int],
) -> Any:
    listed = view.listed
    run = ranking.run
    # The list that the movement refers to: the one before; for the first list, the one after.
    before = listed[place - 1] if place else None
    after = listed[1] if not place and len(listed) > 1 else None
    other = before or after
    heading: list[Any] = [view.selection.label(run)]
    if other is not None:
        name = view.selection.short(other.run.name)
        direction = f"from {name}" if before else f"to {name}"
        heading.insert(0 if before else 1, html.Span(direction, className="movement-head"))
    if not rows:
        body: Any = html.P(_no_rows(view, ranking), className="no-rows")
    else:
        words = query_words(view.query.text)
        body = html.Ol(
            [_row(view, place, row, before, after, numbers, words) for row in rows],
            className="ranked-rows",
            **controls.roving(".ranked-row"),
        )
    label = f"Ranking of {wording.name(ranking.run.name)}"
    return html.Section(
        [html.Div(heading, className="ranked-head"), body],
        className="ranked-list first-list" if before is None else "ranked-list",
        **{"aria-label": label},
    )


def _no_rows(view: QueryView, ranking: QueryRanking) -> str:
    if ranking.no_ranking:
        sentence = ranking.no_ranking
        return f"No ranking: {sentence}."
    if view.only_moved:
        return "No document here is relevant or moved. Choose “All” to see the others."
    return "The ranking is empty."


def _row(
    view: QueryView,
    place: int,
    row: Row,
    before: QueryRanking | None,
    after: QueryRanking | None,
    numbers: Mapping[str, int],
    words: frozenset[str],
) -> Any:
    cells = [
        html.Span(f"{row.rank:,}", className="rank"),
        controls.grade(row.grade, judging.unjudged(view.query.qid, row.docno, view.own_grades)),
        html.Div(_document(view, row, words), className="document"),
    ]
    if before is not None:
        came_from = movement.came_from(row.rank, before.rank_of.get(row.docno))
        cells.insert(0, _movement(row, before, came_from))
    if after is not None:
        there = after.rank_of.get(row.docno)
        # query.css hides a cell with `stays` while the lists are side by side: the second list
        # shows it.
        stays = there is not None and there <= view.k
        goes_to = movement.goes_to(row.rank, there, len(after.docnos))
        cells.append(_movement(row, after, goes_to, "movement stays" if stays else "movement"))
    return html.Li(
        cells,
        className="ranked-row is-relevant" if row.is_relevant else "ranked-row",
        tabIndex=-1,  # until assets/roving.js makes one of them a stop of the Tab key
        **{"data-docno": row.docno, "data-document": str(numbers.get(row.docno, -1))},
    )


def _movement(row: Row, ranking: QueryRanking, text: str, class_name: str = "movement") -> Any:
    """The movement of a document; its rank in the other ranking shows on hover."""
    there = ranking.rank_of.get(row.docno)
    name = wording.name(ranking.run.name)
    title = f"not retrieved by {name}" if there is None else f"rank {there:,} of {name}"
    return html.Span(text, className=class_name, title=title)


def _document(view: QueryView, row: Row, words: frozenset[str]) -> list[Any]:
    # Pressing Enter in the row opens it.
    docno = [docno_link(view, row.docno, tabIndex=-1)]
    title, text = view.texts.get(row.docno, ("", "")) if view.with_texts else ("", "")
    if title and title != row.docno:
        docno.append(
            html.Bdi(marked_pieces(snippet(title, words, TITLE)), className="document-title")
        )
    lines = [html.Div([*docno, copy_button(row.docno)], className="docno-line")]
    if view.with_texts:
        pieces = marked_pieces(snippet(text, words)) if text else "no text stored"
        lines.append(html.Div(pieces, className="snippet", dir="auto"))
    return lines


def docno_link(view: QueryView, docno: str, **more: Any) -> Any:
    """A document's id as a link that opens the document below the lists."""
    return controls.choice(
        html.Bdi(wording.name(docno, DOCNO)),
        view.address,
        "docno",
        title=wording.name(docno, 400),
        doc=docno,
        **more,
    )


def copy_button(docno: str) -> Any:
    """The button that copies a document's id."""
    name = wording.name(docno, 80)
    return html.Button(
        html.Span(className="icon icon-copy"),
        type="button",
        className="copy-docno",
        title="Copy the docno",
        # It is reached by C in a row: a stop of the Tab key per row would be too many.
        tabIndex=-1,
        **{"data-copy": docno, "aria-label": f"Copy {name}"},
    )


def marked_pieces(pieces: Sequence[Piece]) -> list[Any]:
    """A text in pieces as components, with the words of the query underlined."""
    return [html.U(text) if is_word else text for text, is_word in pieces]


# The rank strip: each ranking as one line, on a logarithmic axis of ranks.
#
# The browser draws it (assets/pages/query.js) from the result of `strip_data`.

EVERY = 1_000
"""The last rank up to which all documents are drawn; after it only the relevant ones are."""
KNOWN = 100
"""The last rank up to which any document is highlighted in all rows; relevant ones always are."""
MOST_WORDS = 12
"""The most ranks that the description of a ranking names."""


def numbered(rankings: Sequence[QueryRanking]) -> dict[str, int]:
    """A number for each document that can be identified in the strip or in a list."""
    docnos: dict[str, int] = {}
    for ranking in rankings:
        for docno in ranking.docnos[:KNOWN]:
            docnos.setdefault(docno, len(docnos))
        for rank in ranking.relevant_ranks():
            docnos.setdefault(ranking.docnos[rank - 1], len(docnos))
    return docnos


def strip_data(ranking: QueryRanking, numbers: Mapping[str, int]) -> str:
    """A ranking as JSON.

    `grades` has one character for each of the first ranks: `?` if not judged, else the grade, at
    most 3. `documents` has the numbers of the documents at the first ranks. `deep` has rank, grade
    and document of the relevant ones further down.
    """
    deep = [rank for rank in ranking.relevant_ranks() if rank > KNOWN]
    return json.dumps(
        {
            "length": len(ranking.docnos),
            "grades": "".join(step(grade) for grade in ranking.grades[:EVERY]),
            "documents": [numbers[docno] for docno in ranking.docnos[:KNOWN]],
            "deep": [
                [rank, step(ranking.grades[rank - 1]), numbers[ranking.docnos[rank - 1]]]
                for rank in deep
            ],
        },
        separators=(",", ":"),
    )


def step(grade: float | None) -> str:
    """The character for a grade."""
    if grade is None or grade < 0:
        return "?"
    return str(min(int(grade), 3)) if is_relevant(grade) else "0"


def in_words(ranking: QueryRanking, relevant: int) -> str:
    """A text description of a strip for screen readers."""
    if ranking.no_ranking:
        return ranking.no_ranking
    ranks = ranking.relevant_ranks()
    sentence = f"{len(ranks):,} of {wording.count(relevant, 'relevant document')} found"
    if not ranks:
        return sentence
    named = ", ".join(f"{rank:,}" for rank in ranks[:MOST_WORDS])
    more = " and further down" if len(ranks) > MOST_WORDS else ""
    return f"{sentence}, at {'ranks' if len(ranks) > 1 else 'rank'} {named}{more}"
