"""Times work on a whole store: check, backup, upgrade, removal. Used by scale.py.

Nothing but the removed runs is changed: the column of the upgrade is taken away again.
"""

# ruff: noqa: T201  (a program that tells where it is)

from __future__ import annotations

import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import text

from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.store import Store
from evalstore.store.dialects import dialect_of
from evalstore.transfer.db_check import db_check


def upkeep_times(store: Store, folder: Path, removed: int) -> dict[str, float]:
    """The seconds of each step; `removed` runs, the first by name, are removed and purged."""
    names = [run.run for run in list_runs(store, [], Choice("scale"), "run")][:removed]
    steps: dict[str, Callable[[], object]] = {
        "`db check`": lambda: _check(store),
        "backup": lambda: _backup(store, folder),
        "upgrade with a new column of `run`": lambda: _change(
            store, "ALTER TABLE run ADD COLUMN benchmark TEXT"
        ),
        "the same column taken away": lambda: _change(
            store, "ALTER TABLE run DROP COLUMN benchmark"
        ),
        f"`rm` of {len(names):,} runs": lambda: remove_runs(store, names, "scale"),
        f"`purge` of {len(names):,} runs": lambda: purge_runs(store),
    }
    seconds = {}
    for step, work in steps.items():
        start = time.perf_counter()
        work()
        seconds[step] = time.perf_counter() - start
        print(store.engine.dialect.name, step, f"{seconds[step]:.1f} s", flush=True)
    return seconds


def _check(store: Store) -> None:
    problems = list(db_check(store).problems)
    if problems:
        raise SystemExit(f"db check: {len(problems):,} problems, the first: {problems[0]}")


def _backup(store: Store, folder: Path) -> None:
    """As docs/operations.md has it; the copy is deleted."""
    copy = folder / "backup"
    if store.file is not None:
        with sqlite3.connect(store.file) as source, sqlite3.connect(copy) as target:
            source.backup(target)
        target.close()
        source.close()
    else:
        url = store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        with copy.open("wb") as file:
            subprocess.run(["pg_dump", "--format=custom", url], stdout=file, check=True)  # noqa: S603, S607  (the database that was given; the program of the documentation)
    copy.unlink()


def _change(store: Store, statement: str) -> None:
    """Change the schema as a migration does: one transaction, with its checks at the end."""
    # A connection of SQLite that read the schema before would not find the new column.
    store.engine.dispose()
    with dialect_of(store.engine).migrating(store.engine) as connection:
        connection.execute(text(statement))
