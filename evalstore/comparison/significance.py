"""The figures of a comparison: differences, intervals, tests and effect sizes of every pair.

Values are joined on query ids and summed in byte order of them: neither the order of files nor that
of queries changes a figure, and further runs change no figure of a pair but the corrected p.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np

from evalstore.comparison.comparability import (
    F64,
    RunValues,
    Verdict,
    comparability,
    notes_on,
    pairs_of,
)
from evalstore.comparison.pair_figures import (
    CORRECTIONS,
    PAIRS_IN_TASK,
    TESTS,
    Correction,
    Pair,
    Settings,
    Test,
    figures_of_pairs,
    pairs_over_queries,
)
from evalstore.errors import DataError
from evalstore.evaluation.parallel import each
from evalstore.formats.queries import Queries
from evalstore.measures import Measure

__all__ = [
    "COLUMNS",
    "CORRECTIONS",
    "ROUNDING",
    "TESTS",
    "Compared",
    "Correction",
    "Pair",
    "Settings",
    "Test",
    "compare_values",
    "corrected",
]

COLUMNS = (
    *("a", "b", "measure", "queries", "mean_a", "mean_b", "difference", "low", "high"),
    *(f"p_{test}" for test in TESTS),
    *(f"p_corrected_{test}" for test in TESTS),
    *("cohens_d", "wins", "ties", "losses"),
)
"""What `Pair.row` names."""

ROUNDING = 5e-10
"""A mean difference below this is none: values per query are compared after rounding to 1e-9."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Runs compared with each other.

    Attributes:
        comparable, reasons: as `comparability` gives them.
        notes: what has to be known to read the figures.
        runs: the runs, in the order given.
        measures: by the names they were asked by.
        pairs: the figures, by pair and then by measure; none where not comparable.
        settings: how they were computed.
        qids: the judged queries that were compared, in byte order.
        values: by measure, float64, queries x runs; NaN where a run does not answer the query.
        queries: texts and attributes, as far as they are known.
        restriction: the judged queries that were compared, as a phrase; None for all.
        baseline: the number of the run that all others were compared with; None for all pairs.
    """

    comparable: Verdict
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    runs: tuple[RunValues, ...]
    measures: Mapping[str, Measure]
    pairs: tuple[Pair, ...]
    settings: Settings
    qids: tuple[str, ...] = ()
    values: Mapping[str, F64] = field(default_factory=dict, repr=False)
    queries: Queries = field(default_factory=lambda: Queries({}), repr=False)
    restriction: str | None = None
    baseline: int | None = None

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the queries, as far as they are known."""
        return self.queries.texts

    def to_dict(self) -> dict[str, object]:
        """The verdict and the figures of every pair as JSON has them.

        With a restriction `restricted_to` tells of it.
        """
        only = {} if self.restriction is None else {"restricted_to": self.restriction}
        return {
            "comparable": self.comparable,
            "reasons": list(self.reasons),
            **only,
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def differences(self, pair: Pair) -> dict[str, float]:
        """The differences b - a of a pair, by the ids of the queries that both answer."""
        names = [run.name for run in self.runs]
        table = self.values[pair.measure]
        difference = table[:, names.index(pair.b)] - table[:, names.index(pair.a)]
        rows = zip(self.qids, difference.tolist(), strict=True)
        return {qid: value for qid, value in rows if not math.isnan(value)}


def compare_values(
    runs: Sequence[RunValues],
    measures: Mapping[str, Measure],
    baseline: int | None = None,
    settings: Settings | None = None,
    queries: Queries | None = None,
    restriction: str | None = None,
    scheduler: str | None = None,
) -> Compared:
    """Compare runs on measures: first whether that can be done, then every pair.

    Args:
        runs: at least two; `values` of each has every one of the measures.
        measures: by the names of the values.
        baseline: the number of the run that all others are compared with; all pairs where None.
        settings: how.
        queries: texts and attributes, as far as they are known.
        restriction: which of the judged queries the runs have values of, as a phrase.
        scheduler: the address of a Dask scheduler whose workers resample; None for this process.

    Raises:
        DataError: less than two runs, no measure, or the scheduler can't be used.
    """
    if len(runs) < 2:
        raise DataError("a comparison takes two runs or more")
    if not measures:
        raise DataError("no measure is given to compare the runs on")
    settings = settings or Settings()
    chosen = pairs_of(len(runs), baseline)
    verdict = comparability(runs, measures, chosen)
    compared = Compared(
        comparable=verdict.comparable,
        reasons=verdict.reasons,
        notes=(),
        runs=tuple(runs),
        measures=measures,
        pairs=(),
        settings=settings,
        queries=Queries({}) if queries is None else queries,
        restriction=restriction,
        baseline=baseline,
    )
    if verdict.comparable == "no":
        return compared
    qids = tuple(sorted({qid for run in runs for qid in run.qids}, key=str.encode))
    values = {name: np.column_stack([_aligned(r, name, qids) for r in runs]) for name in measures}
    figures = _figures(runs, values, chosen, measures, settings, scheduler)
    pairs = [figures[name, pair] for pair in chosen for name in values if (name, pair) in figures]
    return replace(
        compared,
        notes=notes_on(runs, measures, min(pair.queries for pair in pairs)),
        pairs=tuple(corrected(pairs, settings)),
        qids=qids,
        values=values,
    )


def _aligned(run: RunValues, measure: str, qids: Sequence[str]) -> F64:
    """The values of a run in the order of `qids`; NaN where it does not answer."""
    row = {qid: number for number, qid in enumerate(run.qids) if run.answered[number]}
    values = run.values[measure]
    return np.array([values[row[qid]] if qid in row else np.nan for qid in qids], np.float64)


def _figures(
    runs: Sequence[RunValues],
    values: Mapping[str, F64],
    chosen: Sequence[tuple[int, int]],
    measures: Mapping[str, Measure],
    settings: Settings,
    scheduler: str | None,
) -> dict[tuple[str, tuple[int, int]], Pair]:
    """The figures by measure and pair; none of pairs that share no query."""
    names = tuple(run.name for run in runs)
    most = None if scheduler is None else PAIRS_IN_TASK
    parts = [
        part
        for name, table in values.items()
        for part in pairs_over_queries(names, table, chosen, name, measures[name], settings, most)
    ]
    figures: dict[tuple[str, tuple[int, int]], Pair] = {}
    results = each(
        figures_of_pairs,
        parts,
        jobs=1,
        preload="evalstore.comparison.significance",
        scheduler=scheduler,
    )
    with closing(results):
        for part, done in zip(parts, results, strict=True):
            if done.result is None:
                raise done.error or DataError(f"{done.path}: nothing was computed")
            keys = ((part.name, pair) for pair in part.pairs)
            figures.update(zip(keys, done.result, strict=True))
    return figures


def corrected(pairs: Sequence[Pair], settings: Settings) -> list[Pair]:
    """The pairs with the p of each test corrected for all of them."""
    correct = CORRECTIONS[settings.correction]
    by_test = {test: correct(np.array([pair.p[test] for pair in pairs])) for test in settings.tests}
    return [
        replace(pair, p_corrected={test: float(by_test[test][number]) for test in by_test})
        for number, pair in enumerate(pairs)
    ]
