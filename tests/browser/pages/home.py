"""The home page."""

from __future__ import annotations

from pages.shell import Shell


class Home(Shell):
    """All collections, and what is new."""

    def collections(self) -> list[str]:
        return self.page.locator("#page .collections tbody th").all_inner_texts()

    def open(self, collection: str) -> None:
        listed = self.page.locator("#page .collections")
        listed.get_by_role("link", name=collection, exact=True).click()
