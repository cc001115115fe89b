"""A leaderboard by pages: order, search, figures that are stored or computed, and claims."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from databases import both_for_the_first
from ranked_runs import QUERIES, RUNS, add_ranked_runs, write_ranked_runs
from samples import Filled, add, write_qrels, write_run
from sqlalchemy import Connection

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.comparison.collection_values import MeasureValues, load_collection_values
from evalstore.errors import NotFound
from evalstore.leaderboard.positions import (
    Leaderboard,
    Sorting,
    all_values,
    computed_values,
    coverage,
    find_leaderboard,
    is_stored,
    leaderboard_rows,
    place_runs,
    some_values,
)
from evalstore.leaderboard.power import pareto_front, run_costs
from evalstore.leaderboard.ranks import (
    MeasureRanks,
    RankedRun,
    RankSettings,
    leaderboard_ranks,
    ranks_of,
)
from evalstore.measures import named_measures, parse
from evalstore.stats import holm, paired_t
from evalstore.stats.intervals import mean_interval
from evalstore.store import Store
from evalstore.store.queries.evaluations import delete_values

pytestmark = pytest.mark.slow  # many runs are stored

ORDER = ["good", "best", "late", "worst"]
"""By RR: of `good` fewer queries have the relevant document one further down."""

RR, NDCG7 = parse("RR"), parse("nDCG@7")


def fill(store: Store, folder: Path) -> None:
    """The runs best, good, late and worst over 12 queries."""
    add_ranked_runs(store, folder)


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def names(store: Store, board: Leaderboard, sorting: Sorting, find: str = "") -> list[str]:
    return [run.name for run in place_runs(store, board, sorting, find)]


def test_runs_are_sorted_by_a_stored_figure(filled: Store) -> None:
    board = find_leaderboard(filled, "test")
    best_first = Sorting(RR, descending=True)
    assert names(filled, board, best_first) == ORDER
    assert names(filled, board, Sorting(RR, descending=False)) == ORDER[::-1]
    assert names(filled, board, Sorting("run", descending=False)) == sorted(RUNS)


def test_a_run_without_a_figure_comes_last_in_both_directions(own: Store) -> None:
    board = find_leaderboard(own, "test")
    [good] = place_runs(own, board, Sorting(RR, descending=True), "good")

    def forget(connection: Connection) -> None:
        delete_values(connection, ["RR"], collection=board.collection_id, run=good.id)

    own.transact(forget)
    for descending in (True, False):
        assert names(own, board, Sorting(RR, descending))[-1] == "good"
    [row] = leaderboard_rows(own, board, RR, [], [good.id])
    assert (row.rank, row.values) == (None, {})
    assert not is_stored(own, board, RR)


def test_ranks_are_among_all_runs_whatever_is_searched_for(filled: Store) -> None:
    board = find_leaderboard(filled, "test")
    [placed] = place_runs(filled, board, Sorting(RR, descending=True), "wor")
    [row] = leaderboard_rows(filled, board, RR, [], [placed.id])
    assert (row.run.name, row.rank) == ("worst", 4)


def test_equal_runs_share_a_rank(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d": 1}, "q2": {"d": 1}})
    same = {
        name: {"q1": ["d"], "q2": [*(["x"] * (name == "last")), "d"], f"q{name}": ["d"]}
        for name in ("one", "two", "last")
    }
    paths = [write_run(tmp_path, run, f"{name}.run", name) for name, run in same.items()]
    add(store, tmp_path, *paths, qrels=qrels)
    board = find_leaderboard(store, "test")
    placed = place_runs(store, board, Sorting(RR, descending=True))
    rows = leaderboard_rows(store, board, RR, [], [run.id for run in placed])
    assert [(row.run.name, row.rank) for row in rows] == [("one", 1), ("two", 1), ("last", 3)]


@both_for_the_first(
    "find,expected",
    [
        ("GOOD", ["good"]),
        ("st", ["best", "worst"]),
        ("  o  st ", ["worst"]),
        ("tuned", ["late"]),
        ("q%", []),
        ("_", []),
        ('"', []),
        ("\\", []),
        ("first", ["best"]),
        ("k1=0.9", ["late"]),
        ("K1", ["late"]),
        ("2026-06-03", ["late"]),
        ("nothing", []),
    ],
)
def test_every_word_is_looked_for_in_names_tags_and_parameters_in_any_case(
    store: Store, tmp_path: Path, find: str, expected: list[str]
) -> None:
    best, good, late, worst = write_ranked_runs(tmp_path)
    grades = {f"q{query}": {"r": 1} for query in range(QUERIES)}
    qrels = write_qrels(tmp_path, grades, "ranked.qrels")
    add(store, tmp_path, best, qrels=qrels, experiment="First Try")
    add(store, tmp_path, good, worst, qrels=qrels)
    june = datetime(2026, 6, 3, 10, tzinfo=UTC)
    facts = GivenFacts(tags=("Tuned",), parameters={"k1": 0.9}, started_at=june)
    add(store, tmp_path, late, qrels=qrels, facts=facts)
    board = find_leaderboard(store, "test")
    assert names(store, board, Sorting("run", descending=False), find) == expected


def test_a_year_month_or_day_finds_the_runs_that_were_stored_then(filled: Store) -> None:
    board = find_leaderboard(filled, "test")
    today = datetime.now(UTC)
    for find in (f"{today:%Y}", f"{today:%Y-%m}", f"{today:%Y-%m-%d}"):
        assert sorted(names(filled, board, Sorting("run", descending=False), find)) == sorted(RUNS)
    for find in ("1999", f"{today.year - 1}-12", "2001-02-31", "9999-12-31", "0000"):
        assert not names(filled, board, Sorting("run", descending=False), find)


def test_a_figure_that_is_not_stored_is_computed_and_sorts_as_a_stored_one(filled: Store) -> None:
    board = find_leaderboard(filled, "test")
    assert is_stored(filled, board, RR)
    assert not is_stored(filled, board, NDCG7)
    values = computed_values(filled, board, [NDCG7])["nDCG@7"]
    assert all_values(filled, board, NDCG7) == values
    by_value = place_runs(filled, board, Sorting(NDCG7, descending=True), values=values)
    ids = [run.id for run in by_value]
    assert [values[id_] for id_ in ids] == sorted(values.values(), reverse=True)
    assert some_values(filled, board, NDCG7, ids[:1]) == {ids[0]: values[ids[0]]}
    rows = leaderboard_rows(filled, board, NDCG7, [RR], ids, {"nDCG@7": values})
    assert [row.values["nDCG@7"] for row in rows] == [values[id_] for id_ in ids]
    ranked = leaderboard_ranks(filled, "test", {"nDCG@7": NDCG7}).measures[0]
    ranks = {run.run_id: run.rank for run in ranked.runs}
    assert [row.rank for row in rows] == [ranks[run_id] for run_id in ids]


def test_a_figure_whose_facts_no_run_has_is_computed_for_none(filled: Store) -> None:
    board = find_leaderboard(filled, "test")
    times = parse("ResponseTime")
    assert computed_values(filled, board, [times]) == {"ResponseTime": {}}


def test_removed_runs_are_not_on_the_board(own: Store) -> None:
    remove_runs(own, ["best"])
    board = find_leaderboard(own, "test")
    assert board.runs == board.evaluated == 3
    placed = place_runs(own, board, Sorting(RR, descending=True))
    rows = leaderboard_rows(own, board, RR, [], [run.id for run in placed])
    assert [(row.run.name, row.rank) for row in rows] == [("good", 1), ("late", 2), ("worst", 3)]


def test_the_baseline_is_the_one_asked_for_or_that_of_the_collection(own: Store) -> None:
    assert find_leaderboard(own, "test").baseline is None
    set_baseline(own, "good", "test")
    stored = find_leaderboard(own, "test").baseline
    asked = find_leaderboard(own, "test", baseline="late").baseline
    assert stored is not None
    assert asked is not None
    assert (stored.name, asked.name) == ("good", "late")
    with pytest.raises(NotFound):
        find_leaderboard(own, "test", baseline="nobody")


# --- claims --------------------------------------------------------------------------------------


def values_of(store: Store) -> MeasureValues:
    return load_collection_values(store, "test", {"RR": RR}).measures["RR"]


def ranked(
    values: MeasureValues, baseline: int | None, most_in_groups: int = 50
) -> tuple[MeasureRanks, dict[int, RankedRun]]:
    settings = RankSettings(most_in_groups=most_in_groups)
    [ranks] = ranks_of({str(values.measure): values}, {}, settings, baseline)
    return ranks, {run.run_id: run for run in ranks.runs}


def by_name(values: MeasureValues) -> dict[str, int]:
    return {run.name: column for column, run in enumerate(values.runs)}


def test_a_difference_is_the_run_less_the_baseline_with_the_tests_of_that_pair(
    filled: Store,
) -> None:
    values = values_of(filled)
    column = by_name(values)
    ids = [run.id for run in values.runs]
    ranks, claims = ranked(values, ids[column["good"]])
    late = claims[ids[column["late"]]]
    good, own = values.values[:, column["good"]], values.values[:, column["late"]]
    others = [name for name in RUNS if name != "good"]
    p = [paired_t(good, values.values[:, column[name]]).p for name in others]
    corrected = dict(zip(others, holm(p), strict=True))
    assert late.difference == pytest.approx((own - good).mean())
    interval = mean_interval(good, own, bounds=(-1, 1))
    assert (late.difference_low, late.difference_high) == pytest.approx(interval)
    assert late.p == pytest.approx(paired_t(good, own).p)
    assert late.p_corrected == pytest.approx(corrected["late"])
    assert (late.verdict, late.sign) == ("worse", "worse")
    baseline = claims[ids[column["good"]]]
    assert (baseline.difference, baseline.verdict) == (None, None)
    assert (ranks.pairs, ranks.family) == (6, "Holm over 3 pairs")


def test_the_tests_against_the_baseline_are_one_family_over_all_measures(filled: Store) -> None:
    loaded = load_collection_values(filled, "test", named_measures(["RR", "P@1", "NumRet"]))
    baseline = loaded.runs[0].id
    ranks = ranks_of(loaded.measures, {}, RankSettings(), baseline)
    assert [one.family for one in ranks] == ["Holm over 6 comparisons"] * 2 + [""]
    tested = [run for one in ranks for run in one.runs if run.p is not None]
    corrected = holm([run.p for run in tested])
    assert [run.p_corrected for run in tested] == pytest.approx(corrected.tolist())


def test_above_the_limit_only_the_pairs_with_the_baseline_are_tested(filled: Store) -> None:
    values = values_of(filled)
    ids = [run.id for run in values.runs]
    few, few_claims = ranked(values, ids[0])
    many, claims = ranked(values, ids[0], most_in_groups=3)
    assert {one.rank_group for one in claims.values()} == {""}
    assert {(one.rank_low, one.rank_high) for one in claims.values()} == {(None, None)}
    assert (few.pairs, many.pairs) == (6, 0)
    assert many.notes == ("ranks have no intervals above 3 runs",)
    assert [one.p_corrected for one in claims.values()] == [
        one.p_corrected for one in few_claims.values()
    ]


def test_where_lower_is_better_a_lower_run_is_better(filled: Store) -> None:
    values = replace(values_of(filled), measure=parse("Inversions"))
    column = by_name(values)
    ids = [run.id for run in values.runs]
    claims = ranked(values, ids[column["good"]])[1]
    assert claims[ids[column["worst"]]].sign == "better"
    assert claims[ids[column["worst"]]].rank == 1


def test_a_measure_without_direction_has_differences_but_no_claims(filled: Store) -> None:
    measure = parse("NumRet")
    values = load_collection_values(filled, "test", {"NumRet": measure}).measures["NumRet"]
    ids = [run.id for run in values.runs]
    ranks, claims = ranked(values, ids[0])
    assert ranks.pairs == 0
    assert claims[ids[1]].difference == 0
    assert claims[ids[1]].sign == ""
    assert claims[ids[1]].rank is None


def test_one_query_has_no_interval_and_no_sign(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d": 1}})
    paths = [
        write_run(tmp_path, {"q1": ["d"]}, "a.run", "a"),
        write_run(tmp_path, {"q1": ["x", "d"]}, "b.run", "b"),
    ]
    add(store, tmp_path, *paths, qrels=qrels)
    values = values_of(store)
    ids = [run.id for run in values.runs]
    other = ranked(values, ids[0])[1][ids[1]]
    assert other.difference == -0.5
    assert (other.low, other.difference_low, other.sign) == (None, None, "")
    assert other.verdict == "none"


def test_coverage_is_the_judged_share_of_the_top_10_and_the_judged_queries_answered(
    filled: Store,
) -> None:
    board = find_leaderboard(filled, "test")
    placed = place_runs(filled, board, Sorting("run", descending=False))
    ids = [run.id for run in placed]
    top = leaderboard_ranks(filled, "test", {"RR": RR}).measures[0].runs
    expected = {run.run_id: run.judged_top_10 for run in top}
    covered = coverage(filled, board, ids)
    assert {run_id: one.judged for run_id, one in covered.items()} == expected
    assert {one.answered for one in covered.values()} == {QUERIES}


# --- costs ---------------------------------------------------------------------------------------


def test_costs_are_the_figures_of_the_measures_of_time(own: Store) -> None:
    board = find_leaderboard(own, "test")
    times = {f"q{query}": 10.0 + query for query in range(QUERIES)}
    store_run_facts(own, "best", RunCosts(times=times, index_bytes=77), "test")
    [(run_id, cost)] = run_costs(own, board).items()
    measures = [parse("ResponseTime"), parse("ResponseTime(percentile=95)")]
    computed = computed_values(own, board, measures, [run_id])
    assert [cost.mean, cost.p95] == pytest.approx(
        [computed[str(measure)][run_id] for measure in measures]
    )
    assert cost.index_bytes == 77


@pytest.mark.parametrize(
    ("costs", "values", "front"),
    [
        ({1: 1.0, 2: 2.0, 3: 3.0}, {1: 0.1, 2: 0.3, 3: 0.2}, (1, 2)),
        ({1: 1.0, 2: 1.0}, {1: 0.1, 2: 0.3}, (2,)),
        ({1: 1.0, 2: 1.0}, {1: 0.3, 2: 0.3}, (1, 2)),
        ({1: 1.0, 2: 2.0}, {1: 0.3, 2: 0.3}, (1,)),
        ({1: 1.0}, {2: 0.3}, ()),
    ],
)
def test_the_front_is_of_the_runs_that_no_other_beats(
    costs: dict[int, float], values: dict[int, float], front: tuple[int, ...]
) -> None:
    assert pareto_front(costs, values) == front
