"""Read-only SQL on a PostgreSQL store, enforced by the server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from evalstore.errors import DataError
from evalstore.store.dialects.dialect import HIDDEN_TABLES

LONGEST_TIMEOUT = 2**31 - 1

VOLATILE_BUT_HARMLESS = [
    *("random", "random_normal", "gen_random_uuid", "clock_timestamp", "timeofday", "pg_sleep"),
    *("pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"),
    *("pg_database_size", "bernoulli", "system"),
]
"""Functions that PostgreSQL marks as volatile but that are harmless in a query."""

RUN_SQL_IN_TEXT = [
    *("table_to_xml", "table_to_xmlschema", "table_to_xml_and_xmlschema"),
    *("schema_to_xml", "schema_to_xmlschema", "schema_to_xml_and_xmlschema"),
    *("database_to_xml", "database_to_xmlschema", "database_to_xml_and_xmlschema"),
    *("ts_stat", "ts_rewrite", "crosstab", "crosstab2", "crosstab3", "crosstab4"),
    *("crosstab_hash", "connectby", "xpath_table"),
]
"""Functions that PostgreSQL marks as reading only, but that run tables or SQL given as text."""

SECRETS = [
    *("pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings", "pg_subscription"),
    *("pg_largeobject", "pg_statistic", "pg_hba_file_rules", "pg_file_settings"),
]
"""Tables of the server with passwords and contents of files."""

EFFECTS = """SELECT min(proname) FROM pg_proc WHERE proname = ANY(%s)
AND provolatile = 'v' AND NOT proname = ANY(%s)"""

HIDDEN_RELATIONS = """SELECT min(relation::regclass::text) FROM pg_locks
JOIN pg_class ON pg_class.oid = relation
WHERE pid = pg_backend_pid() AND locktype = 'relation'
AND (starts_with(relname, %s) OR relname IN ('pg_statistic', 'pg_statistic_ext_data'))"""
"""The first table that this transaction has looked at and no user may read.

A statement holds a lock on each table it names, however it writes the name and through whatever
view. `pg_statistic` has values of every column.
"""

DECLARE = "DECLARE answer NO SCROLL CURSOR FOR "

SAME_SCHEMAS = """SELECT set_config('search_path', string_agg(quote_ident(name), ', '), true)
FROM unnest(current_schemas(false)) AS name"""


@contextmanager
def read_only_cursor(
    driver: Any, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query in a read-only transaction with a timeout; `driver` is psycopg's connection.

    DECLARE accepts exactly one query, so a statement that passes it is then run. If allowed, the
    query runs as the role `pg_read_all_data`, which can't call a superuser's functions on files.
    The remaining functions with side effects (settings, locks, other sessions) are refused by
    name.
    """
    import psycopg  # noqa: PLC0415  (only where PostgreSQL is used)

    before = 0
    try:
        with driver.cursor() as cursor:
            milliseconds = min(max(int(seconds * 1000), 1), LONGEST_TIMEOUT)
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(f"SET LOCAL statement_timeout = {milliseconds}")
            cursor.execute("SET LOCAL TimeZone = 'UTC'")
            _refuse_effects(cursor, sql)
            cursor.execute(SAME_SCHEMAS)
            _become_reader(driver)
            # `binary` selects the extended protocol, which takes one statement, never several.
            before = len(DECLARE)
            cursor.execute(f"{DECLARE}{sql}", binary=True)
            before = 0
            _refuse_hidden(cursor)
            cursor.execute("FETCH 0 FROM answer")
            names = tuple(column.name for column in cursor.description or ())
            cursor.execute("CLOSE answer")
            # The server collects all rows of a FETCH before it sends the first one. Streaming the
            # query itself gets one row at a time, however many and however large they are.
            with closing(cursor.stream(sql)) as rows:
                yield names, rows
    except psycopg.errors.QueryCanceled:
        raise _too_slow(seconds) from None
    except psycopg.Error as error:
        message = error.diag.message_primary or str(error).strip() or type(error).__name__
        if "multiple commands" in message:
            message = "one statement at a time"
        line = _line(sql, error.diag.statement_position, before)
        raise DataError(f"SQL: {line}{' '.join(message.split())}") from None


