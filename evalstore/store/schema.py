"""The schema version of a store: read it, check it, upgrade to the version of this program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, inspect, text

from evalstore.errors import EvalstoreError, StoreError, nearest
from evalstore.store import database, models
from evalstore.store.database import is_missing, shown_url
from evalstore.store.dialects import dialect_of
from evalstore.store.dialects.postgres_reading import LISTS
from evalstore.store.dialects.sqlite import WITHOUT_FOREIGN_KEYS
from evalstore.store.views import VIEWS

HEAD = "0016"
"""The newest migration; a test compares this with the migrations."""

VERSIONS = "alembic_version"
OURS = {"collection", "qrels", "run", "evaluation"}
"""Tables that every store has had since the first migration; they identify a store."""


def migrations_folder() -> Path:
    """The folder of the migrations: in an installed wheel, or at the top of the checkout."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "_migrations"
    return shipped if shipped.is_dir() else package.parent / "migrations"


def revision(connection: Connection) -> str | None:
    """The migration that a database was last upgraded to; None for an empty database.

    Raises:
        StoreError: it holds tables of another program, which may also have an `alembic_version`.
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
    return version(connection)


def create(engine: Engine) -> None:
    """Make an empty database a store of the newest revision; upgrade a non-empty one to it.

    The migrations folder has one script with the result of all migrations (a test compares both),
    because running the migrations takes half a second.

    Raises:
        StoreError: the database is newer than this program, or holds tables of another program.
    """
    script = migrations_folder() / f"{HEAD}.{engine.dialect.name}.sql"
    if script.is_file():
        with database.migrating(engine) as connection:
            if revision(connection) is None:
                dialect_of(connection).run_script(connection, script.read_text(encoding="utf-8"))
                return
    upgrade(engine)


def upgrade(engine: Engine) -> str | None:
    """Upgrade a database to the newest revision; returns its old revision (None if it was empty).

    Two simultaneous upgrades are safe: the second waits for the first and then has nothing to do.
    An upgrade is one transaction.

    Raises:
        StoreError: the database is newer than this program, or holds tables of another program.
    """
    from alembic import command  # noqa: PLC0415  (takes 0.1 s, needed once per database)
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
    """Refuse a store whose schema version is not this program's.

    An older store is not upgraded automatically: others may still use it with an older evalstore,
    an upgrade can't be undone, and a backup should be made first.
    """
    check_not_newer(engine, revision)
    if revision < HEAD:
        raise StoreError(
            f"{shown_url(engine)} is at schema {revision}, this evalstore wants {HEAD}",
            problem="older schema",
        )


def check_every_connection(engine: Engine) -> None:
    """Check the schema version on every new connection of an open store.

    A database can be replaced while it is in use. Its connections are then reopened and may find
    another version or no store.
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


def version(connection: Connection) -> str | None:
    """The schema version of an open store at this moment: it may have been upgraded since."""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def check_still_usable(connection: Connection) -> None:
    """Refuse an open store whose schema version is not this program's any more."""
    check_usable(connection.engine, version(connection) or "")


def check_not_newer(engine: Engine, revision: str | None) -> None:
    """Refuse a store that a later version of evalstore has migrated."""
    if revision is not None and revision > HEAD:
        raise StoreError(
            f"{shown_url(engine)} is at schema {revision}, this evalstore knows {HEAD}",
            problem="newer schema",
        )


# The schema itself, compared with what its revision should be


def wrong_parts(connection: Connection) -> list[str]:
    """Sentences on tables, columns, indexes, keys and views that are not those of `HEAD`.

    A store of an unreleased revision can have the number of a later one, and not its tables.
    """
    from alembic.autogenerate import compare_metadata  # noqa: PLC0415  (takes 0.1 s)
    from alembic.migration import MigrationContext  # noqa: PLC0415  (as above)

    inspected = inspect(connection)
    there = set(inspected.get_view_names())

    def is_alike(thing: Any, name: str | None, kind: str, *_: object) -> bool:
        """Whether the models describe it for both databases."""
        if kind == "foreign_key_constraint":  # triggers and evalstore itself check these tables
            return thing.table.name not in WITHOUT_FOREIGN_KEYS
        return kind != "table" or name not in there | {lists.table for lists in LISTS.values()}

    options = {"compare_type": True, "include_object": is_alike}
    context = MigrationContext.configure(connection, opts=options)
    found = compare_metadata(context, models.Base.metadata)
    # A changed column is a list of changes; else the kind of difference comes first.
    changes = [change for one in found for change in (one if isinstance(one, list) else [one])]
    sentences = [_sentence(str(change[0]), change) for change in changes]
    for view in VIEWS:
        if view.name not in there:
            sentences.append(f"the view {view.name} is missing")
            continue
        columns = [column["name"] for column in inspected.get_columns(view.name)]
        if columns != list(view.columns):
            sentences.append(f"the view {view.name} has other columns: {', '.join(columns)}")
    return sentences


def _sentence(kind: str, change: Sequence[Any]) -> str:
    """A difference that alembic found, in words; "add" is what the store lacks."""
    action, _, what = kind.partition("_")
    if action == "modify":
        return f"the column {change[2]}.{change[3]} has another {what}"
    thing = change[-1]
    table = getattr(thing, "table", None)
    name = thing.name if what == "table" or table is None else f"{table.name}.{thing.name}"
    words = {"fk": "foreign key"}.get(what, what.replace("_", " "))
    return f"the {words} {name} is {'missing' if action == 'add' else 'not of this schema'}"


# The error for a missing store, which names other stores in the same folder

MOST = 50
"""The largest number of files examined, as a folder may hold thousands."""

SECONDS = 1.0


class NoStore(StoreError):
    """There is no store at an address."""


def no_store(engine: Engine) -> NoStore:
    """The error for a missing store, naming stores in the same folder that may be meant."""
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
    """The names of the files *.db in a folder that hold a store; reads them without changes."""
    files = islice((file for file in folder.glob("*.db") if file.is_file()), MOST)
    return sorted(file.name for file in files if holds_store(file))


def holds_store(file: Path) -> bool:
    """Whether a file is a database with a version of evalstore's schema."""
    try:
        engine = database.make_engine(str(file.absolute()))
        try:
            version = f"SELECT version_num FROM {VERSIONS}"  # noqa: S608  (our own name)
            with database.read_only_cursor(engine, version, SECONDS) as (_, rows):
                return len(list(rows)) == 1
        finally:
            engine.dispose()
    except EvalstoreError:
        return False
