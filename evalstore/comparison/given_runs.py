"""Values of runs without a store: judgments and runs in, values per query out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evalstore.comparison.comparability import TOP, RunValues, was_cut
from evalstore.comparison.loading import LoadedRuns
from evalstore.evaluation.identical_ids import without_identical_ids
from evalstore.formats import Qrels, Queries, Run
from evalstore.formats.content_hash import qrels_hash
from evalstore.measures import Measure, evaluate
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.matching import Extras, match


def evaluate_given_runs(
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: Mapping[str, Measure],
    *,
    compat: CompatMode = "exact",
    extras: Extras | None = None,
    queries: Queries | None = None,
    ignore_identical_ids: bool = False,
) -> LoadedRuns:
    """Evaluate runs under the same judgments.

    Args:
        qrels: the judgments.
        runs: by name.
        measures: by the names they are shown by (`named_measures`).
        compat: which release of trec_eval the values agree with.
        extras: what some measures need beside a run and a qrels.
        queries: their texts and attributes.
        ignore_identical_ids: leave out retrieved documents whose id is the query's; a note says of
            how many.

    Raises:
        MeasureError: a measure lacks what it needs.
    """
    identity = qrels_hash(qrels)
    prepared = qrels.sorted_once()
    evaluated = []
    notes = []
    for name, given in runs.items():
        run = without_identical_ids(given) if ignore_identical_ids else given
        left_out = len(given.scores) - len(run.scores)
        if left_out:
            notes.append(
                f"{name} is compared without {left_out:,} documents whose id is the query's"
            )
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
                values={label: values[measure] for label, measure in measures.items()},
            )
        )
    known = Queries({}) if queries is None else queries
    return LoadedRuns(tuple(evaluated), known, notes=tuple(notes))


def judged_in_top(judged: Judged) -> float:
    """The share of the documents at ranks 1 to 10 that are judged; NaN where there is none."""
    retrieved = int(np.minimum(judged.retrieved, TOP).sum())
    if retrieved == 0:
        return float("nan")
    return int(np.count_nonzero((judged.rank <= TOP) & (judged.grade >= 0))) / retrieved
