"""The tables of the server are read by no SQL of users, however the statement names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from postgres import Server

from evalstore.errors import DataError
from evalstore.sql.ask import ask, reader_script
from evalstore.store import Store, models
from evalstore.store.access.accounts import add_account
from evalstore.store.dialects import HIDDEN_TABLES

SECRET = "$argon2id$very-secret"

WAYS = {
    "by name": "SELECT password_hash FROM server_account",
    "in other letters": "SELECT password_hash FROM SERVER_Account",
    "in quotes": 'SELECT password_hash FROM "server_account"',
    "counted": "SELECT count(*) FROM server_account",
    "whether there is a row": "SELECT EXISTS (SELECT 1 FROM server_account)",
    "in a subquery": "SELECT (SELECT max(password_hash) FROM server_account)",
    "joined": "SELECT a.name FROM engine LEFT JOIN server_account a ON true",
    "in a common table expression": "WITH a AS (SELECT * FROM server_account) SELECT * FROM a",
    "in a condition": "SELECT 1 FROM engine WHERE EXISTS (SELECT 1 FROM server_account)",
    "after a union": "SELECT name FROM engine UNION ALL SELECT password_hash FROM server_account",
    "in a condition that is never true": "SELECT 1 FROM server_account WHERE 1 = 0",
}
OF_SQLITE = {
    "with its schema": "SELECT password_hash FROM main.server_account",
    "in brackets": "SELECT password_hash FROM [server_account]",
    "in backquotes": "SELECT password_hash FROM `server_account`",
    "its pages": "SELECT data FROM sqlite_dbpage",
    "the sizes of its pages": "SELECT payload FROM dbstat WHERE name = 'server_account'",
    "its statistics": "SELECT * FROM sqlite_stat4",
}
OF_POSTGRES = {
    "with its schema": "SELECT password_hash FROM public.server_account",
    "only": "SELECT password_hash FROM ONLY server_account",
    "as a command": "TABLE server_account",
    "its statistics": "SELECT histogram_bounds FROM pg_stats WHERE tablename = 'server_account'",
    "its statistics of several columns": "SELECT * FROM pg_stats_ext",
    "by codes": 'SELECT * FROM U&"server\\005faccount"',
    "as XML": "SELECT query_to_xml('SELECT * FROM server_account', true, true, '')",
    "the table as XML": "SELECT table_to_xml('server_account', true, true, '')",
    "within a lateral": "SELECT s.* FROM engine, LATERAL (SELECT * FROM server_account) s",
}
CASES = [
    *(pytest.param("sqlite", sql, id=f"sqlite {name}") for name, sql in (WAYS | OF_SQLITE).items()),
    *(
        pytest.param("postgres", sql, id=f"postgres {name}", marks=pytest.mark.postgres)
        for name, sql in (WAYS | OF_POSTGRES).items()
    ),
]


@pytest.fixture(scope="module")
def store_of(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Store]]:
    """Gives a store on a database, with an account."""
    stores: dict[str, Store] = {}

    def give(database: str) -> Store:
        if database not in stores:
            if database == "postgres":
                server: Server = request.getfixturevalue("postgres")
                url = server.new_store()
            else:
                url = f"sqlite:///{tmp_path_factory.mktemp('hidden') / 'store.db'}"
            stores[database] = Store.open(url)
            with stores[database].write() as connection:
                add_account(connection, "ann", "person", SECRET, datetime.now(UTC))
                connection.exec_driver_sql("INSERT INTO engine (name) VALUES ('one')")
                connection.exec_driver_sql("ANALYZE")
        return stores[database]

    yield give
    for store in stores.values():
        store.close()


@pytest.mark.parametrize(("database", "sql"), CASES)
def test_a_table_of_the_server_is_refused(
    store_of: Callable[[str], Store], database: str, sql: str
) -> None:
    with pytest.raises(DataError) as caught:
        ask(store_of(database), sql)
    assert "very-secret" not in str(caught.value)
    assert "ann" not in str(caught.value)


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def test_its_name_as_text_is_no_read_of_it(store_of: Callable[[str], Store], database: str) -> None:
    answer = ask(store_of(database), "SELECT name, 'server_account' FROM engine")
    assert answer.rows == [("one", "server_account")]


def test_every_table_with_a_secret_has_a_name_that_hides_it() -> None:
    """Which columns hold a secret is told by their names; a new one needs such a table too."""
    columns = {"password_hash", "hash", "issuer", "name_hash", "payload"}
    tables = models.Base.metadata.tables.values()
    secret = {table.name for table in tables if columns & set(table.c.keys())}
    assert len(secret) >= 6
    assert {name for name in secret if not name.startswith(HIDDEN_TABLES)} == set()


def test_a_role_that_reads_the_store_has_no_right_to_them() -> None:
    assert HIDDEN_TABLES not in reader_script("postgresql://localhost/one", "reader")
