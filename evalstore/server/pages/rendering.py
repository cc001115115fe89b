"""Pages from the templates beside this module, the answers that carry them, and sent forms.

They are plain HTML in the dashboard's colours, without JavaScript.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

from flask import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import Connection

from dashboard import theme
from evalstore.catalog.names import LONGEST_ACCOUNT_NAME, LONGEST_NAME
from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound, StoreError
from evalstore.server import routes
from evalstore.server.people.accounts import SHORTEST, TooManyLogins
from evalstore.server.people.invitations import status_of
from evalstore.server.people.login import LockedOut, WrongPassword
from evalstore.server.people.rights import ROLES, Role
from evalstore.server.people.tokens import parse_lifetime
from evalstore.store.queries import events
from evalstore.store.queries.collections import Access

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

STATUS: dict[type[Exception], int] = {
    LockedOut: 429,
    TooManyLogins: 503,
    WrongPassword: 403,
    NotFound: 404,
    Conflict: 409,
}
"""The status of each error; all others are 400."""


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "LONGEST_ACCOUNT_NAME": LONGEST_ACCOUNT_NAME,
        "LONGEST_NAME": LONGEST_NAME,
        "ROLES": ROLES,
        "SHORTEST": SHORTEST,
        "account_path": account_path,
        "details_text": details_text,
        "routes": routes,
        "status_of": status_of,
        "theme": theme,
    }
    return made


def render(template: str, prefix: str, **values: object) -> str:
    """A page of HTML; texts are escaped, and every path of the server gets `prefix` in front."""
    return _environment().get_template(template).render(prefix=prefix, **values)


def account_path(account_id: int) -> str:
    """The path of the administrators' page of an account."""
    return routes.ADMIN_ACCOUNT.replace("<int:account_id>", str(account_id))


def details_text(details: Mapping[str, object]) -> str:
    """The details of an event in one line."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in details.items()
    }
    return ", ".join(f"{name}: {text}" for name, text in texts.items())


def page_answer(text: str, status: int = 200) -> Response:
    """An answer with a page, which no cache stores and which loads nothing."""
    answer = Response(text, status, mimetype="text/html")
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    return answer


def refusal(text: str, error: Exception) -> Response:
    """A page that says why something was not done, with the status of the error."""
    kinds = (kind for kind in STATUS if isinstance(error, kind))
    answer = page_answer(text, STATUS.get(next(kinds, Exception), 400))
    if isinstance(error, LockedOut):
        answer.headers["Retry-After"] = str(error.seconds)
    if isinstance(error, TooManyLogins):
        answer.headers["Retry-After"] = "5"
    return answer


def redirect(location: str) -> Response:
    """Send the browser to another address, by GET."""
    return Response(status=303, headers={"Location": location, "Cache-Control": "no-store"})


def sentence(error: Exception) -> str:
    """The message of an error as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


# Forms of the administrators, and the answers to their changes

LARGEST_FORM = 32 * 1024
"""Maximum bytes of a form."""
LARGEST_ID = 2**31 - 1
"""The largest id of a row on PostgreSQL."""
EVENTS_OF_PAGE = 25


class Form:
    """Texts that were sent, without NUL, which PostgreSQL can't store in a text."""

    def __init__(self, sent: Mapping[str, str]) -> None:
        self._texts = {name: value.replace("\0", "\ufffd") for name, value in sent.items()}

    def text(self, name: str) -> str:
        """The text of a field; empty if it was not sent."""
        return self._texts.get(name, "")

    def number(self, name: str) -> int | None:
        """The id in a field, or None."""
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
        """The chosen lifetime; None means no end."""
        return parse_lifetime(self.text("expires")) if self.text("expires") else None

    def _one_of(self, name: str, values: tuple[Any, ...]) -> Any:
        if self.text(name) not in values:
            raise DataError(f"{name} is one of {', '.join(values)}")
        return self.text(name)


class Secret(NamedTuple):
    """A secret that a change made, and the words in front of it; it is shown only once."""

    text: str
    secret: str


def answer_to_change(
    change: Callable[[], object], page: Callable[..., str], back: Callable[[], str]
) -> Response:
    """Make a change, and answer with `page` (a warning or a `Secret`) or a redirect to `back`.

    A secret is shown only this once; any other change redirects to `back`, so that loading the page
    again changes nothing.
    """
    try:
        made = change()
    except StoreError:
        raise
    except EvalstoreError as error:
        return refusal(page(warning=sentence(error)), error)
    return page_answer(page(secret=made)) if isinstance(made, Secret) else redirect(back())


def page_of_events(connection: Connection, before: int | None, **chosen: Any) -> dict[str, object]:
    """A page of events for a template, newest first; only events before the id, if given."""
    listed = events.events_before(connection, before, EVENTS_OF_PAGE + 1, **chosen)
    has_older = len(listed) > EVENTS_OF_PAGE
    return {"events": listed[:EVENTS_OF_PAGE], "has_older": has_older, "before": before}
