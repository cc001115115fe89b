"""Judged rankings written by hand, for examples in the documentation and for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalstore.measures.judged import CompatMode, Judged, Subtopics
from evalstore.measures.pool import Pool
from evalstore.measures.segments import I64

Grade = float | None


@dataclass(frozen=True)
class Answer:
    """What an engine answered to one query.

    Attributes:
        ranking: the grades at ranks 1, 2, 3, ...; None where nobody judged the document.
        missed: the grades of judged documents that were not retrieved.
        scores: what the engine gave each document; falling by 1 to 1 unless said.
        known: the places of documents the user knew; those missed count on from the ranking.
        aspects: for each document, those missed included, the subtopics it is relevant to; or the
            judgment groups that found it relevant.
        time: milliseconds.
        answered: whether the run has the query.
    """

    ranking: Sequence[Grade]
    missed: Sequence[float] = ()
    scores: Sequence[float] | None = None
    known: Sequence[int] = ()
    aspects: Sequence[Sequence[str]] = ()
    time: float = float("nan")
    answered: bool = True


def by_hand(
    *answers: Answer,
    compat: CompatMode = "exact",
    collection_size: int | None = None,
    distinct: int | None = None,
    index_bytes: int | None = None,
    memory_bytes: int | None = None,
    money: float | None = None,
    currency: str | None = None,
    energy_joules: float | None = None,
    run_queries: int = 0,
) -> Judged:
    """The answers as measures see them; the queries are named q01, q02, ..."""
    lists = [list(answer.ranking) for answer in answers]
    rows = [(q, i) for q, grades in enumerate(lists) for i, g in enumerate(grades) if g is not None]
    query = np.array([q for q, _ in rows], np.int64)
    pool = [
        (q, -grade, position)
        for q, answer in enumerate(answers)
        for position, grade in enumerate([*answer.ranking, *answer.missed], 1)
        if grade is not None
    ]
    pool.sort()
    known = [set(answer.known) for answer in answers]
    scores = [list(range(len(a.ranking), 0, -1)) if a.scores is None else a.scores for a in answers]
    grades = np.array([-negative for _, negative, _ in pool], np.float64)
    return Judged(
        qids=tuple(f"q{i:02}" for i in range(1, len(answers) + 1)),
        query=query,
        rank=np.array([i + 1 for _, i in rows], np.int64),
        grade=np.array([lists[q][i] for q, i in rows], np.float64),
        score=np.array([scores[q][i] for q, i in rows], np.float64),
        retrieved=np.array([len(grades) for grades in lists], np.int64),
        answered=np.array([answer.answered for answer in answers], bool),
        pool=Pool(len(answers), np.array([q for q, _, _ in pool], np.int64), grades),
        highest_grade=float(max(grades.max(initial=0.0), 0.0)),
        compat=compat,
        collection_size=collection_size,
        distinct=distinct,
        known=np.array([i + 1 in known[q] for q, i in rows], bool),
        pool_known=np.array([position in known[q] for q, _, position in pool], bool),
        times=np.array([answer.time for answer in answers], np.float64),
        index_bytes=index_bytes,
        memory_bytes=memory_bytes,
        money=money,
        currency=currency,
        energy_joules=energy_joules,
        run_queries=run_queries,
        subtopics=_subtopics(answers),
        judgment_groups=_subtopics(answers),
    )


def _subtopics(answers: Sequence[Answer]) -> Subtopics:
    judgments = [
        (q, position, aspect, position if position <= len(answer.ranking) else 0)
        for q, answer in enumerate(answers)
        for position, aspects in enumerate(answer.aspects, 1)
        for aspect in aspects
    ]
    names = {
        name: i for i, name in enumerate(sorted({(q, aspect) for q, _, aspect, _ in judgments}))
    }
    widest = max([position for _, position, _, _ in judgments], default=0) + 1

    def column(values: Sequence[int]) -> I64:
        return np.array(values, np.int64)

    return Subtopics(
        query=column([q for q, _, _, _ in judgments]),
        document=column([q * widest + position for q, position, _, _ in judgments]),
        subtopic=column([names[q, aspect] for q, _, aspect, _ in judgments]),
        grade=np.ones(len(judgments)),
        rank=column([rank for _, _, _, rank in judgments]),
    )
