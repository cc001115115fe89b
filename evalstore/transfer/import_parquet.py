"""Build or complete a store from a folder that `export_parquet` wrote.

Every file is checked before anything is stored. Runs and qrels are identified by their content,
everything else by its name: an import can be repeated and changes nothing that is already stored.
No values are computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection

from evalstore.catalog.names import check_name, free_name
from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound, did_you_mean
from evalstore.evaluation.run_rows import ranking_rows
from evalstore.formats import Qrels
from evalstore.formats.lists import qrels_hash, run_hash
from evalstore.formats.tables.parquet import TABLES, Folder, docnos_of, queries_of, run_of_rows
from evalstore.ingest.store_run import written_measures
from evalstore.store import Store
from evalstore.store.columns import RankingRows
from evalstore.store.models import origin_t
from evalstore.store.queries import events
from evalstore.store.queries.drafts import complete_drafts
from evalstore.store.queries.evaluations import list_evaluations
from evalstore.store.queries.leaderboard import COLUMNS, Figures, list_shown_ranks, save_leaderboard
from evalstore.store.queries.qrels import add_qrels, ids_by_hash, list_qrels, set_default_qrels
from evalstore.store.queries.runs import content_hash_of, find_content, lookup_run
from evalstore.store.transfer import parquet_writes as writes
from evalstore.store.transfer.copy import add_baseline, add_parents, add_qrels_parents
from evalstore.transfer.copy import ORIGINS, Copied, added_rows, id_here, new_parts, reported

Tables = Mapping[str, pa.Table]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class CheckedFolder:
    """A folder whose files are complete and unchanged.

    `tables` has the tables to import that have one file per collection, by collection and table.
    """

    folder: Folder
    tables: Mapping[str, Tables]


def check_folder(path: Path, collections: Sequence[str] = ()) -> CheckedFolder:
    """Check every file of a folder that `export_parquet` wrote; all collections if none is named.

    DataError: the folder doesn't come from an export, has another version, or is damaged.
    """
    folder = Folder.for_reading(path)
    names = sorted({file.collection for file in folder.files.values()} - {""})
    for name in collections:
        if name not in names:
            raise NotFound(
                f"there is no collection {name!r} in the folder{did_you_mean(name, names)}"
            )
    chosen = list(dict.fromkeys(collections)) or names
    return CheckedFolder(folder, {name: _tables(folder, name) for name in chosen})


def import_parquet(
    store: Store, checked: CheckedFolder, *, progress: Callable[[Copied], None] = lambda _: None
) -> tuple[Copied, ...]:
    """Add everything from a folder that a store lacks; returns the results in order of import.

    Each qrels and each run is one transaction; a failed run doesn't affect the others. `progress`
    is called with each result immediately.
    """
    return reported(_imported(store, checked), progress)


def _imported(store: Store, checked: CheckedFolder) -> Iterator[Copied]:
    for name, tables in checked.tables.items():
        yield from _collection(store, checked.folder, name, tables)
    # Texts of experiments may be about several of the collections.
    rows = {name: tables["experiments"] for name, tables in checked.tables.items()}
    added = store.transact(lambda connection: writes.add_imported_texts(connection, rows))
    yield from added_rows("experiments", "", added)


def _tables(folder: Folder, collection: str) -> Tables:
    """The checked tables that have one file per collection."""
    content = {
        name: _rows(folder, name, collection)
        for name, table in TABLES.items()
        if table.per == "collection"
    }
    check_name("collection", collection)
    if content["collections"]["collection"].to_pylist() != [collection]:
        raise DataError(f"the folder has no table of the collection {collection!r}: export again")
    measures = content["collections"]["measures"][0].as_py()
    if measures is not None:
        written_measures(measures)
    for table, column in (
        *(("qrels", "qrels"), ("experiments", "experiment"), ("runs", "run")),
        *(("runs", "engine"), ("drafts", "draft")),
    ):
        for name in content[table][column].unique().to_pylist():
            check_name(column, name)
    return content


def _rows(folder: Folder, table: str, collection: str, part: str | None = None) -> pa.Table:
    """The rows of a file; empty if the folder has no such file."""
    file = folder.files.get(TABLES[table].path(collection, part))
    return TABLES[table].schema.empty_table() if file is None else folder.read(file)


def _where(content: pa.Table, column: str, value: str) -> pa.Table:
    return content.filter(pc.equal(content[column], value))


def _collection(store: Store, folder: Folder, name: str, tables: Tables) -> Iterator[Copied]:
    added = store.transact(lambda connection: writes.add_collection_rows(connection, name, tables))
    yield from added_rows("texts", name, added)
    with store.read() as connection:
        has_default = bool(list_qrels(connection, id_here(connection, name), removed=None))
    for row in sorted(tables["qrels"].to_pylist(), key=lambda row: row["created_at"]):
        try:
            is_default = row["is_default"] and not has_default
            yield _qrels(store, folder, name, row, tables, is_default)
        except EvalstoreError as error:
            yield Copied("qrels", name, row["qrels"], "failed", str(error))
    drafts = store.transact(lambda connection: _add_drafts(connection, name, tables))
    yield from added_rows("drafts", name, drafts)
    for row in sorted(tables["runs"].to_pylist(), key=lambda row: row["run_id"]):
        try:
            yield _run(store, folder, name, row, tables)
        except EvalstoreError as error:
            yield Copied("run", name, row["run"], "failed", str(error))
    parents = store.transact(lambda connection: _add_parents(connection, name, tables))
    yield from added_rows("parents", name, parents)
    ranks = store.transact(lambda connection: _add_ranks(connection, name, tables))
    yield from added_rows("ranks", name, ranks)
    baseline = store.transact(lambda connection: _add_baseline(connection, name, tables))
    if baseline is not None:
        yield Copied("baseline", name, baseline, "copied")


# --- qrels --------------------------------------------------------------------------------------


def _qrels(
    store: Store, folder: Folder, collection: str, row: Row, tables: Tables, is_default: bool
) -> Copied:
    """Store a qrels, unless one with the same content is stored."""
    judgments = _rows(folder, "judgments", collection, row["content_hash"])
    qids, lengths = queries_of(judgments)
    qrels = Qrels(
        *(row["qrels"], qids, lengths, docnos_of(judgments), judgments["grade"].to_numpy()),
        origin=writes.of_json(row["origin"]),
    )
    if not qids or qrels_hash(qrels) != row["content_hash"]:
        raise DataError("its judgments are not those that its content hash stands for")

    def work(connection: Connection) -> Copied:
        here = id_here(connection, collection)
        stored = list_qrels(connection, here, removed=None)
        origins = {origin_t: _where(tables["judgment_origins"], "qrels", row["qrels"])}
        ours = next((one for one in stored if one.content_hash == row["content_hash"]), None)
        if ours is not None:
            if not writes.add_missing(connection, here, origins, qrels_id=ours.id):
                return Copied("qrels", collection, ours.name, "there already")
            _log(connection, collection, ours.name, "qrels", "completed")
            return Copied("qrels", collection, ours.name, "completed", ORIGINS)
        name = free_name(row["qrels"], {one.name for one in stored})
        version = {name: row[name] for name in ("who", "reason", "rule")}
        qrels_id = add_qrels(connection, here, name, qrels, row["created_at"], **version)
        writes.add_missing(connection, here, origins, qrels_id=qrels_id)
        if is_default:
            set_default_qrels(connection, here, qrels_id)
        _log(connection, collection, name, "qrels", "copied")
        return Copied("qrels", collection, name, "copied")

    return store.transact(work)


# --- runs ---------------------------------------------------------------------------------------


def _run(store: Store, folder: Folder, collection: str, row: Row, tables: Tables) -> Copied:
    """Store a run with its evaluations, or only the evaluations that the store lacks."""
    name, content_hash = row["run"], row["content_hash"]

    @cache
    def content() -> RankingRows | None:
        if row["values_only"]:
            return None
        rankings = _rows(folder, "rankings", collection, content_hash)
        run = run_of_rows(rankings, name, row["tag"])
        if run_hash(run) != content_hash:
            raise DataError("its rankings are not those that its content hash stands for")
        return ranking_rows(run, row["kept_top"])

    def work(connection: Connection) -> Copied:
        here = id_here(connection, collection)
        stored = lookup_run(connection, here, name)
        if stored is not None and content_hash_of(connection, stored.id) != content_hash:
            raise Conflict(f"run {name!r} has other content in the target: rename one of them")
        evaluations = _evaluations(connection, here, folder, collection, row, tables)
        if stored is None:
            is_new = find_content(connection, here, content_hash) is None
            own = content() if is_new else None
            run_id = writes.add_imported_run(connection, here, row, own, tables)
            writes.add_imported_evaluations(connection, here, run_id, evaluations)
            _log(connection, collection, name, "run", "copied")
            return Copied("run", collection, name, "copied")
        facts = writes.complete_imported_run(connection, here, stored.id, name, tables)
        added = writes.add_imported_evaluations(connection, here, stored.id, evaluations)
        if not added + facts:
            return Copied("run", collection, stored.name, "there already")
        _log(connection, collection, stored.name, "run", "completed")
        return Copied("run", collection, stored.name, "completed", new_parts(added, facts))

    with store.read() as connection:
        here = id_here(connection, collection)
        is_new = find_content(connection, here, content_hash) is None
    if is_new:
        content()  # reads and packs it before the database is locked
    return store.transact(work)


def _evaluations(
    connection: Connection, here: int, folder: Folder, collection: str, row: Row, tables: Tables
) -> list[writes.ImportedEvaluation]:
    """The evaluations of a run under the qrels that the store has."""
    ids_of_qrels = _ids_of_qrels(connection, here, tables)
    hits = _rows(folder, "hits", collection, row["content_hash"])
    values = _rows(folder, "values", collection, row["content_hash"])
    figures = _where(tables["leaderboard"], "run", row["run"])
    return [
        writes.ImportedEvaluation(
            ids_of_qrels[one["qrels"]],
            one["evaluator"],
            one["compat"],
            one["created_at"],
            *(_where(content, "qrels", one["qrels"]) for content in (figures, hits, values)),
        )
        for one in _where(tables["evaluations"], "run", row["run"]).to_pylist()
        if one["qrels"] in ids_of_qrels
    ]


def _add_drafts(connection: Connection, collection: str, tables: Tables) -> int:
    """Add the parents of qrels, and the drafts; returns the number of additions to drafts."""
    here = id_here(connection, collection)
    ids = _ids_of_qrels(connection, here, tables)
    rows = (row for row in tables["qrels"].to_pylist() if row["parent"] is not None)
    add_qrels_parents(connection, ids, {row["qrels"]: row["parent"] for row in rows})
    return complete_drafts(connection, here, writes.drafts_of(tables), ids)


def _ids_of_qrels(connection: Connection, here: int, tables: Tables) -> dict[str, int]:
    """The ids in the store for the qrels of the folder, by their names in the folder."""
    rows = tables["qrels"].to_pylist()
    return ids_by_hash(connection, here, {row["qrels"]: row["content_hash"] for row in rows})


# --- parents, ranks and baselines ---------------------------------------------------------------


def _add_parents(connection: Connection, collection: str, tables: Tables) -> int:
    """Set the parents that the folder names for runs without a parent; returns their number."""
    rows = (row for row in tables["runs"].to_pylist() if row["parent"] is not None)
    here = id_here(connection, collection)
    return add_parents(connection, here, {row["run"]: row["parent"] for row in rows})


def _add_ranks(connection: Connection, collection: str, tables: Tables) -> int:
    """Save the leaderboards of the folder that the store lacks; returns their number."""
    here, added = id_here(connection, collection), 0
    ids_of_qrels = _ids_of_qrels(connection, here, tables)
    stored = {(one.qrels, one.measure) for one in list_shown_ranks(connection)
             if one.collection == collection}  # fmt: skip
    names = {one.id: one.name for one in list_qrels(connection, here, removed=None)}
    evaluations = list_evaluations(connection, None, collection)
    leaderboards: dict[tuple[str, str], list[Row]] = {}
    for row in tables["leaderboard_ranks"].to_pylist():
        leaderboards.setdefault((row["qrels"], row["measure"]), []).append(row)
    for (qrels, measure), rows in leaderboards.items():
        qrels_id = ids_of_qrels.get(qrels)
        if qrels_id is None or (names[qrels_id], measure) in stored:
            continue
        of_run = {of.run.name: of.run.id for of in evaluations if of.qrels.id == qrels_id}
        if not of_run.keys() >= {row["run"] for row in rows}:
            continue
        save_leaderboard(
            connection,
            qrels_id,
            measure,
            {of_run[row["run"]]: Figures(*(row[name] for name in COLUMNS)) for row in rows},
            test=rows[0]["test"],
            alpha=rows[0]["alpha"],
            family=rows[0]["family"],
            now=datetime.now(UTC),
        )
        added += 1
    return added


def _add_baseline(connection: Connection, collection: str, tables: Tables) -> str | None:
    """Set the baseline that the folder names, if the collection has none; returns its name."""
    chosen = [row["run"] for row in tables["runs"].to_pylist() if row["is_baseline"]]
    here = id_here(connection, collection)
    return add_baseline(connection, here, chosen[0]) if chosen else None


def _log(connection: Connection, collection: str, name: str, kind: str, status: str) -> None:
    events.log(connection, "copy", collection, name, kind=kind, status=status, source="parquet")
