"""The unjudged documents whose judgment would move the difference of two runs most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evalstore.catalog.names import natural
from evalstore.comparison.comparability import comparability
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.unjudged.bounds import (
    DifferenceBounds,
    Judgments,
    bounds_of,
    has_bounds,
)
from evalstore.comparison.unjudged.retrieved import F64, I64, Bool, PairRanks, retrieved
from evalstore.errors import DataError, MeasureError
from evalstore.formats import Qrels, Run
from evalstore.formats.reading import ids
from evalstore.formats.reading.lines import texts
from evalstore.measures import Measure, evaluate
from evalstore.measures.join import match, numbers_among
from evalstore.measures.judged import CompatMode, Judged, Pool
from evalstore.measures.registry import JUDGED_ONLY, NEEDS, RANK, RANK_REQUIRED

DEPTH = 100
"""The rank down to which documents are looked at if the measure has no cutoff."""

CELLS = 1 << 20
"""The most judgments that are evaluated at a time."""

DIGITS = 12
"""The number of decimals up to which changes count as equal."""


@dataclass(frozen=True)
class Hole:
    """An unjudged document that at least one of two runs retrieves.

    Attributes:
        rank_a, rank_b: from 1; None if the run does not retrieve it down to the measure's cutoff.
        change: how much the mean difference b - a would change if this document alone were judged
            and got the highest grade.
    """

    qid: str
    docno: str
    rank_a: int | None
    rank_b: int | None
    change: float


@dataclass(frozen=True)
class Holes:
    """The unjudged documents of two runs, those that move the difference most first.

    Attributes:
        a, b: the names of the runs.
        measure: the name of the measure.
        queries: the number of queries of the mean; those that a run does not answer are empty.
        difference: the mean of b - a.
        grade: the highest grade, that of the changes: of the qrels, but at least 1.
        depth: the rank down to which documents are judged; `holes` has none that both runs have
            only deeper.
        unjudged: the number of unjudged documents down to the cutoff of the measure (without one in
            the whole rankings) in either run.
        bounds: of the difference; None if the measure has none.
        holes: the documents whose judgment changes the difference: the largest changes first, equal
            ones by query id in natural order and by rank.
    """

    a: str
    b: str
    measure: str
    queries: int
    difference: float
    grade: float
    depth: int
    unjudged: int
    bounds: DifferenceBounds | None = field(repr=False)
    holes: tuple[Hole, ...]

    def rows(self, most: int | None = None) -> list[dict[str, str | int | float | None]]:
        """The first holes (None: all) by column."""
        return [dict(vars(hole)) for hole in self.holes[:most]]

    def to_dict(self, most: int | None = None) -> dict[str, object]:
        """The figures for JSON, with the first holes."""
        bounds = None if self.bounds is None else [self.bounds.low, self.bounds.high]
        figures = {name: value for name, value in vars(self).items() if name != "holes"}
        return {**figures, "bounds": bounds, "holes": self.rows(most)}


COLUMNS = ("qid", "docno", "rank_a", "rank_b", "change")
"""The columns of `Holes.rows`."""


def find_holes(loaded: LoadedRuns, name: str, measure: Measure) -> Holes:
    """The holes of two loaded runs on a measure, whose name is in their values.

    Each unjudged document in the first `cutoff` of either run (in the first 100, if the measure has
    no cutoff) is judged alone, and its query evaluated again.

    Raises:
        DataError: the runs can't be compared, or a run came as values, without rankings.
        MeasureError: the measure is no mean over queries, or needs more than a run and a qrels.
    """
    check_measure(name, measure)
    if loaded.obstacle is not None:
        raise DataError(loaded.obstacle)
    verdict = comparability(loaded.runs, {name: measure}, [(0, 1)])
    if verdict.comparable == "no":
        raise DataError("; ".join(verdict.reasons))
    cutoff = _cutoff(measure)
    runs, qrels = loaded.all_rankings(cutoff if has_bounds(measure) else None)
    qids = loaded.runs[0].qids
    compat: CompatMode = loaded.runs[0].compat  # type: ignore[assignment]  # as evaluated
    table = retrieved(runs, qrels, qids, cutoff)
    pair = table.pair(0, 1, None)
    grade = Judgments.of(qrels, qids).highest_grade
    depth = DEPTH if cutoff is None else cutoff
    near = np.minimum(pair.rank_a, pair.rank_b) <= depth
    open_ = _only(pair, np.flatnonzero(~pair.judged & near))
    change, differences = _changes(measure, runs, qrels, qids, open_, grade, compat)
    columns = (
        open_.query.tolist(),
        texts(ids.take(table.docnos, open_.document)),
        open_.rank_a.tolist(),
        open_.rank_b.tolist(),
        (change / len(qids)).tolist(),
    )
    holes = [
        Hole(qids[query], docno, _rank(rank_a), _rank(rank_b), moved)
        for query, docno, rank_a, rank_b, moved in zip(*columns, strict=True)
        if round(moved, DIGITS) != 0
    ]
    once = loaded.with_rankings(runs, qrels)
    return Holes(
        a=loaded.runs[0].name,
        b=loaded.runs[1].name,
        measure=name,
        queries=len(qids),
        difference=float(differences.mean()),
        grade=grade,
        depth=depth,
        unjudged=int(np.count_nonzero(~pair.judged)),
        bounds=bounds_of(once, {name: measure}, [(0, 1)], qids)[name, (0, 1)],
        holes=tuple(sorted(holes, key=_order)),
    )


def _cutoff(measure: Measure) -> int | None:
    """The rank down to which a measure looks; None for whole rankings."""
    at_rank = measure.descriptor.cutoff in (RANK, RANK_REQUIRED)
    # Without the unjudged documents, those below move up to the first ranks.
    if not at_rank or measure.cutoff is None or measure.arguments.get(JUDGED_ONLY.name):
        return None
    return int(measure.cutoff)


def check_measure(name: str, measure: Measure) -> None:
    """Raise a MeasureError if holes can't be found for a measure."""
    descriptor = measure.descriptor
    if descriptor.aggregate != "mean" or descriptor.of_run:
        raise MeasureError(f"{name} is no mean over queries that a judgment could move")
    if descriptor.needs:
        needs = " and ".join(NEEDS[need] for need in descriptor.needs)
        raise MeasureError(f"{name} needs {needs}: one more judgment of a document is not enough")


