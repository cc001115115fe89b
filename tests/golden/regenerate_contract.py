"""Make contract.json anew: `python tests/golden/regenerate_contract.py`.

The contract is what users' programs rely on, a line each, so that a diff shows what changed: the
names and parameters of the Python API, and the addresses and fields of the HTTP API. The columns
of the SQL views are in `tests/sql/test_schema_contract.py`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import evalstore
from evalstore import errors, measures, stats, testing
from evalstore.server.api import openapi
from evalstore.server.api.routes import OPERATIONS

RECORDED = Path(__file__).with_name("contract.json")
MADE_BY_USERS = {"Extras"}
"""The classes whose constructor is promised; objects of all others come from functions."""


def python_lines() -> Iterator[str]:
    """Every public name of Python: with its parameters, or its public attributes."""
    for name in evalstore.__all__:
        yield from _of_object(f"evalstore.{name}", getattr(evalstore, name))
    for name, one in vars(errors).items():
        if inspect.isclass(one) and issubclass(one, Exception):
            yield f"evalstore.errors.{name}, {_bases(one)}"
    for module in (measures, stats):
        for name in module.__all__:
            yield from _of_object(f"{module.__name__}.{name}", getattr(module, name))
    yield from (f"evalstore.measures.{name}" for name in measures.registry())
    function = testing.assert_no_regression
    yield from _of_object(f"{testing.__name__}.{function.__name__}", function)


def _bases(one: type[Exception]) -> str:
    """The classes by which an error can be caught."""
    return "is " + ", ".join(base.__name__ for base in one.__mro__[1:-2])


def _of_object(name: str, one: object) -> Iterator[str]:
    yield name
    if isinstance(one, ModuleType):
        return
    if inspect.isclass(one):
        if one.__name__ in MADE_BY_USERS:
            yield from _parameters(name, one)
        yield from _members(name, one)
    elif callable(one):
        yield from _parameters(name, one)


def _members(name: str, one: type) -> Iterator[str]:
    """The public attributes that our own classes give."""
    own = {
        attribute: value
        for base in reversed(one.__mro__)
        if base.__module__.startswith("evalstore")
        for attribute, value in vars(base).items()
    }
    if is_dataclass(one):
        own |= {field.name: None for field in fields(one)}
    own |= dict.fromkeys(getattr(one, "_fields", ()))  # of a named tuple
    for attribute, value in own.items():
        if not attribute.startswith("_"):
            yield f"{name}.{attribute}"
            called = getattr(value, "__func__", value)
            if inspect.isfunction(called):
                yield from _parameters(f"{name}.{attribute}", called)


def _parameters(name: str, function: Any) -> Iterator[str]:
    """One line for each parameter; a positional one has its number."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name in {"self", "cls"}:
        del parameters[0]
    for number, parameter in enumerate(parameters, 1):
        positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        where = f"parameter {number}" if positional else "keyword"
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        optional = ", optional" * (parameter.default is not parameter.empty)
        yield f"{name}, {where}: {stars.get(parameter.kind, '')}{parameter.name}{optional}"


def http_lines() -> Iterator[str]:
    """Every operation: its parameters, the fields of its body, its answers; and their schemas."""
    document = openapi.document(OPERATIONS, "")
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path}"
            yield name
            for parameter in operation["parameters"]:
                optional = ", optional" * (not parameter.get("required"))
                kind = f"{parameter['name']}{optional}: {_type(parameter['schema'])}"
                yield f"{name}, {parameter['in']} {kind}"
            body = operation.get("requestBody", {"content": {}})
            for media_type, content in body["content"].items():
                yield f"{name}, body {media_type}"
                yield from _fields(f"{name}, body", content.get("schema", {}))
            done = {k: of for k, of in operation["responses"].items() if k.startswith("2")}
            for status, response in done.items():
                for media_type, content in response.get("content", {"nothing": {}}).items():
                    kind = _type(content["schema"]) if "schema" in content else ""
                    yield f"{name}, {status} {media_type} {kind}".rstrip()
    for name, schema in document["components"]["schemas"].items():
        yield name
        yield from _fields(name, schema)


def _fields(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    required = schema.get("required", ())
    for field, of in schema.get("properties", {}).items():
        optional = ", optional" * (field not in required)
        yield f"{name}.{field}{optional}: {_type(of)}"


def _type(schema: Mapping[str, Any]) -> str:
    """The type of a value in short: `string or null`, `list of Run`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    values = schema.get("additionalProperties")
    if schema.get("type") == "object" and isinstance(values, Mapping):
        return f"object of {_type(values)}"
    return str(schema.get("type", "anything"))


def contract() -> dict[str, list[str]]:
    """The lines of both parts, sorted."""
    return {"python": sorted(set(python_lines())), "http": sorted(set(http_lines()))}


if __name__ == "__main__":
    text = json.dumps(contract(), indent=1, ensure_ascii=False)
    RECORDED.write_text(f"{text}\n", encoding="utf-8")
