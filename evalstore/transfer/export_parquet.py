"""Write a store, or some of its collections, as a folder of partitioned Parquet files.

A file whose content is unchanged is not written again. Files of runs that are no longer in the
store are deleted after the manifest was written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path

import pyarrow as pa
from sqlalchemy import Connection

from evalstore.errors import NotFound, did_you_mean
from evalstore.formats.tables.parquet import TABLES, VERSION, Folder, ParquetTable, WrittenFile
from evalstore.store import Store
from evalstore.store.queries.collections import list_collections
from evalstore.store.queries.qrels import StoredQrels, list_qrels
from evalstore.store.transfer import parquet_reads as reads

VIEWS = "views.sql"

NOT_CARRIED = (
    "documents (titles and texts)",
    "what is marked as removed",
    "events",
    "comments",
    "saved views of the dashboard",
    "experiments without runs",
    "accounts and roles of the team's server",
)
"""Parts of a store that its Parquet files don't contain."""


@dataclass(frozen=True)
class Exported:
    """The result of an export: numbers of files, and rows and bytes of all files in the folder."""

    collections: tuple[str, ...]
    written: int
    unchanged: int
    removed: int
    rows: int
    bytes: int


@dataclass(frozen=True)
class Part:
    """A file to write; `key` identifies its content, and `rows` reads its rows."""

    table: ParquetTable
    collection: str
    path: str
    key: str
    rows: Callable[[], Iterable[pa.Table]]


def views_sql() -> str:
    """SQL for DuckDB that makes the store's views from the files of a folder."""
    return resources.files("evalstore.transfer").joinpath("parquet_views.sql").read_text("utf-8")


def export_parquet(
    store: Store,
    path: Path,
    collections: Sequence[str] = (),
    *,
    progress: Callable[[WrittenFile], None] = lambda _: None,
) -> Exported:
    """Write the tables of a store into a folder, all from the same state of the store.

    The folder must come from an earlier export, be empty or not exist; otherwise DataError. Files
    of collections that are not named remain.
    """
    with store.read() as connection:
        ids = {one.name: one.id for one in list_collections(connection)}
        for name in collections:
            if name not in ids:
                raise NotFound(f"there is no collection {name!r}{did_you_mean(name, ids)}")
        chosen = tuple(dict.fromkeys(collections)) or tuple(ids)
        folder = Folder.for_writing(path)
        kept = _of_others(folder, chosen) if collections else {}
        folder_files = dict(kept)
        written = 0
        for name in chosen:
            for part in _parts(connection, ids[name], name):
                file = folder.has(part.table, name, part.path, part.key)
                if file is None:
                    file = folder.write(part.table, name, part.path, part.key, part.rows())
                    written += 1
                    progress(file)
                folder_files[part.path] = file
    unchanged = len(folder_files) - len(kept) - written
    for file in _without_rows(folder, {file.table for file in folder_files.values()}):
        folder_files[file.path] = file
    folder.files = folder_files
    folder.write_text(VIEWS, views_sql())
    folder.write_manifest()
    removed = folder.remove_unlisted()
    files = folder.files.values()
    return Exported(
        chosen,
        written,
        unchanged,
        removed,
        sum(file.rows for file in files),
        sum(file.bytes for file in files),
    )


def _of_others(folder: Folder, chosen: Sequence[str]) -> dict[str, WrittenFile]:
    """The files in the folder that belong to collections not exported now."""
    files = folder.files.items()
    return {path: file for path, file in files if file.collection not in ("", *chosen)}


def _without_rows(folder: Folder, tables: set[str]) -> Iterator[WrittenFile]:
    """An empty file for each table without rows: programs can't read a table without a file."""
    for table in TABLES.values():
        if table.name not in tables:
            path, key = table.path_without_rows, _key(table, [])
            yield folder.has(table, "", path, key) or folder.write(table, "", path, key, [])


def _parts(connection: Connection, collection_id: int, name: str) -> Iterator[Part]:
    """All files of a collection; those with many rows are read only when they are written."""
    for table, content in reads.collection_tables(connection, collection_id, name):
        key = _content_key(table, content)
        yield Part(table, name, table.path(name), key, partial(list, [content]))
    all_qrels = list_qrels(connection, collection_id)
    for qrels in all_qrels:
        table = TABLES["judgments"]
        key = _key(table, [name, qrels.name, qrels.content_hash])
        rows = partial(_judgments, connection, name, qrels)
        yield Part(table, name, table.path(name, qrels.content_hash), key, rows)
    yield from _parts_of_runs(connection, collection_id, name, next(iter(all_qrels), None))


def _parts_of_runs(
    connection: Connection, collection_id: int, name: str, default: StoredQrels | None
) -> Iterator[Part]:
    @cache
    def grades() -> dict[str, tuple[pa.Array, pa.Array]]:
        if default is None:
            return {}
        return reads.grades_of(reads.judgments_table(connection, name, default))

    def rankings(run: reads.ExportedRun) -> Iterator[pa.Table]:
        return reads.rankings_tables(connection, name, run, grades())

    def evaluated(
        table: str, run: reads.ExportedRun, own: Sequence[reads.ExportedEvaluation]
    ) -> list[pa.Table]:
        return [reads.evaluated_table(connection, table, name, run, own)]

    evaluations = reads.evaluations_of_runs(connection, collection_id)
    graded_by = default.content_hash if default else None
    for run in reads.list_exported_runs(connection, collection_id):
        if run.name != run.content_of:
            continue
        own = evaluations.get(run.id, ())
        of_values = [run.last_change, *(tuple(one)[2:] for one in own)]  # without the ids
        files: dict[str, tuple[Sequence[object], Callable[[], Iterable[pa.Table]]]] = {
            "rankings": ([graded_by], partial(rankings, run)),
            "hits": (of_values, partial(evaluated, "hits", run, own)),
            "values": (of_values, partial(evaluated, "values", run, own)),
        }
        for table_name, (depends_on, rows) in files.items():
            if table_name == "values" or not run.values_only:
                table = TABLES[table_name]
                key = _key(table, [name, run.name, run.content_hash, *depends_on])
                yield Part(table, name, table.path(name, run.content_hash), key, rows)


def _judgments(connection: Connection, name: str, qrels: StoredQrels) -> list[pa.Table]:
    return [reads.judgments_table(connection, name, qrels)]


def _key(table: ParquetTable, depends_on: Sequence[object]) -> str:
    """SHA-256 of everything that the content of a file depends on."""
    text = json.dumps([VERSION, table.name, *depends_on])
    return hashlib.sha256(text.encode()).hexdigest()


def _content_key(table: ParquetTable, content: pa.Table) -> str:
    """SHA-256 of the rows of a small table."""
    digest = hashlib.sha256(_key(table, []).encode())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(content.combine_chunks())
    digest.update(sink.getvalue())
    return digest.hexdigest()
