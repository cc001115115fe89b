"""The page of the API: the OpenAPI description as plain HTML without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalstore.server.api.operation import JSON, ROOT
from evalstore.server.pages.rendering import render

Row = tuple[str, str, str]
"""The name, kind and meaning of a parameter, a header or a field."""


def documentation_page(prefix: str, document: Mapping[str, Any]) -> str:
    """The page.

    Args:
        prefix: the path before every path of the server.
        document: as `openapi.document` makes it.
    """
    operations = [
        {
            **operation,
            "path": path,
            "method": method,
            "rows": _parameters(operation),
            "answers": _answers(operation, document),
        }
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return render("api.html", prefix, info=document["info"], root=ROOT, operations=operations)


def _answers(
    operation: Mapping[str, Any], document: Mapping[str, Any]
) -> list[tuple[list[str], list[str], list[Row], list[Row]]]:
    """The answers that do not refuse, those of the same content together.

    Each is its statuses, media types, headers and fields.
    """
    together: list[tuple[list[str], list[str], list[Row], list[Row]]] = []
    for status, answer in operation["responses"].items():
        if not status.startswith("2"):
            continue
        content = answer.get("content", {})
        headers = [
            (name, _kind(header["schema"], required=True), header["description"])
            for name, header in answer.get("headers", {}).items()
        ]
        schema = content.get(JSON, {}).get("schema")
        fields = [] if schema is None else list(_fields_of(schema, document, ""))
        same = [known for known in together if known[1:] == (list(content), headers, fields)]
        if same:
            same[0][0].append(status)
        else:
            together.append(([status], list(content), headers, fields))
    return together


def _parameters(operation: Mapping[str, Any]) -> list[Row]:
    rows = [
        (each["name"], _kind(each["schema"], required=each["required"]), each["description"])
        for each in operation["parameters"]
    ]
    body = operation.get("requestBody", {}).get("content", {}).get(JSON, {}).get("schema", {})
    required = body.get("required", [])
    return rows + [
        (name, _kind(schema, required=name in required), schema.get("description", ""))
        for name, schema in body.get("properties", {}).items()
    ]


def _fields_of(
    schema: Mapping[str, Any], document: Mapping[str, Any], before: str
) -> Iterator[Row]:
    """The fields of an object, then those of the objects in its lists, as `runs[].engine`."""
    for name, own in _resolved(schema, document).get("properties", {}).items():
        yield before + name, _kind(own, required=True), own.get("description", "")
        items = own.get("items", {})
        if "$ref" in items:
            yield from _fields_of(items, document, f"{before}{name}[].")


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    named: Mapping[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return named


def _kind(schema: Mapping[str, Any], *, required: bool) -> str:
    """A type in words: `integer from 1 to 1000, 100 where not given`."""
    kinds = schema.get("anyOf", [schema])
    text = " or ".join(
        str(kind.get("type", "object" if "$ref" in kind else "anything")) for kind in kinds
    )
    if "enum" in schema:
        text = " or ".join(map(str, schema["enum"]))
    if "minimum" in schema and "maximum" in schema:
        text += f" from {schema['minimum']:,} to {schema['maximum']:,}"
    default = schema.get("default")
    if default not in (None, "", [], False):
        value = ", ".join(default) if isinstance(default, list) else default
        return f"{text}; {value} where not given"
    return text if required else f"{text}, optional"
