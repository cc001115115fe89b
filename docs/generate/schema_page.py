"""Generates docs/schema.md from the models and the views; `make docs` runs it."""

from __future__ import annotations

from collections import Counter
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

<!-- Generated from the models and views by `make docs`: change those. -->

`evalstore sql` asks the views and tables of a store; [sql.md](sql.md) has questions to start from.

- **Views** have names instead of ids and leave out removed runs. They are a contract, version
  {views.VERSION}: a column is renamed or dropped only in a new version.
- **Tables** may change with a migration.

Both are the same on SQLite and PostgreSQL. In PostgreSQL the comments are in the database too
(`\\d+ leaderboard` in psql), and `measurement`, `hit` and `retrieved` are views of the tables
`value_list`, `hit_list` and `retrieved_list`, which have the values of a measure and the documents
of a query as arrays.

A column is text unless its type follows; a question mark: it may be null. Ids of queries and
documents are text and compare by bytes. Times are UTC.
"""

HIDDEN = """\
`evalstore server start` keeps these. `evalstore sql`, the SQL page of the dashboard and the role of
`evalstore db readonly-role` can't read them, and `evalstore db copy` leaves them out."""

Described = tuple[str, str, str]
"""A column as its name, its type and what it holds."""

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
    **dict.fromkeys(("previous", "bounds_low", "bounds_high"), "number"),
    **dict.fromkeys(("ingested_at", "at"), "time"),
    "values_only": "true or false",
}
"""The types of the views' columns; every other column is text."""

TEXT_COLUMNS = {("query_attributes", "value"), ("run_parameters", "value")}
"""Columns that are text although others of their name are not."""


def markdown() -> str:
    """Return the whole page."""
    lines = [INTRODUCTION, "## Views", ""]
    of_views = {view.name: _columns_of_view(view) for view in views.VIEWS}
    common = _common(of_views.values())
    lines += ["Columns of several views:", "", *map(_line, common), ""]
    for view in views.VIEWS:
        lines += [f"### {view.name}", "", view.comment, "", *_list(of_views[view.name], common)]
    lines += ["## Tables", "", *_diagram(), ""]
    of_tables = {table.name: _columns_of_table(table) for table in _tables()}
    common = _common(of_tables.values())
    lines += [TABLES, "", *map(_line, common), ""]
    for table in _tables():
        lines += [f"### {table.name}", "", f"{table.comment} {' '.join(_keys(table))}", ""]
        lines += _list(of_tables[table.name], common)
    lines += ["## Tables of the server", "", HIDDEN, ""]
    for table in _tables(hidden=True):
        lines += [f"- `{table.name}`: {table.comment}"]
    return "\n".join(lines).rstrip() + "\n"


TABLES = """\
A column `NAME_id` is an integer, the `id` of the table NAME; other references have an arrow.
Columns of several tables:"""


def view_type(view: str, column: str) -> str:
    """The type of a view's column, in words."""
    return "text" if (view, column) in TEXT_COLUMNS else VIEW_TYPES.get(column, "text")


def _tables(*, hidden: bool = False) -> list[Table]:
    """The tables that SQL of users can read, or those that it can't."""
    tables = models.Base.metadata.sorted_tables
    return [table for table in tables if table.name.startswith(HIDDEN_TABLES) is hidden]


def _columns_of_view(view: View) -> list[Described]:
    return [(name, view_type(view.name, name), text) for name, text in view.columns.items()]


def _columns_of_table(table: Table) -> list[Described]:
    columns = []
    for column in table.columns:
        kind = _type(column) + ("?" if column.nullable else "")
        text = column.comment or ""
        for key in column.foreign_keys:
            if text == f"the {key.column.table.name}":
                text = ""
            elif column.name != f"{key.column.table.name}_id":
                text += f" (→ `{key.column}`)"
        columns.append((column.name, kind, text))
    return columns


def _common(of_each: Iterable[list[Described]]) -> list[Described]:
    """Return the columns that are the same in several tables or views."""
    count = Counter(column for columns in of_each for column in columns if column[2])
    chosen: dict[str, Described] = {}
    for column, times in count.most_common():
        if times > 1:
            chosen.setdefault(column[0], column)
    return list(chosen.values())


def _list(columns: list[Described], common: list[Described]) -> Iterator[str]:
    """Yield the columns: those that need no explanation in a line, then the others."""
    plain = [name for name, kind, text in columns if not text or (name, kind, text) in common]
    if plain:
        yield ", ".join(f"`{name}`" for name in plain)
        yield ""
    own = [_line(each) for each in columns if each[0] not in plain]
    yield from [*own, ""] if own else []


def _line(column: Described) -> str:
    name, kind, text = column
    shown = kind.removeprefix("text").replace("true or false", "boolean")
    return f"- `{name}`{shown if shown in {'', '?'} else ' ' + shown}: {text}"


def _diagram() -> Iterator[str]:
    """Yield a diagram of the foreign keys, except for those that nearly every table has."""
    yield from ("The diagram leaves out collections and queries.", "", "```mermaid", "erDiagram")
    for table in _tables():
        for column in table.columns:
            for key in column.foreign_keys:
                if key.column.table.name in ("collection", "query"):
                    continue
                one = "|o" if column.nullable else "||"
                yield f"    {key.column.table.name} {one}--o{{ {table.name} : {column.name}"
    yield "```"


def _keys(table: Table) -> Iterator[str]:
    """Yield sentences on the keys of a table."""
    yield f"Key: {_names(table.primary_key.columns)}."
    unique = [c for c in table.constraints if isinstance(c, UniqueConstraint)]
    for constraint in sorted(unique, key=lambda c: [column.name for column in c.columns]):
        yield f"Unique: {_names(constraint.columns)}."


def _names(columns: Iterable[Column[Any]]) -> str:
    return ", ".join(f"`{column.name}`" for column in columns)


def _type(column: Column[Any]) -> str:
    return TYPES[str(column.type.compile()).split("(")[0]]


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
