"""The location of a store: its URL, with and without passwords, and checks of the location."""

from __future__ import annotations

import os
import re

from sqlalchemy import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from evalstore.errors import StoreError
from evalstore.store.dialects import FILE, dialect_of, find_dialect
from evalstore.store.dialects.dialect import first_line

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+]+:")
"""The beginning of a URL; a single letter and a colon would be a Windows drive."""


def parse_url(url: str) -> URL:
    """The URL of a supported database; text that isn't a URL is the path of a SQLite file.

    In a path `~` is the home folder; every other character is literal.

    Raises:
        StoreError: the URL is malformed or names an unsupported database.
    """
    if url and not SCHEME.match(url):
        return URL.create(FILE, database=os.path.expanduser(url))
    try:
        parsed = make_url(url)
        dialect = parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: {first_line(error)}; write it "
            "like evalstore.db, sqlite:///evalstore.db or postgresql+psycopg://user@host/name"
        ) from None
    supported = find_dialect(dialect.name)
    if supported is None:
        raise StoreError(f"{dialect.name} is not supported: use SQLite or PostgreSQL")
    if dialect.driver != supported.driver:
        wanted = f"{dialect.name}+{supported.driver}"
        raise StoreError(f"{parsed.drivername}:// is not supported: write {wanted}://")
    if parsed.host and dialect.name == FILE:
        rest = url.partition("://")[2]
        raise StoreError(
            f"{_without_password(url)!r} has too few slashes: write {dialect.name}:///{rest} for "
            f"a file, or its path alone"
        )
    if "@" in (parsed.host or ""):
        # The text before the last @ may be part of the password, so it is not shown.
        raise StoreError(
            f"can't use {_without_password(url)!r} as a database: an @ in a user's name or "
            "password is written %40 (sqlite:/// and postgresql+psycopg:// URLs alike)"
        )
    return parsed


def shown_url(engine: Engine) -> str:
    """The URL without any passwords, including those in its query part."""
    secrets = [name for name in engine.url.query if "password" in name.lower()]
    return engine.url.difference_update_query(secrets).render_as_string(hide_password=True)


def is_there(url: str) -> bool:
    """Whether a database may exist: False only if it certainly does not.

    Raises:
        StoreError: the URL or path names a database that can't hold a store.
    """
    parsed = parse_url(url)
    dialect_of(parsed).check_location(parsed)
    return not dialect_of(parsed).is_missing(parsed)


def is_missing(engine: Engine) -> bool:
    """Whether the database certainly doesn't exist, decided without connecting."""
    return dialect_of(engine).is_missing(engine.url)


def check_location(engine: Engine) -> None:
    """Raise a StoreError if the location can't hold a store."""
    dialect_of(engine).check_location(engine.url)


def _without_password(url: str) -> str:
    """A text that may be a malformed URL, without the parts that may be a password."""
    scheme, colon, rest = url.rpartition("://")
    rest = re.sub("(?i)(password=)[^&]*", r"\1***", rest)
    _, at, tail = rest.rpartition("@")
    return f"{scheme}{colon}***@{tail}" if at else f"{scheme}{colon}{rest}"
