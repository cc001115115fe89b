"""A store of an earlier revision is brought up to date with its data intact, on both databases.

Until it is, it is refused with a word; and nobody upgrades by merely looking at it.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from alembic.script import ScriptDirectory
from databases import both_databases
from full_store import content, fill
from make_golden import FOLDER, as_json
from samples import add, dump, write_run
from sqlalchemy import inspect, make_url, text

from evalstore.errors import StoreError
from evalstore.store import Store, database, schema
from evalstore.store.queries.documents import load_documents
from evalstore.transfer.db_check import db_check

pytestmark = [
    pytest.mark.slow,  # stores are upgraded, and processes are started
    pytest.mark.usefixtures("without_copies"),
]

GOLDEN = sorted({path.name.partition(".")[0] for path in FOLDER.iterdir()})


def restored(revision: str, url: str) -> None:
    """Fill an empty database from a golden dump."""
    parsed = make_url(url)
    kind = parsed.get_backend_name().replace("postgresql", "postgres")
    script = (FOLDER / f"{revision}.{kind}.sql").read_text(encoding="utf-8")
    if kind == "sqlite":
        connection = sqlite3.connect(parsed.database or "")
        connection.executescript(script)
        connection.close()
        return
    plain = parsed.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain) as connection:
        connection.execute(script.encode())


# --- golden databases ----------------------------------------------------------------------------


def test_the_oldest_revision_and_the_newest_have_golden_databases() -> None:
    """And those between them that make_golden.py names: the next revision changes their rows."""
    folder = ScriptDirectory(str(schema.migrations_folder()))
    assert {*folder.get_bases(), schema.HEAD} <= {*GOLDEN}, (
        "run `python tests/store/make_golden.py`, and commit what it makes"
    )
    kinds = ("sqlite.sql", "postgres.sql", "json")
    assert {path.name for path in FOLDER.iterdir()} == {
        f"{revision}.{kind}" for revision in GOLDEN for kind in kinds
    }


@pytest.mark.parametrize(
    "revision",
    [
        GOLDEN[0],
        *(pytest.param(each, marks=pytest.mark.nightly) for each in GOLDEN[1:-1]),
        GOLDEN[-1],
    ],
)
@both_databases
def test_an_upgraded_store_holds_what_it_held(revision: str, database_url: str) -> None:
    restored(revision, database_url)
    engine = database.make_engine(database_url)
    assert schema.upgrade(engine) == revision
    engine.dispose()
    expected = json.loads((FOLDER / f"{revision}.json").read_text(encoding="utf-8"))
    if revision < "0012":  # which deletes the saved ranks
        for name in ("saved_leaderboard", "saved_rank", "leaderboard_ranks"):
            expected.pop(name, None)
    with Store.open(database_url) as store:
        assert list(db_check(store).problems) == []
        rows_of = as_json(content(store))
        for name, rows in expected.items():
            # A later revision may have added columns: they come last.
            width = len(rows[0]) if rows else 0
            assert sorted((row[:width] for row in rows_of[name]), key=repr) == rows, name


@both_databases
def test_events_and_saved_views_get_their_collection_by_the_upgrade(database_url: str) -> None:
    restored("0006", database_url)
    engine = database.make_engine(database_url)
    schema.upgrade(engine)
    with database.reading(engine) as connection:
        for statement in (
            "SELECT e.collection, c.name FROM event AS e"
            " LEFT JOIN collection AS c ON c.id = e.collection_id",
            "SELECT 'odd ✓', c.name FROM saved_view AS v"
            " LEFT JOIN collection AS c ON c.id = v.collection_id",
        ):
            rows = connection.execute(text(statement)).all()
            assert rows
            assert all(named == by_id for named, by_id in rows)
    engine.dispose()


@both_databases
def test_texts_are_about_the_collections_of_all_runs_of_an_experiment_after_the_upgrade(
    database_url: str,
) -> None:
    """Also of a run that was removed."""
    restored("0008", database_url)
    engine = database.make_engine(database_url)
    with database.writing(engine) as connection:
        connection.execute(text("UPDATE run SET experiment_id = NULL"))
        chosen = "(SELECT id FROM experiment WHERE name = 'e1') WHERE name IN ('odd', 'tfidf')"
        connection.execute(text(f"UPDATE run SET experiment_id = {chosen}"))
    schema.upgrade(engine)
    with database.reading(engine) as connection:
        named = connection.execute(
            text("SELECT name FROM run WHERE experiment = 'e1' ORDER BY name")
        ).scalars()
        assert list(named) == ["odd", "tfidf"]
        about = connection.execute(
            text(
                "SELECT e.name, c.name FROM experiment_about AS a"
                " JOIN experiment AS e ON e.id = a.experiment_id"
                " JOIN collection AS c ON c.id = a.collection_id ORDER BY e.name, c.name"
            )
        ).all()
    assert [tuple(row) for row in about] == [("e1", "odd ✓"), ("e1", "test")]
    engine.dispose()


@both_databases
def test_the_id_of_a_purged_run_is_given_to_no_other_after_the_upgrade(
    database_url: str, tmp_path: Path
) -> None:
    restored("0008", database_url)
    engine = database.make_engine(database_url)
    with database.writing(engine) as connection:
        last = connection.execute(text("SELECT max(id) FROM run")).scalar()
        connection.execute(text("DELETE FROM run WHERE id = :last"), {"last": last})
    schema.upgrade(engine)
    engine.dispose()
    with Store.open(database_url) as store:
        add(store, tmp_path, write_run(tmp_path, {"q1": ["d9"]}, "new.run"))
        with store.read() as connection:
            new = connection.execute(text("SELECT max(id) FROM run")).scalar()
    assert (last, new) == (last, last + 1)


@both_databases
def test_the_texts_of_many_documents_are_packed_by_the_upgrade(database_url: str) -> None:
    restored("0004", database_url)
    texts = [None, "", "ü", "the same words " * 99]
    documents = {f"d{number:04}": texts[number % 4] for number in range(1_003)}
    engine = database.make_engine(database_url)
    with database.writing(engine) as connection:
        connection.execute(text("DELETE FROM document"))
        connection.execute(
            text("INSERT INTO document (collection_id, docno, text) VALUES (1, :docno, :text)"),
            [{"docno": docno, "text": words} for docno, words in documents.items()],
        )
        other = {"docno": "007", "text": "of the other collection"}
        connection.execute(
            text("INSERT INTO document (collection_id, docno, text) VALUES (2, :docno, :text)"),
            other,
        )
    schema.upgrade(engine)
    with database.reading(engine) as connection:
        rows = load_documents(connection, 1)
        assert {docno: words for docno, _, words in rows} == documents
        assert load_documents(connection, 2) == [("007", None, "of the other collection")]
    engine.dispose()


@both_databases
def test_the_golden_database_of_the_newest_revision_is_what_the_migrations_make(
    store: Store, new_database: object
) -> None:
    """A change to a migration after its release would strand those who have it."""
    url = new_database()  # type: ignore[operator]
    restored(schema.HEAD, url)
    how_to_fix = (
        f"was migration {schema.HEAD} released? Then write a new one. If not: "
        "python tests/store/make_golden.py"
    )
    with Store.open(url) as golden:
        assert shape(golden) == shape(store), how_to_fix


def shape(store: Store) -> dict[str, object]:
    """Tables with columns, keys and comments, and views."""
    inspector = inspect(store.engine)
    tables = {
        name: (
            [(c["name"], str(c["type"]), c["nullable"], c.get("comment"))
             for c in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
            sorted(str(key) for key in inspector.get_foreign_keys(name)),
            sorted(str(key["column_names"]) for key in inspector.get_unique_constraints(name)),
            sorted(str(index["column_names"]) for index in inspector.get_indexes(name)),
        )
        for name in inspector.get_table_names()
    }  # fmt: skip
    views = {
        name: " ".join((inspector.get_view_definition(name) or "").split())
        for name in inspector.get_view_names()
    }
    return {"tables": tables, "views": views, "triggers": triggers(store)}


def triggers(store: Store) -> list[tuple[object, ...]]:
    """The triggers of PostgreSQL with what they do."""
    if store.engine.dialect.name == "sqlite":
        return []
    query = """
