"""The wheel and the sdist: what they contain, and that the wheel works without a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from tarfile import TarFile
from zipfile import ZipFile

import pytest

CHECKOUT = Path(__file__).parents[2]

pytestmark = pytest.mark.packaging


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a program that knows nothing of this process's settings."""
    kept = {"PATH", "HOME", "LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE"}
    kept |= {name for name in os.environ if name.lower().endswith("_proxy")}
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(kind: str, folder: Path) -> Path:
    """The wheel or sdist of this checkout, built without an index."""
    run(
        *(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", folder),
        CHECKOUT,
        cwd=folder,
    )
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, and an empty folder to be in."""

    root: Path
    folder: Path

    def run(self, program: str, *arguments: str) -> str:
        scripts = self.root / ("Scripts" if os.name == "nt" else "bin")
        return run(scripts / program, *arguments, cwd=self.folder)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in an environment of its own, which borrows the dependencies of this one.

    Borrowed as a folder on the path: this environment's own link to the checkout does not count.
    """
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, with_pip=False)
    environment = Installed(root, tmp_path_factory.mktemp("empty"))
    packages = Path(
        environment.run(
            "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"
        ).strip()
    )
    borrowed = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    pip = ("-m", "pip", "--disable-pip-version-check", "--python", str(root))
    run(sys.executable, *pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=root)
    return environment


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


def test_the_program_runs_from_the_wheel_and_not_from_a_checkout(installed: Installed) -> None:
    where = installed.run(
        "python", "-c", "import evalstore, dashboard; print(evalstore.__file__, dashboard.__file__)"
    )
    assert all(Path(path).is_relative_to(installed.root) for path in where.split())
    assert installed.run("evalstore", "--version").startswith("evalstore, version ")


def test_the_demo_is_built_where_no_checkout_is(installed: Installed) -> None:
    assert not (installed.folder / "evalstore.db").exists()
    assert "collection 'python-docs'" in installed.run("evalstore", "demo", "--no-serve")
    assert {path.suffix for path in installed.folder.iterdir()} <= {".db", ".db-wal", ".db-shm"}
    runs = installed.run("evalstore", "runs", "--format", "csv")
    assert len(runs.splitlines()) > 4


def test_the_dashboard_of_the_wheel_answers(installed: Installed) -> None:
    code = (
        "from dashboard.app import create_app\n"
        "from evalstore.store import Store\n"
        "with Store.open('sqlite:///pages.db') as store:\n"
        "    client = create_app(store).server.test_client()\n"
        "    print(client.get('/').status_code, client.get('/assets/evalstore.css').status_code)\n"
    )
    assert installed.run("python", "-c", code).split() == ["200", "200"]
