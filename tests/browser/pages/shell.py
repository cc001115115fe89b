"""What every page has: header, menu, choices, and when it has come to rest."""

from __future__ import annotations

import re
import time

from chromium import PATIENCE
from playwright.sync_api import Locator, Page, expect

SETTLED = """() => {
  const root = document.documentElement;
  const drawn = [...document.querySelectorAll("#page .graph")].every((g) =>
    g.querySelector(".main-svg"));
  return !root.classList.contains("is-loading") && drawn && document.querySelector("#page > *")
    && !document.querySelector("[data-dash-is-loading=true]");
}"""

TO_START = """() => {
  const start = document.createElement("span");
  start.tabIndex = -1;
  document.body.prepend(start);
  start.focus();
  start.remove();
  window.scrollTo(0, 0);
}"""


class Shell:
    """A page of the dashboard."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def settled(self) -> None:
        """Wait until the page of the address is on the screen, with its figures."""
        self.wait_until(SETTLED)

    def wait_until(self, condition: str) -> None:
        """Wait until this function holds in the browser.

        `Page.wait_for_function` would evaluate it as a string, which the dashboard's policy of
        scripts forbids.
        """
        end = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"This does not come to hold: {condition}"
            self.page.wait_for_timeout(50)

    def go(self, address: str) -> None:
        """Go to an address as a link does, without loading the scripts again."""
        self.page.evaluate("(href) => window.dash_clientside.evalstore.navigate(href)", address)
        self.settled()

    def to_start(self) -> None:
        """Let Tab lead to the first stop next, as in a page that was just loaded."""
        self.page.evaluate(TO_START)

    def at(self, part: str) -> None:
        """Wait until the address ends like this, and its page is on the screen."""
        expect(self.page).to_have_url(re.compile(re.escape(part) + "$"))
        self.settled()

    def back(self) -> None:
        self.page.go_back()

    def link(self, name: str) -> None:
        """Follow a link of the header."""
        self.page.locator("#navigation").get_by_role("link", name=name, exact=True).click()

    def switch_scheme(self) -> None:
        self.page.get_by_role("button", name="Switch the theme between light and dark").click()

    @property
    def scheme(self) -> str | None:
        return self.page.locator("html").get_attribute("data-mantine-color-scheme")

    def choice(self, label: str) -> Locator:
        """The field of a choice; its text is what is chosen."""
        return self.page.get_by_role("textbox", name=label, exact=True)

    def choose(self, label: str, text: str) -> None:
        """Choose by keyboard alone: type, take what is offered first."""
        field = self.choice(label)
        field.focus()
        self.page.keyboard.type(text)
        expect(self.page.locator("[role=option][data-combobox-selected]")).to_contain_text(text)
        self.page.keyboard.press("Enter")

    def text(self) -> str:
        """All that can be read on the page, figures included."""
        return self.page.locator("#page").inner_text()
