"""One query: the rankings of several runs with grades, values, and the documents missed by all.

Only the data of this query is read, however large the collection is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.catalog.links import LinkedRun
from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_judged_ids, kept_judged_queries, kept_relevant
from evalstore.comparison.collection_values import (
    CollectionRun,
    best_first,
    load_collection_values,
)
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import MeasureError, NoRankings, NotFound, did_you_mean
from evalstore.evaluation.explain import Explained, explain_query
from evalstore.formats import Qrels, Run, ties
from evalstore.measures import Measure, evaluate
from evalstore.measures.join import match
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.notation import RECALL_LEVELS, parse
from evalstore.stats.inputs import in_units
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.columns import F64, I64, texts
from evalstore.store.queries.comparison import list_differences, list_query_values
from evalstore.store.queries.documents import load_texts
from evalstore.store.queries.evaluations import (
    find_evaluation,
    list_evaluations,
)
from evalstore.store.queries.facts import load_explanations, load_extras
from evalstore.store.queries.leaderboard import list_figures, list_leaderboard_runs
from evalstore.store.queries.qrels import highest_grade, load_judgments
from evalstore.store.queries.queries import find_query, list_qids, load_attributes
from evalstore.store.queries.rankings import load_rankings
from evalstore.store.queries.runs import list_values_only

Point = tuple[float, float]
"""Recall and precision at the rank of a relevant document."""

RELEVANT = 1.0
"""The lowest grade that counts as relevant here."""


@dataclass(frozen=True, eq=False)
class QueryRanking:
    """The whole ranking of one run for a query, with ties resolved by the rules of the evaluation.

    A grade is None if the document was not judged, and negative if it is only in the pool.
    `no_value` is the reason why `value` is None, and `no_ranking` the reason why there is no
    ranking; both are empty otherwise.
    """

    run: LinkedRun
    docnos: tuple[str, ...]
    grades: tuple[float | None, ...]
    value: float | None
    no_value: str
    no_ranking: str
    compat: CompatMode
    content: Run = field(repr=False)

    @cached_property
    def rank_of(self) -> dict[str, int]:
        """The rank of each document, from 1."""
        return {docno: rank for rank, docno in enumerate(self.docnos, 1)}

    def relevant_ranks(self) -> list[int]:
        """The ranks of the relevant documents, ascending."""
        return [rank for rank, grade in enumerate(self.grades, 1) if is_relevant(grade)]


@dataclass(frozen=True, eq=False)
class RankedQuery:
    """A query, its text if known, and the rankings of several runs for it, in the requested order.

    The default qrels comes first in `all_qrels`. If the qrels does not judge the query, the grades
    (by document) are empty and the judgments are None.
    """

    qid: str
    text: str | None
    attributes: Mapping[str, str]
    qrels: str
    all_qrels: tuple[str, ...]
    measure: Measure
    grades: Mapping[str, float]
    rankings: tuple[QueryRanking, ...]
    judgments: Qrels | None = field(repr=False)

    @property
    def relevant(self) -> tuple[str, ...]:
        """The relevant documents: the highest grade first, then by document in byte order."""
        relevant = [docno for docno, grade in self.grades.items() if is_relevant(grade)]
        return tuple(sorted(relevant, key=lambda docno: (-self.grades[docno], docno.encode())))

    @property
    def missed(self) -> tuple[str, ...]:
        """The relevant documents that no run retrieves, in the order of `relevant`."""
        return tuple(
            docno
            for docno in self.relevant
            if not any(docno in ranking.rank_of for ranking in self.rankings)
        )

    def explained(self, ranking: QueryRanking, depth: int) -> Explained | None:
        """The computation of the value rank by rank; None if the qrels does not judge the query."""
        if self.judgments is None:
            return None
        return explain_query(
            ranking.content, self.judgments, self.qid, depth, compat=ranking.compat
        )

    def points(self, ranking: QueryRanking) -> tuple[Point, ...]:
        """The points of a ranking's curve: at each relevant document, in order of rank."""
        number = len(self.relevant)
        ranks = ranking.relevant_ranks()
        return tuple((found / number, found / rank) for found, rank in enumerate(ranks, 1))

    def interpolated(self, ranking: QueryRanking) -> tuple[float, ...]:
        """Interpolated precision at recall 0, 0.1, ..., 1; empty if nothing is relevant."""
        if self.judgments is None or not self.relevant:
            return ()
        judged = match(ranking.content, self.judgments, compat=ranking.compat)
        levels = [parse(name) for name in RECALL_LEVELS]
        values = evaluate(judged, levels)
        return tuple(float(values[level][0]) for level in levels)


