"""The rules of docs/architecture.md, checked on the source."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SHIPPED = sorted(
    path
    for package in ("evalstore", "dashboard", "migrations")
    for path in CHECKOUT.glob(f"{package}/**/*.py")
)
TESTS = sorted(CHECKOUT.glob("tests/**/*.py"))

# A module imports from its own part of the program and from parts of a lower level.
LEVELS = {
    "evalstore.errors": 0,
    "evalstore.plugins": 0,
    "evalstore.formats": 1,
    "evalstore.stats": 1,
    "evalstore.measures": 2,
    "evalstore.tables": 2,
    "evalstore.store": 3,
    "evalstore.catalog": 4,
    "evalstore.sql": 5,
    "evalstore.evaluation": 5,
    "evalstore.ingest": 6,
    "evalstore.comparison": 6,
    "evalstore.leaderboard": 7,
    "evalstore.judging": 7,
    "evalstore.tracking": 8,
    "evalstore.transfer": 8,
    "evalstore.client": 9,
    "evalstore.api": 10,
    "evalstore": 11,  # evalstore/__init__.py: the names of the Python API, loaded lazily
    "evalstore.testing": 11,
    "evalstore.demo": 12,
    "evalstore.cli": 13,
    "dashboard": 13,
    "migrations": 13,
    "evalstore.server": 14,
    "evalstore.__main__": 14,
}
STARTED = {"dashboard", "evalstore.server"}
"""What commands start, although it is not below them."""

# The packages that a part may import beside the standard library.
PACKAGES = {
    "evalstore.errors": set(),
    "evalstore.plugins": set(),
    "evalstore.formats": {"numpy", "pyarrow", "pandas", "yaml", "fsspec", "aiohttp"},
    "evalstore.stats": {"numpy"},
    "evalstore.measures": {"numpy", "pyarrow"},
    "evalstore.tables": set(),
    "evalstore.store": {
        "numpy",
        "pyarrow",
        "sqlalchemy",
        "alembic",
        "psycopg",
        "backports",
        "compression",
    },
    "evalstore.catalog": {"numpy", "pyarrow", "sqlalchemy"},
    "evalstore.sql": {"pandas", "pyarrow", "sqlalchemy"},
    "evalstore.evaluation": {"numpy", "pyarrow", "pandas", "sqlalchemy", "dask", "distributed"},
    "evalstore.ingest": {"numpy", "pyarrow", "pandas", "sqlalchemy"},
    "evalstore.comparison": {"numpy", "pyarrow", "pandas", "sqlalchemy"},
    "evalstore.leaderboard": {"numpy", "pandas", "sqlalchemy"},
    "evalstore.judging": {"numpy", "sqlalchemy"},
    "evalstore.tracking": {"numpy", "pandas", "sqlalchemy"},
    "evalstore.transfer": {"numpy", "pyarrow", "sqlalchemy"},
    "evalstore.client": {"numpy", "requests"},
    "evalstore.api": {"numpy", "pandas"},
    "evalstore": set(),
    "evalstore.testing": set(),
    "evalstore.demo": {"numpy"},
    "evalstore.cli": {"click", "rich"},
    "evalstore.server": {
        *("argon2", "authlib", "dash", "flask", "itsdangerous", "jinja2", "joserfc"),
        *("prometheus_client", "pyarrow", "pydantic", "requests", "sqlalchemy", "urllib3"),
        "werkzeug",
    },
    "evalstore.__main__": set(),
    "migrations": {"sqlalchemy", "alembic"},
    "dashboard": {
        *("dash", "dash_ag_grid", "dash_mantine_components", "plotly"),
        *("flask", "jinja2", "markupsafe", "waitress", "gunicorn", "numpy", "pandas", "matplotlib"),
    },
}


def name_of(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))


@cache
def modules() -> dict[str, Path]:
    return {name_of(path): path for path in SHIPPED}


def modules_named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import statement names; `from package import module` names the module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    assert node.level == 0, "imports are absolute"
    for alias in node.names:
        submodule = f"{node.module}.{alias.name}"
        yield submodule if submodule in modules() else node.module or ""


def imports(path: Path, *, top: bool = False) -> set[str]:
    """The modules a file imports; with `top` only those that importing the file imports."""
    parts = tree(path).body if top else nodes(path)
    statements = (node for node in parts if isinstance(node, ast.Import | ast.ImportFrom))
    return {module for statement in statements for module in modules_named(statement)}


def part(module: str) -> str:
    """The part of the program that a module belongs to: the longest name in LEVELS that fits."""
    names = [name for name in LEVELS if module == name or module.startswith(name + ".")]
    return max(names, key=len)


def ours(module: str) -> bool:
    return module.partition(".")[0] in ("evalstore", "dashboard")


def test_every_module_belongs_to_a_part_that_the_levels_name() -> None:
    strays = [name for name in modules() if part(name) == "evalstore" and name != "evalstore"]
    assert strays == []


# One test asks its rule of every file and names those that break it: a test for each file would
# be a third of all tests.


def may_import(importer: str, module: str) -> bool:
    """Whether a part of the program may import one of our modules."""
    imported = part(module)
    starts_dashboard = importer == "evalstore.cli" and imported in STARTED
    return imported == importer or LEVELS[imported] < LEVELS[importer] or starts_dashboard


def test_imports_point_one_way() -> None:
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in SHIPPED
        for module in imports(path)
        if ours(module) and module != "evalstore"  # the package itself: its version
        if not may_import(part(name_of(path)), module)
    ]
    assert wrong == []


def test_benchmarks_import_names_that_exist() -> None:
    """They are neither typed nor run by other tests."""
    lost = [
        f"{path.name}: {node.module}.{alias.name}"
        for path in CHECKOUT.glob("benchmarks/*.py")
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and ours(node.module or "")
        for alias in node.names
        if not hasattr(import_module(node.module or ""), alias.name)
    ]
    assert lost == []


def test_a_part_imports_only_the_packages_it_may() -> None:
    wrong = {}
    for path in SHIPPED:
        packages = {module.split(".")[0] for module in imports(path) if not ours(module)}
        wrong[name_of(path)] = packages - sys.stdlib_module_names - PACKAGES[part(name_of(path))]
    assert {name: packages for name, packages in wrong.items() if packages} == {}


def test_the_command_line_imports_what_it_needs_inside_its_commands() -> None:
    for path in CHECKOUT.glob("evalstore/cli/**/*.py"):
        allowed = {"click", "click.shell_completion", "evalstore", "evalstore.errors"}
        others = {m for m in imports(path, top=True) if not m.startswith("evalstore.cli")}
        assert others - set(sys.stdlib_module_names) <= allowed | {"collections.abc"}, path.name


def test_importing_the_package_imports_nothing_else() -> None:
    """Its names are loaded when they are first used; imports for type checkers don't count."""
    top = imports(CHECKOUT / "evalstore" / "__init__.py", top=True)
    assert {module.split(".")[0] for module in top} <= set(sys.stdlib_module_names)


