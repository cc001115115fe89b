"""The Compare page."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from pages.shell import Shell


class Compare(Shell):
    """Two or more runs."""

    @property
    def rows(self) -> Locator:
        """The rows of the table of queries."""
        return self.page.locator("#queries-table tbody tr")

    def header(self, name: str) -> Locator:
        """The heading of a column of the table of queries, by its first words."""
        heads = self.page.locator("#queries-table thead th")
        return heads.filter(has_text=re.compile(rf"^{re.escape(name)}( [↑↓▴▾])*$"))

    def sort(self, name: str) -> None:
        """Click a heading."""
        self.header(name).get_by_role("link").click()

    def begins_with(self, *qids: str) -> None:
        """Wait until these queries are first."""
        for position, qid in enumerate(qids):
            expect(self.rows.nth(position).locator("th")).to_have_text(qid)

    def is_sorted(self, name: str, direction: str) -> None:
        """Wait until this column alone claims to be sorted: `ascending` or `descending`."""
        expect(self.header(name)).to_have_attribute("aria-sort", direction)
        expect(self.page.locator("#queries-table th[aria-sort]")).to_have_count(1)

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

    def cells(self, name: str) -> list[str]:
        """The texts of a column of the table of queries."""
        expect(self.header(name)).to_be_attached()
        place = self.header(name).evaluate("(head) => head.cellIndex")
        return self.rows.locator(f":scope > :nth-child({place + 1})").all_text_contents()

    def open_query(self, qid: str) -> None:
        """Follow the link of a query in the table."""
        self.rows.get_by_role("link", name=qid, exact=True).click()

    def order(self, name: str) -> None:
        self.page.get_by_text(name, exact=True).click()

    def swap(self) -> None:
        self.page.get_by_role("link", name="Swap baseline").click()
