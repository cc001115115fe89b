"""What holds for every measure, from what its descriptor says."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure_samples import Answer, by_hand, qrels_of, run_of

from evalstore.formats import read_qrels, read_run
from evalstore.measures import Measure, aggregate, evaluate, parse, registry
from evalstore.measures.join import match
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.registry import Descriptor, Parameter, Value

pytestmark = pytest.mark.slow  # properties of every measure

GRADES = st.sampled_from([None, -2, -1, 0, 0, 1, 1, 2, 3, 0.5, 2.5])
MISSED = st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0, 1.5])
ROUNDING = 1e-9
CURRENCY = "EUR"
COSTS: Mapping[str, Any] = {
    **{"index_bytes": 9, "memory_bytes": 10, "money": 0.5, "currency": CURRENCY},
    **{"energy_joules": 2.5, "run_queries": 3},
}


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    ranking = draw(st.lists(GRADES, max_size=12))
    missed = draw(st.lists(MISSED, max_size=5))
    count = len(ranking) + len(missed)
    return Answer(
        ranking,
        missed,
        known=draw(st.lists(st.integers(1, 17), max_size=5)),
        aspects=draw(st.lists(st.lists(st.sampled_from("abc"), unique=True), max_size=count)),
        time=draw(st.floats(0, 1e6) | st.just(math.nan)),
        answered=bool(ranking),
    )


@st.composite
def judged_runs(draw: st.DrawFn) -> Judged:
    queries = draw(st.lists(answers(), max_size=4))
    compat: CompatMode = draw(st.sampled_from(["exact", "trec_eval-9", "trec_eval-10"]))
    size = 20 * len(queries) + 1
    return by_hand(*queries, compat=compat, collection_size=size, distinct=size // 2, **COSTS)


def in_bounds(parameter: Parameter) -> st.SearchStrategy[Value | None]:
    """Values that a parameter takes."""
    if parameter.name == "currency":
        return st.just(CURRENCY)
    if parameter.kind == "text":
        return st.sampled_from(parameter.choices)
    if parameter.kind == "flag":
        return st.booleans()
    if parameter.kind == "gains":
        pairs = st.dictionaries(st.integers(0, 5), st.floats(0, 20).map(lambda x: round(x, 3)))
        return pairs.map(lambda gains: tuple(sorted(gains.items())) or None)
    if parameter.kind == "levels":
        return st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 1]), min_size=1, max_size=4).map(tuple)
    least = max(parameter.least, parameter.above, -5)
    most = min(parameter.most, parameter.below, 50)
    numbers = st.integers(math.ceil(least), math.floor(most)) | st.floats(least, most).map(
        lambda x: round(x, 6)
    )
    if parameter.kind == "whole":
        numbers = st.integers(math.ceil(least), math.floor(most))
    return numbers.filter(lambda x: parameter.above < x < parameter.below)


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure with any parameters, written down and read."""
    descriptor = registry()[draw(st.sampled_from(sorted(registry())))]
    written = []
    for parameter in descriptor.accepted:
        if parameter.required or draw(st.booleans()):
            value = draw(in_bounds(parameter))
            if value is not None and not parameter.becomes:
                written.append(f"{parameter.name}={_text(value)}")
    text = descriptor.name + (f"({','.join(written)})" if written else "")
    if descriptor.cutoff is not None and (descriptor.cutoff.required or draw(st.booleans())):
        rank = descriptor.cutoff.kind == "rank"
        text += f"@{draw(st.integers(1, 30) if rank else st.sampled_from([0, 0.1, 0.25, 0.7, 1]))}"
    return parse(text)


def _text(value: Value) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value) + "}"
    return repr(value)


@given(measures())
def test_a_measure_is_its_string(measure: Measure) -> None:
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)


@given(judged_runs(), measures())
def test_values_are_numbers_within_bounds(judged: Judged, measure: Measure) -> None:
    values = evaluate(judged, [measure])[measure]
    assert values.dtype == np.float64
    assert values.shape == (len(judged),)
    assert np.isfinite(values).all()
    low, high = measure.descriptor.bounds
    assert (values >= low - ROUNDING).all()
    assert (values <= high + ROUNDING).all()
    if measure.descriptor.counts:
        assert (values == np.round(values)).all()
    assert math.isfinite(aggregate(measure, values, judged))


@given(judged_runs())
def test_every_measure_on_the_same_rankings(judged: Judged) -> None:
    every = [parse(d.example) for d in registry().values()]
    for measure, values in evaluate(judged, every).items():
        low, high = measure.descriptor.bounds
        assert np.isfinite(values).all(), measure
        assert ((low - ROUNDING <= values) & (values <= high + ROUNDING)).all(), measure
        assert math.isfinite(aggregate(measure, values, judged)), measure


@given(
    st.lists(answers(), min_size=2, max_size=4),
    # Where max_rel is a parameter, the highest grade of all the qrels counts.
    measures().filter(lambda measure: measure.descriptor.parameter("max_rel") is None),
)
def test_a_query_does_not_depend_on_the_others(queries: list[Answer], measure: Measure) -> None:
    together = evaluate(by_hand(*queries, collection_size=99, distinct=5, **COSTS), [measure])[
        measure
    ]
    alone = [
        evaluate(by_hand(one, collection_size=99, distinct=5, **COSTS), [measure])[measure][0]
        for one in queries
    ]
    assert together == pytest.approx(alone, abs=1e-12)


