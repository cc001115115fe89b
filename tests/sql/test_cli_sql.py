"""`evalstore sql`: where the statement comes from, and every form of the answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from samples import ESCAPE, raw_output_dangers

from evalstore.cli import cli
from evalstore.store import Store

CHECKOUT = Path(__file__).parents[2]
ASKED = "SELECT id, name FROM engine ORDER BY id"

IMPATIENT = """
from evalstore.cli import main
from evalstore.cli.commands import database

database.GRACE_SECONDS = 0.3
main()
"""
"""The program, which ends a question that goes on after its time sooner."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with a store of two engines, one with a name for terminals."""
    monkeypatch.chdir(tmp_path)
    with Store.open("sqlite:///evalstore.db") as store, store.write() as connection:
        connection.exec_driver_sql("INSERT INTO engine (name) VALUES ('a'), (?)", (f"b{ESCAPE}",))
    return tmp_path


def sql(*arguments: str, status: int = 0, given: bytes | None = None) -> Result:
    done = CliRunner().invoke(cli, ["sql", *arguments], input=given, catch_exceptions=False)
    assert done.exit_code == status, done.output
    if status == 1:
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
    return done


def test_a_statement_comes_as_an_argument_from_a_file_or_from_standard_input(folder: Path) -> None:
    (folder / "q.sql").write_text(f"\ufeff-- engines\n{ASKED};\n", encoding="utf-8")
    answers = {
        sql(ASKED, "--format", "csv").stdout,
        sql("--file", "q.sql", "--format", "csv").stdout,
        sql("-", "--format", "csv", given=ASKED.encode()).stdout,
    }
    assert answers == {f"id,name\n1,a\n2,b{ESCAPE}\n"}


@pytest.mark.parametrize("arguments", [[], [ASKED, "--file", "q.sql"], ["--file", "nowhere.sql"]])
def test_no_statement_or_two_are_status_2(folder: Path, arguments: list[str]) -> None:
    (folder / "q.sql").write_text(ASKED)
    sql(*arguments, status=2)


def test_a_file_that_is_no_text_is_one_line(folder: Path) -> None:
    (folder / "q.sql").write_bytes(b"SELECT '\xff'")
    assert "q.sql:1: not UTF-8" in sql("--file", "q.sql", status=1).stderr


def test_no_terminal_is_moved_by_what_a_store_holds(folder: Path) -> None:
    output = sql(f"{ASKED.replace('name', 'name AS ' + chr(34) + ESCAPE + chr(34))}").stdout
    assert not list(raw_output_dangers(output))
    assert "b\\x1b[31m" in output
    refused = sql(f'SELECT "{ESCAPE}" FROM nowhere', status=1)
    assert not list(raw_output_dangers(refused.stderr))


def test_parquet_keeps_types_and_every_digit(folder: Path) -> None:
    asked = "SELECT id, name, id / 3.0 AS third, NULL AS missing, x'00ff' AS raw FROM engine"
    sql(asked, "--format", "parquet", "-o", "engines.parquet")
    table = pq.read_table(folder / "engines.parquet")
    assert [str(field.type) for field in table.schema] == [
        *("int64", "string", "double", "null", "binary"),
    ]
    assert table.to_pylist()[0] == {
        **{"id": 1, "name": "a", "third": 1 / 3, "missing": None, "raw": b"\x00\xff"}
    }
    assert [path.name for path in folder.iterdir() if "engines" in path.name] == ["engines.parquet"]


def test_parquet_goes_to_standard_output_as_bytes(folder: Path) -> None:
    done = sql(ASKED, "--format", "parquet")
    (folder / "out").write_bytes(done.stdout_bytes)
    assert pq.read_table(folder / "out").num_rows == 2


def test_a_column_of_numbers_and_text_is_text_in_parquet(folder: Path) -> None:
    sql("SELECT 1 AS x UNION ALL SELECT 'a'", "--format", "parquet", "-o", "x")
    assert pq.read_table(folder / "x")["x"].to_pylist() == ["1", "a"]


def test_an_answer_without_rows_has_its_columns_in_every_format(folder: Path) -> None:
    asked = "SELECT id, name FROM engine WHERE id = 0"
    assert sql(asked).stdout.split() == ["id", "name"]
    assert sql(asked, "--format", "csv").stdout == "id,name\n"
    assert json.loads(sql(asked, "--format", "json").stdout) == []
    sql(asked, "--format", "parquet", "-o", "empty")
    assert pq.read_table(folder / "empty").column_names == ["id", "name"]


