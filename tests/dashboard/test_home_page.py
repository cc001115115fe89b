"""The home page: the collections with their best runs, the newest events, the empty store."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json

from dashboard.app import create_app
from dashboard.pages.home import page as page_module
from dashboard.pages.home.events import UNFOLDED, alike, lately
from dashboard.theme import SLOTS
from evalstore.catalog.runs import remove_runs
from evalstore.server.setup import set_up
from evalstore.store import Store
from evalstore.store.queries.events import Event
from evalstore.tracking.overview import Overview, overview


def test_every_collection_is_listed_with_its_best_run(app: Browserless) -> None:
    text = app.text("/")
    assert "3 5 judgments" in text
    assert "other" in text
    assert "bm25" in text
    page = as_json(app.page("/")["page"]["children"])
    assert '"href": "/c/small"' in page
    assert '"href": "/c/small/run/bm25"' in page


def test_further_qrels_of_a_collection_are_counted(
    app: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_qrels(store: Store) -> Overview:
        found = overview(store)
        collections = tuple(replace(c, qrels=("a", "b", "c")) for c in found.collections)
        return replace(found, collections=collections)

    monkeypatch.setattr(page_module, "overview", with_qrels)
    assert "3 5 a and 2 more" in app.text("/")
    assert '"title": "b, c"' in as_json(app.page("/")["page"]["children"])


def test_the_page_answers_then_lists_the_collections_and_then_the_latest_changes(
    app: Browserless,
) -> None:
    text = app.text("/")
    places = [text.index(part) for part in ("has the highest AP", "Collections", "Latest changes")]
    assert places == sorted(places)


def test_an_empty_store_shows_the_two_commands_that_fill_it(empty_app: Browserless) -> None:
    text = empty_app.text("/")
    assert "evalstore --db sqlite:///empty.db demo" in text
    assert "evalstore --db sqlite:///empty.db ingest --collection" in text


def test_the_newest_event_comes_first(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        remove_runs(store, ["tfidf"])
        [first, *_] = overview(store).events
        assert (first.action, first.subject) == ("rm", "tfidf")
        text = Browserless(create_app(store).server.test_client()).text("/")
    assert "today removed tfidf in small" in text


def test_removed_runs_are_neither_counted_nor_best(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        [small] = (c for c in overview(store).collections if c.name == "small")
        assert small.best is not None
        remove_runs(store, [small.best.run])
        [now] = (c for c in overview(store).collections if c.name == "small")
    assert now.runs == small.runs - 1
    assert now.best is not None
    assert now.best.run != small.best.run


def test_the_best_run_has_the_highest_average_precision(store: Store) -> None:
    [small] = (c for c in overview(store).collections if c.name == "small")
    assert small.best is not None
    # R-precision of bm25 is 1, 1, 1, 0.5, 1: no other run is near it on AP.
    assert small.best.run == "bm25"


def test_hostile_names_are_texts(hostile_app: Browserless) -> None:
    page = as_json(hostile_app.page("/")["page"]["children"])
    assert "dangerously" not in page
    assert hostile_app.text("/")


def event(subject: str, action: str = "ingest", **details: str) -> Event:
    return Event(datetime(2026, 11, 27, tzinfo=UTC), "ann", action, "small", subject, details)


def test_what_was_done_alike_on_a_day_is_one_line() -> None:
    runs = [event("bm25", kind="run"), event("tfidf", kind="run")]
    between = event("bm25", "measure")
    yesterday = replace(runs[0], at=runs[0].at - timedelta(days=1))
    assert alike([runs[0], between, runs[1], yesterday]) == [runs, [between], [yesterday]]


def test_a_run_with_a_long_name_keeps_what_differs_from_the_others(tmp_path: Path) -> None:
    names = [f"{engine}-index_passages-v2-k1_0.9-b_0.4" for engine in ("bm25", "dense")]
    documents = {name: {"q1": ["x"] * n + ["d"]} for n, name in enumerate(names)}
    with Store.open(f"sqlite:///{tmp_path / 'long.db'}") as store:
        sample_stores.add(store, tmp_path, "long", {"q1": {"d": 1}}, documents)
        text = Browserless(create_app(store).server.test_client()).text("/")
    assert "bm25-… has the highest AP, 1.0000" in text
    assert "bm25-… 1.0000" in text
    assert "stored dense-… , bm25-… in long" in text


def test_a_day_is_written_once() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    lines = lately([event("bm25"), event("bm25", "measure")], now, {}).children
    assert [line.children[0].children for line in lines] == ["yesterday", ""]


def test_a_failed_gate_comes_first_until_another_gate_of_the_run() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    newest, failed = event("tfidf"), event("bm25", "gate", outcome="failed")
    first, _ = lately([newest, failed], now, {}).children
    assert first.children[1].children == "gate failed"
    assert "warn" in first.children[1].className
    passed = event("bm25", "gate", outcome="passed")
    lines = lately([newest, passed, failed], now, {}).children
    assert [line.children[1].children for line in lines] == ["stored", "gate passed", "gate failed"]


def test_the_first_changes_are_seen_and_the_others_folded() -> None:
    some = [event(name, action) for name in "ab" for action in ("rm", "purge", "restore")]
    later = [replace(one, at=one.at - timedelta(days=1)) for one in some]
    first, more = lately([*some, *later], datetime(2026, 11, 28, tzinfo=UTC), {}).children
    assert len(first.children) == UNFOLDED
    summary, others = more.children
    assert (summary.children, len(others.children)) == ("2 more", 2)


def test_many_views_are_counted() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    views = [event(f"A long sentence: {number}", "view") for number in range(4)]
    [few], [many] = (lately(some, now, {}).children for some in (views[:1], views))
    assert few.children[1].children == many.children[1].children == "saved"
    assert "the view " in str(few)
    assert "Span(children=['4 views']" in str(many)


def test_who_did_it_is_said_only_where_it_was_not_one_person() -> None:
    now, one = datetime(2026, 11, 28, tzinfo=UTC), event("bm25")
    assert "ann" not in str(lately([one, event("tfidf")], now, {}))
    assert "' by ', Bdi('bob')" in str(lately([one, replace(one, who="bob")], now, {}))


def test_runs_and_collections_of_events_are_links_while_they_have_a_page() -> None:
    now, runs = datetime(2026, 11, 28, tzinfo=UTC), {"small": ("bm25",)}
    [line] = lately([event("bm25"), event("removed")], now, runs).children
    assert str(line).count("href") == 2
    assert "A(children=Bdi('bm25'), href='/c/small/run/bm25')" in str(line)
    assert "A(children=Bdi('small'), href='/c/small')" in str(line)
    of_query = event("bm25", "comment", kind="query")
    for other in (
        event("bm25", kind="qrels"),
        event("bm25", "view"),
        event("bm25", "job"),
        of_query,
    ):
        assert "/run/" not in str(lately([other], now, runs))
    assert "href='/c/small'" in str(lately([event("small", "tag", kind="queries")], now, runs))
    assert "href" not in str(lately([event("bm25")], now, {}))


def test_judgments_are_not_counted_among_the_runs_that_were_stored_with_them(
    app: Browserless,
) -> None:
    text = app.text("/")
    assert "stored boolean , tfidf , bm25 in small" in text
    assert "stored judgments judgments in small" in text


def test_events_of_the_servers_accounts_are_not_on_the_home_page(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        before = overview(store).events
        set_up(store, "http://localhost:8050", "ann", "correct horse battery")
        assert overview(store).events == before


def test_the_collections_can_be_had_as_csv(app: Browserless) -> None:
    answer = app.client.get("/export/collections.csv")
    head, *rows = csv.reader(answer.text.splitlines())
    assert head[0] == "collection"
    assert [row[0] for row in rows] == ["other", "small"]
    best = dict(zip(head, rows[1], strict=True))
    assert best["best_run"] == "bm25"
    assert float(best["best_AP"]) > 0.5


def test_an_empty_store_offers_no_file(empty_app: Browserless) -> None:
    assert empty_app.page("/")["exports"]["children"]["props"]["disabled"]


def test_the_thirteenth_engine_has_a_mark_as_on_the_leaderboard(tmp_path: Path) -> None:
    judgments = {"q1": {"d1": 1}}
    engines = {f"engine-{number}": {"q1": [f"d{number + 2}", "d1"]} for number in range(SLOTS)}
    best = {"best": {"q1": ["d1"]}}
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as store:
        sample_stores.add(store, tmp_path, "many", judgments, engines | best)
        app = Browserless(create_app(store).server.test_client())
        home = as_json(app.page("/")["page"]["children"])
    marks = set(re.findall(r'"mark (mark-\d+)"', home))
    assert marks == {"mark-0"}
