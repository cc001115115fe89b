"""The wheel, as a user gets it: what is in it, and that it works where no checkout is."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout; hatchling comes from the index where it is not installed."""
    out = tmp_path_factory.mktemp("wheel")
    here = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "build", "--wheel", *here, "--outdir", out, CHECKOUT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


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
    found = Installed(root, tmp_path_factory.mktemp("empty"))
    packages = Path(
        found.run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    borrowed = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    pip = ("-m", "pip", "--disable-pip-version-check", "--python", str(root))
    run(sys.executable, *pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=root)
    return found


@pytest.mark.parametrize(
    "name",
    [
        "evalstore/__init__.py",
        "evalstore/py.typed",
        "evalstore/_migrations/env.py",
        "evalstore/_migrations/script.py.mako",
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
    assets = [p for p in CHECKOUT.glob("dashboard/**/*") if p.suffix in (".py", ".css", ".js")]
    assert {p.relative_to(CHECKOUT).as_posix() for p in assets} <= names


def test_the_wheel_has_nothing_else(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"evalstore", "dashboard"}
    parts = {part for name in names for part in name.split("/")}
    assert not [p for p in parts if p.startswith("test") or p == "__pycache__" or p.endswith(".db")]


def test_the_program_runs_from_the_wheel_and_not_from_a_checkout(installed: Installed) -> None:
    where = installed.run(
        "python", "-c", "import evalstore, dashboard; print(evalstore.__file__, dashboard.__file__)"
    )
    assert all(Path(path).is_relative_to(installed.root) for path in where.split())
    assert installed.run("evalstore", "--version").startswith("evalstore, version ")


def test_the_demo_is_built_where_no_checkout_is_and_again_changes_nothing(
    installed: Installed,
) -> None:
    assert list(installed.folder.iterdir()) == []
    assert "collection 'python-docs'" in installed.run("evalstore", "demo", "--no-serve")
    assert "(0 new)" in installed.run("evalstore", "demo", "--no-serve")
    assert {path.suffix for path in installed.folder.iterdir()} <= {".db", ".db-wal", ".db-shm"}
    runs = installed.run("evalstore", "runs", "--format", "csv")
    assert len(runs.splitlines()) > 4


def test_the_dashboard_of_the_wheel_answers(installed: Installed) -> None:
    code = (
        "from dashboard.app import create_app\n"
        "from evalstore.store import Store\n"
        "with Store.open('sqlite:///evalstore.db') as store:\n"
        "    client = create_app(store).server.test_client()\n"
        "    print(client.get('/').status_code, client.get('/assets/evalstore.css').status_code)\n"
    )
    assert installed.run("python", "-c", code).split() == ["200", "200"]
