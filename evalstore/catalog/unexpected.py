"""Judgments that a collection does not expect: grades off its scale, documents that it lacks.

They are stored all the same: the scale may grow, and a collection may store few of its documents.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    found = []
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        top = highest_of_scale(connection, collection_id, qrels)
        stored = _stored(connection, collection_id, judged)
    above = [one for one in judged if top is not None and one[2] > top]
    if top is not None and above:
        found.append(Unexpected(above_scale([one[2] for one in above], top), above))
    unknown = [one for one in judged if stored is not None and one[1] not in stored]
    if unknown:
        docnos = {docno for _, docno, _ in unknown}
        what = f"stores no document {quoted(unknown[0][1])}"
        if len(docnos) > 1:
            what = f"does not store {len(docnos):,} of these documents"
        found.append(Unexpected(f"collection {collection!r} {what}", unknown))
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


def _stored(
    connection: Connection, collection_id: int, judged: Sequence[Judged]
) -> set[str] | None:
    """The docnos that are stored; None if the collection stores no document."""
    if not stores_documents(connection, collection_id):
        return None
    docnos = list(dict.fromkeys(docno for _, docno, _ in judged))
    stored: set[str] = set()
    for at in range(0, len(docnos), CHUNK):
        stored |= stored_docnos(connection, collection_id, docnos[at : at + CHUNK])
    return stored
