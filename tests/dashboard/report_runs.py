"""Runs with values of every measure that reports are made of, drawn with a fixed seed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from dashboard.figures.frames import FOR_REPORTS
from dashboard.report.comparison import comparison_report, run_report
from dashboard.report.page import Origin
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns, Medians
from evalstore.comparison.significance import Compared, Settings
from evalstore.formats.queries import Queries
from evalstore.measures import named_measures

MEASURES = ("AP", "nDCG@10")
ORIGIN = Origin(
    "evalstore export report A B --output 'a b.html'",
    datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    {"evalstore": "9.9", "NumPy": "2.0"},
)


def run(
    name: str, qids: Sequence[str], seed: int, *, missing: Collection[str] = (), qrels: str = "h"
) -> RunValues:
    """A run with values between 0 and 1; those in `missing` it does not answer."""
    random = np.random.default_rng(seed)
    names = dict.fromkeys((*FOR_REPORTS, *MEASURES))
    return RunValues(
        name=name,
        collection="c",
        qrels="q",
        qrels_hash=qrels,
        compat="exact",
        depth=100,
        judged_in_top=0.9,
        qids=tuple(qids),
        answered=np.array([qid not in missing for qid in qids], bool),
        values={
            measure: random.integers(1, 90, len(qids)).astype(np.float64)
            if measure.startswith("Num")
            else np.round(random.random(len(qids)), 2)
            for measure in names
        },
    )


def loaded(
    *names: str, queries: int = 30, qids: Sequence[str] = (), texts: Mapping[str, str] | None = None
) -> LoadedRuns:
    """Runs of these names."""
    ids = qids or [f"q{number}" for number in range(1, queries + 1)]
    return LoadedRuns(
        tuple(run(name, ids, seed) for seed, name in enumerate(names)),
        Queries({qid: f"text of {qid}" for qid in ids} if texts is None else texts),
    )


def compared(
    runs: LoadedRuns, baseline: int | None = None, measures: Sequence[str] = MEASURES
) -> Compared:
    loaded = replace(runs, baseline=baseline)
    return compare_loaded(loaded, named_measures(measures), Settings(resamples=100))


def comparison_page(
    runs: LoadedRuns,
    baseline: int | None = None,
    measures: Sequence[str] = MEASURES,
    slots: Sequence[int] = (),
) -> str:
    return comparison_report(runs, compared(runs, baseline, measures), baseline, ORIGIN, slots)


def run_page(runs: LoadedRuns, medians: Medians | None = None) -> str:
    return run_report(runs, named_measures(MEASURES), medians, ORIGIN)
