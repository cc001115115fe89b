"""A table of queries as people use it: its headers sort and filter."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from pages.shell import Shell


class WithTable(Shell):
    """A page with a table."""

    GRID: str

    @property
    def table(self) -> Locator:
        """The table, on the screen: one that is made when it comes there is made."""
        table = self.page.locator(self.GRID)
        table.evaluate("(table) => table.scrollIntoView({ block: 'nearest' })")
        return table

    @property
    def rows(self) -> Locator:
        """The rows of the table."""
        return self.table.locator(".ag-center-cols-container .ag-row")

    @property
    def headers(self) -> Locator:
        return self.table.locator(".ag-header-cell")

    def header(self, column: str) -> Locator:
        return self.table.locator(f'.ag-header-cell[col-id="{column}"]')

    def sort(self, column: str) -> None:
        """Click a header."""
        self.header(column).locator(".ag-header-cell-label").click()

    def shown(self, column: str) -> list[str]:
        """The texts of a column from top to bottom, as far as rows are on the screen."""
        cells = self.table.locator(f'.ag-cell[col-id="{column}"]').all()
        by_row = [
            (int(cell.locator("xpath=..").get_attribute("row-index") or 0), cell.inner_text())
            for cell in cells
        ]
        return [text for _, text in sorted(by_row)]

    def begins_with(self, column: str, *texts: str) -> None:
        """Wait until the first rows have these texts in a column."""
        for position, text in enumerate(texts):
            cell = self.table.locator(f'.ag-row[row-index="{position}"] [col-id="{column}"]')
            expect(cell).to_have_text(text)

    def is_sorted(self, column: str, direction: str) -> None:
        """Wait until this column alone claims to be sorted: `ascending` or `descending`."""
        expect(self.header(column)).to_have_attribute("aria-sort", direction)
        sorted_by = self.table.locator('.ag-header-cell[aria-sort$="scending"]')
        expect(sorted_by).to_have_count(1)

    def open_filter(self, column: str) -> None:
        """Press the button of a header that shows its filter."""
        self.header(column).locator(".ag-header-cell-filter-button").click()
