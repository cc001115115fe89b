"""Collections and their judgments."""

from __future__ import annotations

from datetime import datetime
from itertools import zip_longest
from typing import Any

from flask import Response
from pydantic import Field

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.collections import collections, new_collection
from evalstore.catalog.names import parse_conditions
from evalstore.catalog.qrels import list_qrels
from evalstore.catalog.queries import list_queries
from evalstore.errors import NotFound
from evalstore.server.api.operation import MOST_NAMED, Call, Content, Name, Parameters, to_json
from evalstore.server.api.paging import Paged, PagedOfCollection, page, page_of, pages_of
from evalstore.server.problems import json_answer, problem
from evalstore.store import Store
from evalstore.store.queries.collections import Access, StoredCollection
from evalstore.transfer.export import qrels_lists


class Collection(Content):
    """A collection."""

    name: str
    documents: int | None = Field(description="In the collection; null if not given.")
    queries: int
    qrels: int
    runs: int
    default_qrels: str | None
    created_at: datetime
    access: Access = Field(description="Who reads it.")
    measures: str | None = Field(description="What an ingest stores, if not the set `standard`.")
    mappings: dict[str, str] | None = Field(
        description="How files of other programs are read: the paths of their fields by a name."
    )


Collections = pages_of(Collection, "collections", "Collections", "A page of the collections.")


class NewCollection(Parameters):
    """A collection that is to be made."""

    name: Name = Field(description="Its name.", strict=True)


class Qrels(Content):
    """A set of judgments."""

    collection: str
    name: str
    queries: int
    judgments: int
    relevant: int = Field(description="Judgments of grade 1 or higher.")
    is_default: bool
    created_at: datetime
    content_hash: str = Field(description="SHA-256 of the judgments.")
    parent: str | None = Field(description="The judgments that it was made of.")
    who: str | None = Field(description="Who made this version.")
    reason: str | None = Field(description="Why it was made.")
    rule: str | None = Field(description="How grades of several assessors became one.")
    origin: dict[str, Any] | None = Field(
        description="Where judgments without an origin of their own come from; null for a file."
    )
    origins: dict[str, int] = Field(
        description="The number of judgments by kind: `file`, `person`, `model`; `pool` counts "
        "documents that nobody judged."
    )


QrelsList = pages_of(Qrels, "qrels", "QrelsList", "A page of the judgments.")


class JudgedDocument(Content):
    """A document that was judged for a query."""

    docno: str
    grade: float = Field(description="Negative: in the pool, and not judged.")
    stratum: str | None = Field(None, description="Of a sample: its part of the pool.")


class JudgedQuery(Content):
    """The judgments of a query."""

    qid: str
    documents: list[JudgedDocument]


class Judgments(Content):
    """A page of judgments, a row a query."""

    collection: str
    qrels: str
    judgments: list[JudgedQuery]
    next: str | None


class JudgmentsParameters(Paged):
    """Which judgments of a collection."""

    qrels: Name | None = Field(None, description="Their name; else the default.")


def list_collections(call: Call, chosen: Paged) -> dict[str, Any]:
    """The collections in natural order, as `evalstore collections` has them."""
    listed = collections(call.store)
    return page_of("collections", listed, lambda row: row.id, call, chosen)


def create_collection(call: Call, chosen: NewCollection) -> Response:
    """Create a collection without judgments, which takes the role contributor in the whole store.

    201 with the new collection, or 200 with the one of that name that the person may read. A name
    that another collection has is refused with 409.
    """
    person = call.person
    if person is None or not person.may("write"):
        return problem(403, "A new collection takes the role contributor in the whole store.")
    existing = _named(call.store, chosen.name)
    if existing is not None:
        return json_answer(200, to_json(existing, Collection))
    new_collection(call.whole, chosen.name)
    created = _named(call.whole, chosen.name)
    if created is None:  # somebody removed it right after it was made
        raise NotFound(f"there is no collection {chosen.name!r} in the store")
    return json_answer(201, to_json(created, Collection))


def _named(store: Store, name: str) -> StoredCollection | None:
    """The collection with that name, or None."""
    return next((row for row in collections(store) if row.name == name), None)


def list_judgments(call: Call, chosen: PagedOfCollection) -> dict[str, Any]:
    """The judgments by collection, the default first, as `evalstore qrels` has them."""
    stored = list_qrels(call.store, chosen.collection)
    return page_of("qrels", stored, lambda row: row.id, call, chosen)


def judgments(call: Call, chosen: JudgmentsParameters, collection: str) -> dict[str, Any]:
    """The judgments of a collection in pages of some queries, which are in byte order."""
    with call.store.read() as connection:
        name = choose_qrels(connection, collection, chosen.qrels)[1].name
    found = qrels_lists(call.store, collection, name)
    lists = list(zip_longest(found.lists, found.strata))  # no strata, or those of each list
    part, following = page(lists, lambda row: row[0][0], call, chosen)
    rows = [
        {"qid": qid, "documents": _documents(docnos, grades, strata)}
        for (qid, docnos, grades), strata in part
    ]
    return {"collection": collection, "qrels": name, "judgments": rows, "next": following}


def _documents(
    docnos: list[str], grades: list[float], strata: list[str] | None
) -> list[dict[str, Any]]:
    columns: dict[str, list[Any]] = {"docno": docnos, "grade": grades}
    if strata is not None:
        columns["stratum"] = strata
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# The queries of a collection


class Query(Content):
    """A query of a collection."""

    qid: str
    text: str | None = Field(description="Null where it is not known.")
    attributes: dict[str, str]


Queries = pages_of(Query, "queries", "Queries", "A page of the queries.")


class QueriesParameters(Paged):
    """Which queries."""

    where: list[Name] = Field(
        [],
        max_length=MOST_NAMED,
        description="Only with such an attribute: `lang=de`, `length>=4`; may be repeated.",
    )


def list_of_queries(call: Call, chosen: QueriesParameters, collection: str) -> dict[str, Any]:
    """The queries in natural order of their ids, as `evalstore queries` has them."""
    stored = list_queries(call.store, collection, parse_conditions(chosen.where))
    return page_of("queries", stored, lambda query: query.qid, call, chosen)
