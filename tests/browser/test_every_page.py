"""What holds for every page of the demo: each is opened once and looked at in several ways.

Every other page is opened, wide and narrow in turns, and light and dark in turns; each night every
page in all four ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from accessibility import issues, tab_stops
from conftest import Watched, go_to, kept_page
from demo_pages import DEMO_PAGES
from pages.shell import Shell
from playwright.sync_api import BrowserContext

WIDE, NARROW = {"width": 1440, "height": 1000}, {"width": 390, "height": 844}
OTHER = {1440: NARROW, 390: WIDE}
WAYS = [(viewport, scheme) for viewport in (WIDE, NARROW) for scheme in ("light", "dark")]
OPENED = [
    pytest.param(
        (name, *way),
        id=f"{name}-{way[0]['width']}-{way[1]}",
        marks=[] if number % 2 and way is WAYS[number // 2 % 4] else pytest.mark.nightly,
    )
    for number, name in enumerate(DEMO_PAGES)
    for way in WAYS
]


@pytest.fixture(scope="module")
def demo(shared_context: BrowserContext, demo_site: str) -> Iterator[Watched]:
    with kept_page(shared_context, demo_site) as watched:
        yield watched


@pytest.fixture(scope="module", params=OPENED)
def shown(request: pytest.FixtureRequest, demo: Watched) -> Iterator[Shell]:
    """A page, opened at a width in a scheme; at the end nothing was complained of."""
    name, viewport, scheme = request.param
    demo.page.emulate_media(color_scheme=scheme)
    yield go_to(demo.page, DEMO_PAGES[name], **viewport)
    demo.check()


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


def test_a_page_has_no_serious_issue_of_accessibility(shown: Shell) -> None:
    assert issues(shown.page) == []


BROKEN_WORDS = """() => {
  const broken = [];
  for (const header of document.querySelectorAll("th, .ag-header-cell")) {
    const texts = document.createTreeWalker(header, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+-?/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word);
      }
  }
  return broken;
}"""
HAS_HEADERS = """() => [...document.querySelectorAll("#page .grid")].every((grid) => {
  grid.scrollIntoView({ block: "nearest" });  // a table is made when it comes on the screen
  return grid.querySelector(".ag-header-cell");
})"""


def test_no_word_of_a_header_is_broken(shown: Shell) -> None:
    shown.wait_until(HAS_HEADERS)
    assert shown.page.evaluate(BROKEN_WORDS) == []
    if "/compare" in shown.page.url:
        shown.go(DEMO_PAGES["compare"].replace("m=AP", "m=Rprec"))  # a name with a hyphen
        assert shown.page.evaluate(BROKEN_WORDS) == []
