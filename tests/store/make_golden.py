"""Make the golden databases of the newest revision: python tests/store/make_golden.py

A revision has three files in tests/store/golden, never changed once it is released:
NNNN.sqlite.sql and NNNN.postgres.sql, dumps of a store that holds something of everything, and
NNNN.json, what is in it. test_upgrades.py brings each up to the newest revision.

The oldest revision and the newest have such files, and those before a migration that changes rows
of tables that the oldest does not have: 0005 packs documents, 0007 tells events and saved views
their collections, 0009 gives experiments ids, and 0012 runs contents. Delete the files of the
revision before the newest, unless the newest changes its rows.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"


def as_json(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[list[Any]]]:
    """What `content` gives, as JSON can hold it."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytes | memoryview):
            return bytes(value).hex()
        return value.isoformat() if isinstance(value, datetime) else value

    return {
        name: sorted(([plain(value) for value in row] for row in rows), key=repr)
        for name, rows in found.items()
    }


def written(found: dict[str, list[list[Any]]]) -> str:
    """What `as_json` gives as a text, with a line for each row."""
    tables = []
    for name, rows in found.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        tables.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(tables) + "\n}\n"


def sqlite_dump(path: Path) -> str:
    connection = sqlite3.connect(path)
    lines = "\n".join(connection.iterdump())
    connection.close()
    return f"{lines}\n"


def postgres_dump(url: str, programs: Path) -> str:
    """The output of pg_dump without the commands that only psql or the same release understands."""
    asked = ["--inserts", "--rows-per-insert=50", "--no-owner", "--no-privileges"]
    plain = url.replace("postgresql+psycopg", "postgresql")
    done = subprocess.run(
        [programs / "pg_dump", *asked, plain], capture_output=True, text=True, check=True
    )
    lines = (line for line in done.stdout.splitlines() if not re.match(r"\\|--|SET |$", line))
    return "\n".join(lines) + "\n"


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import postgres
    from full_store import content, fill

    from evalstore.store import Store, schema
    from evalstore.store.queries import events
    from evalstore.transfer.copy import copy

    events.who = lambda: "someone@somewhere"
    programs = postgres.binaries()
    assert programs is not None, postgres.NONE_FOUND
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, postgres.running_server() as server:
        path = Path(folder) / "golden.db"
        url = server.new_database()
        with Store.open(f"sqlite:///{path}") as store, Store.open(url) as other:
            fill(store, Path(folder))
            copy(store, other)
            expected = as_json(content(store))
            assert as_json(content(other)) == expected
        name = FOLDER / schema.HEAD
        name.with_suffix(".sqlite.sql").write_text(sqlite_dump(path), encoding="utf-8")
        name.with_suffix(".postgres.sql").write_text(
            # The events name the store they were copied from: not by a folder of this machine.
            postgres_dump(url, programs).replace(f"/{folder}/", ""),
            encoding="utf-8",
        )
        name.with_suffix(".json").write_text(written(expected), encoding="utf-8")


if __name__ == "__main__":
    main()
