"""The OpenAPI 3.1 description of all operations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from flask import current_app
from pydantic import ConfigDict, Field
from pydantic.json_schema import models_json_schema

from evalstore.server.api.operation import JSON, Call, Content, Operation, Parameters
from evalstore.server.problems import MEDIA_TYPE

OCTETS = "application/octet-stream"
BLOB = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}

PART = re.compile(r"<(?:\w+:)?(\w+)>")
SCHEMAS = "#/components/schemas/"
REFUSALS = {
    400: "A parameter is wrong; `detail` says which and why.",
    401: "Nobody is logged in, and no token is sent that counts.",
    403: "The person may not do this.",
    404: "There is no such thing, or the person may not know of it.",
    406: "The answer is not available in a media type that `Accept` allows.",
    408: "Nothing came for too long: the upload can go on.",
    409: "What is asked for does not fit what is there; `detail` says why.",
    411: "The length of the file is missing.",
    413: "The request or the answer is too large.",
    415: "The body is not sent in the way that `detail` names.",
    422: "The file can't be stored; `detail` says why, with its line.",
    429: "Too many at a time: again after `Retry-After` seconds.",
    500: "The server failed; its log says why.",
    503: "The store can't be read: again after `Retry-After` seconds.",
    507: "The disk of the server, or what the collection may take of it, is full.",
}
ALWAYS = (400, 401, 403, 404, 406, 409, 500, 503)
TEXT = {"type": "string", "minLength": 1}
PARTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "collection": ("The name of a collection.", TEXT),
    "run": ("The name or the id of a run.", TEXT),
    "blob": ("The file: `sha256:` and its SHA-256 in hexadecimal digits.", BLOB),
    "qrels": ("The name of judgments.", TEXT),
    "draft": ("The name of a draft.", TEXT),
    "job": ("The id of a job.", {"type": "integer", "minimum": 1}),
}
"""Meaning and schema of each variable in paths."""


class Problem(Content):
    """Problem details as in RFC 9457."""

    model_config = ConfigDict(json_schema_extra={"required": ["type", "title", "status", "detail"]})

    type: str
    title: str
    status: int
    detail: str
    problem: str = Field("", description="The kind of problem, where a program may know a remedy.")
    needs: str = Field("", description="What a measure lacks.")


def document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """The OpenAPI document, without the address of the server."""
    table = list(operations)
    answers = (content for each in table for content in each.answers.values())
    models: list[type[Content]] = [Problem, *dict.fromkeys(filter(None, answers))]
    _, schemas = models_json_schema(
        [(model, "serialization") for model in models], ref_template=f"{SCHEMAS}{{model}}"
    )
    parts: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for each in table:
        parts |= _schema_of_parameters(each).get("$defs", {})
        paths.setdefault(path_of(each), {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "evalstore",
            "version": version,
            "description": (
                "Runs, judgments and figures of retrieval evaluations. Lists come in pages: `next` "
                "is the cursor of the next one. Errors are problem details (RFC 9457)."
            ),
        },
        "paths": paths,
        "components": {
            "schemas": {**schemas["$defs"], **parts},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schema_of_parameters(operation: Operation) -> dict[str, Any]:
    return operation.parameters.model_json_schema(ref_template=f"{SCHEMAS}{{model}}")


def path_of(operation: Operation) -> str:
    """The path with its variables in braces."""
    return PART.sub(r"{\1}", operation.rule)


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.view.__name__,
        "summary": operation.summary,
        "description": operation.description,
        "security": [] if operation.permission == "anyone" else [{"token": []}],
        "responses": _responses(operation),
    }
    names = [
        _parameter(name, "path", True, PARTS[name][0], dict(PARTS[name][1]))
        for name in PART.findall(operation.rule)
    ]
    for name, text in operation.headers.items():
        names.append(_parameter(name, "header", False, text, {"type": "string"}))
    schema = _schema_of_parameters(operation)
    schema.pop("$defs", None)  # they are in the components of the document
    if operation.takes_json:
        described["requestBody"] = {"required": True, "content": {JSON: {"schema": schema}}}
        described["parameters"] = names
    else:
        described["parameters"] = [*names, *_in_query(operation.parameters, schema)]
    if operation.method == "PUT":
        described["requestBody"] = {"required": True, "content": {OCTETS: {}}}
    return described


def _parameter(
    name: str, place: str, required: bool, text: str, schema: Mapping[str, Any]
) -> dict[str, Any]:
    described = {"name": name, "in": place, "required": required}
    return {**described, "description": text, "schema": schema}


def _in_query(model: type[Parameters], schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    described = []
    for name, own in schema.get("properties", {}).items():
        # A parameter can be left out, but can't be null.
        kinds = [kind for kind in own.get("anyOf", []) if kind != {"type": "null"}]
        kept = {key: value for key, value in own.items() if key not in ("anyOf", "title")}
        if kept.get("default", ...) is None:
            del kept["default"]
        schema_of_value = {**kept, **(kinds[0] if kinds else {})}
        text = schema_of_value.pop("description", "")
        is_required = model.model_fields[name].is_required()
        described.append(_parameter(name, "query", is_required, text, schema_of_value))
    return described


def _responses(operation: Operation) -> dict[str, Any]:
    refused = {"content": {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}{Problem.__name__}"}}}}
    return {
        **{
            str(status): _done(operation, status, answer)
            for status, answer in operation.answers.items()
        },
        **{
            str(status): {"description": REFUSALS[status], **refused}
            for status in sorted({*ALWAYS, *operation.statuses})
        },
    }


def _done(operation: Operation, status: int, answer: type[Content] | None) -> dict[str, Any]:
    """The description of a successful answer."""
    described: dict[str, Any] = {"description": HTTPStatus(status).phrase}
    content: dict[str, Any] = {
        media_type: {"schema": {"type": "string"}} if media_type.startswith("text/") else {}
        for media_type in operation.media_types
    }
    if answer is not None:
        content[JSON] = {"schema": {"$ref": f"{SCHEMAS}{answer.__name__}"}}
    if content:
        described["content"] = content
    if operation.answer_headers:
        described["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in operation.answer_headers.items()
        }
    return described


# The view that sends the description; the app stores the function that makes it (`document`)

KEY = "evalstore-openapi"


class OpenApi(Content):
    """A document of OpenAPI 3.1."""

    model_config = ConfigDict(extra="allow")

    openapi: str


def openapi(call: Call, chosen: Parameters) -> dict[str, Any]:
    """Describe every operation, as OpenAPI 3.1."""
    document: Callable[[], dict[str, Any]] = current_app.extensions[KEY]
    return {**document(), "servers": [{"url": call.public_url}]}
