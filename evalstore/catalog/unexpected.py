"""Judgments that a collection does not expect: grades off its scale, documents that it lacks.

They are stored all the same: the scale may grow, and a collection may store few of its documents.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.formats.reading.source import quoted
from evalstore.store import Store
from evalstore.store.queries.collections import load_judging
from evalstore.store.queries.documents import CHUNK, stored_docnos, stores_documents
from evalstore.store.queries.qrels import highest_grade, list_qrels

Judged = tuple[str, str, float]
"""A query id, a docno and a grade."""


class Unexpected(NamedTuple):
    """What is wrong with some judgments, in a sentence, and these."""

    sentence: str
    judged: Sequence[Judged]


def unexpected_judgments(
    store: Store, collection: str, judged: Sequence[Judged], qrels: str | None = None
) -> list[Unexpected]:
    """The judgments above the scale of a qrels, or of the default, and those of unknown documents.

    A document is unknown if the collection stores others and not this one.
    """
    docnos = [docno for _, docno, _ in judged]
    return unexpected(collection, judged, *expected(store, collection, docnos, qrels))


def expected(
    store: Store, collection: str, docnos: Sequence[str], qrels: str | None = None
) -> tuple[float | None, set[str]]:
    """The highest grade of the scale, None without one, and which documents are unknown."""
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        top = highest_of_scale(connection, collection_id, qrels)
        if not stores_documents(connection, collection_id):
            return top, set()
        distinct = list(dict.fromkeys(docnos))
        unknown = set(distinct)
        for at in range(0, len(distinct), CHUNK):
            unknown -= stored_docnos(connection, collection_id, distinct[at : at + CHUNK])
    return top, unknown


def unexpected(
    collection: str, judged: Sequence[Judged], top: float | None, unknown: Set[str]
) -> list[Unexpected]:
    """The judgments with a grade above the highest one, and those of unknown documents."""
    found = []
    above = [one for one in judged if top is not None and one[2] > top]
    if top is not None and above:
        found.append(Unexpected(above_scale([one[2] for one in above], top), above))
    of_unknown = [one for one in judged if one[1] in unknown]
    if of_unknown:
        what = f"stores no document {quoted(of_unknown[0][1])}"
        if len(unknown) > 1:
            what = f"does not store {len(unknown):,} of these documents"
        found.append(Unexpected(f"collection {collection!r} {what}", of_unknown))
    return found


def highest_of_scale(
    connection: Connection, collection_id: int, qrels: str | None = None
) -> float | None:
    """The highest grade of a qrels, or of the default, or that has a label; None without both."""
    stored = list_qrels(connection, collection_id)
    chosen = [one for one in stored if qrels in (None, one.name)][:1]
    labels, _, _ = load_judging(connection, collection_id)
    grades = [*(highest_grade(connection, one.id) for one in chosen), *map(float, labels or ())]
    return max(grades, default=None)


def above_scale(grades: Sequence[float], top: float) -> str:
    """The sentence on grades above the highest one of a scale."""
    are = f"{grades[0]:g} is" if len(grades) == 1 else f"{len(grades):,} grades are"
    return f"{are} above {top:g}, the highest grade of the judgments"
