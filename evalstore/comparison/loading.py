"""Runs with their values per query: what comparisons, gates, reports and plots are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalstore.catalog.conditions import Condition, select_queries
from evalstore.comparison.comparability import F64, RunValues
from evalstore.comparison.significance import Compared, Settings, compare_values
from evalstore.errors import DataError
from evalstore.formats.queries import Queries
from evalstore.measures import Measure


@dataclass(frozen=True)
class RunsToCompare:
    """Stored runs to compare, with what the baseline of their collection adds.

    Attributes:
        runs: names or ids.
        baseline: the number of the run that all others are compared with; None for all pairs.
        collection: the name of their collection; None where every run is looked for in all.
        note: says that they are compared with the baseline, where nobody asked for it.
    """

    runs: tuple[str, ...]
    baseline: int | None
    collection: str | None
    note: str | None = None


@dataclass(frozen=True, eq=False)
class LoadedRuns:
    """Runs under one qrels, read from files or from a store.

    Attributes:
        runs: with the values of all the measures that were asked for; empty with an obstacle.
        queries: texts and attributes, as far as they are known.
        obstacle: why the runs have no values that can be compared; None where they have.
        restriction: which of the judged queries the values are of, as a phrase (`the 12 of 35
            queries with lang=de`) that every output shows; None for all.
        notes: what has to be known to read the values, a sentence each.
        shared_qrels: with an obstacle, the names of the judgments that all the runs have values
            under, where they lack some under those that were asked for.
    """

    runs: tuple[RunValues, ...]
    queries: Queries = field(default_factory=lambda: Queries({}), repr=False)
    obstacle: str | None = None
    restriction: str | None = None
    notes: tuple[str, ...] = ()
    shared_qrels: tuple[str, ...] = ()

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the queries, as far as they are known."""
        return self.queries.texts


def with_note(loaded: LoadedRuns, note: str | None) -> LoadedRuns:
    """The same runs with a further note, if there is one."""
    return loaded if note is None else replace(loaded, notes=(*loaded.notes, note))


def restrict(loaded: LoadedRuns, conditions: Sequence[Condition]) -> LoadedRuns:
    """The runs with their values of the queries for which all conditions hold.

    Depth and the share of judged documents stay those of all the judged queries.

    Raises:
        DataError: no query is left, or a condition names an attribute or a value that none has.
    """
    if not conditions or not loaded.runs:
        return loaded
    qids = loaded.runs[0].qids
    selected = select_queries(conditions, qids, loaded.queries)
    text = " and ".join(map(str, conditions))
    if not selected:
        raise DataError(f"none of the {len(qids):,} queries has {text}")
    return replace(
        loaded,
        runs=tuple(run.over(frozenset(selected)) for run in loaded.runs),
        restriction=f"the {len(selected):,} of {len(qids):,} queries with {text}",
    )


@dataclass(frozen=True, eq=False)
class Medians:
    """The median of a collection's runs.

    Attributes:
        runs: how many runs they are of, the one they are compared with included.
        values: by measure, float64, a value a query of the run.
    """

    runs: int
    values: Mapping[str, F64] = field(repr=False)


def compare_loaded(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    baseline: int | None = None,
    settings: Settings | None = None,
    scheduler: str | None = None,
) -> Compared:
    """Compare loaded runs on some of their measures; not comparable where there is an obstacle.

    Args:
        loaded: two runs at least.
        measures: by the names of the values.
        baseline: the number of the run that all others are compared with; all pairs where None.
        settings: how.
        scheduler: the address of a Dask scheduler whose workers resample; None for this process.

    Raises:
        DataError: less than two runs, no measure, or the scheduler can't be used.
    """
    settings = settings or Settings()
    if loaded.obstacle is not None:
        return Compared("no", (loaded.obstacle,), (), (), measures, (), settings)
    compared = compare_values(
        loaded.runs, measures, baseline, settings, loaded.queries, loaded.restriction, scheduler
    )
    return replace(compared, notes=(*loaded.notes, *compared.notes))
