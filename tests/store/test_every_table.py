"""A new table must be handled by all code that handles every table."""

from __future__ import annotations

from pathlib import Path

from databases import both_databases
from full_store import NAMED, fill
from sqlalchemy import func, select

from evalstore.store import Store, models
from evalstore.store.dialects import HIDDEN_TABLES
from evalstore.transfer.copy import copy

SEEN_THROUGH_VIEWS = {"measurement", "aggregate"}  # leaderboard and query_values show them
SEEN_BY_NAMES = {"baseline", "experiment_about"}  # `content` has the names instead of the ids
OF_THE_SERVER = {name for name in models.Base.metadata.tables if name.startswith(HIDDEN_TABLES)}
"""`copy` leaves them out: rights in one store are none in another, and secrets stay where they are.
"""
OWN_TESTS = {"event", "run_parent"}  # a copy adds an event of its own; parents have no names


def test_the_tests_of_copy_and_upgrade_compare_every_table() -> None:
    """A table that is missing here could be left out by `copy` without a failing test."""
    assert (
        set(NAMED)
        == set(models.Base.metadata.tables)
        - SEEN_THROUGH_VIEWS
        - SEEN_BY_NAMES
        - OWN_TESTS
        - OF_THE_SERVER
    )


@both_databases
def test_a_copy_has_no_rows_in_the_tables_of_the_server(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path)
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(store, target)
        with target.read() as connection:
            for name in OF_THE_SERVER:
                assert connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar() == 0


@both_databases
def test_the_store_they_compare_has_a_row_in_every_table(store: Store, tmp_path: Path) -> None:
    fill(store, tmp_path)
    with store.read() as connection:
        rows = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar()
            for table in models.Base.metadata.sorted_tables
        }
    assert [name for name, count in rows.items() if not count] == []
