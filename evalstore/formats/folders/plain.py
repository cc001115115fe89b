"""A folder of run files: each is a run of its own."""

from __future__ import annotations

import os
from collections.abc import Sequence

from evalstore.formats.folder_formats import FolderFormat
from evalstore.formats.folders.listing import Listing, list_folder, names_text
from evalstore.formats.folders.run_files import sources_of
from evalstore.formats.run_sources import RunSource, RunSources
from evalstore.formats.source import ReadOptions, path_text


def read(path: str, options: ReadOptions) -> RunSources:
    """The runs of the files in a folder, by their names; folders in it are not read.

    Warnings name the files that are no runs, and the folders.

    Raises:
        FileError: the folder can't be read.
    """
    listing = list_folder(path)
    return runs_of_files(listing, listing.files, options)


def runs_of_files(listing: Listing, files: Sequence[str], options: ReadOptions) -> RunSources:
    """The runs of some files of a folder."""
    runs: list[RunSource] = []
    others: list[str] = []
    for name in files:
        sources = sources_of(listing.file(name), options)
        runs.extend(sources)
        if not sources:
            others.append(name)
    warnings = [*listing.warnings()]
    if others:
        warnings.append(f"{path_text(listing.path)}: no runs, left out: {names_text(others)}")
    if listing.folders:
        folders = names_text(listing.folders)
        warnings.append(f"{path_text(listing.path)}: folders within it are not read: {folders}")
    return RunSources(tuple(runs), tuple(warnings))


PLAIN_FOLDER = FolderFormat(
    name="run-folder",
    title="folder of run files",
    example="bm25.run\ndense.json\n",
    recognise=os.path.isdir,
    read=read,
)
