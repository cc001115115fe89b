"""`evalstore db readonly-role`: a role that reads this store, and can do nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest
from click.testing import CliRunner
from postgres import Server
from sqlalchemy import make_url

from evalstore.cli import cli
from evalstore.errors import DataError, StoreError
from evalstore.sql.ask import ask, asking, reader_script
from evalstore.store import Store, models, views
from evalstore.store.dialects import HIDDEN_TABLES

pytestmark = pytest.mark.slow  # a server is started

READER = "Read \"only' -- ;"


def run(server: Server, url: str, script: str) -> None:
    """What psql would do with the script."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(script.encode())


@pytest.fixture(scope="module")
def as_reader(postgres: Server, opened: Callable[[str], Store]) -> Iterator[str]:
    """The URL of the filled store for the role that the script has made, run twice."""
    url = opened("postgres").engine.url.render_as_string(hide_password=False)
    script = reader_script(url, READER)
    run(postgres, url, script)
    run(postgres, url, script)
    yield make_url(url).set(username=READER).render_as_string(hide_password=False)
    run(postgres, url, f"DROP OWNED BY {quoted(READER)}; DROP ROLE {quoted(READER)}")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture
def session(as_reader: str) -> Iterator[psycopg.Connection]:
    """A session of that role that has taken off what can be taken off."""
    url = make_url(as_reader)
    where = {"host": url.host, **url.query, "user": url.username, "dbname": url.database}
    with psycopg.connect(autocommit=True, **where) as connection:
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
        assert connection.execute("SHOW statement_timeout").fetchone() == ("1min",)
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("SET statement_timeout = 0")
        yield connection


def test_it_reads_every_table_and_view(session: psycopg.Connection) -> None:
    tables = [name for name in models.Base.metadata.tables if not name.startswith(HIDDEN_TABLES)]
    names = [*tables, *(view.name for view in views.VIEWS)]
    for name in names:
        session.execute(f"SELECT count(*) FROM {name}")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO engine (name) VALUES ('mine')",
        "UPDATE run SET name = 'mine'",
        "DELETE FROM run",
        "TRUNCATE run",
        "CREATE TABLE mine (i INTEGER)",
        "CREATE TEMPORARY TABLE mine (i INTEGER)",
        "CREATE SCHEMA mine",
        "CREATE ROLE mine",
        "SELECT nextval('run_id_seq')",
        "SELECT lo_from_bytea(0, 'x'), lo_export(1, '/tmp/x')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_authid",
        "COPY run TO '/tmp/x'",
        "SET ROLE postgres",
        "ALTER TABLE run ADD COLUMN mine INTEGER",
        "DROP VIEW leaderboard",
    ],
)
def test_it_can_do_nothing_else(session: psycopg.Connection, sql: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute(sql)


def test_evalstore_sql_asks_as_that_role(as_reader: str) -> None:
    with asking(as_reader) as store:
        assert ask(store, "SELECT count(*) FROM runs_overview").rows == [(7,)]
        assert ask(store, "SELECT current_user").rows == [(READER,)]


def test_sqlite_has_no_roles_and_says_who_may_read() -> None:
    with pytest.raises(StoreError, match="who may read the file may read the store"):
        reader_script("sqlite:///evalstore.db", "reader")


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 64, "a$evalstore$b"])
def test_a_name_that_no_role_can_have_here_is_refused(name: str) -> None:
    with pytest.raises(DataError, match="can't be the name of a role"):
        reader_script("postgresql+psycopg://u@h/d", name)


def test_the_command_prints_the_script_and_needs_no_server() -> None:
    url = "postgresql+psycopg://u:secret@nowhere.invalid/d"
    done = CliRunner().invoke(cli, ["--db", url, "db", "readonly-role", "analyst"])
    assert done.exit_code == 0
    assert done.stdout == reader_script(url, "analyst")
    assert "secret" not in done.output
