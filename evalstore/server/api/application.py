"""Views of the API for the app: they read parameters and turn errors into problem details.

In this order: names in paths, views, the documentation page of the API.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import BaseConverter, Map, Rule

import evalstore
from dashboard.serving.access import sent_path
from dashboard.serving.slots import Busy, slot
from evalstore import errors
from evalstore.client.connection import ROOT
from evalstore.server.api import openapi
from evalstore.server.api.operation import (
    JSON,
    Call,
    Operation,
    from_body,
    from_query,
    to_json,
)
from evalstore.server.api.paging import IN_PAGE
from evalstore.server.api.routes import OPERATIONS
from evalstore.server.pages.rendering import POLICY, render
from evalstore.server.problems import HttpError, problem, unreadable
from evalstore.server.retry import retry
from evalstore.server.routes import API_PAGE, API_REST, API_ROOT
from evalstore.server.setup import PublicUrl, Wsgi
from evalstore.store import Store

# Names in the paths of the API, which may contain a slash: `beir/scifact`.
#
# A program writes such a slash as %2F. Servers decode it before the path is looked up, which would
# split the name. So it becomes a control character, which no name contains, until the names
# are taken out of the path.

KEPT = "\x1f"
_SLASH = re.compile("%2f", re.IGNORECASE)


class NameConverter(BaseConverter):
    """Converter for a name in a path: `<name:collection>`."""

    def to_python(self, value: str) -> str:
        """The name with its slashes."""
        return value.replace(KEPT, "/")


def with_slashes_in_names(app: Wsgi) -> Wsgi:
    """Wrap `app` so that slashes of names stay in the paths of the API."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = sent_path(environ)
        if path.startswith(f"{ROOT}/") and _SLASH.search(path):
            kept = unquote_to_bytes(_SLASH.sub(quote(KEPT), path))
            environ["PATH_INFO"] = kept.decode("latin-1")
        return app(environ, start_response)

    return answer


# The views of the operations

LONG_AT_ONCE = 3
"""Long computations at a time in a process, which has 8 threads: quick requests need some too."""
SECONDS_TO_WAIT = 1

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE")

STATUS: tuple[tuple[type[errors.EvalstoreError], int], ...] = (
    (Busy, 429),
    (errors.NotFound, 404),
    (errors.NotComparable, 409),
    (errors.Conflict, 409),
    (errors.DataError, 400),
    (errors.StoreError, 503),
)
"""The HTTP status of each class of error; the first class that fits counts."""


