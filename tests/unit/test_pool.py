"""What follows from the judgments alone: computed once for all runs, and the same for each."""

from __future__ import annotations

import numpy as np
import pytest
from measure_samples import qrels_of, run_of

from evalstore.errors import MeasureError
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, evaluate, parse
from evalstore.measures.join import match
from evalstore.measures.judged import MOST_KEPT, Pool
from evalstore.measures.registry import registry

GRADES = {
    "1": {"a": 3, "b": 0, "c": 1, "d": 2, "x": -1},
    "10": {"a": 1, "e": 1},
    "2": {"b": 0},
    "9": {"a": 2, "f": 0, "g": 1},
}
RUNS = [
    run_of({"1": {"b": 5.0, "z": 4.0, "a": 2.0, "c": 1.0}, "10": {"y": 1.0, "e": 0.5}}),
    run_of({"9": {"g": 3.0, "f": 2.0, "a": 1.0}, "1": {"d": 9.0, "x": 8.0, "a": 7.0}}),
    run_of({"2": {"b": 1.0}, "9": {"a": 1.0}}),
]
PLAIN = [Measure(name) for name, descriptor in sorted(registry().items()) if not descriptor.needs]
VARIANTS = [
    parse(text) for text in ("nDCG(dcg='exp-log2')", "nDCG(gains={1:5,3:1})", "Bpref(rel=2)")
]


def values(run: Run, qrels: Qrels) -> dict[str, list[float]]:
    judged = match(run, qrels)
    measures = [measure for measure in [*PLAIN, *VARIANTS] if _is_whole(measure)]
    return {str(m): v.tolist() for m, v in evaluate(judged, measures).items()}


def _is_whole(measure: Measure) -> bool:
    """Whether a measure lacks no parameter that has to be given."""
    try:
        measure.complete()
    except MeasureError:
        return False
    return True


def test_no_value_depends_on_the_runs_that_were_evaluated_before() -> None:
    qrels = qrels_of(GRADES)
    together = [values(run, qrels) for run in [*RUNS, *reversed(RUNS)]]
    alone = [values(run, qrels_of(GRADES)) for run in [*RUNS, *reversed(RUNS)]]
    assert len(together[0]) > 40
    for of_run, expected in zip(together, alone, strict=True):
        for name, value in expected.items():
            np.testing.assert_array_equal(of_run[name], value, err_msg=name)


def test_all_runs_share_the_pool_of_a_qrels() -> None:
    qrels = qrels_of(GRADES)
    first, second = (match(run, qrels) for run in RUNS[:2])
    assert first.pool is second.pool
    assert first.cut(1).pool is first.condensed().pool is first.pool


def test_of_common_queries_alone_the_pool_has_their_judgments_alone() -> None:
    pool = match(RUNS[2], qrels_of(GRADES), common=True).pool
    assert (pool.queries, pool.query.tolist(), pool.grade.tolist()) == (
        2,
        [0, 1, 1, 1],
        [0, 2, 1, 0],
    )


def test_what_a_pool_counts_by_hand() -> None:
    pool = match(RUNS[0], qrels_of(GRADES)).pool  # queries in the order of bytes: 1, 10, 2, 9
    assert pool.count().tolist() == [5, 2, 1, 3]
    assert pool.relevant(1).tolist() == [3, 2, 0, 2]
    assert pool.relevant(2).tolist() == [2, 0, 0, 1]
    assert pool.nonrelevant(1).tolist() == [1, 0, 1, 1]  # the grade of -1 is no judgment
    assert pool.places().tolist() == [1, 2, 3, 4, 5, 1, 2, 1, 1, 2, 3]
    assert pool.highest().tolist() == [3, 1, 0, 2]


@pytest.mark.parametrize("count", [MOST_KEPT, 10 * MOST_KEPT])
def test_a_pool_keeps_few_results_whatever_is_asked(count: int) -> None:
    pool = Pool(1, np.zeros(1, np.int64), np.ones(1))
    for number in range(count):
        assert pool.relevant(number / 2).tolist() == [float(number / 2 <= 1)]
    assert len(pool._memo) <= MOST_KEPT


class ClearingKey:
    """A key that, looked up more than once in a call, finds the results cleared meanwhile."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.lookups = pool, 0

    def __hash__(self) -> int:
        self.lookups += 1
        if self.lookups == 2:
            self.pool._memo.clear()
        return 1


def test_a_result_is_given_although_another_thread_clears_them_meanwhile() -> None:
    pool = Pool(1, np.zeros(1, np.int64), np.ones(1))
    key = ClearingKey(pool)
    pool.memo(key, lambda: "kept")
    key.lookups = 0
    assert pool.memo(key, lambda: "computed again") == "kept"
