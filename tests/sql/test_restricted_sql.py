"""Ways to read a private collection through SQL: all refused, or answered without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import two_collections
from postgres import Server

from evalstore.errors import DataError
from evalstore.store import Store
from evalstore.store.restriction import ROWS
from evalstore.usecases.sql import Limits, ask, described_views

pytestmark = pytest.mark.slow  # a server is started

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
NAMES = [*ROWS, *(view.name for view in described_views())]

READS = {
    "all collections": "SELECT name FROM collection",
    "by its name": "SELECT * FROM collection WHERE name = 'zanzibar'",
    "by its id": "SELECT * FROM collection WHERE id = 1",
    "an or that is always true": "SELECT * FROM run WHERE collection_id = 2 OR 1 = 1",
    "a public view": "SELECT DISTINCT collection, run FROM leaderboard",
    "a join of ids": "SELECT q.text FROM measurement AS m JOIN query AS q ON q.id = m.query_id",
    "ids one after another": "SELECT text FROM query WHERE id BETWEEN 0 AND 1000000",
    "a left join": "SELECT c.name FROM query AS q LEFT JOIN collection AS c ON c.id < q.id",
    "a right join": "SELECT c.name FROM run AS r RIGHT JOIN collection AS c ON c.id = r.id",
    "a full join": "SELECT c.name FROM run AS r FULL JOIN collection AS c ON 1 = 0",
    "a subquery": "SELECT (SELECT max(name) FROM collection) AS name",
    "a correlated subquery": "SELECT (SELECT max(c.name) FROM collection AS c WHERE c.id <> r.id)"
    " FROM run AS r",
    "exists": "SELECT CASE WHEN EXISTS (SELECT 1 FROM collection WHERE name = 'zanzibar')"
    " THEN 'zanzibar' END",
    "a union": "SELECT 'a' UNION ALL SELECT name FROM collection",
    "an intersection": "SELECT 'zanzibar' INTERSECT SELECT name FROM collection",
    "a table of with": "WITH c AS (SELECT * FROM collection) SELECT * FROM c",
    "a recursive table of with": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < 99) SELECT c.name FROM n JOIN collection AS c ON c.id = n.i",
    "an aggregate of texts": "SELECT min(name), max(name) FROM collection",
    "a window": "SELECT lag(name) OVER (ORDER BY id) FROM collection",
    "a group": "SELECT name, count(*) FROM collection GROUP BY name",
    "values": "VALUES ((SELECT max(name) FROM collection))",
    "events": "SELECT collection, subject FROM event",
    "events before a name was changed": "SELECT * FROM event WHERE action = 'rename'",
    "saved views": "SELECT address FROM saved_view",
    "engines": "SELECT name FROM engine",
    "experiments": "SELECT name, question, conclusion FROM experiment",
    "experiments of a run": "SELECT e.conclusion FROM run AS r JOIN experiment AS e"
    " ON e.id = r.experiment_id",
    "measures": "SELECT name FROM measure",
    "packed lists": "SELECT packed FROM ranking",
    "documents": "SELECT docno, title, packed FROM document",
    "facts of a run": "SELECT note, host, command FROM run",
}
"""On a store that is not restricted, each of these gives something of the private collection."""

MORE_NAMES = {
    "sqlite": {
        "a table of the file": "SELECT * FROM main.collection",
        "in quotes": 'SELECT * FROM "main"."collection"',
        "in brackets": "SELECT * FROM [main].[collection]",
        "in backticks": "SELECT * FROM `main`.`collection`",
        "in capitals": "SELECT * FROM MAIN.COLLECTION",
        "with comments": "SELECT * FROM main/**/./**/collection",
        "a view of the file": "SELECT * FROM main.leaderboard",
        "a table of with of the same name": "WITH run AS (SELECT * FROM main.collection)"
        " SELECT * FROM run",
        "a table of with that two views have": "WITH leaderboard AS (SELECT * FROM main.collection)"
        " SELECT * FROM leaderboard",
        "a table after in": "SELECT 'zanzibar' WHERE 1 IN main.engine_slot",
        "an inner table": "SELECT (SELECT max(name) FROM main.collection)",
        "an alias": "SELECT collection.name FROM main.collection AS collection",
        "row ids": "SELECT rowid FROM main.run",
        "the schema": "SELECT sql FROM sqlite_master",
        "the schema by its other name": "SELECT sql FROM sqlite_schema",
        "the schema of the file": "SELECT name FROM main.sqlite_schema",
        "the schema of the views": "SELECT sql FROM sqlite_temp_master",
        "the schema of the views by its other name": "SELECT sql FROM temp.sqlite_schema",
        "sequences": "SELECT * FROM sqlite_sequence",
        "statistics": "SELECT * FROM sqlite_stat1",
        "pages of the file": "SELECT data FROM sqlite_dbpage",
        "sizes of tables": "SELECT * FROM dbstat",
        "a pragma": "PRAGMA table_info(collection)",
        "a pragma as a table": "SELECT * FROM pragma_table_list",
        "databases": "SELECT * FROM pragma_database_list",
        "its plan": "EXPLAIN QUERY PLAN SELECT * FROM run",
        "its program": "EXPLAIN SELECT * FROM run",
        "its plan after a comment": "/* */ EXPLAIN SELECT * FROM run",
        "the version of the schema": "SELECT * FROM alembic_version",
        "another file": "ATTACH 'store.db' AS other",
        "a table that is made": "CREATE TEMP TABLE mine AS SELECT * FROM main.collection",
        "a second statement": "SELECT 1; SELECT * FROM main.collection",
        "an end within": "SELECT 1) UNION SELECT name FROM main.collection --",
    },
    "postgres": {
        "a table of its schema": "SELECT * FROM public.collection",
        "in quotes": 'SELECT * FROM "public"."collection"',
        "a view of the owner": "SELECT * FROM public.leaderboard",
        "alone": "SELECT * FROM ONLY public.collection",
        "a table as a row": "SELECT c FROM public.collection AS c",
        "a sample": "SELECT * FROM collection TABLESAMPLE BERNOULLI (100)",
        "most common values": "SELECT most_common_vals FROM pg_stats WHERE tablename = 'run'",
        "most common values in quotes": 'SELECT * FROM "pg_stats"',
        "statistics": "SELECT * FROM pg_statistic",
        "statistics of several columns": "SELECT * FROM pg_stats_ext",
        "numbers of rows": "SELECT relname, reltuples FROM pg_class",
        "numbers of rows in use": "SELECT relname, n_live_tup FROM pg_stat_all_tables",
        "sizes": "SELECT pg_relation_size('run')",
        "other sessions": "SELECT query FROM pg_stat_activity",
        "other sessions by a function": "SELECT * FROM pg_stat_get_activity(NULL)",
        "policies": "SELECT * FROM pg_policies",
        "functions": "SELECT prosrc FROM pg_proc WHERE proname LIKE 'ids_of%'",
        "settings": "SELECT * FROM pg_settings",
        "one setting": "SELECT current_setting('evalstore.proof')",
        "another setting": "SELECT set_config('evalstore.collections', '1,2', true)",
        "another role": "SELECT set_config('role', 'postgres', true)",
        "another session": "SELECT set_config('session_authorization', 'postgres', true)",
        "row security": "SELECT set_config('row_security', 'off', true)",
        "a statement in a text": "SELECT query_to_xml('SELECT * FROM collection', true, true, '')",
        "a table in a text": "SELECT table_to_xml('collection', true, true, '')",
        "a cursor in a text": "SELECT cursor_to_xml('answer', 1, true, true, '')",
        "a database in a text": "SELECT database_to_xml(true, true, '')",
        "words of a statement": "SELECT * FROM ts_stat('SELECT name FROM collection')",
        "another connection": "SELECT * FROM dblink('', 'SELECT 1') AS t(n text)",
        "the secret": "SELECT * FROM evalstore_restricted.access",
        "the secret without its schema": "SELECT * FROM access",
        "large objects": "SELECT lo_get(1)",
        "data of large objects": "SELECT * FROM pg_largeobject",
        "roles": "SELECT * FROM pg_roles",
        "the columns": "SELECT * FROM information_schema.columns",
        "a sequence": "SELECT last_value FROM run_id_seq",
        "its plan": "EXPLAIN SELECT * FROM run",
        "its times": "EXPLAIN ANALYZE SELECT * FROM run",
        "a copy": "COPY collection TO STDOUT",
        "a block": "DO $$ BEGIN PERFORM 1; END $$",
        "a lock": "SELECT * FROM collection FOR SHARE",
        "a table that is made": "SELECT * INTO TEMP mine FROM collection",
        "a second statement": "SELECT 1; SELECT * FROM public.collection",
        "a name with codes": 'SELECT * FROM U&"pg\\005fstats"',
        "ids by a function": "SELECT * FROM collection WHERE id IN (SELECT ids_of_run())",
        "ids of all": "SELECT evalstore_restricted.collections()",
    },
}

COUNTS = {
    "rows": "SELECT count(*) FROM {table}",
    "rows of a pair": "SELECT count(*) FROM {table} AS a JOIN (SELECT 1 AS one) AS b ON 1 = 1",
    "rows by a sum": "SELECT coalesce(sum(1), 0) FROM {table}",
}

CONDITIONS = {
    "sqlite": {
        "a sum that is too large": "abs(CASE WHEN {name} LIKE '%zanzibar%'"
        " THEN -9223372036854775807 - 1 ELSE 1 END) > 0",
        "JSON that is none": "json(CASE WHEN {name} LIKE '%zanzibar%' THEN '{' ELSE '1' END) = 1",
        "a wrong escape": "'a' LIKE 'a' ESCAPE"
        " CASE WHEN {name} LIKE '%zanzibar%' THEN 'ab' ELSE 'a' END",
        "a text that is too long": "length(CASE WHEN {name} LIKE '%zanzibar%'"
        " THEN zeroblob(1000000000) ELSE 1 END) > 0",
    },
    "postgres": {
        "a text as a number": "CASE WHEN {name} LIKE '%zanzibar%' THEN {name}::int ELSE 1 END = 1",
        "a division by zero": "1 / CASE WHEN {name} LIKE '%zanzibar%' THEN 0 ELSE 1 END = 1",
        "a pattern that is none": "'a' ~ CASE WHEN {name} LIKE '%zanzibar%' THEN '(' ELSE 'a' END",
    },
}
"""Conditions that fail on a row of the private collection, so that an error would tell of it."""

NAMED = {
    "collection": "name",
    "run": "note",
    "query": "text",
    "engine": "name",
    "experiment": "question",
    "event": "collection",
    "qrels": "name",
    "document": "title",
    "leaderboard": "collection",
    "query_values": "collection",
    "judgments": "query",
    "retrieved_docs": "docno",
    "relevant_found": "docno",
    "runs_overview": "experiment",
    "engine_history": "engine",
    "run_parameters": "name",
}
"""A column of each that has the marker on rows of the private collection."""


@pytest.fixture(scope="module")
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Store]]:
    """Gives the store of two collections on a database, made when first asked for."""
    stores: dict[str, Store] = {}

    def give(database: str) -> Store:
        if database not in stores:
            folder = tmp_path_factory.mktemp(database)
            url = f"sqlite:///{folder / 'store.db'}"
            if database == "postgres":
                server: Server = request.getfixturevalue("postgres")
                url = server.new_database()
            stores[database] = Store.open(url)
            two_collections.fill(stores[database], folder)
        return stores[database]

    yield give
    for store in stores.values():
        store.close()


@pytest.fixture(params=DATABASES)
def whole(request: pytest.FixtureRequest, filled: Callable[[str], Store]) -> Store:
    """The store with both collections, on each database in turn."""
    return filled(request.param)


@pytest.fixture
def store(whole: Store) -> Store:
    """The same for somebody who may read the open collection alone."""
    return two_collections.restricted(whole)


def answer(store: Store, sql: str) -> str:
    """What a statement brings to light: its answer, or the error."""
    try:
        rows = ask(store, sql, Limits(seconds=20)).rows
    except DataError as error:
        # The error may repeat a word of the statement.
        words = set(re.findall(r"\w+", sql.lower()))
        return " ".join(
            word for word in re.findall(r"\w+", str(error)) if word.lower() not in words
        )
    unpacked = [part.decode("utf-8", "replace") for row in rows for part in row if is_bytes(part)]
    return f"{rows} {unpacked}"


def is_bytes(value: object) -> bool:
    return isinstance(value, bytes)


@pytest.mark.parametrize("way", READS)
def test_what_a_statement_reads_is_of_the_open_collection_alone(
    store: Store, whole: Store, way: str
) -> None:
    assert two_collections.markers_in(answer(whole, READS[way])) != []
    assert two_collections.markers_in(answer(store, READS[way])) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_table_and_view_shows_the_open_collection_alone(store: Store, name: str) -> None:
    rows = ask(store, f"SELECT * FROM {name}").rows
    assert rows or name in ("saved_view", "leaderboard_ranks")
    assert two_collections.markers_in(rows) == []


@pytest.mark.parametrize(
    ("database", "way"), [(name, way) for name, ways in MORE_NAMES.items() for way in ways]
)
def test_ways_around_are_refused_or_show_nothing(
    filled: Callable[[str], Store], database: str, way: str
) -> None:
    store = two_collections.restricted(filled(database))
    assert two_collections.markers_in(answer(store, MORE_NAMES[database][way])) == []


@pytest.mark.parametrize("way", MORE_NAMES["sqlite"])
def test_on_sqlite_no_way_around_gives_any_row(filled: Callable[[str], Store], way: str) -> None:
    with pytest.raises(DataError):
        ask(two_collections.restricted(filled("sqlite")), MORE_NAMES["sqlite"][way])


@pytest.mark.parametrize("way", COUNTS)
@pytest.mark.parametrize("name", NAMES)
def test_counts_are_of_the_rows_that_can_be_read(store: Store, way: str, name: str) -> None:
    rows = len(ask(store, f"SELECT * FROM {name}").rows)
    assert ask(store, COUNTS[way].format(table=name)).rows == [(rows,)]


@pytest.mark.parametrize("way", COUNTS)
@pytest.mark.parametrize("name", [*NAMES, "alembic_version", "sqlite_master", "pragma_table_list"])
def test_on_sqlite_no_row_of_the_file_can_be_counted(
    filled: Callable[[str], Store], way: str, name: str
) -> None:
    store = two_collections.restricted(filled("sqlite"))
    with pytest.raises(DataError):
        ask(store, COUNTS[way].format(table=f"main.{name}"))


@pytest.mark.parametrize(
    ("database", "way"), [(name, way) for name, ways in CONDITIONS.items() for way in ways]
)
@pytest.mark.parametrize("table", NAMED)
def test_a_condition_is_not_evaluated_on_hidden_rows(
    filled: Callable[[str], Store], database: str, way: str, table: str
) -> None:
    whole = filled(database)
    condition = CONDITIONS[database][way].replace("{name}", f"t.{NAMED[table]}")
    for statement in (
        f"SELECT count(*) FROM {table} AS t WHERE {condition}",
        f"SELECT count(*) FROM collection AS c JOIN {table} AS t ON {condition}",
        f"SELECT count(*) FROM collection AS c LEFT JOIN {table} AS t ON {condition}",
        f"SELECT max(CASE WHEN {condition} THEN 1 END) FROM {table} AS t",
        f"SELECT t.{NAMED[table]} FROM {table} AS t ORDER BY {condition}",
    ):
        with pytest.raises(DataError):
            ask(whole, statement)
        ask(two_collections.restricted(whole), statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM run WHERE engine_id = {engine} AND {fails}",
        "SELECT 1 FROM engine AS e LEFT JOIN run ON run.engine_id = e.id AND {fails}",
    ],
)
def test_on_sqlite_a_condition_that_an_index_answers_is_not_evaluated_on_hidden_rows(
    filled: Callable[[str], Store], statement: str
) -> None:
    # SQLite evaluates what an index answers first, then what needs the row, as the rule does.
    whole = filled("sqlite")
    private = "FROM run JOIN collection AS c ON c.id = run.collection_id WHERE c.name = 'zanzibar'"
    ((engine, last),) = ask(whole, f"SELECT max(engine_id), max(run.id) {private}").rows
    fails = f"abs(CASE WHEN run.id <= {last} THEN -9223372036854775807 - 1 ELSE 1 END) > 0"
    sql = statement.format(engine=engine, fails=fails)
    with pytest.raises(DataError, match="overflow"):
        ask(whole, sql)
    ask(two_collections.restricted(whole), sql)


def test_the_statements_of_the_program_itself_can_be_asked(store: Store) -> None:
    sql = "WITH run AS (SELECT 1 AS one), x AS (SELECT * FROM run) SELECT count(*) FROM x"
    assert ask(store, sql).rows == [(1,)]
    assert ask(store, "SELECT count(*) AS n FROM (SELECT 1) AS x").rows == [(1,)]


def test_a_reader_of_no_collection_sees_no_row(whole: Store) -> None:
    whole.allow_restriction()
    store = whole.restricted_to([])
    for name in NAMES:
        assert ask(store, f"SELECT * FROM {name}").rows == []


def test_a_reader_of_every_collection_sees_what_the_store_has(whole: Store) -> None:
    whole.allow_restriction()
    ids = [row[0] for row in ask(whole, "SELECT id FROM collection").rows]
    store = whole.restricted_to(ids)
    # Experiments without runs, their events and saved views belong to no collection.
    for name in set(NAMES) - {"experiment", "event", "saved_view"}:
        statement = f"SELECT count(*) FROM {name}"
        assert ask(store, statement).rows == ask(whole, statement).rows, name
