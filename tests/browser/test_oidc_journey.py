"""A login in Chromium at a provider from PyPI."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import PATIENCE
from playwright.sync_api import Browser, expect
from provider_process import RealProvider, real_provider
from server_process import serving

from evalstore.server.oidc.providers import add_provider
from evalstore.store import Store

"""Milliseconds: a busy machine may take long for two servers and a browser."""


@pytest.fixture(scope="module")
def provider() -> Iterator[RealProvider]:
    """A provider that knows bob, who is in the group `team`."""
    with real_provider() as running:
        yield running


def test_a_person_goes_to_a_page_logs_in_at_the_provider_and_logs_out(
    provider: RealProvider, chrome: Browser, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush\n", encoding="utf-8")
    with serving(tmp_path) as served, chrome.new_context() as context:
        with Store.open(str(served.database)) as store:
            groups = [("team", "reader", None)]
            add_provider(store, "corp", provider.issuer, "evalstore", str(secret), mapped=groups)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        url = f"http://127.0.0.1:{served.port}"
        page.goto(f"{url}/c/test?m=AP")
        page.get_by_role("link", name="Log in with corp").click()
        page.get_by_role("button", name="4711").first.click()
        expect(page).to_have_url(f"{url}/c/test?m=AP")
        expect(page.get_by_role("link", name="bob")).to_be_visible(timeout=PATIENCE)
        names = {cookie["name"] for cookie in context.cookies()}
        assert names == {"evalstore_session"}
        page.goto(f"{url}/account")
        page.get_by_role("button", name="Log out").click()
        expect(page).to_have_url(re.compile("/login$"))
        page.get_by_role("link", name="Log in with corp").click()
        page.get_by_placeholder("sub").fill("stranger")
        page.get_by_role("button", name="Authorize").click()
        refusal = page.get_by_role("alert")
        expect(refusal).to_contain_text("You are in no group")
