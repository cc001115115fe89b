"""A small store with a server, and clients that are logged in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from api_client import Team
from api_client import team as team_of_the_api
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

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))


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


@pytest.fixture(params=DATABASES)
def team(request: pytest.FixtureRequest, served_files: Path, tmp_path: Path) -> Iterator[Served]:
    """A server over a store with one run, on each database in turn."""
    shutil.copytree(served_files, tmp_path, dirs_exist_ok=True)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    if request.param == "postgres":
        postgres: Server = request.getfixturevalue("postgres")
        url = postgres.copy_of(request.getfixturevalue("served_on_postgres"))
    with Store.open(url) as store:
        yield Served(store)
    if request.param == "postgres":
        postgres.drop(url)


@pytest.fixture(scope="module", params=DATABASES)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """A server over both collections, on each database in turn."""
    folder = tmp_path_factory.mktemp("api")
    url = f"sqlite:///{folder / 'store.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").new_store()
    with Store.open(url) as store:
        yield team_of_the_api(store, folder)


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
