"""The interface of a database that can hold a store."""

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
"""JSON as it is stored: non-ASCII letters unescaped, so that SQLite finds a key by its name."""

LONGEST_VALUE = 2 << 20
"""Bytes of a value in an answer to SQL of users. A row is in memory twice, as the database's and as
Python's: of `MOST_COLUMNS` such values 400 MB at most."""
MOST_COLUMNS = 100

HIDDEN_TABLES = "server_"
"""The prefix of tables that users' SQL may not read: they hold hashes of passwords and tokens, and
the rights of accounts.
"""

READS = "evalstore_reads"
WRITES = "evalstore_writes"
"""Execution options of a connection whose next transaction only reads, or writes."""

SHARED = "evalstore_shared"
"""Execution option of a writing connection: others with this option may write at the same time."""

COLLECTIONS = "evalstore_collections"
"""Execution option of a restricted engine: the ids of the collections that it reads."""


class Dialect(ABC):
    """One kind of database, without state of its own: methods get the engine or connection."""

    driver: str
    """The only supported driver, by SQLAlchemy's name."""

    # --- the location of a store -----------------------------------------------------------------

    @abstractmethod
    def file(self, url: URL) -> Path | None:
        """The file that holds the store; None if there is no single one."""

    @abstractmethod
    def is_missing(self, url: URL) -> bool:
        """Whether the database certainly doesn't exist, decided without connecting."""

    @abstractmethod
    def check_location(self, url: URL) -> None:
        """Raise a StoreError if the location can't hold a store."""

    @abstractmethod
    def create_missing(self, url: URL) -> None:
        """Make an empty database if it is missing and this program can make one (SQLite only)."""

    # --- connections and transactions ------------------------------------------------------------

    @abstractmethod
    def make_engine(self, url: URL, **options: Any) -> Engine:
        """An engine for transactions with READS or WRITES; the options are SQLAlchemy's."""

    @abstractmethod
    def allow_restriction(self, engine: Engine) -> None:
        """Prepare the database for `restricted_engine`, as its owner; may be called again.

        Raises:
            StoreError: the owner lacks a permission, which the message names.
        """

    @abstractmethod
    def reader_engine(self, engine: Engine) -> Engine:
        """The engine for `restricted_engine`; a StoreError if the database was not prepared."""

    @abstractmethod
    def restricted_engine(self, reader: Engine, collections: Collection[int]) -> Engine:
        """An engine that can read only the rows of some collections; the database enforces this."""

    @abstractmethod
    def reading_options(self) -> Mapping[str, Any]:
        """Execution options for a transaction that sees one state and can't write."""

    @abstractmethod
    def queueing_options(self) -> Mapping[str, Any]:
        """Execution options for a short transaction that writes rows which nobody else writes.

        If the database can lock single rows, it doesn't wait for writers of other rows.
        """

    @abstractmethod
    def lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Wait until no other transaction has this key, and hold it until the end of this one.

        Returns:
            Whether another transaction may have written meanwhile; False if writing transactions
            run one after the other, which need no locks.
        """

    @abstractmethod
    def try_lock(self, connection: Connection, key: Sequence[object]) -> bool:
        """Take a lock without waiting; returns whether this transaction now holds it."""

    @abstractmethod
    def migrating(self, engine: Engine) -> AbstractContextManager[Connection]:
        """A connection in a transaction that writes and may change the schema.

        Raises:
            StoreError: afterwards a row would refer to a row that does not exist.
        """

    @abstractmethod
    def run_script(self, connection: Connection, script: str) -> None:
        """Run a script of the migrations folder in the connection's transaction.

        An empty line separates its statements. `{schema}` is replaced by the schema that is written
        to, if the database has schemas.
        """

    @abstractmethod
    def asks_to_try_again(self, error: BaseException) -> bool:
        """Whether repeating the transaction can succeed after this error of the driver."""

    @abstractmethod
    def message(self, error: BaseException) -> str:
        """The error of a driver in one line, with advice if there is any."""

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
            rows: iterated over once. Rows of `measurement` are sorted by measure, those of `hit`
                and `retrieved` by query, because PostgreSQL stores them as lists.
            same: further columns that have one value in all rows, with this value.
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

        `columns` has at least one column; all have the same length and the order of rows that
        `bulk_insert` needs. `same` has further columns, with one number for all rows.
        """

    @abstractmethod
    def whole_lists(self, table: Table) -> TableClause:
        """The table behind a model that is a view; otherwise the table itself.

        It has at least the first two columns of the view's key, and one row for all rows of the
        view that have the same values in these two.
        """

    # --- SQL of users ----------------------------------------------------------------------------

    @abstractmethod
    def read_only_cursor(
        self, engine: Engine, sql: str, seconds: float
    ) -> AbstractContextManager[Answer]:
        """Run one query, which can't read HIDDEN_TABLES; the database itself prevents changes.

        On a restricted engine, the query sees only what the engine sees.

        Raises:
            DataError: the statement is wrong, isn't a query, or takes longer than `seconds`.
            StoreError: the database can't be read.
        """

    @abstractmethod
    def reader_script(self, url: URL, name: str, relations: Sequence[str]) -> str:
        """SQL that makes a role which can read only these tables and views.

        Raises:
            DataError: the name can't be used for a role.
            StoreError: the database has no roles.
        """

    # --- the database as a whole -----------------------------------------------------------------

    @abstractmethod
    def size(self, engine: Engine) -> int:
        """The disk space of the database, in bytes."""

    @abstractmethod
    def state(self, cursor: Any) -> object:
        """A value that is different after each change committed by others.

        `cursor` is the driver's; only values from the same connection can be compared.
        """

    @abstractmethod
    def reclaim_space(self, engine: Engine) -> None:
        """Free the disk space of deleted rows, as far as the database supports that."""

    @abstractmethod
    def damages(self, engine: Engine) -> Iterator[str]:
        """The damages that the database itself finds in its files, one line each."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message; the error's type if it has no message."""
    return (str(error).strip() or type(error).__name__).split("\n")[0]
