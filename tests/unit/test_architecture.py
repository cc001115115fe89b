"""The rules that docs/architecture.md draws, held over the source itself."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SHIPPED = sorted(
    path
    for room in ("evalstore", "dashboard", "migrations")
    for path in CHECKOUT.glob(f"{room}/**/*.py")
)
TESTS = sorted(CHECKOUT.glob("tests/**/*.py"))

# Rooms from left to right: a module imports from its own room and from those of a lower number.
LEVELS = {
    "evalstore.errors": 0,
    "evalstore.formats": 1,
    "evalstore.measures": 1,
    "evalstore.stats": 1,
    "evalstore.matching": 2,
    "evalstore.store": 3,
    "evalstore.usecases": 4,
    "evalstore": 5,  # the Python API
    "evalstore.demo": 6,
    "evalstore.cli": 7,
    "dashboard": 7,
    "migrations": 7,
    "evalstore.__main__": 8,
}
# What a room may have from outside, beside the standard library.
PACKAGES = {
    "evalstore.errors": set(),
    "evalstore.formats": {"numpy", "pyarrow", "pandas"},
    "evalstore.measures": {"numpy"},
    "evalstore.stats": {"numpy", "scipy"},
    "evalstore.matching": {"numpy", "pyarrow"},
    "evalstore.store": {"numpy", "pyarrow", "sqlalchemy", "alembic", "psycopg"},
    "evalstore.usecases": {"numpy", "pyarrow", "pandas", "sqlalchemy"},
    "evalstore": {"numpy", "pyarrow", "pandas", "sqlalchemy"},
    "evalstore.demo": {"numpy"},
    "evalstore.cli": {"click", "rich"},
    "evalstore.__main__": set(),
    "migrations": {"sqlalchemy", "alembic"},
    "dashboard": {
        *("dash", "dash_ag_grid", "dash_mantine_components", "plotly"),
        *("flask", "werkzeug", "numpy", "pandas"),
    },
}


def name_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def modules() -> dict[str, Path]:
    return {name_of(path): path for path in SHIPPED}


def named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules an import names: a module of a package is named whole."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    assert node.level == 0, "imports are absolute"
    for alias in node.names:
        inner = f"{node.module}.{alias.name}"
        yield inner if inner in modules() else node.module or ""


def imports(path: Path, *, top: bool = False) -> set[str]:
    """The modules a file imports; with `top` only those imported when it is itself."""
    nodes = tree(path).body if top else ast.walk(tree(path))
    return {m for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for m in named(n)}


def room(module: str) -> str:
    """The longest name in LEVELS that a module is or is in; `evalstore` for a use case."""
    found = [name for name in LEVELS if module == name or module.startswith(name + ".")]
    return max(found, key=len)


def ours(module: str) -> bool:
    return module.partition(".")[0] in ("evalstore", "dashboard")


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    here = room(name_of(path))
    for module in imports(path):
        if not ours(module) or module == "evalstore":  # the package itself: its version
            continue
        there = room(module)
        lazily = here == "evalstore.cli" and there == "dashboard"
        assert there == here or LEVELS[there] < LEVELS[here] or lazily, f"{here} imports {module}"


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_a_room_has_from_outside_what_it_may_have(path: Path) -> None:
    outside = {m.split(".")[0] for m in imports(path) if not ours(m)}
    extra = outside - set(sys.stdlib_module_names) - PACKAGES[room(name_of(path))]
    assert not extra


def test_the_command_line_imports_what_it_needs_inside_its_commands() -> None:
    for path in CHECKOUT.glob("evalstore/cli/*.py"):
        allowed = {"click", "evalstore", "evalstore.errors"}
        outside = {m for m in imports(path, top=True) if not m.startswith("evalstore.cli")}
        assert outside - set(sys.stdlib_module_names) <= allowed | {"collections.abc"}, path.name


def test_the_package_itself_imports_nothing() -> None:
    assert imports(CHECKOUT / "evalstore" / "__init__.py") == set()


@pytest.mark.parametrize("name", ["figures", "tables"])
def test_figures_and_tables_know_neither_an_app_nor_a_store(name: str) -> None:
    """Nor does anything in the dashboard that they import."""
    seen: set[str] = set()
    waiting = [f"dashboard.{name}"]
    while waiting:
        module = waiting.pop()
        if module in seen or module not in modules():
            continue
        seen.add(module)
        if module.startswith("dashboard."):
            waiting.extend(imports(modules()[module]))
    assert not {m for m in seen if m.startswith("evalstore.store")}
    assert not {m for m in seen if m.startswith(("dashboard.pages", "dashboard.app"))}
    for module in (m for m in seen if m.startswith("dashboard.")):
        packages = {m.split(".")[0] for m in imports(modules()[module])}
        assert not packages & {"dash", "dash_ag_grid", "dash_mantine_components", "flask"}, module


# --- one place for what depends on the database ------------------------------------------------

DIALECT_FILES = {
    CHECKOUT / "evalstore" / "store" / name
    for name in ("database.py", "location.py", "upkeep.py", "sqlite.py", "postgres.py")
}


@pytest.mark.parametrize(
    "path",
    [p for p in SHIPPED if p not in DIALECT_FILES and "migrations" not in p.parts],
    ids=name_of,
)
def test_only_the_database_room_knows_a_dialect(path: Path) -> None:
    drivers = {"sqlite3", "psycopg", "sqlalchemy.dialects"}
    assert not {m for m in imports(path) if any(m == d or m.startswith(f"{d}.") for d in drivers)}
    words = {"sqlite", "postgresql", "postgres", "psycopg"}
    constants = {n.value for n in ast.walk(tree(path)) if isinstance(n, ast.Constant)}
    assert not words & {c for c in constants if isinstance(c, str)}


# --- size, names, state --------------------------------------------------------------------------

LONGER_THAN_400_LINES: set[str] = set()
"""Files that are allowed to be; it should stay empty: a file grown that long wants two rooms."""


@pytest.mark.parametrize("path", [*SHIPPED, *TESTS], ids=name_of)
def test_no_file_has_more_than_400_lines(path: Path) -> None:
    released = path.parent.name == "versions"  # a migration is written once
    if not released and name_of(path) not in LONGER_THAN_400_LINES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", [*SHIPPED, *TESTS], ids=name_of)
def test_no_file_is_named_after_nothing(path: Path) -> None:
    empty = {"util", "utils", "helper", "helpers", "manager", "common", "misc", "lib", "core"}
    assert not empty & set(path.stem.split("_"))


CHANGES = {
    *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault"),
    *("add", "discard", "sort", "reverse", "__setitem__"),
}


def module_names(path: Path) -> set[str]:
    """The names a module assigns at its top."""
    targets = [
        target
        for node in tree(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def changed(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement changes in place: `x[...] = `, `x.y = `, `del x[...]`, `x.append(...)`."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    yield from (t.value for t in targets if isinstance(t, ast.Subscript | ast.Attribute))
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr in CHANGES:
        yield called.value


@pytest.mark.parametrize(
    "path", [p for p in SHIPPED if p.parts[len(CHECKOUT.parts)] == "dashboard"], ids=name_of
)
def test_the_dashboard_keeps_no_state_in_its_modules(path: Path) -> None:
    """What a module assigns is a constant or a type by its name, and nothing changes it."""
    names = module_names(path)
    assert all(re.fullmatch(r"_?[A-Z][A-Za-z0-9_]*|__\w+__", name) for name in names), names
    nodes = list(ast.walk(tree(path)))
    assert not [n for n in nodes if isinstance(n, ast.Global)]
    roots = (value for node in nodes for value in changed(node))
    assert not {v.id for v in roots if isinstance(v, ast.Name)} & names


# --- reasons and places --------------------------------------------------------------------------

SILENCED = re.compile(
    r"#\s*(noqa|type:\s*ignore|pragma)\b(?P<codes>:?\s*[A-Z0-9, ]*(\[[a-z, -]+\])?)"
)


@pytest.mark.parametrize("path", SHIPPED, ids=name_of)
def test_what_silences_a_tool_says_which_rule_and_why(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = SILENCED.search(line)
        if found:
            assert found["codes"].strip(" :"), f"{path.name}:{number}: which rule?"
            assert len(line[found.end() :].strip(" -#()")) > 4, f"{path.name}:{number}: why?"


def text_files() -> Iterator[tuple[Path, str]]:
    """What a checkout holds, without what tools leave in it."""
    for path in sorted(CHECKOUT.glob("**/*")):
        inside = path.relative_to(CHECKOUT).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in inside)
        if hidden or {"__pycache__", "node_modules", "dist", "build"} & set(inside):
            continue
        if path.is_file():
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    places = ["/" + place for place in ("root/", "home/", "Users/", "work/main", "work/shared")]
    places.append(str(CHECKOUT))
    found = {
        f"{path.relative_to(CHECKOUT)}: {place}"
        for path, text in text_files()
        for place in places
        if place in text and path.suffix != ".db"
    }
    assert found == set()
