"""Only SQLite: where a store may be, which files are refused, and the limits of users' SQL."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import add, dump, write_run

from evalstore.errors import DataError, StoreError
from evalstore.sql.ask import Limits, ask
from evalstore.store import Store


def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """As in conftest.py, but only here and always SQLite."""
    return lambda: url(tmp_path_factory.mktemp("sqlite") / "store.db")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder: name a file in it"):
        Store.open(url(tmp_path))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no folder .*nowhere"):
        Store.open(url(tmp_path / "nowhere" / "store.db"))
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", [b"q1 Q0 d1 1 9 t\n", b"SQLite", b"\0" * 4096])
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is no SQLite database: name another file"):
        Store.open(url(path))
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["store.db"]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    with Store.open(url(path)) as store:
        assert "run" in dump(store)


def test_a_damaged_store_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(StoreError, match=r"store\.db") as caught:
        Store.open(url(path))
    assert "\n" not in str(caught.value)


def test_the_sqlite_file_of_another_program_is_left_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "accounts.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE accounts (balance INTEGER)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="no evalstore database"):
        Store.open(url(path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["accounts.db"]


@pytest.mark.parametrize("name", ["with space.db", "per%20cent.db", "käse?.db", "a#b.db", "'.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    from sqlalchemy import URL

    address = URL.create("sqlite", database=str(tmp_path / name)).render_as_string()
    with Store.open(address) as store:
        add(store, tmp_path, write_run(tmp_path))
        assert ask(store, "SELECT name FROM run").rows == [("bm25",)]
    assert (tmp_path / name).exists()


def test_a_reader_sees_one_state_while_another_writes(store: Store, tmp_path: Path) -> None:
    count = "SELECT count(*) FROM run"
    add(store, tmp_path, write_run(tmp_path))
    with store.read() as reader:
        assert reader.exec_driver_sql(count).scalar() == 1
        add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "second.run"))
        assert reader.exec_driver_sql(count).scalar() == 1
    with store.read() as reader:
        assert reader.exec_driver_sql(count).scalar() == 2


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH DATABASE '{folder}/stolen.db' AS stolen",
        "ATTACH DATABASE ':memory:' AS memory",
        "DETACH DATABASE main",
        "VACUUM INTO '{folder}/stolen.db'",
        "PRAGMA writable_schema = 1",
        "PRAGMA user_version",
        "PRAGMA journal_mode = DELETE",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('libc.so.6')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('{folder}/stolen.db', 'x')",
        "SELECT fts3_tokenizer('simple')",
        "CREATE VIRTUAL TABLE mine USING fts5(text)",
        "SAVEPOINT mine",
    ],
)
def test_sql_reaches_neither_files_nor_settings(shared: Store, tmp_path: Path, sql: str) -> None:
    before, files = dump(shared), {p.name for p in tmp_path.iterdir()}
    with pytest.raises(DataError, match=r"^SQL: "):
        ask(shared, sql.format(folder=tmp_path))
    assert dump(shared) == before
    assert {p.name for p in tmp_path.iterdir()} == files


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT zeroblob(1000000000)",
        "SELECT hex(zeroblob(60000000))",
        "SELECT replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))",
        "WITH RECURSIVE t(x) AS (SELECT 'xx' UNION ALL SELECT x || x FROM t) SELECT x FROM t",
    ],
)
def test_a_huge_value_is_refused_or_cut(shared: Store, sql: str) -> None:
    message = ""
    try:
        message = ask(shared, sql, Limits(seconds=10, bytes=1 << 20)).cut or ""
    except DataError as error:
        message = str(error)
    assert message.startswith(("SQL: ", "cut after 1 MiB"))


@pytest.mark.slow
def test_a_store_opened_twice_sees_what_another_process_wrote(tmp_path: Path) -> None:
    """The other process must not take itself for the last one, and delete the write-ahead log."""
    path = tmp_path / "store.db"
    with Store.open(url(path)) as store, Store.open(url(path)) as second:
        add(store, tmp_path, write_run(tmp_path))
        with Store.open(url(path)):  # looks at the file once more, while the log is in use
            pass
        open_and_close = "import sys, evalstore.store as s; s.Store.open(sys.argv[1]).close()"
        subprocess.run([sys.executable, "-c", open_and_close, url(path)], check=True)
        assert path.with_name("store.db-wal").exists()
        assert len(dump(second)["run"]) == 1
