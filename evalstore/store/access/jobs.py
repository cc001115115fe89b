"""The queue of jobs and the files that they read; a worker takes a job for the time of its lease.

Its transactions are made by `Store.queue`. If two workers look for a job at the same time, the
second skips the row that the first has locked (PostgreSQL), or waits until it is taken (SQLite).
Each write of a worker about its job names the attempt, so a worker that lost its lease changes
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, delete, func, insert, select, update

from evalstore.store.models import collection_t, job_t, upload_t
from evalstore.store.rows import fields, find_row, insert_row

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ACTIVE = ("waiting", "running")


class StoredJob(NamedTuple):
    """A job, with the name of its collection."""

    id: int
    kind: str
    collection_id: int | None
    collection: str | None
    who: str
    payload: dict[str, Any]
    state: State
    attempts: int
    created_at: datetime
    lease_until: datetime | None
    ended_at: datetime | None
    result: dict[str, Any] | None
    error: str | None


JOBS = select(*fields(StoredJob, job_t, collection=collection_t.c.name)).outerjoin(
    collection_t, collection_t.c.id == job_t.c.collection_id
)


class JobCount(NamedTuple):
    """The number of jobs of a collection and kind in a state.

    `since`: the earliest time at which one of them could begin.
    """

    collection_id: int | None
    kind: str
    state: State
    jobs: int
    since: datetime


DELIVERY = "webhook"
"""The kind of job that sends an event to a webhook; all other jobs are done first."""


def add_job(
    connection: Connection,
    kind: str,
    collection_id: int | None,
    who: str,
    payload: Mapping[str, Any],
    request_hash: str,
    now: datetime,
    not_before: datetime | None = None,
) -> int:
    """Put a job into the queue; returns its id."""
    return insert_row(
        connection,
        job_t,
        kind=kind,
        collection_id=collection_id,
        who=who,
        payload=dict(payload),
        request_hash=request_hash,
        state="waiting",
        attempts=0,
        created_at=now,
        not_before=not_before,
    )


def find_job(connection: Connection, job_id: int) -> StoredJob | None:
    """The job with that id."""
    return find_row(connection, StoredJob, JOBS.where(job_t.c.id == job_id))


def list_jobs(connection: Connection, who: str | None = None) -> list[StoredJob]:
    """The jobs of a person, or of everyone if None; the newest first."""
    chosen = JOBS.order_by(job_t.c.id.desc())
    if who is not None:
        chosen = chosen.where(job_t.c.who == who)
    return [StoredJob(*row) for row in connection.execute(chosen)]


def jobs_of_request(
    connection: Connection, collection_id: int, request_hash: str
) -> list[StoredJob]:
    """The jobs that one request made in a collection, the newest first."""
    same = (job_t.c.collection_id == collection_id) & (job_t.c.request_hash == request_hash)
    rows = connection.execute(JOBS.where(same).order_by(job_t.c.id.desc()))
    return [StoredJob(*row) for row in rows]


def active_jobs(connection: Connection) -> list[StoredJob]:
    """The jobs that wait or run, the oldest first."""
    rows = connection.execute(JOBS.where(job_t.c.state.in_(ACTIVE)).order_by(job_t.c.id))
    return [StoredJob(*row) for row in rows]


def count_waiting(connection: Connection) -> int:
    """The number of waiting jobs without deliveries; if it is too large, new jobs are refused."""
    waits = (job_t.c.state == "waiting") & (job_t.c.kind != DELIVERY)
    count = select(func.count()).select_from(job_t).where(waits)
    return int(connection.execute(count).scalar_one())


def count_jobs(connection: Connection, ended_after: datetime) -> list[JobCount]:
    """The numbers of active jobs, and of jobs that ended after a time."""
    ended = job_t.c.state.not_in(ACTIVE) & (job_t.c.ended_at >= ended_after)
    since = func.min(func.coalesce(job_t.c.not_before, job_t.c.created_at))
    group = (job_t.c.collection_id, job_t.c.kind, job_t.c.state)
    counted = job_t.c.state.in_(ACTIVE) | ended
    counts = select(*group, func.count(), since).where(counted).group_by(*group)
    return [JobCount(*row) for row in connection.execute(counts)]


def take_job(connection: Connection, now: datetime, lease_until: datetime) -> StoredJob | None:
    """Start the oldest job that waits or whose lease has expired; None if there is none.

    A lease that ends later than two leases from now was given before the clock was set back: its
    worker would have renewed it, so it has expired.
    Deliveries come after all other jobs, because a receiver may be slow.
    """
    waits = (job_t.c.state == "waiting") & (
        job_t.c.not_before.is_(None) | (job_t.c.not_before <= now)
    )
    until = job_t.c.lease_until
    too_late = now + 2 * (lease_until - now)
    is_over = (job_t.c.state == "running") & ((until < now) | (until > too_late))
    free = (
        select(job_t.c.id)
        .where(waits | is_over)
        .order_by(case((job_t.c.kind == DELIVERY, 1), else_=0), job_t.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    job_id = connection.execute(free).scalar()
    if job_id is None:
        return None
    begun = {"state": "running", "attempts": job_t.c.attempts + 1}
    times = {"lease_until": lease_until, "heartbeat_at": now}
    connection.execute(update(job_t).where(job_t.c.id == job_id).values({**begun, **times}))
    return find_job(connection, job_id)


def renew_lease(
    connection: Connection, job_id: int, attempt: int, now: datetime, lease_until: datetime
) -> bool:
    """Extend the lease of a job; False if another attempt has the job."""
    times = {"lease_until": lease_until, "heartbeat_at": now}
    return _change(connection, _is_attempt(job_id, attempt), times)


def end_job(
    connection: Connection,
    job_id: int,
    attempt: int,
    now: datetime,
    *,
    result: Mapping[str, Any] | None = None,
    error: str | None = None,
) -> bool:
    """Record the result or the error of a job; False if another attempt has it."""
    values = {
        "state": "done" if error is None else "failed",
        "ended_at": now,
        "lease_until": None,
        "result": None if result is None else dict(result),
        "error": error,
    }
    return _change(connection, _is_attempt(job_id, attempt), values)


def release_job(
    connection: Connection, job_id: int, attempt: int, *, is_counted: bool = True
) -> bool:
    """Put a job that its worker did not finish back into the queue.

    A counted attempt stays counted: the database may refuse the job every time, while others wait
    behind it.
    """
    values = {"state": "waiting", "lease_until": None, "attempts": attempt - (not is_counted)}
    return _change(connection, _is_attempt(job_id, attempt), values)


def cancel_job(connection: Connection, job_id: int, now: datetime) -> bool:
    """Take a job out of the queue; False if it is no longer waiting."""
    waits = (job_t.c.id == job_id) & (job_t.c.state == "waiting")
    values = {"state": "cancelled", "ended_at": now}
    return _change(connection, waits, values)


def delete_old_jobs(connection: Connection, before: datetime) -> None:
    """Delete jobs that ended before a time."""
    connection.execute(delete(job_t).where(job_t.c.ended_at < before))


def _change(connection: Connection, chosen: ColumnElement[bool], values: Mapping[str, Any]) -> bool:
    return bool(connection.execute(update(job_t).where(chosen).values(values)).rowcount)


def _is_attempt(job_id: int, attempt: int) -> ColumnElement[bool]:
    return (job_t.c.id == job_id) & (job_t.c.state == "running") & (job_t.c.attempts == attempt)


# Files that clients upload into collections; their bytes are in the spool


class StoredBlob(NamedTuple):
    """An uploaded file; `received` is its size once the whole file is here and checked."""

    id: int
    collection_id: int
    sha256: str
    size: int
    received: int
    who: str
    created_at: datetime
    received_at: datetime

    @property
    def is_whole(self) -> bool:
        """Whether the whole file is here."""
        return self.received == self.size


COLUMNS = fields(StoredBlob, upload_t)


def find_blob(connection: Connection, collection_id: int, sha256: str) -> StoredBlob | None:
    """The file of a collection with that hash."""
    return find_row(connection, StoredBlob, select(*COLUMNS).where(_is(collection_id, sha256)))


def lock_blobs(connection: Connection, collection_id: int, hashes: Sequence[str]) -> set[str]:
    """The hashes of those files that are here whole; nobody else deletes them until the commit."""
    chosen = (
        select(upload_t.c.sha256)
        .where(upload_t.c.collection_id == collection_id, upload_t.c.sha256.in_(hashes))
        .where(upload_t.c.received == upload_t.c.size)
        .order_by(upload_t.c.id)
        .with_for_update()
    )
    return set(connection.execute(chosen).scalars()) if hashes else set()


def list_blobs(connection: Connection, *, before: datetime | None = None) -> list[StoredBlob]:
    """Every file, or with `before` only those that have received nothing since then."""
    chosen = select(*COLUMNS).order_by(upload_t.c.id)
    if before is not None:
        chosen = chosen.where(upload_t.c.received_at < before)
    return [StoredBlob(*row) for row in connection.execute(chosen)]


def bytes_of_collection(connection: Connection, collection_id: int) -> int:
    """The bytes of all files of a collection, including those still to come."""
    total = select(func.coalesce(func.sum(upload_t.c.size), 0))
    rows = connection.execute(total.where(upload_t.c.collection_id == collection_id))
    return int(rows.scalar_one())


def count_blobs(connection: Connection) -> dict[int, tuple[int, int]]:
    """The number of files and their bytes, for each collection that has files, by its id."""
    of = upload_t.c.collection_id
    counts = select(of, func.count(), func.sum(upload_t.c.size)).group_by(of)
    return {id_: (int(files), int(bytes_)) for id_, files, bytes_ in connection.execute(counts)}


def add_blob(
    connection: Connection, collection_id: int, sha256: str, size: int, who: str, now: datetime
) -> None:
    """Add the row of a file that has received no bytes yet."""
    connection.execute(
        insert(upload_t).values(
            collection_id=collection_id,
            sha256=sha256,
            size=size,
            received=0,
            who=who,
            created_at=now,
            received_at=now,
        )
    )


def set_received(
    connection: Connection, collection_id: int, sha256: str, received: int, now: datetime
) -> None:
    """Record how many bytes of a file have arrived."""
    values = {"received": received, "received_at": now}
    connection.execute(update(upload_t).where(_is(collection_id, sha256)).values(values))


def delete_blob(connection: Connection, collection_id: int, sha256: str) -> None:
    """Delete the row of a file."""
    connection.execute(delete(upload_t).where(_is(collection_id, sha256)))


def _is(collection_id: int, sha256: str) -> ColumnElement[bool]:
    return (upload_t.c.collection_id == collection_id) & (upload_t.c.sha256 == sha256)
