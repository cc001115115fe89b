"""Extras of the package: without one, its commands name what to install, and all others work."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from commands import CALLS, OTHERS, fill
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from evalstore.errors import EXTRAS

CHECKOUT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow  # each call is a process, in which packages can't be imported

PROGRAM = """
import sys

absent = set(sys.argv.pop(1).split(","))

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from evalstore.cli import main
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("extras")
    fill(made)
    return made


def call(folder: Path, absent: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, ",".join(absent), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


OF_OPENED = {
    "postgres": ("psycopg",),
    "dask": ("dask", "distributed"),
    "remote": ("fsspec", "aiohttp", "s3fs", "gcsfs", "adlfs"),
}
ALL = {**EXTRAS, **OF_OPENED}


def packages(*extras: str) -> list[str]:
    return [package for extra in extras for package in ALL[extra]]


@pytest.mark.parametrize(
    ("extra", "words", "line"),
    [
        ("dashboard", "dashboard", "`evalstore dashboard` needs flask"),
        pytest.param(
            *("dashboard", "export report bm25 -o r.html"),
            "`evalstore export report` needs jinja2",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            *("dashboard", "export figure scatter bm25 tfidf -o f.html"),
            "`evalstore export figure` needs jinja2",
            marks=pytest.mark.nightly,
        ),
        (
            "plots",
            "export figure scatter bm25 tfidf -o f.svg",
            "`evalstore export figure` needs matplotlib",
        ),
        ("server", "server users", "`evalstore server users` needs pydantic"),
        ("postgres", "runs --db postgresql://localhost/x", "PostgreSQL needs psycopg"),
        ("dask", "reevaluate -m P@7 --scheduler tcp://localhost:1", "--scheduler needs dask"),
        ("remote", "evaluate https://host.example/q test.run", "https:// needs fsspec"),
    ],
)
def test_a_command_without_its_extra_says_what_installs_it(
    folder: Path, extra: str, words: str, line: str
) -> None:
    done = call(folder, packages(extra), *words.split())
    assert done.stderr == f"{line}: pip install 'evalstore[{extra}]'\n"
    assert done.returncode == 1


def test_the_server_names_its_own_extra_for_what_it_shares_with_the_dashboard(
    folder: Path,
) -> None:
    done = call(folder, packages("dashboard"), "server", "users")
    assert done.stderr == "`evalstore server users` needs flask: pip install 'evalstore[server]'\n"


@pytest.mark.nightly
def test_the_demo_without_pages_prints_its_leaderboard_and_how_to_get_them(folder: Path) -> None:
    done = call(folder, packages(*ALL), "demo", "--db", "sqlite:///demo.db")
    assert (done.returncode, done.stderr) == (0, "")
    first, _, _, *lines = done.stdout.splitlines()
    board = call(folder, [], "leaderboard", "python-docs", "--db", "sqlite:///demo.db").stdout
    assert first.startswith("collection 'python-docs'")
    assert lines[: board.count("\n")] == board.splitlines()
    pages = "uvx --from 'evalstore[dashboard]' evalstore --db sqlite:///demo.db demo"
    assert pages in lines[-1]


WITH_EXTRA = {"dashboard", "server", "demo"}
CORE = [
    words
    for words in (*CALLS, *OTHERS)
    if words[0] not in WITH_EXTRA and words[:2] not in {("export", "figure"), ("export", "report")}
]
SOME = {("runs", "show"), ("export", "parquet"), ("db", "check")}
"""Commands that import what those of tests/packaging/test_without_extras.py do not."""


@pytest.mark.parametrize(
    "words", [each for each in CORE if {each[:1], each[:2]} & SOME], ids=" ".join
)
def test_a_command_without_an_extra_needs_none(folder: Path, words: tuple[str, ...]) -> None:
    done = call(folder, packages(*ALL), *words)
    assert done.returncode == 0, done.stderr


def test_the_interactive_figure_needs_no_matplotlib(folder: Path) -> None:
    words = ("export", "figure", "scatter", "bm25", "tfidf", "-o", "f.html")
    assert call(folder, packages("plots"), *words).returncode == 0


def test_every_package_that_an_extra_asks_for_is_known_by_the_name_of_its_module() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    distributions = packages_distributions()
    for extra, modules in ALL.items():
        asked = {
            canonicalize_name(Requirement(line).name)
            for line in project["optional-dependencies"][extra]
        }
        known = {canonicalize_name(n) for m in modules for n in distributions.get(m, ())}
        assert asked - {"evalstore", "markupsafe"} <= known, extra  # Alembic brings MarkupSafe


def test_all_has_every_extra_and_is_what_the_tests_install() -> None:
    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    every = Requirement(extras["all"][0]).extras
    assert every | {"dashboard"} == set(ALL)  # [server] installs [dashboard]
    assert Requirement(extras["server"][0]).extras == {"dashboard"}
    assert "evalstore[all]" in extras["test"]
