"""constraints.txt covers what pyproject.toml asks for, and nothing in it is of one place."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[2]
LINES = [
    line
    for line in (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The program behind `make constraints`."""
    path = CHECKOUT / ".ci" / "constraints.py"
    spec = importlib.util.spec_from_file_location("constraints", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pinned(python: str) -> dict[str, str]:
    """The version of each package for one Python."""
    parsed = [Requirement(line) for line in LINES]
    return {
        r.name: str(r.specifier).removeprefix("==")
        for r in parsed
        if r.marker is None or r.marker.evaluate({"python_version": python})
    }


def test_a_line_is_a_name_a_version_and_a_marker_and_nothing_else() -> None:
    line = re.compile(r'[a-z0-9-]+==[0-9a-z.+!-]+ ; python_version (<|==) "3\.\d+"')
    assert [text for text in LINES if not line.fullmatch(text)] == []


@pytest.mark.parametrize("python", PYTHONS)
def test_everything_required_has_a_version_that_fits(generator: ModuleType, python: str) -> None:
    versions = pinned(python)
    for text in generator.requirements(python):
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name}: run `make constraints`"
        assert requirement.specifier.contains(versions[name], prereleases=True), name


def test_a_python_newer_than_the_tested_ones_has_no_constraints() -> None:
    assert pinned("3.15") == {}


def test_a_package_has_one_line_unless_the_versions_of_python_need_different_ones(
    generator: ModuleType,
) -> None:
    same = {"numpy": "2.4"}
    versions = {python: same | {"scipy": "1.17"} for python in PYTHONS}
    versions["3.11"] = same | {"scipy": "1.16", "backport": "1.0"}
    assert generator.lines(versions) == [
        'backport==1.0 ; python_version == "3.11"',
        'numpy==2.4 ; python_version < "3.15"',
        'scipy==1.16 ; python_version == "3.11"',
        *(f'scipy==1.17 ; python_version == "{python}"' for python in PYTHONS[1:]),
    ]


def test_the_supported_pythons_are_those_of_the_project(generator: ModuleType) -> None:
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["requires-python"] == f">={generator.PYTHONS[0]}"
    assert generator.PYTHONS == PYTHONS
