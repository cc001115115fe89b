"""What PostgreSQL alone has: the role that reads a part of a store, and who else reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import two_collections
from postgres import Server
from samples import Filled
from sqlalchemy import event, make_url, text

from evalstore.catalog.collections import collections
from evalstore.errors import StoreError
from evalstore.server.setup import NotSetUp, set_up, settings
from evalstore.sql.ask import ask, reader_script
from evalstore.store import Store, restriction

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


@pytest.fixture(scope="session")
def new_database(postgres: Server) -> Callable[[], str]:
    """The URL of a database that holds nothing yet."""
    return postgres.new_database


@pytest.fixture
def store(copied: Filled) -> Store:
    """The store of two collections."""
    return copied(two_collections.fill)


@pytest.fixture
def part(store: Store) -> Store:
    """The same for somebody who may read the open collection alone."""
    return two_collections.restricted(store)


@pytest.fixture
def session(part: Store) -> Iterator[psycopg.Connection]:
    """A session of the reader that nobody has restricted to anything."""
    url = part.engine.url
    where = {"host": url.host, **url.query, "password": url.password}
    with psycopg.connect(
        user=url.username, dbname=url.database, autocommit=True, **where
    ) as connection:
        yield connection


def test_the_reader_alone_sees_no_row(session: psycopg.Connection) -> None:
    for table in restriction.ROWS:
        assert session.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # type: ignore[call-overload]


def test_the_setting_alone_shows_no_row_and_a_proof_of_another_session_neither(
    session: psycopg.Connection, part: Store
) -> None:
    with part.read() as connection:
        asked = (
            "SELECT current_setting('evalstore.collections'), current_setting('evalstore.proof')"
        )
        ids, proof = connection.execute(text(asked)).one()
    for given in ("", "0" * 64, proof):
        session.execute("SELECT set_config('evalstore.collections', %s, false)", (ids,))
        session.execute("SELECT set_config('evalstore.proof', %s, false)", (given,))
        assert session.execute("SELECT count(*) FROM collection").fetchone() == (0,)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM evalstore_restricted.access",
        "SELECT * FROM public.leaderboard",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "SET row_security = off; SELECT * FROM collection",
        "ALTER TABLE collection DISABLE ROW LEVEL SECURITY",
        "DROP POLICY evalstore_restricted ON collection",
        "INSERT INTO engine (name) VALUES ('mine')",
        "DELETE FROM run",
        "CREATE TABLE mine (i INTEGER)",
        "SELECT nextval('run_id_seq')",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY collection TO '/tmp/stolen'",
    ],
)
def test_the_reader_has_no_other_right(session: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute(statement)  # type: ignore[call-overload]


def test_the_most_common_values_are_hidden_from_the_reader(
    session: psycopg.Connection, store: Store
) -> None:
    with store.write() as connection:
        connection.exec_driver_sql("ANALYZE")
    rows = session.execute("SELECT * FROM pg_stats WHERE schemaname = 'public'").fetchall()
    assert two_collections.markers_in(rows) == []


def test_other_roles_read_all_as_before(part: Store, store: Store, postgres: Server) -> None:
    script = reader_script(store.url, "analyst")
    plain = make_url(store.url).set(drivername="postgresql")
    with psycopg.connect(
        plain.render_as_string(hide_password=False), autocommit=True
    ) as connection:
        connection.execute(script.encode())
    with Store.open(str(make_url(store.url).set(username="analyst")), create=False) as other:
        assert len(collections(other)) == 2
        assert len(ask(other, "SELECT DISTINCT collection FROM leaderboard").rows) == 2
    assert len(collections(part)) == 1


def test_an_owner_who_may_not_make_roles_is_told_what_to_grant(
    postgres: Server, tmp_path: Path
) -> None:
    postgres.execute("CREATE ROLE team LOGIN")
    url = make_url(postgres.new_database("OWNER team")).set(username="team")
    with Store.open(url.render_as_string(hide_password=False)) as store:
        two_collections.fill(store, tmp_path)
        with pytest.raises(StoreError, match='ALTER ROLE "team" CREATEROLE'):
            store.allow_restriction()
        with pytest.raises(StoreError, match='ALTER ROLE "team" CREATEROLE'):
            set_up(store, "https://eval.example", "ann", "correct horse battery")
        with pytest.raises(NotSetUp):
            settings(store)  # nothing was stored
        with pytest.raises(StoreError, match="its owner must allow it"):
            store.restricted_to([1])
        postgres.execute("ALTER ROLE team CREATEROLE")
        part = two_collections.restricted(store)
        assert [one.name for one in collections(part)] == [two_collections.OPEN]
        assert ask(part, "SELECT name FROM collection").rows == [(two_collections.OPEN,)]
    postgres.drop(url.render_as_string(hide_password=False))


def test_others_are_let_in_while_a_connection_is_made(store: Store, part: Store) -> None:
    others = iter(range(1_000, 1_010))

    def let_in(_connection: object, _record: object) -> None:
        store.restricted_to([next(others)])

    event.listen(part.engine, "connect", let_in)
    assert [row.name for row in collections(part)] == ["open"]
    assert next(others) > 1_000  # a connection was made
