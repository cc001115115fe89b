"""The search of the header in a browser: its keys, where the focus is, and accessibility."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from accessibility import issues
from pages.shell import Shell
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
CHOSEN = "#search-results [role=option][aria-selected=true]"


class Search(Shell):
    """The dialog, over a page."""

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("combobox", name="Find pages, runs, queries", exact=False)

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog", name="Search")

    def open(self) -> None:
        self.page.keyboard.press("Control+k")
        expect(self.field).to_be_focused()

    def type(self, text: str, count: str) -> None:
        """Type a text, and wait until a screen reader hears the number of results."""
        self.page.keyboard.type(text)
        expect(self.dialog.get_by_role("status")).to_have_text(count)

    def chosen(self, name: str) -> None:
        """The one chosen option has this name, and is the one that the field refers to."""
        option = self.page.locator(CHOSEN)
        expect(option).to_have_count(1)
        expect(option).to_contain_text(name)
        expect(self.field).to_have_attribute(
            "aria-activedescendant", option.get_attribute("id") or ""
        )


@pytest.fixture
def search(visit: Open) -> Search:
    return Search(visit("/c/small"))


def test_the_arrow_keys_choose_and_enter_opens(search: Search) -> None:
    search.open()
    search.chosen("Leaderboard")
    search.type("q", "16 results")
    search.page.keyboard.press("ArrowDown")
    search.page.keyboard.press("ArrowUp")
    search.page.keyboard.press("ArrowUp")  # from the first to the last
    last = search.page.locator("#search-results [role=option]").last
    expect(last).to_have_attribute("aria-selected", "true")
    search.page.keyboard.press("ArrowDown")
    expect(search.field).to_be_focused()
    search.page.keyboard.press("Control+A")
    search.type("string", "1 result")
    search.chosen("q1")
    search.page.keyboard.press("Enter")
    search.at("/c/small/query/q1?m=AP")
    expect(search.dialog).to_be_hidden()


def test_enter_before_the_results_are_there_opens_the_one_of_the_text(search: Search) -> None:
    search.open()
    search.page.keyboard.type("tfidf")
    search.page.keyboard.press("Enter")
    search.at("/c/small/run/tfidf")


def test_escape_and_close_lead_back_to_where_one_was(search: Search) -> None:
    page = search.page
    find = search.page.get_by_role("textbox", name="Find run", exact=False)
    find.focus()
    page.keyboard.press("Meta+k")
    expect(search.field).to_be_focused()
    page.keyboard.type("bm25")
    page.keyboard.press("Escape")
    expect(search.dialog).to_be_hidden()
    expect(find).to_be_focused()
    button = page.get_by_role("button", name="Search", exact=True)
    button.click()
    expect(search.field).to_have_value("")
    expect(search.field).to_be_focused()
    search.dialog.get_by_role("button", name="Close").click()
    expect(button).to_be_focused()


def test_a_command_does_what_its_part_of_the_page_does(search: Search) -> None:
    link = search.page.get_by_role("textbox", name="Link", exact=True)
    for choose in (lambda: search.page.keyboard.press("Enter"), search.page.locator(CHOSEN).click):
        search.open()
        search.type("copy link", "1 result")
        choose()
        expect(link).to_have_value(search.page.url)
        search.page.keyboard.press("Escape")
        expect(link).to_have_count(0)


def test_a_file_is_of_what_is_shown_also_from_the_closed_menu(search: Search) -> None:
    search.choose("Baseline: the run that differences are to", "tfidf")
    search.at("base=tfidf")
    search.open()
    search.type("leaderboard.csv", "1 result")
    with search.page.expect_download() as download:
        search.page.keyboard.press("Enter")
    assert download.value.url.endswith("/export/c/small/leaderboard.csv?base=tfidf")


def test_the_keys_of_a_page_rest_and_its_list_of_keys_is_a_command(visit: Open) -> None:
    address = "/c/small/query/q1?runs=bm25,tfidf"
    search = Search(visit(address))
    search.open()
    search.type("jk?", "Nothing matches jk?.")
    search.page.keyboard.press("Enter")
    expect(search.field).to_be_focused()
    assert search.page.url.endswith(address)
    search.page.keyboard.press("Control+A")
    search.type("the keys", "1 result")
    search.page.keyboard.press("Enter")
    keys = search.page.get_by_role("dialog", name="The keys of this page")
    expect(keys).to_be_visible()
    keys.get_by_role("button", name="Close").click()
    expect(keys).to_be_hidden()


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.nightly), 390])
def test_it_fits_and_has_no_serious_issue_in_either_scheme(visit: Open, width: int) -> None:
    search = Search(visit("/c/small", width, 844))
    search.page.get_by_role("button", name="Search", exact=True).click()
    search.type("q", "16 results")
    box = search.dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert issues(search.page) == []
    search.page.emulate_media(color_scheme="dark")
    expect(search.page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    assert issues(search.page, of_colours=True) == []
    search.page.keyboard.press("Escape")
