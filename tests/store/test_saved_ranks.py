"""Saved ranks: the view shows them while the runs are those that were ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from databases import both_databases, postgres_by_night
from ranked_runs import RUNS, add_ranked_runs, ranked
from samples import QRELS, TFIDF, Filled, add, dump, write, write_run
from sqlalchemy import text

from evalstore.catalog.collection_facts import CollectionFacts, store_collection_facts
from evalstore.catalog.runs import history, purge_runs, remove_runs, restore_runs
from evalstore.client.any_store import LocalStore
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load
from evalstore.errors import DataError
from evalstore.evaluation.measure import measure
from evalstore.formats import read_subtopic_qrels
from evalstore.leaderboard.ranks import LeaderboardRanks, RankSettings
from evalstore.leaderboard.saved_ranks import save_ranks
from evalstore.measures import named_measures
from evalstore.store import Store
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # many stores are filled


def fill(store: Store, folder: Path) -> None:
    """Four runs over 12 queries."""
    add_ranked_runs(store, folder)


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def view(store: Store, columns: str = "run, rank") -> list[tuple[object, ...]]:
    statement = f"SELECT {columns} FROM leaderboard_ranks ORDER BY measure, rank, run"
    with store.read() as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def saved(store: Store, *measures: str) -> LeaderboardRanks:
    ranks = ranked(store, *measures)
    save_ranks(store, ranks)
    return ranks


@both_databases
def test_saved_ranks_are_what_the_view_shows(filled: Store) -> None:
    [measure] = saved(filled, "RR").measures
    figures = "rank, rank_low, rank_high, rank_group, engine, run, value, low, high, judged_top_10"
    rows = [run.row() for run in measure.runs]
    assert view(filled, figures) == [
        tuple(row[name] for name in figures.split(", ")) for row in rows
    ]
    assert set(view(filled, "collection, qrels, measure, runs, test, alpha")) == {
        ("test", ranked(filled).qrels, "RR", 4, "t", 0.05)
    }
    assert list(db_check(filled).problems) == []
    event = history(filled)[-1]
    assert (event.action, event.collection, event.details) == (
        "rank",
        "test",
        {"measures": ["RR"]},
    )


@both_databases
def test_saved_claims_are_those_of_a_comparison_with_the_baseline(filled: Store) -> None:
    set_baseline(filled, "good", "test")
    saved(filled, "RR", "P@1", "AP")
    options = ComparisonOptions(collection="test", tests=("t",))
    measures = named_measures(["RR", "P@1", "AP"])
    named = replace(options, baseline="good")
    loaded = load(LocalStore(filled), ["good", "best", "late", "worst"], measures, named)
    compared = compare_loaded(loaded, measures, options)
    claims = {(pair.measure, pair.b): pair.to_dict() for pair in compared.pairs}
    columns = "measure, run, verdict, reason, sentence, family, bounds_low, bounds_high"
    shown = view(filled, columns)
    assert [row[2:5] for row in shown if row[1] == "good"] == [(None, None, None)] * 3
    of_others = [row for row in shown if row[1] != "good"]
    assert len(of_others) == len(claims) == 9
    for measure_, run, *figures, low, high in of_others:
        claim = claims[str(measure_), str(run)]
        assert figures == [claim[name] for name in ("verdict", "reason", "sentence", "family")]
        bounds = claim["bounds"]
        assert (None if low is None else pytest.approx([low, high])) == bounds
    assert {row[0]: row[6] is not None for row in of_others} == {
        "RR": True, "P@1": True, "AP": False
    }  # fmt: skip


def test_a_run_named_like_the_id_of_another_has_its_own_claims(
    store: Store, tmp_path: Path
) -> None:
    add_ranked_runs(store, tmp_path)
    set_baseline(store, "good", "test")
    [worst] = [one.run_id for one in ranked(store, "RR").measures[0].runs if one.run == "worst"]
    later = {f"q{query}": ["n0", "r"] for query in range(12)}
    run = write_run(tmp_path, later, f"{worst}.run")
    add(store, tmp_path, run, qrels=str(tmp_path / "ranked.qrels"))
    saved(store, "RR")
    claims = [(run, str(said)) for run, said in view(store, "run, sentence") if run != "good"]
    assert len(claims) == 4
    assert all(said.startswith(f"{run} is ") for run, said in claims)


@both_databases
def test_saving_again_replaces_what_was_saved(filled: Store) -> None:
    saved(filled, "RR", "P@1")
    save_ranks(filled, ranked(filled, settings=RankSettings("tukey", 0.1, resamples=10)))
    assert set(view(filled, "measure, test, alpha")) == {("P@1", "t", 0.05), ("RR", "tukey", 0.1)}
    assert len(view(filled)) == 2 * len(RUNS)


def test_the_view_shows_ranks_only_while_the_runs_are_those_ranked(
    filled: Store, tmp_path: Path
) -> None:
    saved(filled, "RR")
    before = view(filled)
    assert len(before) == len(RUNS)
    remove_runs(filled, ["best"])
    assert view(filled) == []
    restore_runs(filled, ["best"])
    assert view(filled) == before
    measure(filled, list(named_measures(["P@7"]).values()))
    assert view(filled) == before  # a further measure changes no value of another
    qrels = str(tmp_path / "ranked.qrels")
    add(filled, tmp_path, write_run(tmp_path, {"q1": ["r"]}, "new.run", "new"), qrels=qrels)
    assert view(filled) == []
    remove_runs(filled, ["new"])
    assert view(filled) == before


def test_ranks_saved_without_a_removed_run_are_hidden_when_it_is_back(filled: Store) -> None:
    saved(filled, "RR")
    remove_runs(filled, ["best"])
    saved(filled, "RR")
    assert [row[0] for row in view(filled)] == ["good", "late", "worst"]
    restore_runs(filled, ["best"])
    assert view(filled) == []


def test_a_replaced_or_purged_run_hides_the_ranks(filled: Store) -> None:
    saved(filled, "RR")
    remove_runs(filled, ["worst"])
    purge_runs(filled, ["worst"])
    assert view(filled) == []
    assert list(db_check(filled).problems) == []


def test_ranks_of_values_that_were_deleted_go_with_them(store: Store, tmp_path: Path) -> None:
    """New facts give the same evaluation other values of the measures that need them."""
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    for judgments in ("q1 a d1 1\n", "q1 a d3 1\n"):
        subtopics = read_subtopic_qrels(write(tmp_path / "subtopics", judgments))
        store_collection_facts(store, "test", CollectionFacts(subtopics=subtopics))
        assert view(store) == []
        measure(store, list(named_measures(["StRecall@1"]).values()))
        assert view(store) == []
        saved(store, "StRecall@1")
        assert len(view(store)) == 2


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        (["RR", "NumRet"], "nothing to save: NumRet has no ranks"),
        (["RR", "P@7"], "P@7 is not stored for best and 3 more runs"),
    ],
)
def test_what_can_not_be_saved_is_refused_and_nothing_is_stored(
    filled: Store, measures: Sequence[str], message: str
) -> None:
    before = dump(filled)
    with pytest.raises(DataError, match=message):
        saved(filled, *measures)
    assert dump(filled) == before


def test_ranks_of_runs_that_changed_meanwhile_are_not_saved(filled: Store) -> None:
    ranks = ranked(filled)
    remove_runs(filled, ["best"])
    with pytest.raises(DataError, match="changed meanwhile"):
        save_ranks(filled, ranks)


@pytest.mark.parametrize(
    "change",
    ["rank = rank + 1", "rank_group = 'z'", "low = 0", "rank_high = 9", "judged_top_10 = NULL"],
)
@postgres_by_night
def test_db_check_names_saved_ranks_that_are_not_those_of_the_values(
    filled: Store, change: str
) -> None:
    saved(filled, "RR")
    with filled.write() as connection:
        connection.execute(text(f"UPDATE saved_rank SET {change}"))
    [problem] = db_check(filled).problems
    assert problem.startswith("saved ranks of collection 'test' under qrels 'ranked'")
    assert "are not what the values give" in problem


def test_a_copy_has_the_saved_ranks_unless_it_lacks_a_run(filled: Store, tmp_path: Path) -> None:
    saved(filled, "RR")
    for name in ("complete", "lacking"):
        with Store.open(f"sqlite:///{tmp_path / name}.db") as target:
            if name == "lacking":  # another run is called so: the copy of this one fails
                add(target, tmp_path, write_run(tmp_path, QRELS, "best.run", "best"))
            copy(filled, target)
            copy(filled, target)
            assert view(target) == (view(filled) if name == "complete" else [])
