"""A held-out split: which queries, which run is chosen on the others, and what is then compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from compared_runs import numbered, run_values

from evalstore.catalog.names import parse_conditions
from evalstore.comparison.choosing.holdout import held_out, hold_out, split
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns, Rankings, restrict
from evalstore.comparison.significance import Settings
from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.formats.queries import Queries
from evalstore.measures import named_measures

AP = named_measures("AP")
HELD = {f"q{number:02}" for number in range(1, 5)}
"""Four of ten queries."""


def loaded(*first_and_rest: tuple[str, float, float], baseline: int | None = 0) -> LoadedRuns:
    """Runs by name, with about these figures over the four held-out queries and over the rest."""
    runs = [
        run_values(name, numbered([*np.linspace(held, held + 0.1, 4), *[rest] * 6]))
        for name, held, rest in first_and_rest
    ]
    return LoadedRuns(tuple(runs), baseline=baseline)


THREE = (("base", 0.5, 0.5), ("test-best", 0.9, 0.2), ("chosen", 0.6, 0.7))


@pytest.mark.parametrize(("queries", "share", "held"), [(53, 0.3, 16), (10, 0.5, 5), (3, 0.1, 0)])
def test_exactly_the_share_is_held_out(queries: int, share: float, held: int) -> None:
    values = split([f"q{number}" for number in range(queries)], share)
    assert list(values.values()).count("yes") == held
    assert list(values.values()).count("no") == queries - held


def test_the_split_depends_on_the_ids_alone_and_grows_with_the_share() -> None:
    qids = [f"q{number}" for number in range(100)]
    few = split(qids, 0.2)
    assert split(qids[::-1], 0.2) == few
    more = split(qids, 0.4)
    assert all(more[qid] == "yes" for qid in qids if few[qid] == "yes")
    assert any(few[qid] == "yes" for qid in qids[:50])
    assert any(few[qid] == "yes" for qid in qids[50:])


@pytest.mark.parametrize("share", [0, 1, -0.5, 30])
def test_a_share_lies_between_0_and_1(share: float) -> None:
    with pytest.raises(DataError, match="share of the queries to hold out must lie between 0 and"):
        split(["q1"], share)


def test_the_run_that_is_best_on_the_other_queries_is_compared_on_the_held_out_ones() -> None:
    compared = compare_loaded(hold_out(loaded(*THREE), HELD, AP), AP)
    [pair] = compared.pairs
    assert (pair.a, pair.b, pair.queries) == ("base", "chosen", 4)
    assert pair.difference == pytest.approx(0.1)
    assert pair.family == "Holm over 1 pair"
    assert compared.restriction == "the 4 of 10 held-out queries"
    assert compared.notes[0] == "chosen was chosen of 2 runs by AP on the other 6 queries"


def test_the_order_of_the_runs_stays_and_the_first_of_equals_is_chosen() -> None:
    runs = (("one", 0.1, 0.7), ("base", 0.5, 0.5), ("two", 0.2, 0.7 + 1e-12))
    result = hold_out(loaded(*runs, baseline=1), HELD, AP)
    assert ([run.name for run in result.runs], result.baseline) == (["one", "base"], 1)


def test_the_first_measure_chooses_and_its_direction_counts() -> None:
    measures = named_measures("ResponseTime")
    runs = [
        run_values(name, numbered([rest] * 10), measure="ResponseTime")
        for name, rest in (("base", 5.0), ("slow", 9.0), ("fast", 3.0))
    ]
    result = hold_out(LoadedRuns(tuple(runs), baseline=0), HELD, measures)
    assert [run.name for run in result.runs] == ["base", "fast"]


def test_a_measure_without_a_better_direction_can_not_choose() -> None:
    runs = [run_values(name, numbered([1.0] * 10), measure="NumRet") for name in "abc"]
    with pytest.raises(DataError, match="can't be chosen by NumRet: put another measure first"):
        hold_out(LoadedRuns(tuple(runs), baseline=0), HELD, named_measures("NumRet"))


@pytest.mark.parametrize(("number", "baseline"), [(2, 0), (2, None), (3, None)])
def test_of_two_runs_or_without_a_baseline_all_are_compared(
    number: int, baseline: int | None
) -> None:
    result = hold_out(loaded(*THREE[:number], baseline=baseline), HELD, AP)
    assert [run.name for run in result.runs] == [name for name, *_ in THREE[:number]]
    assert [run.qids for run in result.runs] == [tuple(sorted(HELD))] * number
    assert not result.notes


def test_conditions_hold_for_both_parts() -> None:
    attributes = {f"q{number:02}": {"lang": "de"} for number in (1, 2, 3, 9, 10)}
    source = LoadedRuns(loaded(*THREE).runs, Queries({}, attributes), baseline=0)
    result = hold_out(restrict(source, parse_conditions("lang=de")), HELD, AP)
    assert result.restriction == "the 3 held-out of the 5 of 10 queries with lang=de"
    assert result.notes == ("chosen was chosen of 2 runs by AP on the other 2 queries",)


def test_over_common_queries_a_run_is_chosen_on_those_that_all_answer() -> None:
    missing = [f"q{number:02}" for number in range(5, 10)]
    runs = (
        run_values("base", numbered([0.5] * 10)),
        run_values("a", numbered([*[0.5] * 4, *[0.0] * 5, 0.9]), missing=missing),
        run_values("b", numbered([*[0.5] * 4, *[0.6] * 6])),
    )
    source = LoadedRuns(runs, baseline=0)
    assert [run.name for run in hold_out(source, HELD, AP).runs] == ["base", "b"]
    common = hold_out(source, HELD, AP, common=True)
    assert [run.name for run in common.runs] == ["base", "a"]
    assert common.notes[0].endswith("on the other 1 query")


def test_the_rankings_are_those_of_the_runs_that_stay() -> None:
    rankings = tuple(Run.from_dict({"q01": {name: 1.0}}, name=name) for name, *_ in THREE)
    qrels = Qrels.from_dict({"q01": {"d": 1}}, name="q")
    source = LoadedRuns(
        loaded(*THREE).runs, baseline=0, rankings=lambda _: Rankings(rankings, qrels)
    )
    kept = hold_out(source, HELD, AP)
    assert kept.rankings is not None
    assert kept.rankings(None).runs == (rankings[0], rankings[2])


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (["q01", "q02"], "2 of 10 queries held out: a test needs 3 at least"),
        ([f"q{number:02}" for number in range(1, 11)], "no queries that are not held out"),
    ],
)
def test_both_parts_need_queries(held: Sequence[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        hold_out(loaded(*THREE), held, AP)


def test_the_best_of_equal_runs_is_seldom_better_on_other_queries() -> None:
    """Chosen and tested on the same queries, it is said to be better far too often."""
    random = np.random.default_rng(1)
    experiments, queries, runs = 150, 50, 12
    held = held_out(numbered([0.0] * queries).keys(), 0.4)
    on_the_same = on_others = 0
    for _ in range(experiments):
        hard = random.beta(0.8, 1.5, (queries, 1))
        values = np.clip(hard + random.normal(0, 0.15, (queries, runs + 1)), 0, 1)
        of_runs = [run_values(f"r{i}", numbered(of.tolist())) for i, of in enumerate(values.T)]
        best = 1 + int(values[:, 1:].mean(axis=0).argmax())
        same = LoadedRuns((of_runs[0], of_runs[best]), baseline=0)
        others = hold_out(LoadedRuns(tuple(of_runs), baseline=0), held, AP)
        settings = Settings(tests=("t",))
        on_the_same += compare_loaded(same, AP, settings).pairs[0].verdict == "better"
        on_others += compare_loaded(others, AP, settings).pairs[0].verdict == "better"
    two_errors = 2 * (0.05 * 0.95 / experiments) ** 0.5
    assert on_the_same / experiments > 0.05 + two_errors
    assert on_others / experiments <= 0.05 + two_errors
