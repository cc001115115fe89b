"""Runs: their names, identity and files, and the engines and experiments they belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    ScalarSelect,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from evalstore.errors import NotFound, did_you_mean
from evalstore.formats.reading.file_stamps import FileStamp
from evalstore.store.database import lock_slot_of_engine, try_lock_slot
from evalstore.store.models import (
    about_t,
    collection_t,
    content_t,
    engine_t,
    evaluation_t,
    experiment_t,
    run_file_t,
    run_t,
    slot_t,
)
from evalstore.store.rows import (
    bulk_insert,
    change_row,
    delete_row,
    ensure_row,
    fields,
    find_row,
    insert_row,
    is_removed,
)

LARGEST_ID = 2**31 - 1
"""The largest number that can be an id in every database."""


@dataclass(frozen=True)
class StoredRun:
    """A run in the store; `name` is unique within its collection.

    `removed_at`: when it was marked as removed; None for active runs. `values_only`: the run was
    given as values of measures, without rankings.
    """

    id: int
    name: str
    tag: str
    collection: str
    removed_at: datetime | None = None
    values_only: bool = False


RUNS = select(
    *fields(StoredRun, run_t, collection=collection_t.c.name, removed_at=run_t.c.deleted_at)
).join(collection_t, collection_t.c.id == run_t.c.collection_id)
"""A SELECT of the columns of a `StoredRun`."""


CONTENT_HASH = (
    select(content_t.c.content_hash).where(content_t.c.id == run_t.c.content_id).scalar_subquery()
)
"""The content hash of a row of `run`."""


def content_of(run_id: int) -> ScalarSelect[int]:
    """A SELECT of the id of a run's content, for a condition."""
    return select(run_t.c.content_id).where(run_t.c.id == run_id).scalar_subquery()


def content_id_of(connection: Connection, run_id: int) -> int:
    """The id of a run's content."""
    return int(
        connection.execute(select(run_t.c.content_id).where(run_t.c.id == run_id)).scalar_one()
    )


def find_run(
    connection: Connection, name: str, collection: str | None = None, *, removed: bool = False
) -> StoredRun:
    """The active (or removed) run with that name, or else with that id (see `evalstore runs`).

    Raises:
        NotFound: there is no such run, or several collections have one and no collection is named.
    """
    runs = _named(connection, name, collection, removed)
    if not runs:
        where = "in the store" if collection is None else f"in collection {collection!r}"
        if _named(connection, name, collection, not removed):
            if removed:
                raise NotFound(f"run {name!r} {where} is not removed", problem="run not removed")
            raise NotFound(f"run {name!r} {where} was removed", problem="run removed")
        others = list_runs(connection, collection=collection, removed=removed)
        hint = did_you_mean(name, [run.name for run in others])
        raise NotFound(
            f"there is no {'removed ' * removed}run {name!r} {where}{hint}",
            problem="no removed run" if removed else "no run",
        )
    if len(runs) > 1:
        collections = ", ".join(repr(run.collection) for run in runs)
        raise NotFound(
            f"several collections have a run {name!r}: {collections}", problem="several collections"
        )
    return runs[0]


def find_runs(
    connection: Connection, names: Sequence[str], collection: str | None = None
) -> list[StoredRun]:
    """The results of `find_run` for several names or ids; one statement finds most of them."""
    stored: dict[str, list[StoredRun]] = {name: [] for name in names}
    for run in list_runs(connection, run_t.c.name.in_(stored), collection=collection):
        stored[run.name].append(run)
    return [
        stored[name][0] if len(stored[name]) == 1 else find_run(connection, name, collection)
        for name in names
    ]


def _named(
    connection: Connection, name: str, collection: str | None, removed: bool
) -> list[StoredRun]:
    runs = list_runs(connection, run_t.c.name == name, collection=collection, removed=removed)
    if not runs and name.isdecimal() and len(name) < 19 and int(name) <= LARGEST_ID:
        return list_runs(
            connection, run_t.c.id == int(name), collection=collection, removed=removed
        )
    return runs


