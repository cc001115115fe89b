"""`evalstore reevaluate`: new judgments for stored runs, and what they change."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import TFIDF, Program, write_qrels, write_run

from evalstore.cli import cli
from evalstore.ingest import reevaluate as module

pytestmark = pytest.mark.slow  # many commands, figures or resamples

SWAPPING = {"q1": {"d1": 0, "d2": 1, "d3": 2}, "q2": {"d4": 1}, "q3": {"d6": 3}}
CALL = ("reevaluate", "--collection", "test", "--qrels")


@pytest.fixture
def filled(program: Program, folder: Path) -> Program:
    qrels = write_qrels(folder)
    runs = write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf")
    program("ingest", "--collection", "test", "--qrels", qrels, *runs)
    write_qrels(folder, SWAPPING, "new.qrels")
    return program


def test_the_table_shows_figures_ranks_swapped_pairs_and_judgments(filled: Program) -> None:
    done = filled(*CALL, "new.qrels", "-m", "AP")
    assert done.stdout.splitlines() == [
        "measure  engine  run    before   after  difference    rank",
        "AP       bm25    bm25   0.7778  0.3889     -0.3889  1 -> 2",
        "AP       tfidf   tfidf  0.6944  0.6111     -0.0833  2 -> 1",
        "",
        "measure  runs  pairs swapped  Kendall's tau-b   tau-AP",
        "AP          2              1          -1.0000  -1.0000",
        "",
        "AP: bm25 was better than tfidf (0.7778, 0.6944), now tfidf is better (0.6111, 0.3889)",
        "judgments: 0 added, 2 graded otherwise, 1 removed, from qrels 'test' (6) to 'new' (5)",
        "figures are shown under qrels 'test' as before: `evalstore qrels default` chooses another",
    ]
    assert done.stderr.splitlines() == [
        "evaluated         bm25",
        "evaluated         tfidf",
        "warning: new.qrels is another set of judgments: kept as 'new'",
    ]


def test_a_stored_qrels_is_named_and_can_become_the_default(filled: Program) -> None:
    filled(*CALL, "new.qrels")
    done = filled(*CALL, "new", "--default-qrels", "-m", "AP")
    assert done.stderr.splitlines() == ["already evaluated bm25", "already evaluated tfidf"]
    assert "figures are shown" not in done.stdout
    default = json.loads(filled("qrels", "--format", "json").stdout)[0]
    assert (default["qrels"], default["default"]) == ("new", True)


def test_csv_has_a_row_a_measure_and_run(filled: Program) -> None:
    done = filled(*CALL, "new.qrels", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["measure"] for row in rows] == sorted(
        ["AP", "nDCG@10", "P@10", "Rprec"] * 2, key=["AP", "nDCG@10", "P@10", "Rprec"].index
    )
    assert rows[0]["rank_before"] == "1"
    assert float(rows[0]["before"]) == pytest.approx(7 / 9)


def test_json_has_everything(filled: Program) -> None:
    document = json.loads(filled(*CALL, "new.qrels", "-m", "AP", "--format", "json").stdout)
    assert document["judgments"] == {"added": 0, "removed": 1, "changed": 2}
    assert document["measures"][0]["swapped"] == [{"a": "bm25", "b": "tfidf"}]
    assert document["measures"][0]["kendall_tau_b"] == -1
    assert [run["status"] for run in document["evaluated"]] == ["evaluated"] * 2


def test_a_run_that_fails_is_named_with_the_remedy_and_the_exit_status_is_1(
    filled: Program, folder: Path
) -> None:
    one = write_run(folder, {"q3": ["d6"]}, "one.run", "one")
    filled("ingest", "--collection", "test", one)
    write_qrels(folder, {"q1": {"d1": 1}}, "few.qrels")
    done = filled(*CALL, "few.qrels", "--default-qrels", "-m", "AP", status=1)
    [line] = [line for line in done.stderr.splitlines() if line.startswith("failed")]
    assert line.endswith("Say --allow-disjoint if that is meant")
    assert "warning: some runs failed: qrels 'few' is not made the default" in done.stderr
    assert "note: left out: one, which was never evaluated under qrels 'few'" in done.stdout
    filled(*CALL, "few.qrels", "--allow-disjoint", "-m", "AP")


def test_an_interrupt_says_that_the_same_command_goes_on(
    filled: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "reevaluate", interrupted)
    done = CliRunner().invoke(cli, [*CALL, "new.qrels"])
    assert done.exit_code == 130
    assert done.stderr == "interrupted; the same command goes on with the other runs\n"


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("none", "collection 'test' has no qrels 'none'"),
        ("test.qrels", "collection 'test' has no qrels to compare 'test' with"),
        ("bad.qrels", "bad.qrels:1: expected 4 columns, found 2"),
    ],
)
def test_what_can_not_be_is_one_line_and_exit_status_1(
    filled: Program, folder: Path, qrels: str, message: str
) -> None:
    (folder / "bad.qrels").write_text("q1 d1\n")
    done = filled(*CALL, qrels, status=1)
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_an_unknown_measure_stores_nothing(filled: Program) -> None:
    filled(*CALL, "new.qrels", "-m", "NDGC", status=1)
    assert "new" not in filled("qrels").stdout
