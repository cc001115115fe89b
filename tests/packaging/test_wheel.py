"""The wheel and the sdist: what they contain, and that the wheel works without a checkout."""

from __future__ import annotations

import sysconfig
from email.parser import Parser
from pathlib import Path
from tarfile import TarFile
from zipfile import ZipFile

import pytest
from builds import CHECKOUT, Installed, built, environment, install

from evalstore import __version__

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own, which borrows the dependencies of this one.

    Borrowed as a folder on the path: this environment's own link to the checkout does not count.
    """
    root = tmp_path_factory.mktemp("environment")
    made = environment(root, tmp_path_factory.mktemp("empty"))
    borrowed = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (made.packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    install(wheel, root)
    return made


@pytest.mark.parametrize(
    "name",
    [
        "evalstore/__init__.py",
        "evalstore/py.typed",
        "evalstore/_migrations/env.py",
        "evalstore/_migrations/script.py.mako",
        "evalstore/demo/qrels-draft.txt",
        "evalstore/demo/qrels.txt",
        "evalstore/demo/questions.tsv",
        "dashboard/py.typed",
    ],
)
def test_the_wheel_has_what_is_no_python_too(names: set[str], name: str) -> None:
    assert name in names


def test_the_wheel_has_every_migration_asset_and_module(names: set[str]) -> None:
    shipped = {
        *("_migrations/versions/" + p.name for p in CHECKOUT.glob("migrations/versions/*.py")),
        *(str(p.relative_to(CHECKOUT / "evalstore")) for p in CHECKOUT.glob("evalstore/**/*.py")),
    }
    assert {f"evalstore/{name}" for name in shipped} <= names
    kinds = (".py", ".css", ".js", ".html")
    assets = [
        path
        for folder in ("dashboard", "evalstore/server")
        for path in CHECKOUT.glob(f"{folder}/**/*")
        if path.suffix in kinds
    ]
    assert {path.relative_to(CHECKOUT).as_posix() for path in assets} <= names


def test_the_wheel_has_nothing_else(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"evalstore", "dashboard"}
    parts = {part for name in names for part in name.split("/")}
    assert not [
        p
        for p in parts
        if p.startswith("test_") or p in {"tests", "__pycache__"} or p.endswith(".db")
    ]


def test_the_wheel_has_no_generators_of_documentation(names: set[str]) -> None:
    generators = {path.name for path in CHECKOUT.glob("docs/generate/*.py")}
    assert generators
    assert not generators & {name.rpartition("/")[2] for name in names}


def test_the_sdist_has_what_building_testing_and_renewing_need(tmp_path: Path) -> None:
    with TarFile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ["pyproject.toml", "Makefile", "constraints.txt", "alembic.ini", "LICENSE"]
    needed += ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "tests/conftest.py"]
    for folder in (
        "evalstore",
        "dashboard",
        "migrations",
        "docs/generate",
        "deploy",
        ".ci",
        ".github",
    ):
        files = CHECKOUT.glob(f"{folder}/**/*")
        inside = (path for path in files if path.is_file() and "__pycache__" not in path.parts)
        needed += [path.relative_to(CHECKOUT).as_posix() for path in inside]
    assert [name for name in needed if name not in names] == []
    assert [name for name in names if name.endswith((".db", ".pyc"))] == []


def test_the_wheel_has_the_licence_of_all_that_it_bundles(wheel: Path, names: set[str]) -> None:
    with ZipFile(wheel) as archive:
        (name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    vendored = {path.name for path in (CHECKOUT / "dashboard" / "vendor").glob("*.gz")}
    licences = {f"dashboard/vendor/{name.partition('.')[0]}.LICENSE" for name in vendored}
    assert set(metadata.get_all("License-File", [])) == {"LICENSE", *licences}
    folder = name.replace("METADATA", "licenses/")
    assert {folder + licence for licence in ("LICENSE", *licences)} <= names
    assert metadata["License-Expression"] == "MIT"
    assert (metadata["Requires-Python"], metadata["Version"]) == (">=3.11", __version__)


@pytest.mark.nightly
def test_a_wheel_of_the_sdist_has_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    """So neither time, place nor checkout are in them."""
    sdist = built("sdist", tmp_path / "sdist")
    assert built("sdist", tmp_path / "again").read_bytes() == sdist.read_bytes()
    with TarFile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / sdist.name.removesuffix(".tar.gz")
    again = built("wheel", tmp_path / "wheel", unpacked)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_program_runs_from_the_wheel_and_not_from_a_checkout(installed: Installed) -> None:
    where = installed.run(
        "python", "-c", "import evalstore, dashboard; print(evalstore.__file__, dashboard.__file__)"
    )
    assert all(Path(path).is_relative_to(installed.root) for path in where.split())
    assert installed.run("evalstore", "--version").startswith("evalstore, version ")


def test_the_dashboard_of_the_wheel_answers(installed: Installed) -> None:
    code = (
        "from dashboard.app import create_app\n"
        "from evalstore.store import Store\n"
        "with Store.open('sqlite:///pages.db') as store:\n"
        "    client = create_app(store).server.test_client()\n"
        "    print(client.get('/').status_code, client.get('/assets/evalstore.css').status_code)\n"
    )
    assert installed.run("python", "-c", code).split() == ["200", "200"]
