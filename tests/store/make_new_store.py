"""Make the scripts of new stores: python tests/store/make_new_store.py

migrations/NNNN.sqlite.sql and NNNN.postgresql.sql make an empty database what all migrations up to
the newest make of it, in one step. test_store_schema.py compares the two; make them anew after
every change of a migration.
"""

from __future__ import annotations

import re
import sqlite3
import sys
import tempfile
from pathlib import Path

from make_golden import postgres_dump

UNWANTED = re.compile(r"SELECT pg_catalog\.(setval|set_config)\(|COMMENT ON SCHEMA ")
"""Lines of pg_dump beside the statements that make a store."""


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


def script_of_postgres(url: str, programs: Path) -> str:
    """The statements that make a schema like that of a new store; `{schema}` stands for its name.

    In any other schema than that of the store the names have to mean its own tables.
    """
    lines = postgres_dump(url, programs).splitlines(keepends=True)
    script = "".join(line for line in lines if not UNWANTED.match(line))
    script = script.replace(
        "SET search_path TO 'public', 'pg_temp'", "SET search_path TO {schema}, pg_temp"
    )
    return re.sub(r"\bpublic\.", "", script)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import postgres

    from evalstore.store import database, schema

    programs = postgres.binaries()
    assert programs is not None, postgres.NONE_FOUND
    folder = schema.migrations_folder()
    with tempfile.TemporaryDirectory() as scratch, postgres.running_server() as server:
        store, url = Path(scratch) / "store.db", server.new_database()
        for each in (str(store), url):
            engine = database.make_engine(each)
            schema.upgrade(engine)
            engine.dispose()
        for old in folder.glob("*.sql"):
            old.unlink()
        scripts = {"sqlite": script_of(store), "postgresql": script_of_postgres(url, programs)}
        for kind, script in scripts.items():
            (folder / f"{schema.HEAD}.{kind}.sql").write_text(script, encoding="utf-8")


if __name__ == "__main__":
    main()
