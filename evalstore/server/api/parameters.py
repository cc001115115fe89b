"""Read the parameters of a request; what is wrong is said in a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeGuard, TypeVar, get_args, get_origin

from flask import Request
from pydantic import BaseModel, Field, StringConstraints, ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from evalstore.errors import DataError, nearest
from evalstore.server.api.operation import JSON, Parameters
from evalstore.server.jobs.bodies import body_pieces

LARGEST_BODY = 256 * 1024
"""Bytes of the JSON that an operation takes."""
MOST_NAMED = 50
"""Runs, measures or conditions that a request may name."""

Name = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""Any text: NUL can't be in a database."""

Measures = Annotated[
    list[Name],
    Field(
        min_length=1,
        max_length=MOST_NAMED,
        description="Measures, computed where they are not stored; may be repeated.",
    ),
]
DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")

P = TypeVar("P", bound=Parameters)


def from_query(model: type[P], query: MultiDict[str, str]) -> P:
    """The parameters in the query of an address.

    Raises:
        DataError: one is not known, is given twice, or can't be what it is.
    """
    given: dict[str, Any] = {}
    for name, values in query.lists():
        if name in model.model_fields and _is_list(model, name):
            given[name] = values
        elif len(values) > 1:
            raise DataError(f"the parameter {name!r} is given more than once")
        else:
            given[name] = values[0]
    return _read(model, given)


def from_body(model: type[P], request: Request) -> P:
    """The parameters in the JSON of a body.

    Raises:
        UnsupportedMediaType: the body is no JSON by its header.
        Refused: it is too large, or comes too slowly.
        DataError: it is no JSON object, or as in `from_query`.
    """
    if request.mimetype != JSON:
        raise UnsupportedMediaType(f"Send the parameters as {JSON}.")
    try:
        given = json.loads(b"".join(body_pieces(LARGEST_BODY)), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error)
        raise DataError(f"the body is no JSON: {reason}") from None
    if not isinstance(given, dict):
        raise DataError("the body is no JSON object")
    return _read(model, given)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _is_list(model: type[Parameters], name: str) -> bool:
    return get_origin(model.model_fields[name].annotation) is list


def _read(model: type[P], given: Mapping[str, Any]) -> P:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    path = [part for part in first["loc"] if isinstance(part, str)]
    name = ".".join(path)
    if first["type"] == "extra_forbidden":
        raise DataError(f"there is no parameter {name!r}{_hint(model, path)}")
    if first["type"] == "missing":
        raise DataError(f"the parameter {name!r} is missing")
    message = first["msg"][:1].lower() + first["msg"][1:]
    raise DataError(f"parameter {name!r}: {message}")


def _hint(model: type[BaseModel], path: list[str]) -> str:
    """The name that may be meant by an unknown one; within another parameter all that there are."""
    *outer, last = path
    for name in outer:
        kind = model.model_fields[name].annotation
        inner = [of for of in (kind, *get_args(kind)) if _is_model(of)]
        if not inner:
            return ""
        model = inner[0]
    alike = nearest(last, model.model_fields)
    if alike:
        return f"; did you mean {'.'.join([*outer, alike[0]])!r}?"
    return f"; there are {', '.join(model.model_fields)}" if outer else ""


def _is_model(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
