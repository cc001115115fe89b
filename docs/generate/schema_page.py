"""Generates docs/schema.md from the models and the views; `make docs` runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from evalstore.store import models, views
from evalstore.store.dialects import HIDDEN_TABLES
from evalstore.store.views import View

PAGE = Path(__file__).parents[1] / "schema.md"

INTRODUCTION = f"""\
# The tables and views of a store

<!-- Generated from the models and views by `make docs`: change those. -->

For [`evalstore sql`](sql.md), the same on SQLite and PostgreSQL.

- **Views** have names instead of ids and leave out removed runs. They are a contract, version
  {views.VERSION}: a column is renamed or dropped only in a new version.
- **Tables** may change with a migration. On PostgreSQL `measurement`, `hit` and `retrieved` are
  views of the tables `value_list`, `hit_list` and `retrieved_list`, which have the values of a
  measure and the documents of a query as arrays.

A column is text unless its type follows. Ids of queries and documents compare by bytes. Times are
UTC.
"""

Described = tuple[str, str, str]
"""A column as its name, its type and what it holds."""

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
    lines += ["## Tables", "", TABLES.format(", ".join(f"`{name}`" for name in _tables()))]
    return "\n".join(lines)


TABLES = """\
{}

`SELECT * FROM run` shows the columns of a table; `evalstore/store/models/` describes them, as
PostgreSQL does (`\\d+ run`). Tables `server_...` (accounts, tokens, jobs) are hidden: SQL of users
and the role of `evalstore db readonly-role` can't read them, and `evalstore db copy` leaves them
out.
"""


def view_type(view: str, column: str) -> str:
    """The type of a view's column, in words."""
    return "text" if (view, column) in TEXT_COLUMNS else VIEW_TYPES.get(column, "text")


def _tables() -> list[str]:
    """The tables that SQL of users can read."""
    names = models.Base.metadata.tables
    return sorted(name for name in names if not name.startswith(HIDDEN_TABLES))


def _columns_of_view(view: View) -> list[Described]:
    return [(name, view_type(view.name, name), text) for name, text in view.columns.items()]


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


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
