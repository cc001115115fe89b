"""The tables of a folder of Parquet files (their columns, types and partitions), and the folder.

`docs/parquet.md` describes them; a test compares it with this module.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evalstore.errors import DataError, FileError
from evalstore.formats.reading.lines import replacing
from evalstore.formats.reading.source import path_text, reason, refuse
from evalstore.formats.run import Run

VERSION = 5
"""The version of the tables: a column is not renamed, dropped or given another type without a new
one."""

OLDEST = 3
"""The first version that is read: what it lacks is null, or a table without rows."""

NO_KEY = "none"
"""The value of each partition of the only file, without rows, of a table without rows."""

ROW_GROUP = 1 << 17
"""Rows of a row group: what DuckDB gives to one thread, and few enough to be in memory."""

Partition = Literal["collection", "qrels", "run"]

TEXT, DOUBLE, COUNT, LARGE = pa.string(), pa.float64(), pa.int32(), pa.int64()
TIME = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class ParquetTable:
    """A table: its columns, and the content of its files.

    Attributes:
        name: of the folder.
        schema: of every file; a column that can't be null is declared so.
        per: the content of a file: a collection, a qrels or a run.
        order: the columns that the rows of a file are sorted by; text by bytes.
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
        """The path, below the folder, of the file of a collection and a content hash.

        Names can be of any length and hold any character, so that the partitions are keys made of
        them: a letter, because readers take digits for a number, and 16 hexadecimal digits. Keys of
        qrels and runs are `q` or `r`, and the beginning of the content hash.
        """
        return self._path(collection_key(collection), self.per[0] + (part or "")[:16])

    @property
    def path_without_rows(self) -> str:
        """The path of the only file, without rows, of a table without rows."""
        return self._path(NO_KEY, NO_KEY)

    def _path(self, collection: str, part: str) -> str:
        parts = [] if self.per == "collection" else [f"{self.per}_key={part}"]
        return "/".join([self.name, f"collection_key={collection}", *parts, "part.parquet"])


def collection_key(name: str) -> str:
    """The key of a collection: `c` and the beginning of the SHA-256 of its name."""
    return "c" + hashlib.sha256(name.encode()).hexdigest()[:16]


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
OF_DRAFT = {**OF_COLLECTION, "draft": TEXT}
OF_EVALUATION = {**OF_QRELS, "run": TEXT}