def list_runs(
    connection: Connection,
    *which: ColumnElement[bool],
    collection: str | None = None,
    removed: bool | None = False,
) -> list[StoredRun]:
    """Runs by collection and name: active, removed (`removed` True), or both (None).

    Runs of a removed collection are listed only with None.
    """
    chosen = RUNS.where(*which).order_by(collection_t.c.name, run_t.c.name)
    if removed is not None:
        chosen = chosen.where(is_removed(run_t, removed), collection_t.c.deleted_at.is_(None))
    if collection is not None:
        chosen = chosen.where(collection_t.c.name == collection)
    return [StoredRun(*row) for row in connection.execute(chosen)]


def lookup_run(connection: Connection, collection: int, name: str) -> StoredRun | None:
    """The run of a collection with that name, which may be removed."""
    chosen = RUNS.where(run_t.c.collection_id == collection, run_t.c.name == name)
    return find_row(connection, StoredRun, chosen)


def find_content(connection: Connection, collection: int, content_hash: str) -> int | None:
    """The id of the content of a collection with that hash, if one is stored."""
    own = (content_t.c.collection_id == collection, content_t.c.content_hash == content_hash)
    found: int | None = connection.execute(select(content_t.c.id).where(*own)).scalar()
    return found


def runs_with_content(connection: Connection, content_id: int) -> list[StoredRun]:
    """The runs that share a content, in the order in which they were stored, with removed ones."""
    chosen = RUNS.where(run_t.c.content_id == content_id).order_by(run_t.c.id)
    return [StoredRun(*row) for row in connection.execute(chosen)]


def list_values_only(connection: Connection, run_ids: Collection[int]) -> set[int]:
    """The ids of the runs among these that were given as values of measures, without rankings."""
    chosen = select(run_t.c.id).where(run_t.c.id.in_(run_ids), run_t.c.values_only)
    return set(connection.execute(chosen).scalars())


def is_active(connection: Connection, run: int) -> bool:
    """Whether a run is stored and not removed."""
    return bool(list_runs(connection, run_t.c.id == run))


def ensure_engine(connection: Connection, name: str) -> int:
    """The id of the engine with that name, created if there is none."""
    return ensure_row(connection, engine_t, {"name": name})


def add_run(
    connection: Connection,
    collection_id: int,
    *,
    engine_id: int,
    experiment: str | None,
    name: str,
    tag: str,
    content_hash: str,
    queries: int,
    retrieved: int,
    values_only: bool,
    facts: Mapping[str, Any],
    now: datetime,
) -> int:
    """Store a run; returns its id. `facts` are columns of `run_facts`.

    It shares the content with this hash if there is one; else the content is new and has no
    rankings yet.
    """
    ensure_slot(connection, collection_id, engine_id)
    if experiment is not None:
        join_experiment(connection, experiment, collection_id)
    return insert_row(
        connection,
        run_t,
        collection_id=collection_id,
        engine_id=engine_id,
        experiment=experiment,
        name=name,
        tag=tag,
        content_id=ensure_row(
            connection, content_t, {"collection_id": collection_id, "content_hash": content_hash}
        ),
        queries=queries,
        retrieved=retrieved,
        values_only=values_only,
        created_at=now,
        **facts,
    )


def run_engine(connection: Connection, run_id: int) -> str:
    """The name of a run's engine."""
    return engines_of(connection, [run_id])[run_id]


def engines_of(connection: Connection, run_ids: Sequence[int]) -> dict[int, str]:
    """The name of the engine of each of these runs, by the run's id."""
    chosen = select(run_t.c.id, engine_t.c.name).join(engine_t, engine_t.c.id == run_t.c.engine_id)
    return {row[0]: row[1] for row in connection.execute(chosen.where(run_t.c.id.in_(run_ids)))}


NEWER = func.row_number().over(
    partition_by=(run_t.c.collection_id, run_t.c.engine_id), order_by=run_t.c.id.desc()
) - literal(1)
"""The number of newer runs of a run's engine in its collection, among the selected runs."""


def newer_than(connection: Connection, run_ids: Sequence[int]) -> dict[int, int]:
    """The number of newer active runs of the engine of each of these runs, by the run's id."""
    engines = select(run_t.c.engine_id).where(run_t.c.id.in_(run_ids))
    numbered = (
        select(run_t.c.id, NEWER.label("newer"))
        .where(run_t.c.engine_id.in_(engines), run_t.c.deleted_at.is_(None))
        .subquery()
    )
    rows = connection.execute(select(numbered).where(numbered.c.id.in_(run_ids)))
    return {row[0]: row[1] for row in rows}


