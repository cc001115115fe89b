"""Forms of the administrators: what they send, and the answer to the change that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, get_args

from flask import Response
from sqlalchemy import Connection

from evalstore.errors import DataError, EvalstoreError, StoreError
from evalstore.server.pages.rendering import page_answer, redirect, refusal, sentence
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import parse_lifetime
from evalstore.store.queries import events
from evalstore.store.queries.collections import Access

LARGEST_FORM = 32 * 1024
"""Bytes."""
LARGEST_ID = 2**31 - 1
"""Of a row, on PostgreSQL."""
EVENTS_OF_PAGE = 25


class Form:
    """Texts that were sent, without the one character that PostgreSQL has in no text."""

    def __init__(self, sent: Mapping[str, str]) -> None:
        self._texts = {name: value.replace("\0", "\ufffd") for name, value in sent.items()}

    def text(self, name: str) -> str:
        """The text of a field; empty where it was not sent."""
        return self._texts.get(name, "")

    def number(self, name: str) -> int | None:
        """The id in a field."""
        text = self.text(name)
        is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
        return int(text) if is_number and int(text) <= LARGEST_ID else None

    def role(self) -> Role:
        """The role that was chosen."""
        role: Role = self._one_of("role", get_args(Role))
        return role

    def access(self) -> Access:
        """The access that was chosen."""
        access: Access = self._one_of("access", get_args(Access))
        return access

    def collection(self) -> str | None:
        """The collection that was chosen; None for the whole store."""
        return self.text("collection") or None

    def lifetime(self) -> timedelta | None:
        """The time to live that was chosen; None for ever."""
        return parse_lifetime(self.text("expires")) if self.text("expires") else None

    def _one_of(self, name: str, values: tuple[Any, ...]) -> Any:
        if self.text(name) not in values:
            raise DataError(f"{name} is one of {', '.join(values)}")
        return self.text(name)


class Secret(NamedTuple):
    """A secret that a change made, and the words before it: it is shown this once."""

    text: str
    secret: str


def answer_to_change(
    change: Callable[[], Secret | None], page: Callable[..., str], back: Callable[[], str]
) -> Response:
    """Make a change, and answer it.

    A secret is answered with the page that shows it, this once; any other change leads back, so
    that loading the page again changes nothing.

    Args:
        change: makes it.
        page: the page with a `warning` or a `secret`.
        back: the address to go to after the change.
    """
    try:
        secret = change()
    except StoreError:
        raise
    except EvalstoreError as error:
        return refusal(page(warning=sentence(error)), error)
    return page_answer(page(secret=secret)) if secret else redirect(back())


def page_of_events(connection: Connection, before: int | None, **chosen: Any) -> dict[str, object]:
    """A page of events for a template, the newest first.

    Args:
        connection: to the whole store.
        before: only events before the one with this id; None for the newest.
        chosen: which, as `events_before` takes it.
    """
    listed = events.events_before(connection, before, EVENTS_OF_PAGE + 1, **chosen)
    has_older = len(listed) > EVENTS_OF_PAGE
    return {"events": listed[:EVENTS_OF_PAGE], "has_older": has_older, "before": before}
