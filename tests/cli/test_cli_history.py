"""`evalstore history`: the runs of an engine in time."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Fill, Program, add, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands, figures or resamples


@pytest.fixture
def filled(copied: Callable[[Fill], Path], program: Program) -> Program:
    """The program in a folder with a store of three runs of one engine."""
    copied(fill)
    return program


def fill(store: Store, folder: Path) -> None:
    runs = {"run1": BM25, "run2": TFIDF, "run10": NOTHING_FOR_Q3}
    files = [write_run(folder, run, f"{name}.run", name) for name, run in runs.items()]
    add(store, folder, *files, engine="e")


def test_the_table_has_values_differences_and_a_line_of_bars(filled: Program) -> None:
    lines = filled("history", "e", "-m", "AP").stdout.splitlines()
    assert lines[0] == "e: collection test, judgments test, 3 queries"
    assert lines.pop(1).startswith("note: the runs of e were stored together")
    assert lines[1].startswith("note: not all of the 3 judged queries are answered by run10 (2)")
    assert lines[3].split() == [
        *("date", "run", "AP", "difference", "95", "%", "interval", "p", "change"),
        *("reference", "less", "it", "its", "p", "its", "change"),
    ]
    # AP by hand: 7/9, 25/36, 1/6
    assert [line.split()[2:4] for line in lines[4:7]] == [
        ["run1", "0.7778"],
        ["run2", "0.6944"],
        ["run10", "0.1667"],
    ]
    assert [line.split()[4] for line in lines[5:7]] == ["-0.0833", "-0.5278"]
    # The reference of run2 is the run before, run1.
    assert "run1" not in lines[5]
    assert lines[6].split()[-6:-3] == ["shown", "run1", "-0.6111"]
    assert lines[8] == "AP  █▇▁  0.1667 to 0.7778"
    assert lines[9] == (
        "of 2 differences to the run before: none is shown to be real (paired t test; marks hold: "
        "on average at most 5 % of an engine's are false, however often you look)"
    )


@pytest.mark.parametrize(
    ("engine", "hint"), [("E", "; did you mean 'e'?"), ("nosuch", ": `evalstore runs` lists them")]
)
def test_an_engine_that_is_not_there_is_answered_with_near_names_or_where_to_find_them(
    filled: Program, engine: str, hint: str
) -> None:
    assert filled("history", engine, status=1).stderr == (
        f"no run is of the engine {engine!r}{hint}\n"
    )


def test_csv_and_json_have_every_digit(filled: Program) -> None:
    text = filled("history", "e", "-m", "AP", "--format", "csv").stdout
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["run"] for row in rows] == ["run1", "run2", "run10"]
    assert rows[0]["difference"] == ""
    assert float(rows[1]["difference"]) == pytest.approx(25 / 36 - 7 / 9)
    answer = json.loads(filled("history", "e", "-m", "AP", "--format", "json").stdout)
    assert (answer["engine"], answer["collection"], answer["qrels"]) == ("e", "test", "test")
    assert (answer["measure"], answer["queries"], answer["alpha"]) == ("AP", 3, 0.05)
    assert [run["run"] for run in answer["runs"]] == ["run1", "run2", "run10"]
    assert [run["change"] for run in answer["runs"]] == [None, "not shown", "not shown"]


def test_only_the_newest_runs_are_shown_where_asked(filled: Program) -> None:
    text = filled("history", "e", "--last", "1", "--format", "csv").stdout
    assert [row["run"] for row in csv.DictReader(text.splitlines())] == ["run10"]


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("ee",), "no run is of the engine 'ee'; did you mean 'e'?", 1),
        (("e", "-m", "P.5,10"), "P.5,10 is 2 measures: name one", 2),
        (("e", "-m", "nDGC"), "did you mean 'nDCG'?", 1),
        (("e", "--collection", "other"), "has no run in collection 'other'; it has in 'test'", 1),
        (("e", "--qrels", "other"), "no qrels 'other'; it has 'test'", 1),
    ],
)
def test_what_can_not_be_shown_is_told_in_one_line(
    filled: Program, arguments: tuple[str, ...], message: str, status: int
) -> None:
    assert message in filled("history", *arguments, status=status).stderr


def test_where_the_engine_has_runs_in_several_collections_the_option_is_named(
    filled: Program, folder: Path
) -> None:
    with Store.open(str(folder / "evalstore.db")) as store:
        add(store, folder, str(folder / "run1.run"), engine="e", collection="other")
    done = filled("history", "e", status=1)
    assert done.stderr == (
        "the engine 'e' has runs in several collections: 'other', 'test': say --collection\n"
    )
    assert "run10" in filled("history", "e", "--collection", "test").stdout
