"""MLflow's store in files: `<experiment>/<run>/`, each with `meta.yaml`.

A run is a folder with `params/` and `tags/`, a file for each value (a name with `/` is a path), and
`artifacts/`. Deleted experiments and runs are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from evalstore.errors import FileError
from evalstore.formats.facts.parameters import LONGEST, Parameter, read_parameters
from evalstore.formats.folders.listing import list_folder, walk_files
from evalstore.formats.folders.mlflow_run import MLflowRun
from evalstore.formats.source import ReadOptions, beginning, path_text

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


def runs(path: str) -> Iterator[MLflowRun]:
    """Yield the runs of a store, of an experiment, or the one run.

    Raises:
        FileError: what can't be read, or can't be parsed, with its line.
    """
    listing = list_folder(path)
    if _has_meta(path):
        meta = _meta(path)
        if _kind(meta) == "run":
            parent = os.path.dirname(os.path.abspath(path))
            yield from _run(path, meta, _meta(parent) if _has_meta(parent) else {})
        else:
            yield from _runs_of_experiment(path, meta)
        return
    if STORE in listing.folders:
        yield from runs(listing.file(STORE))
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
            yield from _run(folder, _meta(folder), meta)


def _run(path: str, meta: Meta, experiment: Meta) -> Iterator[MLflowRun]:
    if _kind(meta) != "run" or meta.get("lifecycle_stage") == "deleted":
        return
    tags = _values(path, "tags")
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
        _values(path, "params"),
        tags,
        artifacts if os.path.isdir(artifacts) and not os.path.islink(artifacts) else None,
    )


def _kind(meta: Meta) -> str:
    """What a `meta.yaml` is of: an `experiment`, a `run`, or neither (empty)."""
    if "run_id" in meta or "run_uuid" in meta:
        return "run"
    return "experiment" if "experiment_id" in meta and "artifact_location" in meta else ""


def _has_meta(folder: str) -> bool:
    """Whether a folder has a `meta.yaml` of MLflow."""
    path = os.path.join(folder, META)
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    return "experiment_id:" in beginning(path, ReadOptions())


def _meta(folder: str) -> Meta:
    return read_parameters(os.path.join(folder, META))


def _milliseconds(meta: Meta, name: str) -> int | None:
    value = meta.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _values(path: str, kind: str) -> dict[str, str]:
    """The texts in the files of `params` or `tags`, by name.

    Raises:
        FileError: a file that can't be read, is too long, or no text.
    """
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
        raise FileError(path_text(path), None, (error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise FileError(path_text(path), None, "not UTF-8, or too long for a value") from None
    if len(text) > LONGEST:
        raise FileError(path_text(path), None, f"a value of more than {LONGEST:,} characters")
    return text
