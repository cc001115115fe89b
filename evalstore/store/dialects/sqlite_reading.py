"""Read-only SQL on a SQLite store, enforced by SQLite itself."""

from __future__ import annotations

import re
import secrets
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from evalstore.errors import DataError, StoreError
from evalstore.store.dialects.dialect import HIDDEN_TABLES, LONGEST_VALUE, MOST_COLUMNS
from evalstore.store.restriction import ROWS, condition, select_ids
from evalstore.store.views import VIEWS

BUSY_SECONDS = 60
HARMLESS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
TABLES_OF_SQLITE = {"sqlite_master", "sqlite_schema", "sqlite_sequence", "sqlite_temp_master"}
"""Tables that don't show rows of other tables; sqlite_stat4 and sqlite_dbpage would."""


@contextmanager
def read_only_cursor(
    path: str,
    sql: str,
    seconds: float,
    collections: Collection[int] | None = None,
    publishing: Collection[int] = (),
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query on a file opened with mode=ro, with an authorizer that allows only reading.

    If ids of collections are given, it reads only the rows of these collections, and assessments
    only of `publishing`.
    """
    end = time.monotonic() + seconds
    connection = open_read_only(Path(path).resolve())
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        if collections is None:
            with closing(connection.cursor()) as cursor:
                _declare_table_functions(cursor)
            connection.set_authorizer(_only_reading)
        else:
            connection.execute("BEGIN")  # rows are hidden and read in the same state of the store
            restrict_statement(connection, collections, publishing, sql)
        answer = connection.execute(sql)
        yield tuple(column[0] for column in answer.description or ()), answer
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise _refusal(error, sql, seconds) from None
    finally:
        connection.close()


def open_read_only(path: Path, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """Open a connection that can't write.

    A database with a write-ahead log has two more files in its folder, made by the first process
    that opens it. If they can't be made and the log is empty, nobody is writing, so the file is
    opened as immutable.
    """
    message = ""
    log = path.with_name(f"{path.name}-wal")
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        uri = f"{path.as_uri()}?{mode}"
        connection = sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=check_same_thread
        )
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            connection.close()
            message = str(error)
            if log.exists() and log.stat().st_size:
                message += f": {log.name} holds changes that can't be read without writing here"
                break
        else:
            return connection
    raise StoreError(f"{path}: {message}")


def _only_reading(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and not is_safe(second):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_READ and _is_hidden((first or "").lower()):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in HARMLESS else sqlite3.SQLITE_DENY


def _is_hidden(table: str) -> bool:
    if table.startswith(("sqlite_", "dbstat")):
        return table not in TABLES_OF_SQLITE
    return table.startswith(HIDDEN_TABLES)


def _refusal(error: Exception, sql: str, seconds: float) -> DataError:
    message = str(error)
    if message == "interrupted":
        return DataError(f"SQL: stopped after {seconds:g} seconds", problem="too slow")
    if "is prohibited" in message:  # as in: access to server_token.hash is prohibited
        return DataError(f"SQL: {message}: only the server itself reads this table")
    if "not authorized" in message:
        return DataError(f"SQL: {message}: only reading is allowed here")
    if "one statement at a time" in message:
        return DataError("SQL: one statement at a time")
    line = error_line(sql, message)
    return DataError(f"SQL: {f'line {line}: ' if line else ''}{message}")


# Finding the line of an error in a statement: Python's sqlite3 gives only the message

TEXTS_AND_COMMENTS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
SYNTAX_ERROR = re.compile(r'near "(.*)": syntax error', re.DOTALL)
UNKNOWN_TOKEN = re.compile(r'unrecognized token: "(.*)"', re.DOTALL)
NAMED = re.compile(r"(?:no such (?:column|table|function)|ambiguous column name): (.*)", re.DOTALL)


def error_line(sql: str, message: str) -> int | None:
    """The line of the error, from 1; None if unknown, or if the statement has only one line."""
    if "\n" not in sql:
        return None
    if message == "incomplete input":
        return sql.rstrip().count("\n") + 1
    if match := SYNTAX_ERROR.fullmatch(message):
        return _syntax_error_line(sql, match[1])
    if match := UNKNOWN_TOKEN.fullmatch(message):
        return sql.count("\n", 0, max(sql.find(match[1]), 0)) + 1
    if match := NAMED.fullmatch(message):
        return _only_line_of(sql, match[1].split(".")[-1])
    return None


def _syntax_error_line(sql: str, word: str) -> int | None:
    """The line of the word at which SQLite stops reading.

    A statement that is cut off after an earlier occurrence of the word does not have this error.
    """
    ends = [match.end() for match in re.finditer(re.escape(word), sql)]
    with closing(sqlite3.connect(":memory:")) as connection:

        def is_refused(end: int) -> bool:
            try:
                # With EXPLAIN nothing is run. The database is empty and in memory.
                connection.execute(f"EXPLAIN {sql[:end]}")
            except (sqlite3.Error, sqlite3.Warning) as error:
                return SYNTAX_ERROR.fullmatch(str(error)) is not None
            return False

        number = bisect_left(ends, True, key=is_refused)
    return sql.count("\n", 0, ends[number]) + 1 if number < len(ends) else None


def _only_line_of(sql: str, name: str) -> int | None:
    """The line with a name, if only one line has it; texts and comments are ignored."""
    blank = TEXTS_AND_COMMENTS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), sql)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    lines = {blank.count("\n", 0, match.start()) + 1 for match in word.finditer(blank)}
    return lines.pop() if len(lines) == 1 else None


# Connections to a SQLite store that can read only some collections, enforced by SQLite itself.
#
# SQLite has no users. So a restricted connection gets temporary views with the names of the tables,
# which SQLite finds before the tables, and an authorizer, which SQLite asks while it compiles a
# statement: only these views can read a column of a table.
#
# Three ways around this were tried and are closed:
#
# - The authorizer gets the name of the view that reads a table, but a table defined by WITH counts
#   as a view. So the names of the views that read tables contain a secret of the connection, which
#   is made after the user has written the statement.
# - For the authorizer, `SELECT count(*) FROM main.run` looks the same as a view whose columns are
#   not needed. So the user's statement is first compiled in an empty database that has only the
#   names that may be read; its errors come from there too.
# - SQLite may evaluate a condition of a statement before the condition of the view that it reads
#   from. An error or the running time could then reveal something about a hidden row. So the views
#   that the user's statement reads end with LIMIT: SQLite moves no condition into such a view. This
#   prevents the use of indexes, so it is done only if rows are hidden.

NAMES = {**dict.fromkeys(ROWS), **{view.name: view for view in VIEWS}}
"""The tables and public views that can be read, by name."""

TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})
OPEN = {*TABLE_FUNCTIONS, "alembic_version"}
"""Tables that may be read directly: nothing in them belongs to a collection."""

UNSAFE_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE}
IN_TRANSACTION = {sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT}

EVERY_ROW_FIRST = "\nLIMIT -1 OFFSET 0"
"""A clause at the end of a view that keeps SQLite from moving a condition into the view."""


def restrict(connection: sqlite3.Connection, collections: Collection[int]) -> None:
    """Let a connection read the rows of some collections only, until it is closed.

    The connection can then run statements of this program, which name no public views and no
    schemas of tables. It must be outside a transaction and not restricted yet.
    """
    secret = _secret()
    ids = {"collection": collections, "publishing": collections}
    with closing(connection.cursor()) as cursor:
        _make_views(cursor, secret, ids, dict.fromkeys(ROWS, ""))
        cursor.execute("PRAGMA query_only = ON")
    connection.set_authorizer(partial(_authorize, secret, READING | IN_TRANSACTION))


def restrict_statement(
    connection: sqlite3.Connection,
    collections: Collection[int],
    publishing: Collection[int],
    sql: str,
) -> None:
    """Restrict a connection for one statement of a user, and check the statement.

    Raises:
        sqlite3.Error: the statement isn't a query, is wrong, or reads something else.
    """
    secret, text = _secret(), sql.lower()
    names = [name for name in NAMES if name in text]
    ids = {"collection": collections, "publishing": publishing}
    with closing(connection.cursor()) as cursor:
        columns = {name: _columns(cursor, name) for name in names}
        _check(sql, columns)
        end = EVERY_ROW_FIRST if _are_rows_hidden(cursor, ids) else ""
        # Their rows may be hidden in a collection that is not, or belong to none any more; no
        # public view reads them.
        alone = ("event", "assessment")
        ends = {name: EVERY_ROW_FIRST if name in alone else end for name in names}
        _make_views(cursor, secret, ids, ends)
        cursor.execute("PRAGMA query_only = ON")
    connection.set_authorizer(partial(_authorize, secret, READING))


def _secret() -> str:
    """A random prefix for names of views, so that no statement can guess them."""
    return f"restricted_{secrets.token_hex(16)}_"


def _authorize(
    secret: str,
    allowed: Collection[int],
    action: int,
    first: str | None,
    second: str | None,
    schema: str | None,
    view: str | None,
) -> int:
    """Allow reading the views, allow the views to read their tables, and allow some actions."""
    if action == sqlite3.SQLITE_READ:
        if second == "":
            # No column is read from a table or view in FROM, and the view's name is not known here.
            # The statement names only permitted tables, as it is our own or was checked.
            may = first in ROWS or schema != "main"
        elif schema == "main":
            may = first in OPEN or (first in ROWS and (view or "").startswith(secret))
        else:
            may = first is not None and (first in NAMES or first.startswith(secret))
    elif action == sqlite3.SQLITE_FUNCTION:
        may = is_safe(second)
    else:
        may = action in allowed
    return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY


def _declare_table_functions(cursor: sqlite3.Cursor) -> None:
    """Use the table functions once: this declares their columns, like a change of the schema."""
    for function in sorted(TABLE_FUNCTIONS):
        cursor.execute(f"SELECT count(*) FROM {function}('[]')").fetchone()  # noqa: S608  (names of our own)


def _are_rows_hidden(cursor: sqlite3.Cursor, given: Mapping[str, Collection[int]]) -> bool:
    """Whether a public view could read a row that must stay hidden."""
    return any(
        cursor.execute(
            f'SELECT EXISTS (SELECT 1 FROM main."{table}" WHERE NOT ({_rows(table, given)}))'  # noqa: S608  (names of our own)
        ).fetchone()[0]
        for table in ("collection", "engine", "experiment", "measure")
    )


def _rows(table: str, given: Mapping[str, Collection[int]]) -> str:
    """The condition on the rows of a table that may be read; `given` are the first ids by name."""

    def ids(name: str) -> str:
        if name in given:
            return _list(given[name])
        return f"({select_ids(name, ids, 'main')})"

    # Because of the +, the condition doesn't select an index: statements keep the plans that they
    # have without it.
    return re.sub(r"(^|AND )(\w+) IN ", r"\1+\2 IN ", condition(table, ids))


def _make_views(
    cursor: sqlite3.Cursor,
    secret: str,
    given: Mapping[str, Collection[int]],
    ends: Mapping[str, str],
) -> None:
    """Make the views that read tables, and views for some names of `NAMES`, by the end of each."""
    _declare_table_functions(cursor)
    for table in ROWS:
        rows = f'SELECT * FROM main."{table}" WHERE {_rows(table, given)}'  # noqa: S608  (names of our own)
        cursor.execute(f'CREATE TEMP VIEW "{secret}{table}" AS {rows}')
    # Inside a public view the tables have no LIMIT, so its own conditions can use indexes.
    tables = ",\n".join(
        f'"{table}" AS NOT MATERIALIZED (SELECT * FROM "{secret}{table}")'  # noqa: S608  (names of our own)
        for table in ROWS
    )
    for name, end in ends.items():
        view = NAMES[name]
        rows = f'SELECT * FROM "{secret}{name}"' if view is None else f"WITH {tables}\n{view.query}"  # noqa: S608  (names of our own)
        cursor.execute(f'CREATE TEMP VIEW "{name}" AS {rows}{end}')


def _list(collections: Collection[int]) -> str:
    return f"({', '.join(str(int(each)) for each in sorted(collections))})"


def _columns(cursor: sqlite3.Cursor, name: str) -> list[str]:
    cursor.execute("SELECT name FROM pragma_table_info(?, 'main')", (name,))
    return [row[0] for row in cursor]


def is_safe(function: str | None) -> bool:
    """Whether a function neither reads nor writes files."""
    return (function or "").lower() not in UNSAFE_FUNCTIONS


def _check(sql: str, columns: Mapping[str, Collection[str]]) -> None:
    """Compile a statement in a database that has only these views, without rows.

    Raises:
        sqlite3.Error: the statement isn't a query, is wrong, or reads something else.
    """
    with closing(sqlite3.connect(":memory:")) as empty:
        _declare_table_functions(empty.cursor())
        for view, names in columns.items():
            nulls = ", ".join(f'NULL AS "{name}"' for name in names)
            empty.execute(f'CREATE TEMP VIEW "{view}" AS SELECT {nulls}')
        modules = {row[0] for row in empty.execute("SELECT name FROM pragma_module_list")}

        def authorize(
            action: int, first: str | None, second: str | None, schema: str | None, _: str | None
        ) -> int:
            name = (first or "").lower()
            if action == sqlite3.SQLITE_READ:
                # Without a schema, no column is read from a name in FROM, as in `SELECT count(*)`.
                # The name is a view, or the statement defines it.
                named = (name in NAMES and schema == "temp") or (schema is None and second == "")
                own = not name.startswith(("sqlite_", "pragma_")) and name not in modules
                may = name in TABLE_FUNCTIONS or (named and own)
            elif action == sqlite3.SQLITE_FUNCTION:
                may = is_safe(second)
            else:
                may = action in READING
            return sqlite3.SQLITE_OK if may else sqlite3.SQLITE_DENY

        empty.set_authorizer(authorize)
        # EXPLAIN computes nothing, and fails if the statement itself begins with EXPLAIN.
        empty.execute(f"EXPLAIN {sql}").close()
