"""Rows and cells of tables are what Dash's own components would be."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dash import html
from plotly.utils import PlotlyJSONEncoder

import dashboard
from dashboard.components.elements import td, th, tr

FOLDER = Path(dashboard.__file__).parent
DASHS: dict[Callable[..., Any], Any] = {td: html.Td, th: html.Th, tr: html.Tr}


def as_json(element: Any) -> Any:
    return json.loads(json.dumps(element, cls=PlotlyJSONEncoder))


@pytest.mark.parametrize("element", DASHS, ids=lambda element: element.__name__)
@pytest.mark.parametrize(
    ("children", "properties"),
    [
        ((), {}),
        (("",), {"className": "number", "title": "<b>"}),
        ((["a", html.Bdi("b")],), {"scope": "row", "colSpan": 2, "aria-label": "c"}),
    ],
)
def test_an_element_is_what_dash_writes_of_its_component(
    element: Callable[..., Any], children: tuple[Any, ...], properties: dict[str, Any]
) -> None:
    known = {name: value for name, value in properties.items() if is_known(element, name)}
    assert as_json(element(*children, **known)) == as_json(DASHS[element](*children, **known))


def is_known(element: Callable[..., Any], name: str) -> bool:
    component = DASHS[element]()
    wildcards = tuple(component._valid_wildcard_attributes)
    return name in component._prop_names or name.startswith(wildcards)


def test_every_property_that_is_given_is_one_of_dashs_component() -> None:
    of_name = {element.__name__: element for element in DASHS}
    calls = [
        (file.name, call)
        for file in FOLDER.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in of_name
    ]
    assert len(calls) > 100
    for file, call in calls:
        assert isinstance(call.func, ast.Name)
        for keyword in call.keywords:
            element = of_name[call.func.id]
            assert keyword.arg is None or is_known(element, keyword.arg), (file, call.lineno)
