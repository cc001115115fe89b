"""The Measures page."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.shell import Shell


class Measures(Shell):
    """All measures, and one of them."""

    def find(self, text: str) -> None:
        self.page.get_by_role("textbox", name="Find a measure").fill(text)

    @property
    def names(self) -> Locator:
        return self.page.locator("#measure-list tbody th")
