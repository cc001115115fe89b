"""The error where there is no store, which names other stores in the same folder."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from sqlalchemy import Engine

from evalstore.errors import EvalstoreError, StoreError, nearest
from evalstore.store import database, schema
from evalstore.store.location import is_missing, shown_url

MOST = 50
"""Files looked at: a folder may hold thousands."""

SECONDS = 1.0


class NoStore(StoreError):
    """There is no store where one is to be."""


def no_store(engine: Engine) -> NoStore:
    """The error that there is no store, with the stores in the same folder that may be meant."""
    message = f"there is no store at {shown_url(engine)}"
    path = engine.url.database
    if path is None or not is_missing(engine):
        return NoStore(message, problem="no store")
    names = stores_in(Path(path).parent)
    close = nearest(Path(path).name, names)
    if close:
        message += f"; did you mean {str(Path(path).with_name(close[0]))!r}?"
    elif names:
        message += f"; in that folder are {', '.join(map(repr, names[:5]))}"
    return NoStore(message, problem=None if names else "no store")


def stores_in(folder: Path) -> list[str]:
    """The names of the files *.db in a folder that hold a store; nothing is changed in them."""
    files = islice((file for file in folder.glob("*.db") if file.is_file()), MOST)
    return sorted(file.name for file in files if holds_store(file))


def holds_store(file: Path) -> bool:
    """Whether a file is a database with a version of our schema."""
    try:
        engine = database.make_engine(str(file.absolute()))
        try:
            version = f"SELECT version_num FROM {schema.VERSIONS}"  # noqa: S608  (our own name)
            with database.read_only_cursor(engine, version, SECONDS) as (_, rows):
                return len(list(rows)) == 1
        finally:
            engine.dispose()
    except EvalstoreError:
        return False
