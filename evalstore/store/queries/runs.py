"""Runs: their names, identity and marks, and the engines and experiments they belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, delete, or_, select, update

from evalstore.errors import NotFound, did_you_mean
from evalstore.store import models
from evalstore.store.queries.engine_slots import ensure_slot
from evalstore.store.queries.experiments import join_experiment
from evalstore.store.rows import ensure_row, insert_row

collection_t = models.table(models.Collection)
run_t = models.table(models.Run)

LARGEST_ID = 2**31 - 1
"""No database takes a larger number as an id."""


@dataclass(frozen=True)
class StoredRun:
    """A run in the store; `name` is unique within its collection.

    `removed_at` is when it was marked as removed; None for active runs. `values_only` is whether it
    came as values of measures, without rankings.
    """

    id: int
    name: str
    tag: str
    collection: str
    removed_at: datetime | None = None
    values_only: bool = False


def find_run(
    connection: Connection, name: str, collection: str | None = None, *, removed: bool = False
) -> StoredRun:
    """The run of that name, or else of that id (as `evalstore runs` shows it).

    `removed` False finds active runs, True those marked as removed.

    Raises:
        NotFound: there is none, or several collections have one and no collection is named.
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
    """As `find_run`, for each of several names or ids: most are found by one statement.

    Raises:
        NotFound: as `find_run` does, for the first that there is not.
    """
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
    """Runs by collection and name: active (`removed` False), removed (True), or both (None).

    Runs of a removed collection are listed only with None.
    """
    chosen = run_columns().where(*which).order_by(collection_t.c.name, run_t.c.name)
    if removed is not None:
        chosen = chosen.where(is_marked(removed), collection_t.c.deleted_at.is_(None))
    if collection is not None:
        chosen = chosen.where(collection_t.c.name == collection)
    return [StoredRun(*row) for row in connection.execute(chosen)]


def is_marked(removed: bool) -> ColumnElement[bool]:
    """A SQL condition: a run is marked as removed (True), or is active (False)."""
    mark = run_t.c.deleted_at
    return mark.is_not(None) if removed else mark.is_(None)


def run_columns() -> Select[Any]:
    """A SELECT of the columns of a `StoredRun`."""
    return select(
        run_t.c.id,
        run_t.c.name,
        run_t.c.tag,
        collection_t.c.name,
        run_t.c.deleted_at,
        run_t.c.values_only,
    ).join(collection_t, collection_t.c.id == run_t.c.collection_id)


OF_CONTENT_OR_NAME = (
    run_columns()
    .add_columns(run_t.c.content_hash)
    .where(
        run_t.c.collection_id == bindparam("of_collection"),
        or_(run_t.c.content_hash == bindparam("content"), run_t.c.name == bindparam("named")),
    )
)


def lookup_run(
    connection: Connection, collection: int, *, name: str | None = None, content: str | None = None
) -> StoredRun | None:
    """The run of a collection with that name, or that content hash; also one that is removed."""
    what = run_t.c.name == name if name is not None else run_t.c.content_hash == content
    rows = connection.execute(run_columns().where(run_t.c.collection_id == collection, what))
    row = rows.first()
    return StoredRun(*row) if row else None


def lookup_runs(
    connection: Connection, collection: int, *, content: str, name: str
) -> tuple[StoredRun | None, StoredRun | None]:
    """What `lookup_run` gives for a content hash, and for a name."""
    values = {"of_collection": collection, "content": content, "named": name}
    rows = connection.execute(OF_CONTENT_OR_NAME, values).all()
    runs = {row[-1]: StoredRun(*row[:-1]) for row in rows}
    return runs.get(content), next((run for run in runs.values() if run.name == name), None)


def list_values_only(connection: Connection, run_ids: Collection[int]) -> set[int]:
    """Those of these runs that came as values of measures, without rankings."""
    chosen = select(run_t.c.id).where(run_t.c.id.in_(run_ids), run_t.c.values_only)
    return set(connection.execute(chosen).scalars())


