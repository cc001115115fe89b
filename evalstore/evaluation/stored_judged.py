"""A stored run joined with its judgments: what measures that are not stored are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from sqlalchemy import Connection

from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.measures.join import match, pool_of
from evalstore.measures.judged import Judged
from evalstore.store.queries.evaluations import StoredEvaluation
from evalstore.store.queries.facts import load_extras
from evalstore.store.queries.rankings import load_hits, load_run, no_rankings


def load_judged(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Iterable[Measure],
    run: Run | None = None,
) -> tuple[Run, Judged]:
    """The stored run of an evaluation, and its join with the judgments by the evaluation's rules.

    Args:
        connection: to the store.
        evaluation: of the run.
        qrels: its judgments, as `load_qrels` gives them.
        measures: what is to be computed: the facts that they need are loaded with it.
        run: the rankings, where they have been loaded.

    Raises:
        NoRankings: the run came as values.
    """
    measures = list(measures)
    if evaluation.run.values_only:
        raise no_rankings(evaluation.run, measures)
    run = run or load_run(connection, evaluation.run)
    extras = load_extras(connection, evaluation.collection_id, evaluation.run.id, measures)
    return run, match(run, qrels, compat=evaluation.compat, extras=extras)


def from_hits_and_others(
    measures: Mapping[str, Measure], evaluation: StoredEvaluation, qrels: Qrels
) -> tuple[dict[str, Measure], dict[str, Measure]]:
    """The measures that the hits of an evaluation are enough for, and the others.

    Hits have a grade of 1 or more, so they are not enough where a lower grade counts: by a
    parameter, or in judgments with grades between 0 and 1. A run that came as values has no hits.
    """
    has_all_gains = not ((qrels.grades > 0) & (qrels.grades < 1)).any()
    if evaluation.run.values_only or not has_all_gains:
        return {}, dict(measures)
    enough = {name: measure for name, measure in measures.items() if _follows_from_hits(measure)}
    return enough, {name: measure for name, measure in measures.items() if name not in enough}


def _follows_from_hits(measure: Measure) -> bool:
    levels = {p.name for p in measure.descriptor.parameters if p.is_level}
    return (
        measure.descriptor.from_hits
        and not measure.descriptor.facts
        and all(_at_least_one(v) and n in levels for n, v in measure.parameters)
    )


def _at_least_one(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1


def load_judged_hits(connection: Connection, evaluation: StoredEvaluation, qrels: Qrels) -> Judged:
    """The join of a stored run with its judgments, from the hits alone: no ranking is unpacked.

    It lacks the retrieved documents of a grade below 1, so only the measures that
    `from_hits_and_others` gives first have the same values as from `load_judged`.
    """
    hits = load_hits(connection, evaluation.id, evaluation.run.id)
    number = {qid: at for at, qid in enumerate(qrels.qids)}
    query = np.array([number[qid] for qid in hits.qid], np.int64)
    in_order = np.lexsort((hits.rank, query))
    return Judged(
        qids=tuple(qrels.qids),
        query=query[in_order],
        rank=hits.rank[in_order],
        grade=hits.grade[in_order],
        score=hits.score[in_order],
        retrieved=np.array([hits.lengths.get(qid, 0) for qid in qrels.qids], np.int64),
        answered=np.array([qid in hits.lengths for qid in qrels.qids], bool),
        pool=pool_of(qrels),
        highest_grade=float(max(qrels.grades.max(initial=0), 0)),
        compat=evaluation.compat,
    )


def computed_together(measures: Mapping[str, Measure]) -> Iterator[list[str]]:
    """Measures that need no facts together; each of the others, which may lack some, alone."""
    plain = [name for name, measure in measures.items() if not measure.descriptor.needs]
    if plain:
        yield plain
    yield from ([name] for name in measures if name not in plain)
