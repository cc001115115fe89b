"""The files that runs were read from, by which a file is recognised without being read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, delete, select

from evalstore.formats.file_stamps import FileStamp
from evalstore.store import models
from evalstore.store.rows import bulk_insert

run_t = models.table(models.Run)
run_file_t = models.table(models.RunFile)

COLUMNS = ("run_id", "path_hash", "size", "version", "bytes_hash", "reading")


@dataclass(frozen=True)
class RunFile:
    """A file, and the run that was read from it."""

    run_id: int
    stamp: FileStamp


@dataclass(frozen=True)
class CurrentRun:
    """A run of a collection as it is now, active or removed.

    Attributes:
        compat: of its evaluation under a qrels; None where it is not evaluated under it.
    """

    id: int
    name: str
    content_hash: str
    engine: str
    experiment: str | None
    removed_at: datetime | None
    compat: str | None


def list_run_files(connection: Connection, collection: str, reading: str) -> list[RunFile]:
    """The files that the runs of a collection were read from in this way (`add_run_file`)."""
    collection_t = models.table(models.Collection)
    rows = connection.execute(
        select(*(run_file_t.c[name] for name in COLUMNS[:5]))
        .join(run_t, run_t.c.id == run_file_t.c.run_id)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(collection_t.c.name == collection, run_file_t.c.reading == reading)
    )
    return [RunFile(row[0], FileStamp(*row[1:])) for row in rows]


def list_current_runs(
    connection: Connection, collection_id: int, qrels_id: int
) -> dict[int, CurrentRun]:
    """All runs of a collection by id, with the mode of their evaluation under a qrels."""
    engine_t = models.table(models.Engine)
    evaluation_t = models.table(models.Evaluation)
    of_qrels = and_(evaluation_t.c.run_id == run_t.c.id, evaluation_t.c.qrels_id == qrels_id)
    rows = connection.execute(
        select(
            run_t.c.id,
            run_t.c.name,
            run_t.c.content_hash,
            engine_t.c.name,
            run_t.c.experiment,
            run_t.c.deleted_at,
            evaluation_t.c.compat,
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(evaluation_t, of_qrels)
        .where(run_t.c.collection_id == collection_id)
    )
    return {row[0]: CurrentRun(*row) for row in rows}


def add_run_files(
    connection: Connection, files: Sequence[RunFile], reading: str, *, is_new: bool = False
) -> None:
    """Note the files that runs were read from.

    Args:
        connection: in the transaction that stores the run, where it is new.
        files: the files; what was noted of the same path and run is replaced.
        reading: all that decides, beside the bytes, which run a file is.
        is_new: whether the runs are new, so that nothing was noted of them.
    """
    if not files:
        return
    if not is_new:
        same_file = and_(
            run_file_t.c.run_id == bindparam("of_run"),
            run_file_t.c.path_hash == bindparam("of_path"),
        )
        keys = [{"of_run": file.run_id, "of_path": file.stamp.path_hash} for file in files]
        connection.execute(delete(run_file_t).where(same_file), keys)
    rows = [
        (f.run_id, f.stamp.path_hash, f.stamp.size, f.stamp.version, f.stamp.bytes_hash, reading)
        for f in files
    ]
    bulk_insert(connection, run_file_t, COLUMNS, rows)


def copy_run_files(reader: Connection, writer: Connection, theirs: int, ours: int) -> None:
    """Copy what is noted of the files of a run into another store, where the run is new."""
    chosen = select(*(run_file_t.c[name] for name in COLUMNS[1:]))
    rows = reader.execute(chosen.where(run_file_t.c.run_id == theirs)).all()
    bulk_insert(writer, run_file_t, COLUMNS[1:], map(tuple, rows), {"run_id": ours})