@pytest.mark.slow  # interpreters are started
@pytest.mark.parametrize("name", ["models", "dialects", "restriction", "queries.rankings"])
def test_a_module_of_the_store_may_be_the_first_that_is_imported(name: str) -> None:
    program = f"import evalstore.store.{name}"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_processes_that_read_and_evaluate_runs_load_no_library_of_databases() -> None:
    """Loading it takes longer than ten runs."""
    program = "import evalstore.evaluation.prepare, sys; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


PURE = ("figures.interactive", "figures.drawings", "report.comparison", "report.run")


@pytest.mark.parametrize("name", PURE)
def test_figures_tables_and_reports_know_neither_an_app_nor_a_store(name: str) -> None:
    """Nor does anything in the dashboard that they import."""
    reached: set[str] = set()
    to_visit = [f"dashboard.{name}"]
    while to_visit:
        module = to_visit.pop()
        if module in reached or module not in modules():
            continue
        reached.add(module)
        if module.startswith("dashboard."):
            to_visit.extend(imports(modules()[module]))
    assert not {m for m in reached if m.startswith("evalstore.store")}
    assert not {m for m in reached if m.startswith(("dashboard.pages", "dashboard.app"))}
    for module in (m for m in reached if m.startswith("dashboard.")):
        packages = {m.split(".")[0] for m in imports(modules()[module])}
        assert not packages & {"dash", "dash_ag_grid", "dash_mantine_components", "flask"}, module


# --- SQL is in evalstore/store, what depends on a dialect in a few files of it -------------------

TYPES_OF_SQLALCHEMY = {"Connection", "Engine"}
"""What code above the store may import: it hands a connection on and writes no SQL."""


