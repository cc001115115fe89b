"""Logins at a provider from PyPI: all of the way without a browser, and once in Chromium."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright
from provider_process import RealProvider, real_provider
from server_process import serving
from team_server import Served

from evalstore.server.oidc.providers import add_provider
from evalstore.server.people.accounts import list_all
from evalstore.store import Store

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from chromium import MISSING, chromium, launch

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


@pytest.mark.browser
def test_a_person_goes_to_a_page_logs_in_at_the_provider_and_logs_out(
    provider: RealProvider, tmp_path: Path
) -> None:
    path = chromium()
    if path is None:
        pytest.skip(f"NO CHROMIUM: this journey was not tried. {MISSING}")
    with serving(tmp_path) as served, sync_playwright() as playwright:
        with Store.open(str(served.database)) as store:
            add(store, provider, tmp_path)
        browser = launch(playwright, path)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        url = f"http://127.0.0.1:{served.port}"
        page.goto(f"{url}/c/test?m=AP")
        page.get_by_role("link", name="Log in with corp").click()
        page.get_by_role("button", name="4711").first.click()
        expect(page).to_have_url(f"{url}/c/test?m=AP")
        expect(page.get_by_role("link", name="bob")).to_be_visible()
        names = {cookie["name"] for cookie in page.context.cookies()}
        assert names == {"evalstore_session"}
        page.goto(f"{url}/account")
        page.get_by_role("button", name="Log out").click()
        expect(page).to_have_url(re.compile("/login$"))
        page.get_by_role("link", name="Log in with corp").click()
        page.get_by_placeholder("sub").fill("stranger")
        page.get_by_role("button", name="Authorize").click()
        expect(page.get_by_role("alert")).to_contain_text("You are in no group")
        browser.close()
