"""`evalstore experiments`: groups of runs with a question and a conclusion."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import BM25, ESCAPE, TFIDF, Fill, Program, add, raw_output_dangers, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands, figures or resamples


@pytest.fixture
def filled(copied: Callable[[Fill], Path], program: Program) -> Program:
    """The program in a folder with a store of two runs in the experiment `june`."""
    copied(fill)
    return program


def fill(store: Store, folder: Path) -> None:
    files = [write_run(folder, BM25, "run10.run"), write_run(folder, TFIDF, "run2.run")]
    add(store, folder, *files, experiment="june", engine="e")


def test_an_experiment_is_shown_with_its_texts_and_the_figures_of_its_runs(
    filled: Program, folder: Path
) -> None:
    (folder / "text.md").write_text("# All\n\nis *well*\n", encoding="utf-8")
    edited = filled(
        "experiments", "edit", "june", "--question", "Which?", "--conclusion-file", "text.md"
    )
    assert edited.stdout == "june: question, conclusion changed\n"
    assert filled("experiments", "show", "june", "-m", "AP").stdout == (
        "experiment june\n\nquestion:\n  Which?\n\n"
        "collection  engine  run        AP\n"
        "test        e       run2   0.6944\n"
        "test        e       run10  0.7778\n"
        "\nconclusion:\n  # All\n\n  is *well*\n"
    )
    experiment = json.loads(
        filled("experiments", "show", "june", "-m", "AP", "--format", "json").stdout
    )
    assert (experiment["question"], experiment["conclusion"]) == ("Which?", "# All\n\nis *well*")
    assert [(run["run"], list(run["values"])) for run in experiment["runs"]] == [
        ("run2", ["AP"]),
        ("run10", ["AP"]),
    ]


def test_experiments_are_made_listed_renamed_and_removed(filled: Program) -> None:
    assert filled("experiments", "new", "may", "--question", "a\nb").stdout == "made may\n"
    header, *rows = filled("experiments").stdout.splitlines()
    assert header.split() == ["experiment", "question", "concluded", "created", "runs"]
    assert [(row.split()[0], row.split()[-1]) for row in rows] == [("june", "2"), ("may", "0")]
    assert rows[1].split()[1] == "a"
    assert filled("experiments", "rename", "may", "july").stdout == "may -> july\n"
    text = filled("experiments", "--format", "csv").stdout
    assert [row["experiment"] for row in csv.DictReader(text.splitlines())] == ["july", "june"]
    assert filled("experiments", "rm", "june").stdout == "deleted june; its 2 runs stay\n"
    assert len(filled("runs", "--format", "csv").stdout.splitlines()) == 3


def test_a_text_may_come_from_standard_input(filled: Program) -> None:
    filled("experiments", "edit", "june", "--question-file", "-", given="why?\n")
    assert "\nquestion:\n  why?\n" in filled("experiments", "show", "june").stdout


def test_a_text_can_not_move_the_cursor(filled: Program) -> None:
    filled("experiments", "edit", "june", "--question", f"a{ESCAPE}b\u202e", "--conclusion", "\rx")
    for arguments in (("show", "june"), ()):
        assert not list(raw_output_dangers(filled("experiments", *arguments).stdout))


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("show", "jun"), "no experiment 'jun' in the store; did you mean 'june'?", 1),
        (("new", "june"), "there is an experiment 'june' already", 1),
        (("edit", "june"), "say what to change: --question or --conclusion", 2),
        (("edit", "june", "--question-file", "no.md"), "no.md: no such file", 1),
        (("edit", "june", "--question-file", "latin"), "latin:2: not UTF-8", 1),
        (
            ("edit", "june", "--question-file", "large"),
            "large: longer than 1,048,576 bytes",
            1,
        ),
        (
            ("edit", "june", "--question", "a", "--question-file", "b"),
            "--question and --question-file exclude each other",
            2,
        ),
    ],
)
def test_what_can_not_be_done_is_told_in_one_line(
    filled: Program, folder: Path, arguments: tuple[str, ...], message: str, status: int
) -> None:
    (folder / "latin").write_bytes(b"a\n\xe4\n")
    (folder / "large").write_bytes(b"a" * ((1 << 20) + 1))
    assert message in filled("experiments", *arguments, status=status).stderr
