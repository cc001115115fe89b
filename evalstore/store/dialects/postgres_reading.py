"""Read-only SQL on a PostgreSQL store, enforced by the server."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection

from evalstore.errors import DataError, StoreError
from evalstore.store.dialects.dialect import HIDDEN_TABLES, LONGEST_VALUE, MOST_COLUMNS
from evalstore.store.restriction import IDS, ROWS, condition, select_ids
from evalstore.store.views import VIEWS

LONGEST_TIMEOUT = 2**31 - 1

VOLATILE_BUT_HARMLESS = [
    *("random", "random_normal", "gen_random_uuid", "clock_timestamp", "timeofday", "pg_sleep"),
    *("pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"),
    *("pg_database_size", "bernoulli", "system"),
]
"""Functions that PostgreSQL marks as volatile but that do no harm in a query."""

RUN_SQL_IN_TEXT = [
    *("table_to_xml", "table_to_xmlschema", "table_to_xml_and_xmlschema"),
    *("schema_to_xml", "schema_to_xmlschema", "schema_to_xml_and_xmlschema"),
    *("database_to_xml", "database_to_xmlschema", "database_to_xml_and_xmlschema"),
    *("ts_stat", "ts_rewrite", "crosstab", "crosstab2", "crosstab3", "crosstab4"),
    *("crosstab_hash", "connectby", "xpath_table"),
]
"""Functions that PostgreSQL marks as read-only but that read tables, or run SQL, given as text."""

SECRETS = [
    *("pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings", "pg_subscription"),
    *("pg_largeobject", "pg_statistic", "pg_hba_file_rules", "pg_file_settings"),
]
"""Tables of the server with passwords or contents of files."""

EFFECTS = """SELECT min(proname) FROM pg_proc WHERE proname = ANY(%s)
AND provolatile = 'v' AND NOT proname = ANY(%s)"""

HIDDEN_RELATIONS = """SELECT min(relation::regclass::text) FROM pg_locks
JOIN pg_class ON pg_class.oid = relation
WHERE pid = pg_backend_pid() AND locktype = 'relation'
AND (starts_with(relname, %s) OR relname IN ('pg_statistic', 'pg_statistic_ext_data'))"""
"""The first table read by this transaction that no user may read.

A statement holds a lock on each table that it reads, also through a view or another name.
`pg_statistic` contains values of every column.
"""

DECLARE = "DECLARE answer NO SCROLL CURSOR FOR "

SAME_SCHEMAS = """SELECT set_config('search_path', string_agg(quote_ident(name), ', '), true)
FROM unnest(current_schemas(false)) AS name"""


@contextmanager
def read_only_cursor(
    driver: Any, sql: str, seconds: float
) -> Iterator[tuple[tuple[str, ...], Iterable[Sequence[Any]]]]:
    """Run one query in a read-only transaction with a timeout; `driver` is psycopg's connection.

    The statement is first given to DECLARE, which accepts exactly one query. If allowed, the query
    runs as the role `pg_read_all_data`, which can't call a superuser's functions on files. Other
    functions with side effects (settings, locks, other sessions) are refused by name.
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
            # `binary` selects the extended protocol, which accepts only one statement.
            before = len(DECLARE)
            cursor.execute(f"{DECLARE}{sql}", binary=True)
            before = 0
            _refuse_hidden(cursor)
            cursor.execute("FETCH 0 FROM answer")
            described = cursor.description or ()
            cursor.execute("CLOSE answer")
            bounded = _bounded(driver, sql, [column.type_code for column in described])
            # The server collects all rows of a FETCH before it sends the first one. Streaming the
            # query itself gets one row at a time, so many rows need no memory here.
            with closing(cursor.stream(bounded)) as rows:
                yield tuple(column.name for column in described), _without_size(rows)
    except psycopg.errors.QueryCanceled:
        raise _too_slow(seconds) from None
    except psycopg.Error as error:
        message = error.diag.message_primary or str(error).strip() or type(error).__name__
        if "multiple commands" in message:
            message = "one statement at a time"
        line = _line(sql, error.diag.statement_position, before)
        raise DataError(f"SQL: {line}{' '.join(message.split())}") from None


