"""The pages, in the order of the navigation. A page is one module and one line here."""

from __future__ import annotations

from dashboard.pages import compare, runs

PAGES = (runs.PAGE, compare.PAGE)
