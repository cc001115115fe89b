"""What holds for every page of the demo: each is opened once and looked at in several ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from accessibility import issues, tab_stops
from chromium import PATIENCE
from conftest import Watched
from demo_pages import DEMO_PAGES
from pages.shell import Shell
from playwright.sync_api import BrowserContext, expect

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1440, "height": 1000}, {"width": 390, "height": 844}
OTHER = {1440: NARROW, 390: WIDE}
OPENED = [
    pytest.param((name, viewport), id=f"{name}-{viewport['width']}")
    for name in DEMO_PAGES
    for viewport in (WIDE, NARROW)
]


@pytest.fixture(scope="module", params=OPENED)
def shown(
    request: pytest.FixtureRequest, shared_context: BrowserContext, demo_site: str
) -> Iterator[Shell]:
    """A page, opened at a width; at the end nothing was complained of."""
    name, viewport = request.param
    watched = Watched(shared_context.new_page())
    watched.page.set_default_timeout(PATIENCE)
    watched.page.set_viewport_size(viewport)
    watched.page.emulate_media(color_scheme="light")
    watched.watch()
    watched.page.goto(demo_site + DEMO_PAGES[name])
    shell = Shell(watched.page)
    shell.settled()
    yield shell
    watched.page.close()
    assert watched.complaints == []


def test_every_tab_stop_is_on_the_screen_and_a_grid_is_one(shown: Shell) -> None:
    stops = tab_stops(shown.page)
    assert stops[0]["name"] == "A Skip to content"
    assert [stop["name"] for stop in stops if not stop["onScreen"]] == []
    in_grids = Counter(stop["grid"] for stop in stops if stop["grid"] != -1)
    assert set(in_grids.values()) <= {1}, in_grids


def test_a_page_does_not_scroll_sideways_also_after_its_width_changed(shown: Shell) -> None:
    opened = shown.page.viewport_size
    assert opened is not None
    for viewport in (opened, OTHER[opened["width"]], opened):
        shown.page.set_viewport_size(viewport)
        # Figures follow a moment later.
        shown.wait_until("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_page_has_no_serious_issue_of_accessibility_in_either_scheme(shown: Shell) -> None:
    assert issues(shown.page) == []
    shown.page.emulate_media(color_scheme="dark")
    expect(shown.page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    shown.settled()
    assert issues(shown.page, of_colours=True) == []
