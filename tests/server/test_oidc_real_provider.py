"""Logins at a provider from PyPI: all of the way, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from provider_process import RealProvider, real_provider
from team_server import Served

from evalstore.server.oidc.providers import add_provider
from evalstore.server.people.accounts import list_all
from evalstore.store import Store

pytestmark = pytest.mark.slow  # processes are started


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    """A provider that knows bob, who is in the group `team`."""
    with real_provider() as running:
        yield running


def add(store: Store, provider: RealProvider, folder: Path) -> None:
    secret = folder / "secret"
    secret.write_text("hush\n", encoding="utf-8")
    mapped = [("team", "reader", None), ("leads", "contributor", "test")]
    add_provider(store, "corp", provider.issuer, "evalstore", str(secret), mapped=mapped)  # type: ignore[arg-type]  # these are roles


def log_in(served: Served, provider: RealProvider, subject: str) -> int:
    """The status of the last answer of a login."""
    away = served.get("/login/oidc/corp?next=/c/test")
    back = urlsplit(provider.log_in(away.headers["Location"], subject))
    return served.get(f"{back.path}?{back.query}").status_code


def test_a_login_takes_its_roles_from_the_groups_of_that_moment(
    served: Served, provider: RealProvider, tmp_path: Path
) -> None:
    add(served.store, provider, tmp_path)
    assert log_in(served, provider, "4711") == 303
    assert served.get("/c/test").status_code == 200
    provider.set_claims("4711", preferred_username="bob", groups=["leads"])
    assert log_in(served, provider, "4711") == 303
    roles = [(r.role, r.collection) for r in list_all(served.store)[1] if r.account == "bob"]
    assert roles == [("contributor", "test")]
    provider.set_claims("4711", preferred_username="bob", groups=[])
    assert log_in(served, provider, "4711") == 403
    assert served.get("/c/test").status_code == 303
    provider.set_claims("4711", preferred_username="bob", groups=["team"])


def test_a_stranger_whom_the_provider_lets_in_is_not_let_in_here(
    served: Served, provider: RealProvider, tmp_path: Path
) -> None:
    add(served.store, provider, tmp_path)
    assert log_in(served, provider, "stranger@example.org") == 403
    assert [account.name for account in list_all(served.store)[0]] == ["ann"]
