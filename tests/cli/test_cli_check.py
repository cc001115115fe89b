"""`evalstore check`: exit status 0, 1 and 2, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from samples import Program, add, write

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many resamples

FILES = ("tfidf.run", "--baseline", "bm25.run", "--qrels", "test.qrels")
PASSES = ("--fail-if", "AP drop > 0.5")
FAILS = ("--fail-if", "AP drop > 0.05")  # by hand: AP 7/9 against 25/36, a drop of 0.0833


@pytest.mark.usefixtures("files")
def test_the_status_is_0_where_no_rule_holds_and_1_where_one_does(program: Program) -> None:
    passed = program("check", *FILES, *PASSES, status=0)
    assert passed.stdout.startswith("tfidf against bm25: 0 of 1 rule failed\n")
    assert "\npassed: AP drop > 0.5 is not so (AP drop 0.0833)\n" in passed.stdout
    failed = program("check", *FILES, *PASSES, *FAILS, status=1)
    assert failed.stdout.startswith("tfidf against bm25: 1 of 2 rules failed\n")
    assert "\nFAILED: AP drop > 0.05 (AP drop 0.0833)\n" in failed.stdout
    assert failed.stderr == ""


@pytest.mark.usefixtures("stored")
def test_stored_runs_are_checked_as_files_are(program: Program) -> None:
    of_files = program("check", *FILES, *FAILS, status=1).stdout
    assert program("check", "tfidf", "--baseline", "bm25", *FAILS, status=1).stdout == of_files
    assert program("check", "2", "--baseline", "1", *FAILS, status=1).stdout == of_files


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no.run", "--baseline", "bm25.run", "--qrels", "test.qrels"), "no.run: no such file"),
        (
            ("tfidf.run", "--baseline", "bm25", "--qrels", "test.qrels"),
            "bm25: no such file or directory; --qrels test.qrels is a file, so runs are files, too",
        ),
        (("bad.run", "--baseline", "bm25.run", "--qrels", "test.qrels"), "bad.run:1: expected 6"),
        (("tfidf.run", "--baseline", "bm25.run", "--qrels", "empty"), "empty: "),
        (("tfidf", "--baseline", "bm25"), "there is no store"),
    ],
)
def test_what_can_not_be_compared_is_status_2_in_one_line(
    files: Path, program: Program, arguments: tuple[str, ...], message: str
) -> None:
    write(files / "bad.run", "q1 d1 1\n")
    write(files / "empty", "")
    reports = ("--junit", "junit.xml", "--markdown", "summary.md")
    done = program("check", *arguments, *PASSES, *reports, status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    error = ET.parse("junit.xml").find("testsuite/testcase/error")
    assert error is not None
    assert message in (error.get("message") or "")
    assert Path("summary.md").read_text().startswith("## evalstore check: not comparable")


def test_runs_of_different_collections_are_status_2(stored: Path, program: Program) -> None:
    with Store.open(str(stored / "evalstore.db")) as store:
        add(store, stored, str(stored / "tfidf.run"), collection="other", name="there")
    done = program("check", "there", "--baseline", "bm25", *PASSES, status=2)
    assert "different collections" in done.stdout


@pytest.mark.usefixtures("files")
def test_a_rule_that_cant_be_read_is_a_usage_error_with_the_position(program: Program) -> None:
    done = program("check", *FILES, "--fail-if", "AP drop >> 1", status=2)
    assert "--fail-if 'AP drop >> 1', character 9: expected one of > >= < <=" in done.stderr


@pytest.mark.usefixtures("files")
def test_a_rule_and_for_files_a_baseline_are_required(program: Program) -> None:
    alone = ("check", "tfidf.run", "--qrels", "test.qrels", *PASSES)
    assert "give --baseline OLD" in program(*alone, status=2).stderr
    assert "--fail-if" in program("check", *FILES, status=2).stderr


@pytest.mark.usefixtures("files")
def test_json_has_outcome_rules_losses_and_the_comparison(program: Program) -> None:
    document = json.loads(program("check", *FILES, *FAILS, "--format", "json", status=1).stdout)
    own = ["outcome", "rules", "losses"]
    assert list(document) == [*own, "comparable", "reasons", "notes", "pairs"]
    assert document["outcome"] == "failed"
    [rule] = document["rules"]
    [condition] = rule["conditions"]
    assert (rule["rule"], rule["fails"]) == ("AP drop > 0.05", True)
    assert condition == {
        "condition": "AP drop > 0.05",
        "value": pytest.approx(7 / 9 - 25 / 36),
        "holds": True,
    }
    compared = json.loads(
        program(
            "compare", "bm25.run", *FILES[:1], *FILES[3:], "-m", "AP", "--format", "json"
        ).stdout
    )
    assert document["pairs"] == compared["pairs"]


@pytest.mark.usefixtures("files")
def test_a_query_that_the_new_run_lost_can_fail_the_check(program: Program) -> None:
    lost = ("partial.run", "--baseline", "bm25.run", "--qrels", "test.qrels")
    done = program("check", *lost, "--fail-if", "missing > 0", status=1)
    assert "FAILED: missing > 0 (missing 1)" in done.stdout
    assert "2 of 3 queries answered by both; q3 missing from partial" in done.stdout


@pytest.mark.usefixtures("files")
def test_the_summary_printed_is_the_one_written(program: Program) -> None:
    printed = program(
        "check", *FILES, *FAILS, "--format", "markdown", "--markdown", "s.md", status=1
    )
    assert Path("s.md").read_text() == printed.stdout


@pytest.mark.usefixtures("files")
def test_a_summary_that_cant_be_written_is_status_2(program: Program) -> None:
    done = program("check", *FILES, *PASSES, "--junit", "no/folder.xml", status=2)
    assert done.stderr == "no/folder.xml: no such file or directory\n"
