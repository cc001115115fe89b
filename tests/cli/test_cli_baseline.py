"""`evalstore runs baseline`, and what compare and check do with the baseline."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Fill, Program, add, write_qrels, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands, figures or resamples

RULE = ("--fail-if", "AP drop > 0.05")


@pytest.fixture
def filled(copied: Callable[[Fill], Path], program: Program) -> Program:
    """The program in a folder with a store of three runs, and their files."""
    copied(fill)
    return program


def fill(store: Store, folder: Path) -> None:
    runs = {"bm25": BM25, "tfidf": TFIDF, "third": NOTHING_FOR_Q3}
    files = [write_run(folder, run, f"{name}.run", name) for name, run in runs.items()]
    add(store, folder, *files)


def pairs(filled: Program, *arguments: str) -> list[tuple[str, str]]:
    compared = json.loads(filled("compare", *arguments, "-m", "AP", "--format", "json").stdout)
    return [(pair["a"], pair["b"]) for pair in compared["pairs"]]


def test_the_baseline_is_set_listed_and_unset(filled: Program) -> None:
    none = "no collection has a baseline: `evalstore runs baseline RUN` chooses one\n"
    assert filled("runs", "baseline").stdout == none
    assert filled("runs", "baseline", "bm25").stdout == "baseline of test: bm25\n"
    listed = list(csv.reader(filled("runs", "baseline", "--format", "csv").stdout.splitlines()))
    assert listed == [["collection", "engine", "run", "status"], ["test", "bm25", "bm25", "active"]]
    unset = filled("runs", "baseline", "--unset", "--collection", "test").stdout
    assert unset == "test has no baseline any more; it was bm25\n"
    assert json.loads(filled("runs", "baseline", "--format", "json").stdout) == []


def test_a_removed_baseline_is_listed_as_removed(filled: Program) -> None:
    filled("runs", "baseline", "bm25")
    filled("runs", "rm", "bm25")
    (row,) = json.loads(filled("runs", "baseline", "--format", "json").stdout)
    assert row["status"] == "removed"
    message = (
        "the baseline of collection 'test', 'bm25', was removed: `evalstore runs restore` brings "
        "it back, `evalstore runs baseline` chooses another one\n"
    )
    assert filled("compare", "tfidf", status=1).stderr == message


def test_one_run_is_compared_with_the_baseline_and_the_output_says_so(filled: Program) -> None:
    filled("runs", "baseline", "bm25")
    assert pairs(filled, "tfidf") == [("bm25", "tfidf")]
    note = "note: compared with bm25, the baseline of collection 'test'\n"
    assert note in filled("compare", "tfidf", "-m", "AP").stdout


def test_the_baseline_is_found_in_the_collection_of_the_run(filled: Program, folder: Path) -> None:
    with Store.open(str(folder / "evalstore.db")) as store:
        add(store, folder, str(folder / "bm25.run"), collection="other")
    filled("runs", "baseline", "bm25", "--collection", "test")
    assert pairs(filled, "tfidf") == [("bm25", "tfidf")]


def test_two_runs_are_compared_in_the_order_given_whichever_is_the_baseline(
    filled: Program,
) -> None:
    filled("runs", "baseline", "bm25")
    assert pairs(filled, "tfidf", "bm25") == [("tfidf", "bm25")]


def test_of_three_runs_the_others_are_compared_with_the_baseline_unless_told_otherwise(
    filled: Program,
) -> None:
    runs = ("tfidf", "third", "bm25")
    every = [("tfidf", "third"), ("tfidf", "bm25"), ("third", "bm25")]
    assert pairs(filled, *runs) == every
    filled("runs", "baseline", "bm25")
    assert pairs(filled, *runs) == [("bm25", "tfidf"), ("bm25", "third")]
    assert pairs(filled, *runs, "--no-baseline") == every
    assert pairs(filled, *runs, "--baseline", "third") == [("third", "tfidf"), ("third", "bm25")]


@pytest.mark.parametrize("runs", [("tfidf", "1"), ("1", "tfidf")])
def test_a_baseline_named_among_the_runs_by_its_id_is_not_compared_with_itself(
    filled: Program, runs: tuple[str, ...]
) -> None:
    assert pairs(filled, *runs, "--baseline", "bm25") == [("bm25", "tfidf")]


def test_check_takes_the_baseline_of_the_collection(filled: Program) -> None:
    filled("runs", "baseline", "bm25")
    named = filled("check", "tfidf", "--baseline", "bm25", *RULE, status=1).stdout
    done = filled("check", "tfidf", *RULE, status=1).stdout
    note = "note: compared with bm25, the baseline of collection 'test'\n"
    assert note in done
    assert done.replace(note, "") == named


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (
            ("compare", "tfidf"),
            "collection 'test' has no baseline: `evalstore runs baseline RUN` chooses it, or give "
            "--baseline RUN",
            1,
        ),
        (
            ("check", "tfidf", *RULE),
            "collection 'test' has no baseline: `evalstore runs baseline RUN` chooses it, or give "
            "--baseline RUN",
            2,
        ),
        (
            ("runs", "baseline", "--unset", "--collection", "test"),
            "collection 'test' has no baseline",
            1,
        ),
        (("runs", "baseline", "tfdif"), "no run 'tfdif' in the store; did you mean 'tfidf'?", 1),
        (("compare", "tfidf", "--no-baseline"), "give two runs or more", 2),
        (
            ("compare", "tfidf", "bm25", "--no-baseline", "--baseline", "bm25"),
            "--baseline and --no-baseline exclude each other",
            2,
        ),
        (
            ("check", "tfidf.run", "--qrels", "test.qrels", *RULE),
            "files are in no collection with a baseline: give --baseline OLD",
            2,
        ),
    ],
)
def test_what_can_not_be_done_is_told_with_what_to_do_next(
    filled: Program, arguments: tuple[str, ...], message: str, status: int
) -> None:
    assert message in filled(*arguments, status=status).stderr


def test_the_baseline_is_not_checked_against_itself(filled: Program) -> None:
    filled("runs", "baseline", "bm25")
    message = (
        "'bm25' is the baseline of collection 'test' itself: name the run to compare with it\n"
    )
    assert filled("check", "bm25", *RULE, status=2).stderr == message


def leaderboard(filled: Program, *arguments: str) -> list[list[str]]:
    printed = filled("leaderboard", "test", "-m", "AP", *arguments).stdout
    return [line.split() for line in printed.splitlines()]


def test_the_leaderboard_marks_the_baseline_and_shows_differences_to_it(filled: Program) -> None:
    assert "difference" not in leaderboard(filled)[0]
    filled("runs", "baseline", "tfidf")
    header, *rows = leaderboard(filled)
    column = header.index("difference")
    # AP by hand: bm25 7/9, tfidf 25/36, third 1/6
    assert [row[column] for row in rows[:3]] == ["+0.0833", "baseline", "-0.5278"]
    assert ["difference:", "AP", "less", "that", "of", "the", "baseline,", "tfidf"] in rows
    assert "difference" not in leaderboard(filled, "--no-baseline")[0]
    named = leaderboard(filled, "--baseline", "bm25")[1:4]
    assert [row[column] for row in named] == ["baseline", "-0.0833", "-0.6111"]


def test_csv_and_json_of_the_leaderboard_have_the_differences(filled: Program) -> None:
    filled("runs", "baseline", "tfidf")
    text = filled("leaderboard", "test", "-m", "AP", "--format", "csv").stdout
    rows = {row["run"]: row["difference"] for row in csv.DictReader(text.splitlines())}
    assert float(rows["bm25"]) == pytest.approx(7 / 9 - 25 / 36)
    assert rows["tfidf"] == ""
    board = json.loads(filled("leaderboard", "test", "-m", "AP", "--format", "json").stdout)
    assert board["baseline"] == {"run": "tfidf"}


def test_an_exported_leaderboard_tests_against_the_baseline_unless_told_otherwise(
    filled: Program,
) -> None:
    asked = ("export", "leaderboard", "test", "-m", "AP", "--format", "csv")
    plain = filled(*asked).stdout
    named = filled(*asked, "--baseline", "bm25").stdout
    filled("runs", "baseline", "bm25")
    assert filled(*asked).stdout == named
    assert filled(*asked, "--no-baseline").stdout == plain
    assert "AP p_corrected" not in filled(*asked, "--test", "tukey").stdout


def test_a_baseline_without_values_under_a_qrels_is_told_and_not_shown(
    filled: Program, folder: Path
) -> None:
    filled("runs", "baseline", "bm25")
    with Store.open(str(folder / "evalstore.db")) as store:
        second = write_qrels(folder, {"q1": {"d1": 1}, "q2": {"d4": 1}}, "second.qrels")
        add(store, folder, str(folder / "tfidf.run"), qrels=second)
    asked = ("test", "-m", "AP", "--qrels", "second")
    note = "the baseline 'bm25' was never evaluated under qrels 'second'"
    printed = filled("leaderboard", *asked).stdout
    assert note in printed
    assert "difference" not in printed
    done = filled("export", "leaderboard", *asked, "--format", "csv")
    assert note in done.stderr
    assert "p_corrected" not in done.stdout
    named = filled(
        "export", "leaderboard", *asked, "--format", "csv", "--baseline", "bm25", status=1
    )
    assert note in named.stderr
