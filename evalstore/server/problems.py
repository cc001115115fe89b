"""Error answers for programs: problem details as in RFC 9457."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, request

from evalstore.errors import EvalstoreError, Problem, StoreError

MEDIA_TYPE = "application/problem+json"

SECONDS_TO_WAIT_FOR_STORE = 5
"""Seconds in Retry-After while the store can't be read: a database restarts in seconds."""


def problem(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    error: EvalstoreError | None = None,
) -> Response:
    """An answer with a status, and a sentence that says what is wrong and what to do.

    The kind of problem comes from `problem` and `needs` of the `error`.
    """
    title = HTTPStatus(status).phrase
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    kinds = {name: getattr(error, name, None) for name in ("problem", "needs")}
    content |= {name: kind for name, kind in kinds.items() if kind}
    return json_answer(status, content, headers, MEDIA_TYPE)


def json_answer(
    status: int,
    content: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    media_type: str = "application/json",
) -> Response:
    """An answer with JSON that no cache stores."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    answer = Response(text, status, mimetype=media_type)
    answer.headers.extend(dict(headers or {}))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def unreadable(error: EvalstoreError) -> Response:
    """The answer while the store can't be read; only the log has the reason: it may name a host."""
    logging.getLogger("dashboard").error("%s", error)
    later = {"Retry-After": str(SECONDS_TO_WAIT_FOR_STORE)}
    what = "read" if request.method in ("GET", "HEAD") else "read or written"
    return problem(503, f"The store can't be {what}.", later)


def register(server: Flask) -> None:
    """Answer 503 to every request that finds that the store can't be read."""
    server.register_error_handler(StoreError, unreadable)


def nothing_here() -> Response:
    """The answer at an address where the person may not learn whether something exists."""
    return problem(404, "There is nothing at this address.")


# An error that becomes problem details in the answer to a request


class HttpError(EvalstoreError):
    """A refusal with this status and these headers; `retry_after` is in seconds."""

    def __init__(
        self,
        status: int,
        sentence: str,
        headers: Mapping[str, str] | None = None,
        *,
        retry_after: int | None = None,
        problem: Problem | None = None,
    ) -> None:
        super().__init__(sentence, problem=problem)
        self.status = status
        again = {} if retry_after is None else {"Retry-After": str(retry_after)}
        self.headers = {**(headers or {}), **again}
