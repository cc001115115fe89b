"""The schema is what the migrations make, and the models and views say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from databases import both_databases
from make_new_store import meaning, script_of
from samples import dump
from sqlalchemy import Engine, create_engine, inspect, text

from evalstore.errors import StoreError
from evalstore.store import Store, database, models, schema
from evalstore.store.dialects.postgres_reading import LISTS
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.usefixtures("without_copies")


@pytest.fixture(scope="module")
def migrated(
    new_database: Callable[[], str], migrations: Callable[[Engine], str | None]
) -> Iterator[Store]:
    """An empty store that the migrations made, for tests that only read it."""
    url = new_database()
    engine = database.make_engine(url)
    migrations(engine)
    engine.dispose()
    with Store.open(url) as store:
        yield store


@both_databases
def test_the_tables_are_those_of_the_models(migrated: Store) -> None:
    names = set(inspect(migrated.engine).get_table_names())
    tables, views = set(), set()
    if migrated.engine.dialect.name == "postgresql":
        tables, views = {lists.table for lists in LISTS.values()}, {*LISTS}
    assert names == set(models.Base.metadata.tables) - views | {"alembic_version"} | tables


@both_databases
def test_models_and_migrations_say_the_same(migrated: Store) -> None:
    with migrated.read() as connection:
        differences = schema.wrong_parts(connection)
    assert differences == [], "write a migration: alembic revision --autogenerate"


CONTRACT = {
    "leaderboard": "collection qrels experiment engine run measure value queries spread",
    "query_values": "collection qrels engine run qid query measure value",
}


@both_databases
def test_a_store_whose_schema_is_not_that_of_its_revision_is_checked_no_further(
    store: Store,
) -> None:
    with store.write() as connection:
        connection.execute(text("DROP VIEW leaderboard_ranks"))
        connection.execute(text("DROP INDEX ix_run_content_id"))
        connection.execute(text("ALTER TABLE event ADD COLUMN other INTEGER"))
    found = db_check(store)
    assert found.problems == tuple(
        f"the schema is not that of revision {schema.HEAD}: {what}; restore a backup, or store "
        "the runs anew"
        for what in (
            "the column event.other is not of this schema",
            "the index run.ix_run_content_id is missing",
            "the view leaderboard_ranks is missing",
        )
    )
    assert found.runs == 0


@both_databases
def test_a_view_that_was_promised_has_its_columns(migrated: Store) -> None:
    for name, promised in CONTRACT.items():
        columns = [column["name"] for column in inspect(migrated.engine).get_columns(name)]
        assert columns == promised.split(), name


@both_databases
def test_what_is_a_view_of_lists_has_the_columns_of_the_models(migrated: Store) -> None:
    for name in LISTS:
        columns = inspect(migrated.engine).get_columns(name)
        described = models.Base.metadata.tables[name].columns
        assert [(c["name"], c.get("comment")) for c in columns] == [
            (c.name, c.comment if migrated.engine.dialect.name == "postgresql" else None)
            for c in described
        ], name


def test_head_is_the_newest_migration() -> None:
    folder = ScriptDirectory(str(schema.migrations_folder()))
    assert folder.get_heads() == [schema.HEAD]
    assert len(folder.get_bases()) == 1


def test_revisions_sort_in_the_order_of_their_history() -> None:
    """What `check_not_newer` relies on."""
    history = [
        script.revision
        for script in ScriptDirectory(str(schema.migrations_folder())).walk_revisions()
    ]
    assert history == sorted(history, reverse=True)
    assert all(re.fullmatch(r"[0-9]{4}", revision) for revision in history)


@both_databases
def test_a_missing_database_is_made_and_opening_it_again_changes_nothing(
    database_url: str,
) -> None:
    with Store.open(database_url) as store:
        before = dump(store)
        assert before.pop("alembic_version") == [(schema.HEAD,)]
        assert not any(before.values())
    with Store.open(database_url) as again:
        assert dump(again)["alembic_version"] == [(schema.HEAD,)]


def test_a_new_sqlite_store_is_made_by_one_script_as_all_migrations_make_it(
    tmp_path: Path,
) -> None:
    engine = database.make_engine(str(tmp_path / "migrated.db"))
    schema.upgrade(engine)
    engine.dispose()
    Store.open(str(tmp_path / "made.db")).close()
    script = (schema.migrations_folder() / f"{schema.HEAD}.sqlite.sql").read_text(encoding="utf-8")
    migrated = meaning(script_of(tmp_path / "migrated.db"))
    assert meaning(script) == migrated, "run tests/store/make_new_store.py"
    assert meaning(script_of(tmp_path / "made.db")) == migrated


@both_databases
def test_upgrade_tells_what_it_found(database_url: str) -> None:
    engine = database.make_engine(database_url)
    assert schema.upgrade(engine) is None
    assert schema.upgrade(engine) == schema.HEAD
    engine.dispose()


@both_databases
def test_a_newer_store_is_refused_in_one_line_and_left_alone(database_url: str) -> None:
    with Store.open(database_url) as store, store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"schema 9999, this evalstore knows") as caught:
        Store.open(database_url)
    assert "\n" not in str(caught.value)
    engine = database.make_engine(database_url)
    with database.reading(engine) as connection:
        assert schema.revision(connection) == "9999"
    engine.dispose()


@pytest.mark.parametrize("theirs", [None, "0000aaaa", "ae1027a6acf", schema.HEAD])
@both_databases
def test_a_database_of_something_else_is_refused_and_left_alone(
    database_url: str, theirs: str | None
) -> None:
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE accounts (balance INTEGER)"))
        if theirs:
            connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
            connection.execute(text("INSERT INTO alembic_version VALUES (:r)"), {"r": theirs})
    with pytest.raises(StoreError, match="no evalstore database") as caught:
        Store.open(database_url)
    assert "\n" not in str(caught.value)
    names = set(inspect(engine).get_table_names())
    engine.dispose()
    assert names == ({"accounts", "alembic_version"} if theirs else {"accounts"})


@both_databases
def test_an_upgrade_that_breaks_off_leaves_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = database.make_engine(database_url)

    def broken(*_: object) -> None:
        raise RuntimeError("in the middle")

    from alembic.operations import Operations

    monkeypatch.setattr(Operations, "create_index", broken)
    with pytest.raises(RuntimeError, match="in the middle"):
        schema.upgrade(engine)
    assert inspect(engine).get_table_names() == []
    monkeypatch.undo()
    assert schema.upgrade(engine) is None
    engine.dispose()


@both_databases
def test_alembic_in_the_checkout_migrates_too(
    new_database: Callable[[], str],
    alembic: Callable[[list[str]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    urls = [new_database(), new_database()]
    alembic(["-x", f"db={urls[0]}", "upgrade", "head"])
    monkeypatch.setenv("EVALSTORE_DB", urls[1])
    alembic(["upgrade", "head"])
    for url in urls:
        with Store.open(url) as store:
            assert dump(store)["alembic_version"] == [(schema.HEAD,)]


@both_databases
def test_rows_go_with_what_they_belong_to(migrated: Store) -> None:
    found = inspect(migrated.engine)
    rules = {
        (table, key["constrained_columns"][0]): key["options"].get("ondelete")
        for table in models.Base.metadata.tables
        for key in found.get_foreign_keys(table)
    }
    for kept in (
        ("experiment_about", "collection_id"),
        ("qrels", "parent_id"),
        ("draft", "parent_id"),
        ("draft", "published_id"),
    ):
        assert rules.pop(kept) == "SET NULL"
    assert set(rules.values()) == {"CASCADE"}
