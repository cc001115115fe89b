"""`evalstore compare` of runs that were chosen after looking: the luck in it, and --holdout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import Program, add, write_qrels, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.store import Store

QUERIES = 12
PLACES = {"base": 3, "s1": 2, "s2": 1, "s3": 4}
"""About at which place a run has the one relevant document."""


@pytest.fixture
def settings(folder: Path) -> Path:
    """Files and a store of a baseline, and of three settings of one engine."""
    qrels = write_qrels(folder, {f"q{query}": {"r": 1} for query in range(QUERIES)})
    with Store.open(str(folder / "evalstore.db")) as store:
        for number, (name, place) in enumerate(PLACES.items()):
            rankings = {}
            for query in range(QUERIES):
                documents = [f"n{rank}" for rank in range(6)]
                documents.insert(place - (query % (number + 2) == 0), "r")
                rankings[f"q{query}"] = documents
            path = write_run(folder, rankings, f"{name}.run", name)
            engine = "ql" if name.startswith("s") else name
            facts = GivenFacts(parameters={"mu": number})
            add(store, folder, path, qrels=qrels, engine=engine, facts=facts)
    return folder


@pytest.mark.usefixtures("settings")
def test_a_note_says_that_a_run_is_the_best_of_its_engine(program: Program) -> None:
    done = program("compare", "base", "s2", "-m", "RR", "--worst", "0")
    assert "\nnote: s2 is the best of 3 runs of engine ql on RR: of 3 equal" in done.stdout
    as_json = program("compare", "base", "s2", "-m", "RR", "--format", "json")
    assert "s2 is the best of 3 runs of engine ql on RR" in as_json.stderr


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("source", ["store", "files"])
def test_holdout_chooses_on_one_part_and_tests_on_the_other(program: Program, source: str) -> None:
    runs = ["base", "s1", "s2", "s3"]
    if source == "files":
        runs = [*(f"{name}.run" for name in runs), "--qrels", "test.qrels"]
    named = ("--baseline", runs[0], "-m", "RR", "--worst", "0", "--holdout", "0.5")
    done = program("compare", *runs, *named)
    assert "comparable: same judgments, only the 6 of 12 held-out queries, " in done.stdout
    assert "\nnote: s2 was chosen of 3 runs by RR on the other 6 queries\n" in done.stdout
    assert "by luck alone" not in done.stdout
    document = json.loads(program("compare", *runs, *named, "--format", "json").stdout)
    assert document["restricted_to"] == "the 6 of 12 held-out queries"
    assert [(pair["a"], pair["b"]) for pair in document["pairs"]] == [("base", "s2")]


@pytest.mark.usefixtures("settings")
def test_the_held_out_queries_are_an_attribute_of_the_collection(program: Program) -> None:
    program("compare", "base", "s2", "--holdout", "0.5")
    only = program("compare", "base", "s2", "--where", "holdout=yes", "--by", "holdout")
    assert "only the 6 of 12 queries with holdout=yes" in only.stdout
    refused = program("compare", "base", "s2", "--holdout", "0.25", status=1)
    command = refused.stderr.partition("`evalstore ")[2].partition("`")[0]
    program(*command.split())
    program("compare", "base", "s2", "--holdout", "0.25")
