"""The runs of an ingest, and reading them before the modules of the store are loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from evalstore.cli.commands.ingest_report import say_what_is_read

if TYPE_CHECKING:
    from evalstore.formats import Qrels, ReadOptions
    from evalstore.formats.read_ahead import ReadAhead
    from evalstore.formats.run_sources import RunSource
    from evalstore.ingest.begun_runs import BegunRuns
    from evalstore.ingest.known_files import KnownFiles

REQUEST = (
    *("collection", "name", "keep_top", "compat", "measures"),
    *("allow_disjoint", "ignore_identical_ids"),
)
"""The options that say how runs are read and evaluated."""


@dataclass(frozen=True)
class BegunReading:
    """Many runs that processes read, or one that a thread reads; None where they do not."""

    runs: BegunRuns | None = None
    ahead: ReadAhead | None = None

    @property
    def qrels(self) -> Qrels | None:
        """The judgments, where they are read."""
        return None if self.runs is None else self.runs.qrels


NOTHING = BegunReading()


def begin_reading(paths: Sequence[str], options: ReadOptions, jobs: int) -> BegunReading:
    """Begin to read the files; the processes end with the command, however it ends."""
    # Each of these loads more than the one before, and the processes are to start soon.
    from evalstore.evaluation.parallel import start_processes

    context = click.get_current_context()
    given = context.params
    inside = [entry.path for path in paths if os.path.isdir(path) for entry in _entries(path)]
    preload = "evalstore.evaluation.prepare"
    processes = start_processes([*paths, *inside], jobs=jobs, preload=preload)
    runs = None
    if processes is not None:
        context.call_on_close(processes.close)
        # A folder of BEIR has judgments of its own.
        if given["beir"] is None and (given["recheck"] or _is_new(given["db"])):
            from evalstore.ingest.begun_runs import begin_runs

            asked = {name: given[name] for name in REQUEST}
            runs = begin_runs(paths, given["qrels"], options, processes, jobs=jobs, **asked)
    if runs is not None:
        context.call_on_close(runs.close)
    from evalstore.formats.read_ahead import read_ahead

    return BegunReading(runs, read_ahead(paths, options))


def _is_new(db: str) -> bool:
    """Whether a store is a file that is not there; told without the library of databases."""
    path = db.removeprefix("sqlite:///")
    return "://" not in path and not os.path.exists(path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:  # reading the folder tells why
        return []


def find_sources(
    paths: Sequence[str], options: ReadOptions, known: KnownFiles | None, begun: BegunReading
) -> list[RunSource]:
    """The runs of every path; what folders and files of several runs are read as is printed."""
    from evalstore.ingest import given_sources

    sources: list[RunSource] = []
    for at, path in enumerate(paths):
        if begun.runs is None:
            given = given_sources.find_sources(path, options, known)
        else:
            given = begun.runs.found[at]
        say_what_is_read(path, given)
        sources += given.runs
    ahead = begun.ahead
    if ahead is not None and [source.path for source in sources] == [ahead.path]:
        return [replace(sources[0], ahead=ahead)]
    return sources  # a database of runs names other files
