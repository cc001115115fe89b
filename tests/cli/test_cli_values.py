"""Runs that come as values of measures, without rankings, through the commands."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from samples import ESCAPE, Program, raw_output_dangers, write, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands

PRINTED = "map\tq1\t0.8333\nmap\tq2\t1.0000\nmap\tq3\t0.0000\n"


@pytest.fixture
def filled(program: Program, folder: Path) -> Path:
    """A run, and another one that came as values."""
    write_qrels(folder)
    run, values = write_run(folder), write(folder / "out.txt", PRINTED)
    program("ingest", "--collection", "c", "--qrels", "test.qrels", "--no-checkout", run, values)
    return folder


def test_ingest_says_that_a_file_was_read_as_values_only(program: Program, filled: Path) -> None:
    again = program("ingest", "--collection", "c", str(filled / "out.txt"), "--recheck").output
    assert "already stored  out  (read as trec-eval-output: values only)" in again


def test_values_that_carry_one_tag_have_engines_named_after_the_runs(
    program: Program, folder: Path
) -> None:
    qrels = write_qrels(folder)
    paths = [
        write(folder / f"{name}.txt", f"{PRINTED}P_5\tq1\t{value}\nP_5\tq2\t0\nP_5\tq3\t0\n"
              "runid                 \tall\tSTANDARD\n")
        for name, value in (("a", 0.2), ("b", 0.4))
    ]  # fmt: skip
    done = program("ingest", "--collection", "c", "--qrels", qrels, *paths).output
    assert "all runs carry the run tag 'STANDARD': each engine is named after its run" in done
    rows = json.loads(program("runs", "--format", "json").output)
    assert [row["engine"] for row in rows] == ["a", "b"]


def test_lists_mark_it(program: Program, filled: Path) -> None:
    table = program("runs", "-m", "AP", "-m", "P@5").output
    assert "out *" in table
    assert table.splitlines()[-1] == "* came as values, without rankings"
    rows = json.loads(program("runs", "--format", "json").output)
    assert {row["run"]: row["values_only"] for row in rows} == {"bm25": False, "out": True}
    assert ",answered,values_only," in program("runs", "--format", "csv").output.splitlines()[0]
    assert "values_only   true (no rankings)" in program("runs", "show", "out").output
    assert (
        json.loads(program("runs", "show", "out", "--format", "json").output)["retrieved"] is None
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "bm25", "out", "-m", "AP"],
        ["leaderboard", "c", "-m", "AP"],
        ["export", "leaderboard", "c", "-m", "AP", "--format", "markdown"],
        ["export", "comparison", "bm25", "out", "-m", "AP", "--format", "markdown"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_what_shows_figures_says_how_exact_they_are(
    arguments: list[str], program: Program, filled: Path
) -> None:
    assert "out came as values of 4 decimals, without a ranking" in program(*arguments).output


@pytest.mark.parametrize(
    "arguments",
    [["export", "run", "out"], ["explain", "out", "q1"]],
    ids=lambda arguments: arguments[0],
)
def test_what_needs_rankings_ends_with_a_sentence_and_the_remedy(
    arguments: list[str], program: Program, filled: Path
) -> None:
    error = program(*arguments, status=1).stderr
    assert error.startswith("run 'out' came as values, without rankings")
    assert error.endswith(": `evalstore ingest --replace` with its run file stores them\n")


def test_a_measure_that_it_came_without_is_named_and_what_to_do(
    program: Program, filled: Path
) -> None:
    error = program("compare", "bm25", "out", status=1).stderr
    assert error == (
        "run 'out' came as values, without rankings, so nDCG@10 can't be computed: name other "
        "measures with --measure, or store its run file with `evalstore ingest --replace`\n"
    )


def test_the_report_of_one_run_says_so(program: Program, folder: Path) -> None:
    qrels, run = write_qrels(folder), write_run(folder)
    printed = program("evaluate", qrels, run, "-m", "all_trec", "-q", "--format", "trec").stdout
    values = write(folder / "out.txt", printed)
    program("ingest", "--collection", "c", "--qrels", qrels, values)
    program("export", "report", "out", "-m", "AP", "--output", "out.html")
    page = (folder / "out.html").read_text(encoding="utf-8")
    assert "out came as values of 4 decimals, without a ranking" in page


def test_an_experiment_shows_it_without_the_measures_it_lacks(
    program: Program, filled: Path
) -> None:
    program("runs", "edit", "out", "--experiment", "e")
    assert "0.6111" in program("experiments", "show", "e").output
    (run,) = json.loads(program("experiments", "show", "e", "--format", "json").output)["runs"]
    assert (run["values"]["AP"] > 0.6, run["values"]["nDCG@10"]) == (True, None)


def test_measure_and_reevaluate_leave_it_out_and_go_on(program: Program, filled: Path) -> None:
    measured = program("reevaluate", "-m", "P@7").output
    assert "out  (test): nothing new; came as values, without rankings, so not P@7" in measured
    new = write_qrels(filled, {"q1": {"d1": 1}}, "new.qrels")
    done = program("reevaluate", "--collection", "c", "--qrels", new)
    assert "left out          out: run 'out' came as values, without rankings" in done.stderr


def test_evaluate_refuses_it_for_what_it_is(program: Program, filled: Path) -> None:
    error = program("evaluate", "test.qrels", "out.txt", status=1).stderr
    assert error == (
        "out.txt: values without rankings, as trec_eval prints them, not a run: "
        "only a store takes them\n"
    )


def test_hostile_names_in_such_a_file_are_printed_harmless(program: Program, folder: Path) -> None:
    qrels = write_qrels(folder)
    lines = (
        f"{PRINTED}own\u202e\tq1\t1\nown\u202e\tq2\t1\nown\u202e\tq3\t1\nrunid\tall\t\u202etag\n"
    )
    path = write(folder / "out.txt", lines)
    name = f"{ESCAPE}out"
    refused = program(
        "ingest", "--collection", "c", "--qrels", qrels, "--name", name, path, status=1
    )
    done = program("ingest", "--collection", "c", "--qrels", qrels, "--name", "\u202ex", path)
    for output in (refused.output, done.output, program("runs").output):
        assert list(raw_output_dangers(output)) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_evaluate_prints_of_a_run_comes_back_as_its_values_to_4_decimals(
    seed: int, program: Program, folder: Path
) -> None:
    draw = random.Random(seed)
    docnos = [f"d{number}" for number in range(12)]
    queries = [f"q{number}" for number in range(6)]
    qrels = write_qrels(
        folder, {qid: {d: draw.randrange(-1, 4) for d in docnos} for qid in queries}
    )
    answered = draw.sample(queries, 5)
    run = write_run(folder, {qid: draw.sample(docnos, draw.randrange(1, 12)) for qid in answered})
    printed = program("evaluate", qrels, run, "-m", "all_trec", "-q", "--format", "trec").stdout
    values = write(folder / "out.txt", printed)
    done = program("ingest", "--collection", "c", "--qrels", qrels, run, values).output
    assert "stored          out  (read as trec-eval-output: values only)" in done
    program("reevaluate", "-m", "all_trec", "bm25")
    pairs = json.loads(
        program(
            "sql",
            "--format",
            "json",
            "SELECT a.measure, a.value AS run, b.value AS printed FROM query_values AS a "
            "JOIN query_values AS b ON b.measure = a.measure AND b.qid = a.qid "
            "WHERE a.run = 'bm25' AND b.run = 'out'",
        ).stdout
    )
    assert len(pairs) > 80 * len(queries)
    assert max(abs(pair["run"] - pair["printed"]) for pair in pairs) <= 0.50001e-4
    assert "all is well" in program("db", "check").output