BYTES_AND_TEXTS = (17, 18, 19, 25, 1042, 1043)
"""The numbers of types whose length in bytes is known without unpacking: bytea, text, varchar..."""
MOST_SEMICOLONS = 50


def _bounded(driver: Any, sql: str, types: Sequence[int]) -> str:
    """The query with one column more: the bytes of the largest value; larger values are null.

    So no value of more than `LONGEST_VALUE` bytes leaves the server. `OFFSET 0` keeps the query in
    one piece: each value is computed once. A statement may end in semicolons and comments, which
    can't be in parentheses: it is cut at the first semicolon that ends it.
    """
    import psycopg  # noqa: PLC0415  (only where PostgreSQL is used)

    if len(types) > MOST_COLUMNS:
        raise DataError(f"SQL: more than {MOST_COLUMNS} columns")
    names = [f"c{number}" for number in range(len(types))]
    sizes = {
        name: f"octet_length({name})" if type_ in BYTES_AND_TEXTS else f"pg_column_size({name})"
        for name, type_ in zip(names, types, strict=True)
    }
    values = [
        f"CASE WHEN {size} <= {LONGEST_VALUE} THEN {name} END" for name, size in sizes.items()
    ]
    largest = f"coalesce(greatest({', '.join(sizes.values())}), 0)" if names else "0"
    called = f"({', '.join(names)})" if names else ""
    ends = [len(sql), *(match.start() for match in re.finditer(";", sql))][: MOST_SEMICOLONS + 1]
    for end in ends:
        bounded = (
            f"SELECT {', '.join([*values, largest])} FROM "  # noqa: S608  (names of our own)
            f"(SELECT * FROM ({sql[:end]}\n) AS q{called} "
            "OFFSET 0) AS q"
        )
        try:
            with driver.transaction():  # a savepoint
                driver.execute(f"{DECLARE}{bounded}", binary=True)
                driver.execute("CLOSE answer")
        except psycopg.errors.SyntaxError:
            continue
        return bounded
    raise DataError("SQL: write the statement without a semicolon")


