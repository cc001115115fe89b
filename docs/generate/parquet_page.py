"""Puts the tables of Parquet, with their columns, into docs/parquet.md; `make docs` runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from evalstore.formats.tables.parquet import TABLES

PAGE = Path(__file__).parents[1] / "parquet.md"
BEGIN = "<!-- Tables, by `make docs`. -->"
END = "<!-- End of tables. -->"

OWN = {
    ("runs", "engine_slot"): "by which charts give the engine a colour and a mark",
    ("runs", "kept_top"): "how many documents of each list the store keeps as rows for SQL",
    ("runs", "parameters"): "a JSON object",
    ("runs", "header"): "a JSON object",
    ("runs", "content_of"): "the first run with the same rankings, whose name their files have",
    ("runs", "run_id"): "in the store that was exported",
    ("assessments", "id"): "in the order of time",
    ("rankings", "grade"): "under the default qrels; null: unjudged",
}
"""The columns that docs/schema.md does not describe."""


def lines() -> Iterator[str]:
    """Every table with its columns, but `collection`, and its order if not by the first ones."""
    for table in TABLES.values():
        columns = [
            f"`{name}`" + (f" ({OWN[table.name, name]})" if (table.name, name) in OWN else "")
            for name in table.schema.names
            if name != "collection" or table.name == "collections"
        ]
        is_first = table.schema.names[1:][: len(table.order)] == list(table.order)
        order = "" if is_first else f" (by {_listed(table.order)})"
        yield f"- **{table.name}**{order}: {', '.join(columns)}"
    yield ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def markdown() -> str:
    """Return the whole page, with the tables of the package."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{chr(10).join(lines())}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
