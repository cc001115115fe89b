"""The Cost view of the leaderboard: its figure, its tables, and the runs without a cost."""

from __future__ import annotations

from pathlib import Path

import sample_stores
from browserless import Browserless, as_json, find_by, text_of
from leaderboard_page import body

from dashboard.app import create_app
from evalstore.catalog.collection_facts import RunCosts, store_run_facts


def test_cost_without_any_recorded_says_what_to_type(app: Browserless) -> None:
    text = app.text("/c/small?view=cost")
    assert "No run has response times recorded beside a figure of" in text
    assert "ingest --collection small --times FILE RUN" in text
    assert "--index-bytes" in app.text("/c/small?view=cost&cost=index")


def test_cost_lists_the_runs_behind_the_front_too(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        for name, milliseconds in {"bm25": 0.1213, "boolean": 0.3, "tfidf": 0.1241}.items():
            times = dict.fromkeys(sample_stores.RUNS[name], milliseconds)
            store_run_facts(store, name, RunCosts(times=times), "small")
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/small?view=cost&m=Rprec")
    assert text.startswith(
        "No run beats bm25 (0.9000, 0.121 ms) on R-precision or mean response time (not tested)."
    )
    assert "bm25 0.121 ms 0.9000 Behind it" in text
    assert "tfidf 0.124 ms 0.6000 boolean 0.300 ms 0.0000" in text


def test_cost_draws_the_front_and_lists_the_runs_without_cost(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        for name, milliseconds in {"bm25": 20.0, "boolean": 5.0}.items():
            times = dict.fromkeys(sample_stores.RUNS[name], milliseconds)
            store_run_facts(store, name, RunCosts(times=times), "small")
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/small?view=cost&m=Rprec")
        file = app.client.get("/export/c/small/cost.csv?view=cost&m=Rprec").text
        assert "/export/c/small/cost.csv" in as_json(app.page("/c/small?view=cost"))
        assert "cost.csv" not in as_json(app.page("/c/small"))
    assert file.split() == ["run,mean_ms,Rprec,on_front", "bm25,20.0,0.9,1", "boolean,5.0,0.0,1"]
    steps, marks = find_by(page, {"graph": "cost"})["figure"]["data"]
    assert (steps["x"], steps["line"]["shape"]) == ([5.0, 20.0], "hv")
    assert sorted(marks["x"]) == [5.0, 20.0]
    assert {text.strip("\u2068\u2069") for text in marks["text"]} == {"bm25", "boolean"}
    assert {words[1] for words in marks["customdata"]} == {
        "Mean response time 5.0 ms",
        "Mean response time 20.0 ms",
    }
    text = text_of(page)
    assert "boolean 5.0 ms 0.0000 bm25 20.0 ms 0.9000" in text
    assert "1 run without this cost or figure: tfidf" in text
    assert text.startswith(
        "2 of 2 runs are on the front of R-precision and mean response time (not tested): from "
        "boolean (0.0000, 5.0 ms) to bm25 (0.9000, 20.0 ms)."
    )
