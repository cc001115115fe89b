"""What all tests share."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import SimpleNamespace
from typing import Any

import argon2
import pytest
from click.testing import CliRunner
from dash._hooks import HooksManager
from hypothesis import HealthCheck, settings
from made_once import made_once
from postgres import Server, folder_in_memory, running_server
from sqlalchemy import Connection, Engine, event
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from dashboard.serving import response_cache
from evalstore.catalog import origin
from evalstore.cli import cli
from evalstore.store import Store, database, schema
from evalstore.store.dialects import dialect_of

# Limits of time would fail on a busy machine; no test asserts a time. The examples are few and the
# same in every run, so that a test fails because of a change and never by chance; those of a run
# with `--hypothesis-profile=random` (.ci/nightly) are many and others each time.
settings.register_profile(
    "random",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=400,
)
settings.register_profile(
    "evalstore", settings.get_profile("random"), derandomize=True, max_examples=25
)
settings.load_profile("evalstore")


# Thousands of stores are closed, and each time a disk would be waited for.
if (memory := folder_in_memory()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """One process more than there are cores, where one drives a browser and so mostly waits."""
    processes = yield
    return processes + ("not browser" not in config.option.markexpr)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """One process runs all tests of the browser, and each other file is run by one process.

    Several would wait for their browsers at the same time, and then all compute.
    """
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return "tests/browser" if file.startswith("tests/browser/") else file

    return Scheduling(config, log) if config.option.dist == "loadfile" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--nightly`, which runs every case of what else is tried on some."""
    parser.addoption("--nightly", action="store_true", help="run also tests that are `nightly`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs each night alone."""
    if not config.getoption("--nightly"):
        nightly = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def pytest_collection_finish() -> None:
    """Leave all that was imported and collected out of garbage collections, and have few of them.

    They took a sixth of the time of the tests, and freed next to nothing.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database named in the environment is not for tests to write into, nor are kept tokens."""
    for name in ("EVALSTORE_DB", "EVALSTORE_TOKEN", "EVALSTORE_PLAIN_HTTP"):
        monkeypatch.delenv(name, raising=False)


MAKE = schema.create
"""Makes an empty database a store by a script, or by the migrations."""


@pytest.fixture(scope="session", autouse=True)
def migrations(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[Engine], str | None]]:
    """The migrations. A new SQLite store is a copy of one that was made in this process of tests.

    Making one takes 10 ms, and thousands of tests do; all migrations take 0.2 s. Processes that
    tests start make theirs, and so do the tests of the schema (`without_copies`).
    """
    upgrade = schema.upgrade
    template = tmp_path_factory.mktemp("template") / "store.db"

    def is_copied(engine: Engine) -> bool:
        file = dialect_of(engine).file(engine.url)
        if file is None or os.path.lexists(file):
            return False
        if not template.exists():
            template_engine = database.make_engine(str(template))
            MAKE(template_engine)
            template_engine.dispose()
        try:
            with NamedTemporaryFile(dir=file.parent) as copy:
                copy.write(template.read_bytes())
                copy.flush()
                os.chmod(copy.name, 0o644)
                os.link(copy.name, file)  # complete, and never over the store of another thread
        except OSError:
            return False  # a test may be about the error
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "create", lambda engine: is_copied(engine) or MAKE(engine))
        patch.setattr(
            schema, "upgrade", lambda engine: None if is_copied(engine) else upgrade(engine)
        )
        yield upgrade


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, started when the first test of this process wants it."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def built_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo's `evalstore.db`, to copy, and `printed.txt`, what was printed."""

    def build(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            done = CliRunner().invoke(cli, ["demo", "--no-serve"], catch_exceptions=False)
        assert done.exit_code == 0
        (folder / "printed.txt").write_text(done.stdout, encoding="utf-8")

    return made_once(tmp_path_factory, "demo", build)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Passwords hashed in no time: how long it takes is argon2's to test."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = partial(argon2.PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(argon2, "PasswordHasher", cheap)
        yield


class CompiledStatements(LRUCache[Any, Any]):
    """What SQLAlchemy compiled for an engine, for all engines of the same kind of database."""

    def get(self, key: Any, default: Any = None) -> Any:
        """The compiled statement; the key begins with the dialect, an object of one engine."""
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Every statement is compiled once in each process of tests, and not once for every store."""
    compiled = CompiledStatements(5_000)

    def share(connection: Connection) -> None:
        connection.engine._compiled_cache = compiled

    event.listen(Engine, "engine_connect", share)
    yield
    event.remove(Engine, "engine_connect", share)


@pytest.fixture(scope="session", autouse=True)
def routes_compiled_once() -> Iterator[None]:
    """What builds the addresses of a route is compiled once, and not for each of many apps."""
    compile_builder = Rule._compile_builder
    compiled: dict[tuple[Any, ...], Any] = {}

    def compile_once(rule: Rule, append_unknown: bool = True) -> Any:
        key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compile_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """What the program waits for a few seconds may take minutes on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origin, "SECONDS", 300)
        patch.setattr(schema, "SECONDS", 300.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def answers_do_not_age() -> Iterator[None]:
    """No minute begins in a test: an answer that is kept would be computed again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(response_cache, "time", SimpleNamespace(monotonic=lambda: 0.0))
        yield


@pytest.fixture(scope="session", autouse=True)
def git_in_checkouts_alone() -> Iterator[None]:
    """git is not started where it would find no checkout: hundreds of tests ingest runs."""
    ask_git = origin._git

    def ask(folder: Path, *arguments: str) -> str | None:
        absolute = folder.resolve()
        inside = any((above / ".git").exists() for above in (absolute, *absolute.parents))
        return ask_git(folder, *arguments) if inside else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origin, "_git", ask)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_plugins_of_dash() -> Iterator[None]:
    """No app looks through all installed packages for plugins of Dash, of which there are none.

    That took a quarter of the time in which an app is made.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HooksManager, "register_setuptools", lambda: None)
        yield


@pytest.fixture
def without_copies(migrations: Callable[[Engine], str | None]) -> Iterator[None]:
    """Every new store is made by the script or the migrations, and none is a copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "create", MAKE)
        patch.setattr(schema, "upgrade", migrations)
        yield


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store; tests/store has its own, on every database."""
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        yield opened