def names_of_sqlalchemy(path: Path) -> set[str]:
    """What a file imports from SQLAlchemy."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy"):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names if a.name.startswith("sqlalchemy")}
    return names


def test_every_sql_statement_is_in_the_store() -> None:
    parts = ((path, part(name_of(path))) for path in SHIPPED)
    above = [p for p, of in parts if of != "migrations" and LEVELS[of] > LEVELS["evalstore.store"]]
    assert above
    wrong = [
        name_of(path) for path in above if not names_of_sqlalchemy(path) <= TYPES_OF_SQLALCHEMY
    ]
    assert wrong == []


DIALECT_FILES = set((CHECKOUT / "evalstore" / "store" / "dialects").glob("*.py"))
"""What knows SQLite from PostgreSQL."""
FILES_OF_OTHERS = {CHECKOUT / "evalstore" / "formats" / "folders" / "mlflow.py"}
"""What reads the SQLite files of other programs; that has nothing to do with our store."""


def test_only_the_dialect_files_know_a_dialect() -> None:
    drivers = {"sqlite3", "psycopg", "sqlalchemy.dialects"}
    words = {"sqlite", "postgresql", "postgres", "psycopg"}
    others = [
        path
        for path in SHIPPED
        if path not in DIALECT_FILES | FILES_OF_OTHERS
        and not {"migrations", "dialects"} & set(path.relative_to(CHECKOUT).parts)
    ]
    assert others
    wrong = {}
    for path in others:
        of_driver = {m for m in imports(path) if any(f"{m}.".startswith(f"{d}.") for d in drivers)}
        constants = {n.value for n in nodes(path) if isinstance(n, ast.Constant)}
        wrong[name_of(path)] = of_driver | words & {c for c in constants if isinstance(c, str)}
    assert {name: names for name, names in wrong.items() if names} == {}


# --- size, names, state --------------------------------------------------------------------------


def test_no_file_has_more_than_800_lines() -> None:
    """A file is a subject that one reads from top to bottom; a longer one is split by subject."""
    longer = {
        name_of(path)
        for path in [*SHIPPED, *TESTS]
        if path.parent.name != "versions"  # migrations are written once, never changed
        and len(path.read_text(encoding="utf-8").splitlines()) > 800
    }
    assert longer == set()


ENTRIES = {
    "evalstore": 24,  # a folder for each subject: the table of contents
}
"""Folders that may have more than 15 entries."""


def test_no_folder_has_more_than_15_entries() -> None:
    """Files and folders beside `__init__.py`; more are put together by subject."""
    unseen = {"__init__.py", "__pycache__"}
    folders = [CHECKOUT / "evalstore", CHECKOUT / "dashboard"]
    folders += [path for top in folders for path in top.rglob("*") if path.is_dir()]
    entries = {
        str(path.relative_to(CHECKOUT)): len({entry.name for entry in path.iterdir()} - unseen)
        for path in folders
        if path.name not in unseen
    }
    assert {name: n for name, n in entries.items() if n > ENTRIES.get(name, 15)} == {}


def test_no_file_has_a_name_that_says_nothing() -> None:
    meaningless = {"util", "utils", "helper", "helpers", "manager", "common", "misc", "lib", "core"}
    files = [*SHIPPED, *TESTS]
    assert [name_of(path) for path in files if meaningless & set(path.stem.split("_"))] == []


CHANGES = {
    *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault"),
    *("add", "discard", "sort", "reverse", "__setitem__"),
}


def module_names(path: Path) -> set[str]:
    """The names that a module assigns at its top level."""
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


def test_the_dashboard_keeps_no_state_in_its_modules() -> None:
    """Top-level names are those of constants or types, and no statement changes their objects."""
    paths = [path for path in SHIPPED if path.parts[len(CHECKOUT.parts)] == "dashboard"]
    assert paths
    for path in paths:
        names = module_names(path)
        constants = all(re.fullmatch(r"_?[A-Z][A-Za-z0-9_]*|__\w+__", name) for name in names)
        assert constants, (name_of(path), names)
        assert not [n for n in nodes(path) if isinstance(n, ast.Global)], name_of(path)
        roots = (value for node in nodes(path) for value in changed(node))
        assert not {v.id for v in roots if isinstance(v, ast.Name)} & names, name_of(path)


# --- reasons for exceptions, and no paths of a machine --------------------------------------------

SILENCED = re.compile(
    r"#\s*(noqa|type:\s*ignore|pragma)\b(?P<codes>:?\s*[A-Z0-9, ]*(\[[a-z, -]+\])?)"
)


def test_a_comment_that_silences_a_tool_says_which_rule_and_why() -> None:
    lines = (
        (f"{name_of(path)}:{number}", line)
        for path in SHIPPED
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    )
    for where, line in lines:
        comment = SILENCED.search(line)
        if comment:
            assert comment["codes"].strip(" :"), f"{where}: which rule?"
            assert len(line[comment.end() :].strip(" -#()")) > 4, f"{where}: why?"


def text_files() -> Iterator[tuple[Path, str]]:
    """The text files of a checkout, without what tools write into it."""
    for folder, folders, names in os.walk(CHECKOUT):
        folders[:] = sorted(name for name in folders if not is_of_a_tool(name))
        for name in sorted(names):
            path = Path(folder, name)
            try:
                if path.is_file() and not is_of_a_tool(name):
                    yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def is_of_a_tool(name: str) -> bool:
    """Whether a file or folder with this name is hidden, or what a tool makes."""
    is_hidden = name.startswith(".") and name not in {".ci", ".github"}
    return is_hidden or name in {"__pycache__", "node_modules", "dist", "build"}


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    folders = ["/" + name for name in ("root/", "home/", "Users/", "work/main", "work/shared")]
    folders.append(str(CHECKOUT))
    paths = {
        f"{path.relative_to(CHECKOUT)}: {folder}"
        for path, text in text_files()
        for folder in folders
        if folder in text and path.suffix != ".db"
    }
    assert paths == set()
