"""--ignore-identical-ids: the same for evaluate, compare of files and ingest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import Program, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands, figures or resamples

OPTION = "--ignore-identical-ids"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Two runs; one finds two of the queries themselves."""
    write_qrels(folder, {"q1": {"d": 1}, "q2": {"d": 1}})
    write_run(folder, {"q1": ["q1", "d"], "q2": ["q2", "d"]}, "with.run", "with")
    write_run(folder, {"q1": ["d"], "q2": ["d"]}, "without.run", "without")


def test_evaluate_compare_and_ingest_leave_out_the_same(program: Program) -> None:
    done = program("evaluate", "test.qrels", "with.run", "-m", "RR", "--format", "csv", OPTION)
    assert "with.run: 2 retrieved documents whose id is the query's are left out" in done.stderr
    assert done.stdout.splitlines()[-1].endswith("1.0")
    done = program(
        "compare", "with.run", "without.run", "--qrels", "test.qrels", "-m", "RR", OPTION
    )
    assert "note: with is compared without 2 documents whose id is the query's" in done.stdout
    words = ("--collection", "c", "--qrels", "test.qrels")
    assert "2 retrieved documents" in program("ingest", *words, OPTION, "with.run").stderr
    stored = json.loads(program("runs", "-m", "RR", "--format", "json").stdout)
    assert [row["RR"] for row in stored] == [1.0]
    again = program("ingest", *words, "with.run", status=1).stderr
    assert "a run named 'with' with other content" in again


def test_for_stored_runs_it_is_refused(program: Program) -> None:
    program("ingest", "--collection", "c", "--qrels", "test.qrels", "with.run", "without.run")
    message = program("compare", "with", "without", OPTION, status=2).stderr
    assert "--ignore-identical-ids is for files" in message
