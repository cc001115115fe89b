"""Runs with their values per query: what comparisons, gates, reports and plots are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalstore.measures import Measure
from evalstore.usecases.comparability import F64, RunValues
from evalstore.usecases.significance import Compared, Settings, compare_values


@dataclass(frozen=True, eq=False)
class LoadedRuns:
    """Runs under one qrels, read from files or from a store.

    Attributes:
        runs: with the values of all the measures that were asked for; empty with an obstacle.
        texts: of the queries, as far as they are known.
        obstacle: why the runs have no values that can be compared; None where they have.
    """

    runs: tuple[RunValues, ...]
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    obstacle: str | None = None


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
) -> Compared:
    """Compare loaded runs on some of their measures; not comparable where there is an obstacle.

    Args:
        loaded: two runs at least.
        measures: by the names of the values.
        baseline: the number of the run that all others are compared with; all pairs where None.
        settings: how.

    Raises:
        DataError: less than two runs, or no measure.
    """
    settings = settings or Settings()
    if loaded.obstacle is not None:
        return Compared("no", (loaded.obstacle,), (), (), measures, (), settings)
    return compare_values(loaded.runs, measures, baseline, settings, loaded.texts)
