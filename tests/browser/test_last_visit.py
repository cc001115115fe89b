"""What the home page says is new since the last visit, whose time only the browser knows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from conftest import EMPTY
from pages.shell import Shell
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
TIMES = """if (!sessionStorage.told) {
  sessionStorage.told = "yes";
  for (const [name, time] of Object.entries(%s))
    localStorage.setItem(`evalstore-last-${name}`, time);
}"""


def come_again(site: str, open_page: Open, **times: str) -> Page:
    """Open the home page as someone whose earlier visits were at these times."""
    page = open_page(site + EMPTY)
    page.add_init_script(TIMES % json.dumps(times))
    page.goto(site + "/")
    Shell(page).settled()
    return page


def test_on_a_first_visit_nothing_is_called_new(site: str, open_page: Open) -> None:
    page = open_page(site + "/")
    Shell(page).settled()
    expect(page.locator(".new-runs")).to_have_count(0)
    expect(page.locator(".since")).to_be_empty()


def test_after_a_pause_new_runs_are_named_with_the_way_to_compare_them(
    site: str, open_page: Open
) -> None:
    page = come_again(site, open_page, seen="2026-01-01T00:00:00.000Z")
    line = page.locator(".new-runs", has_text="small")
    expect(line).to_contain_text("since 2026-01-01 in small")
    expect(page.locator(".events .is-new").first).to_be_visible()
    # Loaded again within the same visit, the news stay.
    page.reload()
    expect(line).to_be_visible()
    line.get_by_role("link", name="Compare these").click()
    expect(page).to_have_url(re.compile("/c/small/compare\\?runs="))


def test_since_a_visit_after_the_last_run_nothing_is_new(site: str, open_page: Open) -> None:
    future = "2999-01-01T00:00:00.000Z"
    page = come_again(site, open_page, visit=future, seen=future)
    expect(page.locator(".since")).to_contain_text("Nothing new since your last visit")
    expect(page.locator(".new-runs")).to_have_count(0)
