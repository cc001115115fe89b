"""The page of a query: the ranked lists."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.shell import Shell


class Query(Shell):
    """What runs answered to a query."""

    @property
    def heading(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    @property
    def lists(self) -> Locator:
        return self.page.locator("#page .ranked-list")