def is_relevant(grade: float | None) -> bool:
    """Whether a grade counts as relevant; None means no grade."""
    return grade is not None and grade >= RELEVANT


def load_ranked_query(
    store: Store,
    collection: str,
    qid: str,
    runs: Sequence[LinkedRun],
    measure: Measure,
    qrels: str | None = None,
) -> RankedQuery:
    """Load the rankings of active runs of a collection for one query; nothing is written.

    A value that is not stored is computed. NotFound if the collection does not have the query.
    """
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        query = find_query(connection, collection_id, qid)
        if query is None:
            hint = did_you_mean(qid, list_qids(connection, collection_id))
            raise NotFound(f"collection {collection!r} has no query {qid!r}{hint}")
        grades = load_judgments(connection, chosen.id, query.id)
        judgments = Qrels.from_dict({qid: grades}, name=chosen.name) if grades else None
        ids = [run.id for run in runs]
        stored = load_rankings(connection, ids, query.id)
        values_only = list_values_only(connection, ids)
        loading = _Loading(connection, collection_id, chosen.id, measure, judgments)
        evaluations = {id_: find_evaluation(connection, id_, chosen.id) for id_ in ids}
        keys = [key.id for key in evaluations.values() if key is not None]
        values = list_query_values(connection, keys, str(measure), qid)
        rankings = []
        for run in runs:
            evaluation = evaluations[run.id]
            compat: CompatMode = "exact" if evaluation is None else evaluation.compat
            content = _content(run.name, qid, stored.get(run.id), compat)
            no_ranking = ""
            if run.id in values_only:
                no_ranking = "it came as values of measures, without rankings"
            elif run.id not in stored:
                no_ranking = "it does not answer this query"
            value, no_value = None if evaluation is None else values.get(evaluation.id), ""
            if evaluation is None:
                no_value = f"the run is not evaluated under qrels {chosen.name!r}"
            elif value is None and run.id in values_only:
                no_value = f"no value of {measure} came with the run"
            elif value is None:
                value, no_value = loading.computed_value(run, content, compat)
            docnos = tuple(texts(content.docnos))
            rankings.append(
                QueryRanking(
                    run=run,
                    docnos=docnos,
                    grades=tuple(map(grades.get, docnos)),
                    value=value,
                    no_value=no_value,
                    no_ranking=no_ranking,
                    compat=compat,
                    content=content,
                )
            )
        return RankedQuery(
            qid=qid,
            text=query.text,
            attributes=load_attributes(connection, query.id),
            qrels=chosen.name,
            all_qrels=tuple(known.name for known in kept_collection(store, collection).qrels),
            measure=measure,
            grades=grades,
            rankings=tuple(rankings),
            judgments=judgments,
        )


def load_document_texts(
    store: Store, collection: str, docnos: Sequence[str], most: int
) -> dict[str, tuple[str, str]]:
    """The stored (title, text) of documents by docno, each cut to `most` characters."""
    with store.read() as connection:
        return load_texts(connection, kept_collection(store, collection).id, docnos, most)


def load_document_explanations(
    store: Store, collection: str, qid: str, docno: str, run_ids: Sequence[int]
) -> dict[int, str]:
    """The engines' explanations of the score of a document for a query, by the id of the run."""
    with store.read() as connection:
        query = find_query(connection, kept_collection(store, collection).id, qid)
        return {} if query is None else load_explanations(connection, run_ids, query.id, docno)


@dataclass(frozen=True)
class _Loading:
    """The context in which the values of one query are read."""

    connection: Connection
    collection_id: int
    qrels_id: int
    measure: Measure
    judgments: Qrels | None

    def computed_value(
        self, run: LinkedRun, content: Run, compat: CompatMode
    ) -> tuple[float | None, str]:
        """The value of a run, or None and the reason why there is none."""
        if self.judgments is None:
            return None, "the qrels does not judge this query"
        if "collection_size" in self.measure.descriptor.facts:
            return None, f"{self.measure} is computed from all queries of a run, and is not stored"
        extras = load_extras(self.connection, self.collection_id, run.id, [self.measure])
        try:
            judged: Judged = match(content, self.judgments, compat=compat, extras=extras)
            # Over all queries of the qrels, as for stored values.
            highest = max(highest_grade(self.connection, self.qrels_id), 0.0)
            judged = replace(judged, highest_grade=highest)
            value = float(evaluate(judged, [self.measure])[self.measure][0])
        except MeasureError as error:
            return None, str(error)
        return value, ""


