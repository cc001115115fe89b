"""Connections to a PostgreSQL store that read some collections alone, enforced by the server.

Restricted connections log in as a role of their own, the reader. It owns nothing, may read the
tables that have a rule, and row-level security shows it the rows of some collections alone. Which
ones is a setting of the transaction, with a proof that only this program can make: who found a way
to change the setting within a statement would see nothing.

Why not something simpler:

- SET ROLE can be taken back within the statement of a person (`set_config('role', ...)`).
- Views with `security_barrier` can't use the indexes of the tables in a join; views without let
  conditions of a person be evaluated on hidden rows, whose values then stand in error messages.
  Row-level security has neither fault.
- What the server tells everyone (statistics of tables, other sessions' statements) is in tables
  and functions that begin with pg_; a person's statement must not name one.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Connection

from evalstore.errors import DataError, StoreError
from evalstore.store.dialects.postgres_lists import LISTS
from evalstore.store.restriction import IDS, ROWS, condition, select_ids
from evalstore.store.views import VIEWS

SCHEMA = "evalstore_restricted"
ACCESS = f"{SCHEMA}.access"
"""The schema of what is made here, and its table that only the owner reads."""

VERSIONS = "alembic_version"
OLDEST = 15
"""The first PostgreSQL whose views can be read with the rights of the reader."""

RESTRICTION, OTHERS = "evalstore_restricted", "evalstore_others"
"""The names of the policies: of the reader, and of all other roles, which see every row."""

REFUSED = re.compile(
    r"pg_(?!typeof$)|information_schema$|current_setting$|has_\w+_privilege$|txid_|"
    r"evalstore_restricted$",
    re.IGNORECASE,
)
"""Words by which a statement asks the server about more than the store."""

COLLECTIONS_FUNCTION = """
CREATE OR REPLACE FUNCTION evalstore_restricted.collections() RETURNS SETOF integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
SELECT unnest(string_to_array(asked.ids, ',')::integer[])
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
    """Make the reader and its rules, as the owner of the store; again renews the rules.

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
        # The server gets no password that could stand in its log.
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
    """The name of the reader, its password, and the secret of the proofs.

    Raises:
        StoreError: the store was not prepared.
    """
    if not is_allowed(connection):
        raise StoreError("this store can't be read with a restriction: its owner must allow it")
    row = connection.exec_driver_sql(f"SELECT role, password, secret FROM {ACCESS}").one()  # noqa: S608  (names of our own)
    return str(row[0]), str(row[1]), bytes(row[2])


def drop_rules(connection: Connection) -> None:
    """Take the reader all rights, so that tables can be changed."""
    run = connection.exec_driver_sql
    policies = run(
        "SELECT schemaname, tablename, policyname FROM pg_policies WHERE policyname IN (%s, %s)",
        (RESTRICTION, OTHERS),
    ).all()
    for schema, table, policy in policies:
        run(f'DROP POLICY {policy} ON "{schema}"."{table}"')
        run(f'ALTER TABLE "{schema}"."{table}" DISABLE ROW LEVEL SECURITY')
    for view in run("SELECT viewname FROM pg_views WHERE schemaname = %s", (SCHEMA,)).all():
        run(f'DROP VIEW IF EXISTS {SCHEMA}."{view[0]}" CASCADE')  # some read others
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
        function = "collections" if name == "collection" else f"ids_of_{name}"
        return f"(SELECT {SCHEMA}.{function}())"

    yield COLLECTIONS_FUNCTION
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
    # The views of the store are read with the rights of its owner, these with those of the reader.
    # With this path a view that reads another reads the one that is made here.
    yield f"SET LOCAL search_path = {SCHEMA}, {own}"
    queries = {lists.view: lists.query for lists in LISTS.values()}
    queries |= {view.name: view.on_postgres or view.query for view in VIEWS}
    for view_name, query in queries.items():
        name = f'{SCHEMA}."{view_name}"'
        yield f"CREATE VIEW {name} WITH (security_invoker = true) AS {query}"
        yield f"GRANT SELECT ON {name} TO {role}"
    yield "RESET search_path"


def show(driver: Any, collections: Collection[int], secret: bytes) -> None:
    """Let the transaction of psycopg's connection, the reader's, read some collections."""
    ids = ",".join(str(int(each)) for each in sorted(collections))
    message = f"{driver.info.backend_pid}:{ids}".encode()
    inner = hashlib.sha256(secret + message).digest()
    proof = hashlib.sha256(secret + inner).hexdigest()
    driver.execute(
        "SELECT set_config('evalstore.collections', %s, true), "
        "set_config('evalstore.proof', %s, true)",
        (ids, proof),
    )


def refuse_questions_about_server(sql: str) -> None:
    """Refuse a person's statement that asks for more than the store has.

    Raises:
        DataError: it names such a table or function, or has the name in a string or comment.
    """
    words = sorted({word.lower() for word in re.findall(r"[^\W\d]\w*", sql)})
    refused = next((word for word in words if REFUSED.match(word)), None)
    if refused is not None:
        raise DataError(f"SQL: {refused} is not allowed here: only the store can be read")
