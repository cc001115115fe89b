"""The measures that an ingest stores: those that it names, those of the collection, or `standard`.

What is not stored is computed from the stored rankings where it is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.evaluation.ingest_options import STANDARD, IngestOptions, storable
from evalstore.measures import Measure, parse_list
from evalstore.measures.notation import SETS
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import measures_of_collection, set_measures


def with_measures(store: Store, request: IngestOptions) -> IngestOptions:
    """The request with the measures of its collection, where it names none.

    Raises:
        MeasureError: the collection names a measure that this version does not know.
    """
    if request.measures is not None:
        return request
    with store.read() as connection:
        collection_id = find_collection_id(connection, request.collection)
        return replace(request, measures=collection_measures(connection, collection_id))


def collection_measures(connection: Connection, collection_id: int) -> tuple[Measure, ...]:
    """The measures that an ingest into a collection stores unless it names others.

    Raises:
        MeasureError: one that this version does not know.
    """
    text = measures_of_collection(connection, collection_id)
    return storable(parse_list(text or STANDARD).values())


def written_measures(measures: str) -> str:
    """Measures that an ingest stores as a collection has them: a set, or canonical names.

    Raises:
        MeasureError: a text that names no measure, or a measure that an ingest can't store.
    """
    each = storable(parse_list(measures).values())
    return measures.strip() if measures.strip() in SETS else ",".join(map(str, each))


def set_collection_measures(store: Store, name: str, measures: str) -> str:
    """Say which measures an ingest into a collection stores; what is stored already stays.

    Args:
        store: what has the collection.
        name: of the collection.
        measures: a set of measures, or names with commas between them.

    Returns:
        The measures as they are written.

    Raises:
        NotFound: there is no such collection.
        MeasureError: a text that names no measure, or a measure that an ingest can't store.
    """
    after = written_measures(measures)

    def work(connection: Connection) -> None:
        collection_id = find_collection_id(connection, name)
        before = measures_of_collection(connection, collection_id) or STANDARD
        if after == before:
            return
        set_measures(connection, collection_id, None if after == STANDARD else after)
        now = datetime.now(UTC)
        events.log(connection, "default", name, name, now, kind="measures", to=after, before=before)

    store.transact(work)
    return after
