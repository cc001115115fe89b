"""The schema of a store: bring it to this program's version, and say which it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, inspect, text

from evalstore.errors import StoreError
from evalstore.store import database
from evalstore.store.location import shown_url

HEAD = "0002"
"""The newest migration; a test holds it to the migrations themselves."""

VERSIONS = "alembic_version"
OURS = {"collection", "qrels", "run", "measurement"}
"""Tables by which a store is known, from the first migration on."""


def migrations_folder() -> Path:
    """Where the migrations are: inside an installed wheel, or at the top of the checkout."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "_migrations"
    return shipped if shipped.is_dir() else package.parent / "migrations"


def revision(connection: Connection) -> str | None:
    """The migration a database stands at; None for an empty one.

    Raises:
        StoreError: it holds tables that are not ours. (Others keep an `alembic_version`, too.)
    """
    names = set(inspect(connection).get_table_names())
    versioned = VERSIONS in names
    names.discard(VERSIONS)
    if names and not (versioned and names >= OURS):
        raise StoreError(
            f"{shown_url(connection.engine)} holds tables but is no evalstore database: "
            "name another one"
        )
    if not versioned:
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(engine: Engine) -> str | None:
    """Bring a database to the newest revision; returns the one it had (None: it was new).

    Two at once are safe: the second waits for the first and finds nothing left to do. All of it
    is one transaction.

    Raises:
        StoreError: it is newer than this program, or holds tables that are not ours.
    """
    from alembic import command  # noqa: PLC0415  (a tenth of a second, needed once per database)
    from alembic.config import Config  # noqa: PLC0415  (as above)

    with database.migrating(engine) as connection:
        before = revision(connection)
        check_not_newer(engine, before)
        if before != HEAD:
            config = Config()
            config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    return before


def check_usable(engine: Engine, revision: str) -> None:
    """Refuse a store that another version of evalstore has made.

    An older one is not upgraded on the way: others may use it with the version they have, there
    is no way back, and a backup comes first.
    """
    check_not_newer(engine, revision)
    if revision < HEAD:
        raise StoreError(
            f"{shown_url(engine)} is at schema {revision}, this evalstore wants {HEAD}",
            problem="older schema",
        )


def check_every_connection(engine: Engine) -> None:
    """Refuse what has taken the place of an open store and is none of this program's version.

    A database can be deleted and made anew, or restored from a backup, while it is in use: its
    connections are then made anew too.
    """

    def check(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute("SELECT version_num FROM alembic_version")
            row = cursor.fetchone()
        except engine.dialect.loaded_dbapi.Error:
            row = None
        finally:
            cursor.close()
            connection.rollback()
        if row is None:
            raise StoreError(f"there is no store at {shown_url(engine)} any more")
        check_usable(engine, row[0])

    event.listen(engine, "connect", check)


def check_not_newer(engine: Engine, revision: str | None) -> None:
    """Refuse a store that a later version of evalstore has migrated."""
    if revision is not None and revision > HEAD:
        raise StoreError(
            f"{shown_url(engine)} is at schema {revision}, this evalstore knows {HEAD}",
            problem="newer schema",
        )
