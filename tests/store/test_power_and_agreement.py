"""What measures can show on stored runs, and how far measures and runs agree."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Filled, add, dump, write_qrels, write_run

from evalstore.comparison.collection_values import load_collection_values
from evalstore.errors import DataError, NotFound
from evalstore.leaderboard.agreement import measure_agreement, run_agreement
from evalstore.leaderboard.power import PowerSettings, collection_power, pooled_sd
from evalstore.measures import named_measures
from evalstore.stats import (
    bootstrap_levels,
    detectable_difference,
    pairs,
    queries_needed,
    tukey_randomized,
)
from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands, figures or resamples


def fill(store: Store, folder: Path) -> None:
    """Three runs over three judged queries, one of them without an answer to q3."""
    runs = {"bm25": BM25, "tfidf": TFIDF, "partial": NOTHING_FOR_Q3}
    add(store, folder, *(write_run(folder, of, f"{n}.run", n) for n, of in runs.items()))


@pytest.fixture
def filled(read_only: Filled) -> Store:
    return read_only(fill)


# --- power ---------------------------------------------------------------------------------------


def test_the_pooled_deviation_is_that_of_the_differences_of_all_pairs() -> None:
    values = np.random.default_rng(7).random((9, 5))
    variances = [(values[:, a] - values[:, b]).var(ddof=1) for a, b in combinations(range(5), 2)]
    assert pooled_sd(values) == pytest.approx(math.sqrt(np.mean(variances)))
    assert math.isnan(pooled_sd(values[:1]))


@pytest.mark.parametrize("test", ["bootstrap", "tukey"])
def test_levels_share_and_queries_are_those_of_the_statistics_library(
    filled: Store, test: str
) -> None:
    settings = PowerSettings(test, alpha=0.3, difference=0.2, power=0.7)  # type: ignore[arg-type]
    [power] = collection_power(filled, "test", named_measures(["AP"]), None, settings).measures
    values = load_collection_values(filled, "test", named_measures(["AP"])).measures["AP"].values
    a, b = pairs(3)
    levels = (
        bootstrap_levels(values, 1_000)
        if test == "bootstrap"
        else tukey_randomized(values, 5_000)[a, b]
    )
    assert power.levels.tolist() == sorted(levels)
    assert power.share == np.mean(levels < 0.3)
    assert (power.runs, power.queries) == (3, 3)
    assert power.queries_needed == queries_needed(0.2, power.sd, 0.7, 0.3)
    assert power.detectable_difference == detectable_difference(power.sd, 3, 0.7, 0.3)


def test_one_query_has_levels_but_tells_nothing_of_the_spread(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path, {"q1": {"d1": 1}}, "one.qrels")
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    add(store, tmp_path, *runs, qrels=qrels)
    result = collection_power(store, "test", named_measures(["AP"]))
    [row] = [measure.row() for measure in result.measures]
    assert (row["sd"], row["queries_needed"], row["detectable_difference"]) == (None, None, None)
    assert result.measures[0].levels.tolist() == [1]
    json.dumps(result.to_dict(), allow_nan=False)


def test_power_of_less_than_two_runs_is_refused(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    with pytest.raises(DataError, match="AP: two runs or more are needed, and there is one"):
        collection_power(store, "test", named_measures(["AP"]))


def test_a_figure_that_is_no_mean_is_noted(filled: Store) -> None:
    [gmap] = collection_power(filled, "test", named_measures(["GMAP"])).measures
    assert gmap.notes == (
        "GMAP: these are its values per query and their means, not its figure over queries",
    )


@pytest.mark.parametrize(
    "wrong", [{"test": "t"}, {"alpha": 1}, {"power": 0}, {"difference": 0}, {"resamples": 0}]
)
def test_settings_that_can_not_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        PowerSettings(**wrong)  # type: ignore[arg-type]


def test_power_and_agreement_write_nothing(filled: Store) -> None:
    before = dump(filled)
    measures = named_measures(["AP", "P@7"])  # P@7 is not stored
    collection_power(filled, "test", measures)
    measure_agreement(filled, "test", measures)
    run_agreement(filled, "test")
    assert dump(filled) == before


# --- agreement -----------------------------------------------------------------------------------


def test_measures_agree_as_the_orders_of_their_aggregates_do(filled: Store) -> None:
    """AP by hand: bm25 7/9, tfidf 25/36, partial 1/6. RR: bm25 5/6, tfidf 5/6, partial 1/3."""
    agreement = measure_agreement(filled, "test", named_measures(["AP", "RR", "E@10"]))
    tau, tau_ap = (agreement.coefficients[name] for name in ("kendall_tau_b", "tau_ap"))
    # Of the 3 pairs RR ties one: (2 - 0) / sqrt(3 x 2).
    assert tau[0, 1] == pytest.approx(2 / math.sqrt(6))
    assert (tau == tau.T).all()
    # Equal runs stand by name, as AP has them.
    assert tau_ap[0, 1] == 1
    # E@10 is 1 - F@10; F@10 by hand: bm25 1/3, 1/3, 2/11; tfidf 1/6, 1/3, 2/11; partial 1/6, 0, 0.
    # Lower is better: turned round it is the order of AP.
    assert (tau[0, 2], tau_ap[0, 2], tau_ap[2, 0]) == (1, 1, 1)
    assert agreement.counts.tolist() == [[3] * 3] * 3


def test_tau_ap_has_the_reference_in_its_rows(store: Store, tmp_path: Path) -> None:
    """Three runs that P@1 and R@3 order as c a b and a b c."""
    qrels = write_qrels(tmp_path, {"q1": {f"d{i}": 1 for i in range(4)}}, "tau.qrels")
    rankings = {"a": ["n", "d0", "d1", "d2"], "b": ["n", "n2", "d0", "d1"], "c": ["d0", "n"]}
    paths = [write_run(tmp_path, {"q1": of}, f"{n}.run", n) for n, of in rankings.items()]
    add(store, tmp_path, *paths, qrels=qrels)
    agreement = measure_agreement(store, "test", named_measures(["RR", "SetR"]))
    # RR: c 1, a 1/2, b 1/3. SetR: a 3/4, b 2/4, c 1/4. By hand from the formula, 2 / (n - 1) = 1:
    # SetR against RR: at b: a is above in both, 1/1; at c: neither, 0/2: 1 + 0 - 1 = 0.
    # RR against SetR: at a: c is above it, wrongly, 0/1; at b: a rightly of two, 1/2: - 1/2.
    assert agreement.coefficients["tau_ap"][0, 1] == pytest.approx(0)
    assert agreement.coefficients["tau_ap"][1, 0] == pytest.approx(-1 / 2)


def test_a_measure_without_direction_is_noted(filled: Store) -> None:
    agreement = measure_agreement(filled, "test", named_measures(["AP", "NumRet"]))
    assert agreement.notes == (
        "a tau of 3 runs says nothing: by chance alone it takes any value",
        "not all of the 3 judged queries are answered by partial (2); the others count as empty "
        "rankings",
        "NumRet calls neither high nor low values better: high ones come first",
    )


def test_runs_agree_as_their_lists_do_over_the_queries_that_both_answer(filled: Store) -> None:
    agreement = run_agreement(filled, "test", ["bm25", "partial"], p=0.5, k=1)
    assert agreement.names == ("bm25", "partial")
    assert agreement.counts.tolist() == [[3, 2], [2, 2]]
    # q1: d1 d9 d2 and d2; q2: d5 d4 and d9: no first document is shared.
    assert agreement.coefficients["overlap"].tolist() == [[1, 0], [0, 1]]
    assert math.isnan(agreement.coefficients["kendall_tau_b"][0, 1])  # one common document at most
    assert agreement.rows()[0][:3] == ("bm25", "partial", 2)
    json.dumps(agreement.to_dict(), allow_nan=False)


def test_the_agreement_of_two_runs_is_the_mean_over_queries(store: Store, tmp_path: Path) -> None:
    one = {"q1": ["a", "b", "c"], "q2": ["a", "b", "c"], "q3": ["a"]}
    other = {"q1": ["b", "a", "c"], "q2": ["a", "b", "c"]}
    qrels = write_qrels(tmp_path, {q: {"a": 1} for q in one}, "abc.qrels")
    paths = [write_run(tmp_path, one), write_run(tmp_path, other, "other.run", "other")]
    add(store, tmp_path, *paths, qrels=qrels)
    agreement = run_agreement(store, "test", k=2, p=0.5)
    # tau: of 3 pairs one is discordant in q1, 1/3; in q2 1. Both have the same first two.
    assert agreement.coefficients["kendall_tau_b"][0, 1] == pytest.approx((1 / 3 + 1) / 2)
    assert agreement.coefficients["overlap"][0, 1] == 1
    # RBO of equal length and all in common at depth 3: q1 agrees 0, 1, 1 at depths 1 to 3:
    # (1 - p) / p x (0 + 1/4 + 1/8) + 1/8 = 1/2; q2: 1.
    assert agreement.coefficients["rbo"][0, 1] == pytest.approx((1 / 2 + 1) / 2)
    cut = run_agreement(store, "test", k=1, depth=1)
    assert cut.coefficients["rbo"][0, 1] == pytest.approx(1 / 2)


def test_agreement_needs_two_and_what_is_there(filled: Store) -> None:
    with pytest.raises(DataError, match="two measures or more"):
        measure_agreement(filled, "test", named_measures(["AP"]))
    with pytest.raises(DataError, match="two runs or more"):
        run_agreement(filled, "test", ["bm25", "bm25"])
    with pytest.raises(NotFound, match="no collection 'tset'"):
        run_agreement(filled, "tset")
    with pytest.raises(NotFound, match="no run 'none'"):
        run_agreement(filled, "test", ["bm25", "none"])
