"""The description of the API, which the app is given a function for (`openapi.document`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import current_app
from pydantic import ConfigDict

from evalstore.server.api.operation import Asked, Content, Parameters

KEY = "evalstore-openapi"


class OpenApi(Content):
    """A document of OpenAPI 3.1."""

    model_config = ConfigDict(extra="allow")

    openapi: str


def openapi(asked: Asked, chosen: Parameters) -> dict[str, Any]:
    """Describe every operation, as OpenAPI 3.1."""
    document: Callable[[], dict[str, Any]] = current_app.extensions[KEY]
    return {**document(), "servers": [{"url": asked.public_url}]}
