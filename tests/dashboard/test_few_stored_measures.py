"""Pages over a store in which an ingest left measures out: the same figures as with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from browserless import Browserless
from ranked_runs import QUERIES, write_ranked_runs
from samples import add, write_qrels
from sqlalchemy import update

from dashboard.app import create_app
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.measures import parse_list
from evalstore.store import Store, models
from evalstore.tracking.overview import overview

pytestmark = pytest.mark.slow  # every page of several stores

STANDARD = "standard"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Store]]:
    """Four runs, by the measures that were stored of them."""
    folder: Path = tmp_path_factory.mktemp("few")
    qrels = write_qrels(folder, {f"q{q}": {"r": 1, "n1": 0} for q in range(QUERIES)}, "r.qrels")
    runs = write_ranked_runs(folder)
    opened = {}
    for name in (STANDARD, "AP", "RBP"):
        opened[name] = Store.open(f"sqlite:///{folder / f'{name}.db'}")
        measures = tuple(parse_list(name).values())
        add(opened[name], folder, *runs, qrels=qrels, measures=measures)
        set_baseline(opened[name], "good", "test")
        with opened[name].write() as connection:  # pages show the minute, which may pass meanwhile
            connection.execute(
                update(models.table(models.Run)).values(created_at=datetime(2026, 1, 2, tzinfo=UTC))
            )
    yield opened
    for store in opened.values():
        store.close()


@pytest.mark.parametrize("few", ["AP", "RBP"])
@pytest.mark.parametrize(
    "address",
    [
        "/c/test?m=nDCG@10,RR",
        "/c/test/compare?runs=good,best&m=RR&open=ranks,scatter,tests",
        "/c/test/queries?m=RR&runs=good,best",
        "/c/test/query/q1?m=RR&runs=good,best",
        "/c/test/history?m=RR",
        "/measures/RR",
    ],
)
def test_a_page_shows_what_it_shows_where_every_measure_is_stored(
    stores: dict[str, Store], address: str, few: str
) -> None:
    full, less = (
        Browserless(create_app(stores[name]).server.test_client()) for name in (STANDARD, few)
    )
    assert less.text(address) == full.text(address)


@pytest.mark.parametrize("few", ["AP", "RBP"])
@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("/", "4 12 r 2026-01-02"),
        ("/c/test", "Leaderboard of test 4 runs"),
        ("/c/test/compare?runs=good,best", "on {few}"),
        ("/c/test/queries", "12 queries, the hardest first"),
        ("/c/test/query/q1", "of 12 by |best − good| on {few}"),
        ("/c/test/run/best", "{few}, best − median of 4 runs"),
        ("/c/test/run/best?m=RR", "RR, best − median of 4 runs"),
        ("/c/test/history", "Run {few} ↑ Date"),
    ],
)
def test_a_page_without_a_chosen_measure_starts_from_a_stored_one(
    stores: dict[str, Store], address: str, text: str, few: str
) -> None:
    app = Browserless(create_app(stores[few]).server.test_client())
    assert text.format(few=few) in app.text(address)


def test_the_report_of_a_run_is_made_where_none_of_the_usual_measures_is_stored(
    stores: dict[str, Store],
) -> None:
    client = create_app(stores["RBP"]).server.test_client()
    answer = client.get("/export/c/test/run/best/report.html")
    assert answer.status_code == 200, answer.text[:300]
    assert "RBP" in answer.text


def test_an_overview_names_no_best_run_where_one_lacks_the_measure(
    stores: dict[str, Store], tmp_path: Path
) -> None:
    qrels = write_qrels(tmp_path, {f"q{q}": {"r": 1} for q in range(QUERIES)}, "r.qrels")
    best, *others = write_ranked_runs(tmp_path)
    with Store.open(f"sqlite:///{tmp_path / 'mixed.db'}") as store:
        add(store, tmp_path, *others, qrels=qrels)
        assert overview(store).collections[0].best is not None
        add(store, tmp_path, best, qrels=qrels, measures=tuple(parse_list("RR").values()))
        assert overview(store).collections[0].best is None
