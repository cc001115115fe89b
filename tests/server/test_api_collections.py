"""What the API gives of collections as a whole: values of all runs, queries, experiments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from api_client import PARQUET, READERS, Team
from click.testing import CliRunner
from two_collections import OPEN

from evalstore.cli import cli
from evalstore.comparison import collection_values as values_of_collections
from evalstore.comparison import loading
from evalstore.evaluation import measure
from evalstore.server.api import comparing

RUN = f"/collections/{OPEN}/runs/bm25"


def printed(api: Team, *arguments: str) -> Any:
    """The JSON that a command prints."""
    done = CliRunner().invoke(
        cli, [*arguments, "--format", "json", "--db", api.store.url], catch_exceptions=False
    )
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_the_values_of_all_runs_are_those_of_each_run(api: Team) -> None:
    listed = api.administrator.get(f"/collections/{OPEN}/values?measure=AP&measure=P@2")
    assert (listed["qrels"], listed["qids"]) == ("plain", ["q1", "q2", "q3", "q4"])
    assert [of["measure"] for of in listed["measures"]] == ["AP", "P@2"]
    names = [run["run"] for run in listed["runs"]]
    assert set(names) == {"bm25", "tfidf", "plain", "plain-derived"}
    for of in listed["measures"]:
        assert [run["run"] for run in of["runs"]] == names
        for run in of["runs"]:
            asked = f"/collections/{OPEN}/runs/{run['run']}/values?measure={of['measure']}"
            own = api.administrator.get(asked)["queries"]
            assert run["values"] == [row["values"][of["measure"]] for row in own]
            assert run["value"] == pytest.approx(sum(run["values"]) / 4)
    without = api.administrator.get(f"/collections/{OPEN}/values?measure=AP&aggregates_only=true")
    runs = listed["measures"][0]["runs"]
    assert without["measures"][0]["runs"] == [{**run, "values": []} for run in runs]


def test_the_values_of_too_many_runs_are_refused_before_any_is_computed(
    api: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compute(*_: object, **__: object) -> None:
        raise AssertionError("it was computed")

    monkeypatch.setattr(comparing, "MOST_VALUES", 15)
    asked = f"/collections/{OPEN}/values?measure=P@3&aggregates_only=true"
    assert api.reader.ask(asked).status_code == 200
    monkeypatch.setattr(measure, "compute_values", compute)
    monkeypatch.setattr(values_of_collections, "compute_values", compute)
    monkeypatch.setattr(values_of_collections, "kept_values", compute)
    monkeypatch.setattr(loading, "load_value_tables", compute)
    asked = f"/collections/{OPEN}/values?measure=P@3"
    sentence = "these are 16 values, of 15 at most: name fewer measures"
    assert api.reader.refused(asked) == (400, sentence)
    named = {"runs": ["bm25", "tfidf"], "measures": ["P@3", "P@4"], "collection": OPEN}
    sentence = "these are 16 values, of 15 at most: name fewer runs or measures"
    assert api.reader.refused("/values", "POST", json=named) == (400, sentence)


def test_facts_of_runs_come_without_measures(api: Team) -> None:
    asked = {"runs": ["bm25"], "measures": [], "collection": OPEN}
    (run,) = api.reader.ask("/values", "POST", json=asked).get_json()["runs"]
    assert (run["qrels"], run["compat"], run["values"]) == ("plain", "exact", {})


def test_rankings_are_cut_at_a_depth(api: Team) -> None:
    whole = api.reader.get(f"{RUN}/rankings")["rankings"]
    cut = api.reader.get(f"{RUN}/rankings?depth=1")["rankings"]
    assert cut == [{**row, "documents": row["documents"][:1]} for row in whole]
    assert max(len(row["documents"]) for row in whole) > 1
    table = READERS[PARQUET](api.reader.ask(f"{RUN}/rankings?depth=1", accept=PARQUET).data)
    assert table.column("rank").to_pylist() == [1] * len(whole)


def test_queries_and_experiments_are_those_that_the_commands_print(api: Team) -> None:
    path = f"/collections/{OPEN}/queries"
    listed = api.administrator.get(path)["queries"]
    assert listed == printed(api, "queries", "--collection", OPEN)
    assert api.administrator.get(f"{path}?where=lang%3Dde")["queries"] == [
        row for row in listed if row["attributes"].get("lang") == "de"
    ]
    experiments = api.administrator.get("/experiments")["experiments"]
    rows = printed(api, "experiments")
    assert [{**row, "experiment": row["name"]} for row in experiments] == [
        {**row, "name": row["experiment"]} for row in rows
    ]
