"""What SQL users rely on: the views' columns by version, and comments that say what they are."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import schema_page
from samples import select_of
from sqlalchemy import inspect, text

from evalstore.sql.ask import ask
from evalstore.store import Store, models, views
from evalstore.store.dialects import HIDDEN_TABLES
from evalstore.store.dialects.postgres_reading import LISTS
from evalstore.store.views import View

pytestmark = pytest.mark.slow  # a server is started

PROMISED = {
    1: {
        "leaderboard": "collection qrels experiment engine run measure value queries spread",
        "query_values": "collection qrels engine run qid query measure value",
        "judgments": "collection qrels qid query docno grade",
        "retrieved_docs": "collection qrels engine run qid query rank docno score grade",
        "relevant_found": "collection qrels engine run qid query rank docno grade score",
        "relevant_missed": "collection qrels engine run qid query docno grade",
        "rprec_differences": "collection qrels engine_a run_a engine_b run_b qid query "
        "value_a value_b difference",
        "query_attributes": "collection qid name value",
        "engine_history": "collection qrels engine run at measure value previous difference",
        "run_parameters": "collection engine run name value",
        "runs_overview": "run_id collection experiment engine run tag queries_answered "
        "documents_retrieved ingested_at evaluations values_only",
        "leaderboard_ranks": "collection qrels engine run measure value low high rank rank_low "
        "rank_high rank_group judged_top_10 runs test alpha verdict family "
        "reason sentence bounds_low bounds_high",
    }
}
"""A version stays as it was released: what changes gets the next number."""


def test_the_views_are_those_promised_by_this_version(filled: Store) -> None:
    found = inspect(filled.engine)
    columns = {
        name: " ".join(column["name"] for column in found.get_columns(name))
        for name in found.get_view_names()
        if name not in models.Base.metadata.tables  # measurement, on PostgreSQL
    }
    assert columns == PROMISED[views.VERSION]
    assert {view.name: " ".join(view.columns) for view in views.VIEWS} == columns


@pytest.mark.parametrize("view", views.VIEWS, ids=lambda view: view.name)
def test_a_view_in_a_migrated_database_is_the_text_of_views_py(filled: Store, view: View) -> None:
    """Compared as the database itself writes it, after it has made one from the text."""
    connection = filled.engine.connect()
    try:
        query = select_of(view, connection.dialect.name)
        connection.execute(text(f"CREATE TEMPORARY VIEW as_written AS {query}"))
        if connection.dialect.name == "sqlite":
            ours, theirs = (
                connection.execute(text(f"SELECT sql FROM {where} WHERE name = '{name}'")).scalar()
                for where, name in (
                    ("sqlite_temp_master", "as_written"),
                    ("sqlite_master", view.name),
                )
            )
            assert [*ours.split(" AS ", 1)][1].split() == [*theirs.split(" AS", 1)][1].split()
        else:
            ours, theirs = (
                connection.execute(text(f"SELECT pg_get_viewdef('{name}'::regclass)")).scalar()
                for name in ("pg_temp.as_written", view.name)
            )
            assert ours == theirs
    finally:
        connection.rollback()
        connection.close()


def test_postgres_knows_the_comment_of_each_table_view_and_column(
    opened: Callable[[str], Store],
) -> None:
    told = {
        (row[0], row[1]): row[2]
        for row in ask(
            opened("postgres"),
            """SELECT c.relname, a.attname, col_description(c.oid, a.attnum)
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')
              AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'alembic_version'
            UNION ALL
            SELECT relname, NULL, obj_description(oid, 'pg_class') FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v')
              AND relname <> 'alembic_version'""",
        ).rows
    }
    wanted: dict[tuple[str, str | None], str | None] = {}
    for table in models.Base.metadata.sorted_tables:
        wanted[table.name, None] = table.comment
        wanted |= {(table.name, column.name): column.comment for column in table.columns}
    for view in views.VIEWS:
        wanted[view.name, None] = view.comment
        wanted |= {(view.name, name): comment for name, comment in view.columns.items()}
    for view_of_lists in LISTS.values():
        tables = {key: told[key] for key in told if key[0] == view_of_lists.table}
        assert len(tables) == 3 + len(view_of_lists.lists)  # the table, its key and lists
        wanted |= tables
    assert told == wanted
    assert all(told.values())


def test_schema_md_is_what_the_models_and_views_say() -> None:
    page = schema_page.PAGE.read_text(encoding="utf-8")
    assert page == schema_page.markdown(), "docs/schema.md is out of date: run `make docs`"


def test_schema_md_has_every_table_and_the_columns_of_the_views() -> None:
    page = schema_page.markdown()
    tables = set(re.findall(r"`(\w+)`", page.split("## Tables\n\n")[1].split("\n")[0]))
    named = models.Base.metadata.tables
    # Nobody reads the hidden ones in SQL.
    assert tables == {name for name in named if not name.startswith(HIDDEN_TABLES)}
    for view in views.VIEWS:
        assert f"### {view.name}\n\n{view.comment}\n" in page
        assert all(f"`{name}`" in page for name in view.columns)


def test_schema_md_tells_the_types_that_the_views_columns_have(
    opened: Callable[[str], Store],
) -> None:
    names = {
        **{"TEXT": "text", "DOUBLE PRECISION": "number", "DOUBLE_PRECISION": "number"},
        **{"INTEGER": "integer", "BIGINT": "integer", "TIMESTAMP": "time"},
        "BOOLEAN": "true or false",
    }
    found = inspect(opened("postgres").engine)
    for view in views.VIEWS:
        for column in found.get_columns(view.name):
            told = schema_page.view_type(view.name, column["name"])
            assert names[str(column["type"]).split("(")[0].split(" COLL")[0]] == told, (
                view.name,
                column["name"],
            )
