"""The runs that the paths given to an ingest stand for; no store is used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalstore.errors import DataError
from evalstore.formats.run_sources import RunSource, RunSources, run_sources
from evalstore.formats.source import ReadOptions

if TYPE_CHECKING:
    from evalstore.ingest.known_files import KnownFiles


def find_sources(path: str, options: ReadOptions, known: KnownFiles | None = None) -> RunSources:
    """The runs that a path stands for; where it can't be told, one run with that error.

    Nothing looks into files that are `known`.
    """
    try:
        return run_sources(
            path, replace(options, is_known=None if known is None else known.is_known)
        )
    except DataError as error:
        return RunSources((RunSource(path, error=error),))
