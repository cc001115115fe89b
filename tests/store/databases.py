"""The databases that a test of the store runs on: SQLite, and where it says so, PostgreSQL too."""

from __future__ import annotations

import pytest

both_databases = pytest.mark.parametrize(
    "new_database",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)],
    indirect=True,
    scope="session",
)
"""Of a test that sends PostgreSQL statements that no other test with this mark sends, or whose rule
PostgreSQL keeps in a way of its own: locks, constraints, orders, migrations."""
