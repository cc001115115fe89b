"""The History page."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.shell import Shell


class History(Shell):
    """The runs of engines in the order of time."""

    @property
    def runs(self) -> Locator:
        return self.page.locator("#history-tables tbody tr")
