"""One query: the rankings of several runs with grades, values, and the documents all missed.

Only what belongs to the query is read, so that the size of the collection makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import kept_choice, kept_collection
from evalstore.errors import MeasureError, NotFound, did_you_mean
from evalstore.evaluation.explain import Explained, explain_query
from evalstore.formats import Qrels, Run, ties
from evalstore.measures import Measure, evaluate
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.matching import match
from evalstore.measures.presets import RECALL_LEVELS
from evalstore.measures.spec import parse
from evalstore.store import Store
from evalstore.store.columns import texts
from evalstore.store.queries.comparison import list_query_values
from evalstore.store.queries.documents import load_texts
from evalstore.store.queries.evaluations import EvaluationKey, find_evaluation
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.qrels import highest_grade, load_judgments
from evalstore.store.queries.queries import find_query, list_qids, load_attributes
from evalstore.store.queries.rankings import F64, load_rankings
from evalstore.store.queries.runs import list_values_only

RELEVANT = 1.0
"""The lowest grade that counts as relevant here."""


@dataclass(frozen=True)
class RunOfQuery:
    """The run whose ranking is asked for: its id, and its name for messages."""

    id: int
    name: str


@dataclass(frozen=True, eq=False)
class QueryRanking:
    """The whole ranking of one run for a query.

    Attributes:
        run: the run.
        docnos: the documents in order, ties resolved by the rules of the evaluation.
        grades: of each; None where nobody judged it, negative where it is in the pool only.
        value: of the measure; None where there is none.
        no_value: why there is no value; empty where there is one.
        no_ranking: why there is no ranking; empty where there is one.
        compat: the trec_eval whose rules the evaluation follows.
        content: the ranking as a run of one query; of none where it has no ranking.
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
        """The rank, from 1, by document."""
        return {docno: rank for rank, docno in enumerate(self.docnos, 1)}

    def relevant_ranks(self) -> list[int]:
        """The ranks of the relevant documents, ascending."""
        return [rank for rank, grade in enumerate(self.grades, 1) if is_relevant(grade)]


@dataclass(frozen=True, eq=False)
class RankedQuery:
    """A query and what several runs retrieve for it.

    Attributes:
        qid, text, attributes: of the query; text is None where it is not known.
        qrels: the name of the judgments.
        all_qrels: the names of the judgments of the collection, the default first.
        measure: what the values are of.
        grades: the judgments of the query, by document; empty where the qrels does not judge it.
        rankings: one a run, in the order asked.
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
        """The relevant documents: the highest grade first, then by document as bytes."""
        relevant = [docno for docno, grade in self.grades.items() if is_relevant(grade)]
        return tuple(sorted(relevant, key=lambda docno: (-self.grades[docno], docno.encode())))

    @property
    def missed(self) -> tuple[str, ...]:
        """The relevant documents that none of the runs retrieves, in the order of `relevant`."""
        return tuple(
            docno
            for docno in self.relevant
            if not any(docno in ranking.rank_of for ranking in self.rankings)
        )

    def explained(self, ranking: QueryRanking, depth: int) -> Explained | None:
        """Rank by rank how values are computed; None where the qrels does not judge the query."""
        if self.judgments is None:
            return None
        return explain_query(
            ranking.content, self.judgments, self.qid, depth, compat=ranking.compat
        )

    def interpolated(self, ranking: QueryRanking) -> tuple[float, ...]:
        """Interpolated precision at recall 0, 0.1, ..., 1; empty where nothing is relevant."""
        if self.judgments is None or not self.relevant:
            return ()
        judged = match(ranking.content, self.judgments, compat=ranking.compat)
        levels = [parse(name) for name in RECALL_LEVELS]
        values = evaluate(judged, levels)
        return tuple(float(values[level][0]) for level in levels)


def is_relevant(grade: float | None) -> bool:
    """Whether a grade counts as relevant; None is no grade."""
    return grade is not None and grade >= RELEVANT


def load_ranked_query(
    store: Store,
    collection: str,
    qid: str,
    runs: Sequence[RunOfQuery],
    measure: Measure,
    qrels: str | None = None,
) -> RankedQuery:
    """The rankings of several runs for one query; nothing is written.

    The value of a measure that is not stored is computed from the ranking and the judgments.

    Args:
        store: where the runs are.
        collection: the name of their collection.
        qid: the query.
        runs: active runs of the collection.
        measure: what values are shown of.
        qrels: the name of the judgments; the default ones of the collection where None.

    Raises:
        NotFound: there is no such collection, qrels or query.
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
    """The stored (title, text) of some documents by docno, each cut after `most` characters.

    Documents whose texts are not stored are left out.

    Raises:
        NotFound: there is no such collection.
        StoreError: a stored text is damaged.
    """
    with store.read() as connection:
        return load_texts(connection, kept_collection(store, collection).id, docnos, most)


@dataclass(frozen=True)
class _Loading:
    """What the values of one query are read with."""

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
        """The value of a run, or None and why there is none."""
        if self.judgments is None:
            return None, "the qrels does not judge this query"
        if "collection_size" in self.measure.descriptor.facts:
            return None, f"{self.measure} is computed from all queries of a run, and is not stored"
        extras = load_extras(self.connection, self.collection_id, run.id, [self.measure])
        try:
            judged: Judged = match(content, self.judgments, compat=compat, extras=extras)
            # Of all queries of the qrels, as for the values that are stored.
            highest = max(highest_grade(self.connection, self.qrels_id), 0.0)
            judged = replace(judged, highest_grade=highest)
            value = float(evaluate(judged, [self.measure])[self.measure][0])
        except MeasureError as error:
            return None, str(error)
        return value, ""


def _content(name: str, qid: str, ranking: tuple[pa.Array, F64] | None, compat: CompatMode) -> Run:
    """A ranking as a run of one query; without a ranking a run of no query."""
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
