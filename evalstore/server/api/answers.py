"""Answers of the API as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import Response

from evalstore.errors import EvalstoreError, StoreError
from evalstore.server.problems import problem
from evalstore.server.refused import Refused


def json_answer(
    status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """An answer with JSON that nobody keeps."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    answer = Response(text, status, mimetype="application/json")
    answer.headers.extend(dict(headers or {}))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def with_problems(view: Callable[..., Response]) -> Callable[..., Response]:
    """The view, with what it refuses as problem details."""

    @wraps(view)
    def answer(**parts: Any) -> Response:
        try:
            return view(**parts)
        except Refused as error:
            return problem(error.status, str(error), error.headers, error)
        except StoreError:
            return problem(503, "The store can't be reached: try it again.", {"Retry-After": "5"})
        except EvalstoreError as error:
            return problem(422, str(error), error=error)

    return answer
