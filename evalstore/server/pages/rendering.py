"""Pages from the templates beside this module, and the answers that carry them.

They are plain HTML in the dashboard's colours, without JavaScript.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from flask import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboard import theme
from evalstore.catalog.names import LONGEST_ACCOUNT_NAME, LONGEST_NAME
from evalstore.errors import Conflict, NotFound
from evalstore.server import routes
from evalstore.server.people.invitations import status_of
from evalstore.server.people.login import LockedOut, WrongPassword
from evalstore.server.people.passwords import SHORTEST, TooManyLogins
from evalstore.server.people.rights import ROLES

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
"""Of an error; 400 of all others."""


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
    """A page of HTML.

    Args:
        template: the name of its file.
        prefix: the path before every path of the server.
        values: what the template shows; texts are escaped.
    """
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
    """A page, which no cache keeps and which loads nothing."""
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
    """Send the browser elsewhere, by GET."""
    return Response(status=303, headers={"Location": location, "Cache-Control": "no-store"})


def sentence(error: Exception) -> str:
    """The message of an error as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
