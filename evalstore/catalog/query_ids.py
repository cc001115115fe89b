"""The query ids of a collection by the texts of its queries, for files that name them by these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalstore.formats import ReadOptions
from evalstore.formats.any_format import Wanted, needs_query_ids
from evalstore.formats.query_texts import ids_by_text
from evalstore.store import Store
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.queries import load_queries


def with_query_ids(
    store: Store | None,
    collection: str,
    paths: Sequence[str],
    content: Wanted,
    options: ReadOptions | None = None,
    queries: Mapping[str, str] | None = None,
) -> ReadOptions:
    """The options with `query_ids`, where one of the files names queries by their texts.

    Args:
        store: where the collection is; None where there is no store yet.
        collection: its name; there may be none of it yet.
        paths: the files.
        content: what they hold.
        options: how they are read.
        queries: texts by query id that are not stored yet; they count more than the stored ones.
    """
    options = options or ReadOptions()
    if not any(needs_query_ids(path, options, content) for path in paths):
        return options
    texts: Mapping[str, str] = {}
    if store is not None:
        with store.read() as connection:
            collection_id = find_collection(connection, collection)
            if collection_id is not None:
                texts = load_queries(connection, collection_id).texts
    return replace(options, query_ids=ids_by_text({**texts, **(queries or {})}))
