"""MLflow's store in a SQLite database: `mlflow.db`, its artifacts in folders beside it.

The database is opened for reading only. Where it says that artifacts are counts only within its own
folder: they are looked for there as well, because stores are moved.
"""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

from evalstore.errors import FileError
from evalstore.formats.facts.parameters import LONGEST
from evalstore.formats.folders.mlflow_run import MLflowRun
from evalstore.formats.source import path_text

NAME = "mlflow.db"
MAGIC = b"SQLite format 3\0"
TABLES = {"experiments", "runs", "params", "tags"}
ROOTS = ("mlruns", "mlartifacts")
"""The folders beside the database where MLflow and its server put artifacts."""
MOST_RUNS = 10_000
MOST_VALUES = 1_000_000

RUNS = """
SELECT r.run_uuid, r.name, r.user_id, r.start_time, r.end_time, r.artifact_uri,
       e.experiment_id, e.name
FROM runs AS r JOIN experiments AS e ON e.experiment_id = r.experiment_id
WHERE r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active'
ORDER BY e.experiment_id, r.start_time, r.run_uuid LIMIT ?
"""
PARAMETERS = "SELECT run_uuid, key, substr(value, 1, ?) FROM params LIMIT ?"
TAGS = "SELECT run_uuid, key, substr(value, 1, ?) FROM tags LIMIT ?"
Values = dict[str, dict[str, str]]
"""Texts by the id of the run and the name."""


def find_database(path: str) -> str | None:
    """The database that a path is, or that is in a folder; None where it is none of MLflow."""
    file = os.path.join(path, NAME) if os.path.isdir(path) else path
    if os.path.islink(file) and file != path:
        return None
    try:
        with open(file, "rb") if os.path.isfile(file) else open(os.devnull, "rb") as content:
            is_sqlite = content.read(len(MAGIC)) == MAGIC
        if not is_sqlite:
            return None
        with closing(_connect(file)) as connection:
            return file if _tables(connection) >= TABLES else None
    except (OSError, ValueError, sqlite3.Error):
        return None


def runs(path: str) -> list[MLflowRun]:
    """The runs in a database, by experiment and start; deleted ones are left out.

    Raises:
        FileError: it can't be read, or has more than 10,000 runs.
    """
    try:
        with closing(_connect(path)) as connection:
            rows = connection.execute(RUNS, (MOST_RUNS + 1,)).fetchall()
            if len(rows) > MOST_RUNS:
                raise FileError(path_text(path), None, f"more than {MOST_RUNS:,} runs")
            parameters = _values(path, connection, PARAMETERS)
            tags = _values(path, connection, TAGS)
    except sqlite3.Error as error:
        raise FileError(path_text(path), None, f"can't be read as MLflow's: {error}") from None
    return [_run(path, row, parameters, tags) for row in rows]


def _connect(path: str) -> sqlite3.Connection:
    """A connection that can't write, and runs no function that the database itself names."""
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode(errors="replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000")
    return {str(name) for (name,) in rows}


def _values(path: str, connection: sqlite3.Connection, query: str) -> Values:
    values: Values = defaultdict(dict)
    rows: Iterator[tuple[object, object, object]] = connection.execute(
        query, (LONGEST + 1, MOST_VALUES + 1)
    )
    for number, (run, key, value) in enumerate(rows):
        if number == MOST_VALUES:
            raise FileError(path_text(path), None, f"more than {MOST_VALUES:,} parameters or tags")
        if value is not None:
            values[str(run)][str(key)] = str(value)
    return values


def _run(path: str, row: tuple[object, ...], parameters: Values, tags: Values) -> MLflowRun:
    number, name, user, start, end, artifacts, experiment, experiment_name = row
    own = tags.get(str(number), {})
    return MLflowRun(
        path_text(path),
        str(number),
        own.get("mlflow.runName") or str(name or number),
        str(experiment_name),
        str(user) if user else None,
        start if isinstance(start, int) else None,
        end if isinstance(end, int) else None,
        parameters.get(str(number), {}),
        own,
        _artifacts(path, str(artifacts or ""), str(experiment), str(number)),
    )


def _artifacts(path: str, uri: str, experiment: str, run: str) -> str | None:
    """The folder of a run's artifacts, if it is within the folder of the database."""
    folder = os.path.dirname(os.path.abspath(path))
    candidates = [os.path.join(folder, root, experiment, run, "artifacts") for root in ROOTS]
    parts = urlsplit(uri)
    if parts.scheme in ("", "file") and not parts.netloc:
        candidates.insert(0, os.path.join(folder, unquote(parts.path)))
    root = os.path.realpath(folder)
    for candidate in candidates:
        inside = os.path.realpath(candidate)
        if inside.startswith(root + os.sep) and os.path.isdir(inside):
            return candidate
    return None
