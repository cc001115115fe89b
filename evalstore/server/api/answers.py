"""Answers of the API as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response


def json_answer(
    status: int, content: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """An answer with JSON that nobody keeps."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
    answer = Response(text, status, mimetype="application/json")
    answer.headers.extend(dict(headers or {}))
    answer.headers["Cache-Control"] = "no-store"
    return answer
