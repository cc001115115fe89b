"""Runs are removed, restored, purged, renamed and tagged, and each change is an event."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from changed_runs import rename_run, tag_run
from databases import both_databases
from leaderboard_frames import collections, leaderboard
from samples import BM25, TFIDF, Filled, add, dump, statuses, write_qrels, write_run

from evalstore.catalog.runs import history, purge_runs, remove_runs, removed_runs, restore_runs
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.evaluation.measure import measure
from evalstore.measures import parse
from evalstore.store import Store, views
from evalstore.store.queries.runs import list_runs
from evalstore.transfer import export
from evalstore.transfer.db_check import db_check


def fill(store: Store, folder: Path) -> None:
    """A store with the runs bm25 and tfidf of the collection test."""
    add(store, folder, write_run(folder), experiment="first")
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def two(copied: Filled) -> Store:
    return copied(fill)


def actions(store: Store) -> list[tuple[str, str]]:
    return [(event.action, event.subject) for event in history(store)]


# --- removed -------------------------------------------------------------------------------------


def test_every_read_leaves_out_what_is_removed(two: Store) -> None:
    (gone,) = remove_runs(two, ["tfidf"])
    (kept,) = leaderboard(two, "test").runs["run_id"]
    assert collections(two)["runs"].tolist() == [1]
    assert list(leaderboard(two, "test").values.index) == [kept]
    with pytest.raises(NotFound, match=f"run '{gone.id}' in the store was removed"):
        load_stored_runs(two, [str(kept), str(gone.id)], {})
    with (
        pytest.raises(NotFound, match=r"'tfidf' .* was removed"),
        export.run_lists(two, "tfidf"),
    ):
        pass
    assert [done.run for done in measure(two, [parse("P@3")])] == ["bm25"]
    with pytest.raises(NotFound, match="was removed"):
        measure(two, [parse("P@3")], ["tfidf"])


@pytest.mark.parametrize("view", [view.name for view in views.VIEWS])
@both_databases
def test_no_view_shows_what_is_removed(two: Store, view: str) -> None:
    remove_runs(two, ["tfidf"])
    with two.read() as connection:
        rows = connection.exec_driver_sql(f"SELECT * FROM {view}").all()
    assert "tfidf" not in {value for row in rows for value in row}


def test_a_measure_that_only_a_removed_run_has_is_no_column(two: Store) -> None:
    measure(two, [parse("P@3")], ["tfidf"])
    assert "P@3" in leaderboard(two, "test").measures
    remove_runs(two, ["tfidf"])
    assert "P@3" not in leaderboard(two, "test").measures


def test_a_restored_run_is_what_it_was(two: Store) -> None:
    before = {name: rows for name, rows in dump(two).items() if name != "event"}
    remove_runs(two, ["tfidf", "bm25"])
    assert leaderboard(two, "test").runs.empty
    assert [run.name for run in removed_runs(two)] == ["bm25", "tfidf"]
    restore_runs(two, ["bm25", "tfidf", "bm25"])
    assert {name: rows for name, rows in dump(two).items() if name != "event"} == before
    assert removed_runs(two) == []


def test_all_of_several_runs_are_removed_or_none(two: Store) -> None:
    before = dump(two)
    with pytest.raises(NotFound, match="'nothing'"):
        remove_runs(two, ["bm25", "nothing"])
    assert dump(two) == before


@both_databases
def test_a_run_is_removed_once_and_restored_once(two: Store) -> None:
    with pytest.raises(NotFound, match="'bm25' in the store is not removed"):
        restore_runs(two, ["bm25"])
    remove_runs(two, ["bm25"])
    with pytest.raises(NotFound, match="was removed"):
        remove_runs(two, ["bm25"])
    with pytest.raises(NotFound, match="no removed run 'nothing' in collection 'test'"):
        restore_runs(two, ["nothing"], "test")


def test_a_name_that_several_collections_have_wants_the_collection(
    two: Store, tmp_path: Path
) -> None:
    add(two, tmp_path, write_run(tmp_path), collection="other")
    with pytest.raises(NotFound, match="several collections have a run 'bm25': 'other', 'test'"):
        remove_runs(two, ["bm25"])
    remove_runs(two, ["bm25"], "other")
    assert leaderboard(two, "test").runs["run"].tolist() == ["bm25", "tfidf"]
    remove_runs(two, ["bm25"])  # only one is left


def test_a_run_is_known_by_its_id_too(two: Store) -> None:
    (run_id, _) = leaderboard(two, "test").runs["run_id"]
    assert remove_runs(two, [str(run_id)])[0].name == "bm25"
    assert restore_runs(two, [str(run_id)])[0].name == "bm25"
    for unknown in (str(2**31), str(2**63), "9" * 400, "-1", "²"):
        with pytest.raises(NotFound, match="there is no run"):
            remove_runs(two, [unknown])


def test_ingesting_what_was_removed_brings_it_back(two: Store, tmp_path: Path) -> None:
    remove_runs(two, ["bm25"])
    (outcome,) = add(two, tmp_path, write_run(tmp_path))
    assert (outcome.status, outcome.detail) == ("restored", "bm25")
    assert statuses(add(two, tmp_path, write_run(tmp_path))) == ["already stored"]
    assert actions(two)[-2:] == [("rm", "bm25"), ("restore", "bm25")]


def test_ingesting_what_was_removed_under_other_qrels_restores_and_evaluates_it(
    two: Store, tmp_path: Path
) -> None:
    remove_runs(two, ["bm25"])
    second = write_qrels(tmp_path, {"q1": {"d1": 1}}, "second.qrels")
    assert statuses(add(two, tmp_path, write_run(tmp_path), qrels=second)) == ["restored"]
    assert leaderboard(two, "test", "second").values["AP"].notna().tolist() == [True, False]


def test_a_name_that_a_removed_run_keeps_is_taken(two: Store, tmp_path: Path) -> None:
    remove_runs(two, ["bm25"])
    other = write_run(tmp_path, {"q1": ["d1"]})
    (outcome,) = add(two, tmp_path, other)
    assert outcome.status == "failed"
    assert "was removed" in outcome.detail
    assert outcome.problem == "removed run has name"
    assert statuses(add(two, tmp_path, other, replace=True)) == ["replaced"]
    assert removed_runs(two) == []


# --- gone for good -------------------------------------------------------------------------------


def test_a_purge_deletes_what_is_removed_and_nothing_else(two: Store, tmp_path: Path) -> None:
    remove_runs(two, ["bm25"])
    purged = purge_runs(two)
    assert [run.name for run in purged.runs] == ["bm25"]
    assert purged.packed_bytes > 0
    assert list(db_check(two).problems) == []
    with Store.open(f"sqlite:///{tmp_path / 'fresh.db'}") as fresh:
        add(fresh, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
        expected, rows_left = dump(fresh), dump(two)
    for table in set(expected) - {"event", "experiment"}:  # people wrote about an experiment
        assert len(rows_left[table]) == len(expected[table]), table
    assert statuses(add(two, tmp_path, write_run(tmp_path))) == ["stored"]


def test_a_purge_of_a_run_that_is_not_removed_is_refused(two: Store) -> None:
    before = dump(two)
    with pytest.raises(NotFound, match="'bm25' in the store is not removed"):
        purge_runs(two, ["bm25"])
    assert purge_runs(two).runs == ()
    assert dump(two) == before


def test_a_purge_may_name_runs_or_a_collection(two: Store, tmp_path: Path) -> None:
    add(two, tmp_path, write_run(tmp_path), collection="other")
    remove_runs(two, ["bm25", "tfidf"], "test")
    remove_runs(two, ["bm25"], "other")
    assert [run.collection for run in purge_runs(two, collection="other").runs] == ["other"]
    assert [run.name for run in purge_runs(two, ["tfidf"]).runs] == ["tfidf"]
    assert [run.name for run in removed_runs(two)] == ["bm25"]


def test_a_purge_says_what_it_freed_on_disk(store: Store, tmp_path: Path) -> None:
    big = {"q1": [f"document-{i * 7919 % 30011}" for i in range(30_000)]}
    add(store, tmp_path, write_run(tmp_path, BM25))
    add(store, tmp_path, write_run(tmp_path, big, "big.run"), keep_top=30_000)
    remove_runs(store, ["big"])
    purged = purge_runs(store)
    assert purged.packed_bytes > 30_000
    if store.engine.dialect.name == "sqlite":
        file = Path(store.engine.url.database or "")
        assert purged.before - purged.after > 1_000_000
        assert purged.after == file.stat().st_size


# --- other names, tags ---------------------------------------------------------------------------


def test_a_renamed_run_is_found_by_its_new_name_alone(two: Store) -> None:
    rename_run(two, "bm25", "bm25 k1=0.9")
    assert leaderboard(two, "test").runs["run"].tolist() == ["bm25 k1=0.9", "tfidf"]
    with pytest.raises(NotFound):
        rename_run(two, "bm25", "x")
    assert history(two)[-1].details == {"before": "bm25"}


def test_the_file_of_a_renamed_run_is_still_that_run(store: Store, tmp_path: Path) -> None:
    run = write_run(tmp_path)
    add(store, tmp_path, run)
    rename_run(store, "bm25", "bm25 k1=0.9")
    (outcome,) = add(store, tmp_path, run)
    assert (outcome.status, outcome.detail) == ("already stored", "bm25 k1=0.9")
    (outcome,) = add(store, tmp_path, run, name="bm25")
    assert (outcome.status, outcome.same_as) == ("stored", "bm25 k1=0.9")


def test_a_name_is_given_once_in_a_collection(two: Store, tmp_path: Path) -> None:
    before = dump(two)
    with pytest.raises(Conflict, match="there is a run named 'tfidf' in collection 'test'"):
        rename_run(two, "bm25", "tfidf")
    for bad in ("", " ", "a\nb", "x" * 1025):
        with pytest.raises(DataError):
            rename_run(two, "bm25", bad)
    rename_run(two, "bm25", "bm25")
    assert dump(two) == before
    remove_runs(two, ["tfidf"])
    with pytest.raises(Conflict, match="there is a removed run named 'tfidf'"):
        rename_run(two, "bm25", "tfidf")


def test_tags_are_put_on_and_taken_off(two: Store) -> None:
    assert tag_run(two, "bm25", ["paper", "Ä", "paper"]) == ["paper", "Ä"]
    assert tag_run(two, "bm25", ["B"], ["paper", "never there"]) == ["B", "Ä"]
    before = dump(two)
    assert tag_run(two, "bm25") == ["B", "Ä"]
    assert tag_run(two, "bm25", ["B"]) == ["B", "Ä"]
    assert dump(two) == before, "what changes nothing is no event"
    assert history(two)[-1].details == {"added": ["B"], "removed": ["paper"]}
    assert tag_run(two, "bm25", [], ["B", "Ä"]) == []
    with pytest.raises(DataError, match="control character"):
        tag_run(two, "bm25", ["\x1b"])


# --- events --------------------------------------------------------------------------------------


def test_who_did_what_and_when_stands_in_the_store(two: Store, tmp_path: Path) -> None:
    add(two, tmp_path, write_run(tmp_path, {"q1": ["d1"]}), replace=True)
    measure(two, [parse("P@3")], ["tfidf"])
    remove_runs(two, ["tfidf"])
    restore_runs(two, ["tfidf"])
    rename_run(two, "tfidf", "second")
    tag_run(two, "second", ["x"])
    remove_runs(two, ["second"])
    purge_runs(two)
    assert actions(two) == [
        ("ingest", "test"),
        ("ingest", "bm25"),
        ("ingest", "tfidf"),
        ("replace", "bm25"),
        ("measure", "tfidf"),
        ("rm", "tfidf"),
        ("restore", "tfidf"),
        ("rename", "second"),
        ("tag", "second"),
        ("rm", "second"),
        ("purge", "second"),
    ]
    now = datetime.now(UTC)
    for event in history(two):
        assert event.at.tzinfo is UTC
        assert timedelta(0) <= now - event.at < timedelta(minutes=5)
        assert "@" in event.who
        assert event.collection == "test"


@both_databases
def test_events_can_be_asked_for_by_subject_and_number(two: Store) -> None:
    remove_runs(two, ["tfidf"])
    assert [e.action for e in history(two, subject="tfidf")] == ["ingest", "rm"]
    assert [e.action for e in history(two, last=2)] == ["ingest", "rm"]
    assert history(two, collection="other") == []


@both_databases
def test_times_are_utc_wherever_the_user_is(two: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        remove_runs(two, ["tfidf"])
        at = history(two)[-1].at
        assert abs(datetime.now(UTC) - at) < timedelta(minutes=5)
        with two.read() as connection:
            if two.engine.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL TimeZone = 'Pacific/Kiritimati'")
            (run,) = list_runs(connection, removed=True)
        assert run.removed_at == at
        assert run.removed_at.tzinfo is UTC
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_user_without_a_name_is_one_too(two: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", nobody)
    remove_runs(two, ["tfidf"])
    assert history(two)[-1].who.partition("@")[0].isdecimal()