class Setting(NamedTuple):
    """A run among the runs of its engine, and its evaluation under a qrels.

    `parameters` is empty if they are not known.
    """

    run_id: int
    engine_id: int
    engine: str
    parameters: dict[str, Any]
    evaluation_id: int
    compat: str
    values_only: bool


def list_settings(connection: Connection, qrels_id: int, run_ids: Collection[int]) -> list[Setting]:
    """The active runs of the engines of these runs in their collection, in the order of their ids.

    Only runs that were evaluated under the qrels, which is of that collection.
    """
    engines = select(run_t.c.engine_id).where(run_t.c.id.in_(run_ids))
    of_run = (run_t.c.id, run_t.c.engine_id, engine_t.c.name, run_t.c.parameters)
    chosen = (
        select(*of_run, evaluation_t.c.id, evaluation_t.c.compat, run_t.c.values_only)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .join(evaluation_t, evaluation_t.c.content_id == run_t.c.content_id)
        .where(
            evaluation_t.c.qrels_id == qrels_id,
            run_t.c.engine_id.in_(engines),
            run_t.c.deleted_at.is_(None),
        )
        .order_by(run_t.c.id)
    )
    rows = connection.execute(chosen)
    return [
        Setting(run, engine_id, engine, dict(parameters or {}), *of_evaluation)
        for run, engine_id, engine, parameters, *of_evaluation in rows
    ]


def set_run_engine(connection: Connection, run_id: int, engine_id: int) -> None:
    """Set the engine of a run."""
    collection = select(run_t.c.collection_id).where(run_t.c.id == run_id)
    ensure_slot(connection, connection.execute(collection).scalar_one(), engine_id)
    change_row(connection, run_t, run_id, engine_id=engine_id)


def run_experiment(connection: Connection, run_id: int) -> str | None:
    """The name of the experiment that a run belongs to, if any."""
    return connection.execute(select(run_t.c.experiment).where(run_t.c.id == run_id)).scalar()


def set_run_experiment(connection: Connection, run_id: int, experiment: str | None) -> None:
    """Set the name of the experiment of a run; None for no experiment."""
    if experiment is not None:
        collection = select(run_t.c.collection_id).where(run_t.c.id == run_id)
        join_experiment(connection, experiment, connection.execute(collection).scalar_one())
    change_row(connection, run_t, run_id, experiment=experiment)


def run_tags(connection: Connection, run_id: int) -> list[str]:
    """The tags of a run."""
    return list(connection.execute(select(run_t.c.tags).where(run_t.c.id == run_id)).scalar() or ())


def content_hash_of(connection: Connection, run_id: int) -> str:
    """The content hash of a stored run."""
    chosen = select(CONTENT_HASH).where(run_t.c.id == run_id)
    return str(connection.execute(chosen).scalar_one())


def delete_run(connection: Connection, run_id: int) -> bool:
    """Delete a run, with its content unless other runs share it; returns whether they do."""
    content_id = content_id_of(connection, run_id)
    delete_row(connection, run_t, run_id)
    is_shared = bool(runs_with_content(connection, content_id))
    if not is_shared:
        delete_row(connection, content_t, content_id)
    return is_shared


def delete_unused(connection: Connection) -> None:
    """Delete the engines that no longer have runs."""
    used = select(run_t.c.engine_id)
    connection.execute(delete(engine_t).where(engine_t.c.id.not_in(used)))


# Experiments: names shared by runs, and texts about these names.
#
# The name is stored in each run's row, so everyone who may read a run sees it but learns nothing
# about other runs that have it. The texts, and the time when the experiment was first named, are in
# a separate row, which is only for users who may read all collections that the texts are about.


@dataclass(frozen=True)
class StoredExperiment:
    """An experiment.

    Attributes:
        created_at: when it was first named; if it has no readable texts, when the oldest of its
            runs was stored.
        question: the question it should answer, in Markdown; None if not given.
        conclusion: the answer, in Markdown; None if not given.
        runs: the number of its runs without removed ones.
    """

    name: str
    created_at: datetime
    question: str | None
    conclusion: str | None
    runs: int


