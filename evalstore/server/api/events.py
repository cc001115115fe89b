"""Who did what, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from evalstore.catalog.runs import history
from evalstore.server.api.operation import Asked, Content
from evalstore.server.api.paging import Paged, page
from evalstore.server.api.parameters import Name
from evalstore.server.api.plain import plain
from evalstore.store.restriction import OF_SERVER


class Event(Content):
    """Something that was done."""

    at: datetime
    who: str
    action: str
    collection: str | None
    subject: Annotated[str, Field(description="The run, qrels, ... as it was called then.")]
    details: dict[str, Any] | None


class Events(Content):
    """A page of events."""

    events: list[Event]
    next: str | None


class EventsParameters(Paged):
    """Which events."""

    collection: Annotated[Name | None, Field(description="Only of this collection.")] = None
    subject: Annotated[Name | None, Field(description="Only of this run or qrels.")] = None


def events(asked: Asked, chosen: EventsParameters) -> dict[str, Any]:
    """Who did what to the store, and when, the oldest first, as `evalstore events` has it.

    Of accounts, roles and tokens administrators alone are told.
    """
    listed = history(asked.store, chosen.collection, chosen.subject)
    if asked.person is None or not asked.person.may("administer"):
        listed = [event for event in listed if event.action not in OF_SERVER]
    # Events are only ever added: the number of one is its key, together with its time.
    numbered = list(enumerate(listed, 1))
    part, following = page(numbered, lambda row: f"{row[0]} {row[1].at}", asked, chosen)
    return {"events": [plain(vars(event)) for _, event in part], "next": following}
