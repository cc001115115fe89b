"""Make the script of a new SQLite store: python tests/store/make_new_store.py

migrations/NNNN.sqlite.sql makes an empty file what all migrations up to the newest make of it, in
one step. test_store_schema.py compares the two; make it anew after every change of a migration.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path


def script_of(path: Path) -> str:
    """The statements that make a database like a new store, with an empty line between them."""
    connection = sqlite3.connect(path)
    made = connection.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
        "ORDER BY rowid"
    )
    statements = [sql for (sql,) in made]
    statements += [
        line
        for line in connection.iterdump()
        if line.startswith("INSERT") and "sqlite_sequence" not in line  # SQLite's own
    ]
    connection.close()
    return "\n\n".join("\n".join(filter(None, sql.split("\n"))) for sql in statements) + "\n"


def meaning(script: str) -> list[list[str]]:
    """The lines of each statement, sorted: Alembic writes constraints in any order."""
    return sorted(
        sorted(line.strip().rstrip(", ") for line in statement.split("\n"))
        for statement in script.strip().split("\n\n")
    )


def main() -> None:
    from evalstore.store import database, schema

    folder = schema.migrations_folder()
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store.db"
        engine = database.make_engine(str(store))
        schema.upgrade(engine)
        engine.dispose()
        for old in folder.glob("*.sqlite.sql"):
            old.unlink()
        (folder / f"{schema.HEAD}.sqlite.sql").write_text(script_of(store), encoding="utf-8")


if __name__ == "__main__":
    main()
