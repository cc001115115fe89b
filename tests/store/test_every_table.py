"""A new table must be handled by all code that handles every table."""

from __future__ import annotations

from pathlib import Path

from full_store import NAMED, fill
from sqlalchemy import func, select

from evalstore.store import Store, models

SEEN_THROUGH_VIEWS = {"measurement", "aggregate"}  # leaderboard and query_values show them
SEEN_BY_NAMES = {"baseline"}  # `content` has the names instead of the ids
OWN_TESTS = {"event", "run_parent"}  # a copy adds an event of its own; parents have no names


def test_the_tests_of_copy_and_upgrade_compare_every_table() -> None:
    """A table that is missing here could be left out by `copy` without a failing test."""
    assert (
        set(NAMED)
        == set(models.Base.metadata.tables) - SEEN_THROUGH_VIEWS - SEEN_BY_NAMES - OWN_TESTS
    )


def test_the_store_they_compare_has_a_row_in_every_table(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path)
    with store.read() as connection:
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar()
            for table in models.Base.metadata.sorted_tables
        }
    assert [name for name, count in rows.items() if not count] == []