def test_columns_of_the_same_name_are_all_kept(folder: Path) -> None:
    asked = "SELECT 1 AS x, 2 AS x, 3 AS x_2"
    assert sql(asked, "--format", "csv").stdout == "x,x,x_2\n1,2,3\n"
    done = sql(asked, "--format", "json")
    assert json.loads(done.stdout) == [{"x": 1, "x_2": 2, "x_2_2": 3}]
    assert "told apart" in done.stderr
    sql(asked, "--format", "parquet", "-o", "x")
    assert pq.read_table(folder / "x").to_pylist() == [{"x": 1, "x_2": 2, "x_2_2": 3}]


def test_json_has_no_infinity(folder: Path) -> None:
    done = sql("SELECT 9e999 AS x", "--format", "json")
    assert json.loads(done.stdout, parse_constant=pytest.fail) == [{"x": "inf"}]


@pytest.mark.parametrize("shape", ["table", "csv", "json", "parquet"])
def test_a_file_gets_what_would_be_printed(folder: Path, shape: str) -> None:
    printed = sql(ASKED, "--format", shape).stdout_bytes
    (folder / "out").write_text("what was there before")
    assert sql(ASKED, "--format", shape, "-o", "out").stdout == ""
    assert (folder / "out").read_bytes() == printed


def test_a_question_that_fails_leaves_the_file_as_it_was(folder: Path) -> None:
    (folder / "out").write_text("before")
    sql("SELECT * FROM nowhere", "-o", "out", status=1)
    assert (folder / "out").read_text() == "before"
    assert "nowhere/out" in sql(ASKED, "-o", "nowhere/out", status=1).stderr


@pytest.mark.parametrize("name", ["evalstore.db", "./evalstore.db", "link"])
def test_the_answer_does_not_replace_the_store(folder: Path, name: str) -> None:
    (folder / "link").symlink_to("evalstore.db")
    assert "that is the store itself" in sql(ASKED, "-o", name, status=1).stderr
    assert sql(ASKED).stdout


def test_limits_cut_with_a_warning(folder: Path) -> None:
    done = sql(ASKED, "--limit", "1", "--format", "csv")
    assert done.stdout == "id,name\n1,a\n"
    assert done.stderr == "warning: cut after 1 rows: raise --limit\n"
    done = sql("SELECT 'xxxxxxxxxx' UNION ALL SELECT 'y'", "--answer-bytes", "5", "--format", "csv")
    assert "cut after 5 bytes: raise --answer-bytes" in done.stderr


def test_the_limits_stand_in_the_help() -> None:
    help_text = " ".join(sql("--help").stdout.split())
    for limit in ("default: 60", "default: 256M", "default: 1,000 in a table, all otherwise"):
        assert limit in help_text


def test_a_missing_database_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = sql("SELECT count(*) AS runs FROM run", status=1)
    assert "there is no store at sqlite:///evalstore.db" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_step_that_looks_at_no_clock_is_ended(folder: Path) -> None:
    """To find a text of millions of letters in another takes a single step, and hours."""
    long = "replace(hex(zeroblob({})), '0', 'a')"
    asked = f"SELECT instr({long.format(900_000)}, {long.format(450_000)} || 'b') AS x"
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, "sql", asked, "--timeout", "0.2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "SQL: stopped after 0.2 seconds: ask for less\n"


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to ask as somebody else")
@pytest.mark.parametrize("left", ["nothing", "changes"])
def test_a_store_in_a_folder_where_nobody_may_write_is_read(tmp_path: Path, left: str) -> None:
    """A database with a write-ahead log wants to make files beside it."""
    folder = Path("/tmp") / f"evalstore-read-only-{os.getpid()}"  # noqa: S108
    folder.mkdir()
    try:
        with Store.open(f"sqlite:///{tmp_path / 'evalstore.db'}") as store:
            with store.write() as connection:
                connection.exec_driver_sql("INSERT INTO engine (name) VALUES ('a')")
            shutil.copy(tmp_path / "evalstore.db", folder)
            if left == "changes":
                shutil.copy(tmp_path / "evalstore.db-wal", folder)
        if left == "nothing":
            shutil.copy(tmp_path / "evalstore.db", folder)
        folder.chmod(0o555)
        asked = f"""
import os
os.setuid(65534)
from evalstore.errors import StoreError
from evalstore.sql.ask import ask, asking
try:
    with asking("sqlite:///{folder}/evalstore.db") as store:
        print(ask(store, "SELECT name FROM engine").rows)
except StoreError as error:
    print(error)
"""
        preload = "import evalstore.sql.ask, evalstore.store.dialects, sqlalchemy.dialects.sqlite\n"
        done = subprocess.run(
            [sys.executable, "-c", preload + asked],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        expected = "[('a',)]" if left == "nothing" else "holds changes that can't be read"
        assert expected in done.stdout, done.stderr
        assert sorted(p.suffix for p in folder.iterdir())[0] == ".db"
    finally:
        shutil.rmtree(folder)