@dataclass(frozen=True)
class Api:
    """The views of the API.

    Attributes:
        store: the whole store.
        store_of_request: returns the store as the sender of the request may see it.
    """

    store: Store
    public_url: PublicUrl
    store_of_request: Callable[[], Store]
    _free: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(LONG_AT_ONCE)
    )

    def register(self, server: Flask) -> None:
        """Add a view for each operation, the page of the API, and a view for all other paths."""
        server.url_map.converters["name"] = NameConverter
        server.wsgi_app = with_slashes_in_names(server.wsgi_app)  # type: ignore[method-assign]  # how Flask adds a layer
        # Made at the first request: it takes half as long as all the rest of the server.
        document = cache(lambda: openapi.document(OPERATIONS, evalstore.__version__))
        server.extensions[openapi.KEY] = document
        for each in OPERATIONS:
            name = f"api.{each.view.__name__}"
            server.add_url_rule(each.rule, name, self._view(each), methods=[each.method])

        def page() -> Response:
            text = documentation_page(self.public_url.prefix, document())
            answer = Response(text, mimetype="text/html")
            answer.headers["Content-Security-Policy"] = POLICY
            return answer

        @cache
        def operations() -> Map:
            """The rules of the API, made at the first request, when all of them are known."""
            rules = [
                Rule(rule.rule, methods=rule.methods)
                for rule in server.url_map.iter_rules()
                if rule.rule.startswith(f"{ROOT}/") and rule.rule not in (API_ROOT, API_REST)
            ]
            return Map(rules, converters=server.url_map.converters)

        def rest(path: str = "") -> Response:
            """Answer a path that is no operation: 404, or 405 with the methods that it allows."""
            allowed = operations().bind("").allowed_methods(f"{ROOT}/{path}")
            if allowed:
                return _refused_method(allowed)
            listed = f"{self.public_url.prefix}{API_PAGE}"
            return problem(404, f"The API has nothing at this address: {listed} lists it.")

        def refuse_method(error: MethodNotAllowed) -> Response | MethodNotAllowed:
            """Answer a method that an address does not allow; in the API with problem details."""
            in_api = request.path.startswith(f"{ROOT}/")
            return _refused_method(error.valid_methods or ()) if in_api else error

        server.register_error_handler(MethodNotAllowed, refuse_method)
        server.add_url_rule(API_PAGE, "api-page", page, methods=["GET"])
        server.add_url_rule(API_ROOT, "api-root", rest, methods=METHODS, strict_slashes=False)
        server.add_url_rule(API_REST, "api-rest", rest, methods=METHODS)

    def _view(self, operation: Operation) -> Callable[..., Response]:
        def view(**names: Any) -> Response:
            try:
                return self._answer(operation, names)
            except errors.EvalstoreError as error:
                return _refused(error)
            except HTTPException as error:
                return problem(error.code or 500, error.description or str(error))
            except Exception:
                logging.getLogger("dashboard").exception("%s failed", operation.rule)
                return problem(500, "The server failed; its log says why.")

        return view

    def _answer(self, operation: Operation, names: Mapping[str, Any]) -> Response:
        accepted = request.accept_mimetypes
        media_types = operation.media_types
        media_type = media_types[0] if media_types else ""
        if accepted and media_types:
            best = accepted.best_match(media_types)
            if best is None:
                return problem(406, f"This address answers with {', '.join(media_types)}.")
            media_type = best
        if any("\0" in str(name) for name in names.values()):
            raise NotFound("No name has a NUL character.")
        model = operation.parameters
        takes_json = operation.takes_json
        chosen = from_body(model, request) if takes_json else from_query(model, request.args)
        parameters = chosen.model_dump(exclude=set(IN_PAGE))
        call = Call(
            person=g.get("person"),
            store_of_person=self.store_of_request,
            whole=self.store,
            media_type=media_type,
            address=json.dumps([request.path, parameters], default=str),
            public_url=str(self.public_url),
        )

        sentence = (
            f"{LONG_AT_ONCE} leaderboards or comparisons are being computed already, the most at a "
            "time: ask again in a moment"
        )
        too_many = HttpError(429, sentence, retry_after=SECONDS_TO_WAIT)  # waiting keeps a thread

        def work() -> Any:
            with slot(self._free, too_many) if operation.is_long else nullcontext():
                return operation.view(call, chosen, **names)

        # JSON was read above; the view of a PUT reads the body, so that can't be done twice.
        content = work() if operation.method == "PUT" else retry(work)
        if not isinstance(content, Response):
            answer = to_json(content, operation.answer)
            text = json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n"
            content = Response(text, mimetype=JSON)
        # Other people see other collections, so no shared cache may store the answer.
        content.headers.setdefault("Cache-Control", "private, no-cache")
        content.vary.update(["Accept", "Authorization", "Cookie"])
        return content


def _refused_method(allowed: Iterable[str]) -> Response:
    methods = ", ".join(sorted({*allowed, "OPTIONS"}))
    return problem(405, f"The methods of this address are {methods}.", {"Allow": methods})


def _refused(error: errors.EvalstoreError) -> Response:
    text = str(error)
    if isinstance(error, HttpError):
        return problem(error.status, text, error.headers, error)
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 400)
    if status == 503 or error.problem == "no spool":
        return unreadable(error)
    wait = {"Retry-After": str(SECONDS_TO_WAIT)} if status == 429 else None
    return problem(status, text, wait, error)


# The documentation page of the API: the OpenAPI description as plain HTML without scripts

Row = tuple[str, str, str]
"""The name, kind and meaning of a parameter, a header or a field."""


def documentation_page(prefix: str, document: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document as plain HTML; every path gets `prefix` in front."""
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
    """The successful answers, with equal contents together.

    Each item has its statuses, media types, headers and fields.
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
    """The fields of an object, then the fields of objects in its lists, like `runs[].engine`."""
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
    """A type in words, like `integer from 1 to 1000; 100 where not given`."""
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