def _without_size(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows of a bounded query without the column of sizes; DataError for a large value."""
    for row in rows:
        if row[-1] > LONGEST_VALUE:
            raise DataError(f"SQL: a value of more than {LONGEST_VALUE >> 20} MiB")
        yield row[:-1]


def _line(sql: str, position: str | None, before: int) -> str:
    """A prefix like `line 3: `, if the server gives the position of an error.

    Positions are in characters from 1; `before` is the number of characters before the statement.
    """
    if position is None or "\n" not in sql:
        return ""
    lines_before = sql.count("\n", 0, max(int(position) - 1 - before, 0))
    return f"line {lines_before + 1}: "


def _too_slow(seconds: float) -> DataError:
    return DataError(f"SQL: stopped after {seconds:g} seconds", problem="too slow")


def _refuse_effects(cursor: Any, sql: str) -> None:
    """Refuse functions with side effects, wherever their names occur in the text.

    SQL can't build a name from parts, so every called function is a word in the text. A harmless
    word in a comment or string may be refused too.
    """
    if re.search(r'u&"', sql, re.IGNORECASE):
        raise DataError('SQL: names written with codes (U&"...") are not taken here')
    # Words are split with and without $: names may contain it, and it also ends strings
    # ($a$text$a$name).
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
    """Refuse the statement just declared if it reads a table that users may not read."""
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
        pass  # this role may not switch to another; its own rights are already limited


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
    """SQL that makes a role which can read only these tables and views."""
    if not name or len(name.encode()) > 63 or not name.isprintable() or "$" in name:
        raise DataError(f"{name!r} can't be the name of a role here: take letters and digits")
    return ROLE_SCRIPT.format(
        name=name,
        database=database if database.isprintable() else "DATABASE",
        literal=_literal(name),
        identifier=_identifier(name),
        relations=",\n    ".join(_identifier(relation) for relation in relations),
    )


# Connections to a PostgreSQL store that can read only some collections, enforced by the server.
#
# They log in as a separate role, the reader. It owns nothing and may read only tables that have a
# rule, and row-level security shows it only the rows of some collections. The collections, and
# after a semicolon those whose assessments it sees, are a setting of the transaction, with a proof
# that only this program can make: if a statement managed to change the setting, it would see
# nothing.
#
# Simpler ways that fail:
#
# - SET ROLE can be undone within a user's statement (`set_config('role', ...)`).
# - Views with `security_barrier` can't use the indexes of the tables in a join; without it,
#   a user's conditions are evaluated on hidden rows, whose values then appear in error messages.
# - Statistics of tables and statements of other sessions are open to everyone, in tables and
#   functions that begin with pg_; a user's statement must not name one.

SCHEMA = "evalstore_restricted"
ACCESS = f"{SCHEMA}.access"
"""The schema of the objects made here, and its table that only the owner can read."""

VERSIONS = "alembic_version"
OLDEST = 15
"""The first PostgreSQL version whose views can be read with the rights of the reader."""

RESTRICTION, OTHERS = "evalstore_restricted", "evalstore_others"
"""The policies for the reader, and for all other roles, which see every row."""

REFUSED = re.compile(
    r"pg_(?!typeof$)|information_schema$|current_setting$|has_\w+_privilege$|txid_|"
    r"evalstore_restricted$",
    re.IGNORECASE,
)
"""Words by which a statement asks the server for more than the store."""

COLLECTIONS_FUNCTION = """
CREATE OR REPLACE FUNCTION evalstore_restricted.{name}() RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
SELECT unnest(string_to_array(split_part(asked.ids, ';', {part}), ',')::integer[])
FROM evalstore_restricted.access, (
    SELECT current_setting('evalstore.collections', true) AS ids,
           current_setting('evalstore.proof', true) AS proof
) AS asked
WHERE asked.proof = encode(sha256(access.secret || sha256(access.secret
    || convert_to(pg_backend_pid()::text || ':' || asked.ids, 'UTF8'))), 'hex')
$$"""

IDS_FUNCTION = """
CREATE OR REPLACE FUNCTION {schema}.ids_of_{name}() RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
{select}
$$"""


def allow(connection: Connection) -> None:
    """Make the reader and its rules, as the owner of the store; another call renews the rules.

    Raises:
        StoreError: the server is too old.
        sqlalchemy.exc.DBAPIError: the owner may not make roles.
    """
    driver: Any = connection.connection.driver_connection
    if driver.info.server_version < OLDEST * 10_000:
        raise StoreError(f"restricted reading needs PostgreSQL {OLDEST} or newer")
    run = connection.exec_driver_sql
    run(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    run(
        f"CREATE TABLE IF NOT EXISTS {ACCESS} "
        "(role text NOT NULL, password text NOT NULL, secret bytea NOT NULL)"
    )
    role = run(
        "SELECT 'evalstore_reader_' || oid FROM pg_database WHERE datname = current_database()"
    ).scalar_one()
    known = run(f"SELECT 1 FROM {ACCESS} WHERE role = %s", (role,)).first()  # noqa: S608  (names of our own)
    exists = run("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).first()
    if not (known and exists):
        password = secrets.token_urlsafe(24)
        # The server doesn't get the password itself, which could appear in its log.
        scram = driver.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
        rights = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT"
        verb = f'ALTER ROLE "{role}"' if exists else f'CREATE ROLE "{role}" {rights}'
        run(f"{verb} LOGIN PASSWORD '{scram.decode()}'")
        run(f"DELETE FROM {ACCESS}")  # noqa: S608  (names of our own)
        run(
            f"INSERT INTO {ACCESS} VALUES (%s, %s, %s)",  # noqa: S608  (names of our own)
            (role, password, secrets.token_bytes(32)),
        )
    drop_rules(connection)
    make_rules(connection)


def is_allowed(connection: Connection) -> bool:
    """Whether `allow` has prepared the store."""
    query = f"SELECT to_regclass('{ACCESS}') IS NOT NULL"
    return bool(connection.exec_driver_sql(query).scalar())


def access(connection: Connection) -> tuple[str, str, bytes]:
    """The name of the reader, its password, and the secret for the proofs.

    Raises:
        StoreError: the store was not prepared.
    """
    if not is_allowed(connection):
        raise StoreError("this store can't be read with a restriction: its owner must allow it")
    row = connection.exec_driver_sql(f"SELECT role, password, secret FROM {ACCESS}").one()  # noqa: S608  (names of our own)
    return str(row[0]), str(row[1]), bytes(row[2])


def drop_rules(connection: Connection) -> None:
    """Take all rights away from the reader, so that tables can be changed."""
    run = connection.exec_driver_sql
    policies = run(
        "SELECT schemaname, tablename, policyname FROM pg_policies WHERE policyname IN (%s, %s)",
        (RESTRICTION, OTHERS),
    ).all()
    for schema, table, policy in policies:
        run(f'DROP POLICY {policy} ON "{schema}"."{table}"')
        run(f'ALTER TABLE "{schema}"."{table}" DISABLE ROW LEVEL SECURITY')
    for view in run("SELECT viewname FROM pg_views WHERE schemaname = %s", (SCHEMA,)).all():
        run(f'DROP VIEW IF EXISTS {SCHEMA}."{view[0]}" CASCADE')  # some views read others
    role = access(connection)[0]
    own = run("SELECT quote_ident(current_schema())").scalar_one()
    run(f'REVOKE ALL ON ALL TABLES IN SCHEMA {own}, {SCHEMA} FROM "{role}"')
    run(f'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {SCHEMA} FROM "{role}"')


def make_rules(connection: Connection) -> None:
    """Give the reader its rights on a store of the newest schema, after `drop_rules`."""
    role = access(connection)[0]
    names = "SELECT quote_ident(current_schema()), quote_ident(current_database())"
    own, database = connection.exec_driver_sql(names).one()
    path = f'ALTER ROLE "{role}" IN DATABASE {database} SET search_path = {SCHEMA}, {own}'
    for statement in (path, *_rules(f'"{role}"', own)):
        connection.exec_driver_sql(statement.replace("%", "%%"))


def _rules(role: str, own: str) -> Iterator[str]:
    """The statements of `make_rules`; `own` is the schema of the store."""

    def ids(name: str) -> str:
        function = {"collection": "collections", "publishing": "publishing"}.get(name)
        return f"(SELECT {SCHEMA}.{function or f'ids_of_{name}'}())"

    for part, name in enumerate(("collections", "publishing"), 1):
        yield COLLECTIONS_FUNCTION.format(name=name, part=part)
    for name in IDS:
        select = select_ids(name, ids, own)
        yield IDS_FUNCTION.format(schema=SCHEMA, name=name, select=select)
    yield f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {SCHEMA} FROM PUBLIC"
    yield f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {role}"
    yield f"GRANT USAGE ON SCHEMA {own}, {SCHEMA} TO {role}"
    yield f"GRANT SELECT ON {own}.{VERSIONS} TO {role}"
    for table in ROWS:
        name = f'{own}."{LISTS[table].table if table in LISTS else table}"'
        yield f"CREATE POLICY {OTHERS} ON {name} USING (true) WITH CHECK (true)"
        yield (
            f"CREATE POLICY {RESTRICTION} ON {name} AS RESTRICTIVE FOR SELECT TO {role} "
            f"USING ({condition(table, ids)})"
        )
        yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY"
        yield f"GRANT SELECT ON {name} TO {role}"
    # The store's own views read with the rights of the owner, the views made here with those of the
    # reader. With this search path, a view that reads another one reads the one made here.
    yield f"SET LOCAL search_path = {SCHEMA}, {own}"
    queries = {lists.view: lists.query for lists in LISTS.values()}
    queries |= {view.name: view.on_postgres or view.query for view in VIEWS}
    for view_name, query in queries.items():
        name = f'{SCHEMA}."{view_name}"'
        yield f"CREATE VIEW {name} WITH (security_invoker = true) AS {query}"
        yield f"GRANT SELECT ON {name} TO {role}"
    yield "RESET search_path"


def show(
    driver: Any, collections: Collection[int], publishing: Collection[int], secret: bytes
) -> None:
    """Let the current transaction of the reader's psycopg connection read some collections.

    It reads the assessments of drafts in the collections `publishing`.
    """
    ids = ";".join(
        ",".join(str(int(each)) for each in sorted(given)) for given in (collections, publishing)
    )
    message = f"{driver.info.backend_pid}:{ids}".encode()
    inner = hashlib.sha256(secret + message).digest()
    proof = hashlib.sha256(secret + inner).hexdigest()
    driver.execute(
        "SELECT set_config('evalstore.collections', %s, true), "
        "set_config('evalstore.proof', %s, true)",
        (ids, proof),
    )


def refuse_questions_about_server(sql: str) -> None:
    """Refuse a user's statement that asks the server for more than the store.

    Raises:
        DataError: it contains the name of such a table or function, even in a string or comment.
    """
    words = sorted({word.lower() for word in re.findall(r"[^\W\d]\w*", sql)})
    refused = next((word for word in words if REFUSED.match(word)), None)
    if refused is not None:
        raise DataError(f"SQL: {refused} is not allowed here: only the store can be read")


# The largest tables on PostgreSQL: each row holds lists, and SQL sees one row per entry.
#
# A row of a table takes 28 bytes in addition to its values, an entry of an index 20 or more, and
# inserting it takes a microsecond. So there is one row per measure of an evaluation, or per query
# of a run or evaluation, with all else in arrays. The table that SQLite has is a view here.


@dataclass(frozen=True)
class Lists:
    """A table of lists, and the view with a row per entry.

    Attributes:
        view: the name of the view, and of the models' table that it replaces.
        owner: the column of the run or evaluation that a row belongs to.
        key: the column that is different in each row of an owner.
        lists: the table's columns, by the view's further columns whose values they hold.
        expects_many: the server should expect 1,000 entries in a list, not 10.
    """

    table: str
    view: str
    owner: str
    key: str
    lists: Mapping[str, str]
    expects_many: bool = False

    @property
    def query(self) -> str:
        """The SELECT of the view, as the migrations make it."""
        table, elements = self.table, list(self.lists)
        columns = [f"{table}.{self.owner}", f"{table}.{self.key}"]
        columns += [f"element.{name}" for name in elements]
        functions = [f"unnest({table}.{column})" for column in self.lists.values()]
        if self.expects_many:  # the server expects 1,000 subscripts from this function
            functions.append(f"generate_subscripts({table}.{self.lists[elements[0]]}, 1)")
            elements.append("position")
        return f"""
SELECT {", ".join(columns)}
FROM {table},
     ROWS FROM ({", ".join(functions)}) AS element ({", ".join(elements)})"""  # noqa: S608  (names of our own)

    def column(self, name: str) -> str:
        """The column of the table that holds a column of the view."""
        return self.lists.get(name, name)

    def rows(
        self, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of the table for rows of the view, in which equal keys are adjacent."""
        at = columns.index(self.key)
        for key, entries in groupby(rows, itemgetter(at)):
            lists = (list(column) for column in zip(*entries, strict=True))
            yield tuple(key if i == at else values for i, values in enumerate(lists))


LISTS = {
    lists.view: lists
    for lists in (
        Lists(
            "value_list",
            "measurement",
            "evaluation_id",
            "measure_id",
            {"query_id": "query_ids", "value": "query_values"},
            # Otherwise the values of one run are read again for each value of another.
            expects_many=True,
        ),
        Lists(
            "hit_list",
            "hit",
            "evaluation_id",
            "query_id",
            {"rank": "ranks", "docno": "docnos", "grade": "grades", "score": "scores"},
        ),
        Lists(
            "retrieved_list",
            "retrieved",
            "content_id",
            "query_id",
            {"rank": "ranks", "docno": "docnos", "score": "scores"},
        ),
    )
}
"""The views that replace a table of the models, by name."""
