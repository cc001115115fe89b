"""Names are data: no name can move the cursor, add a line or break a format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from changed_runs import annotate
from samples import (
    ESCAPE,
    HOSTILE,
    Fill,
    Program,
    add,
    raw_output_dangers,
    statuses,
    write,
    write_qrels,
    write_run,
)

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.queries import tag_queries
from evalstore.cli.output import printable
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store

pytestmark = pytest.mark.slow  # every name through every command

QIDS = [name.replace(" ", "_") for name in HOSTILE]
FILE_NAMES = (f"a{ESCAPE}b.run", "new\nline.run", "\u202egnp.run", "c1\x9b31m.run", "tab\t.run")


def fill(store: Store, folder: Path) -> None:
    """Runs whose names, engines, queries, documents and header are all hostile, and a baseline."""
    qrels = write_qrels(folder, {qid: {qid: 1} for qid in QIDS}, "hostile.qrels")
    write_qrels(folder, {qid: {qid: 2} for qid in QIDS}, "0.qrels")
    write(folder / "hostile.yaml", "\u202egnp.exe: \u202egnp.exe\na: 'x\u2028y'\n")
    for number, name in enumerate(HOSTILE):
        docnos = {qid: [qid, f"other-{number}"] for qid in QIDS}
        run = write_run(folder, docnos, f"{number}.run")
        named = dict.fromkeys(("collection", "engine", "name", "experiment"), name)
        assert statuses(add(store, folder, run, qrels=qrels, **named)) == ["stored"]
        tag_queries(store, name, {qid: {"\u202egnp.exe": qid} for qid in QIDS})
    annotate(store, "\u202egnp.exe", GivenFacts(header={"\u202egnp.exe": "\u202egnp.exe"}))
    set_baseline(store, "\u202egnp.exe", "\u202egnp.exe")


@pytest.fixture
def filled(program: Program, copied: Callable[[Fill], Path]) -> Program:
    """The program in a folder with such a store."""
    copied(fill)
    return program


@pytest.mark.parametrize(
    "arguments",
    [
        ("runs",),
        ("sql", "SELECT collection, engine, run, experiment FROM leaderboard"),
        ("sql", "SELECT qid FROM query_values"),
        ("sql", "SELECT docno FROM retrieved"),
        ("sql", 'SELECT docno AS "a\x1b[31mb" FROM retrieved'),
        ("reevaluate", "-m", "P@3"),
        ("evaluate", "hostile.qrels", "0.run", "1.run", "-q"),
        ("compare", "\u202egnp.exe", "\u202egnp.exe", "-m", "NumRet", "--plot"),
        ("compare", "\u202egnp.exe", "\u202egnp.exe", "-m", "NumRet", "--by", "\u202egnp.exe"),
        ("reevaluate", "--collection", "\u202egnp.exe", "--qrels", "0.qrels"),
        ("runs", "edit", "\u202egnp.exe", "--param", "k=\u202e\n\u2028", "--tag", "\u202ea"),
        ("runs", "edit", "\u202egnp.exe", "--note", "a\u202e\nb", "--command", "\u202ec"),
        ("runs", "edit", "\u202egnp.exe", "--header", "hostile.yaml"),
        ("runs", "show", "\u202egnp.exe"),
        ("runs", "--where", "header.\u202egnp.exe=\u202egnp.exe", "--find", "\u202egnp.exe"),
        ("runs", "diff", "\u202egnp.exe", "\u202egnp.exe"),
        ("queries", "--collection", "all"),
        ("queries", "--collection", "all", "--where", "\u202egnp.exe=\u202egnp.exe"),
        ("queries", "tag", "--collection", "\u202egnp.exe", "\u202egnp.exe=c", "\u202egnp.exe"),
        ("queries", "untag", "--collection", "NULL", "\u202egnp.exe", "\u202egnp.exe"),
        *(
            ("export", *what, "-m", "AP", "--format", shape)
            for what in (
                ("comparison", "\u202egnp.exe", "\u202egnp.exe"),
                ("leaderboard", "\u202egnp.exe"),
            )
            for shape in ("markdown", "latex")
        ),
        ("runs", "baseline", "\u202egnp.exe"),
        ("runs", "baseline"),
        ("leaderboard", "\u202egnp.exe", "-m", "AP"),
        ("history", "\u202egnp.exe", "-m", "AP"),
        ("experiments",),
        ("experiments", "edit", "\u202egnp.exe", "--question", "\u202egnp.exe"),
        ("experiments", "show", "\u202egnp.exe", "-m", "AP"),
        ("runs", "baseline", "--unset", "--collection", "\u202egnp.exe"),
    ],
)
def test_no_name_reaches_a_terminal_as_a_command_to_it(
    filled: Program, arguments: tuple[str, ...]
) -> None:
    done = filled(*arguments)
    assert "gnp.exe" in done.output
    assert list(raw_output_dangers(done.output)) == []


def test_a_table_has_a_line_a_row_whatever_the_names(filled: Program) -> None:
    assert len(filled("runs").stdout.splitlines()) == 1 + len(HOSTILE)


@pytest.mark.parametrize("column", ["collection", "engine", "run", "experiment"])
def test_csv_and_json_give_names_back_as_they_are(filled: Program, column: str) -> None:
    asked = f"SELECT DISTINCT {column} FROM leaderboard"
    rows = csv.reader(io.StringIO(filled("sql", asked, "--format", "csv").stdout))
    assert {row[0] for row in rows} == {column, *HOSTILE}
    objects = json.loads(filled("sql", asked, "--format", "json").stdout)
    assert {row[column] for row in objects} == set(HOSTILE)


def test_a_carriage_return_is_a_part_of_its_cell_in_csv(filled: Program) -> None:
    done = filled("sql", "SELECT 'a' || char(13) || 'b' AS x, 1 AS y", "--format", "csv")
    stream = io.StringIO(done.stdout_bytes.decode(), newline="")
    assert list(csv.reader(stream)) == [["x", "y"], ["a\rb", "1"]]


def test_evaluate_gives_query_ids_back_as_they_are(filled: Program) -> None:
    asked = ("evaluate", "hostile.qrels", "0.run", "-m", "AP", "-q", "--format")
    expected = sorted(QIDS, key=str.encode)
    lines = filled(*asked, "trec").stdout.split("\n")
    assert [line.split("\t")[1] for line in lines[:-2]] == expected
    rows = list(csv.reader(io.StringIO(filled(*asked, "csv").stdout)))
    assert [row[0] for row in rows[1:-1]] == expected
    assert list(json.loads(filled(*asked, "json").stdout)["0"]["queries"]) == expected


@pytest.mark.parametrize("name", FILE_NAMES, ids=range(len(FILE_NAMES)))
@pytest.mark.parametrize("shape", ["table", "trec", "csv", "json"])
def test_a_file_name_can_not_command_a_terminal(
    program: Program, folder: Path, name: str, shape: str
) -> None:
    qrels = write_qrels(folder)
    good = write_run(folder, {"q1": ["d1"]}, name)
    plain = write_run(folder, {"q1": ["d1"]}, "plain.run")
    asked = ("evaluate", qrels, good, plain, "-m", "AP", "--format")
    done = program(*asked, shape)
    tabs = "\t" if shape == "trec" else ""
    assert [c for c in raw_output_dangers(done.output) if c not in tabs] == []
    lines = {"table": 2, "trec": 2, "csv": 3}
    if shape in lines:
        assert len(done.stdout.splitlines()) == lines[shape]


@pytest.mark.parametrize("name", FILE_NAMES, ids=range(len(FILE_NAMES)))
def test_an_error_about_a_file_is_one_harmless_line(
    program: Program, folder: Path, name: str
) -> None:
    qrels, bad = write_qrels(folder), write(folder / name, f"q1 Q0 d1{ESCAPE}\u202e 1 nan t\n")
    done = program("evaluate", qrels, bad, status=1)
    assert len(done.stderr.splitlines()) == 1
    assert list(raw_output_dangers(done.stderr)) == []
    done = program("ingest", "--collection", "c", "--qrels", qrels, bad, status=1)
    assert list(raw_output_dangers(done.output)) == []
    assert len(done.stderr.splitlines()) == 2  # the progress, and why it failed


def test_an_error_shows_ids_without_their_control_characters(
    program: Program, folder: Path
) -> None:
    qrels = write_qrels(folder)
    twice = write(folder / "twice.run", "q\u202e Q0 d\u200f 1 9 t\n" * 2)
    done = program("evaluate", qrels, twice, status=1)
    assert "retrieved twice" in done.stderr
    assert list(raw_output_dangers(done.stderr)) == []


def test_what_a_database_says_of_a_statement_is_harmless(filled: Program) -> None:
    done = filled("sql", f"SELECT * FROM 'a{ESCAPE}b'", status=1)
    assert len(done.stderr.splitlines()) == 1
    assert list(raw_output_dangers(done.stderr)) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 🦉 שלום", "plain ü 🦉 שלום"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\x9bb", "a\\x9bb"),
        ("a\rb\tc\bd", "a\\rb\\tc\\x08d"),
        ("a\nb", "a\\nb"),
        ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
        ("a\ud800b", "a\\ud800b"),
        ("a\ufeffb", "a\\ufeffb"),
    ],
)
def test_what_can_move_a_cursor_is_shown_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown
