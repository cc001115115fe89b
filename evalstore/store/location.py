"""Where a store is: its URL, what people are shown of it, and whether it can be there."""

from __future__ import annotations

import re

from sqlalchemy import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from evalstore.errors import StoreError
from evalstore.store.dialects import DIALECTS, dialect_of
from evalstore.store.dialects.dialect import first_line


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
    if dialect.name not in DIALECTS:
        raise StoreError(f"{dialect.name} is not supported: use SQLite or PostgreSQL")
    if dialect.driver != DIALECTS[dialect.name].driver:
        wanted = f"{dialect.name}+{DIALECTS[dialect.name].driver}"
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
    """Whether it is known, without connecting, that there is no such database yet."""
    return dialect_of(engine).is_missing(engine.url)


def check_location(engine: Engine) -> None:
    """Refuse a place where no store can be.

    Raises:
        StoreError: what is wrong with the place, and what to do.
    """
    dialect_of(engine).check_location(engine.url)


def _without_password(url: str) -> str:
    """Something that is no URL, without what may be a password in it."""
    scheme, colon, rest = url.rpartition("://")
    rest = re.sub("(?i)(password=)[^&]*", r"\1***", rest)
    _, at, tail = rest.rpartition("@")
    return f"{scheme}{colon}***@{tail}" if at else f"{scheme}{colon}{rest}"
