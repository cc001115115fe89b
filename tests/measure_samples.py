"""Runs and qrels in memory, and what a measure says of rankings written by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from evalstore.evaluation.measure_help import Answer, by_hand
from evalstore.formats import Qrels, Run
from evalstore.measures import aggregate, evaluate, parse
from evalstore.measures.judged import Judged

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
