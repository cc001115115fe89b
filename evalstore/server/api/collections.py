"""Collections and their judgments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from evalstore.server.api.operation import Asked, Content
from evalstore.server.api.paging import Paged, page
from evalstore.server.api.parameters import Name
from evalstore.usecases.collections import collections
from evalstore.usecases.qrels import list_qrels


class Collection(Content):
    """A collection."""

    name: str
    documents: Annotated[int | None, Field(description="In the collection; null if not given.")]
    queries: int
    qrels: int
    runs: int
    default_qrels: str | None
    created_at: datetime


class Collections(Content):
    """A page of the collections."""

    collections: list[Collection]
    next: str | None


class Qrels(Content):
    """A set of judgments."""

    collection: str
    name: str
    queries: int
    judgments: int
    relevant: Annotated[int, Field(description="Judgments of grade 1 or higher.")]
    is_default: bool
    created_at: datetime


class QrelsList(Content):
    """A page of the judgments."""

    qrels: list[Qrels]
    next: str | None


class QrelsParameters(Paged):
    """Which judgments."""

    collection: Annotated[Name | None, Field(description="Only of this collection.")] = None


def list_collections(asked: Asked, chosen: Paged) -> dict[str, Any]:
    """The collections in natural order, as `evalstore collection list` has them."""
    rows, following = page(collections(asked.store), lambda row: row.id, asked, chosen)
    listed = [{name: getattr(row, name) for name in Collection.model_fields} for row in rows]
    return {"collections": listed, "next": following}


def list_judgments(asked: Asked, chosen: QrelsParameters) -> dict[str, Any]:
    """The judgments by collection, the default first, as `evalstore qrels list` has them."""
    stored = list_qrels(asked.store, chosen.collection)
    rows, following = page(stored, lambda row: row.id, asked, chosen)
    listed = [{name: getattr(row, name) for name in Qrels.model_fields} for row in rows]
    return {"qrels": listed, "next": following}
