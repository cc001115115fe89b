"""An open store notices that its database was deleted, made anew or restored."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from leaderboard_frames import leaderboard
from postgres import Server
from samples import TFIDF, add, write_run
from sqlalchemy import make_url, text

from evalstore.errors import StoreError
from evalstore.store import Store, schema

pytestmark = pytest.mark.slow  # processes of their own


def names(store: Store) -> list[str]:
    return list(leaderboard(store, "test").runs["run"])


def delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def test_a_file_that_was_deleted_and_made_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(f"sqlite:///{path}") as store:
        add(store, tmp_path, write_run(tmp_path))
        assert names(store) == ["bm25"]
        delete(path)
        with pytest.raises(StoreError, match=r"there is no store at .*store\.db"):
            names(store)
        assert not path.exists()  # looking made none
        with Store.open(f"sqlite:///{path}") as other:
            add(other, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run"))
        assert names(store) == ["tfidf"]


@pytest.mark.usefixtures("without_copies")
def test_a_new_store_takes_nothing_from_the_log_of_a_deleted_one(tmp_path: Path) -> None:
    """Its log and the index of the log stay behind where only the file itself is deleted."""
    path = tmp_path / "store.db"
    with Store.open(f"sqlite:///{path}") as store:
        add(store, tmp_path, write_run(tmp_path))
        with store.read() as connection:  # who reads keeps the log from being emptied
            connection.execute(text("SELECT count(*) FROM run"))
            with store.write() as writer:
                writer.execute(text("UPDATE run SET name = 'renamed'"))
        assert path.with_name("store.db-wal").stat().st_size > 0
        path.unlink()
        with Store.open(f"sqlite:///{path}") as other:
            add(other, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"))
            assert names(other) == ["new"]
        assert names(store) == ["new"]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_a_file_that_took_the_place_of_a_store_and_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(f"sqlite:///{path}") as store:
        add(store, tmp_path, write_run(tmp_path))
        delete(path)
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE accounts (balance INTEGER)")
        connection.close()
        with pytest.raises(StoreError, match="there is no store at .* any more"):
            names(store)


def test_a_file_of_a_later_version_that_took_the_place_is_refused(tmp_path: Path) -> None:
    path, later = tmp_path / "store.db", tmp_path / "later.db"
    with Store.open(f"sqlite:///{path}") as store:
        add(store, tmp_path, write_run(tmp_path))
        with Store.open(f"sqlite:///{later}"):
            pass
        connection = sqlite3.connect(later)
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
        connection.close()
        delete(path)
        shutil.move(later, path)
        with pytest.raises(StoreError, match=f"schema 9999, this evalstore knows {schema.HEAD}"):
            names(store)


@pytest.mark.postgres
def test_a_postgres_database_that_was_dropped_and_restored_is_read_anew(
    postgres: Server, tmp_path: Path
) -> None:
    url = postgres.new_database()
    name = make_url(url).database
    with Store.open(url) as store:
        add(store, tmp_path, write_run(tmp_path))
        assert names(store) == ["bm25"]
        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
        with pytest.raises(StoreError, match="does not exist"):
            names(store)
        postgres.execute(f"CREATE DATABASE {name}")
        with pytest.raises(StoreError, match=r"there is no store at .* any more"):
            names(store)
        with Store.open(url) as other:
            add(other, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run"))
        assert names(store) == ["tfidf"]
    postgres.drop(url)


# --- reading without the right to write ----------------------------------------------------------

AS_NOBODY = """
import json, os, sys
import encodings.idna, pandas
import evalstore.cli
from click.testing import CliRunner

def run(path, words):
    return CliRunner().invoke(evalstore.cli.cli, ["--db", "sqlite:///" + path, *words])

copy, *paths = sys.argv[1:]
reads = [["runs"], ["db", "check"], ["export", "run", "bm25"], ["sql", "SELECT name FROM run"]]
for words in reads:
    run(copy, words)  # imports all that is needed: another user may not read Python itself
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for path in paths:
    lines = {}
    for words in [*reads, ["runs", "edit", "bm25", "--name", "x"]]:
        done = run(path, words)
        lines[" ".join(words[:2])] = f"{done.exit_code} {done.output} {done.exception or ''}"
    print(json.dumps(lines))
"""
WITHOUT_RIGHT = [(what, mode) for what in ("file", "folder", "both") for mode in ("wal", "delete")]
"""What may not be written, and the mode of the journal."""


@pytest.fixture(scope="module")
def read_by_nobody(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What commands say of each such store to a user who may not write it."""
    folder = tmp_path_factory.mktemp("nobody")
    copy = folder / "copy.db"
    with Store.open(f"sqlite:///{copy}") as store:
        add(store, folder, write_run(folder))
    folders = []
    for what, journal in WITHOUT_RIGHT:
        folders.append(folder / f"{what} {journal}")
        folders[-1].mkdir()
        path = folders[-1] / "store.db"
        shutil.copy(copy, path)
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.close()
        path.chmod(0o444 if what in ("file", "both") else 0o666)
        folders[-1].chmod(0o555 if what in ("folder", "both") else 0o777)
    for parent in (folder, *folder.parents):
        if os.access(parent, os.W_OK) and parent.owner() == folder.owner() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, copy, *(made / "store.db" for made in folders)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    for made in folders:
        made.chmod(0o755)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("what", "journal"), WITHOUT_RIGHT)
def test_a_store_is_read_without_the_right_to_write(
    read_by_nobody: list[dict[str, str]], what: str, journal: str
) -> None:
    lines = read_by_nobody[WITHOUT_RIGHT.index((what, journal))]
    assert lines["runs"].startswith("0 "), lines
    assert "bm25" in lines["runs"]
    assert "all is well" in lines["db check"]
    assert "q1 Q0 d1 1" in lines["export run"]
    assert lines["sql SELECT name FROM run"].startswith("0 ")
    if what != "folder":
        assert lines["runs edit"].startswith("1 ")
        assert "read-only here" in lines["runs edit"]