def list_experiments(connection: Connection, name: str | None = None) -> list[StoredExperiment]:
    """All experiments, or the one of that name if there is one."""
    is_active = run_t.c.deleted_at.is_(None) & collection_t.c.deleted_at.is_(None)
    named = (
        select(run_t.c.experiment, func.min(run_t.c.created_at), func.count(case((is_active, 1))))
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(run_t.c.experiment.is_not(None))
        .group_by(run_t.c.experiment)
    )
    texts = select(*(experiment_t.c[n] for n in ("name", "created_at", "question", "conclusion")))
    if name is not None:
        named = named.where(run_t.c.experiment == name)
        texts = texts.where(experiment_t.c.name == name)
    experiments = {
        row[0]: StoredExperiment(row[0], row[1], None, None, row[2])
        for row in connection.execute(named)
    }
    for row in connection.execute(texts):
        runs = experiments[row.name].runs if row.name in experiments else 0
        experiments[row[0]] = StoredExperiment(row[0], row[1], row[2], row[3], runs)
    return list(experiments.values())


def join_experiment(connection: Connection, name: str, collection_id: int) -> None:
    """Record that a run of a collection joins an experiment of this name.

    Texts that were written before any run joined are about the collection of the first run.
    """
    is_about = select(about_t.c.id).where(about_t.c.experiment_id == experiment_t.c.id)
    first = select(experiment_t.c.id, literal(collection_id)).where(
        experiment_t.c.name == name, ~is_about.exists()
    )
    connection.execute(insert(about_t).from_select(["experiment_id", "collection_id"], first))


def write_texts(
    connection: Connection,
    name: str,
    created_at: datetime,
    texts: tuple[str | None, str | None],
    about: Collection[int | None] = (),
) -> None:
    """Write the question and the conclusion of an experiment.

    Args:
        connection: in a transaction that writes.
        name: the name of the experiment.
        created_at: when it was first named, for an experiment without texts.
        texts: both texts; None for no text.
        about: the ids of the collections that they are about, None for one that is not in this
            store; if empty, the collections of all its runs. Collections of earlier texts are
            retained.
    """
    key = ensure_row(connection, experiment_t, {"name": name}, created_at=created_at)
    values = dict(zip(("question", "conclusion"), texts, strict=True))
    connection.execute(update(experiment_t).where(experiment_t.c.id == key).values(values))
    of_runs = select(run_t.c.collection_id).where(run_t.c.experiment == name).distinct()
    stored = select(about_t.c.collection_id).where(about_t.c.experiment_id == key)
    collections = set(about or connection.execute(of_runs).scalars())
    for collection_id in collections - set(connection.execute(stored).scalars()):
        row = {"experiment_id": key, "collection_id": collection_id}
        connection.execute(insert(about_t).values(row))


def list_about(connection: Connection) -> dict[str, set[int | None]]:
    """The ids of the collections that the texts of each experiment are about, by its name.

    None in a set is a deleted collection; the set is empty if no run has joined yet.
    """
    rows = connection.execute(
        select(experiment_t.c.name, about_t.c.id, about_t.c.collection_id).outerjoin(
            about_t, about_t.c.experiment_id == experiment_t.c.id
        )
    )
    about: dict[str, set[int | None]] = {}
    for name, key, collection_id in rows:
        about.setdefault(name, set())
        if key is not None:
            about[name].add(collection_id)
    return about


def set_experiment_name(connection: Connection, name: str, new: str) -> None:
    """Rename an experiment, which also changes the name in its runs."""
    connection.execute(update(experiment_t).where(experiment_t.c.name == name).values(name=new))
    connection.execute(update(run_t).where(run_t.c.experiment == name).values(experiment=new))


def delete_experiment(connection: Connection, name: str) -> None:
    """Delete an experiment; its runs stay, without an experiment."""
    connection.execute(delete(experiment_t).where(experiment_t.c.name == name))
    connection.execute(update(run_t).where(run_t.c.experiment == name).values(experiment=None))


# The slots of engines: numbers that determine the colour and marker of each engine in charts


IS_SLOT_OF_RUN = and_(
    slot_t.c.engine_id == run_t.c.engine_id, slot_t.c.collection_id == run_t.c.collection_id
)


