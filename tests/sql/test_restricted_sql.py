"""Ways to read a private collection through SQL: all refused, or answered without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import two_collections
from postgres import Server
from two_collections import OPEN, PRIVATE
from ways_into_sql import MORE_NAMES, READS

from evalstore.errors import DataError
from evalstore.judging.drafts import list_drafts
from evalstore.sql.ask import Limits, ask
from evalstore.store import Store
from evalstore.store.restriction import ROWS
from evalstore.store.views import VIEWS

pytestmark = pytest.mark.slow  # a server is started

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
NAMES = [*ROWS, *(view.name for view in VIEWS)]

OF_EACH_KIND = ("collection", "leaderboard")
"""A table and a view, where all of a kind are treated alike."""

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
                url = server.new_store()
            stores[database] = Store.open(url)
            two_collections.fill(stores[database], folder)
            stores[database].allow_restriction()
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
    return two_collections.part(whole)


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


def test_every_table_and_view_shows_the_open_collection_alone(store: Store) -> None:
    for name in NAMES:
        rows = ask(store, f"SELECT * FROM {name}").rows
        assert rows or name in ("leaderboard_ranks", "judgment_origin")
        assert two_collections.markers_in(rows) == [], name


@pytest.mark.parametrize("way", MORE_NAMES["postgres"])
def test_on_postgres_ways_around_are_refused_or_show_nothing(
    filled: Callable[[str], Store], way: str
) -> None:
    store = two_collections.part(filled("postgres"))
    assert two_collections.markers_in(answer(store, MORE_NAMES["postgres"][way])) == []


@pytest.mark.parametrize("way", MORE_NAMES["sqlite"])
def test_on_sqlite_no_way_around_gives_any_row(filled: Callable[[str], Store], way: str) -> None:
    store = two_collections.part(filled("sqlite"))
    with pytest.raises(DataError):
        ask(store, MORE_NAMES["sqlite"][way])
    assert two_collections.markers_in(answer(store, MORE_NAMES["sqlite"][way])) == []


def test_counts_are_of_the_rows_that_can_be_read(store: Store) -> None:
    rows = {name: len(ask(store, f"SELECT * FROM {name}").rows) for name in NAMES}
    for way, count in COUNTS.items():
        counts = [count.format(table=name).replace("SELECT", f"SELECT '{name}',", 1)
                  for name in NAMES]  # fmt: skip
        assert dict(ask(store, " UNION ALL ".join(counts)).rows) == rows, way


@pytest.mark.parametrize("way", COUNTS)
@pytest.mark.parametrize(
    "name", [*OF_EACH_KIND, "alembic_version", "sqlite_master", "pragma_table_list"]
)
def test_on_sqlite_no_row_of_the_file_can_be_counted(
    filled: Callable[[str], Store], way: str, name: str
) -> None:
    store = two_collections.part(filled("sqlite"))
    with pytest.raises(DataError):
        ask(store, COUNTS[way].format(table=f"main.{name}"))


@pytest.mark.parametrize(
    ("database", "way", "table"),
    [
        (database, way, table)
        for database, ways in CONDITIONS.items()
        for number, way in enumerate(ways)
        for table in (OF_EACH_KIND if number else NAMED)  # the first stands for all
    ],
)
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
        ask(two_collections.part(whole), statement)


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
    ask(two_collections.part(whole), sql)


def test_the_statements_of_the_program_itself_can_be_asked(store: Store) -> None:
    sql = "WITH run AS (SELECT 1 AS one), x AS (SELECT * FROM run) SELECT count(*) FROM x"
    assert ask(store, sql).rows == [(1,)]
    assert ask(store, "SELECT count(*) AS n FROM (SELECT 1) AS x").rows == [(1,)]


def test_a_reader_of_no_collection_sees_no_row(whole: Store) -> None:
    store = whole.restricted_to([])
    for name in NAMES:
        assert ask(store, f"SELECT * FROM {name}").rows == []


def test_assessments_are_found_where_one_may_publish_and_counted_everywhere(whole: Store) -> None:
    open_, private = ids = [two_collections.id_of(whole, name) for name in (OPEN, PRIVATE)]
    statement = "SELECT assessor FROM assessment WHERE length(comment) > 0 ORDER BY assessor"
    for publishing, seen in (([], []), ([open_], ["plain"]), (ids, ["plain", "zanzibar"])):
        store = whole.restricted_to(ids, publishing)
        assert ask(store, statement).rows == [(name,) for name in seen]
        assert ask(store, "SELECT count(*) FROM assessment").rows == [(len(seen),)]
        assert [draft.graded for draft in list_drafts(store, OPEN)] == [1]
    assert ask(whole.restricted_to([open_], [private]), statement).rows == []


def test_a_reader_of_every_collection_sees_what_the_store_has(whole: Store) -> None:
    ids = [row[0] for row in ask(whole, "SELECT id FROM collection").rows]
    store = whole.restricted_to(ids, ids)
    for name in NAMES:
        statement = f"SELECT count(*) FROM {name}"
        assert ask(store, statement).rows == ask(whole, statement).rows, name