def _order(hole: Hole) -> tuple[object, ...]:
    ranks = [rank for rank in (hole.rank_a, hole.rank_b) if rank is not None]
    return (-round(abs(hole.change), DIGITS), natural(hole.qid), min(ranks), hole.docno.encode())


def _rank(rank: float) -> int | None:
    return int(rank) if np.isfinite(rank) else None


def _only(pair: PairRanks, rows: I64) -> PairRanks:
    """Some of the documents."""
    return PairRanks(*(array[rows] for array in vars(pair).values()))


def _changes(
    measure: Measure,
    runs: Sequence[Run],
    qrels: Qrels,
    qids: Sequence[str],
    unjudged: PairRanks,
    grade: float,
    compat: CompatMode,
) -> tuple[F64, F64]:
    """The change of its query's difference by each judgment, and the differences of all queries."""
    change, difference = np.zeros(len(unjudged.query)), np.zeros(len(qids))
    for run, ranks, sign in zip(runs, (unjudged.rank_a, unjudged.rank_b), (-1, 1), strict=True):
        judged = match(run, qrels, compat=compat)
        known = numbers_among(judged.qids, qids)
        values = evaluate(judged, [measure])[measure]
        difference += sign * values[known]
        query = known[unjudged.query]
        for part in _parts(judged.pool.count()[query]):
            variants = _with_one_more(
                judged, run, query[part], ranks[part], unjudged.grade[part] < 0, grade
            )
            now = evaluate(variants, [measure])[measure]
            change[part] += sign * (now - values[query[part]])
    return change, difference


def _parts(sizes: I64) -> Iterator[slice]:
    """Parts of about `CELLS` judgments."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first] - sizes[first])
        stop = max(int(np.searchsorted(ends, before + CELLS, "right")), first + 1)
        yield slice(first, stop)
        first = stop


def _with_one_more(
    judged: Judged, run: Run, query: I64, rank: F64, in_pool: Bool, grade: float
) -> Judged:
    """A query for each document: that of the document, which is judged in addition.

    Args:
        judged: the run as it is judged.
        run: the run, its ties in order.
        query: int64 (v), the query of each document.
        rank: float64 (v), its rank; infinite if the run does not retrieve it.
        in_pool: bool (v), whether the qrels has it with a negative grade.
        grade: its new grade.
    """
    every = np.arange(len(query))
    there = np.isfinite(rank)
    own = judged.count_by_query(judged.query)
    rows = ids.ranges((np.cumsum(own) - own)[query], own[query])
    variant = np.repeat(every, own[query])
    others = judged.rank[rows] != rank[variant]  # all but the document itself
    rows, variant = rows[others], variant[others]
    new_rank = rank[there].astype(np.int64)
    list_of = numbers_among(run.qids, judged.qids)[query[there]]
    merged = np.concatenate([variant, every[there]])
    ranks = np.concatenate([judged.rank[rows], new_rank])
    order = np.lexsort((ranks, merged))
    grades = np.concatenate([judged.grade[rows], np.full(len(new_rank), grade)])
    scores = np.concatenate([judged.score[rows], run.scores[run.starts[list_of] + new_rank - 1]])
    return replace(
        judged,
        qids=tuple(map(str, every.tolist())),
        query=merged[order],
        rank=ranks[order],
        grade=grades[order],
        score=scores[order],
        retrieved=judged.retrieved[query],
        answered=judged.answered[query],
        pool=_pool_with_one_more(judged.pool, query, in_pool, grade),
        highest_grade=max(judged.highest_grade, grade),
        _memo={},
    )


def _pool_with_one_more(pool: Pool, query: I64, in_pool: Bool, grade: float) -> Pool:
    """The judgments of a query for each document, with one more of `grade`."""
    count = pool.count()
    # Grades descend, so a document that is only in the pool is among the last ones.
    kept = count[query] - in_pool
    rows = ids.ranges((np.cumsum(count) - count)[query], kept)
    every = np.arange(len(query))
    merged = np.concatenate([np.repeat(every, kept), every])
    grades = np.concatenate([pool.grade[rows], np.full(len(query), grade)])
    order = np.lexsort((-grades, merged))
    return Pool(len(query), merged[order], grades[order])
