"""What the home page says of runs that came since the last visit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, text_of
from samples import add, write_qrels, write_run

from dashboard.app import create_app
from dashboard.pages.home import as_time, day
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store
from evalstore.tracking.overview import runs_since

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


def said(store: Store, since: object) -> Any:
    app = Browserless(create_app(store).server.test_client())
    answer = app.call("new-runs.children", last_visit=since)
    return answer["new-runs"]["children"] if answer else None


def long_ago() -> str:
    return (datetime.now(UTC) - timedelta(days=1)).isoformat()


def test_new_runs_are_named_with_what_the_corrected_test_shows(store: Store) -> None:
    text = text_of(said(store, long_ago()))
    assert text.startswith("+ 3 runs since yesterday in test")
    assert "better +0.7500 ▲ better" in text
    assert "alike +0.0625 not shown" in text
    assert "after Holm over 2 pairs" in text


def test_the_link_leads_to_the_comparison_that_the_claims_are_of(store: Store) -> None:
    assert '"/c/test/compare?runs=base,alike,better"' in as_json(said(store, long_ago()))


def test_nothing_is_said_where_no_run_is_new(store: Store) -> None:
    assert said(store, datetime.now(UTC).isoformat()) == []


def test_without_a_baseline_the_runs_are_named_and_nothing_is_claimed(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as made:
        text = text_of(said(made, long_ago()))
    assert "bm25" in text
    assert "better" not in text
    assert "Compare these" in text


def test_more_new_runs_than_a_comparison_takes_are_counted(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'many.db'}") as made:
        qrels = write_qrels(tmp_path, QRELS)
        for rank in range(1, 15):
            path = write_run(tmp_path, first_at(rank, "m"), f"r{rank}.run", f"r{rank}")
            add(made, tmp_path, path, qrels=qrels)
        answer = said(made, long_ago())
    assert "+ 14 runs" in text_of(answer)
    assert "and 3 more" in text_of(answer)


@pytest.mark.parametrize("text", [None, "", "yesterday", 5, ["2026-01-01"], "9" * 1000])
def test_what_is_no_time_is_ignored(store: Store, text: object) -> None:
    assert as_time(text) is None
    assert said(store, text) is None


def test_a_time_as_browsers_write_it_is_read() -> None:
    assert as_time("2026-11-21T10:00:00.000Z") == datetime(2026, 11, 21, 10, tzinfo=UTC)


def test_hostile_names_are_texts(tmp_path: Path) -> None:
    with sample_stores.hostile(tmp_path) as made:
        assert "dangerously" not in as_json(said(made, long_ago()))


def test_removed_runs_are_not_new(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as made:
        since = datetime.now(UTC) - timedelta(days=1)
        remove_runs(made, ["tfidf"])
        assert all("tfidf" not in new.runs for new in runs_since(made, since))


def test_days_are_named_as_people_do() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    days = [day(now - timedelta(days=days), now) for days in (0, 1, 3, 10)]
    assert days == ["today", "yesterday", "Tuesday", "2026-11-10"]
    assert day(None, now) == "–"
