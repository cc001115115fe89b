"""The page of the API: what OpenAPI describes, as plain HTML without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from evalstore.server.api.operation import JSON, ROOT
from evalstore.server.pages import login_pages


def documentation_page(prefix: str, document: Mapping[str, Any]) -> str:
    """The page.

    Args:
        prefix: the path before every path of the server.
        document: as `openapi.document` makes it.
    """
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    contents = "".join(
        f'<li><a href="#{escape(each["operationId"])}">{escape(each["summary"])}</a></li>'
        for _, _, each in operations
    )
    sections = "".join(_section(path, method, each, document) for path, method, each in operations)
    return login_pages.page(
        "API",
        f"""<main class="wide">
<p><a href="{prefix}/">Back to the dashboard</a></p>
<h1>The HTTP API of evalstore {escape(document["info"]["version"])}</h1>
<p>{_text(document["info"]["description"])} Programs send a token in the header
<code>Authorization: Bearer evs_…</code>; an administrator makes one with
<code>evalstore token create</code>. The same as
<a href="{prefix}{ROOT}/openapi.json">OpenAPI 3.1</a>.</p>
<ul>{contents}</ul>
{sections}</main>""",
    )


def _section(
    path: str, method: str, operation: Mapping[str, Any], document: Mapping[str, Any]
) -> str:
    statuses = "".join(
        f"<li><code>{escape(status)}</code> {_text(answer['description'])}</li>"
        for status, answer in operation["responses"].items()
        if not status.startswith("2")
    )
    return f"""<section>
<h2 id="{escape(operation["operationId"])}">{escape(operation["summary"])}</h2>
<p><code>{method.upper()} {escape(path)}</code></p>
<p>{_text(operation["description"])}</p>
{_table("Parameter", _parameters(operation))}
{_answers(operation, document)}
<details><summary>Other statuses</summary><ul>{statuses}</ul></details>
</section>
"""


def _answers(operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The answers that do not refuse; those of the same content together."""
    together: dict[str, list[str]] = {}
    for status, answer in operation["responses"].items():
        if status.startswith("2"):
            together.setdefault(_answer(answer, document), []).append(status)
    return "".join(
        f"<p>The answer ({', '.join(statuses)}): {text}" for text, statuses in together.items()
    )


def _answer(answer: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """The media types of an answer, then tables of its headers and fields."""
    content = answer.get("content", {})
    media_types = ", ".join(f"<code>{escape(name)}</code>" for name in content)
    headers = [
        (name, _kind(header["schema"], required=True), header["description"])
        for name, header in answer.get("headers", {}).items()
    ]
    schema = content.get(JSON, {}).get("schema")
    fields = [] if schema is None else list(_fields_of(schema, document, ""))
    tables = _table("Header", headers) + _table("Field", fields)
    return f"{media_types or 'without content'}.</p>{tables}"


def _table(first: str, rows: list[tuple[str, str, str]]) -> str:
    if not rows:
        return ""
    cells = "".join(
        f'<tr><td><code>{escape(name)}</code></td><td data-label="Type">{escape(kind)}</td>'
        f'<td data-label="Meaning">{_text(text)}</td></tr>'
        for name, kind, text in rows
    )
    return f"""<table>
<thead><tr><th scope="col">{first}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr>
</thead><tbody>{cells}</tbody></table>"""


def _parameters(operation: Mapping[str, Any]) -> list[tuple[str, str, str]]:
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
) -> Iterator[tuple[str, str, str]]:
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


def _text(text: str) -> str:
    """A text with code between backticks."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
