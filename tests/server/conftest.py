"""A small store with a server, and clients that are logged in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import argon2
import pytest
from flask.testing import FlaskClient
from samples import add, write_run
from team_server import ADMINISTRATOR, PASSWORD, URL, Served

from evalstore.server.accounts import add_person
from evalstore.server.rights import ROLES
from evalstore.server.setup import set_up
from evalstore.server.tokens import create_token
from evalstore.store import Store


@pytest.fixture(autouse=True, scope="session")
def cheap_passwords() -> Iterator[None]:
    """Passwords hashed in no time: how long it takes is argon2's to test."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = partial(argon2.PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(argon2, "PasswordHasher", cheap)
        yield


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server with an administrator, over a store with one run."""
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as store:
        add(store, tmp_path, write_run(tmp_path))
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
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
