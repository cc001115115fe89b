"""Comparisons from names of runs to figures: the same for commands, Python, HTTP and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from evalstore.catalog.names import Condition
from evalstore.comparison.comparability import comparability, notes_on, pairs_of
from evalstore.comparison.loading import LoadedRuns, RunsToCompare, restrict
from evalstore.comparison.significance import (
    Compared,
    Settings,
    aligned,
    corrected,
    figures_by_pair,
)
from evalstore.errors import DataError
from evalstore.measures import Measure


@dataclass(frozen=True)
class ComparisonOptions(Settings):
    """Options of a comparison: its runs, judgments and queries, and the tests.

    `baseline` is the name or id of the run with which all others are compared; None means the
    collection's baseline. `no_baseline` ignores the collection's baseline, but not a named one.
    """

    baseline: str | None = None
    no_baseline: bool = False
    collection: str | None = None
    qrels: str | None = None
    where: Sequence[Condition] = ()


class RunSource(Protocol):
    """A source of runs to compare: a store, here or behind a server, or files."""

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare, with the named baseline or else the collection's."""

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values under the same judgments."""


def load(
    source: RunSource,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    options: ComparisonOptions,
) -> LoadedRuns:
    """Load the runs (names, ids or files) of a comparison; a single run comes with its baseline."""
    chosen = RunsToCompare(tuple(runs), None, options.collection)
    if options.baseline is not None and options.baseline in runs:
        chosen = replace(chosen, baseline=runs.index(options.baseline))
    elif options.baseline is not None or not options.no_baseline:
        chosen = source.runs_to_compare(runs, options.baseline, options.collection)
    loaded = source.load_runs(
        chosen.runs, measures, collection=chosen.collection, qrels=options.qrels
    )
    notes = loaded.notes if chosen.note is None else (*loaded.notes, chosen.note)
    return restrict(replace(loaded, baseline=chosen.baseline, notes=notes), options.where)


def compare_loaded(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    settings: Settings | None = None,
) -> Compared:
    """Compare loaded runs on some of their measures: check comparability, then test every pair."""
    settings = settings or Settings()
    if loaded.obstacle is not None:
        return Compared("no", (loaded.obstacle,), (), (), measures, (), settings)
    runs = loaded.runs
    if len(runs) < 2:
        raise DataError("a comparison takes two runs or more")
    if not measures:
        raise DataError("no measure is given to compare the runs on")
    chosen = pairs_of(len(runs), loaded.baseline)
    verdict = comparability(runs, measures, chosen)
    compared = Compared(
        comparable=verdict.comparable,
        reasons=verdict.reasons,
        notes=loaded.notes,
        runs=runs,
        measures=measures,
        pairs=(),
        settings=settings,
        queries=loaded.queries,
        restriction=loaded.restriction,
        baseline=loaded.baseline,
    )
    if verdict.comparable == "no":
        return compared
    qids = tuple(sorted({qid for run in runs for qid in run.qids}, key=str.encode))
    values = {name: np.column_stack([aligned(r, name, qids) for r in runs]) for name in measures}
    figures = figures_by_pair(runs, values, chosen, measures, settings)
    pairs = [figures[name, pair] for pair in chosen for name in values if (name, pair) in figures]
    notes = notes_on(runs, measures, min(pair.queries for pair in pairs))
    return replace(
        compared,
        notes=(*loaded.notes, *notes),
        pairs=tuple(corrected(pairs, settings)),
        qids=qids,
        values=values,
    )
