"""The description of the API, which the app is given when it is made (`openapi.document`)."""

from __future__ import annotations

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
    document: dict[str, Any] = current_app.extensions[KEY]
    return {**document, "servers": [{"url": asked.public_url}]}
