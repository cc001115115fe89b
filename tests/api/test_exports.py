"""What `import evalstore` exports, and what it costs."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import evalstore as ev

INIT = Path(ev.__file__)
HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "sqlalchemy", "alembic", "click", "dash", "plotly")


def loaded_after(code: str) -> set[str]:
    """The heavy packages that a fresh Python has loaded after some code."""
    code += f"\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(process.stdout.splitlines()[-1].split())


def test_the_import_loads_nothing_of_weight() -> None:
    assert loaded_after("import evalstore as ev; dir(ev); ev.__version__; ev.errors") == set()


def test_names_that_are_not_asked_for_are_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 1.0 t\n")
    loaded = loaded_after(
        f"import evalstore as ev; run = ev.read_run({str(path)!r})\n"
        "from evalstore.measures import nDCG\n"
        "print(ev.evaluate({'q1': {'d1': 1}}, run, [nDCG @ 10]))"
    )
    assert loaded == {"numpy", "pyarrow"}


def test_every_exported_name_is_there_and_every_public_name_is_exported() -> None:
    for name in ev.__all__:
        assert getattr(ev, name) is not None
    assert sorted(ev.__all__) == sorted(ev._MODULES)
    assert dir(ev) == sorted([*ev.__all__, "__version__"])
    inside = {
        node.name
        for node in ast.parse(INIT.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert inside == {"__getattr__", "__dir__"}


def test_type_checkers_see_the_names_that_are_exported() -> None:
    [typed] = [n for n in ast.parse(INIT.read_text("utf-8")).body if isinstance(n, ast.If)]
    imported = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    expected = {
        name: module if module == f"evalstore.{name}" else f"{module}.{name}"
        for name, module in ev._MODULES.items()
    }
    assert imported == expected


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'evalstore' has no attribute 'evalute'"):
        _ = ev.evalute  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name",
    [
        "Run",
        "Qrels",
        "Evaluation",
        "Evaluator",
        "evaluate",
        "evaluator",
        "read_run",
        "read_qrels",
        "read_queries",
        "read_documents",
    ],
)
def test_a_public_name_has_a_docstring(name: str) -> None:
    assert len(getattr(ev, name).__doc__ or "") > 40


@pytest.mark.parametrize(
    "name",
    ["api.evaluation", "formats.run", "formats.qrels", "measures.notation", "testing"],
)
def test_the_examples_of_docstrings_show_what_they_say(name: str) -> None:
    module = importlib.import_module(f"evalstore.{name}")
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0