def is_active(connection: Connection, run: int) -> bool:
    """Whether a run is stored and not removed."""
    return bool(list_runs(connection, run_t.c.id == run))


def ensure_engine(connection: Connection, name: str) -> int:
    """The id of an engine, made if there is none of that name."""
    return ensure_row(connection, models.Engine, {"name": name})


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
    """Store a run without its rankings; returns its id. `facts` are columns of `run_facts`."""
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
        content_hash=content_hash,
        queries=queries,
        retrieved=retrieved,
        values_only=values_only,
        created_at=now,
        **facts,
    )


def set_removed(connection: Connection, run_id: int, at: datetime | None) -> None:
    """Mark a run as removed at that time; None makes it active again."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(deleted_at=at))


def set_run_name(connection: Connection, run_id: int, name: str) -> None:
    """Give a run another name."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(name=name))


def run_engine(connection: Connection, run_id: int) -> str:
    """The name of a run's engine."""
    engine_t = models.table(models.Engine)
    chosen = select(engine_t.c.name).join(run_t, run_t.c.engine_id == engine_t.c.id)
    return str(connection.execute(chosen.where(run_t.c.id == run_id)).scalar_one())


def engines_of(connection: Connection, run_ids: Sequence[int]) -> dict[int, str]:
    """The name of the engine of each of these runs, by the run's id."""
    engine_t = models.table(models.Engine)
    chosen = select(run_t.c.id, engine_t.c.name).join(engine_t, engine_t.c.id == run_t.c.engine_id)
    return {row[0]: row[1] for row in connection.execute(chosen.where(run_t.c.id.in_(run_ids)))}


def set_run_engine(connection: Connection, run_id: int, engine_id: int) -> None:
    """Set the engine of a run."""
    collection = select(run_t.c.collection_id).where(run_t.c.id == run_id)
    ensure_slot(connection, connection.execute(collection).scalar_one(), engine_id)
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(engine_id=engine_id))


def run_experiment(connection: Connection, run_id: int) -> str | None:
    """The name of the experiment that a run belongs to, if any."""
    return connection.execute(select(run_t.c.experiment).where(run_t.c.id == run_id)).scalar()


def set_run_experiment(connection: Connection, run_id: int, experiment: str | None) -> None:
    """Set the name of the experiment of a run; None for no experiment."""
    if experiment is not None:
        collection = select(run_t.c.collection_id).where(run_t.c.id == run_id)
        join_experiment(connection, experiment, connection.execute(collection).scalar_one())
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(experiment=experiment))


def run_tags(connection: Connection, run_id: int) -> list[str]:
    """The tags of a run."""
    return list(connection.execute(select(run_t.c.tags).where(run_t.c.id == run_id)).scalar() or ())


def tags_of_runs(connection: Connection) -> dict[int, list[str]]:
    """The tags of every run that has tags, by the run's id."""
    rows = connection.execute(select(run_t.c.id, run_t.c.tags).where(run_t.c.tags.is_not(None)))
    return {row[0]: list(row[1] or ()) for row in rows}


def set_run_tags(connection: Connection, run_id: int, words: Sequence[str]) -> None:
    """Set the tags of a run; it keeps no others."""
    connection.execute(update(run_t).where(run_t.c.id == run_id).values(tags=list(words) or None))


def content_hash_of(connection: Connection, run_id: int) -> str:
    """The content hash of a stored run."""
    return str(
        connection.execute(select(run_t.c.content_hash).where(run_t.c.id == run_id)).scalar_one()
    )


def delete_run(connection: Connection, run_id: int) -> None:
    """Delete a run with its rankings and evaluations."""
    connection.execute(delete(run_t).where(run_t.c.id == run_id))


def delete_unused(connection: Connection) -> None:
    """Delete the engines that no run has any more."""
    used = select(run_t.c.engine_id)
    engine_t = models.table(models.Engine)
    connection.execute(delete(engine_t).where(engine_t.c.id.not_in(used)))
