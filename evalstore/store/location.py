"""Where a store is: its URL, what people are shown of it, and whether it can be there."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from evalstore.errors import StoreError

DRIVERS = {"sqlite": "pysqlite", "postgresql": "psycopg"}


def parse_url(url: str) -> URL:
    """The URL of a database that we know, or a StoreError that says what a URL looks like."""
    try:
        parsed = make_url(url)
        dialect = parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: {first_line(error)}; write it "
            "like sqlite:///evalstore.db or postgresql+psycopg://user@host/name"
        ) from None
    if dialect.name not in DRIVERS:
        raise StoreError(f"{dialect.name} is not supported: use SQLite or PostgreSQL")
    if dialect.driver != DRIVERS[dialect.name]:
        wanted = f"{dialect.name}+{DRIVERS[dialect.name]}"
        raise StoreError(f"{parsed.drivername}:// is not supported: write {wanted}://")
    if "@" in (parsed.host or ""):
        # What stands before the last @ may well be a part of the password: it is not shown.
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: an @ in a user's name or "
            "password is written %40 (sqlite:/// and postgresql+psycopg:// URLs alike)"
        )
    return parsed


def shown_url(engine: Engine) -> str:
    """The URL for people: without the password, wherever it stands."""
    secrets = [name for name in engine.url.query if "password" in name.lower()]
    return engine.url.difference_update_query(secrets).render_as_string(hide_password=True)


def is_missing(engine: Engine) -> bool:
    """Whether the database is a SQLite file that does not exist yet."""
    path = engine.url.database
    if engine.url.get_backend_name() != "sqlite" or not path:
        return False
    return not Path(path).exists()


def prepare_place(engine: Engine) -> None:
    """Refuse, with a clear word, a SQLite file that can't be there or is something else."""
    path = engine.url.database
    if engine.url.get_backend_name() != "sqlite" or not path or path == ":memory:":
        return
    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it, like {file / 'evalstore.db'}")
    if not file.resolve().parent.is_dir():
        raise StoreError(f"there is no folder {file.resolve().parent}: make it first")
    try:
        with file.open("rb") as stream:
            start = stream.read(16)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if start and start != b"SQLite format 3\0":
        raise StoreError(f"{path} is no SQLite database: name another file with --db")


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).split("\n")[0]


def _without_password(url: str) -> str:
    """Something that is no URL, without what may be a password in it."""
    scheme, colon, rest = url.rpartition("://")
    rest = re.sub("(?i)(password=)[^&]*", r"\1***", rest)
    _, at, tail = rest.rpartition("@")
    return f"{scheme}{colon}***@{tail}" if at else f"{scheme}{colon}{rest}"