ALL_TABLES = (
    _table("collections", "collection", "collection", {
        **OF_COLLECTION, "documents?": LARGE, "created_at": TIME, "access": TEXT,
        "measures?": TEXT, "mappings?": TEXT, "grade_labels?": TEXT, "document_link?": TEXT,
        "guidelines?": TEXT}),
    _table("queries", "collection", "qid", {**OF_COLLECTION, "qid": TEXT, "query?": TEXT}),
    _table("query_attributes", "collection", "qid name", {
        **OF_COLLECTION, "qid": TEXT, "name": TEXT, "value": TEXT}),
    _table("qrels", "collection", "qrels", {
        **OF_QRELS, "content_hash": TEXT, "queries": COUNT, "judgments": LARGE,
        "relevant": LARGE, "highest_grade": DOUBLE, "created_at": TIME, "is_default": pa.bool_(),
        "origin?": TEXT, "who?": TEXT, "reason?": TEXT, "rule?": TEXT, "parent?": TEXT}),
    _table("judgments", "qrels", "qid docno", {
        **OF_QRELS, "qid": TEXT, "docno": TEXT, "grade": DOUBLE}),
    _table("judgment_origins", "collection", "qrels qid docno", {
        **OF_QRELS, "qid": TEXT, "docno": TEXT, "kind": TEXT, "name": TEXT, "pool?": TEXT,
        "stratum?": TEXT, "probability?": DOUBLE, "judged_at?": TIME}),
    _table("drafts", "collection", "draft", {
        **OF_DRAFT, "parent?": TEXT, "rule": TEXT, "overlap": COUNT, "seed": COUNT, "pool?": TEXT,
        "who": TEXT, "created_at": TIME, "published?": TEXT}),
    _table("draft_documents", "collection", "draft qid docno", {
        **OF_DRAFT, "qid": TEXT, "docno": TEXT, "place": COUNT, "stratum?": TEXT,
        "probability?": DOUBLE, "assigned?": TEXT}),
    _table("assessments", "collection", "id", {
        **OF_DRAFT, "qid": TEXT, "id": LARGE, "docno": TEXT, "assessor": TEXT, "kind": TEXT,
        "state": TEXT, "grade?": DOUBLE, "comment?": TEXT, "passage?": TEXT, "key": TEXT,
        "judged_at": TIME}),
    _table("subtopic_judgments", "collection", "qid docno subtopic", {
        **OF_COLLECTION, "qid": TEXT, "docno": TEXT, "subtopic": TEXT, "grade": DOUBLE}),
    _table("group_judgments", "collection", "qid docno judgment_group", {
        **OF_COLLECTION, "qid": TEXT, "docno": TEXT, "judgment_group": TEXT, "grade": DOUBLE}),
    _table("preference_judgments", "collection", "qid judgment_group subgroup docno", {
        **OF_COLLECTION, "qid": TEXT, "judgment_group": TEXT, "subgroup": TEXT, "docno": TEXT,
        "level": DOUBLE}),
    _table("known_documents", "collection", "qid docno", {
        **OF_COLLECTION, "qid": TEXT, "docno": TEXT}),
    _table("experiments", "collection", "experiment", {
        **OF_COLLECTION, "experiment": TEXT, "question?": TEXT, "conclusion?": TEXT,
        "created_at": TIME}),
    _table("runs", "collection", "run", {
        **OF_RUN, "run_id": LARGE, "engine": TEXT, "engine_slot?": COUNT, "experiment?": TEXT,
        "tag": TEXT, "content_hash": TEXT, "content_of": TEXT, "queries_answered": COUNT,
        "documents_retrieved?": LARGE, "kept_top": COUNT, "values_only": pa.bool_(),
        "is_baseline": pa.bool_(), "parent?": TEXT, "tags?": pa.list_(TEXT), "parameters?": TEXT,
        "note?": TEXT, "commit?": TEXT, "commit_dirty?": pa.bool_(), "host?": TEXT,
        "started_by?": TEXT, "started_at?": TIME, "ended_at?": TIME, "command?": TEXT,
        "index_version?": TEXT, "collection_version?": TEXT, "header?": TEXT,
        "index_bytes?": LARGE, "memory_bytes?": LARGE, "money?": DOUBLE, "currency?": TEXT,
        "energy_joules?": DOUBLE, "ingested_at": TIME}),
    _table("run_parameters", "collection", "run name", {
        **OF_COLLECTION, "engine": TEXT, "run": TEXT, "name": TEXT, "value?": TEXT}),
    _table("response_times", "collection", "run qid", {
        **OF_RUN, "qid": TEXT, "milliseconds": DOUBLE}),
    _table("explanations", "collection", "run qid docno", {
        **OF_RUN, "qid": TEXT, "docno": TEXT, "text": TEXT}),
    _table("evaluations", "collection", "qrels run", {
        **OF_EVALUATION, "evaluator": TEXT, "compat": TEXT, "created_at": TIME}),
    _table("leaderboard", "collection", "qrels measure run", {
        **OF_QRELS, "experiment?": TEXT, "engine": TEXT, "run": TEXT, "measure": TEXT,
        "value": DOUBLE, "queries": COUNT, "spread?": DOUBLE, "family": TEXT, "direction": COUNT,
        "aggregate": TEXT}),
    _table("leaderboard_ranks", "collection", "qrels measure rank run", {
        **OF_QRELS, "engine": TEXT, "run": TEXT, "measure": TEXT, "value": DOUBLE, "low?": DOUBLE,
        "high?": DOUBLE, "rank": COUNT, "rank_low": COUNT, "rank_high": COUNT, "rank_group": TEXT,
        "judged_top_10?": DOUBLE, "runs": COUNT, "test": TEXT, "alpha": DOUBLE,
        "verdict?": TEXT, "family": TEXT, "reason?": TEXT, "sentence?": TEXT,
        "bounds_low?": DOUBLE, "bounds_high?": DOUBLE}),
    _table("rankings", "run", "qid rank", {
        **OF_RUN, "qid": TEXT, "rank": COUNT, "docno": TEXT, "score": DOUBLE, "grade?": DOUBLE}),
    _table("hits", "run", "qrels qid rank", {
        **OF_EVALUATION, "qid": TEXT, "rank": COUNT, "docno": TEXT, "grade": DOUBLE,
        "score": DOUBLE}),
    _table("values", "run", "qrels measure qid", {
        **OF_EVALUATION, "measure": TEXT, "qid": TEXT, "value": DOUBLE}),
)  # fmt: skip

TABLES: Mapping[str, ParquetTable] = {table.name: table for table in ALL_TABLES}


# A folder of Parquet files with a manifest: written file by file, checked before it is read. A file
# gets its name only when it is complete. The key of its content is in its metadata, so that an
# interrupted export can be continued. The manifest is written last.

MANIFEST = "manifest.json"
FORMAT = "evalstore-parquet"
KEY = b"evalstore.key"


