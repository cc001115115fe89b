"""What the home page answers first: the news since the last visit, or which run leads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of, texts_in
from samples import add, write_qrels, write_run

from dashboard.app import create_app
from dashboard.pages.home.events import day
from dashboard.pages.home.news import as_time
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # many runs are stored

QUERIES = [f"q{number}" for number in range(1, 13)]
QRELS = {qid: {"d1": 1} for qid in QUERIES}


def first_at(rank: int, filler: str) -> dict[str, list[str]]:
    """A run that has the relevant document of each query at this rank; unlike others by filler."""
    return {qid: [f"{filler}{n}" for n in range(rank - 1)] + ["d1"] for qid in QUERIES}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A baseline, a run that is better on all queries, and one that differs on one query."""
    folder = tmp_path_factory.mktemp("new")
    with Store.open(f"sqlite:///{folder / 'new.db'}") as made:
        qrels = write_qrels(folder, QRELS)
        alike = {**first_at(4, "s"), "q1": ["d1"]}
        runs = {"base": first_at(4, "a"), "better": first_at(1, "b"), "alike": alike}
        for name, run in runs.items():
            add(made, folder, write_run(folder, run, f"{name}.run", name), qrels=qrels)
        set_baseline(made, "base", "test")
        yield made


def answer(store: Store, last_visit: object) -> tuple[str, Any]:
    """The heading as text, and the list, once the browser has sent the time of its last visit."""
    app = Browserless(create_app(store).server.test_client())
    told = app.call("home-answer.children", last_visit=last_visit)
    return "".join(texts_in(told["home-answer"]["children"])).strip(), told["home-news"]["children"]


def long_ago() -> str:
    return (datetime.now(UTC) - timedelta(days=1)).isoformat()


def test_the_heading_counts_new_runs_by_what_the_corrected_test_shows(store: Store) -> None:
    heading, _ = answer(store, long_ago())
    assert heading == (
        "Since yesterday: 3 new runs in test, one better than base, one undecided "
        "new judgments; 2 runs lack judgments"
    )


