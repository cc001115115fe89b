"""The rank strip: whole rankings as one line each, on a logarithmic axis of ranks.

The browser draws it (assets/query.js) from what `strip_data` gives.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.components import wording
from evalstore.comparison.ranked_query import QueryRanking, is_relevant

EVERY = 1_000
"""Ranks that are drawn one by one; after them only the relevant documents."""
KNOWN = 100
"""Ranks whose documents light up in all rows, as the relevant ones do at every rank."""
MOST_WORDS = 12
"""Ranks that the description of a ranking names."""


def numbered(rankings: Sequence[QueryRanking]) -> dict[str, int]:
    """A number for each document that can be told from others in the strip, or in a list."""
    docnos: dict[str, int] = {}
    for ranking in rankings:
        for docno in ranking.docnos[:KNOWN]:
            docnos.setdefault(docno, len(docnos))
        for rank in ranking.relevant_ranks():
            docnos.setdefault(ranking.docnos[rank - 1], len(docnos))
    return docnos


def strip_data(ranking: QueryRanking, numbers: Mapping[str, int]) -> str:
    """A ranking as JSON.

    `grades` has a character for each of the first ranks: `?` where nobody judged, else the grade,
    at most 3; `documents` numbers those of the first ranks; `deep` has rank, grade and document of
    the relevant ones further down.
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
    """The character of a grade."""
    if grade is None or grade < 0:
        return "?"
    return str(min(int(grade), 3)) if is_relevant(grade) else "0"


def in_words(ranking: QueryRanking, relevant: int) -> str:
    """What the strip of a ranking shows, for those who can't see it."""
    if ranking.no_ranking:
        return ranking.no_ranking
    ranks = ranking.relevant_ranks()
    sentence = f"{len(ranks):,} of {wording.count(relevant, 'relevant document')} found"
    if not ranks:
        return sentence
    named = ", ".join(f"{rank:,}" for rank in ranks[:MOST_WORDS])
    more = " and further down" if len(ranks) > MOST_WORDS else ""
    return f"{sentence}, at {'ranks' if len(ranks) > 1 else 'rank'} {named}{more}"


def longest(rankings: Sequence[QueryRanking]) -> int:
    """The last rank of the axis."""
    return max((len(ranking.docnos) for ranking in rankings), default=0) or 1


def attributes(ranking: QueryRanking, numbers: Mapping[str, int], last: int) -> dict[str, Any]:
    """What the browser draws a strip from, as attributes of its place on the page."""
    return {"data-strip": strip_data(ranking, numbers), "data-last": str(last)}
