"""What the home page says is new since the last visit, whose time only the browser knows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from conftest import EMPTY
from pages.shell import Shell
from playwright.sync_api import Page, expect

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


def test_on_a_first_visit_the_run_that_leads_is_named(site: str, open_page: Open) -> None:
    page = open_page(site + "/")
    Shell(page).settled()
    expect(page.get_by_role("heading", level=1)).to_contain_text("has the highest AP")
    expect(page.locator(".news")).to_have_count(0)
    expect(page.locator(".events .is-new")).to_have_count(0)


def test_after_a_pause_the_news_are_listed_with_the_way_to_compare_new_runs(
    site: str, open_page: Open
) -> None:
    page = come_again(site, open_page, seen="2026-01-01T00:00:00.000Z")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Since 2026-01-01: 4 new runs in 2 collections")
    expect(page.locator(".events .is-new").first).to_be_visible()
    # Loaded again within the same visit, the news stay, and so they do on the way back.
    page.reload()
    small = page.locator(".card", has=page.get_by_role("heading", name="small"))
    small.get_by_role("link", name="Compare these").click()
    expect(page).to_have_url(re.compile("/c/small/compare\\?runs="))
    page.go_back()
    expect(heading).to_contain_text("Since 2026-01-01")


def test_since_a_visit_after_the_last_run_nothing_is_new(site: str, open_page: Open) -> None:
    future = "2999-01-01T00:00:00.000Z"
    page = come_again(site, open_page, visit=future, seen=future)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Nothing new since your last visit")
    expect(page.locator(".news")).to_have_count(0)


def test_a_tour_that_was_closed_stays_closed(demo_site: str, open_page: Open) -> None:
    page = open_page(demo_site + "/")
    Shell(page).settled()
    stops = page.locator(".tour")
    expect(stops.get_by_role("link")).to_have_count(7)
    stops.get_by_role("button", name="Close").click()
    expect(stops).to_be_hidden()
    page.reload()
    Shell(page).settled()
    expect(stops).to_be_attached()
    expect(stops).to_be_hidden()
