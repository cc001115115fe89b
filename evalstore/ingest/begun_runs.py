"""Runs that are read and evaluated while the modules of the store are loaded and it is opened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evalstore.errors import EvalstoreError
from evalstore.evaluation.parallel import Begun, pays
from evalstore.evaluation.prepare import Prepared, Request, prepare
from evalstore.evaluation.processes import Forked
from evalstore.formats import Qrels, ReadOptions, read_qrels
from evalstore.formats.any_format import needs_query_ids
from evalstore.formats.registry import is_by_text
from evalstore.formats.sources import RunSource, RunSources
from evalstore.ingest.known_files import find_sources
from evalstore.ingest.stored_measures import STANDARD, storable
from evalstore.measures import parse_list

AHEAD = 24 << 20
"""Bytes of files that are processed before the store is open, and then ahead of what is stored."""


@dataclass(frozen=True)
class BegunRuns:
    """What processes read, and how.

    Attributes:
        found: the runs of each path that was given.
        qrels: the judgments that the runs are evaluated with.
    """

    found: tuple[RunSources, ...]
    qrels: Qrels
    _sources: tuple[RunSource, ...]
    _request: Request
    _begun: Begun[RunSource, Prepared]

    def results(
        self, sources: Sequence[RunSource], qrels: Qrels, request: Request
    ) -> Begun[RunSource, Prepared] | None:
        """The results, if these runs are wanted, read so; else they are not wanted any more."""
        same = self._sources == tuple(sources) and self._request == request.of_reading()
        if same and self.qrels is qrels:
            return self._begun
        self.close()
        return None

    def close(self) -> None:
        """End the processes."""
        self._begun.close()


def begin_runs(
    paths: Sequence[str],
    qrels: str | None,
    options: ReadOptions,
    processes: Forked,
    *,
    jobs: int,
    measures: str | None,
    **asked: Any,
) -> BegunRuns | None:
    """Begin to read and evaluate runs for a store that is not open yet, as a new one asks for it.

    Args:
        paths: as given to the ingest.
        qrels: the file of the judgments.
        options: how all files are read.
        processes: those that do it.
        jobs: how many processes.
        measures: a set of measures, or names of them; None for those of a new collection.
        asked: more of the `Request`.

    Returns:
        What was begun. None where the store may decide how files are read, where it is not faster,
        and where something is wrong: that is told in its turn.
    """
    if qrels is None or not all(map(os.path.isfile, [qrels, *_files(paths)])):
        return None  # what can be read once is not read here, nor what is far away
    try:
        found = tuple(find_sources(path, options) for path in paths)
        sources = tuple(source for one in found for source in one.runs)
        if not pays(sources, jobs) or not all(_is_told(source) for source in sources):
            return None
        if needs_query_ids(qrels, options, "qrels"):
            return None
        judgments = read_qrels(qrels, options).sorted_once()
        wanted = storable(parse_list(measures or STANDARD).values())
        request = Request(options=replace(options, threads=1), measures=wanted, **asked)
        largest = max(os.path.getsize(source.path) for source in sources)
    except (EvalstoreError, OSError):
        return None
    work = partial(prepare, qrels=judgments, request=request)
    ahead = AHEAD // max(largest, 1)
    begun = Begun(work, sources, min(jobs, len(sources)), prepare.__module__, processes, ahead)
    return BegunRuns(found, judgments, sources, request, begun)


def _files(paths: Sequence[str]) -> list[str]:
    """The paths without those of folders, whose files are found later."""
    return [path for path in paths if not os.path.isdir(path)]


def _is_told(source: RunSource) -> bool:
    """Whether all is known that reading a file needs."""
    return source.error is None and bool(source.format) and not is_by_text(source.format)
