"""A folder that PyTerrier's `Experiment(save_dir=...)` wrote: `<name>.res.gz` for each system."""

from __future__ import annotations

import os

from evalstore.formats.file_names import run_name
from evalstore.formats.folder_formats import FolderFormat
from evalstore.formats.folders.listing import Listing, list_folder, names_text
from evalstore.formats.run_sources import RunSource, RunSources
from evalstore.formats.source import ReadOptions, path_text

RUNS = (".res.gz", ".res")
PICKLE = ".mod"
VALUES = ("aggregated.csv", "perquery.csv")
"""The values that PyTerrier computed; evalstore computes its own."""


def recognise(path: str) -> bool:
    """Whether there are results, and PyTerrier's tables of values, or nothing but results."""
    if not os.path.isdir(path):
        return False
    files = list_folder(path).files
    results = [name for name in files if name.endswith((*RUNS, PICKLE))]
    packed = any(name.endswith((".res.gz", PICKLE)) for name in results)
    return packed and (any(name in files for name in VALUES) or len(results) == len(files))


def read(path: str, options: ReadOptions) -> RunSources:
    """The runs in a folder of PyTerrier; each engine is named after its file.

    PyTerrier gives all its runs the tag `pyterrier`, so that the file alone names the system.

    Raises:
        FileError: the folder can't be read.
    """
    listing = list_folder(path)
    runs = [
        RunSource(listing.file(name), name=run_name(name), engine=run_name(name))
        for name in listing.files
        if name.endswith(RUNS)
    ]
    return RunSources(tuple(runs), (*listing.warnings(), *_left_out(listing)))


def _left_out(listing: Listing) -> list[str]:
    pickles = [name for name in listing.files if name.endswith(PICKLE)]
    others = [
        name for name in listing.files if not name.endswith((*RUNS, PICKLE)) and name not in VALUES
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
    recognise=recognise,
    read=read,
)