def test_news_of_judgments_alone_are_the_sentence(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as made:
        soon = datetime.now(UTC) + timedelta(minutes=30)

        def work(connection: Any) -> None:
            at = soon + timedelta(minutes=1)
            events.log(connection, "default", "small", "judgments", at, kind="qrels")

        made.transact(work)
        app = Browserless(create_app(made).server.test_client())
        told = app.call("home-answer.children", last_visit=soon.isoformat())
    *sentence, below = told["home-answer"]["children"]
    assert text_of(sentence).endswith(": changed judgments in small")
    assert text_of(below) == ""


def test_each_new_run_is_listed_with_its_difference_and_sign(store: Store) -> None:
    text = text_of(answer(store, long_ago())[1])
    assert "AP less that of the baseline ⚑ base , with 95 % interval and p after Holm" in text
    assert "▲ better better +0.7500" in text
    assert "undecided alike +0.0625" in text
    assert "judgments test 12 judgments stored" in text
    # Of the four documents of a query one is judged; alike has only that one for the first query.
    assert "◐ unjudged under 80 % of the top 10 alike 27 % , base 25 %" in text


def test_the_link_leads_to_the_comparison_that_the_claims_are_of(store: Store) -> None:
    assert '"/c/test/compare?runs=base,alike,better"' in as_json(answer(store, long_ago()))


def test_nothing_new_is_said_in_the_heading(store: Store) -> None:
    heading, listed = answer(store, datetime.now(UTC).isoformat())
    assert heading == (
        "test: better has the highest AP, 1.0000; shown to be best of 3 runs "
        "Nothing new since your last visit, earlier today"
    )
    assert listed == []


def test_a_first_visit_is_told_which_run_leads_and_whether_that_is_shown(store: Store) -> None:
    app = Browserless(create_app(store).server.test_client())
    page = app.page("/")["page"]["children"]
    first = text_of(find(page, "home-answer")["children"])
    assert first == "test : better has the highest AP, 1.0000"
    shown = "test: better has the highest AP, 1.0000; shown to be best of 3 runs"
    assert answer(store, "") == (shown, [])


def test_without_a_difference_no_run_is_said_to_be_best(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as made:
        heading, _ = answer(made, "")
    only = "other: solo has the highest AP, 1.0000"
    assert heading == f"{only} The collection with the newest run, of 2"
    with Store.open(f"sqlite:///{tmp_path / 'two.db'}") as made:
        sample_stores.add(made, tmp_path, "small", sample_stores.QRELS, sample_stores.RUNS)
        heading, _ = answer(made, "")
    assert heading.startswith("small: bm25 has the highest AP")
    assert heading.endswith("; not shown to be best: 3 of 3 runs share the lead")


def test_the_row_of_each_collection_says_whether_its_lead_is_shown(
    store: Store, tmp_path: Path
) -> None:
    def said(of: Store, visit: str) -> dict[str, str]:
        app = Browserless(create_app(of).server.test_client())
        told = app.call("home-answer.children", last_visit=visit)
        places = {key: json.loads(key)["verdict"] for key in told if key.startswith("{")}
        for name in places.values():
            find_by(app.page("/")["page"]["children"], {"verdict": name})
        return {name: told[key]["children"] for key, name in places.items()}

    for visit in ("", long_ago()):
        assert said(store, visit) == {"test": "shown to be best of 3 runs"}
    with sample_stores.main(tmp_path) as two:
        shared = "not shown to be best: 3 of 3 runs share the lead"
        assert said(two, "") == {"small": shared, "other": "–"}


def test_of_more_collections_than_are_tested_the_answer_is_told(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as many:
        path = write_qrels(tmp_path, QRELS)
        for number in range(14):
            store_qrels(many, f"c{number}", qrels_path=path)
        heading, _ = answer(many, "")
    assert heading == "c0: 0 runs The collection with the newest run, of 14"


def test_without_a_baseline_the_runs_are_named_and_nothing_is_claimed(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as made:
        heading, listed = answer(made, long_ago())
    assert heading.startswith("Since yesterday: 4 new runs in 2 collections new judgments in 2")
    text = text_of(listed)
    assert "new no baseline" in text
    assert "bm25" in text
    assert "better" not in heading + text
    assert "Compare these" in text


def test_more_new_runs_than_a_comparison_takes_are_counted(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as made:
        qrels = write_qrels(tmp_path, QRELS)
        for rank in range(1, 15):
            path = write_run(tmp_path, first_at(rank, "m"), f"r{rank}.run", f"r{rank}")
            add(made, tmp_path, path, qrels=qrels)
        _, listed = answer(made, long_ago())
        set_baseline(made, "r1", "test")
        heading, compared = answer(made, long_ago())
    assert "and 3 older new runs" in text_of(listed)
    assert re.search(r" 10 more .* and 2 older new runs judgments test 12", text_of(compared))
    assert "14 new runs in test; of 11 compared 11 worse than r1" in heading
    assert "of the newest runs lack judgments" in heading
    assert "and 2 older new runs" in text_of(compared)


@pytest.fixture(scope="module")
def with_gates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A failed gate of a stored run, and an undecided one of a file."""
    folder = tmp_path_factory.mktemp("gates")
    with sample_stores.main(folder) as made:

        def work(connection: Any) -> None:
            now = datetime.now(UTC) + timedelta(hours=1)
            failed = {"outcome": "failed", "baseline": "bm25", "summary": "1 of 2 rules failed"}
            events.log(connection, "gate", "small", "tfidf", now, **failed)
            undecided = {"outcome": "undecided", "is_stored": False}
            events.log(connection, "gate", "small", "new.run", now, **undecided)

        made.transact(work)
        yield made


def test_gates_that_did_not_pass_are_news(with_gates: Store) -> None:
    soon = (datetime.now(UTC) + timedelta(minutes=30)).isoformat()
    heading, listed = answer(with_gates, soon)
    assert heading.endswith(": a gate failed in small; a gate did not decide")
    text = text_of(listed)
    assert "⊘ gate failed tfidf 1 of 2 rules failed ⊘ gate undecided new.run" in text
    assert '"/c/small/run/tfidf"' in as_json(listed)
    assert "run/new.run" not in as_json(listed)
    app = Browserless(create_app(with_gates).server.test_client())
    lately = app.text("/")
    assert "gate failed tfidf" in lately
    assert "gate undecided new.run" in lately
    assert "⊘ gate failed on 2" in app.text("/c/small/run/tfidf")
    assert "⊘" not in app.text("/c/small/run/bm25")


@pytest.mark.parametrize("text", [None, "", "yesterday", 5, ["2026-01-01"], "9" * 1000])
def test_what_is_no_time_is_ignored(store: Store, text: object) -> None:
    assert as_time(text) is None
    assert "has the highest AP" in answer(store, text)[0]


def test_a_time_as_browsers_write_it_is_read() -> None:
    assert as_time("2026-11-21T10:00:00.000Z") == datetime(2026, 11, 21, 10, tzinfo=UTC)


def test_hostile_names_are_texts(tmp_path: Path) -> None:
    with sample_stores.hostile(tmp_path) as made:
        set_baseline(made, sample_stores.NAMES[0], "<b>collection</b>")
        assert "dangerously" not in as_json(answer(made, long_ago()))


def test_days_are_named_as_people_do() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    days = [day(now - timedelta(days=days), now) for days in (0, 1, 3, 10)]
    assert days == ["today", "yesterday", "Tuesday", "2026-11-10"]
    assert day(None, now) == "–"
