"""Which measures follow from the relevant documents retrieved and the lengths of the rankings."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, aggregate, evaluate, parse, registry
from evalstore.measures.join import match
from evalstore.measures.judged import Judged
from evalstore.measures.registry import Descriptor

MEASURES = [descriptor for descriptor in registry().values() if not descriptor.facts]
SEEDS = range(20)


def drawn(seed: int) -> Judged:
    """12 queries of few judgments, of any grade but those between 0 and 1."""
    draw = random.Random(seed)
    grades = (-1, 0, 0, 1, 2, 3, *((1.1, 2.5) if seed % 2 else ()))
    qrels = {
        f"q{q}": {f"d{d}": draw.choice(grades) for d in range(draw.randrange(1, 30))}
        for q in range(12)
    }
    run = {
        f"q{q}": {f"d{d}": draw.randrange(40) / 10 for d in draw.sample(range(60), 40)}
        for q in range(11)
    }
    return match(Run.from_dict(run), Qrels.from_dict(qrels))


def of_hits(judged: Judged) -> Judged:
    """Without the documents of a grade below 1, and without scores."""
    kept = judged.grade >= 1
    return replace(
        judged,
        query=judged.query[kept],
        rank=judged.rank[kept],
        grade=judged.grade[kept],
        score=np.zeros(int(kept.sum())),
        _memo={},
    )


def figures(judged: Judged, measure: Measure) -> bytes:
    """The values of the queries and their aggregate, to the last bit."""
    values = evaluate(judged, [measure])[measure]
    return np.append(values, aggregate(measure, values, judged)).tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("descriptor", MEASURES, ids=lambda descriptor: descriptor.name)
def test_a_measure_is_from_hits_where_other_judged_documents_change_nothing(
    descriptor: Descriptor,
) -> None:
    measures = [parse(descriptor.example)]
    if descriptor.cutoff is not None and descriptor.cutoff.kind == "rank":
        measures += [parse(f"{descriptor.name}@{k}") for k in (1, 3, 100)]
    same = [
        figures(judged, measure) == figures(of_hits(judged), measure)
        for judged in map(drawn, SEEDS)
        for measure in measures
    ]
    assert all(same) == descriptor.from_hits