def ensure_slot(
    connection: Connection, collection_id: int, engine_id: int, preferred: int | None = None
) -> None:
    """Give an engine a slot of a collection if it has none: the preferred or the next free one."""
    own = _slot_of(connection, collection_id, engine_id)
    if own is None and lock_slot_of_engine(connection, collection_id, engine_id):
        own = _slot_of(connection, collection_id, engine_id)  # maybe given by another transaction
    if own is not None:
        return
    highest = select(func.max(slot_t.c.slot)).where(slot_t.c.collection_id == collection_id)
    last: int | None = connection.execute(highest).scalar()
    next_slots = count(0 if last is None else last + 1)
    wanted = next_slots if preferred is None else chain([preferred], next_slots)
    slot = next(slot for slot in wanted if _take(connection, collection_id, slot))
    values = {"collection_id": collection_id, "engine_id": engine_id, "slot": slot}
    connection.execute(insert(slot_t), values)


def _slot_of(connection: Connection, collection_id: int, engine_id: int) -> int | None:
    own = select(slot_t.c.slot).where(
        slot_t.c.collection_id == collection_id, slot_t.c.engine_id == engine_id
    )
    slot: int | None = connection.execute(own).scalar()
    return slot


def _take(connection: Connection, collection_id: int, slot: int) -> bool:
    """Take a slot until the end of the transaction, unless it is taken or about to be taken."""
    if not try_lock_slot(connection, collection_id, slot):
        return False
    taken = select(slot_t.c.slot).where(
        slot_t.c.collection_id == collection_id, slot_t.c.slot == slot
    )
    return connection.execute(taken).first() is None


def load_slots(connection: Connection, collection: str) -> dict[str, int]:
    """The slot of every engine of a collection, by the engine's name; slots count from 0."""
    rows = connection.execute(
        select(engine_t.c.name, slot_t.c.slot)
        .join(slot_t, slot_t.c.engine_id == engine_t.c.id)
        .join(collection_t, collection_t.c.id == slot_t.c.collection_id)
        .where(collection_t.c.name == collection)
    )
    return {row[0]: row[1] for row in rows}


# The files that runs were read from: a known file need not be read again

COLUMNS = ("run_id", "path_hash", "size", "version", "bytes_hash", "reading")


@dataclass(frozen=True)
class RunFile:
    """A file, and the run that was read from it."""

    run_id: int
    stamp: FileStamp


@dataclass(frozen=True)
class CurrentRun:
    """A run of a collection, active or removed; `compat` is from its evaluation, if any."""

    id: int
    name: str
    content_hash: str
    engine: str
    experiment: str | None
    removed_at: datetime | None
    compat: str | None


def list_run_files(connection: Connection, collection: str, reading: str) -> list[RunFile]:
    """The files that the runs of a collection were read from with this `reading`."""
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
    """All runs of a collection by id, with the `compat` of their evaluation under a qrels."""
    of_qrels = and_(
        evaluation_t.c.content_id == run_t.c.content_id, evaluation_t.c.qrels_id == qrels_id
    )
    others = {
        "content_hash": CONTENT_HASH,
        "engine": engine_t.c.name,
        "removed_at": run_t.c.deleted_at,
        "compat": evaluation_t.c.compat,
    }
    rows = connection.execute(
        select(*fields(CurrentRun, run_t, **others))
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(evaluation_t, of_qrels)
        .where(run_t.c.collection_id == collection_id)
    )
    return {row[0]: CurrentRun(*row) for row in rows}


def add_run_files(
    connection: Connection, files: Sequence[RunFile], reading: str, *, is_new: bool = False
) -> None:
    """Record the files that runs were read from; earlier records of a path and run are replaced.

    Args:
        connection: for a new run, in the transaction that stores it.
        files: the files.
        reading: everything besides the bytes that determines which run a file contains.
        is_new: whether the runs are new, so that there are no earlier records.
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


def find_run_of_file(connection: Connection, run_ids: Sequence[int], path_hash: str) -> int | None:
    """The first of these runs that was read from the file with this path."""
    read_from = run_file_t.c.run_id.in_(run_ids), run_file_t.c.path_hash == path_hash
    found: int | None = connection.execute(
        select(func.min(run_file_t.c.run_id)).where(*read_from)
    ).scalar()
    return found


def copy_run_files(reader: Connection, writer: Connection, theirs: int, ours: int) -> None:
    """Copy the records of the files of a run into another store, in which the run is new."""
    chosen = select(*(run_file_t.c[name] for name in COLUMNS[1:]))
    rows = reader.execute(chosen.where(run_file_t.c.run_id == theirs)).all()
    bulk_insert(writer, run_file_t, COLUMNS[1:], map(tuple, rows), {"run_id": ours})
