"""Folders that PyTerrier's `Experiment(save_dir=...)` wrote, and folders of TIRA."""

from __future__ import annotations

import os

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.ir_metadata import read_metadata
from evalstore.formats.folders.plain import Listing, list_folder, names_text
from evalstore.formats.reading.lines import run_name
from evalstore.formats.reading.source import ReadOptions, path_text
from evalstore.formats.registry import FolderFormat
from evalstore.formats.sources import RunSource, RunSources

PYTERRIER_RUNS = (".res.gz", ".res")
PICKLE = ".mod"
VALUES = ("aggregated.csv", "perquery.csv")
"""The values that PyTerrier computed; evalstore computes its own."""


def recognise_pyterrier(path: str) -> bool:
    """Whether there are results, and PyTerrier's tables of values, or nothing but results."""
    if not os.path.isdir(path):
        return False
    files = list_folder(path).files
    results = [name for name in files if name.endswith((*PYTERRIER_RUNS, PICKLE))]
    packed = any(name.endswith((".res.gz", PICKLE)) for name in results)
    return packed and (any(name in files for name in VALUES) or len(results) == len(files))


def read_pyterrier(path: str, options: ReadOptions) -> RunSources:
    """The runs in a folder of PyTerrier, whose engines are named after the files.

    PyTerrier gives all its runs the tag `pyterrier`, so that the file alone names the system.
    """
    listing = list_folder(path)
    runs = [
        RunSource(listing.file(name), name=run_name(name), engine=run_name(name))
        for name in listing.files
        if name.endswith(PYTERRIER_RUNS)
    ]
    return RunSources(tuple(runs), (*listing.warnings(), *_left_out(listing)))


def _left_out(listing: Listing) -> list[str]:
    pickles = [name for name in listing.files if name.endswith(PICKLE)]
    others = [
        name
        for name in listing.files
        if not name.endswith((*PYTERRIER_RUNS, PICKLE)) and name not in VALUES
    ]
    warnings = []
    if pickles:
        what = (
            "pickles are not opened, because a pickle can run any program: save the runs as .res.gz"
        )
        warnings.append(f"{path_text(listing.path)}: left out: {names_text(pickles)} ({what})")
    if others:
        warnings.append(f"{path_text(listing.path)}: no runs, left out: {names_text(others)}")
    return warnings


PYTERRIER_FOLDER = FolderFormat(
    name="pyterrier-folder",
    title="folder that PyTerrier's Experiment(save_dir=...) wrote",
    example="bm25.res.gz\ndph.res.gz\naggregated.csv\nperquery.csv\n",
    recognise=recognise_pyterrier,
    read=read_pyterrier,
)


# A folder of TIRA: `run.txt` and `ir-metadata.yml`; or a folder of such folders

METADATA = ("ir-metadata.yml", "ir-metadata.yaml")
TIRA_RUNS = ("run.txt", "run.txt.gz")


def recognise_tira(path: str) -> bool:
    """Whether a folder, or one in it, has a file of metadata."""
    if not os.path.isdir(path):
        return False
    listing = list_folder(path)
    return _has_metadata(listing) or any(
        os.path.isfile(os.path.join(listing.file(name), file))
        for name in listing.folders
        for file in METADATA
    )


def read_tira(path: str, options: ReadOptions) -> RunSources:
    """The runs of a folder, named after the folders that hold them.

    A folder with metadata and without a run is a run with that error; other folders and files are
    left out with a warning.
    """
    listing = list_folder(path)
    if _has_metadata(listing):
        return RunSources((_source(listing, options),), listing.warnings())
    runs, others = [], list(listing.files)
    for name in listing.folders:
        within = list_folder(listing.file(name), path)
        if _has_metadata(within):
            runs.append(_source(within, options))
        else:
            others.append(f"{name}/")
    warnings = listing.warnings()
    if others:
        what = f"without {METADATA[0]}, left out: {names_text(others)}"
        warnings = (*warnings, f"{path_text(path)}: {what}")
    return RunSources(tuple(runs), warnings)


def _has_metadata(listing: Listing) -> bool:
    return any(name in listing.files for name in METADATA)


def _source(listing: Listing, options: ReadOptions) -> RunSource:
    """The run of a folder, with the facts of its metadata."""
    name = os.path.basename(os.path.abspath(listing.path))
    runs = [file for file in TIRA_RUNS if file in listing.files]
    metadata = next(listing.file(file) for file in METADATA if file in listing.files)
    try:
        if len(runs) != 1:
            what = f"one of {' and '.join(TIRA_RUNS)} is expected, and there are {len(runs)}"
            raise FileError(path_text(listing.path), None, what)
        facts, warnings = read_metadata(metadata, options)
    except DataError as error:
        return RunSource(listing.path, name=name, error=error)
    return RunSource(listing.file(runs[0]), name=name, facts=facts, warnings=warnings)


TIRA_FOLDER = FolderFormat(
    name="tira-folder",
    title="folder of TIRA, a run with its ir_metadata; or a folder of such folders",
    example="bm25/run.txt\nbm25/ir-metadata.yml\ndense/run.txt.gz\ndense/ir-metadata.yml\n",
    recognise=recognise_tira,
    read=read_tira,
)
