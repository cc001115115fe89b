"""Values of runs without a store: judgments and runs in, values per query out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evalstore.formats import Qrels, Run
from evalstore.formats.content_hash import qrels_hash
from evalstore.matching import Extras, match
from evalstore.measures import Measure, evaluate
from evalstore.measures.judged import CompatMode, Judged
from evalstore.usecases.comparability import TOP, RunValues, was_cut
from evalstore.usecases.loaded_runs import LoadedRuns


def evaluate_given_runs(
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: Mapping[str, Measure],
    *,
    compat: CompatMode = "exact",
    extras: Extras | None = None,
    texts: Mapping[str, str] | None = None,
) -> LoadedRuns:
    """Evaluate runs under the same judgments.

    Args:
        qrels: the judgments.
        runs: by name.
        measures: by the names they are shown by (`named_measures`).
        compat: which release of trec_eval the values agree with.
        extras: what some measures need beside a run and a qrels.
        texts: of the queries.

    Raises:
        MeasureError: a measure lacks what it needs.
    """
    identity = qrels_hash(qrels)
    prepared = qrels.sorted_once()
    evaluated = []
    for name, run in runs.items():
        judged = match(run, prepared, compat=compat, extras=extras)
        values = evaluate(judged, measures.values())
        evaluated.append(
            RunValues(
                name=name,
                collection="",
                qrels=qrels.path,
                qrels_hash=identity,
                compat=compat,
                depth=int(judged.retrieved.max(initial=0)),
                is_cut=was_cut(judged.retrieved[judged.retrieved > 0].tolist()),
                judged_in_top=judged_in_top(judged),
                qids=judged.qids,
                answered=judged.answered,
                values={shown: values[measure] for shown, measure in measures.items()},
            )
        )
    return LoadedRuns(tuple(evaluated), texts or {})


def judged_in_top(judged: Judged) -> float:
    """The share of the documents at ranks 1 to 10 that are judged; NaN where there is none."""
    retrieved = int(np.minimum(judged.retrieved, TOP).sum())
    if retrieved == 0:
        return float("nan")
    return int(np.count_nonzero((judged.rank <= TOP) & (judged.grade >= 0))) / retrieved
