"""`evalstore ingest` on a store, and through a server that has the same: both do the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner, Result
from listening import Listening, listening
from samples import add, dump, write_run

from evalstore.cli import cli
from evalstore.server.people.tokens import create_token
from evalstore.store import Store

OWN = "own.db"
"""The store, in the current folder."""

Content = dict[str, list[tuple[Any, ...]]]


@cache
def filled() -> bytes:
    """The file of a store whose collection `test` has judgments and the run bm25, made once."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Store.open(str(folder / "store.db")) as store:
            add(store, folder, write_run(folder))
        return (folder / "store.db").read_bytes()


@contextmanager
def served_beside_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """A server whose collection `test` has judgments and the run bm25, and `own.db` the same.

    The caller contributes through the server, whose store is in a folder of its own.
    """
    Path(OWN).write_bytes(filled())
    (folder / "store.db").write_bytes(filled())
    with Store.open(str(folder / "store.db")) as store, listening(store) as listens:
        monkeypatch.setenv("EVALSTORE_TOKEN", create_token(store, "ci", "contributor"))
        yield listens


def call(*arguments: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(cli, ["ingest", *arguments], input=given, catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def content(store: Store) -> Content:
    """What is stored of collections, without times, and without what was read from which file."""
    return {
        name: sorted((tuple(map(without_time, row)) for row in rows), key=repr)
        for name, rows in dump(store).items()
        if name not in ("event", "run_file") and not name.startswith("server_")
    }


def without_time(value: object) -> object:
    try:
        is_time = isinstance(value, datetime) or bool(datetime.fromisoformat(str(value)))
    except ValueError:
        is_time = False
    return "a time" if is_time else value


def content_of_own() -> Content:
    with Store.open(OWN) as own:
        return content(own)


def same_through_the_server(served: Listening, *arguments: str) -> Result:
    """The call on the store itself, which prints and stores the same through the server."""
    return same_and_content(served, *arguments)[0]


def same_and_content(served: Listening, *arguments: str) -> tuple[Result, Content]:
    """As `same_through_the_server`, and what both stores contain afterwards."""
    here = call(*arguments, "--db", OWN)
    there = call(*arguments, "--db", served.url)
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr
    assert there.exit_code == here.exit_code
    after = content(served.store)
    assert after == content_of_own()
    return there, after
