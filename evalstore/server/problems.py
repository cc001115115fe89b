"""Answers that refuse a request, for programs: problem details as in RFC 9457."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from flask import Response

MEDIA_TYPE = "application/problem+json"


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """An answer with a status, and a sentence that says what is wrong and what to do."""
    title = HTTPStatus(status).phrase
    content = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    text = json.dumps(content, ensure_ascii=False) + "\n"
    answer = Response(text, status, mimetype=MEDIA_TYPE)
    answer.headers.extend(dict(headers or {}))
    answer.headers["Cache-Control"] = "no-store"
    return answer
