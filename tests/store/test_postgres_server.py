"""Only PostgreSQL: a server that restarts, one that can't be reached, one with another locale."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from leaderboard_frames import collections
from postgres import OwnServer, Server, running_server
from samples import add, write_qrels, write_run
from sqlalchemy import make_url, text

from evalstore.errors import MissingExtra, StoreError
from evalstore.sql.ask import ask
from evalstore.store import Store, database
from evalstore.store.dialects.postgres import CONNECT_SECONDS

pytestmark = pytest.mark.slow  # a server is started

SECRET = "hunter2"


@pytest.fixture(scope="session")
def new_database(postgres: Server) -> Callable[[], str]:
    """As in conftest.py, but only here and always PostgreSQL."""
    return postgres.new_database


# --- connections ---------------------------------------------------------------------------------


def test_a_store_works_on_after_its_connections_were_cut(
    store: Store, postgres: Server, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    name = store.engine.url.database
    cut = postgres.execute(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    )
    assert cut
    assert collections(store)["runs"].tolist() == [1]
    assert ask(store, "SELECT count(*) FROM run").rows == [(1,)]


def test_a_store_works_on_after_its_server_restarted(
    store: Store, postgres: Server, tmp_path: Path
) -> None:
    if not isinstance(postgres, OwnServer):
        pytest.skip("the server of EVALSTORE_TEST_POSTGRES is not ours to restart")
    add(store, tmp_path, write_run(tmp_path))
    postgres.restart()
    assert collections(store)["runs"].tolist() == [1]
    add(store, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "after.run"))
    assert collections(store)["runs"].tolist() == [2]


def test_a_server_that_stopped_is_told_in_one_line(store: Store, postgres: Server) -> None:
    if not isinstance(postgres, OwnServer):
        pytest.skip("the server of EVALSTORE_TEST_POSTGRES is not ours to stop")
    postgres.stop()
    try:
        with pytest.raises(StoreError, match="connection") as caught:
            collections(store)
    finally:
        postgres.start()
    assert "\n" not in str(caught.value)
    assert collections(store).empty


@pytest.fixture
def guarded(postgres: Server) -> Iterator[str]:
    """A user that has a password."""
    postgres.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{SECRET}'")
    yield "guarded"
    postgres.execute("DROP ROLE guarded")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgresql://me:{SECRET}@127.0.0.1:1/x", "connection failed.*refused"),
        (f"postgresql://me:{SECRET}@localhost:1/x", "connection.*refused"),
        (f"postgresql://me:{SECRET}@nowhere.invalid/x", "nowhere.invalid"),
        (f"postgresql://me:{SECRET}@/x?host=/nowhere", "connection.*No such file"),
        (f"postgresql://me:no@{SECRET}@localhost/x", "an @ in .* password is written %40"),
        (f"postgresql://me@localhost:1/x?password={SECRET}", "refused"),
        (f"postgresql+psycopg2://me:{SECRET}@localhost/x", r"write postgresql\+psycopg://"),
        (f"postgresql+asyncpg://me:{SECRET}@localhost/x", r"write postgresql\+psycopg://"),
    ],
)
def test_a_connection_that_fails_is_told_in_one_line_without_the_password(
    url: str, said: str
) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        Store.open(url)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_database_that_is_not_there_is_named_with_the_way_to_make_it(postgres: Server) -> None:
    url = postgres.url.set(database="nowhere").render_as_string(hide_password=False)
    with pytest.raises(StoreError, match='"nowhere" does not exist: make it with `createdb`'):
        Store.open(url)


def test_a_user_that_is_not_there_is_named(postgres: Server) -> None:
    url = postgres.url.set(username="nobody_here", password=SECRET)
    with pytest.raises(StoreError, match="nobody_here") as caught:
        Store.open(url.render_as_string(hide_password=False))
    assert SECRET not in str(caught.value)


def test_a_wrong_password_is_told_without_it(postgres: Server, guarded: str) -> None:
    if not isinstance(postgres, OwnServer):
        pytest.skip("the server of EVALSTORE_TEST_POSTGRES asks whom it wants")
    url = postgres.new_database()
    name = make_url(url).database
    postgres.ask_for_password(guarded)
    try:
        right = postgres.url.set(username=guarded, password=SECRET, database=name)
        wrong = right.set(password=f"{SECRET}x").render_as_string(hide_password=False)
        with pytest.raises(StoreError, match="password authentication failed") as caught:
            Store.open(wrong)
        assert SECRET not in str(caught.value)
        assert "\n" not in str(caught.value)
        none = right._replace(password=None).render_as_string(hide_password=False)
        with pytest.raises(StoreError, match="no password supplied: give it in the URL"):
            Store.open(none)
    finally:
        postgres.ask_for_password(None)
        postgres.drop(url)


def test_without_the_driver_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"PostgreSQL needs psycopg: pip install 'evalstore\[po"):
        Store.open("postgresql://me@localhost/x")


def test_a_host_that_never_answers_is_not_waited_for_without_end() -> None:
    engine = database.make_engine("postgresql://me@localhost/x")
    (_, given) = engine.dialect.create_connect_args(engine.url)
    assert "connect_timeout" not in given
    assert CONNECT_SECONDS <= 10
    engine.dispose()


# --- a cluster that sorts otherwise --------------------------------------------------------------

WORDS = ["a", "a-1", "aa", "B"]


def test_ids_and_names_compare_by_bytes_where_the_database_sorts_otherwise(
    postgres: Server, tmp_path: Path
) -> None:
    if postgres.version < 15:
        pytest.skip("PostgreSQL makes databases with an ICU locale from 15 on")
    url = postgres.new_database(
        "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'"
    )
    with Store.open(url) as store:
        values = ", ".join(f"('{word}')" for word in WORDS)
        sorted_by = "SELECT w FROM (VALUES {}) AS words (w) ORDER BY w"
        with store.read() as connection:
            theirs = list(connection.execute(text(sorted_by.format(values))).scalars())
        assert theirs == WORDS, "this database does sort otherwise"
        qrels = write_qrels(tmp_path, {word: {word: 1} for word in WORDS})
        for word in WORDS:
            run = write_run(tmp_path, {word: [word]}, f"{word}.run", word)
            add(store, tmp_path, run, qrels=qrels, collection="c")
        by_bytes = ["B", "a", "a-1", "aa"]
        for sql in (
            "SELECT DISTINCT engine FROM leaderboard ORDER BY engine",
            "SELECT DISTINCT run FROM leaderboard ORDER BY run",
            "SELECT DISTINCT qid FROM query_values ORDER BY qid",
            "SELECT DISTINCT docno FROM judgments ORDER BY docno",
        ):
            assert [row[0] for row in ask(store, sql).rows] == by_bytes, sql
    postgres.drop(url)


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_tests_without_a_server_are_skipped_and_in_ci_fail(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.delenv("EVALSTORE_TEST_POSTGRES", raising=False)
    monkeypatch.setattr("postgres.binaries", lambda: None)
    with pytest.raises(outcome, match="no PostgreSQL: install its server"), running_server():
        pass


def test_a_named_server_is_used_and_left_as_it_was(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = postgres.url.render_as_string(hide_password=False)
    monkeypatch.setenv("EVALSTORE_TEST_POSTGRES", named)
    databases = "SELECT datname FROM pg_database ORDER BY datname"
    before = postgres.execute(databases)
    with running_server() as server:
        assert not isinstance(server, OwnServer)
        server._names = iter(["evalstore_of_a_named_server"])
        with Store.open(server.new_database()) as store:
            assert collections(store).empty
        assert server.execute(databases) != before
    assert postgres.execute(databases) == before
