"""The Measures page."""

from __future__ import annotations

from pages.shell import Shell


class Measures(Shell):
    """All measures, and one of them."""

    def find(self, text: str) -> None:
        self.page.get_by_role("textbox", name="Find a measure").fill(text)

    def names(self) -> list[str]:
        return self.page.locator("#measure-list tbody th").all_inner_texts()
