"""A statement that is longer than an address may be: run, loaded again, gone back to."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from pages.shell import Shell
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SAVED = re.compile(r"/v/[a-z2-7]{4,}$")
COMMENT = "-- " + "why " * 3_000


def test_a_long_statement_has_a_short_address_that_shows_it_again(
    site: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(site + "/sql")
    shell = Shell(page)
    shell.settled()
    field = page.get_by_role("textbox", name="SQL statement: one SELECT")
    field.fill(f"SELECT run, mean FROM leaderboard_of_nothing {COMMENT}")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(SAVED)
    expect(page.get_by_role("alert").last).to_contain_text("leaderboard_of_nothing")
    first = page.url

    field.fill(f"SELECT 1 AS one, 'a' AS name {COMMENT}")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#sql-grid .ag-row")).to_have_count(1)
    expect(page).not_to_have_url(first)
    expect(page).to_have_url(SAVED)
    second = page.url

    page.get_by_text("Bar", exact=True).click()
    expect(page.locator("#sql-chart .main-svg").first).to_be_visible()
    expect(page).not_to_have_url(second)
    expect(page).to_have_url(SAVED)
    page.reload()
    shell.settled()
    expect(page.locator("#sql-chart .main-svg").first).to_be_visible()
    expect(page.locator("#sql-grid .ag-row")).to_have_count(1)
    with page.expect_download() as started:
        page.locator("#sql-csv").click()
    assert started.value.path().read_text(encoding="utf-8").splitlines() == ["one,name", "1,a"]

    shell.back()
    expect(page).to_have_url(second)
    expect(page.locator("#sql-chart .main-svg")).to_have_count(0)
    shell.back()
    expect(page).to_have_url(first)
    expect(page.get_by_role("alert").last).to_contain_text("leaderboard_of_nothing")
    shell.link("Measures")
    shell.at("/measures")
