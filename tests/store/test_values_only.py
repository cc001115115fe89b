"""Runs that come as values of measures, without rankings: what is stored of them, and marked."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from databases import both_databases, postgres_by_night
from samples import BM25, QRELS, Filled, add, dump, statuses, write, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.client.any_store import LocalStore
from evalstore.client.differences import diff_runs
from evalstore.comparison.claims import comparability_line
from evalstore.comparison.collection_values import medians_of_collection
from evalstore.comparison.comparability import judged_shares
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NoRankings
from evalstore.evaluation.explain import explain_stored_query
from evalstore.evaluation.measure import measure
from evalstore.formats import Qrels
from evalstore.ingest.ingest import Outcome
from evalstore.ingest.reevaluate import reevaluate
from evalstore.leaderboard.agreement import run_agreement
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.measures import named_measures, parse
from evalstore.store import Store
from evalstore.tracking.run_overview import run_facts
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export import run_lists

VALUES = {
    "num_ret": {"q1": "3", "q2": "2", "q3": "0"},
    "num_rel": {"q1": "2", "q2": "2", "q3": "1"},
    "map": {"q1": "0.8333", "q2": "1.0000", "q3": "0.0000"},
    "P_5": {"q1": "0.4000", "q2": "0.4000", "q3": "0.0000"},
}
"""Of BM25 without its answer to q3, as trec_eval 10 prints them."""


def printed(values: dict[str, dict[str, str]] | None = None, more: str = "") -> str:
    lines = [
        f"{name:<22}\t{qid}\t{value}\n"
        for name, of_query in (values or VALUES).items()
        for qid, value in of_query.items()
    ]
    return "".join(lines) + "runid                 \tall\tprint\n" + more


def add_values(
    store: Store, folder: Path, content: str | None = None, name: str = "out"
) -> Outcome:
    (outcome,) = add(store, folder, write(folder / f"{name}.txt", content or printed()))
    return outcome


def without(qid: str) -> dict[str, dict[str, str]]:
    return {name: {q: v for q, v in of.items() if q != qid} for name, of in VALUES.items()}


def figures(store: Store) -> dict[str, float]:
    """The aggregates of the one run."""
    (run,) = list_runs(store, [parse(name) for name in ("AP", "P@5", "NumRet")], Choice())
    return run.values


def fill(store: Store, folder: Path) -> None:
    """A run, and another one that came as values."""
    add(store, folder, write_run(folder))
    add_values(store, folder)


@pytest.fixture
def both(copied: Filled) -> Store:
    return copied(fill)


@both_databases
def test_values_are_stored_under_our_names_of_measures_without_anything_of_rankings(
    store: Store, tmp_path: Path
) -> None:
    outcome = add_values(store, tmp_path)
    assert (outcome.status, outcome.format, outcome.values_only, outcome.warnings) == (
        *("stored", "trec-eval-output", True),
        (),
    )
    rows = dump(store)
    assert (rows["ranking"], rows["retrieved"], rows["hit"]) == ([], [], [])
    with store.read() as connection:
        values = connection.execute(text("SELECT measure, qid, value FROM query_values"))
        assert sorted(map(tuple, values)) == sorted(
            (ours, qid, float(value))
            for ours, theirs in {
                **{"AP": "map", "P@5": "P_5"},
                **{"NumRet": "num_ret", "NumRel": "num_rel"},
            }.items()
            for qid, value in VALUES[theirs].items()
        )
    facts = run_facts(store, "out")
    assert (facts.values_only, facts.retrieved, facts.queries) == (True, None, 2)
    assert (facts.tag, facts.engine) == ("print", "print")


def test_a_figure_is_computed_from_the_values_by_the_rule_of_its_measure(
    store: Store, tmp_path: Path
) -> None:
    add_values(store, tmp_path)
    expected = {"AP": 1.8333 / 3, "P@5": 0.8 / 3, "NumRet": 5.0}
    assert figures(store) == pytest.approx(expected, abs=1e-12)


def test_a_judged_query_without_values_counts_as_an_empty_ranking_and_figures_differ(
    store: Store, tmp_path: Path
) -> None:
    content = printed(without("q3"), "map\tall\t0.9167\nP_5\tall\t0.4000\nnum_ret\tall\t5\n")
    (warning,) = add_values(store, tmp_path, content).warnings
    assert "(map 0.9167, here 0.6111, and 1 more)" in warning
    assert "1 of the 3 judged queries have no values and count as unanswered" in warning
    assert figures(store)["AP"] == pytest.approx(1.8333 / 3, abs=1e-12)
    assert run_facts(store, "out").queries == 2


def test_figures_of_all_queries_that_agree_up_to_rounding_need_no_warning(
    store: Store, tmp_path: Path
) -> None:
    content = printed(more="map\tall\t0.6112\nnum_ret\tall\t5\nnum_q\tall\t3\n")
    assert add_values(store, tmp_path, content).warnings == ()


def test_what_is_not_stored_is_reported(store: Store, tmp_path: Path) -> None:
    values = {**VALUES, "own": VALUES["map"], "map_avgjg": VALUES["map"]}
    (warning,) = add_values(store, tmp_path, printed(values, "gm_map\tall\t0.1\n")).warnings
    assert "not stored: own, map_avgjg (not known here, " in warning
    assert "gm_map (without values of queries)" in warning


def test_two_names_of_one_measure_are_one_where_their_values_are_the_same(
    store: Store, tmp_path: Path
) -> None:
    values = {"Rprec": VALUES["map"], "Rprec_mult_1.00": VALUES["map"]}
    assert add_values(store, tmp_path, printed(values)).status == "stored"
    values["Rprec"] = VALUES["P_5"]
    assert "are one measure, but their values differ" in (
        add_values(store, tmp_path, printed(values), "other").detail
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"map": {"q1": "1", "q9": "0"}}, "values of 1 query that the qrels does not judge (q9)"),
        (
            {"num_rel": {"q1": "1", "q2": "2"}},
            "num_rel of query 'q1' is 1, but the qrels has 2 relevant documents for it",
        ),
        ({"own": {"q1": "1"}}, "own can't be stored: not known here"),
    ],
)
def test_values_of_other_judgments_or_of_no_known_measure_are_refused(
    change: dict[str, dict[str, str]], reason: str, store: Store, tmp_path: Path
) -> None:
    outcome = add_values(store, tmp_path, printed(change))
    assert outcome.status == "failed"
    assert "out.txt: " + reason in outcome.detail
    assert dump(store)["run"] == []


def test_the_same_values_again_are_stored_already_whatever_the_order_and_compression(
    store: Store, tmp_path: Path
) -> None:
    add_values(store, tmp_path)
    turned = "".join(sorted(printed().splitlines(keepends=True)))
    (tmp_path / "out.txt.gz").write_bytes(gzip.compress(turned.encode()))
    again = add(store, tmp_path, str(tmp_path / "out.txt.gz"))
    assert statuses(again) == ["already stored"]
    assert again[0].detail == "out"


def test_the_run_file_itself_replaces_the_values_as_any_other_run(
    store: Store, tmp_path: Path
) -> None:
    add_values(store, tmp_path)
    run = write_run(tmp_path, BM25, "out.run")
    assert statuses(add(store, tmp_path, run)) == ["failed"]
    assert statuses(add(store, tmp_path, run, replace=True)) == ["replaced"]
    assert not run_facts(store, "out").values_only
    assert db_check(store).problems == ()


@both_databases
def test_lists_and_views_mark_it_and_count_nothing_as_missed(both: Store) -> None:
    listed = list_runs(both, [parse("AP"), parse("nDCG@10")], Choice(), "-nDCG@10")
    assert [(run.run, run.values_only, run.answered) for run in listed] == [
        ("bm25", False, 3),
        ("out", True, 2),
    ]
    assert "nDCG@10" not in listed[1].values
    with both.read() as connection:
        overview = connection.execute(
            text("SELECT run, documents_retrieved, values_only FROM runs_overview ORDER BY run")
        )
        assert [(name, n, bool(mark)) for name, n, mark in overview] == [
            ("bm25", 7, False),
            ("out", None, True),
        ]
        missed = connection.execute(text("SELECT DISTINCT run FROM relevant_missed"))
        assert "out" not in set(missed.scalars())


def test_a_comparison_says_so_and_knows_no_share_of_judged_documents(both: Store) -> None:
    measures = named_measures(["AP", "P@5"])
    loaded = load_stored_runs(both, ["bm25", "out"], measures)
    out = loaded.runs[1]
    assert (out.values_only, out.depth, out.answered.tolist()) == (True, 3, [True, True, False])
    assert np.isnan(out.judged_in_top)
    assert judged_shares([out]) == "judged in the top 10: out not known"
    compared = compare_loaded(loaded, measures)
    assert any("out came as values of 4 decimals, without a ranking" in n for n in compared.notes)
    difference = diff_runs(LocalStore(both), "bm25", "out", measures)
    (fact,) = [fact for fact in difference.facts if fact.fact == "values_only"]
    assert (fact.a, fact.b) == (None, True)
    assert compared.reasons[0].startswith("2 of 3 queries answered by both; q3 missing from out")


def test_values_without_num_ret_count_as_answers_and_their_depth_is_not_known(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    add_values(store, tmp_path, printed({"map": VALUES["map"]}))
    measures = named_measures("AP")
    loaded = load_stored_runs(store, ["bm25", "out"], measures)
    assert loaded.runs[1].answered.all()
    assert not any("depth" in reason for reason in compare_loaded(loaded, measures).reasons)
    turned = load_stored_runs(store, ["out", "bm25"], measures)
    assert "depth 3, compat exact" in comparability_line(compare_loaded(turned, measures))


def test_a_leaderboard_says_so_and_leaves_it_out_of_measures_it_came_without(both: Store) -> None:
    ranks = leaderboard_ranks(both, "test", named_measures(["AP", "nDCG@10"]))
    assert any("out came as values of 4 decimals" in note for note in ranks.notes)
    by_ap, by_ndcg = ranks.measures
    assert [(run.run, run.judged_top_10 is None) for run in by_ap.runs] == [
        ("bm25", False),
        ("out", True),
    ]
    assert [run.run for run in by_ndcg.runs] == ["bm25"]
    assert by_ndcg.notes == (
        "out left out: run 'out' came as values, without rankings, so nDCG@10 can't be computed",
    )


def test_a_measure_that_none_came_with_is_an_error(store: Store, tmp_path: Path) -> None:
    add_values(store, tmp_path)
    with pytest.raises(NoRankings, match=r"so nDCG@10 can't be computed"):
        leaderboard_ranks(store, "test", named_measures("nDCG@10"))


NEEDS_RANKINGS: dict[str, Callable[[Store], object]] = {
    "a measure": lambda store: load_stored_runs(store, ["out"], named_measures("P@7")),
    "a run file": lambda store: run_lists(store, "out").__enter__(),
    "an explanation": lambda store: explain_stored_query(store, "out", "q1", 5),
    "agreement": lambda store: run_agreement(store, "test", ["bm25", "out"]),
}


@pytest.mark.parametrize("need", NEEDS_RANKINGS)
def test_what_needs_rankings_is_refused_with_the_name_of_the_run(need: str, both: Store) -> None:
    with pytest.raises(NoRankings, match="^run 'out' came as values, without rankings"):
        NEEDS_RANKINGS[need](both)


def test_what_is_done_with_all_runs_leaves_it_out_and_says_so(both: Store, tmp_path: Path) -> None:
    done = {one.run: (one.new, one.lacking) for one in measure(both, [parse("P@7")])}
    assert done == {"bm25": (("P@7",), ()), "out": ((), ("P@7",))}
    add(both, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "third.run", "third"))
    assert run_agreement(both, "test").names == ("bm25", "third")
    assert any(note.endswith(": out") for note in run_agreement(both, "test").notes)
    (bm25,) = load_stored_runs(both, ["bm25"], named_measures("nDCG@10")).runs
    assert medians_of_collection(both, bm25, named_measures("nDCG@10")).runs == 2
    assert medians_of_collection(both, bm25, named_measures("AP")).runs == 3


def test_new_judgments_leave_it_out_and_say_so(both: Store) -> None:
    new = Qrels.from_dict({**QRELS, "q3": {"d8": 1}}, name="new.qrels")
    by_run = {run.run: run for run in reevaluate(both, "test", new).runs}
    assert (by_run["bm25"].status, by_run["out"].status) == ("evaluated", "left out")
    assert by_run["out"].reason == "run 'out' came as values, without rankings"
    again = {run.run: run.status for run in reevaluate(both, "test", "new").runs}
    assert again == {"bm25": "already evaluated", "out": "left out"}


def test_values_under_other_judgments_are_ingested_as_a_further_evaluation(
    store: Store, tmp_path: Path
) -> None:
    path = write(tmp_path / "out.txt", printed())
    add(store, tmp_path, path)
    more = write_qrels(tmp_path, {**QRELS, "q4": {"d1": 1}}, "more.qrels")
    assert statuses(add(store, tmp_path, path, qrels=more)) == ["evaluated"]
    assert db_check(store).problems == ()


@both_databases
def test_times_are_taken_for_the_queries_with_values(both: Store) -> None:
    assert store_run_facts(both, "out", RunCosts({"q1": 5.0})) == 0


def test_a_copy_is_marked_too(both: Store, tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        list(copy(both, target))
        assert run_facts(target, "out").values_only
        assert db_check(target).problems == ()
        assert {copied.status for copied in copy(both, target)} == {"there already"}


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (
            "UPDATE run SET values_only = :yes WHERE name = 'bm25'",
            "came as values, but has rankings",
        ),
        ("UPDATE run SET values_only = :yes WHERE name = 'bm25'", "came as values, but has hits"),
        (
            "UPDATE measurement SET value = 0.1 WHERE value BETWEEN 0.83329 AND 0.83331",
            "AP: stored as",
        ),
        ("DELETE FROM aggregate WHERE value BETWEEN 0.611 AND 0.6112", "AP: "),
    ],
)
@postgres_by_night
def test_db_check_names_rankings_and_values_that_do_not_belong(
    damage: str, problem: str, both: Store
) -> None:
    assert db_check(both).problems == ()
    if both.engine.dialect.name == "postgresql" and "measurement" in damage:
        damage = "UPDATE value_list SET query_values = array_replace(query_values, 0.8333, 0.1)"
    both.transact(lambda connection: connection.execute(text(damage), {"yes": True}))
    assert any(problem in one for one in db_check(both).problems)
