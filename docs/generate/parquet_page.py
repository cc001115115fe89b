"""Puts the tables of Parquet, with their columns, into docs/parquet.md; `make docs` runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

import pyarrow as pa

from evalstore.formats.tables.parquet import TABLES, ParquetTable
from evalstore.store import models
from evalstore.store.views import COLUMN_COMMENTS

PAGE = Path(__file__).parents[1] / "parquet.md"
BEGIN = "<!-- The tables: evalstore/formats/tables/parquet.py, put here by `make docs`. -->"
END = "<!-- The end of the tables. -->"

ABOUT: Mapping[str, tuple[str, type[models.Base] | None]] = {
    "collections": ("The test collections.", models.Collection),
    "queries": ("The queries of a collection.", models.Query),
    "query_attributes": ("The attributes of queries.", models.QueryAttribute),
    "qrels": ("The sets of judgments; their judgments are in `judgments`.", models.Qrels),
    "judgments": ("The grade of each judged document.", models.Judgment),
    "subtopic_judgments": (
        "The grade of a document for a subtopic of a query.",
        models.SubtopicJudgment,
    ),
    "group_judgments": ("The grade that a judge gave a document.", models.GroupJudgment),
    "preference_judgments": (
        "The level of a document among those of its subgroup.",
        models.PreferenceJudgment,
    ),
    "known_documents": (
        "The documents that the user of a query knew before.",
        models.KnownDocument,
    ),
    "experiments": (
        "The experiments of the collection's runs, with the texts that are about it.",
        models.Experiment,
    ),
    "runs": ("The runs, with what is recorded of them.", models.Run),
    "run_parameters": ("The parameters of the engines that made the runs, as text.", None),
    "response_times": ("The time that each query took.", models.ResponseTime),
    "evaluations": ("Which runs were evaluated under which qrels.", models.Evaluation),
    "leaderboard": ("One figure per run, qrels and measure.", models.Measure),
    "leaderboard_ranks": ("The ranks that `evalstore leaderboard --save` stored.", None),
    "rankings": ("Every retrieved document of every run, at all ranks.", None),
    "hits": ("The relevant documents each run retrieved, at whatever rank.", None),
    "values": ("The value of each measure for each query of each run.", None),
}

OWN = {
    ("runs", "engine_slot"): "by which charts give the engine a colour and a mark",
    ("runs", "kept_top"): "how many documents of each list the store keeps as rows for SQL",
    ("runs", "is_baseline"): "whether others are compared with it unless told otherwise",
    ("runs", "parent"): "the name of the run that it was derived from",
    ("runs", "tags"): "words that people put on it",
    ("runs", "parameters"): "settings of the engine, as a JSON object",
    ("runs", "header"): "the ir_metadata that headed the run file, as a JSON object",
    ("runs", "content_hash"): "SHA-256 of its rankings, or of its values",
    ("runs", "content_of"): "the first run with the same rankings, whose name their files have",
    ("runs", "run_id"): "the run's id in the store that was exported",
    ("experiments", "experiment"): "its name, which its runs have",
    ("collections", "access"): "who reads it on a server: store, private or public",
    ("collections", "measures"): "what an ingest stores; null for the set standard",
    ("collections", "documents"): "how many documents it has, if that is recorded",
    ("runs", "documents_retrieved"): "how many documents in all its lists",
    ("rankings", "grade"): "under the default qrels of the collection; null: unjudged",
    ("run_parameters", "name"): "what the parameter is called, like k1",
    ("run_parameters", "value"): "its value as text; null for a null",
}

SHARED = {
    "qid": "the query's id, as text: 1, 01 and 1.0 are three queries",
    "docno": "the document's id, as text",
    "grade": "1 and more is relevant; negative: in the pool, not judged",
    "created_at": "when it was first named, ingested or computed",
}
"""What these columns hold wherever they can't be null."""

KINDS = {
    pa.string(): "string",
    pa.float64(): "double",
    pa.int32(): "int32",
    pa.int64(): "int64",
    pa.bool_(): "boolean",
    pa.timestamp("us", tz="UTC"): "timestamp",
    pa.list_(pa.string()): "list of strings",
}


def comment(table: ParquetTable, field: pa.Field) -> str:
    """The description of a column; empty if docs/schema.md has it with the store's table."""
    if field.name in SHARED and not field.nullable:
        return SHARED[field.name]
    own = OWN.get((table.name, field.name))
    if own:
        return own
    model = ABOUT[table.name][1]
    if model is not None and field.name in models.table(model).columns:
        return ""
    return COLUMN_COMMENTS[field.name]


def described(table: ParquetTable, field: pa.Field) -> str:
    """A column with its type, which ends in `?` if it can be null, and its description."""
    kind = KINDS[field.type] + ("?" if field.nullable else "")
    text = comment(table, field)
    return f"`{field.name}` ({kind})" + (f": {text}" if text else "")


def lines() -> Iterator[str]:
    """The columns that several tables have, and the section of every table with the others."""
    items = {
        name: {field.name: described(table, field) for field in table.schema}
        for name, table in TABLES.items()
    }
    times = Counter(chain.from_iterable(columns.values() for columns in items.values()))
    yield "Columns of several tables:\n"
    yield from (f"- {item}" for item, number in times.items() if number > 1 and ": " in item)
    yield ""
    for table in TABLES.values():
        yield f"### {table.name}\n"
        columns = items[table.name]
        about, model = ABOUT[table.name]
        shared = [name for name, item in columns.items() if times[item] > 1 and ": " in item]
        stored = [item for item in columns.values() if ": " not in item]
        yield f"{about} Sorted by {_listed(table.order)}.\n"
        yield f"- {_listed(shared)}"
        if model is not None and stored:
            name = models.table(model).name
            yield f"- as in [`{name}`](schema.md#{name}): {', '.join(stored)}"
        yield from (f"- {item}" for item in columns.values() if times[item] == 1 and ": " in item)
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
