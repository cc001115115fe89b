"""The news of a store: new runs, gates, changed judgments and what lacks judgments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from databases import both_databases
from samples import BM25, QRELS, TFIDF, Filled, add, write_qrels, write_run
from sqlalchemy import Connection

from evalstore.catalog.collections import rename_collection
from evalstore.catalog.qrels import remove_qrels, set_default
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.tracking.overview import ChangedQrels, CollectionNews, news_since

START = datetime(2000, 1, 1, tzinfo=UTC)


def fill(store: Store, folder: Path) -> None:
    """Two runs: 5 of 7 retrieved documents of bm25 are judged, and 5 of 6 of tfidf."""
    add(store, folder, write_run(folder, BM25, "bm25.run", "bm25"))
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"))


def only(store: Store, since: datetime = START) -> CollectionNews:
    (news,) = news_since(store, since)
    return news


def log_gate(store: Store, run: str, outcome: str, rule: str, minutes: int) -> None:
    def work(connection: Connection) -> None:
        at = datetime.now(UTC) + timedelta(minutes=minutes)
        rules = [{"rule": rule, "fails": outcome == "failed"}]
        details = {"outcome": outcome, "baseline": "bm25", "summary": "as it was"}
        events.log(connection, "gate", "test", run, at, rules=rules, **details)

    store.transact(work)


@both_databases
def test_new_runs_are_those_stored_after_the_time_and_not_removed(copied: Filled) -> None:
    store = copied(fill)
    assert only(store).runs == ("tfidf", "bm25")
    assert only(store).baseline is None
    set_baseline(store, "bm25", "test")
    assert only(store).baseline == "bm25"
    remove_runs(store, ["tfidf"])
    assert only(store).runs == ("bm25",)
    assert news_since(store, datetime.now(UTC)) == ()


def test_a_run_with_less_than_four_fifths_of_its_top_10_judged_lacks_judgments(
    read_only: Filled,
) -> None:
    assert only(read_only(fill)).unjudged == (("bm25", 5 / 7),)


def test_the_latest_result_of_each_gate_counts(copied: Filled) -> None:
    store = copied(fill)
    log_gate(store, "tfidf", "failed", "AP drop > 0.1", 1)
    log_gate(store, "tfidf", "undecided", "P@10 drop > 0.1", 2)
    assert [gate.outcome for gate in only(store).gates] == ["failed", "undecided"]
    log_gate(store, "tfidf", "passed", "AP drop > 0.1", 3)
    assert [gate.outcome for gate in only(store).gates] == ["undecided"]
    log_gate(store, "tfidf", "passed", "P@10 drop > 0.1", 4)
    assert only(store).gates == ()


def test_a_gate_that_passed_is_no_news(copied: Filled) -> None:
    store = copied(fill)
    log_gate(store, "tfidf", "passed", "AP drop > 0.1", 60)
    assert news_since(store, datetime.now(UTC) + timedelta(minutes=30)) == ()


def test_changes_of_a_qrels_are_news_once_under_the_present_name_of_the_collection(
    copied: Filled, tmp_path: Path
) -> None:
    store = copied(fill)
    before = datetime.now(UTC)
    more = {**QRELS, "q3": {"d6": 3, "d8": 1}}
    add(store, tmp_path, qrels=write_qrels(tmp_path, more, "more.qrels"))
    set_default(store, "more", "test")
    rename_collection(store, "test", "renamed")
    news = only(store, before)
    assert news.collection == "renamed"
    assert news.qrels == (ChangedQrels("more", ("ingest", "default"), 7, is_active=True),)
    remove_qrels(store, ["more"], "renamed")
    assert not only(store, before).qrels[0].is_active