def _content(name: str, qid: str, ranking: tuple[pa.Array, F64] | None, compat: CompatMode) -> Run:
    """A ranking as a run of one query; without a ranking, a run without queries."""
    docnos, scores = ranking or (pa.array([], pa.binary()), np.zeros(0))
    lengths = np.array([] if ranking is None else [len(scores)], np.int64)
    run = Run(
        path=name,
        tag=name,
        qids=() if ranking is None else (qid,),
        starts=np.zeros(len(lengths), np.int64),
        lengths=lengths,
        docnos=docnos,
        scores=scores,
    )
    return ties.settled(ties.rounded(run)) if compat == "trec_eval-9" and len(scores) else run


DIGITS = 9
"""The number of decimals up to which differences count as equal."""


@dataclass(frozen=True)
class QueryOrder:
    """Judged queries in natural order; `differences` are run - baseline where both have values."""

    qids: tuple[str, ...]
    differences: Mapping[str, float] = field(default_factory=dict)

    @property
    def by_difference(self) -> tuple[str, ...]:
        """The queries sorted by |difference|, the largest first; equal ones in natural order."""
        sizes = {qid: round(abs(d), DIGITS) for qid, d in self.differences.items()}
        compared = [qid for qid in self.qids if qid in sizes]
        return tuple(sorted(compared, key=lambda qid: -sizes[qid]))


def query_order(
    store: Store,
    collection: str,
    measure: Measure,
    baseline: LinkedRun,
    run: LinkedRun | None,
    qrels: str | None = None,
) -> QueryOrder:
    """The judged queries of a collection, with the differences between two of its runs.

    Without `run` there are no differences. Values that are not stored for both runs are computed.
    """
    with store.read() as connection:
        _, chosen = kept_choice(store, collection, qrels)
        keys = [find_evaluation(connection, one.id, chosen.id) for one in (baseline, run) if one]
        ids = [key.id for key in keys if key is not None]
        if len(ids) == 2:
            differences = list_differences(connection, str(measure), *ids)
            if differences:
                return QueryOrder(tuple(sorted(differences, key=natural)), differences)
        judged = kept_judged_ids(store, connection, chosen.id).qids
    if len(ids) == 2 and run is not None:
        order = store.keep(
            ("query order", collection, str(measure), baseline.id, run.id, chosen.id),
            lambda: _computed_order(
                store, collection, measure, (baseline.name, run.name), chosen.name
            ),
            lambda order: sum(map(len, order.qids)) + 100 * len(order.qids),
        )
        if order.differences:
            return order
    return QueryOrder(tuple(sorted(judged, key=natural)))


def _computed_order(
    store: Store, collection: str, measure: Measure, runs: tuple[str, str], qrels: str
) -> QueryOrder:
    """The order by computed differences; without queries if they can't be computed."""
    try:
        loaded = load_stored_runs(store, runs, {"": measure}, collection=collection, qrels=qrels)
    except (MeasureError, NoRankings):
        return QueryOrder(())
    a, b = loaded.runs
    by_qid = dict(zip(a.qids, (b.values[""] - a.values[""]).tolist(), strict=True))
    return QueryOrder(tuple(sorted(by_qid, key=natural)), by_qid)


# The hard queries of a collection, and the queries that decide a comparison

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class QueryDifficulty:
    """The values of some runs of a collection for each query.

    Attributes:
        runs: the best mean first; equal ones in natural order of engine and name.
        qids: the judged queries, the hardest first: ordered by the median of their values, equal
            ones in natural order. If neither high nor low values are better, the lowest first.
        values: float64, queries x runs; a query that a run does not answer has the value of an
            empty ranking.
    """

    qrels: str
    measure: Measure
    runs: tuple[CollectionRun, ...]
    qids: tuple[str, ...]
    texts: Mapping[str, str]
    relevant: I64
    values: F64
    notes: tuple[str, ...]

    @property
    def median(self) -> F64:
        """The median of each query; for an even number of runs, the mean of the middle two."""
        median: F64 = np.median(self.values, axis=1)
        return median

    @property
    def spread(self) -> F64:
        """The highest minus the lowest value of each query."""
        spread: F64 = np.ptp(self.values, axis=1)
        return spread

    def position(self, run: str) -> int:
        """The column of a run."""
        return [one.name for one in self.runs].index(run)


