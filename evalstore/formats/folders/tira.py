"""A folder of TIRA: `run.txt` and `ir-metadata.yml`; or a folder of such folders."""

from __future__ import annotations

import os

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.ir_metadata import read_metadata
from evalstore.formats.folder_formats import FolderFormat
from evalstore.formats.folders.listing import Listing, list_folder, names_text
from evalstore.formats.run_sources import RunSource, RunSources
from evalstore.formats.source import ReadOptions, path_text

METADATA = ("ir-metadata.yml", "ir-metadata.yaml")
RUNS = ("run.txt", "run.txt.gz")


def recognise(path: str) -> bool:
    """Whether a folder, or one in it, has a file of metadata."""
    if not os.path.isdir(path):
        return False
    listing = list_folder(path)
    return _has_metadata(listing) or any(
        os.path.isfile(os.path.join(listing.file(name), file))
        for name in listing.folders
        for file in METADATA
    )


def read(path: str, options: ReadOptions) -> RunSources:
    """The runs of a folder, named after the folders that hold them.

    A folder with metadata and without a run is a run with that error; other folders and files are
    left out with a warning.

    Raises:
        FileError: the folder can't be read.
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
    runs = [file for file in RUNS if file in listing.files]
    metadata = next(listing.file(file) for file in METADATA if file in listing.files)
    try:
        if len(runs) != 1:
            what = f"one of {' and '.join(RUNS)} is expected, and there are {len(runs)}"
            raise FileError(path_text(listing.path), None, what)
        facts, warnings = read_metadata(metadata, options)
    except DataError as error:
        return RunSource(listing.path, name=name, error=error)
    return RunSource(listing.file(runs[0]), name=name, facts=facts, warnings=warnings)


TIRA_FOLDER = FolderFormat(
    name="tira-folder",
    title="folder of TIRA, a run with its ir_metadata; or a folder of such folders",
    example="bm25/run.txt\nbm25/ir-metadata.yml\ndense/run.txt.gz\ndense/ir-metadata.yml\n",
    recognise=recognise,
    read=read,
)