# --- order ----------------------------------------------------------------------------------------

MONOTONE = [d.name for d in registry().values() if d.monotone and d.higher_is_better is not None]


def worth(grade: float | None) -> float:
    """What a document is worth; only judged documents have an order."""
    return grade if grade is not None and grade >= 0 else 0


NEIGHBOURS = [
    (worse, better)
    for worse in (None, -2, -1, 0, 0.5, 1, 2, 2.5)
    for better in (0.5, 1, 2, 2.5, 3)
    if worth(worse) < worth(better)
]
RANKED = st.lists(GRADES, max_size=5)


@given(RANKED, st.sampled_from(NEIGHBOURS), RANKED, st.lists(MISSED, max_size=4))
def test_a_better_document_moved_up_never_makes_it_worse(
    above: list[float | None],
    neighbours: tuple[float | None, float],
    below: list[float | None],
    missed: list[float],
) -> None:
    worse, better = neighbours
    ranking, swapped = [*above, worse, better, *below], [*above, better, worse, *below]
    before = by_hand(Answer(ranking, missed), collection_size=99, distinct=5, **COSTS)
    after = by_hand(Answer(swapped, missed), collection_size=99, distinct=5, **COSTS)
    for name in MONOTONE:
        measure = parse(registry()[name].example)
        was, now = (evaluate(j, [measure])[measure][0] for j in (before, after))
        if registry()[name].higher_is_better:
            assert now >= was - ROUNDING, measure
        else:
            assert now <= was + ROUNDING, measure
        if not registry()[name].rank_sensitive:
            assert now == pytest.approx(was, abs=ROUNDING), measure


@pytest.mark.parametrize("name", [d.name for d in registry().values() if d.ideal is not None])
@given(
    st.lists(st.sampled_from([-1, 0, 0, 1, 2, 3, 1.5]), max_size=12),
    st.sampled_from([1, 2, 3]),
    st.integers(0, 4),
)
def test_the_ideal_ranking_reaches_the_best(
    name: str, grades: list[float], relevant: float, unjudged: int
) -> None:
    descriptor: Descriptor = registry()[name]
    pool = sorted([relevant, *grades], reverse=True)
    ranking: list[float | None] = [g for g in pool if g > 0]
    ranking += [None] * unjudged + [g for g in pool if g <= 0]
    if name == "Inversions":
        ranking = [*pool]
    measure = parse(descriptor.example)
    judged = by_hand(Answer(ranking))
    assert evaluate(judged, [measure])[measure][0] == pytest.approx(descriptor.ideal)


# --- the order of the input -----------------------------------------------------------------------


@given(st.integers(0, 2**32))
def test_the_order_of_lines_never_matters(seed: int) -> None:
    draw = random.Random(seed)
    run = [
        f"{q} Q0 d{d} {draw.randrange(9)} {draw.choice([1, 1.5, 2, 2, 3])} tag"
        for q in "abc"
        for d in draw.sample(range(30), draw.randrange(1, 20))
    ]
    qrels = [
        f"{q} 0 d{d} {draw.choice([-1, 0, 0, 1, 2])}"
        for q in "abd"
        for d in draw.sample(range(30), draw.randrange(1, 20))
    ]
    every = [parse(d.example) for d in registry().values() if not d.needs]
    values = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(2):
            (folder / "run").write_text("\n".join(run))
            (folder / "qrels").write_text("\n".join(qrels))
            judged = match(read_run(str(folder / "run")), read_qrels(str(folder / "qrels")))
            values.append(np.array(list(evaluate(judged, every).values())))
            draw.shuffle(run)
            draw.shuffle(qrels)
    # Sums may be rounded otherwise where the rows of a rating stand in another order.
    assert values[0] == pytest.approx(values[1], abs=1e-12)


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.dictionaries(st.sampled_from("vwxyz"), st.sampled_from([-1.0, 0.0, 1.0, 2.0])),
    ),
    st.dictionaries(
        st.sampled_from(["a", "b", "d"]),
        st.dictionaries(st.sampled_from("uvwxyz"), st.sampled_from([0.5, 1.0, 2.0]), min_size=1),
        min_size=1,
    ),
    st.none() | st.integers(1, 4),
    st.booleans(),
)
def test_options_keep_the_arrays_in_shape(
    grades: dict[str, dict[str, float]],
    scores: dict[str, dict[str, float]],
    depth: int | None,
    judged_only: bool,
) -> None:
    judged = match(run_of(scores), qrels_of(grades), depth=depth, judged_only=judged_only)
    assert (np.diff(judged.query * 100 + judged.rank) > 0).all()
    assert (judged.rank >= 1).all()
    assert (judged.rank <= judged.retrieved[judged.query]).all()
    if depth is not None:
        assert (judged.retrieved <= depth).all()
    if judged_only:
        assert (judged.grade >= 0).all()
