"""The History page: engines in time, runs shown to differ, points that lead on."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sample_stores
from browserless import Browserless, as_json, find_by, text_of
from checked_figures import checked
from samples import add, write_qrels, write_run

from dashboard.address import Address
from dashboard.app import create_app
from dashboard.components import files
from dashboard.components.problems import sentence
from dashboard.components.wording import measure_info
from dashboard.pages.history import timeline as timelines
from dashboard.pages.history.page import new_judgments
from dashboard.pages.history.timeline import NewJudgments
from dashboard.theme import TOKENS, series_colour
from evalstore.catalog.given_facts import GivenFacts
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.tracking.history import EngineHistory, engine_history, headline

pytestmark = pytest.mark.slow  # many runs are stored

timeline = checked(timelines.timeline)

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


def add_version(
    store: Store, folder: Path, engine: str, version: int, run: dict[str, list[str]]
) -> None:
    """Store a run of an engine, made in the month of its version."""
    path = write_run(folder, run, f"{engine}{version}.run", engine)
    started = GivenFacts(started_at=datetime(2026, version, 1, tzinfo=UTC))
    add(store, folder, path, qrels=write_qrels(folder, QRELS), engine=engine, facts=started)


def add_four_engines(store: Store, folder: Path) -> None:
    """Store two versions each of a, b, c and d, the second better on one query."""
    for engine in "abcd":
        add_version(store, folder, engine, 1, first_at(2, engine))
        second = {**first_at(2, engine), "q1": ["d1", engine]}
        add_version(store, folder, engine, 2, second)


@pytest.fixture(scope="module")
def in_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with versions(tmp_path_factory.mktemp("history")) as store:
        yield store


@pytest.fixture
def running(in_time: Store) -> Browserless:
    return Browserless(create_app(in_time).server.test_client())


def histories(store: Store, *engines: str) -> list[EngineHistory]:
    return [engine_history(store, engine, ("RR", parse("RR")), "test") for engine in engines]


def test_runs_that_are_shown_to_differ_are_filled(in_time: Store) -> None:
    figure = timeline(histories(in_time, "engine"), measure_info("RR"), {"engine": 3})
    line = figure.data[0]
    colour, surface = series_colour(3, "light"), TOKENS["light"]["surface"]
    assert list(line.marker.color) == [surface, colour, surface]
    assert list(line.y) == pytest.approx([0.25, 1, 11.5 / 12])


def test_a_point_leads_to_the_comparison_with_the_run_before(in_time: Store) -> None:
    figure = timeline(histories(in_time, "engine"), measure_info("RR"), {})
    assert [point[-1] for point in figure.data[0].customdata] == [
        "/c/test/run/v1",
        "/c/test/compare?runs=v1,v2&base=v1&m=RR&open=why",
        "/c/test/compare?runs=v2,v3&base=v2&m=RR&open=why",
    ]


def test_of_one_engine_the_changes_are_drawn_with_their_intervals(in_time: Store) -> None:
    one = timeline(histories(in_time, "engine"), measure_info("RR"), {})
    several = timeline(histories(in_time, "engine", "other"), measure_info("RR"), {})
    assert list(one.data[1].y) == pytest.approx([0.75, -0.5 / 12])
    assert len(several.data) == 2


def test_the_level_of_the_reference_of_the_newest_run_is_drawn(in_time: Store) -> None:
    # v2 was shown to differ from v1: it is the reference of v3.
    [history] = histories(in_time, "engine")
    figure = timeline([history], measure_info("RR"), {})
    [level] = [shape for shape in figure.layout.shapes if shape["line"]["dash"] == "dot"]
    reference, newest = history.runs[1:]
    assert (level["x0"], level["x1"]) == (reference.at, newest.at)
    assert level["y0"] == level["y1"] == reference.value


def test_a_first_version_with_a_long_name_is_called_the_first(tmp_path: Path) -> None:
    # Each version loses five queries more: two steps are shown, one is not.
    with Store.open(f"sqlite:///{tmp_path / 'drift.db'}") as store:
        for lost in range(3):
            run = {q: ["d1", "x"][:: -1 if n < 5 * lost else 1] for n, q in enumerate(QUERIES)}
            name = f"ranker-index_passages-v2-k1_0.9-b_0.{lost}.run"
            started = GivenFacts(started_at=datetime(2026, lost + 1, 1, tzinfo=UTC))
            path, qrels = write_run(tmp_path, run, name, "ranker"), write_qrels(tmp_path, QRELS)
            add(store, tmp_path, path, qrels=qrels, engine="ranker", facts=started)
        text = Browserless(create_app(store).server.test_client()).text("/c/test/history?m=RR")
    drift = "b_0.2 is worse than b_0.0 (the first version)"
    newest = "b_0.2 has a lower RR than b_0.1 by 0.2083, not shown to be real (p 0.0625, 0.0038 is"
    assert text.startswith(f"ranker: {drift} on RR by 0.4167 (p 0.0020); newest: {newest} needed).")
    assert f"drift: {drift} by 0.4167 (p 0.0020)." in text


def test_the_page_begins_with_what_the_newest_run_changed(in_time: Store) -> None:
    app = Browserless(create_app(in_time).server.test_client())
    # AP: 1 on all 12 queries, then 1/2 on one of them.
    text = app.text("/c/test/history?engine=engine&m=AP")
    assert "v3 has a lower AP than v2 by 0.0417, not shown to be real (p 1.0000, " in text
    history = engine_history(in_time, "engine", ("AP", parse("AP")))
    until_second = replace(history, runs=history.runs[:2])
    interval = "95 % interval 0.2869 to 0.8162"
    better = f"v2 is better than v1 on AP by 0.7500, to 1.0000 ({interval}, p 0.0005)"
    assert headline(until_second) == better
    worse = replace(history.runs[1], change="worse", difference=-0.2, low=-0.3, high=0.01)
    assert "by 0.2000, to 1.0000 (95 % interval -0.0100 to 0.3000, p 0.0005)" in headline(
        replace(history, runs=(history.runs[0], worse))
    )
    assert headline(replace(history, runs=history.runs[:1])) == ""


def test_the_best_run_before_is_named_with_what_is_known_of_the_difference(in_time: Store) -> None:
    history = engine_history(in_time, "engine", ("AP", parse("AP")))
    first, second, _ = history.runs
    fallen = replace(first, run="v0", value=0.9)
    recovered = replace(history, runs=(fallen, first, second))
    best = "; the best before is v0, 0.9000 (difference +0.1000, "
    assert headline(recovered).endswith(f"{best}not tested)")
    tested = replace(second, reference="v0", reference_p=0.2, reference_change="not shown")
    recovered = replace(recovered, runs=(fallen, first, tested))
    assert headline(recovered).endswith(f"{best}not shown, p 0.2000)")


def test_of_runs_in_no_known_order_no_change_is_told(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'o.db'}") as store:
        qrels = write_qrels(tmp_path, QRELS)
        for number, rank in enumerate((4, 1, 2)):
            run = write_run(tmp_path, first_at(rank, "x"), f"v{number}.run", "engine")
            add(store, tmp_path, run, qrels=qrels, engine="engine")
        text = Browserless(create_app(store).server.test_client()).text("/c/test/history?m=AP")
        figure = timeline(histories(store, "engine"), measure_info("AP"), {"engine": 0})
    order = "The order of the runs of engine is not known (stored together): "
    assert text.startswith(f"{order}v1 has the highest AP, 1.0000.")
    for said in ("v2 is worse than", "differences to the run before", "▲ better", "p (needed)"):
        assert said not in text
    [points] = figure.data
    assert (points.mode, len(set(points.marker.color))) == ("markers", 1)
    assert "yaxis2" not in figure.to_plotly_json()["layout"]  # no empty figure of changes


def test_without_a_second_run_there_is_no_figure(running: Browserless) -> None:
    alone = "/c/test/history?engine=other&m=AP"
    page = running.page(alone)
    text = running.text(alone)
    assert "No engine shown has two runs: a history begins with the second." in text
    assert "Filled: shown to differ" not in text
    assert "timeline" not in as_json(page["page"]["children"])
    assert "timeline" not in running.go(alone, page["rendered"]["data"], scheme="dark")


def test_that_marks_hold_is_said_once(running: Browserless) -> None:
    text = running.text("/c/test/history?m=RR&engine=engine,engine,other")
    assert text.count("marks hold: on average at most 5 % of an engine's are false") == 1


def test_on_a_phone_p_stands_with_the_p_that_is_needed(running: Browserless) -> None:
    assert "−0.0417 not shown" in running.text("/c/test/history?m=RR")
    assert "p 1.0000 (0.0045 needed)" in running.text("/c/test/history?m=RR")


def test_of_many_engines_the_page_says_what_is_shown_alone(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'm.db'}") as store:
        add_four_engines(store, tmp_path)
        app = Browserless(create_app(store).server.test_client())
        none = "Of 4 engines no newest run is shown to differ from the one before on AP."
        assert none in app.text("/c/test/history?m=AP")
        add_version(store, tmp_path, "d", 3, first_at(1, "d"))
        text = app.text("/c/test/history?m=AP")
        assert "d3 is better than d2 on AP" in text
        assert "not shown to be real" not in text
        others = "Of 3 other engines no newest run is shown to differ from the one before on AP."
        assert others in text


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


def test_the_difference_to_the_reference_leads_to_its_comparison(tmp_path: Path) -> None:
    # In each version two queries more have their relevant document one rank lower.
    with Store.open(f"sqlite:///{tmp_path / 'd.db'}") as store:
        qrels = write_qrels(tmp_path, QRELS)
        for number in range(7):
            lower = dict(list(first_at(2, "x").items())[: 2 * number])
            run = write_run(tmp_path, {**first_at(1, "x"), **lower}, f"v{number}.run", "engine")
            started = GivenFacts(started_at=datetime(2026, number + 1, 1, tzinfo=UTC))
            add(store, tmp_path, run, qrels=qrels, engine="engine", facts=started)
        app = Browserless(create_app(store).server.test_client())
        page = app.page("/c/test/history?m=RR")["page"]["children"]
        figure = timeline(histories(store, "engine"), measure_info("RR"), {"engine": 0})
    assert "−0.0833 not shown" in text_of(page)
    assert "−0.5000 ▼ worse v0" in text_of(page)
    assert "Of 6 differences to the run before" in text_of(page)
    assert "drift: v6 is worse than v0 (the first version) by 0.5000" in text_of(page)
    assert "/c/test/compare?runs=v0,v6&base=v0&m=RR&open=why" in as_json(page)
    colours = list(figure.data[0].marker.color)
    assert colours[6] != colours[5] == colours[1]


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
    assert text.startswith("No engine shown has two runs")
    assert "x" * 100 not in text


def test_runs_of_a_few_minutes_are_drawn_in_order_and_not_by_the_second(
    tmp_path: Path,
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 't.db'}") as store:
        qrels = write_qrels(tmp_path, QRELS)
        for number, run in enumerate([first_at(4, "a"), first_at(1, "b"), first_at(2, "c")]):
            path = write_run(tmp_path, run, f"v{number}.run", "engine")
            started = GivenFacts(started_at=datetime(2026, 1, 1, 0, number, tzinfo=UTC))
            add(store, tmp_path, path, qrels=qrels, engine="engine", facts=started)
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


def at(month: int, name: str = "second") -> NewJudgments:
    return NewJudgments(name, datetime(2026, month, 15, tzinfo=UTC))


def test_a_line_breaks_where_new_judgments_were_stored(in_time: Store) -> None:
    figure = timeline(
        histories(in_time, "engine"), measure_info("RR"), {"engine": 0}, judgments=[at(1)]
    )
    line = figure.data[0]
    assert list(line.y) == [pytest.approx(0.25), None, 1, pytest.approx(11.5 / 12)]
    assert len(line.x) == len(line.customdata) == len(line.marker.color) == 4
    assert [point[-1] for point in line.customdata][2].endswith("runs=v1,v2&base=v1&m=RR&open=why")
    assert "second" in figure.layout.annotations[0].text


def test_judgments_before_the_first_run_and_after_the_last_break_nothing(in_time: Store) -> None:
    early = NewJudgments("early", datetime(2025, 1, 1, tzinfo=UTC))
    figure = timeline(
        histories(in_time, "engine"), measure_info("RR"), {"engine": 0}, judgments=[early, at(4)]
    )
    assert None not in figure.data[0].y
    assert not figure.layout.annotations


def test_runs_in_order_break_between_their_places(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 't.db'}") as store:
        qrels = write_qrels(tmp_path, QRELS)
        first = write_run(tmp_path, first_at(4, "a"), "v0.run", "engine")
        add(store, tmp_path, first, qrels=qrels, engine="engine")
        second = write_qrels(tmp_path, {qid: {"d1": 2} for qid in QUERIES}, "second.txt")
        add(store, tmp_path, first, qrels=second, engine="engine")
        last = write_run(tmp_path, first_at(2, "b"), "v1.run", "engine")
        add(store, tmp_path, last, qrels=qrels, engine="engine")
        app = Browserless(create_app(store).server.test_client())
        page = app.page("/c/test/history?m=RR")["page"]["children"]
    assert "A line breaks where new judgments were stored" in text_of(page)
    assert "new judgments, second" in text_of(page)
    [line, *_] = find_by(page, {"graph": "timeline"})["figure"]["data"]
    assert line["x"] == [1, 1.5, 2]


def test_the_oldest_judgments_are_no_change() -> None:
    times = {"second": at(2).at, "first": at(1).at}
    assert new_judgments(times) == (at(2),)
    assert new_judgments({}) == ()


def test_history_can_be_had_as_csv_latex_and_figure(running: Browserless) -> None:
    rows = list(
        csv.DictReader(
            running.client.get("/export/c/test/history/history.csv?m=RR").text.splitlines()
        )
    )
    assert [row["run"] for row in rows] == ["v1", "v2", "v3"]
    assert float(rows[1]["difference"]) == pytest.approx(0.75)
    assert rows[1]["change"] == "better"
    tex = running.client.get("/export/c/test/history/history.tex?m=RR").text
    assert "+0.7500" in tex
    assert r"\begin{tabular}{lllrrrrrrl}" in tex
    assert "less the run before & from & to & p & needed & change" in tex
    assert "Needed: a difference is shown only if p is below this level" in tex
    svg = running.client.get("/export/c/test/history/history.svg?m=RR&engine=engine,other")
    assert svg.mimetype == "image/svg+xml"
    assert ">other<" in svg.text
    pdf = running.client.get("/export/c/test/history/history.pdf?m=RR")
    assert pdf.data.startswith(b"%PDF")
    png = running.client.get("/export/c/test/history/history.png?m=RR")
    assert png.mimetype == "image/png"
    # Bytes 16 to 24 of a PNG are its width and height: 6.4 x 4 inches, 200 pixels to the inch.
    assert struct.unpack(">II", png.data[16:24]) == (1280, 800)


def test_hostile_names_stay_texts_in_every_file(hostile_app: Browserless) -> None:
    address = Address("history", "<b>collection</b>", None, {"engine": sample_stores.NAMES})
    for name in ("history.csv", "history.tex", "history.svg"):
        answer = hostile_app.client.get(files.href(address, name))
        assert answer.status_code == 200, name
        assert "<img" not in answer.text or name != "history.svg"


def test_the_newest_run_is_the_first_row_and_engines_that_changed_come_first(
    tmp_path: Path,
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'n.db'}") as store:
        add_four_engines(store, tmp_path)
        add_version(store, tmp_path, "d", 3, {qid: ["d1"] for qid in QUERIES[1:]})
        app = Browserless(create_app(store).server.test_client())
        page = app.page("/c/test/history?m=RR")["page"]["children"]
        few = as_json(app.page("/c/test/history?m=RR&engine=a,b")["page"]["children"])
    text, parts = text_of(page), as_json(page)
    rows = text.partition("3 runs")[2]
    order = [rows.index(row) for row in ("d3 2026-03", "d2 2026-02", "d1 2026-01", "2 runs")]
    assert order == sorted(order)
    assert "Not all of the 12 judged queries are answered by d3 (11)" in text
    # The engine that changed is open, the three others are folded; a few engines are all open.
    assert (parts.count('"open": true'), parts.count('"open": false')) == (1, 3)
    assert few.count('"open": true') == 2


def test_a_sentence_that_begins_with_a_name_keeps_its_first_letter() -> None:
    assert sentence("bm25 came as values", ["bm25"]) == "bm25 came as values."
    assert sentence("bm25s came as values", ["bm25"]) == "Bm25s came as values."


def test_engines_with_one_run_share_a_table(running: Browserless) -> None:
    text = running.text("/c/test/history?m=RR&engine=engine,other")
    assert "Engines with one run A history begins with the second run of an engine." in text
    assert "other 0.5000" in text.split("Engines with one run")[1]
    assert "Engines with one run" not in running.text("/c/test/history?m=RR&engine=engine")
