"""The stores of these tests.

A test here asks for `database_url` (an address where nothing is yet), `store` (opened and empty)
or `shared` (one run, for tests that only read), and so runs on SQLite; with `@both_databases`
(`databases.py`) it runs once per database. What is true of one database alone is in files named
after it, which say `new_database` anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from alembic.config import main
from postgres import Server
from samples import TFIDF, Fill, Filled, add, dump, folders_filled_once, write_run
from sqlalchemy import Engine

from evalstore.store import Store, database


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Gives the URL of another database of this kind that holds nothing yet, at every call."""
    if getattr(request, "param", "sqlite") == "postgres":
        server: Server = request.getfixturevalue("postgres")
        return server.new_database
    folder, number = tmp_path_factory.mktemp("sqlite"), count()
    return lambda: f"sqlite:///{folder / f'{next(number)}.db'}"


@pytest.fixture(scope="session")
def new_store(new_database: Callable[[], str]) -> Callable[[], str]:
    """Gives the URL of another database of this kind that holds an empty store, or nothing yet."""
    server = getattr(new_database, "__self__", None)
    return server.new_store if isinstance(server, Server) else new_database


@pytest.fixture
def database_url(new_database: Callable[[], str], request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database that holds nothing yet, or for `store` an empty store."""
    server = getattr(new_database, "__self__", None)
    if not isinstance(server, Server):
        yield new_database()
        return
    url = server.new_store() if "store" in request.fixturenames else server.new_database()
    yield url
    server.drop(url)  # on PostgreSQL even an empty one takes 8 MB


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """An empty store."""
    with Store.open(database_url) as opened:
        yield opened


@pytest.fixture(scope="session")
def filled_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fill], Path]:
    """Gives a folder for tests to copy: the SQLite store `store.db` as filled, and the files."""
    return folders_filled_once(tmp_path_factory, "store.db")


@pytest.fixture(scope="session")
def filled_on_postgres(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Fill], str]:
    """Gives the URL of a PostgreSQL database for tests to copy, as filled."""

    @cache
    def make(fill: Fill) -> str:
        url = postgres.new_store()
        with Store.open(url) as opened:
            fill(opened, tmp_path_factory.mktemp("filled"))
        return url

    return make


@pytest.fixture
def copied(
    new_database: Callable[[], str],
    filled_folder: Callable[[Fill], Path],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> Iterator[Filled]:
    """Gives a store as a function fills it, and its files in the folder of the test.

    It is a copy: the function is called once for all tests, which takes longer than copying.
    """
    server = getattr(new_database, "__self__", None)
    with ExitStack() as stack:

        def give(fill: Fill) -> Store:
            shutil.copytree(filled_folder(fill), tmp_path, dirs_exist_ok=True)
            url = f"sqlite:///{tmp_path / 'store.db'}"
            if isinstance(server, Server):
                url = server.copy_of(request.getfixturevalue("filled_on_postgres")(fill))
                stack.callback(server.drop, url)
            return stack.enter_context(Store.open(url))

        yield give


@pytest.fixture(scope="module")
def read_only(
    new_database: Callable[[], str],
    filled_folder: Callable[[Fill], Path],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Filled]:
    """As `copied`, for tests that change nothing: all tests of a file get the same store."""
    server = getattr(new_database, "__self__", None)
    stores: dict[Fill, Store] = {}
    contents = {}
    with ExitStack() as stack:

        def give(fill: Fill) -> Store:
            if fill not in stores:
                file = tmp_path_factory.mktemp("read_only") / "store.db"
                shutil.copyfile(filled_folder(fill) / "store.db", file)
                url = f"sqlite:///{file}"
                if isinstance(server, Server):
                    url = server.copy_of(request.getfixturevalue("filled_on_postgres")(fill))
                    stack.callback(server.drop, url)
                stores[fill] = stack.enter_context(Store.open(url))
                contents[fill] = dump(stores[fill])
            return stores[fill]

        yield give
        for fill, store in stores.items():
            assert dump(store) == contents[fill], "a test changed the store of the others"


@pytest.fixture(scope="module")
def shared(
    new_store: Callable[[], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """A store with the run bm25, for tests that change nothing."""
    folder: Path = tmp_path_factory.mktemp("shared")
    with Store.open(new_store()) as opened:
        add(opened, folder, write_run(folder))
        yield opened


@pytest.fixture
def alembic(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[list[str]], None]]:
    """Alembic's program in the checkout; its connections end with the test and not the process."""
    make_engine, engines = database.make_engine, ExitStack()

    def make(url: str) -> Engine:
        engine = make_engine(url)
        engines.callback(engine.dispose)
        return engine

    monkeypatch.setattr(database, "make_engine", make)
    monkeypatch.chdir(Path(__file__).parents[2])
    with engines:
        yield main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where Parquet files are exported to."""
    return tmp_path / "parquet"


@pytest.fixture
def target(new_store: Callable[[], str]) -> Iterator[Store]:
    """An empty store on the same kind of database as `store`."""
    url = new_store()
    with Store.open(url) as opened:
        yield opened
    server = getattr(new_store, "__self__", None)
    if isinstance(server, Server):
        server.drop(url)


@pytest.fixture
def small(copied: Filled) -> Store:
    """Two runs under one qrels."""
    return copied(fill_small)


def fill_small(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))
