"""Local run files compared with runs of a server: a gate before a run is stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from evalstore.catalog.names import free_name
from evalstore.client.any_store import AnyStore
from evalstore.comparison.loading import LoadedRuns, Rankings, RunsToCompare, evaluate_given_runs
from evalstore.errors import DataError, NotFound
from evalstore.formats import read_run
from evalstore.formats.reading.lines import run_name
from evalstore.measures import Measure
from evalstore.measures.judged import CompatMode


class WithLocalRuns:
    """A source of runs: some may be local files, the others are stored behind `reader`.

    A name means a file if there is a local one and no stored run of that name. Files are evaluated
    locally, with the store's judgments and the rules of the stored runs.
    """

    def __init__(
        self, reader: AnyStore, runs: Iterable[str], warn: Callable[[str], None] = lambda _: None
    ) -> None:
        """Set the source up; `warn` is called with each oddity of a file."""
        self._reader = reader
        self._warn = warn
        self._files = frozenset(filter(os.path.isfile, runs))

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare; a single file is compared with the baseline of the collection."""
        named = [*runs, *([] if baseline is None else [baseline])]
        if not self._not_stored(named, collection):
            return self._reader.runs_to_compare(runs, baseline, collection)
        if baseline is not None:
            return RunsToCompare((baseline, *runs), 0, collection)
        if len(runs) > 1:
            return RunsToCompare(tuple(runs), None, collection)
        if collection is None:
            raise DataError(
                f"{runs[0]}: a file is in no collection with a baseline", problem="which collection"
            )
        stored = self._reader.baseline(collection)
        if stored is None:
            raise NotFound(f"collection {collection!r} has no baseline", problem="no baseline")
        note = f"compared with {stored}, the baseline of collection {collection!r}"
        return RunsToCompare((stored, *runs), 0, collection, note)

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values; files are evaluated here. DataError without a collection."""
        files = self._not_stored(runs, collection)
        stored = [run for run in runs if run not in files]
        if not files:
            return self._reader.load_runs(runs, measures, collection=collection, qrels=qrels)
        loaded = LoadedRuns(())
        compat: CompatMode = "exact"
        if stored:
            loaded = self._reader.load_runs(stored, measures, collection=collection, qrels=qrels)
            if loaded.obstacle is not None:
                return loaded
            first = loaded.runs[0]
            collection, qrels = first.collection, first.qrels
            compat = first.compat  # type: ignore[assignment]  # a text that `evaluate` gave
        if collection is None:
            raise DataError(
                f"{runs[0]}: whose judgments are meant, of which collection?",
                problem="which collection",
            )
        given = self._evaluate(files, measures, collection, qrels, compat)
        parts = [loaded, given] if stored else [given]
        values = dict(zip([*stored, *files], [*loaded.runs, *given.runs], strict=True))
        names: list[str] = []
        ordered = []
        for run in runs:
            names.append(free_name(values[run].name, names))
            ordered.append(replace(values[run], name=names[-1]))

        def rankings(depth: int | None) -> Rankings:
            read = [part.rankings(depth) for part in parts if part.rankings is not None]
            every = [run for part in read for run in part.runs]
            of_run = dict(zip([*stored, *files], every, strict=True))
            return Rankings(tuple(of_run[run] for run in runs), read[-1].qrels)

        return replace(loaded, runs=tuple(ordered), rankings=rankings)

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of the collection behind the reader."""
        return self._reader.held_out(collection, qids, share)

    def _evaluate(
        self,
        files: Sequence[str],
        measures: Mapping[str, Measure],
        collection: str,
        qrels: str | None,
        compat: CompatMode,
    ) -> LoadedRuns:
        """The files under their own names, in this order."""
        judgments = self._reader.load_qrels(collection, qrels)
        read = {path: read_run(path) for path in files}
        for run in read.values():
            for warning in run.warnings:
                self._warn(warning)
        given = evaluate_given_runs(judgments, read, measures, compat=compat)
        named = (
            replace(values, name=run_name(values.name), collection=collection)
            for values in given.runs
        )
        return replace(given, runs=tuple(named))

    def _not_stored(self, runs: Sequence[str], collection: str | None) -> list[str]:
        """The runs that are local files and not stored."""
        files = [run for run in dict.fromkeys(runs) if run in self._files]
        return [file for file in files if not self._is_stored(file, collection)]

    def _is_stored(self, run: str, collection: str | None) -> bool:
        try:
            self._reader.run_facts(run, collection)
        except NotFound as error:
            return error.problem not in ("no run", "run removed")
        return True