@dataclass(frozen=True)
class WrittenFile:
    """A file as the manifest lists it.

    Attributes:
        collection: empty for a file without rows.
        path: below the folder, with `/`.
        key: SHA-256 of everything that its content depends on.
    """

    table: str
    collection: str
    path: str
    key: str
    rows: int
    bytes: int
    sha256: str


class Folder:
    """A folder that an export fills and an import reads; `version` is that of its tables."""

    def __init__(
        self, path: Path, files: Iterable[WrittenFile] = (), version: int = VERSION
    ) -> None:
        self.path, self.version = path, version
        self.files = {file.path: file for file in files}

    @classmethod
    def for_writing(cls, path: Path) -> Folder:
        """A folder that is new, empty, or was written by `evalstore export parquet` before."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            names = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
        except OSError as error:
            refuse(str(path), None, reason(error))
        if not names:
            # The manifest of nothing says from the beginning that the folder is ours.
            folder = cls(path)
            folder.write_manifest()
            return folder
        if MANIFEST not in names:
            raise DataError(
                f"{path_text(str(path))} is not empty and was not written by an export of Parquet: "
                "name an empty folder"
            )
        try:
            return cls(path, *_manifest(path))
        except DataError as error:
            raise DataError(f"{error}; name an empty folder") from None

    @classmethod
    def for_reading(cls, path: Path) -> Folder:
        """A folder that an export wrote, with every file there as it was written."""
        if not path.is_dir():
            refuse(str(path), None, "no such folder")
        if not (path / MANIFEST).is_file():
            raise DataError(
                f"{path_text(str(path))} was not written by an export of Parquet: it has no "
                f"{MANIFEST}"
            )
        folder = cls(path, *_manifest(path, OLDEST))
        if not folder.files:
            raise DataError(f"{path_text(str(path))}: the export was interrupted: export again")
        for file in folder.files.values():
            folder._check(file)
        return folder

    def has(self, table: ParquetTable, collection: str, path: str, key: str) -> WrittenFile | None:
        """The file of that path, if its content has this key."""
        listed, file = self.files.get(path), self.path / path
        with suppress(OSError, pa.ArrowException):
            if listed and listed.key == key and file.stat().st_size == listed.bytes:
                return listed
            metadata = pq.read_metadata(file)
            if (metadata.metadata or {}).get(KEY) == key.encode():
                return self._described(table, collection, path, key, metadata.num_rows)
        return None

    def write(
        self, table: ParquetTable, collection: str, path: str, key: str, parts: Iterable[pa.Table]
    ) -> WrittenFile:
        """Write a file of some parts, one after the other; it gets its name when it is complete."""
        target, rows = self.path / path, 0
        schema = table.schema.with_metadata({**(table.schema.metadata or {}), KEY: key.encode()})
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refuse(str(target), None, reason(error))
        with (
            replacing(target) as temporary,
            pq.ParquetWriter(
                temporary,
                schema,
                compression="zstd",
                use_dictionary=table.repeated,
                write_page_index=True,
            ) as writer,
        ):
            for part in parts:
                rows += len(part)
                writer.write_table(part.cast(schema), row_group_size=ROW_GROUP)
        return self._described(table, collection, path, key, rows)

    def write_text(self, name: str, text: str) -> None:
        """Write a file of text at the top of the folder."""
        with replacing(self.path / name) as temporary:
            temporary.write_text(text, encoding="utf-8")

    def write_manifest(self) -> None:
        """Write the list of the files."""
        files = [asdict(self.files[path]) for path in sorted(self.files)]
        content = {"format": FORMAT, "version": VERSION, "files": files}
        self.write_text(MANIFEST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def remove_unlisted(self) -> int:
        """Delete files of tables that the manifest does not list, no others; return how many."""
        removed = 0
        for table in TABLES.values():
            for file in sorted((self.path / table.name).glob("**/part.parquet")):
                if file.relative_to(self.path).as_posix() in self.files:
                    continue
                try:
                    file.unlink()
                except OSError as error:
                    refuse(str(file), None, reason(error))
                removed += 1
                for folder in list(file.parents)[
                    : file.relative_to(self.path).as_posix().count("/")
                ]:
                    with suppress(OSError):  # it holds something else
                        folder.rmdir()
        return removed

    def read(self, file: WrittenFile) -> pa.Table:
        """A file as one table, with the columns and types that its table has.

        Columns that an earlier version does not have are null.
        """
        table = TABLES[file.table]
        where = path_text(str(self.path / file.path))
        try:
            content = pq.ParquetFile(self.path / file.path).read(columns=table.schema.names)
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"{where}: {_first_line(error)}") from None
        for place, field in enumerate(table.schema if self.version < VERSION else ()):
            if field.nullable and field.name not in content.schema.names:
                nulls = pa.nulls(len(content), field.type)
                content = content.add_column(place, field, nulls)
        return _checked(content, table, where)

    def _check(self, file: WrittenFile) -> None:
        path = self.path / file.path
        where = path_text(str(path))
        try:
            if not path.is_file():
                raise DataError(f"{where} is missing: export again")
            damaged = path.stat().st_size != file.bytes or _sha256(path) != file.sha256
        except OSError as error:
            raise FileError(where, None, reason(error)) from None
        if damaged:
            raise DataError(
                f"{where} is damaged: it is not what was exported; delete it and export again"
            )

    def _described(
        self, table: ParquetTable, collection: str, path: str, key: str, rows: int
    ) -> WrittenFile:
        file = self.path / path
        size = file.stat().st_size
        return WrittenFile(table.name, collection, path, key, rows, size, _sha256(file))


def _checked(content: pa.Table, table: ParquetTable, where: str) -> pa.Table:
    """The content, if it has the columns of the table, their types, and nulls only if allowed."""
    if content.schema.names != table.schema.names or content.schema.types != table.schema.types:
        raise DataError(f"{where}: the columns are not those of the table {table.name!r}")
    try:
        content.validate(full=True)  # texts are UTF-8
    except pa.ArrowException as error:
        raise DataError(f"{where}: {_first_line(error)}") from None
    for field in table.schema:
        column = content[field.name]
        if not field.nullable and column.null_count:
            raise DataError(f"{where}: the column {field.name!r} has a null")
        if pa.types.is_floating(field.type) and pc.any(pc.is_nan(column)).as_py():
            raise DataError(f"{where}: the column {field.name!r} has a value that is no number")
    return content


def _manifest(path: Path, oldest: int = VERSION) -> tuple[list[WrittenFile], int]:
    """The files that a manifest lists, and its version, which is `oldest` or a later one."""
    file = path / MANIFEST
    where = path_text(str(file))
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(where, None, reason(error)) from None
    except (ValueError, RecursionError):
        raise DataError(f"{where} is no manifest of an export: it is not JSON") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError(f"{where} is no manifest of an export of Parquet")
    version = content.get("version")
    if not isinstance(version, int) or not oldest <= version <= VERSION:
        raise DataError(
            f"{where}: the tables are of version {version!r}, this program's of "
            f"version {VERSION}: export into an empty folder with this program, or use the one "
            "that wrote them"
        )
    listed = content.get("files")
    if not isinstance(listed, list):
        raise DataError(f"{where} is damaged: it lists no files")
    return [_listed(entry, where) for entry in listed], version


def _listed(entry: Any, where: str) -> WrittenFile:
    """An entry of a manifest; its path can't lead out of the folder."""
    try:
        file = WrittenFile(**entry)
    except TypeError:
        raise DataError(f"{where} is damaged: {entry!r} is no entry of a file") from None
    texts = (file.table, file.collection, file.path, file.key, file.sha256)
    numbers = (file.rows, file.bytes)
    steps = file.path.split("/") if isinstance(file.path, str) else []
    if (
        not all(isinstance(text, str) for text in texts)
        or not all(type(number) is int for number in numbers)
        or file.table not in TABLES
        or steps[:1] != [file.table]
        or steps[-1] != "part.parquet"
        or any(step in ("", ".", "..") or "\\" in step or "\0" in step for step in steps)
    ):
        raise DataError(f"{where} is damaged: {entry!r} is no entry of a file")
    return file


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


# Lists in rows of the Parquet tables `rankings` and `judgments`


def run_of_rows(rankings: pa.Table, name: str, tag: str) -> Run:
    """A run of the rows of its rankings, sorted by query and rank."""
    qids, lengths = queries_of(rankings)
    return Run(
        path=name,
        tag=tag,
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos_of(rankings),
        scores=rankings["score"].to_numpy(),
    )


def queries_of(rows: pa.Table) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The query ids of rows, which are sorted by query, and the number of rows of each."""
    named = rows["qid"].combine_chunks().dictionary_encode()
    indices = named.indices.to_numpy()
    if np.any(np.diff(indices) < 0):
        raise DataError("its rows are not sorted by query")
    qids = tuple(named.dictionary.to_pylist())
    return qids, np.bincount(indices, minlength=len(qids)).astype(np.int64)


def docnos_of(rows: pa.Table) -> pa.Array:
    """The document ids of rows: Arrow binary."""
    return rows["docno"].combine_chunks().cast(pa.binary())
