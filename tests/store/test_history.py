"""The history of an engine: its runs in time, their differences, and marks that hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from changed_runs import annotate
from databases import both_databases
from samples import Filled, add, write_qrels, write_run
from sqlalchemy import update

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import remove_runs
from evalstore.errors import DataError, NotFound
from evalstore.measures import named_measures
from evalstore.sql.ask import ask
from evalstore.stats import online_level, paired_t, sign, t_interval
from evalstore.store import Store, models
from evalstore.tracking.history import (
    EngineHistory,
    changed_facts,
    engine_history,
    sentence,
    sparkline,
)

QIDS = [f"q{number}" for number in range(1, 13)]
QRELS = {qid: {"d1": 1} for qid in QIDS}


def ranks(numbers: Sequence[int]) -> dict[str, list[str]]:
    """A run that has the relevant document of each query at this rank."""
    return {
        qid: [*(f"x{i}" for i in range(1, rank)), "d1"]
        for qid, rank in zip(QIDS, numbers, strict=True)
    }


RUNS = {
    "run10": ranks([2, 3] * 6),  # stored first, but the last that was started
    "run1": ranks([4, 5] * 6),
    "run2": ranks([1, 2] * 6),
    "run3": ranks([1, 2] * 5 + [2, 1]),
}
STARTED = {"run1": 1, "run2": 2, "run3": 3, "run10": 4}
RR = {name: [1 / len(docnos) for docnos in run.values()] for name, run in RUNS.items()}
"""The reciprocal rank of every query."""


def fill(store: Store, folder: Path) -> None:
    """Four runs of the engine `e`, and one of another."""
    files = [write_run(folder, run, f"{name}.run", name) for name, run in RUNS.items()]
    qrels = write_qrels(folder, QRELS)
    add(store, folder, *files, qrels=qrels, engine="e")
    add(store, folder, write_run(folder, ranks([3] * 12), "o.run"), qrels=qrels, engine="o")
    run_t = models.table(models.Run)
    with store.write() as connection:
        for name, day in STARTED.items():
            at = datetime(2026, 3, day, tzinfo=UTC)
            connection.execute(update(run_t).where(run_t.c.name == name).values(started_at=at))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def history(store: Store, measure: str = "RR", **more: object) -> EngineHistory:
    (one,) = named_measures(measure).items()
    return engine_history(store, "e", one, **more)  # type: ignore[arg-type]


def mean(name: str) -> float:
    return sum(RR[name]) / len(QIDS)


@both_databases
def test_the_runs_are_in_the_order_in_which_the_engine_started(filled: Store) -> None:
    of_engine = history(filled)
    assert [run.run for run in of_engine.runs] == ["run1", "run2", "run3", "run10"]
    assert [run.at.day for run in of_engine.runs] == [1, 2, 3, 4]


@both_databases
def test_a_run_without_a_start_has_the_time_when_it_was_stored(filled: Store) -> None:
    run_t = models.table(models.Run)
    at = datetime(2026, 3, 2, 12, tzinfo=UTC)
    with filled.write() as connection:
        values = {"started_at": None, "created_at": at}
        connection.execute(update(run_t).where(run_t.c.name == "run1").values(values))
    assert [run.run for run in history(filled).runs] == ["run2", "run1", "run3", "run10"]


def test_each_run_has_its_value_and_the_difference_to_the_run_before(filled: Store) -> None:
    first, second, third, last = history(filled).runs
    assert first.value == pytest.approx(mean("run1"))
    assert (first.difference, first.p, first.change) == (None, None, None)
    assert second.difference == pytest.approx(mean("run2") - mean("run1"))
    assert third.difference == pytest.approx(0)
    assert last.difference == pytest.approx(mean("run10") - mean("run3"))


def test_a_p_below_its_level_says_better_or_worse(filled: Store) -> None:
    runs = history(filled).runs
    names = ["run1", "run2", "run3", "run10"]
    least = [2.0**-11, 0.5, 2.0**-10]  # of 12, 2 and 11 differences other than 0
    p = [max(paired_t(RR[a], RR[b]).p, m) for (a, b), m in zip(pairwise(names), least, strict=True)]
    assert [run.p for run in runs[1:]] == pytest.approx(p)
    # run2 is the reference of run3 and run10; of run3 it is the run before, too.
    assert [run.level for run in runs[1:]] == [online_level(0), online_level(0), online_level(1)]
    assert [run.change for run in runs] == [None, "better", "not shown", "worse"]
    low, high = runs[1].low, runs[1].high
    assert low is not None
    assert high is not None
    assert 0 < low < mean("run2") - mean("run1") < high
    assert sentence(history(filled)) == (
        "of 3 differences to the run before: 1 better, 1 worse (paired t test; marks hold: on "
        "average at most 5 % of an engine's are false, however often you look)"
    )
    assert [run.change for run in history(filled, alpha=1e-9).runs[1:]] == ["not shown"] * 3


def test_the_reference_is_the_last_run_shown_to_differ_else_the_first(filled: Store) -> None:
    runs = history(filled).runs
    assert [run.reference for run in runs] == [None, "run1", "run2", "run2"]
    # That is the run before of run2 and run3, and its difference is tested once.
    assert [run.reference_p is None for run in runs] == [True, True, True, False]
    last = runs[-1]
    assert last.reference_difference == pytest.approx(mean("run10") - mean("run2"))
    assert last.reference_change == "worse"
    assert last.reference_level == online_level(0)  # after the mark of the run before


def test_the_test_is_one_of_compare(filled: Store) -> None:
    by_sign = history(filled, test="sign")
    names = ["run1", "run2", "run3", "run10"]
    p = [sign(RR[a], RR[b]).p for a, b in pairwise(names)]
    assert [run.p for run in by_sign.runs[1:]] == pytest.approx(p)
    assert "(paired sign test; marks hold" in sentence(by_sign)


def test_runs_shown_alone_have_the_same_figures(filled: Store) -> None:
    whole = history(filled).runs
    assert history(filled, last=1).runs == whole[-1:]
    assert history(filled, last=9).runs == whole
    assert history(filled, last=1).first == "run1"


def test_runs_that_are_added_leave_the_figures_of_those_before(
    filled: Store, tmp_path: Path
) -> None:
    before = history(filled).runs
    for number in range(3):
        run = write_run(tmp_path, ranks([number + 4] * 12), f"later{number}.run")
        add(filled, tmp_path, run, qrels=write_qrels(tmp_path, QRELS), engine="e")
        assert history(filled).runs[:4] == before


def test_a_drift_is_named_in_the_sentence(store: Store, tmp_path: Path) -> None:
    # In each version two queries more have their relevant document one rank lower.
    qrels = write_qrels(tmp_path, QRELS)
    for number in range(7):
        lower = ranks([2] * 2 * number + [1] * (12 - 2 * number))
        run = write_run(tmp_path, lower, f"v{number}.run")
        add(store, tmp_path, run, qrels=qrels, engine="e")
    runs = history(store).runs
    assert {run.change for run in runs[1:]} == {"not shown"}
    assert [run.mark for run in runs[-2:]] == ["not shown", "worse"]
    drift = "6 differences to the run before: none is shown to be real; drift: v6 is worse than v0 "
    assert f"{drift}(the first version) by 0.5000 (p 0.0005) (paired t test" in sentence(
        history(store)
    )
    # The sign test says nothing of the mean.
    by_sign = sentence(history(store, test="sign"))
    assert "v6 is more often worse than v0 (the first version) (p 0.0005) (paired" in by_sign


def test_too_few_resamples_for_a_level_are_noted(store: Store, tmp_path: Path) -> None:
    qids = [f"q{number}" for number in range(21)]  # up to 20 differences the test is exact
    qrels = write_qrels(tmp_path, {qid: {"d1": 1} for qid in qids})
    for name, docnos in (("a", ["x", "d1"]), ("b", ["d1"])):
        run = write_run(tmp_path, dict.fromkeys(qids, docnos), f"{name}.run")
        add(store, tmp_path, run, qrels=qrels, engine="e")
    together = (
        "the runs of e were stored together, and it is not known when each was made: their order "
        "is that of storing"
    )
    assert history(store, test="randomization").notes == (together,)
    annotate(store, "a", GivenFacts(started_at=datetime(2026, 5, 1, tzinfo=UTC)))
    assert history(store, test="randomization").notes == ()
    (note,) = history(store, test="randomization", alpha=1e-4).notes
    assert note == "100,000 resamples are too few to mark a run at this level"


def test_with_few_queries_there_is_no_mark(store: Store, tmp_path: Path) -> None:
    qids = QIDS[:7]  # 7 equal signs have p = 2^-6
    qrels = write_qrels(tmp_path, {qid: {"d1": 1} for qid in qids})
    for name, docnos in (("a", ["x", "d1"]), ("b", ["d1"])):
        run = write_run(tmp_path, dict.fromkeys(qids, docnos), f"{name}.run")
        add(store, tmp_path, run, qrels=qrels, engine="e")
    second = history(store).runs[1]
    assert (second.difference, second.p, second.change) == (0.5, 2.0**-6, "not shown")


def test_a_measure_that_is_not_stored_is_computed_and_nothing_is_written(filled: Store) -> None:
    of_engine = history(filled, "P@3")
    assert [run.value for run in of_engine.runs] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    assert ask(filled, "SELECT 1 FROM measure WHERE name = 'P@3'").rows == []


def test_a_measure_that_says_nothing_of_better_is_higher_or_lower(filled: Store) -> None:
    # Every run has one document more where it has the relevant one a rank lower.
    changes = [run.change for run in history(filled, "NumRet").runs]
    assert changes == [None, "lower", "not shown", "higher"]


def test_where_lower_is_better_a_lower_value_is_better(filled: Store) -> None:
    # E is 1 - F: it grows with every document that is retrieved and not relevant.
    changes = [run.change for run in history(filled, "E@2").runs]
    assert changes == [None, "better", "not shown", "not shown"]


def test_the_figure_of_a_sum_is_tested_by_its_values_per_query(filled: Store) -> None:
    *_, last = history(filled, "NumRet").runs
    assert last.difference == 12
    interval = t_interval([0] * 12, [1] * 10 + [0, 2])  # documents more in each of 12 queries
    assert (last.low, last.high) == pytest.approx((12 * interval.low, 12 * interval.high))


def test_a_measure_that_is_no_mean_has_no_tests_and_says_so(filled: Store) -> None:
    of_engine = history(filled, "gm_map")
    assert [run.p for run in of_engine.runs] == [None] * 4
    assert "differences are not tested" in of_engine.notes[-1]
    assert sentence(of_engine) == ""


def test_removed_runs_are_left_out(filled: Store) -> None:
    remove_runs(filled, ["run2"])
    runs = history(filled).runs
    assert [run.run for run in runs] == ["run1", "run3", "run10"]
    assert runs[1].difference == pytest.approx(mean("run3") - mean("run1"))


def test_a_run_that_does_not_answer_every_query_is_noted_and_counts_with_empty_rankings(
    filled: Store, tmp_path: Path
) -> None:
    less = {qid: docnos for qid, docnos in RUNS["run2"].items() if qid != "q1"}
    add(
        filled,
        tmp_path,
        write_run(tmp_path, less, "less.run"),
        qrels=write_qrels(tmp_path, QRELS),
        engine="e",
    )
    of_engine = history(filled)
    assert of_engine.runs[-1].value == pytest.approx((sum(RR["run2"]) - 1) / 12)
    assert of_engine.notes == (
        "not all of the 12 judged queries are answered by less (11); the others count as empty "
        "rankings",
    )


def test_a_collection_and_qrels_are_chosen_or_named(filled: Store, tmp_path: Path) -> None:
    other = write_qrels(tmp_path, {qid: {"x1": 1} for qid in QIDS}, "other.qrels")
    add(filled, tmp_path, str(tmp_path / "run1.run"), qrels=other, engine="e")
    assert [run.run for run in history(filled, qrels="other").runs] == ["run1"]
    add(filled, tmp_path, str(tmp_path / "run1.run"), qrels=other, collection="c", engine="e")
    with pytest.raises(NotFound, match="'e' has runs in several collections: 'c', 'test'"):
        history(filled)
    assert len(history(filled, collection="test").runs) == 4


def test_what_is_not_there_is_refused(filled: Store) -> None:
    (one,) = named_measures("RR").items()
    with pytest.raises(NotFound, match="no run is of the engine 'ee'; did you mean 'e'"):
        engine_history(filled, "ee", one)
    with pytest.raises(NotFound, match="has no run in collection 'c'; it has in 'test'"):
        history(filled, collection="c")
    with pytest.raises(NotFound, match="no qrels 'other'"):
        history(filled, qrels="other")
    with pytest.raises(DataError, match="alpha"):
        history(filled, alpha=1)


def test_one_run_and_one_query_have_no_test(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d1": 1}})
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "a.run"), qrels=qrels, engine="e")
    (only,) = history(store).runs
    assert only.difference is None
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d2"]}, "b.run"), qrels=qrels, engine="e")
    second = history(store).runs[1]
    assert (second.difference, second.low, second.p, second.change) == (-1, None, 1, "not shown")


def test_the_view_has_the_same_order_values_and_differences(filled: Store) -> None:
    remove_runs(filled, ["run2"])
    rows = ask(
        filled,
        "SELECT run, value, previous, difference FROM engine_history "
        "WHERE engine = 'e' AND measure = 'RR' ORDER BY at, run",
    ).rows
    runs = history(filled).runs
    assert [row[0] for row in rows] == [run.run for run in runs]
    assert [row[1] for row in rows] == [run.value for run in runs]
    assert [row[2] for row in rows] == [None, *(run.value for run in runs[:-1])]
    assert [row[3] for row in rows] == [run.difference for run in runs]


def test_the_view_keeps_engines_qrels_and_measures_apart(filled: Store, tmp_path: Path) -> None:
    other = write_qrels(tmp_path, {qid: {"x1": 1} for qid in QIDS}, "other.qrels")
    add(filled, tmp_path, str(tmp_path / "run1.run"), qrels=other, engine="e")
    rows = ask(
        filled,
        "SELECT engine, qrels, count(*), count(previous) FROM engine_history "
        "WHERE measure IN ('RR', 'AP') GROUP BY engine, qrels ORDER BY engine, qrels",
    ).rows
    assert [tuple(row) for row in rows] == [
        ("e", "other", 2, 0),
        ("e", "test", 8, 6),
        ("o", "test", 2, 0),
    ]


def test_a_sparkline_has_a_bar_a_value_between_the_lowest_and_the_highest() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert sparkline([0.25, 0.5]) == "▁█"
    assert sparkline([0.5, 0.5]) == "▄▄"
    assert sparkline([]) == ""
    assert sparkline([0.4, 0.8], 0.0) == "▅█"


def test_the_parameters_that_changed_are_those_of_the_run_before(
    store: Store, tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path)
    commits = ("a" * 40, "b" * 40, "b" * 40)
    given = ({"mu": 500, "stem": True}, {"mu": 100, "stem": True}, {"mu": 100})
    for number, (parameters, commit) in enumerate(zip(given, commits, strict=True)):
        run = write_run(tmp_path, {"q1": [f"d{number}"]}, f"v{number}.run", "engine")
        facts = GivenFacts(parameters=parameters, commit=commit)
        add(store, tmp_path, run, qrels=qrels, engine="engine", facts=facts)
    assert changed_facts(store, [[1, 2, 3], [3]]) == {
        2: ("mu 500 → 100", "commit aaaaaaa → bbbbbbb"),
        3: ("stem True → none",),
    }
