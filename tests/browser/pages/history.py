"""The History page."""

from __future__ import annotations

from pages.shell import Shell
from playwright.sync_api import Locator


class History(Shell):
    """The runs of engines in the order of time."""

    @property
    def points(self) -> Locator:
        return self.page.locator("#history-figure .scatterlayer .point")
