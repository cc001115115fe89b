"""The abilities that a database needs to hold a store."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, TableClause

from evalstore.store.columns import Column

Answer = tuple[tuple[str, ...], Iterable[Sequence[Any]]]
"""The column names and the rows of a query."""

json_text = partial(json.dumps, ensure_ascii=False)
"""JSON as it is stored: letters as they are, so that SQLite finds a key by its name."""

HIDDEN_TABLES = "server_"
"""The beginning of the names of tables that no SQL of users may read: they hold hashes of passwords
and tokens, and the rights of accounts."""

READS = "evalstore_reads"
WRITES = "evalstore_writes"
"""Execution options of a connection: its next transaction only reads, or writes."""

SHARED = "evalstore_shared"
"""Execution option of a connection that writes: others with this option may write meanwhile."""

COLLECTIONS = "evalstore_collections"
"""Execution option of a restricted engine: the ids of the collections that it reads."""


class Dialect(ABC):
    """One kind of database. The object has no state: methods get the engine or connection."""

    driver: str
    """The only driver that is supported, as SQLAlchemy names it."""

    # --- the location of a store -----------------------------------------------------------------

    @abstractmethod
    def file(self, url: URL) -> Path | None:
        """The file that holds the store; None if there is no single one."""

    @abstractmethod
    def is_missing(self, url: URL) -> bool:
        """Whether the database certainly does not exist; decided without connecting."""

    @abstractmethod
    def check_location(self, url: URL) -> None:
        """Raise a StoreError for a location that can hold no store."""

    @abstractmethod
    def create_missing(self, url: URL) -> None:
        """Make an empty database if it is missing and the program can make one (SQLite only)."""

    # --- connections and transactions ------------------------------------------------------------

    @abstractmethod
    def make_engine(self, url: URL, **options: Any) -> Engine:
        """An engine for READS and WRITES; the options are SQLAlchemy's."""

    @abstractmethod
    def allow_restriction(self, engine: Engine) -> None:
        """Prepare the database for `restricted_engine`, as its owner; may be called again.

        Raises:
            StoreError: the owner lacks a right, which the message names.
        """

    @abstractmethod
    def reader_engine(self, engine: Engine) -> Engine:
        """The engine for `restricted_engine`; a StoreError if the database was not prepared."""

    @abstractmethod
    def restricted_engine(self, reader: Engine, collections: Collection[int]) -> Engine:
        """An engine that reads the rows of some collections only, enforced by the database."""

    @abstractmethod
    def reading_options(self) -> Mapping[str, Any]:
        """Execution options for a transaction that sees one state and can't write."""

    @abstractmethod
    def queueing_options(self) -> Mapping[str, Any]:
        """Execution options for a short transaction that writes rows which nobody else writes.

        It need not wait for writers of other rows, if the database has locks on rows.
        """

    @abstractmethod
    def lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Wait until no other transaction has this key, and hold it until the end of this one.

        Returns:
            Whether another transaction may have written meanwhile; False if transactions that write
            take turns, which need no locks.
        """

    @abstractmethod
    def try_lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Take a lock without waiting; returns whether this transaction has the key now."""

    @abstractmethod
    def migrating(self, engine: Engine) -> AbstractContextManager[Connection]:
        """A connection in a transaction that writes and may change the schema.

        Raises:
            StoreError: afterwards a row would refer to a row that does not exist.
        """

    @abstractmethod
    def run_script(self, connection: Connection, script: str) -> None:
        """Run a script of the migrations folder in the connection's transaction.

        An empty line separates its statements. `{schema}` stands for the schema that is written to,
        if the database has several.
        """

    @abstractmethod
    def asks_to_try_again(self, error: BaseException) -> bool:
        """Whether repeating the transaction can succeed after this error of the driver."""

    @abstractmethod
    def message(self, error: BaseException) -> str:
        """A driver's error in one line, with advice if there is any."""

    # --- rows ------------------------------------------------------------------------------------

    @abstractmethod
    def insert_or_ignore(self, table: Table) -> Any:
        """An INSERT that skips rows whose key exists already."""

    @abstractmethod
    def bulk_insert(
        self,
        connection: Connection,
        table: Table,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        same: Mapping[str, Any],
    ) -> None:
        """Insert many rows through the driver, inside the connection's transaction.

        Args:
            connection: in a writing transaction.
            table: the table to insert into.
            columns: the names of the columns in each row, at least one.
            rows: iterated over once. Those of `measurement` are sorted by measure, those of `hit`
                and `retrieved` by query: PostgreSQL stores lists of them.
            same: further columns with the one value that they have in all rows.
        """

    @abstractmethod
    def insert_columns(
        self,
        connection: Connection,
        table: Table,
        columns: Mapping[str, Column],
        same: Mapping[str, int],
    ) -> None:
        """Insert whole columns without nulls: faster than `bulk_insert` for many rows.

        `columns` has at least one, all of one length, with their rows in the order of
        `bulk_insert`; `same` further columns with the one number that they have in all rows.
        """

    @abstractmethod
    def whole_lists(self, table: Table) -> TableClause:
        """The table behind a model that is a view; else the same table.

        It has at least the first two columns of the key, and one row for all rows of the view with
        the same values in these.
        """

    # --- SQL of users ----------------------------------------------------------------------------

    @abstractmethod
    def read_only_cursor(
        self, engine: Engine, sql: str, seconds: float
    ) -> AbstractContextManager[Answer]:
        """Run one query, on all but HIDDEN_TABLES; the database itself prevents changes.

        On a restricted engine the query sees nothing else than the engine does.

        Raises:
            DataError: the statement is wrong, is no query, or takes longer than `seconds`.
            StoreError: the database can't be read.
        """

    @abstractmethod
    def reader_script(self, url: URL, name: str, relations: Sequence[str]) -> str:
        """SQL that makes a role which can read these tables and views, and nothing else.

        Raises:
            DataError: the name can't be the name of a role.
            StoreError: the database has no roles.
        """

    # --- the database as a whole -----------------------------------------------------------------

    @abstractmethod
    def size(self, engine: Engine) -> int:
        """The bytes that the database takes on disk."""

    @abstractmethod
    def state(self, cursor: Any) -> object:
        """A value that differs after every committed change by others.

        `cursor` is the driver's; values of another connection can't be compared.
        """

    @abstractmethod
    def reclaim_space(self, engine: Engine) -> None:
        """Free the disk space of deleted rows, as far as the database does that."""

    @abstractmethod
    def damages(self, engine: Engine) -> Iterator[str]:
        """The damages that the database itself finds in its files, a line each."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; its type if it has none."""
    return (str(error).strip() or type(error).__name__).split("\n")[0]
