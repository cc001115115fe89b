"""Removed, brought back, gone for good; renamed, tagged; and who did it stands in the store."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from samples import BM25, TFIDF, add, dump, statuses, write_qrels, write_run

from evalstore.errors import Conflict, DataError, NotFound
from evalstore.measures import parse
from evalstore.store import Store, views
from evalstore.store.runs import list_runs
from evalstore.usecases import change_runs as manage
from evalstore.usecases import compare, export
from evalstore.usecases import leaderboard as browse
from evalstore.usecases.db_check import db_check
from evalstore.usecases.measure import measure


@pytest.fixture
def two(store: Store, tmp_path: Path) -> Store:
    """A store with the runs bm25 and tfidf of the collection test."""
    add(store, tmp_path, write_run(tmp_path), experiment="first")
    add(store, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    return store


def actions(store: Store) -> list[tuple[str, str]]:
    return [(event.action, event.subject) for event in manage.history(store)]


# --- removed -------------------------------------------------------------------------------------


def test_every_read_leaves_out_what_is_removed(two: Store) -> None:
    (gone,) = manage.remove(two, ["tfidf"])
    (kept,) = browse.leaderboard(two, "test").runs["run_id"]
    assert browse.collections(two)["runs"].tolist() == [1]
    assert list(browse.leaderboard(two, "test").values.index) == [kept]
    with pytest.raises(NotFound, match=f"no run {gone.id} in the store"):
        compare.comparison(two, [kept, gone.id])
    with pytest.raises(NotFound, match=r"'tfidf' .* was removed"):
        list(export.run_lines(two, "tfidf"))
    assert [done.run for done in measure(two, [parse("P@3")])] == ["bm25"]
    with pytest.raises(NotFound, match="was removed"):
        measure(two, [parse("P@3")], ["tfidf"])


@pytest.mark.parametrize("view", [view.name for view in views.VIEWS])
def test_no_view_shows_what_is_removed(two: Store, view: str) -> None:
    manage.remove(two, ["tfidf"])
    with two.read() as connection:
        rows = connection.exec_driver_sql(f"SELECT * FROM {view}").all()
    assert "tfidf" not in {value for row in rows for value in row}


def test_a_measure_that_only_a_removed_run_has_is_no_column(two: Store) -> None:
    measure(two, [parse("P@3")], ["tfidf"])
    assert "P@3" in browse.leaderboard(two, "test").measures
    manage.remove(two, ["tfidf"])
    assert "P@3" not in browse.leaderboard(two, "test").measures


def test_a_restored_run_is_what_it_was(two: Store) -> None:
    before = {name: rows for name, rows in dump(two).items() if name != "event"}
    manage.remove(two, ["tfidf", "bm25"])
    assert browse.leaderboard(two, "test").runs.empty
    assert [run.name for run in manage.removed(two)] == ["bm25", "tfidf"]
    manage.restore(two, ["bm25", "tfidf", "bm25"])
    assert {name: rows for name, rows in dump(two).items() if name != "event"} == before
    assert manage.removed(two) == []


def test_all_of_several_runs_are_removed_or_none(two: Store) -> None:
    before = dump(two)
    with pytest.raises(NotFound, match="'nothing'"):
        manage.remove(two, ["bm25", "nothing"])
    assert dump(two) == before


def test_a_run_is_removed_once_and_restored_once(two: Store) -> None:
    with pytest.raises(NotFound, match="'bm25' in the store is not removed"):
        manage.restore(two, ["bm25"])
    manage.remove(two, ["bm25"])
    with pytest.raises(NotFound, match="was removed"):
        manage.remove(two, ["bm25"])
    with pytest.raises(NotFound, match="no removed run 'nothing' in collection 'test'"):
        manage.restore(two, ["nothing"], "test")


def test_a_name_that_several_collections_have_wants_the_collection(
    two: Store, tmp_path: Path
) -> None:
    add(two, tmp_path, write_run(tmp_path), collection="other")
    with pytest.raises(NotFound, match="several collections have a run 'bm25': 'other', 'test'"):
        manage.remove(two, ["bm25"])
    manage.remove(two, ["bm25"], "other")
    assert browse.leaderboard(two, "test").runs["run"].tolist() == ["bm25", "tfidf"]
    manage.remove(two, ["bm25"])  # only one is left


def test_a_run_is_known_by_its_id_too(two: Store) -> None:
    (run_id, _) = browse.leaderboard(two, "test").runs["run_id"]
    assert manage.remove(two, [str(run_id)])[0].name == "bm25"
    assert manage.restore(two, [str(run_id)])[0].name == "bm25"
    for unknown in (str(2**31), str(2**63), "9" * 400, "-1", "²"):
        with pytest.raises(NotFound, match="there is no run"):
            manage.remove(two, [unknown])


def test_ingesting_what_was_removed_brings_it_back(two: Store, tmp_path: Path) -> None:
    manage.remove(two, ["bm25"])
    (outcome,) = add(two, tmp_path, write_run(tmp_path))
    assert (outcome.status, outcome.detail) == ("restored", "bm25")
    assert statuses(add(two, tmp_path, write_run(tmp_path))) == ["already stored"]
    assert actions(two)[-2:] == [("rm", "bm25"), ("restore", "bm25")]


def test_ingesting_what_was_removed_under_other_qrels_restores_and_evaluates_it(
    two: Store, tmp_path: Path
) -> None:
    manage.remove(two, ["bm25"])
    second = write_qrels(tmp_path, {"q1": {"d1": 1}}, "second.qrels")
    assert statuses(add(two, tmp_path, write_run(tmp_path), qrels=second)) == ["restored"]
    assert browse.leaderboard(two, "test", "second").values["AP"].notna().tolist() == [True, False]


def test_a_name_that_a_removed_run_keeps_is_taken(two: Store, tmp_path: Path) -> None:
    manage.remove(two, ["bm25"])
    other = write_run(tmp_path, {"q1": ["d1"]})
    (outcome,) = add(two, tmp_path, other)
    assert outcome.status == "failed"
    assert "was removed" in outcome.detail
    assert outcome.problem == "removed run has name"
    assert statuses(add(two, tmp_path, other, replace=True)) == ["replaced"]
    assert manage.removed(two) == []


# --- gone for good -------------------------------------------------------------------------------


def test_a_purge_deletes_what_is_removed_and_nothing_else(two: Store, tmp_path: Path) -> None:
    manage.remove(two, ["bm25"])
    purged = manage.purge(two)
    assert [run.name for run in purged.runs] == ["bm25"]
    assert purged.packed_bytes > 0
    assert list(db_check(two).problems) == []
    with Store.open(f"sqlite:///{tmp_path / 'fresh.db'}") as fresh:
        add(fresh, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
        expected, found = dump(fresh), dump(two)
    for table in set(expected) - {"event"}:
        assert len(found[table]) == len(expected[table]), table
    assert statuses(add(two, tmp_path, write_run(tmp_path))) == ["stored"]


def test_a_purge_of_a_run_that_is_not_removed_is_refused(two: Store) -> None:
    before = dump(two)
    with pytest.raises(NotFound, match="'bm25' in the store is not removed"):
        manage.purge(two, ["bm25"])
    assert manage.purge(two).runs == ()
    assert dump(two) == before


def test_a_purge_may_name_runs_or_a_collection(two: Store, tmp_path: Path) -> None:
    add(two, tmp_path, write_run(tmp_path), collection="other")
    manage.remove(two, ["bm25", "tfidf"], "test")
    manage.remove(two, ["bm25"], "other")
    assert [run.collection for run in manage.purge(two, collection="other").runs] == ["other"]
    assert [run.name for run in manage.purge(two, ["tfidf"]).runs] == ["tfidf"]
    assert [run.name for run in manage.removed(two)] == ["bm25"]


def test_a_purge_says_what_it_freed_on_disk(store: Store, tmp_path: Path) -> None:
    big = {"q1": [f"document-{i * 7919 % 30011}" for i in range(30_000)]}
    add(store, tmp_path, write_run(tmp_path, BM25))
    add(store, tmp_path, write_run(tmp_path, big, "big.run"), keep_top=30_000)
    manage.remove(store, ["big"])
    purged = manage.purge(store)
    assert purged.packed_bytes > 30_000
    if store.engine.dialect.name == "sqlite":
        file = Path(store.engine.url.database or "")
        assert purged.before - purged.after > 1_000_000
        assert purged.after == file.stat().st_size


# --- other names, tags ---------------------------------------------------------------------------


def test_a_renamed_run_is_found_by_its_new_name_alone(two: Store, tmp_path: Path) -> None:
    manage.rename(two, "bm25", "bm25 k1=0.9")
    assert browse.leaderboard(two, "test").runs["run"].tolist() == ["bm25 k1=0.9", "tfidf"]
    with pytest.raises(NotFound):
        manage.rename(two, "bm25", "x")
    (outcome,) = add(two, tmp_path, write_run(tmp_path))
    assert (outcome.status, outcome.detail) == ("already stored", "bm25 k1=0.9")
    assert manage.history(two)[-1].details == {"before": "bm25"}


def test_a_name_is_given_once_in_a_collection(two: Store, tmp_path: Path) -> None:
    before = dump(two)
    with pytest.raises(Conflict, match="there is a run named 'tfidf' in collection 'test'"):
        manage.rename(two, "bm25", "tfidf")
    for bad in ("", " ", "a\nb", "x" * 1025):
        with pytest.raises(DataError):
            manage.rename(two, "bm25", bad)
    manage.rename(two, "bm25", "bm25")
    assert dump(two) == before
    manage.remove(two, ["tfidf"])
    with pytest.raises(Conflict, match="there is a removed run named 'tfidf'"):
        manage.rename(two, "bm25", "tfidf")


def test_tags_are_put_on_and_taken_off(two: Store) -> None:
    assert manage.tag(two, "bm25", ["paper", "Ä", "paper"]) == ["paper", "Ä"]
    assert manage.tag(two, "bm25", ["B"], ["paper", "never there"]) == ["B", "Ä"]
    before = dump(two)
    assert manage.tag(two, "bm25") == ["B", "Ä"]
    assert manage.tag(two, "bm25", ["B"]) == ["B", "Ä"]
    assert dump(two) == before, "what changes nothing is no event"
    assert manage.history(two)[-1].details == {"added": ["B"], "removed": ["paper"]}
    assert manage.tag(two, "bm25", [], ["B", "Ä"]) == []
    with pytest.raises(DataError, match="control character"):
        manage.tag(two, "bm25", ["\x1b"])


# --- events --------------------------------------------------------------------------------------


def test_who_did_what_and_when_stands_in_the_store(two: Store, tmp_path: Path) -> None:
    add(two, tmp_path, write_run(tmp_path, {"q1": ["d1"]}), replace=True)
    measure(two, [parse("P@3")], ["tfidf"])
    manage.remove(two, ["tfidf"])
    manage.restore(two, ["tfidf"])
    manage.rename(two, "tfidf", "second")
    manage.tag(two, "second", ["x"])
    manage.remove(two, ["second"])
    manage.purge(two)
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
    for event in manage.history(two):
        assert event.at.tzinfo is UTC
        assert timedelta(0) <= now - event.at < timedelta(minutes=5)
        assert "@" in event.who
        assert event.collection == "test"


def test_events_can_be_asked_for_by_subject_and_number(two: Store) -> None:
    manage.remove(two, ["tfidf"])
    assert [e.action for e in manage.history(two, subject="tfidf")] == ["ingest", "rm"]
    assert [e.action for e in manage.history(two, last=2)] == ["ingest", "rm"]
    assert manage.history(two, collection="other") == []


def test_times_are_utc_wherever_the_user_is(two: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        manage.remove(two, ["tfidf"])
        at = manage.history(two)[-1].at
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
    manage.remove(two, ["tfidf"])
    assert manage.history(two)[-1].who.partition("@")[0].isdecimal()
