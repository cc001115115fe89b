"""`evalstore ingest` on a store, and through a server that has the same: both do the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
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


@contextmanager
def served_beside_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    """A server whose collection `test` has judgments and the run bm25, and `own.db` the same.

    The caller contributes through the server, whose store is in a folder of its own.
    """
    with Store.open(OWN) as own:
        add(own, folder, write_run(folder))
    with Store.open(str(folder / "store.db")) as store:
        add(store, folder, write_run(folder))
        with listening(store) as listens:
            monkeypatch.setenv("EVALSTORE_TOKEN", create_token(store, "ci", "contributor"))
            yield listens


def call(*arguments: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(cli, ["ingest", *arguments], input=given, catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
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


def content_of_own() -> dict[str, list[tuple[Any, ...]]]:
    with Store.open(OWN) as own:
        return content(own)


def same_through_the_server(served: Listening, *arguments: str) -> Result:
    """The call on the store itself, which prints and stores the same through the server."""
    here = call(*arguments, "--db", OWN)
    there = call(*arguments, "--db", served.url)
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr
    assert there.exit_code == here.exit_code
    assert content(served.store) == content_of_own()
    return there