SELECT pg_get_triggerdef(pg_trigger.oid), pg_get_functiondef(tgfoid)
FROM pg_trigger
WHERE NOT tgisinternal
ORDER BY 1"""
    with store.read() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


# --- older, newer --------------------------------------------------------------------------------

NEXT = '''
"""A change that makes a table anew on SQLite."""
import time
import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{head}"
branch_labels = depends_on = None

def upgrade():
    time.sleep(0.3)
    for name in ("{views}").split():
        op.execute(f"DROP VIEW {{name}}")
    with op.batch_alter_table("run") as batch:
        batch.add_column(sa.Column("remark", sa.Text(), nullable=False, server_default="none"))
        batch.alter_column("tag", existing_type=sa.Text(), nullable=True)
    {more}
'''

UPGRADE = """
import sys
from pathlib import Path
from evalstore.store import database, schema

url, folder, head = sys.argv[1:]
schema.HEAD, schema.migrations_folder = head, lambda: Path(folder)
engine = database.make_engine(url)
print("ready", flush=True)
sys.stdin.readline()
print(schema.upgrade(engine))
"""


def later(
    folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "pass", number: int = 9000
) -> Path:
    """Make this program one of a later release, that has one migration more."""
    from evalstore.store.views import VIEWS

    migrations = folder / "migrations"
    shutil.copytree(schema.migrations_folder(), migrations)
    views = " ".join(view.name for view in VIEWS)
    script = NEXT.format(next=str(number), head=schema.HEAD, more=more, views=views)
    (migrations / "versions" / f"{number}_next.py").write_text(script)
    monkeypatch.setattr(schema, "HEAD", str(number))
    monkeypatch.setattr(schema, "migrations_folder", lambda: migrations)
    return migrations


@both_databases
def test_an_older_store_is_refused_with_the_command_and_left_alone(
    store: Store, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, head = dump(store), schema.HEAD
    later(tmp_path, monkeypatch)
    with pytest.raises(StoreError, match=r"wants 9000$") as caught:
        Store.open(database_url)
    assert f"schema {head}, " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert dump(store) == before


@both_databases
def test_a_newer_store_is_refused_with_the_command_and_left_alone(
    store: Store, database_url: str
) -> None:
    with store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    before = dump(store)
    engine = database.make_engine(database_url)
    for refused in (lambda: Store.open(database_url), lambda: schema.upgrade(engine)):
        with pytest.raises(StoreError, match=rf"9999, .* knows {schema.HEAD}$"):
            refused()
    engine.dispose()
    assert dump(store) == before


@both_databases
def test_a_table_made_anew_keeps_its_rows_and_all_that_belongs_to_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, tmp_path)
    before, head = dump(store), schema.HEAD
    later(tmp_path, monkeypatch)
    assert schema.upgrade(store.engine) == head
    after = dump(store)
    assert after.pop("alembic_version") == [("9000",)]
    before.pop("alembic_version")
    assert sorted((row[:-1] for row in after.pop("run")), key=repr) == before.pop("run")
    assert after == before
    with store.write() as connection:
        assert any("bm25" in row for row in dump(store)["run"])
        connection.execute(text("DELETE FROM content"))  # foreign keys and triggers work as before
    after = dump(store)
    assert {name: after[name] for name in ("measurement", "hit", "retrieved")} == {
        "measurement": [],
        "hit": [],
        "retrieved": [],
    }


@both_databases
def test_an_upgrade_that_leaves_rows_of_nothing_is_undone(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    before = dump(store)
    later(tmp_path, monkeypatch, more='op.execute("UPDATE run SET engine_id = 4711")')
    with pytest.raises(StoreError, match="run"):
        schema.upgrade(store.engine)
    assert dump(store) == before


@both_databases
def test_two_upgrades_at_once_are_one(
    store: Store, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    head = schema.HEAD
    folder = later(tmp_path, monkeypatch)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", UPGRADE, database_url, str(folder), "9000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    revisions = []
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert errors == ""
        revisions.append(output.strip())
    assert sorted(revisions) == [head, "9000"]
    assert dump(store)["alembic_version"] == [("9000",)]


def test_there_is_no_way_back_and_that_is_said(
    database_url: str, alembic: Callable[[list[str]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    Store.open(database_url).close()
    with pytest.raises(SystemExit) as ended:
        alembic(["-x", f"db={database_url}", "downgrade", "base"])
    assert ended.value.code not in (None, 0)
    printed = capsys.readouterr()
    assert "migrations go forward only: restore a backup instead" in printed.out + printed.err
    with Store.open(database_url) as store:
        assert dump(store)["alembic_version"] == [(schema.HEAD,)]
