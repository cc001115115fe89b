"""The server stops and comes back while a page is open: no figure stands under a wrong label."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import PATIENCE
from conftest import forget
from free_ports import free_port
from pages.compare import Compare
from playwright.sync_api import BrowserContext, Page, expect
from serving import serving

from evalstore.store import Store

COMPARE = "/c/small/compare?runs=bm25,tfidf"


@pytest.fixture
def page(shared_context: BrowserContext, site: str) -> Iterator[Page]:
    """A page that is not watched: the browser itself complains of the requests that fail."""
    made = shared_context.new_page()
    made.set_default_timeout(PATIENCE)
    made.set_viewport_size({"width": 1440, "height": 1000})
    made.emulate_media(color_scheme="light")
    forget(shared_context, made, site)
    yield made
    made.close()


def test_what_can_not_be_loaded_is_said_and_never_left_under_another_label(
    page: Page, store: Store
) -> None:
    port = free_port()
    notice = page.get_by_text("No connection to the dashboard.")
    compare = Compare(page)

    with serving(store, port=port) as address:
        page.goto(address + COMPARE)
        expect(compare.rows).to_have_count(5)
        compare.settled()
        expect(notice).to_be_hidden()

    # While nothing is asked for, the page stays.
    compare.rows.last.hover()
    expect(compare.rows.first).to_be_visible()
    expect(notice).to_be_hidden()

    compare.choose("Measure", "Rprec")
    expect(notice).to_be_visible()
    expect(compare.rows.first).to_be_hidden()
    expect(compare.choice("Measure")).to_be_hidden()

    with serving(store, port=port):
        expect(notice).to_be_hidden()
        expect(compare.rows.first).to_be_visible()
        # The page is that of its address, and so is what the control says.
        compare.at("&m=Rprec")
        expect(compare.choice("Measure")).to_have_value("Rprec")
        compare.choose("Measure", "AP")
        compare.at(COMPARE)
        expect(compare.choice("Measure")).to_have_value("AP")
        expect(compare.rows).to_have_count(5)


def test_an_error_of_the_server_is_said_and_hides_what_may_be_wrong(page: Page, site: str) -> None:
    compare = Compare(page)
    page.goto(site + COMPARE)
    expect(compare.rows).to_have_count(5)
    compare.settled()
    page.route("**/_dash-update-component*", lambda route: route.fulfill(status=500))
    compare.choose("Measure", "Rprec")
    expect(page.get_by_text("The dashboard failed to answer.")).to_be_visible()
    expect(compare.rows.first).to_be_hidden()
    page.unroute("**/_dash-update-component*")
    page.get_by_role("link", name="Load the page again").click()
    expect(compare.rows).to_have_count(5)
    expect(compare.rows.first).to_be_visible()
    expect(page.get_by_text("The dashboard failed to answer.")).to_be_hidden()
    expect(compare.choice("Measure")).to_have_value("Rprec")
