"""One query: the rankings of several runs with grades, values, and the documents missed by all.

Only the data of this query is read, however large the collection is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_judged_ids
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import MeasureError, NoRankings, NotFound, did_you_mean
from evalstore.evaluation.explain import Explained, explain_query
from evalstore.formats import Qrels, Run, ties
from evalstore.measures import Measure, evaluate
from evalstore.measures.join import match
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.notation import RECALL_LEVELS, parse
from evalstore.store import Store
from evalstore.store.cache import bytes_of
from evalstore.store.columns import F64, texts
from evalstore.store.queries.comparison import list_differences, list_query_values
from evalstore.store.queries.documents import load_texts
from evalstore.store.queries.evaluations import EvaluationKey, find_evaluation
from evalstore.store.queries.facts import load_explanations, load_extras
from evalstore.store.queries.leaderboard import (
    list_aggregated_measures,
    list_aggregates,
    list_leaderboard_runs,
)
from evalstore.store.queries.qrels import highest_grade, load_judgments
from evalstore.store.queries.queries import find_query, list_qids, load_attributes
from evalstore.store.queries.rankings import load_rankings
from evalstore.store.queries.runs import list_values_only
from evalstore.store.queries.tracking import find_baseline

RELEVANT = 1.0
"""The lowest grade that counts as relevant here."""


@dataclass(frozen=True)
class RunOfQuery:
    """A run by its id, with its name for messages."""

    id: int
    name: str


@dataclass(frozen=True, eq=False)
class QueryRanking:
    """The whole ranking of one run for a query, with ties resolved by the rules of the evaluation.

    A grade is None if the document was not judged, and negative if it is only in the pool.
    `no_value` is the reason why `value` is None, and `no_ranking` the reason why there is no
    ranking; both are empty otherwise.
    """

    run: RunOfQuery
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
    runs: Sequence[RunOfQuery],
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
        loading = _Loading(connection, collection_id, chosen.id, qid, measure, judgments)
        evaluations = {id_: find_evaluation(connection, id_, chosen.id) for id_ in ids}
        values = loading.stored_values(evaluations)
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
            value, no_value = values.get(run.id), ""
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
    qid: str
    measure: Measure
    judgments: Qrels | None

    def stored_values(self, evaluations: Mapping[int, EvaluationKey | None]) -> dict[int, float]:
        """The stored value of each run that has one, by run id."""
        run_of = {key.id: run for run, key in evaluations.items() if key is not None}
        rows = list_query_values(self.connection, list(run_of), [str(self.measure)], self.qid)
        return {run_of[row.evaluation_id]: row.value for row in rows}

    def computed_value(
        self, run: RunOfQuery, content: Run, compat: CompatMode
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
        warnings=(),
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
    baseline: int,
    run: int | None,
    qrels: str | None = None,
) -> QueryOrder:
    """The judged queries of a collection, with the differences between two runs, given by ids.

    Without `run` there are no differences. Values that are not stored for both runs are computed.
    """
    with store.read() as connection:
        _, chosen = kept_choice(store, collection, qrels)
        keys = [find_evaluation(connection, id_, chosen.id) for id_ in (baseline, run) if id_]
        ids = [key.id for key in keys if key is not None]
        if len(ids) == 2:
            differences = list_differences(connection, str(measure), *ids)
            if differences:
                return QueryOrder(tuple(sorted(differences, key=natural)), differences)
        judged = kept_judged_ids(store, connection, chosen.id).qids
    if len(ids) == 2 and run is not None:
        order = store.keep(
            ("query order", collection, str(measure), baseline, run, chosen.id),
            lambda: _computed_order(store, collection, measure, (baseline, run), chosen.name),
            lambda order: sum(map(len, order.qids)) + 100 * len(order.qids),
        )
        if order.differences:
            return order
    return QueryOrder(tuple(sorted(judged, key=natural)))


def _computed_order(
    store: Store, collection: str, measure: Measure, runs: tuple[int, int], qrels: str
) -> QueryOrder:
    """The order by computed differences; without queries if they can't be computed."""
    try:
        loaded = load_stored_runs(
            store, [str(run) for run in runs], {"": measure}, collection=collection, qrels=qrels
        )
    except (MeasureError, NoRankings):
        return QueryOrder(())
    a, b = loaded.runs
    by_qid = dict(zip(a.qids, (b.values[""] - a.values[""]).tolist(), strict=True))
    return QueryOrder(tuple(sorted(by_qid, key=natural)), by_qid)


def usual_runs(
    store: Store, collection: str, measure: Measure, qrels: str | None = None
) -> tuple[str, ...]:
    """The names of the two runs that are shown by default.

    They are the baseline of the collection and the best other run on the measure; or the first two
    in natural order if there is no baseline, or if no run has a stored value.
    """
    return store.keep(
        ("usual runs", collection, str(measure), qrels),
        lambda: _usual_runs(store, collection, measure, qrels),
        bytes_of,
    )


def _usual_runs(
    store: Store, collection: str, measure: Measure, qrels: str | None
) -> tuple[str, ...]:
    with store.read() as connection:
        collection_id, chosen = kept_choice(store, collection, qrels)
        runs = sorted(
            list_leaderboard_runs(connection, collection_id), key=lambda run: natural(run.name)
        )
        baseline = find_baseline(connection, collection_id)
        measure_id = list_aggregated_measures(connection, chosen.id).get(str(measure))
        rows = [] if measure_id is None else list_aggregates(connection, chosen.id, [measure_id])
    names = {run.id: run.name for run in runs}
    if baseline is None or baseline.id not in names:
        return tuple(names.values())[:2]
    towards = -1 if measure.descriptor.higher_is_better is False else 1
    others = {row.run_id: towards * row.value for row in rows if row.run_id != baseline.id}
    ranked = sorted((id_ for id_ in names if id_ in others), key=lambda id_: -others[id_])
    rest = [id_ for id_ in names if id_ != baseline.id]
    return tuple(names[id_] for id_ in (baseline.id, *(ranked or rest)[:1]))
