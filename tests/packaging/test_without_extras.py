"""The wheel beside nothing but what it requires without an extra."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest
from builds import CHECKOUT, Installed, environment, install
from packaging.requirements import Requirement

pytestmark = pytest.mark.packaging

JUDGED = ("--qrels", "qrels.txt")
PYTHON = """
import evalstore as ev

print(len(ev.evaluate("qrels.txt", ["bm25.run"], ["AP"]).per_query))
with ev.open("evalstore.db") as store:
    print(len(store.sql("SELECT run FROM leaderboard")), len(store.collections()))
"""


def required(lines: Iterable[str], found: dict[str, Distribution]) -> dict[str, Distribution]:
    """The distributions here, by name, that requirements lead to; `found` is known already."""
    for requirement in map(Requirement, lines):
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and requirement.name not in found:
            found[requirement.name] = distribution(requirement.name)
            required(found[requirement.name].requires or (), found)
    return found


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment with links to the packages that it requires, and no other."""
    root = tmp_path_factory.mktemp("core")
    made = environment(root, tmp_path_factory.mktemp("example"))
    with ZipFile(wheel) as archive:
        folder = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(folder).decode().partition("\n\n")[0].splitlines()
    asked = [line.partition(": ")[2] for line in lines if line.startswith("Requires-Dist: ")]
    for each in required(asked, {}).values():
        for top in {path.parts[0] for path in each.files or ()} - {"..", "__pycache__"}:
            if not (made.packages / top).exists():
                (made.packages / top).symlink_to(Path(str(each.locate_file(top))))
    install(wheel, root)
    for path in (CHECKOUT / "docs" / "example").iterdir():
        shutil.copy(path, made.folder)
    return made


def test_without_extras_there_is_neither_dash_nor_matplotlib(core: Installed) -> None:
    packages = {path.name for path in core.packages.iterdir()}
    assert {"numpy", "evalstore"} <= packages
    assert not {"dash", "plotly", "flask", "jinja2", "matplotlib", "psycopg", "fsspec"} & packages


def test_commands_and_python_work_without_extras(core: Installed) -> None:
    ingested = core.run(
        "evalstore", "ingest", "--collection", "helpdesk", *JUDGED, "bm25.run", "dense.run"
    )
    assert "2 stored" in ingested
    assert "AP" in core.run("evalstore", "evaluate", "qrels.txt", "bm25.run")
    assert "dense" in core.run("evalstore", "compare", "bm25", "dense")
    rule = ("--fail-if", "AP drop > 0.5")
    core.run("evalstore", "check", "bm25", "--baseline", "dense", *rule)
    assert "bm25" in core.run("evalstore", "sql", "SELECT DISTINCT run FROM leaderboard")
    core.run("evalstore", "history", "bm25")
    assert core.run("python", "-c", PYTHON).split()[0] == "6"


@pytest.mark.nightly
def test_the_demo_is_built_without_extras_and_says_what_shows_it(core: Installed) -> None:
    demo = core.run("evalstore", "demo").splitlines()  # no checkout is there
    assert demo[0].startswith("collection 'python-docs'")
    assert "uvx --from 'evalstore[dashboard]' evalstore demo" in demo[-1]


def test_the_dashboard_says_what_installs_it(core: Installed) -> None:
    done = subprocess.run(
        [core.scripts / "evalstore", "dashboard"],
        cwd=core.folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    line = "`evalstore dashboard` needs flask: pip install 'evalstore[dashboard]'\n"
    assert (done.returncode, done.stderr) == (1, line)
