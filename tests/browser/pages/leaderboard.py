"""The leaderboard of a collection."""

from __future__ import annotations

import re

from playwright.sync_api import Locator

from pages.shell import Shell

GRID = "#board-grid"


class Leaderboard(Shell):
    """The runs, best first; ticked ones can be compared."""

    @property
    def runs(self) -> Locator:
        """The runs of the rows; the pinned baseline is the first."""
        return self.page.locator(f'{GRID} [col-id="run"] a')

    ORDER = f"""[...document.querySelectorAll('{GRID} .ag-header-cell')]
        .sort((one, other) => one.getBoundingClientRect().left - other.getBoundingClientRect().left)
        .map((cell) => cell.getAttribute("col-id"))"""
    """The ids of the columns, from left to right."""

    def columns(self) -> list[str]:
        return [str(column) for column in self.page.evaluate(self.ORDER)]

    def measures(self) -> list[str]:
        """The measures of the columns, from left to right."""
        headers = [
            self.page.locator(f'{GRID} .ag-header-cell[col-id="{column}"] button')
            for column in self.columns()
            if re.fullmatch(r"v\d+", column)
        ]
        return [re.split(" [↑↓]", header.inner_text())[0] for header in headers]

    def header(self, name: str) -> Locator:
        """The header of a column."""
        button = self.page.get_by_role("button", name=re.compile(f"^{re.escape(name)} "))
        return self.page.locator(f"{GRID} .ag-header-cell").filter(has=button)

    def box(self, run: str) -> Locator:
        """The box that ticks a run."""
        row = self.page.locator(f"{GRID} .ag-row").filter(
            has=self.page.get_by_role("link", name=run, exact=True)
        )
        return row.get_by_role("checkbox")

    def compare(self, number: int) -> None:
        self.page.get_by_role("link", name=f"Compare {number}").click()
