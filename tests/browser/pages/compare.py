"""The Compare page."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.tables import WithTable


class Compare(WithTable):
    """Two or more runs."""

    GRID = "#queries-grid"

    @property
    def claim(self) -> Locator:
        return self.page.locator("#claim")

    @property
    def curves(self) -> Locator:
        """The lines with marks; bands have none."""
        return self._graph("curves").locator(".scatterlayer .trace:has(.point:nth-of-type(3))")

    @property
    def bars(self) -> Locator:
        return self._graph("histogram").locator(".barlayer .point")

    def _graph(self, name: str) -> Locator:
        return self.page.locator(f"[id*='\"{name}\"']")

    def axis_title(self) -> Locator:
        return self._graph("curves").locator(".xtitle")

    def runs(self) -> list[str]:
        """The runs of the table, the baseline first."""
        return self.page.locator("#run-table tbody th .engine").all_inner_texts()

    def cells(self, column: str) -> list[str]:
        """The texts of a column of the table of queries, as far as rows are on the screen."""
        cells = self.table.locator(f'.ag-cell[col-id="{column}"]')
        return cells.all_text_contents()

    def open_query(self, qid: str) -> None:
        """Follow the link of a query in the table."""
        self.table.get_by_role("link", name=qid, exact=True).click()

    def order(self, name: str) -> None:
        self.page.get_by_text(name, exact=True).click()

    def swap(self) -> None:
        self.page.get_by_role("link", name="Swap baseline").click()
