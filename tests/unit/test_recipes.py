"""The recipes of CONTRIBUTING.md: a line that is forgotten fails, and what they name exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dashboard.page import Page
from dashboard.pages import PAGES
from evalstore.cli import COMMANDS
from evalstore.measures.registry import MODULES

CHECKOUT = Path(__file__).parents[2]
CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def decorators(path: Path) -> set[str]:
    """The names of the decorators that a file's functions have, without module and arguments."""
    functions = [
        n for n in ast.parse(path.read_text("utf-8")).body if isinstance(n, ast.FunctionDef)
    ]
    used = [decorator for function in functions for decorator in function.decorator_list]
    calls = [ast.unparse(d.func) for d in used if isinstance(d, ast.Call)]
    return {call.rpartition(".")[2] for call in calls}


def imported(path: Path) -> set[str]:
    """The names that a file imports from other modules."""
    imports = (n for n in ast.parse(path.read_text("utf-8")).body if isinstance(n, ast.ImportFrom))
    return {alias.name for each in imports for alias in each.names}


def test_a_file_that_defines_measures_is_listed() -> None:
    files = CHECKOUT.glob("evalstore/measures/*.py")
    assert {path.stem for path in files if "measure" in imported(path)} == set(MODULES)


def test_a_file_that_defines_a_page_is_in_the_navigation() -> None:
    assert all(isinstance(page, Page) for page in PAGES)
    files = CHECKOUT.glob("dashboard/pages/**/*.py")
    assert len([p for p in files if "\nPAGE = " in p.read_text("utf-8")]) == len(PAGES)


def test_a_file_that_defines_commands_is_in_the_list_of_commands() -> None:
    files = CHECKOUT.glob("evalstore/cli/commands/*.py")
    defining = {path.stem for path in files if decorators(path) & {"command", "group"}}
    of_groups = {"drafts", "figures"}  # `qrels draft`, `export figure`: added to a group
    assert defining - of_groups == {module for module, _ in COMMANDS.values()}


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/.]+(?:\.\w+|/))`", CONTRIBUTING))))
def test_a_file_that_the_recipes_name_is_there(name: str) -> None:
    assert (CHECKOUT / name).exists()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([\w-]+)", CONTRIBUTING))))
def test_a_target_of_make_that_the_recipes_name_is_there(target: str) -> None:
    assert re.search(rf"^{target}:", (CHECKOUT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_make_help_lists_every_target() -> None:
    makefile = (CHECKOUT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    listed = set(re.findall(r"^# make ([\w-]+)", makefile, re.MULTILINE))
    assert set(phony[1].split()) - listed == {"test-programs"}
