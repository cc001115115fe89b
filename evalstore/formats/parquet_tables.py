"""The tables of a folder of Parquet files: their columns, types and partitions.

`docs/parquet.md` describes them; a test compares it with this module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

VERSION = 2
"""The version of the tables: a column is not renamed, dropped or given another type without a new
one. A reader of version 1 reads what a later program of version 1 adds."""

NO_KEY = "none"
"""The value of each partition of the file without rows that a table without rows has."""

ROW_GROUP = 1 << 17
"""The rows of a row group: what DuckDB gives to one thread, and few enough to be in memory."""

Partition = Literal["collection", "qrels", "run"]

TEXT, DOUBLE, COUNT, LARGE = pa.string(), pa.float64(), pa.int32(), pa.int64()
TIME = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class ParquetTable:
    """A table: its columns, and what one of its files holds.

    Attributes:
        name: of the folder.
        schema: of every file; a column that can't be null is declared so.
        per: what a file is made of: a collection, a qrels or a run.
        order: the columns that the rows of a file are sorted by; text by bytes.
        repeated: the columns whose values repeat, which are written as a dictionary.
    """

    name: str
    schema: pa.Schema
    per: Partition
    order: tuple[str, ...]

    @property
    def repeated(self) -> list[str]:
        """The columns written with a dictionary: the texts that many rows share."""
        return [field.name for field in self.schema
                if field.name not in ("docno", "score", "value", "rank")]  # fmt: skip

    def path(self, collection: str, part: str | None = None) -> str:
        """The path of a file below the folder, with `/` between its parts.

        Names can be of any length and hold any character, so that the partitions are keys made of
        them: a letter and 16 hexadecimal digits. A letter, because readers take digits for a
        number.

        Args:
            collection: the name of the collection.
            part: the content hash of the qrels or run, where a file is of one.
        """
        steps = [self.name, f"collection_key={collection_key(collection)}"]
        if self.per != "collection":
            steps.append(f"{self.per}_key={part_key(self.per, part or '')}")
        return "/".join([*steps, "part.parquet"])

    @property
    def path_without_rows(self) -> str:
        """The path of the file without rows that a table without rows has."""
        steps = [self.name, f"collection_key={NO_KEY}"]
        if self.per != "collection":
            steps.append(f"{self.per}_key={NO_KEY}")
        return "/".join([*steps, "part.parquet"])


def collection_key(name: str) -> str:
    """The key of a collection: `c` and the beginning of the SHA-256 of its name."""
    return "c" + hashlib.sha256(name.encode()).hexdigest()[:16]


def part_key(per: Partition, content_hash: str) -> str:
    """The key of a qrels or a run: `q` or `r`, and the beginning of its content hash."""
    return per[0] + content_hash[:16]


def _table(
    name: str, per: Partition, order: str, columns: Mapping[str, pa.DataType]
) -> ParquetTable:
    """A table of columns; a name that ends in `?` can be null."""
    fields = [
        pa.field(column.removesuffix("?"), kind, nullable=column.endswith("?"))
        for column, kind in columns.items()
    ]
    metadata = {"evalstore.table": name, "evalstore.version": str(VERSION)}
    return ParquetTable(name, pa.schema(fields, metadata), per, tuple(order.split()))


OF_COLLECTION = {"collection": TEXT}
OF_QRELS = {**OF_COLLECTION, "qrels": TEXT}
OF_RUN = {**OF_COLLECTION, "run": TEXT}
OF_EVALUATION = {**OF_QRELS, "run": TEXT}

ALL_TABLES = (
    _table(
        "collections",
        "collection",
        "collection",
        {**OF_COLLECTION, "documents?": LARGE, "created_at": TIME, "access": TEXT,
         "measures?": TEXT},
    ),
    _table("queries", "collection", "qid", {**OF_COLLECTION, "qid": TEXT, "query?": TEXT}),
    _table(
        "query_attributes",
        "collection",
        "qid name",
        {**OF_COLLECTION, "qid": TEXT, "name": TEXT, "value": TEXT},
    ),
    _table(
        "qrels",
        "collection",
        "qrels",
        {**OF_QRELS, "content_hash": TEXT, "queries": COUNT, "judgments": LARGE,
         "relevant": LARGE, "highest_grade": DOUBLE, "created_at": TIME, "is_default": pa.bool_()},
    ),
    _table(
        "judgments",
        "qrels",
        "qid docno",
        {**OF_QRELS, "qid": TEXT, "docno": TEXT, "grade": DOUBLE},
    ),
    _table(
        "subtopic_judgments",
        "collection",
        "qid docno subtopic",
        {**OF_COLLECTION, "qid": TEXT, "docno": TEXT, "subtopic": TEXT, "grade": DOUBLE},
    ),
    _table(
        "group_judgments",
        "collection",
        "qid docno judgment_group",
        {**OF_COLLECTION, "qid": TEXT, "docno": TEXT, "judgment_group": TEXT, "grade": DOUBLE},
    ),
    _table(
        "preference_judgments",
        "collection",
        "qid judgment_group subgroup docno",
        {**OF_COLLECTION, "qid": TEXT, "judgment_group": TEXT, "subgroup": TEXT, "docno": TEXT,
         "level": DOUBLE},
    ),
    _table(
        "known_documents",
        "collection",
        "qid docno",
        {**OF_COLLECTION, "qid": TEXT, "docno": TEXT},
    ),
    _table(
        "experiments",
        "collection",
        "experiment",
        {**OF_COLLECTION, "experiment": TEXT, "question?": TEXT, "conclusion?": TEXT,
         "created_at": TIME},
    ),
    _table(
        "runs",
        "collection",
        "run",
        {**OF_RUN, "run_id": LARGE, "engine": TEXT, "engine_slot?": COUNT, "experiment?": TEXT,
         "tag": TEXT, "content_hash": TEXT, "queries_answered": COUNT,
         "documents_retrieved?": LARGE, "kept_top": COUNT, "values_only": pa.bool_(),
         "is_baseline": pa.bool_(), "parent?": TEXT, "tags?": pa.list_(TEXT), "parameters?": TEXT,
         "note?": TEXT, "commit?": TEXT, "commit_dirty?": pa.bool_(), "host?": TEXT,
         "started_by?": TEXT, "started_at?": TIME, "ended_at?": TIME, "command?": TEXT,
         "index_version?": TEXT, "collection_version?": TEXT, "header?": TEXT,
         "index_bytes?": LARGE, "memory_bytes?": LARGE, "money?": DOUBLE, "currency?": TEXT,
         "energy_joules?": DOUBLE, "ingested_at": TIME},
    ),
    _table(
        "run_parameters",
        "collection",
        "run name",
        {**OF_COLLECTION, "engine": TEXT, "run": TEXT, "name": TEXT, "value?": TEXT},
    ),
    _table(
        "response_times",
        "collection",
        "run qid",
        {**OF_RUN, "qid": TEXT, "milliseconds": DOUBLE},
    ),
    _table(
        "evaluations",
        "collection",
        "qrels run",
        {**OF_EVALUATION, "evaluator": TEXT, "compat": TEXT, "created_at": TIME},
    ),
    _table(
        "leaderboard",
        "collection",
        "qrels measure run",
        {**OF_QRELS, "experiment?": TEXT, "engine": TEXT, "run": TEXT, "measure": TEXT,
         "value": DOUBLE, "queries": COUNT, "spread?": DOUBLE, "family": TEXT, "direction": COUNT,
         "aggregate": TEXT},
    ),
    _table(
        "leaderboard_ranks",
        "collection",
        "qrels measure rank run",
        {**OF_QRELS, "engine": TEXT, "run": TEXT, "measure": TEXT, "value": DOUBLE, "low?": DOUBLE,
         "high?": DOUBLE, "rank": COUNT, "rank_low": COUNT, "rank_high": COUNT, "rank_group": TEXT,
         "judged_top_10?": DOUBLE, "runs": COUNT, "test": TEXT, "alpha": DOUBLE},
    ),
    _table(
        "rankings",
        "run",
        "qid rank",
        {**OF_RUN, "qid": TEXT, "rank": COUNT, "docno": TEXT, "score": DOUBLE, "grade?": DOUBLE},
    ),
    _table(
        "hits",
        "run",
        "qrels qid rank",
        {**OF_EVALUATION, "qid": TEXT, "rank": COUNT, "docno": TEXT, "grade": DOUBLE,
         "score": DOUBLE},
    ),
    _table(
        "values",
        "run",
        "qrels measure qid",
        {**OF_EVALUATION, "measure": TEXT, "qid": TEXT, "value": DOUBLE},
    ),
)  # fmt: skip

TABLES: Mapping[str, ParquetTable] = {table.name: table for table in ALL_TABLES}
