"""Who may import whom in the dashboard; the rules are read off the imports themselves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import dashboard

ROOT = Path(dashboard.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))


TYPES_OF_THE_STORE = {
    "evalstore.store.Store",
    *("evalstore.store.cache", "evalstore.store.cache.Cache"),
    *(f"evalstore.store.queries.events{name}" for name in ("", ".Event", ".StoredView")),
    *("evalstore.store.queries.facts", "evalstore.store.queries.facts.RunFacts"),
    *("evalstore.store.queries.leaderboard", "evalstore.store.queries.leaderboard.LeaderboardRun"),
    *("evalstore.store.queries.qrels", "evalstore.store.queries.qrels.StoredQrels"),
    *(f"evalstore.store.queries.tracking{name}" for name in ("", ".Comment", ".Kind")),
    *(f"evalstore.store.queries.drafts{name}" for name in ("", ".Kind", ".Rule", ".State")),
}
"""What pages know of the store: it is passed on to use cases, whose results have these types.

The cache reads no store: answers of pages are kept in one too.
"""


def imported(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


PURE = (*("figures/interactive", "components/wording", "theme", "pages/history/timeline"),)
"""Modules of texts, colours and figures: they see data, never a store or an app."""


@pytest.mark.parametrize("name", PURE)
def test_figures_and_texts_use_no_app_and_no_store(name: str) -> None:
    for module in imported(ROOT / f"{name}.py"):
        top = module.split(".")[0]
        assert top not in {"dash", "dash_ag_grid", "dash_mantine_components", "flask"}, module
        assert not module.startswith(("evalstore.store", "dashboard.pages")), module


def test_no_module_reads_the_database_itself_or_registers_with_the_process() -> None:
    for path in MODULES:
        modules = imported(path)
        assert not {m for m in modules if m.split(".")[0] == "sqlalchemy"}, path
        own = {m for m in modules if m.startswith("evalstore.store.")}
        assert not own - TYPES_OF_THE_STORE, path
        assert not modules & {"dash.callback", "dash.register_page", "dash.get_app"}, path


def test_no_module_is_longer_than_800_lines() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: number for path, number in lines.items() if number > 800} == {}


def test_no_asset_names_another_origin() -> None:
    for asset in (ROOT / "assets").rglob("*.*"):
        text = asset.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, asset
        assert "https:" not in text, asset


def test_no_two_scripts_define_a_function_of_one_name() -> None:
    """They all land in the same objects, and the later one would replace the other."""
    names = [
        name
        for asset in sorted((ROOT / "assets").rglob("*.js"))
        for name in re.findall(r"^    (\w+)\(.*\) \{$", asset.read_text("utf-8"), re.MULTILINE)
        if name not in {"if", "for", "while", "switch", "catch", "constructor"}
    ]
    assert len(names) > 10
    assert sorted(set(names)) == sorted(names)
