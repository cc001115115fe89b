"""The leaderboard of a collection."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.shell import Shell

GRID = "#board-grid"


class Leaderboard(Shell):
    """The runs, best first; ticked ones can be compared."""

    @property
    def runs(self) -> Locator:
        """The runs of the rows; not the pinned baseline."""
        return self.page.locator(f'{GRID} .ag-body [col-id="run"] a')

    def box(self, run: str) -> Locator:
        """The box that ticks a run."""
        row = self.page.locator(f"{GRID} .ag-body .ag-row").filter(
            has=self.page.get_by_role("link", name=run, exact=True)
        )
        return row.get_by_role("checkbox")

    def compare(self, number: int) -> None:
        self.page.get_by_role("link", name=f"Compare {number}").click()
