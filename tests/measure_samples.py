"""Runs and qrels in memory, and what a measure says of rankings written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from evalstore.formats import Qrels, Run
from evalstore.measures import aggregate, evaluate, parse
from evalstore.measures.judged import I64, CompatMode, Judged, Pool, Subtopics

Table = Mapping[str, Mapping[str, float]]


def values(judged: Judged, measure: str) -> list[float]:
    """The measure of every query."""
    parsed = parse(measure)
    return [float(v) for v in evaluate(judged, [parsed])[parsed]]


def value(measure: str, *ranking: float | None, missed: tuple[float, ...] = ()) -> float:
    """The measure of one ranking of these grades."""
    return values(by_hand(Answer(ranking, missed)), measure)[0]


def overall(judged: Judged, measure: str) -> float:
    """The measure over all queries."""
    parsed = parse(measure)
    return aggregate(parsed, evaluate(judged, [parsed])[parsed], judged)


def columns(table: Table, *, by_value: bool) -> dict[str, object]:
    qids = sorted(table, key=str.encode)
    rows = [
        (i, docno.encode(), float(number))
        for i, qid in enumerate(qids)
        for docno, number in (
            sorted(table[qid].items(), key=lambda x: -x[1]) if by_value else table[qid].items()
        )
    ]
    codes = np.array([i for i, _, _ in rows], np.int64)
    lengths = np.bincount(codes, minlength=len(qids))
    docnos = pa.array([docno for _, docno, _ in rows], pa.binary())
    return {
        "path": "sample",
        "qids": tuple(qids),
        "starts": np.cumsum(lengths) - lengths,
        "lengths": lengths,
        "docnos": docnos,
        "warnings": (),
        "values": np.array([number for _, _, number in rows], np.float64),
    }


def run_of(scores: Table) -> Run:
    arrays = columns(scores, by_value=True)
    return Run(tag="sample", scores=arrays.pop("values"), **arrays)  # type: ignore[arg-type]


def qrels_of(grades: Table) -> Qrels:
    arrays = columns(grades, by_value=False)
    del arrays["starts"]
    return Qrels(grades=arrays.pop("values"), **arrays)  # type: ignore[arg-type]


# Judged rankings written by hand, for examples in the documentation and for tests

Grade = float | None


@dataclass(frozen=True)
class Answer:
    """The answer of an engine to one query.

    Attributes:
        ranking: the grades at ranks 1, 2, 3, ...; None for an unjudged document.
        missed: the grades of judged documents that were not retrieved.
        scores: the engine's scores; None for scores that fall to 1, by 1 at each rank.
        known: the positions of documents that the user knew; missed documents are numbered after
            the ranking.
        aspects: the subtopics or judgment groups of each document, including missed ones.
        time: the response time in milliseconds.
        answered: whether the run contains the query.
    """

    ranking: Sequence[Grade]
    missed: Sequence[float] = ()
    scores: Sequence[float] | None = None
    known: Sequence[int] = ()
    aspects: Sequence[Sequence[str]] = ()
    time: float = float("nan")
    answered: bool = True


def by_hand(*answers: Answer, compat: CompatMode = "exact", **facts: Any) -> Judged:
    """The answers as input for measures; the queries are q01, q02, ..., of one stratum each."""
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
    subtopics = _subtopics(answers)
    of_pool = np.array([q for q, _, _ in pool], np.int64)
    return Judged(
        qids=tuple(f"q{i:02}" for i in range(1, len(answers) + 1)),
        query=query,
        rank=np.array([i + 1 for _, i in rows], np.int64),
        grade=np.array([lists[q][i] for q, i in rows], np.float64),
        score=np.array([scores[q][i] for q, i in rows], np.float64),
        retrieved=np.array([len(grades) for grades in lists], np.int64),
        answered=np.array([answer.answered for answer in answers], bool),
        pool=Pool(len(answers), of_pool, grades, of_pool),
        highest_grade=float(max(grades.max(initial=0.0), 0.0)),
        compat=compat,
        known=np.array([i + 1 in known[q] for q, i in rows], bool),
        pool_known=np.array([position in known[q] for q, _, position in pool], bool),
        times=np.array([answer.time for answer in answers], np.float64),
        subtopics=subtopics,
        judgment_groups=subtopics,
        strata=query,
        **facts,
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
