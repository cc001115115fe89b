"""The unjudged documents that matter most for a difference or are to judge next, in Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evalstore.api.evaluation import new_frame
from evalstore.api.inputs import Opened, as_qrels, as_queries, named_runs
from evalstore.catalog.names import parse_conditions
from evalstore.comparison.compare import ComparisonOptions, load
from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs, restrict
from evalstore.comparison.unjudged.holes import COLUMNS, Holes, find_holes
from evalstore.comparison.unjudged.pool import (
    PERSISTENCE,
    Order,
    PooledDocument,
    Strata,
    draw_pool,
)
from evalstore.errors import DataError
from evalstore.measures import Measure, parse
from evalstore.measures.judged import CompatMode

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, QueriesLike, Runs


def holes(
    qrels: QrelsLike,
    runs: Runs,
    measure: str | Measure = "nDCG@10",
    *,
    most: int | None = None,
    compat: CompatMode = "exact",
    ignore_identical_ids: bool = False,
    queries: QueriesLike | None = None,
    where: str | Iterable[str] = (),
) -> pd.DataFrame:
    """List the unjudged documents of two runs, those that move their difference most first.

    Columns: qid, docno, rank_a and rank_b (missing if the run does not retrieve it down to the
    cutoff of the measure), change (how much the mean of b - a changes if this document alone is
    judged with the highest grade of the qrels, at least 1). Documents that change nothing are left
    out. Without a cutoff, documents are listed that a run has in its first 100.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: two runs, as `evaluate` takes them: a, then b.
        measure: an object (`nDCG @ 10`) or text, whose aggregate is a mean over queries.
        most: the maximum number of documents; None for all.
        compat: which release of trec_eval the values agree with if they differ.
        ignore_identical_ids: leave out retrieved documents whose id is the query's.
        queries: texts and attributes for `where`, as `compare` takes them.
        where: conditions on attributes of the queries, as `compare` takes them.

    Raises:
        errors.DataError: not two runs, or they can't be compared.
        errors.MeasureError: an unknown measure, one that is no mean over queries, or one that needs
            more than a run and judgments.

    >>> import evalstore as ev
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> old = {"q1": {"d1": 2, "d9": 1}, "q2": {"d2": 1}}
    >>> new = {"q1": {"d8": 2, "d1": 1}, "q2": {"d2": 1}}
    >>> ev.holes(qrels, {"old": old, "new": new}, "P@1")[["qid", "docno", "change"]].values.tolist()
    [['q1', 'd8', 0.5]]
    """
    named = named_runs(runs)
    if len(named) != 2:
        raise DataError(f"holes are of two runs, and these are {len(named)}")
    chosen = parse(measure)
    loaded = evaluate_given_runs(
        as_qrels(qrels),
        named,
        {str(measure): chosen},
        compat=compat,
        queries=None if queries is None else as_queries(queries),
        ignore_identical_ids=ignore_identical_ids,
        allow_disjoint=True,  # what nobody judged is what is asked for
    )
    loaded = restrict(loaded, parse_conditions(where))
    return holes_frame(find_holes(loaded, str(measure), chosen), most)


def pool(
    qrels: QrelsLike,
    runs: Runs,
    depth: int,
    order: Order = "depth",
    *,
    measure: str | Measure = "nDCG@10",
    strata: Strata = (),
    undrawn: bool = False,
    budget: int | None = None,
    seed: int | None = None,
    p: float = PERSISTENCE,
    compat: CompatMode = "exact",
    ignore_identical_ids: bool = False,
    queries: QueriesLike | None = None,
    where: str | Iterable[str] = (),
) -> pd.DataFrame:
    """List the unjudged documents of runs, the next one to judge first.

    Columns: qid, docno, stratum and probability, which are missing without a sample. The orders are
    those of `evalstore pool`. A stratum has the documents of a query whose best rank in any run is
    in it; their share, at least one document, is drawn without replacement.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: runs, as `evaluate` takes them.
        depth: the rank down to which documents are looked at, at least 1.
        order: by `depth`, `rbp`, `rrf` or `settle` (which takes the first run and each other one).
        measure: that of `settle`.
        strata: of a sample, the last rank and the share of each: `[(10, 1.0), (100, 0.1)]`.
        undrawn: also list the documents of the strata that are not drawn, with probability 0.
        budget: the largest number of documents, the first in the order.
        seed: shuffles the documents that are left, and is the seed of a sample.
        p: the chance of `rbp` to look at the next document.
        compat: which release of trec_eval the values agree with if they differ.
        ignore_identical_ids: leave out retrieved documents whose id is the query's.
        queries: texts and attributes for `where`, as `compare` takes them.
        where: conditions on attributes of the queries, as `compare` takes them.

    Raises:
        errors.DataError: no run, or strata, a budget or a depth that can't be.
        errors.MeasureError: `settle` on a measure that `holes` does not take.

    >>> import evalstore as ev
    >>> run = {"q1": {"d1": 3, "d2": 2, "d3": 1}}
    >>> ev.pool({"q1": {"d1": 1}}, run, 3)["docno"].tolist()
    ['d2', 'd3']
    """
    loaded = evaluate_given_runs(
        as_qrels(qrels),
        named_runs(runs),
        {str(measure): parse(measure)} if order == "settle" else {},
        compat=compat,
        queries=None if queries is None else as_queries(queries),
        ignore_identical_ids=ignore_identical_ids,
        allow_disjoint=True,  # what nobody judged is what is asked for
    )
    loaded = restrict(loaded, parse_conditions(where))
    drawing = {"strata": strata, "undrawn": undrawn, "budget": budget, "seed": seed, "p": p}
    return _pool_frame(loaded, depth, order, measure, drawing)


def _pool_frame(
    loaded: LoadedRuns, depth: int, order: Order, measure: str | Measure, drawing: dict[str, Any]
) -> pd.DataFrame:
    drawn = draw_pool(loaded, depth, order, measure=(str(measure), parse(measure)), **drawing)
    return new_frame(drawn, PooledDocument._fields).astype({"probability": "float64"})


class HolesOfRuns(Opened):
    """The methods of `Store` for unjudged documents of runs."""

    def holes(
        self,
        a: str | int,
        b: str | int,
        measure: str | Measure = "nDCG@10",
        *,
        most: int | None = None,
        collection: str | None = None,
        qrels: str | None = None,
        where: str | Iterable[str] = (),
    ) -> pd.DataFrame:
        """List the unjudged documents of two runs that move their difference most; see `ev.holes`.

        Args:
            a: a run, by name or id.
            b: the other run; differences are b - a.
            measure: an object or text.
            most: the maximum number of documents; None for all.
            collection: the name of their collection, if several have runs of these names.
            qrels: the judgments, as in `compare`.
            where: conditions on attributes of the queries, as in `ev.compare`.

        Raises:
            errors.NotFound: a run or qrels that the store does not hold.
            errors.DataError: the runs can't be compared, or a run came as values.
            errors.MeasureError: as by `ev.holes`.
        """
        chosen = parse(measure)
        options = ComparisonOptions(
            no_baseline=True, collection=collection, qrels=qrels, where=parse_conditions(where)
        )
        loaded = load(self._reader(), [str(a), str(b)], {str(measure): chosen}, options)
        return holes_frame(find_holes(loaded, str(measure), chosen), most)

    def pool(
        self,
        runs: Iterable[str | int],
        depth: int,
        order: Order = "depth",
        *,
        measure: str | Measure = "nDCG@10",
        strata: Strata = (),
        undrawn: bool = False,
        budget: int | None = None,
        seed: int | None = None,
        p: float = PERSISTENCE,
        collection: str | None = None,
        qrels: str | None = None,
        where: str | Iterable[str] = (),
    ) -> pd.DataFrame:
        """List the unjudged documents of stored runs, the next one first.

        `runs` are names or ids, `collection` the name of their collection, if several have runs of
        these names; `qrels` are the judgments, as in `compare`. The other arguments are as in
        `ev.pool`.

        Raises:
            errors.NotFound: a run or qrels that the store does not hold.
            errors.DataError: as by `ev.pool`, or a run came as values.
            errors.MeasureError: as by `ev.pool`.
        """
        options = ComparisonOptions(
            no_baseline=True, collection=collection, qrels=qrels, where=parse_conditions(where)
        )
        measures = {str(measure): parse(measure)} if order == "settle" else {}
        loaded = load(self._reader(), [str(run) for run in runs], measures, options)
        drawing = {"strata": strata, "undrawn": undrawn, "budget": budget, "seed": seed, "p": p}
        return _pool_frame(loaded, depth, order, measure, drawing)


def holes_frame(found: Holes, most: int | None) -> pd.DataFrame:
    """The first holes (None: all) as a frame."""
    frame = new_frame(found.rows(most), COLUMNS)
    return frame.astype({**dict.fromkeys(COLUMNS[2:4], "Int64"), "change": "float64"})
