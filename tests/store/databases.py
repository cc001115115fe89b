"""The databases that a test of the store runs on: SQLite, and where it says so, PostgreSQL too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

both_databases = pytest.mark.parametrize(
    "new_database",
    ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)],
    indirect=True,
    scope="session",
)
"""Of a test that sends PostgreSQL statements that no other test with this mark sends, or whose rule
PostgreSQL keeps in a way of its own: locks, constraints, orders, migrations."""


postgres_by_night = pytest.mark.parametrize(
    "new_database",
    ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.nightly])],
    indirect=True,
    scope="session",
)
"""Of a long test whose rule PostgreSQL keeps in the same way."""


def both_for_the_first(names: str, values: Iterable[Any]) -> pytest.MarkDecorator:
    """As `pytest.mark.parametrize`, on PostgreSQL for the first values alone.

    For the others it is sent the same statements, or fewer.
    """
    several = "," in names
    rows = [tuple(value) if several else (value,) for value in values]
    on_postgres = pytest.param("postgres", *rows[0], marks=pytest.mark.postgres)
    return pytest.mark.parametrize(
        f"new_database,{names}",
        [*(("sqlite", *row) for row in rows), on_postgres],
        indirect=["new_database"],
        scope="session",
    )