def all_fail(values: F64, higher_is_better: bool | None) -> Bools:
    """The queries for which every run has 0; none unless high values of the measure are better."""
    if higher_is_better is not True:
        return np.zeros(len(values), bool)
    return np.asarray((values <= 0).all(axis=1), bool)


def far_apart(bounds: tuple[float, float]) -> float | None:
    """The difference of two values from which they are far apart: 0.3 of a measure's range.

    None for a measure without a finite range: there it is half of the larger value.
    """
    low, high = bounds
    return 0.3 * (high - low) if math.isfinite(high - low) else None


def runs_disagree(values: F64, bounds: tuple[float, float]) -> Bools:
    """The queries whose highest and lowest value are far apart."""
    if not values.size:
        return np.zeros(len(values), bool)
    spread, limit = in_units(np.ptp(values, axis=1)), far_apart(bounds)
    far = in_units(np.abs(values).max(axis=1)) / 2 if limit is None else in_units(np.array(limit))
    return np.asarray((spread > 0) & (spread >= far), bool)


def deciding(differences: F64) -> Bools:
    """The fewest queries without which the mean difference would vanish or change its sign.

    They are those with the largest differences in favour of the side that is ahead; of equal ones,
    the first. There are none if neither side is ahead. They describe the sample and are not a test.
    """
    units = in_units(differences)
    total = units.sum()
    decide = np.zeros(len(units), bool)
    if total == 0:
        return decide
    towards = units * np.sign(total)
    order = np.argsort(-towards, kind="stable")
    left = abs(total) - np.cumsum(towards[order])
    decide[order[: int(np.argmax(left <= 0)) + 1]] = True
    return decide


def leading_runs(
    store: Store,
    collection: str,
    measure: Measure,
    qrels: str | None,
    most: int,
    always: str = "",
) -> list[str]:
    """The names of the runs with the best stored aggregates, the best first; runs without one last.

    If the run `always` is not among the first, it takes the last place.
    """

    def read() -> tuple[str, ...]:
        with store.read() as connection:
            collection_id, chosen = kept_choice(store, collection, qrels)
            evaluations = list_evaluations(connection, None, collection)
            evaluated = {one.run.id for one in evaluations if one.qrels.id == chosen.id}
            runs = list_leaderboard_runs(connection, collection_id, evaluated)
            name = str(measure)
            figures = list_figures(connection, chosen.id, [name])[name]
        return tuple(run.name for run in best_first(runs, figures, measure))

    names = list(store.keep(("leading runs", collection, str(measure), qrels), read, bytes_of))
    first = names[:most]
    if always in names and always not in first:
        first = [*first[: most - 1], always]
    return first


def query_difficulty(
    store: Store,
    collection: str,
    measure: Measure,
    qrels: str | None,
    run_ids: Collection[int],
) -> QueryDifficulty:
    """Load the values of some runs for every query; MeasureError if there are none."""
    name = str(measure)
    loaded = load_collection_values(store, collection, {name: measure}, qrels, run_ids)
    with store.read() as connection:
        collection_id, _ = kept_choice(store, collection, loaded.qrels)
        relevant = kept_relevant(store, connection, loaded.qrels_id)
        judged = kept_judged_queries(store, collection_id, loaded.qrels_id)
    of = loaded.measures[name]
    column = {run.id: number for number, run in enumerate(of.runs)}
    figures = dict(zip(column, of.aggregates.tolist(), strict=True))
    runs = best_first(of.runs, figures, measure)
    values = of.values[:, [column[run.id] for run in runs]]
    rows = _hardest_first(values, loaded.qids, measure)
    qids = tuple(loaded.qids[row] for row in rows)
    return QueryDifficulty(
        qrels=loaded.qrels,
        measure=measure,
        runs=tuple(runs),
        qids=qids,
        texts=judged.queries.texts,
        relevant=np.array([relevant.get(qid, 0) for qid in qids], np.int64),
        values=values[rows],
        notes=(*loaded.notes, *of.notes),
    )


def _hardest_first(values: F64, qids: tuple[str, ...], measure: Measure) -> list[int]:
    sign = measure.descriptor.sign_of_better
    medians = np.median(values, axis=1) if values.size else np.zeros(len(qids))
    return sorted(
        range(len(qids)), key=lambda row: (sign * float(medians[row]), natural(qids[row]))
    )
