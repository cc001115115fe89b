"""The queries of a collection."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evalstore.catalog.conditions import parse_conditions
from evalstore.catalog.queries import list_queries
from evalstore.server.api.operation import Asked, Content
from evalstore.server.api.paging import Paged, page
from evalstore.server.api.parameters import MOST_NAMED, Name


class Query(Content):
    """A query of a collection."""

    qid: str
    text: Annotated[str | None, Field(description="Null where it is not known.")]
    attributes: dict[str, str]


class Queries(Content):
    """A page of the queries."""

    queries: list[Query]
    next: str | None


class QueriesParameters(Paged):
    """Which queries."""

    where: Annotated[
        list[Name],
        Field(
            max_length=MOST_NAMED,
            description="Only with such an attribute: `lang=de`, `length>=4`; may be repeated.",
        ),
    ] = Field(default=[])


def list_of_queries(asked: Asked, chosen: QueriesParameters, collection: str) -> dict[str, Any]:
    """The queries in natural order of their ids, as `evalstore query list` has them."""
    stored = list_queries(asked.store, collection, parse_conditions(chosen.where))
    rows, following = page(stored, lambda query: query.qid, asked, chosen)
    listed = list(map(Query.fields_of, rows))
    return {"queries": listed, "next": following}
