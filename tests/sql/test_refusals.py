"""What `evalstore sql` must not do is refused by the database, on both, and leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import dump

from evalstore.errors import DataError, StoreError
from evalstore.sql.ask import LONGEST_STATEMENT, Limits, ask, asking
from evalstore.store import Store, models, schema

pytestmark = pytest.mark.slow  # statements run until they are stopped

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"

WRITES = (
    "INSERT INTO engine (name) VALUES ('mine')",
    "INSERT INTO engine (name) SELECT 'mine' RETURNING id",
    "UPDATE run SET name = 'mine'",
    "DELETE FROM run",
    "DELETE FROM leaderboard",
    "WITH gone AS (DELETE FROM run RETURNING id) SELECT * FROM gone",
    "SELECT * INTO mine FROM run",
    "CREATE TABLE mine AS SELECT * FROM run",
    "CREATE TEMPORARY TABLE mine (i INTEGER)",
    "CREATE TRIGGER mine AFTER INSERT ON run BEGIN DELETE FROM run; END",
    "CREATE VIEW mine AS SELECT 1",
    "DROP VIEW leaderboard",
    "ALTER TABLE run RENAME TO mine",
    "TRUNCATE run",
    "REPLACE INTO engine (id, name) VALUES (1, 'mine')",
    "VACUUM",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT mine",
    "PREPARE mine AS DELETE FROM run",
    "EXPLAIN DELETE FROM run",
)
STACKED = (
    "SELECT 1; SELECT 2",
    "SELECT 1; DELETE FROM run",
    "SELECT 1; COMMIT; DROP TABLE run; --",
    "SELECT 1;; DELETE FROM run",
    "SELECT 1 /* ; */; DELETE FROM run",
    "SELECT ';'; DELETE FROM run -- '",
)
FILES_AND_SETTINGS = {
    "sqlite": (
        "ATTACH '{folder}/stolen' AS stolen",
        "ATTACH ':memory:' AS stolen",
        "DETACH main",
        "VACUUM INTO '{folder}/stolen'",
        "SELECT readfile('{secret}')",
        "SELECT writefile('{folder}/stolen', 'x')",
        "SELECT load_extension('{secret}')",
        "SELECT edit('x')",
        "SELECT * FROM fsdir('{folder}')",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA query_only = 0",
        "PRAGMA writable_schema = 1",
        "SELECT * FROM pragma_database_list",
        "CREATE VIRTUAL TABLE mine USING csv(filename = '{secret}')",
    ),
    "postgres": (
        "COPY run TO '{folder}/stolen'",
        "COPY (SELECT 1) TO PROGRAM 'touch {folder}/stolen'",
        "COPY engine (name) FROM '{secret}'",
        "SELECT pg_read_file('{secret}')",
        "SELECT \"pg_read_file\"('{secret}')",
        "SELECT pg_catalog.pg_read_file/**/('{secret}')",
        "SELECT U&\"pg\\005fread_file\"('{secret}')",
        "SELECT pg_read_binary_file('{secret}')",
        "SELECT * FROM pg_ls_dir('{folder}')",
        "SELECT pg_stat_file('{secret}')",
        "SELECT lo_import('{secret}')",
        "SELECT lo_export(1, '{folder}/stolen')",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT * FROM pg_hba_file_rules",
        "SELECT rolpassword FROM pg_authid",
        "SELECT passwd FROM pg_shadow",
        "SELECT table_to_xml('pg_' || 'authid', true, true, '')",
        "SELECT query_to_xml('DELETE FROM run', true, true, '')",
        "SELECT * FROM ts_stat('SELECT set_' || 'config(''role'', ''none'', true)')",
        "SELECT * FROM dblink('dbname=one', 'DELETE FROM run')",
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('role', 'none', false)",
        "VALUES (set_config('role', 'none', false))",
        "SELECT $a$x$a$set_config('role', 'none', false)",
        "SELECT 1 LIMIT length(set_config('role', 'none', false))",
        "SELECT count(*) OVER (ROWS length(set_config('role', 'none', false)) PRECEDING) FROM run",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "SELECT pg_reload_conf()",
        "SELECT nextval('run_id_seq')",
        "SELECT setval('run_id_seq', 1)",
        "SELECT pg_notify('mine', 'x')",
        "SELECT * FROM run FOR UPDATE",
        "SET ROLE postgres",
        "SET statement_timeout = 0",
        "SET TRANSACTION READ WRITE",
        "RESET ROLE",
        "SHOW data_directory",
        "LOCK TABLE run",
        "LISTEN mine",
        "DO $$ BEGIN DELETE FROM run; END $$",
        "CALL mine()",
        "EXPLAIN ANALYZE DELETE FROM run",
    ),
}


def refused(store: Store, sql: str, limits: Limits | None = None) -> str:
    """The one line that refuses a statement, which changed nothing of the small store."""
    with pytest.raises(DataError) as caught:
        ask(store, sql, limits)
    message = str(caught.value)
    assert message.startswith("SQL: ")
    assert "\n" not in message
    tables = dump(store)
    assert set(tables) == {*models.Base.metadata.tables, schema.VERSIONS}
    assert {name: rows for name, rows in tables.items() if rows} == {
        "engine": [(1, "a"), (2, "b")],
        schema.VERSIONS: [(schema.HEAD,)],
    }
    return message


@pytest.fixture(scope="module")
def small(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Store]:
    """Gives a store of two engines, without runs."""
    stores: dict[str, Store] = {}

    def give(database: str) -> Store:
        if database not in stores:
            if database == "postgres":
                url = request.getfixturevalue("postgres").new_store()
            else:
                url = f"sqlite:///{tmp_path_factory.mktemp('small') / 'store.db'}"
            stores[database] = Store.open(url)
            with stores[database].write() as connection:
                connection.exec_driver_sql("INSERT INTO engine (name) VALUES ('a'), ('b')")
            request.addfinalizer(stores[database].close)
        return stores[database]

    return give


@pytest.fixture(params=("sqlite", "postgres"))
def store(request: pytest.FixtureRequest, small: Callable[[str], Store]) -> Store:
    """The small store, on each database in turn."""
    return small(request.param)


@pytest.mark.parametrize("sql", WRITES)
def test_what_writes_is_refused(store: Store, sql: str) -> None:
    refused(store, sql)


@pytest.mark.parametrize("sql", STACKED)
def test_a_second_statement_is_refused(store: Store, sql: str) -> None:
    refused(store, sql)


@pytest.mark.parametrize(
    ("database", "sql"),
    [(name, sql) for name, all_of in FILES_AND_SETTINGS.items() for sql in all_of],
)
def test_files_settings_and_other_sessions_are_out_of_reach(
    small: Callable[[str], Store], tmp_path: Path, database: str, sql: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("very secret")
    tmp_path.chmod(0o777)
    asked = sql.replace("{folder}", str(tmp_path)).replace("{secret}", str(secret))
    assert "very secret" not in refused(small(database), asked)
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize(
    "sql",
    [
        ENDLESS.format("count(*)"),
        f"SELECT count(*) FROM ({ENDLESS.format('i')}) AS a, ({ENDLESS.format('i')}) AS b",
        f"SELECT max(i) FROM ({ENDLESS.format('i')} ORDER BY 1 DESC) AS a",
    ],
)
def test_what_runs_for_ever_is_stopped(store: Store, sql: str) -> None:
    message = refused(store, sql, Limits(seconds=0.3))
    assert message == "SQL: stopped after 0.3 seconds"


def test_a_sleep_is_stopped(small: Callable[[str], Store]) -> None:
    assert "stopped after" in refused(small("postgres"), "SELECT pg_sleep(60)", Limits(seconds=0.3))


@pytest.mark.parametrize("sql", [ENDLESS.format("i"), ENDLESS.format("'0123456789abcdef'")])
def test_rows_without_end_are_cut_and_the_next_question_is_answered(store: Store, sql: str) -> None:
    assert ask(store, sql, Limits(rows=10)).cut == "cut after 10 rows"
    answer = ask(store, sql, Limits(bytes=1000))
    assert answer.cut == "cut after 1,000 bytes"
    assert len(answer.rows) < 1000
    assert ask(store, "SELECT count(*) FROM engine").rows == [(2,)]


@pytest.mark.parametrize(
    "sql", ["SELECT 1;", "SELECT 1 -- ; DELETE", "/* ; */ SELECT 1 ; -- end\n"]
)
def test_comments_and_a_last_semicolon_are_fine(store: Store, sql: str) -> None:
    assert ask(store, sql).rows == [(1,)]


@pytest.mark.parametrize("name", ["set_config", "pg_read_file", "DELETE FROM run; --"])
def test_on_sqlite_a_string_is_a_string(small: Callable[[str], Store], name: str) -> None:
    assert ask(small("sqlite"), f"SELECT '{name}'").rows == [(name,)]


def test_a_superuser_asks_as_one_who_can_only_read(small: Callable[[str], Store]) -> None:
    (row,) = ask(
        small("postgres"), "SELECT current_user, current_setting('transaction_read_only')"
    ).rows
    assert row == ("pg_read_all_data", "on")


def test_a_question_leaves_nothing_in_the_pool(store: Store) -> None:
    ask(store, "SELECT 1")
    with store.write() as connection:
        connection.exec_driver_sql("INSERT INTO engine (name) VALUES ('c')")
        connection.exec_driver_sql("DELETE FROM engine WHERE name = 'c'")


@pytest.mark.parametrize("sql", ["SELECT '\udc80'", "SELECT 1\0", "SELECT '\x00'"])
def test_what_is_no_text_is_refused(store: Store, sql: str) -> None:
    refused(store, sql)


def test_numbers_are_the_same_kind_on_both_databases(store: Store) -> None:
    (row,) = ask(
        store, "SELECT count(*), sum(id), avg(id), sum(id * 0.5), max(id) / 2 FROM engine"
    ).rows
    assert row == (2, 3, 1.5, 1.5, 1)
    assert [type(value) for value in row] == [int, int, float, float, int]


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match="there is no store at"),
        asking(f"sqlite:///{tmp_path / 'x.db'}"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["", "CREATE TABLE mine (i INTEGER)"])
def test_a_database_that_is_no_store_is_said_to_be_none(
    tmp_path: Path, content: str, request: pytest.FixtureRequest
) -> None:
    import sqlite3

    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (i INTEGER)")
        connection.execute(content or "SELECT 1")
    connection.close()
    before = path.read_bytes()
    urls = [f"sqlite:///{path}", request.getfixturevalue("postgres").new_database()]
    for url in urls:
        with pytest.raises(StoreError, match="there is no store at"), asking(url):
            pass
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["other.db"]


def test_a_statement_has_a_length(small: Callable[[str], Store]) -> None:
    nested = "/*" * LONGEST_STATEMENT + " SELECT 1"
    with pytest.raises(DataError, match="the statement has 200,009 characters, of 100,000 at most"):
        ask(small("sqlite"), nested)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT hex(zeroblob(30000000)) AS a", "string or blob too big"),
        (f"SELECT {', '.join(['hex(zeroblob(1000000))'] * 101)}", "too many columns in result"),
    ],
)
def test_a_row_that_would_fill_the_memory_is_refused_on_sqlite(
    small: Callable[[str], Store], statement: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        ask(small("sqlite"), statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "SELECT string_agg(repeat('a', 1000000), '') AS a FROM generate_series(1, 9)",
            "a value of more than 2 MiB",
        ),
        ("SELECT 1, decode(repeat('00', 2097153), 'hex'); -- x", "a value of more than 2 MiB"),
        ("SELECT array_agg(x) FROM generate_series(1, 600000) AS x", "a value of more than 2 MiB"),
        (f"SELECT {', '.join(['1'] * 101)}", "more than 100 columns"),
    ],
)
def test_a_row_that_would_fill_the_memory_is_refused_on_postgres(
    small: Callable[[str], Store], statement: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        ask(small("postgres"), statement)


@pytest.mark.parametrize(
    ("statement", "rows"),
    [
        ("SELECT ';' AS a, 1, 1; -- a comment; that goes on", [(";", 1, 1)]),
        ("SELECT 2 AS x /* ; */ ;;", [(2,)]),
        ("VALUES (1, 'a'), (2, NULL)", [(1, "a"), (2, None)]),
        ("WITH t AS (SELECT 3 AS a) SELECT a, a FROM t ORDER BY 1 LIMIT 1 OFFSET 0", [(3, 3)]),
        ("SELECT length(a) FROM (SELECT repeat('a', 2097152) AS a) AS t", [(2097152,)]),
        ("SELECT g FROM generate_series(1, 3) AS g ORDER BY g DESC -- last", [(3,), (2,), (1,)]),
    ],
)
def test_a_statement_of_any_form_is_bounded_on_postgres(
    small: Callable[[str], Store], statement: str, rows: list[tuple[Any, ...]]
) -> None:
    assert ask(small("postgres"), statement).rows == rows


@pytest.mark.parametrize("function", ["json_each", "json_tree"])
def test_functions_of_json_read_the_parameters_on_sqlite(
    small: Callable[[str], Store], function: str
) -> None:
    store = small("sqlite")
    assert ask(store, f"SELECT count(*) FROM {function}('[1, 2]')").rows[0][0] >= 2
    statement = f"SELECT run.name, part.key FROM run, {function}(run.parameters) AS part"
    for reader in (store, store.restricted_to([1])):
        ask(reader, statement)
