"""Runs logged in MLflow: those whose artifacts hold run files, with parameters, tags and times.

MLflow keeps them in files (`mlflow_files`) or in a database (`mlflow_database`). Neither MLflow nor
a model is loaded, and artifacts are read from within the folder alone.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.parameters import LONGEST_NAME, Parameter, check_name, typed
from evalstore.formats.file_names import run_name
from evalstore.formats.folder_formats import FolderFormat
from evalstore.formats.folders import mlflow_database, mlflow_files
from evalstore.formats.folders.listing import names_text, walk_files
from evalstore.formats.folders.mlflow_run import MLflowRun
from evalstore.formats.folders.run_files import look_of
from evalstore.formats.run_sources import RunSource, RunSources, file_sources
from evalstore.formats.source import ReadOptions, path_text, quoted

MOST_ARTIFACTS = 1_000
"""Files that are looked at among the artifacts of a run."""
SYSTEM = "mlflow."
"""What the names of the tags that MLflow sets by itself begin with."""
DEFAULT_EXPERIMENT = "Default"
PYTHON_BOOLEANS = {"True": True, "False": False}
"""MLflow stores the text of a Python value."""


def recognise(path: str) -> bool:
    """Whether it is a store of MLflow, of either kind, or one experiment or run of it."""
    return mlflow_database.find_database(path) is not None or mlflow_files.is_store(path)


def read(path: str, options: ReadOptions) -> RunSources:
    """The runs of a store that have a run file among their artifacts.

    A run with several run files is several runs: `NAME_FILE`. Where several runs of the store have
    the same name, the beginning of their id in MLflow is added.

    Raises:
        FileError: what can't be read, or both kinds of store in one folder.
    """
    database = mlflow_database.find_database(path)
    if database is not None and mlflow_files.is_store(path):
        what = f"a database of MLflow and files of MLflow: give {path_text(database)} or the other"
        raise FileError(path_text(path), None, what)
    logged = mlflow_database.runs(database) if database else mlflow_files.runs(path)
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
    """The runs of the run files of one run of MLflow."""
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
    """The facts of a run; tags that can't be kept are warned about.

    Raises:
        DataError: a parameter that can't be one.
    """
    tags = [f"{name}={value}" for name, value in run.tags.items() if not name.startswith(SYSTEM)]
    kept = [tag for tag in tags if tag.isprintable() and len(tag) <= LONGEST_NAME]
    if len(kept) < len(tags):
        what = f"run {run.label}: tags of several lines or over {LONGEST_NAME} characters"
        warnings.append(f"{path_text(run.where)}: {what} are left out")
    facts = {
        "parameters": {check_name(name): _typed(text) for name, text in run.parameters.items()},
        "tags": tuple(kept),
        "commit": run.tags.get("mlflow.source.git.commit"),
        "started_by": run.tags.get("mlflow.user") or run.user,
        "note": run.tags.get("mlflow.note.content"),
        "started_at": _time(run.start),
        "ended_at": _time(run.end),
    }
    return {name: value for name, value in facts.items() if value}


def _typed(text: str) -> Parameter:
    return PYTHON_BOOLEANS[text] if text in PYTHON_BOOLEANS else typed(text)


def _time(milliseconds: int | None) -> datetime | None:
    """A time of MLflow; None where there is none.

    Raises:
        DataError: out of the range of times.
    """
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
