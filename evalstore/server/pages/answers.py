"""Answers with a page of the login, the account, an invitation or the administrators."""

from __future__ import annotations

from flask import Response

from evalstore.errors import Conflict, NotFound
from evalstore.server.pages import login_pages
from evalstore.server.people.login import LockedOut, WrongPassword
from evalstore.server.people.passwords import TooManyLogins

STATUS: dict[type[Exception], int] = {
    LockedOut: 429,
    TooManyLogins: 503,
    WrongPassword: 403,
    NotFound: 404,
    Conflict: 409,
}
"""Of an error; 400 of all others."""


def page_answer(text: str, status: int = 200) -> Response:
    """A page, which no cache keeps and which loads nothing."""
    answer = Response(text, status, mimetype="text/html")
    answer.headers["Content-Security-Policy"] = login_pages.POLICY
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


def sentence(error: Exception) -> str:
    """What an error says, as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
