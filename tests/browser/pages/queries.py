"""The Queries page."""

from __future__ import annotations

from pages.tables import WithTable


class Queries(WithTable):
    """The queries by difficulty, a column a run."""

    GRID = "#difficulty-grid"
