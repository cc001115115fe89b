"""The History page: engines in time, changes that the test supports, points that lead on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find_by
from checked_figures import checked
from samples import add, write_qrels, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.measure_info import measure_info
from dashboard.theme import TOKENS, series_colour
from dashboard.timeline import timeline
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.usecases.given_facts import GivenFacts
from evalstore.usecases.history import EngineHistory, engine_history

QUERIES = [f"q{number}" for number in range(1, 13)]
QRELS = {qid: {"d1": 1} for qid in QUERIES}


def first_at(rank: int, filler: str) -> dict[str, list[str]]:
    """A run that has the relevant document of each query at this rank; unlike others by filler."""
    return {qid: [f"{filler}{n}" for n in range(rank - 1)] + ["d1"] for qid in QUERIES}


def versions(folder: Path) -> Store:
    """Three runs of one engine: the second is better on all queries, the third nearly the same."""
    store = Store.open(f"sqlite:///{folder / 'h.db'}")
    qrels = write_qrels(folder, QRELS)
    third = {**first_at(1, "c"), "q1": ["c0", "d1"]}
    for month, run in enumerate([first_at(4, "a"), first_at(1, "b"), third], 1):
        path = write_run(folder, run, f"v{month}.run", "engine")
        started = GivenFacts(started_at=datetime(2026, month, 1, tzinfo=UTC))
        add(store, folder, path, qrels=qrels, engine="engine", facts=started)
    add(store, folder, write_run(folder, first_at(2, "o"), "other.run", "other"), qrels=qrels)
    return store


@pytest.fixture(scope="module")
def in_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with versions(tmp_path_factory.mktemp("history")) as store:
        yield store


@pytest.fixture
def running(in_time: Store) -> Browserless:
    return Browserless(create_app(in_time).server.test_client())


def histories(store: Store, *engines: str) -> list[EngineHistory]:
    return [engine_history(store, engine, ("RR", parse("RR")), "test") for engine in engines]


def test_changes_that_the_corrected_test_supports_are_filled(in_time: Store) -> None:
    figure = timeline(histories(in_time, "engine"), measure_info("RR"), {"engine": 3})
    line = figure.data[0]
    colour, surface = series_colour(3, "light"), TOKENS["light"]["surface"]
    assert list(line.marker.color) == [surface, colour, surface]
    assert list(line.y) == pytest.approx([0.25, 1, 11.5 / 12])


def test_a_point_leads_to_the_comparison_with_the_run_before(in_time: Store) -> None:
    figure = timeline(histories(in_time, "engine"), measure_info("RR"), {})
    assert [point[-1] for point in figure.data[0].customdata] == [
        "/c/test/run/v1",
        "/c/test/compare?runs=v1,v2&base=v1&m=RR",
        "/c/test/compare?runs=v2,v3&base=v2&m=RR",
    ]


def test_of_one_engine_the_changes_are_drawn_with_their_intervals(in_time: Store) -> None:
    one = timeline(histories(in_time, "engine"), measure_info("RR"), {})
    several = timeline(histories(in_time, "engine", "other"), measure_info("RR"), {})
    assert list(one.data[1].y) == pytest.approx([0.75, -0.5 / 12])
    assert len(several.data) == 2


def test_more_than_six_engines_are_drawn_side_by_side(in_time: Store) -> None:
    [history] = histories(in_time, "engine")
    figure = timeline([history] * 7, measure_info("RR"), {})
    assert len({line.xaxis for line in figure.data}) == 7


def test_without_runs_the_figure_is_a_sentence() -> None:
    assert "No run of these engines" in checked(timeline)([], measure_info("RR"), {}).to_json()


def test_engines_with_several_runs_are_shown_first(running: Browserless) -> None:
    page = running.page("/c/test/history?m=RR")["page"]["children"]
    assert find_by(page, {"control": "engine"})["value"] == ["engine"]
    text = running.text("/c/test/history?m=RR")
    assert "+0.7500 ▲ better" in text
    assert "−0.0417 not shown" in text


def test_the_scheme_draws_the_figure_alone_anew(running: Browserless) -> None:
    first = running.page("/c/test/history?m=RR")["rendered"]["data"]
    answer: dict[str, Any] = running.go("/c/test/history?m=RR", first, scheme="dark")
    assert "page" not in answer
    assert '{"graph":"timeline"}' in answer


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("/c/test/history?engine=nobody", "no run is of the engine 'nobody'"),
        ("/c/nothing/history", "no collection 'nothing'"),
        ("/c/test/history?m=nonsense", "This measure is not understood"),
        ("/c/test/history?qrels=nonsense", "no qrels 'nonsense'"),
    ],
)
def test_what_is_unknown_is_named_with_a_way_on(
    running: Browserless, address: str, says: str
) -> None:
    answer = running.page(address)["page"]["children"]
    assert says.lower() in running.text(address).lower()
    assert "href" in as_json(answer)


def test_hostile_names_are_texts(hostile_app: Browserless) -> None:
    address = Address("history", "<b>collection</b>", None, {"engine": sample_stores.NAMES})
    text = hostile_app.text(address.href)
    assert text.startswith("History")
    assert "x" * 100 not in text


def test_runs_that_were_stored_together_are_drawn_in_order_and_not_by_the_millisecond(
    tmp_path: Path,
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 't.db'}") as store:
        qrels = write_qrels(tmp_path, QRELS)
        for number, run in enumerate([first_at(4, "a"), first_at(1, "b"), first_at(2, "c")]):
            path = write_run(tmp_path, run, f"v{number}.run", "engine")
            add(store, tmp_path, path, qrels=qrels, engine="engine")
        figure = timeline(histories(store, "engine"), measure_info("RR"), {"engine": 0})
    line, changes = figure.data
    assert list(line.x) == [1, 2, 3]
    assert list(changes.x) == [2, 3]
    assert figure.layout.xaxis2.dtick == 1
    assert "in order" in figure.layout.xaxis2.title.text


def test_runs_of_several_days_are_drawn_in_time(in_time: Store) -> None:
    figure = timeline(histories(in_time, "engine"), measure_info("RR"), {"engine": 0})
    assert [at.month for at in figure.data[0].x] == [1, 2, 3]
    assert [at.month for at in figure.data[1].x] == [2, 3]
