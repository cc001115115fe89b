"""The commands over a store: runs, measures, measure, export, sql and db."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from samples import BM25, TFIDF, Program, add, write_qrels, write_run
from sqlalchemy import text

from evalstore.store import Store, schema


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs, and a store that has them in `test` and one of them in `other`."""
    place = tmp_path_factory.mktemp("template")
    qrels, bm25 = write_qrels(place), write_run(place, BM25, "bm25.run")
    tfidf = write_run(place, TFIDF, "tfidf.run", "tfidf")
    with Store.open(f"sqlite:///{place / 'evalstore.db'}") as store:
        add(store, place, bm25, qrels=qrels, experiment="june")
        add(store, place, tfidf, qrels=qrels)
        add(store, place, bm25, qrels=qrels, collection="other")
    return place


@pytest.fixture
def filled(program: Program, folder: Path, template: Path) -> Program:
    """The program in a copy of that folder."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    return program


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# --- runs --------------------------------------------------------------------------------------


def test_runs_lists_every_run_with_its_figures(filled: Program) -> None:
    header, *lines = filled("runs").stdout.splitlines()
    assert header.split() == [
        *("id", "collection", "engine", "run", "experiment", "date", "queries", "answered"),
        *("AP", "nDCG@10", "P@10", "Rprec"),
    ]
    assert [line.split()[1:4] for line in lines] == [
        ["other", "bm25", "bm25"],
        ["test", "bm25", "bm25"],
        ["test", "tfidf", "tfidf"],
    ]
    assert "0.7778" in lines[1]


def test_runs_of_a_collection_with_chosen_measures(filled: Program) -> None:
    asked = ("runs", "--collection", "test", "-m", "map", "-m", "P_5")
    header, *rows = rows_of(filled(*asked, "--format", "csv").stdout)
    assert header[-2:] == ["AP", "P@5"]
    assert [row[2] for row in rows] == ["bm25", "tfidf"]
    assert float(rows[0][-2]) == pytest.approx(7 / 9)


def test_runs_as_json_are_proper_json(filled: Program) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    asked = filled("runs", "--collection", "test", "-m", "P@7", "--format", "json")
    runs = json.loads(asked.stdout, parse_constant=refuse)
    assert [run["experiment"] for run in runs] == ["june", None]


def test_runs_of_an_empty_store_says_what_to_do_next(program: Program) -> None:
    Store.open("evalstore.db").close()
    message = program("runs").stdout
    assert "no runs yet" in message
    assert "evalstore ingest" in message
    assert "evalstore demo" in message


@pytest.mark.parametrize(
    "arguments",
    [
        ("runs", "--collection", "nowhere"),
        ("runs", "--collection", "test", "--qrels", "nothing"),
        ("runs", "-m", "nonsense"),
        ("reevaluate", "-m", "P@7", "nothing"),
        ("export", "run", "nothing"),
        ("measures", "nonsense"),
        ("runs", "--collection", "\udcff"),
        ("export", "run", "99999999999999999999"),
        ("reevaluate", "-m", "P@7", "99999999999999999999"),
    ],
)
def test_what_is_not_there_is_one_line_and_status_1(
    filled: Program, arguments: tuple[str, ...]
) -> None:
    done = filled(*arguments, status=1)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


# --- measures ----------------------------------------------------------------------------------


def test_measures_lists_all_of_them(program: Program) -> None:
    from evalstore.measures import registry

    output = program("measures").stdout
    assert all(name in output for name in registry())


@pytest.mark.parametrize("name", ["nDCG", "nDCG@10", "map", "P_5"])
def test_a_measure_is_explained(program: Program, name: str) -> None:
    from evalstore.measures import registry

    output = " ".join(program("measures", name).stdout.split())
    described = {"nDCG": "nDCG", "nDCG@10": "nDCG", "map": "AP", "P_5": "P"}[name]
    assert registry()[described].title in output
    assert registry()[described].summary in output


def test_measures_need_no_database(program: Program) -> None:
    program("measures")
    assert not Path("evalstore.db").exists()


# --- measure and export ------------------------------------------------------------------------


def test_measure_computes_further_measures_from_the_store_alone(
    filled: Program, folder: Path
) -> None:
    for file in folder.glob("*.run"):
        file.unlink()
    filled("reevaluate", "-m", "P@7", "--collection", "test")
    stored = "SELECT DISTINCT collection FROM leaderboard WHERE measure = 'P@7'"
    assert rows_of(filled("sql", stored, "--format", "csv").stdout)[1:] == [["test"]]
    rows = rows_of(filled("runs", "-m", "P@7", "--format", "csv").stdout)
    assert [float(row[-1]) for row in rows[2:]] == pytest.approx([5 / 21, 4 / 21])
    again = filled("reevaluate", "-m", "P@7", "--collection", "test").stdout
    assert again.count("nothing new") == 2


def test_an_exported_run_is_the_run_that_was_ingested(filled: Program, folder: Path) -> None:
    exported = filled("export", "run", "tfidf", "-o", "copy.run")
    assert exported.stdout == ""
    asked = ("ingest", "--collection", "test", "--qrels", "test.qrels", "copy.run")
    assert filled(*asked).stdout == "stored          copy  (same rankings as tfidf)\n"


def test_a_run_that_several_collections_have_must_be_told_apart(filled: Program) -> None:
    done = filled("export", "run", "bm25", status=1)
    assert len(done.stderr.splitlines()) == 1
    exported = filled("export", "run", "bm25", "--collection", "other").stdout
    assert len(exported.splitlines()) == 7


# --- sql ---------------------------------------------------------------------------------------

ASKED = "SELECT run, value FROM leaderboard WHERE measure = 'AP' AND collection = 'test'"


def test_sql_prints_a_table(filled: Program) -> None:
    lines = filled("sql", f"{ASKED} ORDER BY run").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["run", "value"],
        ["bm25", "0.7778"],
        ["tfidf", "0.6944"],
    ]


def test_sql_as_csv_and_json_has_every_digit(filled: Program) -> None:
    (value,) = (
        float(row[1]) for row in rows_of(filled("sql", ASKED, "--format", "csv").stdout)[1:2]
    )
    rows = json.loads(filled("sql", ASKED, "--format", "json").stdout)
    assert rows[0] == {"run": "bm25", "value": value}
    assert value == pytest.approx(7 / 9, abs=1e-15)


def test_sql_reads_the_statement_from_standard_input(filled: Program) -> None:
    assert filled("sql", "-", "--format", "csv", given="SELECT 1 AS one\n").stdout == "one\n1\n"


def test_sql_cuts_a_table_at_1000_rows_and_says_so(filled: Program) -> None:
    asked = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500) SELECT i FROM n"
    )
    done = filled("sql", asked)
    assert len(done.stdout.splitlines()) == 1001
    assert done.stderr == "warning: cut after 1,000 rows: raise --limit\n"
    assert len(filled("sql", asked, "--format", "csv").stdout.splitlines()) == 1501
    assert len(filled("sql", asked, "--limit", "5", "--format", "csv").stdout.splitlines()) == 6


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM run", "SELECT * FROM nowhere", "", "SELECT 1; SELECT 2", "ATTACH 'x' AS y"],
)
def test_sql_that_is_no_question_is_one_line_and_status_1(filled: Program, statement: str) -> None:
    done = filled("sql", statement, status=1)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert len(filled("runs").stdout.splitlines()) == 4


def test_sql_stops_after_the_timeout(filled: Program) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
    done = filled("sql", endless, "--timeout", "0.2", status=1)
    assert "stopped after 0.2 seconds" in done.stderr


def test_an_answer_without_rows_is_its_header(filled: Program) -> None:
    asked = ("sql", "SELECT run, value FROM leaderboard WHERE run = 'nothing'")
    assert filled(*asked).stdout.split() == ["run", "value"]
    assert filled(*asked, "--format", "csv").stdout == "run,value\n"
    assert json.loads(filled(*asked, "--format", "json").stdout) == []


# --- db ----------------------------------------------------------------------------------------


def test_db_upgrade_makes_a_database_and_again_says_it_is_there(program: Program) -> None:
    assert program("db", "upgrade").stdout == (
        f"sqlite:///evalstore.db: schema none -> {schema.HEAD}\n"
    )
    assert program("db", "upgrade").stdout == (
        f"sqlite:///evalstore.db is at schema {schema.HEAD} already\n"
    )


def test_db_current_says_the_schema_and_makes_nothing(program: Program) -> None:
    assert "none yet" in program("db", "current").stdout
    assert not Path("evalstore.db").exists()
    program("db", "upgrade")
    assert f"schema {schema.HEAD}" in program("db", "current").stdout


def test_every_command_refuses_a_newer_store_in_one_line(filled: Program) -> None:
    with Store.open("sqlite:///evalstore.db") as store, store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for arguments in (
        ("runs",),
        ("sql", "SELECT 1"),
        ("db", "upgrade"),
        ("reevaluate", "-m", "P@7"),
        ("export", "run", "tfidf"),
        ("ingest", "--collection", "test", "bm25.run"),
        ("demo", "--no-serve"),
    ):
        done = filled(*arguments, status=1)
        (line,) = done.stderr.splitlines()
        assert "install a newer evalstore" in line
    assert "9999" in filled("db", "current").stdout


def test_a_command_that_is_not_there_is_status_2(program: Program) -> None:
    assert "No such command" in program("nonsense", status=2).stderr
    assert "Usage:" in program("db", "nonsense", status=2).stderr
