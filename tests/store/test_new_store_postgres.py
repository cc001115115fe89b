"""A new store on PostgreSQL is made by one script, in whatever schema the connection writes to."""

from __future__ import annotations

from pathlib import Path

import pytest
from make_new_store import script_of_postgres
from postgres import NONE_FOUND, Server, binaries
from samples import BM25, add, dump, statuses, write_run
from sqlalchemy import make_url, text

from evalstore.errors import StoreError
from evalstore.store import Store, database, schema
from evalstore.transfer.db_check import db_check

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def test_a_new_store_is_made_by_one_script_as_all_migrations_make_it(postgres: Server) -> None:
    programs = binaries()
    if programs is None:
        pytest.skip(NONE_FOUND)  # the server is one that was named
    migrated, made = postgres.new_database(), postgres.new_database()
    engine = database.make_engine(migrated)
    schema.upgrade(engine)
    engine.dispose()
    Store.open(made).close()
    scripts = [script_of_postgres(url, programs) for url in (migrated, made)]
    assert scripts[0] == scripts[1], "run tests/store/make_new_store.py"
    assert "CREATE TABLE hit_list" in scripts[0]


@pytest.fixture
def in_a_schema(postgres: Server) -> str:
    """The URL of a database whose store is to be in a schema with an odd name."""
    url = postgres.new_database()
    engine = database.make_engine(url)
    with engine.begin() as connection:
        connection.execute(text('CREATE SCHEMA "Our tests"'))
    engine.dispose()
    path = {"options": '-csearch_path="Our\\ tests"'}
    return make_url(url).update_query_dict(path).render_as_string(hide_password=False)


def test_a_store_can_be_in_another_schema(in_a_schema: str, tmp_path: Path) -> None:
    with Store.open(in_a_schema) as store:
        assert statuses(add(store, tmp_path, write_run(tmp_path))) == ["stored"]
        assert len(dump(store)["retrieved"]) == sum(map(len, BM25.values()))
        assert db_check(store).problems == ()
        with store.read() as connection:
            query = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            assert connection.execute(text(query)).scalar_one() == 0


def test_its_triggers_find_its_own_tables_whoever_writes(in_a_schema: str, tmp_path: Path) -> None:
    row = """INSERT INTO "Our tests".hit_list VALUES (1, 4711, '{1}', '{d}', '{1}', '{1}')"""
    with Store.open(in_a_schema) as store:
        add(store, tmp_path, write_run(tmp_path))
        with pytest.raises(StoreError, match="belongs to no query"), store.write() as connection:
            connection.execute(text(f"SET LOCAL search_path = public; {row}"))
