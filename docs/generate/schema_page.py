"""Generates docs/schema.md from the models and the views; `make docs` runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Table, UniqueConstraint

from evalstore.store import models, views
from evalstore.store.dialects import HIDDEN_TABLES
from evalstore.store.views import View

PAGE = Path(__file__).parents[1] / "schema.md"

INTRODUCTION = f"""\
# The tables and views of a store

Generated from the models and views by `make docs`; a test fails while it is out of date.

Ask the **views**: they have names instead of ids, leave out runs that were removed, and are a
contract (version {views.VERSION}: a column is not renamed or dropped without a new version). The
**tables** below them are the store itself; they may change with a migration. Both are read in the
same way on SQLite and PostgreSQL, where the comments stand in the database too (`\\d+ leaderboard`
in psql). On PostgreSQL `measurement`, `hit` and `retrieved` are views: the tables below them,
`value_list`, `hit_list` and `retrieved_list`, have the values of a measure and the documents of a
query as arrays, which are quicker to write and take a fraction of the space.
`evalstore sql` asks either; questions to start from are in [sql.md](sql.md).

Ids of queries and documents are text and compare by bytes. Times are UTC.
"""

HIDDEN = """\
`evalstore serve` keeps these. `evalstore sql`, the SQL page of the dashboard and the role of
`evalstore db readonly-role` can't read them, and `evalstore copy` leaves them out."""

TYPES = {
    "INTEGER": "integer",
    "SMALLINT": "integer",
    "BIGINT": "integer",
    "FLOAT": "number",
    "DOUBLE": "number",
    "TEXT": "text",
    "BLOB": "bytes",
    "BOOLEAN": "true or false",
    "DATETIME": "time",
    "JSON": "JSON",
}

VIEW_TYPES = {
    **dict.fromkeys(("value", "spread", "grade", "score"), "number"),
    **dict.fromkeys(("value_a", "value_b", "difference"), "number"),
    **dict.fromkeys(("queries", "rank", "run_id", "queries_answered"), "integer"),
    **dict.fromkeys(("documents_retrieved", "evaluations"), "integer"),
    **dict.fromkeys(("rank_low", "rank_high", "runs"), "integer"),
    **dict.fromkeys(("low", "high", "judged_top_10", "alpha"), "number"),
    "previous": "number",
    **dict.fromkeys(("ingested_at", "at"), "time"),
    "values_only": "true or false",
}
"""The types of the views' columns; every other column is text."""

TEXT_COLUMNS = {("query_attributes", "value"), ("run_parameters", "value")}
"""Columns that are text although others of their name are not."""


def markdown() -> str:
    """Return the whole page."""
    lines = [INTRODUCTION, "## Views", ""]
    for view in views.VIEWS:
        lines += _view(view)
    lines += ["## Tables", "", *_diagram(), ""]
    for table in _tables():
        lines += _table(table)
    lines += ["## Tables of the server", "", HIDDEN, ""]
    for table in _tables(hidden=True):
        lines += [f"- `{table.name}`: {table.comment}"]
    return "\n".join(lines).rstrip() + "\n"


def view_type(view: str, column: str) -> str:
    """The type of a view's column, in words."""
    return "text" if (view, column) in TEXT_COLUMNS else VIEW_TYPES.get(column, "text")


def _tables(*, hidden: bool = False) -> list[Table]:
    """The tables that SQL of users can read, or those that it can't."""
    tables = models.Base.metadata.sorted_tables
    return [table for table in tables if table.name.startswith(HIDDEN_TABLES) is hidden]


def _view(view: View) -> Iterator[str]:
    yield from (f"### {view.name}", "", view.comment, "")
    yield from ("| column | type | |", "|---|---|---|")
    for name, comment in view.columns.items():
        yield f"| `{name}` | {view_type(view.name, name)} | {comment} |"
    yield ""


def _diagram() -> Iterator[str]:
    """Yield a diagram of the foreign keys and the columns of each table."""
    yield from ("```mermaid", "erDiagram")
    for table in _tables():
        for column in table.columns:
            for key in column.foreign_keys:
                one = "|o" if column.nullable else "||"
                yield f"    {key.column.table.name} {one}--o{{ {table.name} : {column.name}"
    for table in _tables():
        yield f"    {table.name} {{"
        for column in table.columns:
            keys = ["PK"] if column.primary_key else []
            keys += ["FK"] if column.foreign_keys else []
            yield f"        {_type(column)} {column.name} {', '.join(keys)}".rstrip()
        yield "    }"
    yield "```"


def _table(table: Table) -> Iterator[str]:
    yield from (f"### {table.name}", "", table.comment or "", "")
    yield from ("| column | type | |", "|---|---|---|")
    for column in table.columns:
        kind = _type(column) + (" or null" if column.nullable else "")
        target = "".join(f" (→ `{key.column}`)" for key in column.foreign_keys)
        yield f"| `{column.name}` | {kind} | {column.comment}{target} |"
    yield from ("", f"Key: {_names(table.primary_key.columns)}.")
    unique = [c for c in table.constraints if isinstance(c, UniqueConstraint)]
    for constraint in sorted(unique, key=lambda c: [column.name for column in c.columns]):
        yield f"Unique: {_names(constraint.columns)}."
    for index in sorted(table.indexes, key=lambda i: str(i.name)):
        yield f"Index: {_names(index.columns)}."
    yield ""


def _names(columns: Iterable[Column[Any]]) -> str:
    return ", ".join(f"`{column.name}`" for column in columns)


def _type(column: Column[Any]) -> str:
    return TYPES[str(column.type.compile()).split("(")[0]]


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
