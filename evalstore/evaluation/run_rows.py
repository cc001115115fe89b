"""The rows of a run and of its values under a qrels, as the store writes them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from evalstore.formats import Run, ties
from evalstore.formats.reading import ids
from evalstore.measures import Measure, aggregate, evaluate, parse_all
from evalstore.measures.join import numbers_among
from evalstore.measures.judged import Judged
from evalstore.store import packing
from evalstore.store.columns import EvaluationRows, RankingRows, ValueRows


@functools.cache
def standard_measures() -> tuple[Measure, ...]:
    """The measures that every ingest stores by default."""
    return tuple(measure for _, measure in parse_all("standard"))


def ranking_rows(run: Run, keep_top: int) -> RankingRows:
    """The rows of a run with resolved ties; `keep_top` documents of each list become SQL rows."""
    top = np.minimum(run.lengths, keep_top)
    query = np.repeat(np.arange(len(run.qids)), top)
    rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(top) - top, top)
    rows = run.starts[query] + rank - 1
    return RankingRows(
        qids=run.qids,
        lengths=run.lengths,
        packed=packing.pack(run.docnos, run.scores, run.starts, run.lengths),
        top_query=query,
        top_rank=rank,
        top_docno=ids.take(run.docnos, rows),
        top_score=run.scores[rows],
    )


def evaluation_rows(
    run: Run, judged: Judged, measures: Sequence[Measure] | None = None
) -> EvaluationRows:
    """The rows of the values of a run, whose ties are resolved, under a qrels."""
    return evaluation_rows_of(judged, hit_docnos(run, judged), measures)


def hit_docnos(run: Run, judged: Judged) -> pa.Array:
    """The docnos of the relevant documents that a run with resolved ties retrieved."""
    if judged.compat == "trec_eval-9":  # it has more ties, so ranks are different
        run = ties.settled(ties.rounded(run))
    relevant = judged.grade >= 1
    query, rank = judged.query[relevant], judged.rank[relevant]
    in_run = numbers_among(run.qids, judged.qids)
    return ids.take(run.docnos, run.starts[in_run[query]] + rank - 1)


def evaluation_rows_of(
    judged: Judged, docnos: pa.Array, measures: Sequence[Measure] | None = None
) -> EvaluationRows:
    """The result of `evaluation_rows`, given the docnos of the relevant documents retrieved."""
    rows = value_rows(judged, standard_measures() if measures is None else measures)
    relevant = judged.grade >= 1
    return EvaluationRows(
        **vars(rows),
        hit_query=judged.query[relevant],
        hit_rank=judged.rank[relevant],
        hit_docno=docnos,
        hit_grade=judged.grade[relevant],
        hit_score=judged.score[relevant],
    )


def value_rows(judged: Judged, measures: Iterable[Measure]) -> ValueRows:
    """The values and aggregates of measures; MeasureError if one can't be computed."""
    values = evaluate(judged, measures)
    names = {measure: str(measure) for measure in values}
    return ValueRows(
        qids=judged.qids,
        values={names[m]: v for m, v in values.items()},
        aggregates={names[m]: aggregate(m, v, judged) for m, v in values.items()},
        measures={names[m]: _described(m) for m in values},
    )


def _described(measure: Measure) -> tuple[str, int, str]:
    descriptor = measure.descriptor
    direction = {True: 1, False: -1, None: 0}[descriptor.higher_is_better]
    return descriptor.family, direction, descriptor.aggregate
