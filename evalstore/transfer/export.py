"""Stored runs and judgments as the lists that files are written from."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.formats.any_format import choose_writer
from evalstore.formats.lists import List, Lists, lists_of
from evalstore.store import Store, packing
from evalstore.store.columns import texts
from evalstore.store.queries.facts import load_run_facts
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.rankings import iter_rankings, no_rankings
from evalstore.store.queries.runs import find_run


@contextmanager
def run_lists(
    store: Store,
    run: str,
    collection: str | None = None,
    *,
    after: str | None = None,
    query: str | None = None,
) -> Iterator[Lists]:
    """A stored run, with only some rankings in memory at a time; NoRankings if it has none.

    The queries are in byte order: all, those after a query id (`after`), or one (`query`).
    """
    with store.read() as connection:
        stored = find_run(connection, run, collection)
        if stored.values_only:
            raise no_rankings(stored)
        facts = load_run_facts(connection, stored.id)
        with closing(_lists(connection, stored.id, after, query)) as lists:
            yield Lists(lists, stored.tag, facts.parameters or {}, facts.header or {})


def run_file(store: Store, run: str, collection: str | None = None) -> bytes:
    """A stored run as the bytes of a TREC file; raises the same errors as `run_lists`."""
    stream = io.BytesIO()
    with run_lists(store, run, collection) as lists:
        choose_writer("run")(lists, stream)
    return stream.getvalue()


def _lists(
    connection: Connection, run_id: int, after: str | None, query: str | None
) -> Generator[List, None, None]:
    with closing(iter_rankings(connection, run_id, after=after, query=query)) as rankings:
        for qid, packed in rankings:
            docnos, scores = packing.unpack(packed)
            if len(scores):
                yield qid, texts(docnos), scores.tolist()


def qrels_lists(store: Store, collection: str, name: str | None = None) -> Lists:
    """The judgments of a collection's qrels with that name, or of its default qrels."""
    with store.read() as connection:
        _, chosen = choose_qrels(connection, collection, name)
        return lists_of(load_qrels(connection, chosen))
