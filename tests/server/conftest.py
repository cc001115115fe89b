"""A small store with a server, and clients that are logged in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from api_client import Team, Tokens, fill, team_of
from crafted_provider import SECRET, running
from flask.testing import FlaskClient
from oidc_logins import Sso
from postgres import Server
from samples import add, write_run
from sending import Sender, working
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from two_collections import OPEN

from evalstore.server.people.accounts import add_person
from evalstore.server.people.rights import ROLES
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.server.setup import set_up
from evalstore.store import Store

SQLITE = ("sqlite",)
DATABASES = (*SQLITE, pytest.param("postgres", marks=pytest.mark.postgres))
BY_NIGHT = (
    *SQLITE,
    pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.nightly]),
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give tests a store on SQLite, and those marked `each_database` one on PostgreSQL too.

    They are the tests of whose statements PostgreSQL and SQLite have different ones, or whose rules
    the database keeps: tests/store asks all others on both. Long ones are asked `by_night` there.
    """
    on_each = metafunc.definition.get_closest_marker("each_database")
    for name, scope in (("own_database", "function"), ("module_database", "module")):
        if name in metafunc.fixturenames:
            each = BY_NIGHT if on_each and on_each.kwargs.get("by_night") else DATABASES
            chosen = each if on_each else SQLITE
            metafunc.parametrize(name, chosen, indirect=True, scope=scope)  # type: ignore[arg-type]


@pytest.fixture
def own_database(request: pytest.FixtureRequest) -> str:
    """The database of the store of a test."""
    return str(request.param)


@pytest.fixture(scope="module")
def module_database(request: pytest.FixtureRequest) -> str:
    """The database of a store that tests of a module share."""
    return str(request.param)


@pytest.fixture(scope="session")
def served_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of `served` and its files, made once."""
    folder = tmp_path_factory.mktemp("served")
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        add(store, folder, write_run(folder))
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
    return folder


@pytest.fixture
def served(served_files: Path, tmp_path: Path) -> Iterator[Served]:
    """A server with an administrator, over a store with one run."""
    shutil.copytree(served_files, tmp_path, dirs_exist_ok=True)
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        yield Served(store)


@pytest.fixture
def tokens(served: Served) -> dict[str, str]:
    """A token for each role in the whole store."""
    return {
        role: create_token(served.store, f"t-{role}", role, None, timedelta(1)) for role in ROLES
    }


@pytest.fixture
def people(served: Served) -> dict[str, FlaskClient]:
    """A browser for each role in the whole store, logged in."""
    browsers = {}
    for role in ROLES:
        add_person(served.store, role, role, None, PASSWORD)
        browsers[role] = served.new_browser()
        assert served.log_in(role, browser=browsers[role]).status_code == 303
    return browsers


@pytest.fixture(scope="session")
def served_on_postgres(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a PostgreSQL database with the store of `served`, made once."""
    folder = tmp_path_factory.mktemp("served")
    url = postgres.new_store()
    with Store.open(url) as store:
        add(store, folder, write_run(folder))
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
    return url


@pytest.fixture
def team(
    request: pytest.FixtureRequest, own_database: str, served_files: Path, tmp_path: Path
) -> Iterator[Served]:
    """A server over a store with one run, on the database of the test."""
    shutil.copytree(served_files, tmp_path, dirs_exist_ok=True)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    if own_database == "postgres":
        postgres: Server = request.getfixturevalue("postgres")
        url = postgres.copy_of(request.getfixturevalue("served_on_postgres"))
    with Store.open(url) as store:
        yield Served(store)
    if own_database == "postgres":
        postgres.drop(url)


@pytest.fixture(scope="session")
def api_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tokens]:
    """A folder with the store of `api` and its files, made once, and its tokens."""
    folder = tmp_path_factory.mktemp("api")
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        return folder, fill(store, folder)


@pytest.fixture(scope="session")
def api_on_postgres(
    postgres: Server, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Tokens]:
    """The URL of a PostgreSQL database with the store of `api`, made once, and its tokens."""
    url = postgres.new_store()
    with Store.open(url) as store:
        return url, fill(store, tmp_path_factory.mktemp("api"))


@pytest.fixture(scope="module")
def api(
    request: pytest.FixtureRequest,
    module_database: str,
    api_files: tuple[Path, Tokens],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Team]:
    """A server over both collections, on the database of the test."""
    files, tokens = api_files
    folder = tmp_path_factory.mktemp("api")
    shutil.copytree(files, folder, dirs_exist_ok=True)
    url = f"sqlite:///{folder / 'store.db'}"
    if module_database == "postgres":
        filled, tokens = request.getfixturevalue("api_on_postgres")
        url = request.getfixturevalue("postgres").copy_of(filled)
    with Store.open(url) as store:
        store.allow_restriction()  # the role that reads a part belongs to one database
        yield team_of(store, tokens)


@pytest.fixture
def sso(served: Served, tmp_path: Path) -> Iterator[Sso]:
    """A server and a crafted provider, which is not added to it yet."""
    secret = tmp_path / "secret"
    secret.write_text(f"{SECRET}\n", encoding="utf-8")
    with running() as provider:
        yield Sso(served, provider, str(secret))


@pytest.fixture
def sender(api: Team) -> Iterator[Sender]:
    """A program that may write into the open collection."""
    yield Sender(api.reader.served, create_token(api.store, "ci", "contributor", OPEN), OPEN)
    revoke_token(api.store, "ci")


@pytest.fixture
def works(api: Team) -> Iterator[None]:
    """A worker in a thread."""
    with working(api.store):
        yield
