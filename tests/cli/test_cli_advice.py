"""The error for a mistyped name suggests the nearest one; other errors name a remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from changed_runs import tag_run
from samples import Fill, Program, add, write_run

from evalstore.cli import EARLIER
from evalstore.cli.errors import ADVICE
from evalstore.errors import Problem, nearest
from evalstore.measures import NEEDS
from evalstore.store import Store


@pytest.fixture(autouse=True)
def stored(copied: Callable[[Fill], Path]) -> None:
    """A store with a run that has a tag."""
    copied(fill)


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), experiment="june")
    tag_run(store, "bm25", ["paper"])


@pytest.mark.parametrize(
    ("arguments", "hint", "status"),
    [
        (("leaderbord",), "did you mean `evalstore leaderboard`?", 2),
        (("anotate",), "did you mean `evalstore runs edit`?", 2),
        (("ingst",), "did you mean `evalstore ingest`?", 2),
        (("Runs",), "did you mean `evalstore runs`?", 2),
        (("runs", "shwo"), "did you mean `evalstore runs show`?", 2),
        (("runs", "--sortt", "AP"), "--sort", 2),
        (("runs", "-m", "nDCG10"), "did you mean 'nDCG@10'?", 1),
        (("measures", "ndgc"), "did you mean 'nDCG'?", 1),
        (("runs", "rm", "bm2"), "did you mean 'bm25'?", 1),
        (("export", "run", "BM-25"), "did you mean 'bm25'?", 1),
        (("runs", "--collection", "tst"), "did you mean 'test'?", 1),
        (("runs", "--qrels", "tets"), "did you mean 'test'?", 1),
        (("runs", "--engine", "bm26"), "did you mean 'bm25'?", 1),
        (("runs", "--experiment", "jun"), "did you mean 'june'?", 1),
        (("runs", "--tag", "papers"), "did you mean 'paper'?", 1),
    ],
)
def test_a_mistyped_name_gets_the_nearest(
    program: Program, arguments: tuple[str, ...], hint: str, status: int
) -> None:
    assert hint in program(*arguments, status=status).stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg10", ["nDCG@10"]),
        ("NDCG@10", ["nDCG@10"]),
        ("P5", ["P@5"]),
        ("zzzzzz", []),
        ("", []),
        ("@@", []),
    ],
)
def test_case_and_signs_count_less_than_letters(name: str, expected: list[str]) -> None:
    assert nearest(name, ["nDCG@10", "P@5", "Rprec"]) == expected


def test_where_no_name_is_similar_one_that_begins_so_is_the_nearest() -> None:
    assert nearest("bm25", ["lsa", "bm25s-lucene-stem"]) == ["bm25s-lucene-stem"]
    assert nearest("", ["lsa"]) == []


def test_an_option_is_advised_only_where_the_command_has_it(program: Program) -> None:
    there = program("evaluate", "test.qrels", "bm25.run", "-m", "alpha_nDCG@10", status=1)
    assert "needs judgments by subtopic: give --subtopics FILE" in (there.stderr)
    lacks = program("runs", "-m", "alpha_nDCG@10", status=1)
    assert lacks.stderr == "alpha_nDCG@10 needs judgments by subtopic\n"


def test_every_problem_the_library_names_has_its_advice() -> None:
    assert set(ADVICE) == {*get_args(Problem), *(f"needs {need}" for need in NEEDS)}


def test_no_message_of_the_library_names_an_option_or_a_command() -> None:
    library = (
        *("catalog", "comparison", "evaluation", "formats", "ingest", "leaderboard", "measures"),
        *("sql", "stats", "store", "tables", "tracking", "transfer"),
    )
    package = Path(__file__).parents[2] / "evalstore"
    files = [*package.glob("*.py"), *(f for p in library for f in (package / p).rglob("*.py"))]
    named = [
        f"{file.name}:{number}"
        for file in files
        if file.name not in ("view.py", "views.py")  # the text of docs/schema.md
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if '"' in line and '"""' not in line and (" --" in line or "`evalstore " in line)
    ]
    assert named == []


@pytest.mark.parametrize("name", sorted(EARLIER))
def test_an_earlier_name_is_answered_with_the_command_that_does_it(
    program: Program, name: str
) -> None:
    told = program(name, status=2).stderr
    assert f"No such command {name!r}; that is `evalstore {EARLIER[name]}`" in told
    words = [word for word in EARLIER[name].split() if word.islower() and word[0] != "-"]
    assert program(*words, "--help").stdout.startswith("Usage: ")


def test_an_option_of_a_list_is_not_taken_before_a_command(program: Program) -> None:
    told = program("runs", "--sort", "AP", "show", "bm25", status=2).stderr
    assert "--sort is an option of the list" in told
    assert "those of `show` come after it" in told
    before = program("runs", "--db", "evalstore.db", "show", "bm25").stdout
    assert before == program("runs", "show", "bm25").stdout
