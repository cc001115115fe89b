"""The facts of a run besides its rankings: parameters, tags, origin, costs and parent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from evalstore.store.models import collection_t, engine_t, judgment_t, parent_t, run_t, time_t
from evalstore.store.queries.runs import CONTENT_HASH
from evalstore.store.rows import change_row

COLUMNS = (
    *("parameters", "tags", "note", "commit", "commit_dirty", "host", "started_by"),
    *("started_at", "ended_at", "command", "index_version", "collection_version", "header"),
    *("index_bytes", "memory_bytes", "money", "currency", "energy_joules"),
)
"""The columns of `run` with facts that people and tools give."""


@dataclass(frozen=True)
class RunFacts:
    """The facts of a run besides its rankings; None for those not given.

    Attributes with the same name as in `catalog.given_facts.GivenFacts` mean the same.

    Attributes:
        id, name, tag, collection: those of the run; `tag` is the run tag in its file.
        engine, experiment: the names of the run's engine and experiment.
        created_at: when it was stored (UTC).
        queries, retrieved: the numbers of queries answered and of documents in all rankings;
            `retrieved` is None for a run that was given as values.
        values_only: whether it was given as values of measures, without rankings.
        tags: in byte order.
        content_hash: SHA-256 of its rankings, or of its values.
        parent: the name of the run that this one was derived from; None if that was removed.
    """

    id: int
    name: str
    tag: str
    collection: str
    engine: str
    experiment: str | None
    created_at: datetime
    queries: int
    retrieved: int | None
    tags: tuple[str, ...]
    parameters: dict[str, Any] | None
    commit: str | None
    index_bytes: int | None
    content_hash: str
    note: str | None = None
    commit_dirty: bool | None = None
    host: str | None = None
    started_by: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    command: str | None = None
    index_version: str | None = None
    collection_version: str | None = None
    header: dict[str, Any] | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    parent: str | None = None
    values_only: bool = False


def load_run_facts(connection: Connection, run_id: int) -> RunFacts:
    """The facts of a stored run besides its rankings."""
    own = ("id", "name", "tag", "created_at", "queries", "retrieved")
    row = connection.execute(
        select(
            *(run_t.c[name] for name in (*own, *COLUMNS, "values_only")),
            CONTENT_HASH.label("content_hash"),
            collection_t.c.name.label("collection"),
            engine_t.c.name.label("engine"),
            run_t.c.experiment,
        )
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .where(run_t.c.id == run_id)
    ).one()
    values = dict(row._mapping)
    if row.values_only:
        values["retrieved"] = None
    parent = next(ancestors(connection, run_id), None)
    parent_name = None if parent is None or parent.is_removed else parent.name
    return RunFacts(**{**values, "tags": tuple(row.tags or ()), "parent": parent_name})


def load_values(connection: Connection, run_id: int) -> dict[str, Any]:
    """The facts of a run that people and tools give, by column (`COLUMNS`)."""
    row = connection.execute(
        select(*(run_t.c[name] for name in COLUMNS)).where(run_t.c.id == run_id)
    ).one()
    return dict(row._mapping)


def list_values(
    connection: Connection, run_ids: Collection[int] | None = None
) -> dict[int, dict[str, Any]]:
    """The given facts of active runs (all, or those with these ids) and their tags, by run id."""
    chosen = select(run_t.c.id, run_t.c.tag, *(run_t.c[name] for name in COLUMNS)).where(
        run_t.c.deleted_at.is_(None)
    )
    if run_ids is not None:
        chosen = chosen.where(run_t.c.id.in_(run_ids))
    rows = connection.execute(chosen)
    return {row.id: dict(row._mapping) for row in rows}


def set_values(connection: Connection, run_id: int, values: Mapping[str, Any]) -> None:
    """Set facts of a run by column; columns not named stay unchanged."""
    if values:
        change_row(connection, run_t, run_id, **values)


@dataclass(frozen=True)
class Ancestor:
    """A run that another one was derived from, directly or in several steps."""

    id: int
    name: str
    is_removed: bool


def ancestors(connection: Connection, run_id: int) -> Iterator[Ancestor]:
    """The parent of a run, then the parent's parent, and so on."""
    seen = {run_id}
    while True:
        row = connection.execute(
            select(run_t.c.id, run_t.c.name, run_t.c.deleted_at)
            .join(parent_t, parent_t.c.parent_id == run_t.c.id)
            .where(parent_t.c.run_id == run_id)
        ).first()
        if row is None or row.id in seen:
            return
        yield Ancestor(row.id, row.name, row.deleted_at is not None)
        run_id = row.id
        seen.add(run_id)


def derived_runs(connection: Connection, run_id: int) -> list[str]:
    """The names of the active runs that were derived from a run, in byte order."""
    rows = connection.execute(
        select(run_t.c.name)
        .join(parent_t, parent_t.c.run_id == run_t.c.id)
        .where(parent_t.c.parent_id == run_id, run_t.c.deleted_at.is_(None))
        .order_by(run_t.c.name)
    )
    return list(rows.scalars())


def set_parent(connection: Connection, run_id: int, parent_id: int | None) -> None:
    """Set the run that a run was derived from; None for no run."""
    connection.execute(delete(parent_t).where(parent_t.c.run_id == run_id))
    if parent_id is not None:
        connection.execute(insert(parent_t).values(run_id=run_id, parent_id=parent_id))


# The recorded costs of the runs of a collection


def list_index_bytes(connection: Connection, collection_id: int) -> dict[int, int]:
    """The sizes of the indexes, by run id; active runs without one are left out."""
    rows = connection.execute(
        select(run_t.c.id, run_t.c.index_bytes).where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            run_t.c.index_bytes.is_not(None),
        )
    )
    return {row[0]: row[1] for row in rows}


def list_times(connection: Connection, collection_id: int, qrels_id: int) -> dict[int, list[float]]:
    """The response times (ms) for the queries that a qrels judges, by the active run's id."""
    judged = select(judgment_t.c.query_id).where(judgment_t.c.qrels_id == qrels_id).distinct()
    rows = connection.execute(
        select(time_t.c.run_id, time_t.c.milliseconds)
        .join(run_t, run_t.c.id == time_t.c.run_id)
        .where(
            run_t.c.collection_id == collection_id,
            run_t.c.deleted_at.is_(None),
            time_t.c.query_id.in_(judged),
        )
    )
    times: dict[int, list[float]] = {}
    for run_id, milliseconds in rows:
        times.setdefault(run_id, []).append(milliseconds)
    return times
