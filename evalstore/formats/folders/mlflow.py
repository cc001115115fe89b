"""Runs logged in MLflow whose artifacts hold run files, with parameters, tags and times.

MLflow's store is in files or in a database. Neither MLflow nor a model is loaded, and artifacts are
read from within the folder alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.parameters import (
    LONGEST,
    LONGEST_NAME,
    Parameter,
    check_name,
    read_parameters,
    typed,
)
from evalstore.formats.folders.plain import list_folder, look_of, names_text, walk_files
from evalstore.formats.reading.lines import run_name
from evalstore.formats.reading.source import (
    ReadOptions,
    beginning,
    path_text,
    printable,
    quoted,
    reason,
    refuse,
)
from evalstore.formats.registry import FolderFormat
from evalstore.formats.sources import RunSource, RunSources, file_sources

# MLflow's store in a SQLite database: `mlflow.db`, its artifacts in folders beside it. The paths of
# artifacts in it count only within its own folder: they are looked for there as well, because
# stores are moved.

NAME = "mlflow.db"
MAGIC = b"SQLite format 3\0"
TABLES = {"experiments", "runs", "params", "tags"}
ROOTS = ("mlruns", "mlartifacts")
"""The folders beside the database in which MLflow and its server put artifacts."""
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
    """The database of MLflow that a path is, or that is in a folder; else None."""
    file = os.path.join(path, NAME) if os.path.isdir(path) else path
    if os.path.islink(file) and file != path:
        return None
    try:
        with open(file if os.path.isfile(file) else os.devnull, "rb") as content:
            if content.read(len(MAGIC)) != MAGIC:
                return None
        with closing(_connect(file)) as connection:
            tables = "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1000"
            return file if {name for (name,) in connection.execute(tables)} >= TABLES else None
    except (OSError, ValueError, sqlite3.Error):
        return None


def runs_of_database(path: str) -> list[MLflowRun]:
    """The runs in a database, by experiment and start; deleted ones are left out."""
    try:
        with closing(_connect(path)) as connection:
            rows = connection.execute(RUNS, (MOST_RUNS + 1,)).fetchall()
            if len(rows) > MOST_RUNS:
                refuse(path, None, f"more than {MOST_RUNS:,} runs")
            parameters = _values_of_database(path, connection, PARAMETERS)
            tags = _values_of_database(path, connection, TAGS)
    except sqlite3.Error as error:
        refuse(path, None, f"can't be read as MLflow's: {error}")
    return [_run_of_database(path, row, parameters, tags) for row in rows]


def _connect(path: str) -> sqlite3.Connection:
    """A connection that can't write, and runs no function that the database itself names."""
    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode(errors="replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _values_of_database(path: str, connection: sqlite3.Connection, query: str) -> Values:
    values: Values = defaultdict(dict)
    rows: Iterator[tuple[object, object, object]] = connection.execute(
        query, (LONGEST + 1, MOST_VALUES + 1)
    )
    for number, (run, key, value) in enumerate(rows):
        if number == MOST_VALUES:
            refuse(path, None, f"more than {MOST_VALUES:,} parameters or tags")
        if value is not None:
            values[str(run)][str(key)] = str(value)
    return values


def _run_of_database(
    path: str, row: tuple[object, ...], parameters: Values, tags: Values
) -> MLflowRun:
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
    """The folder of a run's artifacts, if it is within that of the database."""
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


# MLflow's store in files: `<experiment>/<run>/`, each with `meta.yaml`. A run is a folder with
# `params/` and `tags/`, a file for each value (a name with `/` is a path), and `artifacts/`.
# Deleted experiments and runs are left out.

META = "meta.yaml"
STORE = "mlruns"
Meta = dict[str, Parameter]


def is_store(path: str) -> bool:
    """Whether a folder is a store in files, an experiment or a run of it, or holds `mlruns`."""
    if not os.path.isdir(path):
        return False
    listing = list_folder(path)
    if _has_meta(path):
        return True
    if STORE in listing.folders and is_store(listing.file(STORE)):
        return True
    return any(_has_meta(listing.file(name)) for name in listing.folders)


def runs_of_files(path: str) -> Iterator[MLflowRun]:
    """Yield the runs of a store, of an experiment, or the one run."""
    listing = list_folder(path)
    if _has_meta(path):
        meta = _meta(path)
        if _kind(meta) == "run":
            parent = os.path.dirname(os.path.abspath(path))
            yield from _run_of_files(path, meta, _meta(parent) if _has_meta(parent) else {})
        else:
            yield from _runs_of_experiment(path, meta)
        return
    if STORE in listing.folders:
        yield from runs_of_files(listing.file(STORE))
        return
    for name in listing.folders:
        folder = listing.file(name)
        if _has_meta(folder):
            meta = _meta(folder)
            if _kind(meta) == "experiment":
                yield from _runs_of_experiment(folder, meta)


def _runs_of_experiment(path: str, meta: Meta) -> Iterator[MLflowRun]:
    if meta.get("lifecycle_stage") == "deleted":
        return
    listing = list_folder(path)
    for name in listing.folders:
        folder = listing.file(name)
        if _has_meta(folder):
            yield from _run_of_files(folder, _meta(folder), meta)


def _run_of_files(path: str, meta: Meta, experiment: Meta) -> Iterator[MLflowRun]:
    if _kind(meta) != "run" or meta.get("lifecycle_stage") == "deleted":
        return
    tags = _values_of_files(path, "tags")
    number = str(meta.get("run_id") or meta.get("run_uuid"))
    name = tags.get("mlflow.runName") or str(meta.get("run_name") or number)
    artifacts = os.path.join(path, "artifacts")
    yield MLflowRun(
        path_text(path),
        number,
        name,
        str(experiment["name"]) if "name" in experiment else None,
        str(meta["user_id"]) if meta.get("user_id") else None,
        _milliseconds(meta, "start_time"),
        _milliseconds(meta, "end_time"),
        _values_of_files(path, "params"),
        tags,
        artifacts if os.path.isdir(artifacts) and not os.path.islink(artifacts) else None,
    )


def _kind(meta: Meta) -> str:
    """The kind of a `meta.yaml`: `experiment`, `run`, or neither (empty)."""
    if "run_id" in meta or "run_uuid" in meta:
        return "run"
    return "experiment" if "experiment_id" in meta and "artifact_location" in meta else ""


def _has_meta(folder: str) -> bool:
    path = os.path.join(folder, META)
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    return "experiment_id:" in beginning(path, ReadOptions())


def _meta(folder: str) -> Meta:
    return read_parameters(os.path.join(folder, META))


def _milliseconds(meta: Meta, name: str) -> int | None:
    value = meta.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _values_of_files(path: str, kind: str) -> dict[str, str]:
    folder = os.path.join(path, kind)
    if not os.path.isdir(folder) or os.path.islink(folder):
        return {}
    return {
        os.path.relpath(file, folder).replace(os.sep, "/"): _text(file)
        for file in walk_files(folder)
    }


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(4 * LONGEST + 1)
        text = data.decode()
    except OSError as error:
        refuse(path, None, reason(error))
    except UnicodeDecodeError:
        refuse(path, None, "not UTF-8, or too long for a value")
    if len(text) > LONGEST:
        refuse(path, None, f"a value of more than {LONGEST:,} characters")
    return text


@dataclass(frozen=True)
class MLflowRun:
    """A run of MLflow, from files or a database.

    Attributes:
        where: the folder of the run, or the database, in messages.
        name: the id if it has none.
        start, end: milliseconds since 1970.
        parameters, tags: texts by name.
        artifacts: the folder of its artifacts; None if it is not within the store.
    """

    where: str
    id: str
    name: str
    experiment: str | None
    user: str | None
    start: int | None
    end: int | None
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    artifacts: str | None

    @property
    def label(self) -> str:
        """The run in messages."""
        return f"{printable(self.name)} ({printable(self.id[:8])})"


MOST_ARTIFACTS = 1_000
"""Files to look at among the artifacts of a run."""
SYSTEM = "mlflow."
"""The beginning of the names of the tags that MLflow sets by itself."""
DEFAULT_EXPERIMENT = "Default"
PYTHON_BOOLEANS = {"True": True, "False": False}
"""MLflow stores the text of a Python value."""


def recognise(path: str) -> bool:
    """Whether it is a store of MLflow, of either kind, or one experiment or run of it."""
    return find_database(path) is not None or is_store(path)


def read(path: str, options: ReadOptions) -> RunSources:
    """The runs of a store that have a run file among their artifacts.

    A run with several run files is several runs: `NAME_FILE`. If several runs of the store have the
    same name, the beginning of their id in MLflow is added.
    """
    database = find_database(path)
    if database is not None and is_store(path):
        what = f"a database of MLflow and files of MLflow: give {path_text(database)} or the other"
        refuse(path, None, what)
    logged = runs_of_database(database) if database else runs_of_files(path)
    in_time = sorted(logged, key=lambda run: (run.experiment or "", run.start or 0, run.id))
    files = [(run, *_run_files(run, options)) for run in in_time]
    names = Counter(run.name for run, run_files, _ in files if run_files)
    runs = [
        source
        for run, run_files, unclear in files
        if run_files
        for source in _sources(run, run_files, unclear, options, is_unique=names[run.name] == 1)
    ]
    return RunSources(tuple(runs), tuple(_warnings(path, files)))


Files = tuple[MLflowRun, list[str], list[str]]
"""A run of MLflow, its artifacts that are run files, and those that may be."""


def _run_files(run: MLflowRun, options: ReadOptions) -> tuple[list[str], list[str]]:
    run_files: list[str] = []
    unclear: list[str] = []
    if run.artifacts is None:
        return run_files, unclear
    for file in walk_files(run.artifacts, most=MOST_ARTIFACTS):
        look = look_of(file, options)
        if look != "no run":
            (run_files if look == "run" else unclear).append(file)
    return run_files, unclear


def _warnings(path: str, files: Sequence[Files]) -> Iterator[str]:
    where = path_text(path)
    without = [run.label for run, run_files, _ in files if not run_files]
    if without:
        yield f"{where}: no run file among the artifacts, left out: {names_text(without)}"
    only_unclear = [file for _, run_files, unclear in files if not run_files for file in unclear]
    if only_unclear:
        names = names_text([os.path.relpath(file, path) for file in only_unclear])
        yield f"{where}: these may be runs or judgments, and are left out: {names}"


def _sources(
    run: MLflowRun,
    files: Sequence[str],
    unclear: Sequence[str],
    options: ReadOptions,
    *,
    is_unique: bool,
) -> Iterator[RunSource]:
    stem = run.name if is_unique else f"{run.name}_{run.id[:8]}"
    warnings = [f"{path_text(file)}: may be a run or judgments, left out" for file in unclear]
    try:
        facts = _facts(run, warnings)
    except DataError as error:
        yield RunSource(files[0], error=FileError(run.where, None, f"run {run.label}: {error}"))
        return
    experiment = None if run.experiment == DEFAULT_EXPERIMENT else run.experiment
    sources = [source for file in files for source in file_sources(file, options)]
    for source in sources:
        name = stem if len(sources) == 1 else f"{stem}_{source.name or run_name(source.path)}"
        yield RunSource(
            source.path,
            source.part,
            name=name,
            experiment=experiment or None,
            facts=facts,
            warnings=tuple(warnings),
        )
        warnings = []


def _facts(run: MLflowRun, warnings: list[str]) -> Mapping[str, Any]:
    """The facts of a run; tags that can't be kept are warned about."""
    tags = [f"{name}={value}" for name, value in run.tags.items() if not name.startswith(SYSTEM)]
    kept = [tag for tag in tags if tag.isprintable() and len(tag) <= LONGEST_NAME]
    if len(kept) < len(tags):
        what = f"run {run.label}: tags of several lines or over {LONGEST_NAME} characters"
        warnings.append(f"{path_text(run.where)}: {what} are left out")
    parameters = {
        check_name(name): PYTHON_BOOLEANS[text] if text in PYTHON_BOOLEANS else typed(text)
        for name, text in run.parameters.items()
    }
    facts = {
        "parameters": parameters,
        "tags": tuple(kept),
        "commit": run.tags.get("mlflow.source.git.commit"),
        "started_by": run.tags.get("mlflow.user") or run.user,
        "note": run.tags.get("mlflow.note.content"),
        "started_at": _time(run.start),
        "ended_at": _time(run.end),
    }
    return {name: value for name, value in facts.items() if value}


def _time(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        raise DataError(f"{quoted(str(milliseconds))} is no time in milliseconds") from None


MLFLOW_STORE = FolderFormat(
    name="mlflow",
    title="store of MLflow: mlruns/, mlflow.db, or one experiment or run; also the file mlflow.db",
    example="mlruns/1/<run>/meta.yaml\nmlruns/1/<run>/params/k1\nmlruns/1/<run>/artifacts/bm25.run\n",
    recognise=recognise,
    read=read,
)