def _line(sql: str, position: str | None, before: int) -> str:
    """`line 3: ` where the server says at which character (from 1) a statement is wrong.

    `before` is how many characters stood before the statement.
    """
    if position is None or "\n" not in sql:
        return ""
    lines_before = sql.count("\n", 0, max(int(position) - 1 - before, 0))
    return f"line {lines_before + 1}: "


def _too_slow(seconds: float) -> DataError:
    return DataError(f"SQL: stopped after {seconds:g} seconds", problem="too slow")


def _refuse_effects(cursor: Any, sql: str) -> None:
    """Refuse functions with side effects, wherever their names occur in the text.

    SQL can't build a name from parts, so every function called is a word of the text. Comments,
    quotes and strings need not be parsed: at worst a harmless word is refused.
    """
    if re.search(r'u&"', sql, re.IGNORECASE):
        raise DataError('SQL: names written with codes (U&"...") are not taken here')
    # With and without $: names may contain it, and it also ends strings ($a$text$a$name).
    words = {word.lower() for word in re.findall(r"[^\W\d]\w*", sql)}
    words |= {word.lower() for word in re.findall(r"[^\W\d][\w$]*", sql)}
    quoted = set(re.findall(r'"([^"]*)"', sql))
    refused = next((name for name in (*RUN_SQL_IN_TEXT, *SECRETS) if name in words), None)
    if refused is None and (row := _first(cursor, [*words, *quoted])):
        refused = row
    if refused is None:
        refused = next((w for w in sorted(words) if w.startswith(("dblink", "lo_"))), None)
    if refused is not None:
        raise DataError(f"SQL: {refused} is not allowed here: only reading is")


def _refuse_hidden(cursor: Any) -> None:
    """Refuse the statement that was just declared if it reads a table that users may not read."""
    (name,) = cursor.execute(HIDDEN_RELATIONS, [HIDDEN_TABLES]).fetchone()
    if name is not None:
        raise DataError(f"SQL: {name} may not be read: only the server itself reads it")


def _first(cursor: Any, words: list[str]) -> str | None:
    cursor.execute(EFFECTS, [words, VOLATILE_BUT_HARMLESS])
    name: str | None = cursor.fetchone()[0]
    return name


def _become_reader(driver: Any) -> None:
    import psycopg  # noqa: PLC0415  (only where PostgreSQL is used)

    try:
        with driver.transaction():  # a savepoint
            driver.execute("SET LOCAL ROLE pg_read_all_data")
    except psycopg.errors.InsufficientPrivilege:
        pass  # the role may not switch; its own rights are limited already


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


ROLE_SCRIPT = """\
-- A role that can log in, read the tables and views of this store, and do nothing else.
-- Run it as the database's owner, in the store's own database; again changes nothing, and after
-- `evalstore db upgrade` it brings what is new:
--     evalstore db readonly-role {name} | psql {database}
-- The role has no password yet: set one with \\password in psql, or let pg_hba.conf tell it.
BEGIN;
SET LOCAL standard_conforming_strings = on;
DO $evalstore$
DECLARE
    reader CONSTANT text := {literal};
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = reader) THEN
        EXECUTE format('CREATE ROLE %I', reader);
    END IF;
    EXECUTE format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION '
        'NOBYPASSRLS', reader);
    -- Its sessions begin like this; the rights below are what holds.
    EXECUTE format('ALTER ROLE %I SET default_transaction_read_only = on', reader);
    EXECUTE format('ALTER ROLE %I SET statement_timeout = ''60s''', reader);
    -- PostgreSQL lets everybody make tables of their own here unless told otherwise.
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), reader);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), reader);
END
$evalstore$;
GRANT SELECT ON
    {relations}
TO {identifier};
COMMIT;
"""


def reader_script(name: str, database: str, relations: Sequence[str]) -> str:
    """SQL that makes a role which can read these tables and views, and nothing else."""
    if not name or len(name.encode()) > 63 or not name.isprintable() or "$" in name:
        raise DataError(f"{name!r} can't be the name of a role here: take letters and digits")
    return ROLE_SCRIPT.format(
        name=name,
        database=database if database.isprintable() else "DATABASE",
        literal=_literal(name),
        identifier=_identifier(name),
        relations=",\n    ".join(_identifier(relation) for relation in relations),
    )
