"""Job queue: add jobs, run each of them once, and store their results.

A worker has a job for the time of its lease, which it renews while it works. If a worker dies,
the lease ends and another worker starts the job again. A job is one transaction, and what it
stores is recognised by its content, so its result is stored only once.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.collection_facts import FACT_READERS, RUN_FACT_READERS
from evalstore.errors import EvalstoreError
from evalstore.server.people.accounts import counts, person_of_account, person_of_stored_token
from evalstore.server.people.rights import readable
from evalstore.server.problems import HttpError
from evalstore.server.retry import retry
from evalstore.store import Store
from evalstore.store.access import accounts, jobs, sessions
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries import events
from evalstore.store.queries.collections import access_of_collections
from evalstore.store.schema import HEAD, check_still_usable, version

LEASE = timedelta(seconds=60)
MOST_ATTEMPTS = 3
"""Maximum of starts: a job whose workers died that often may be the cause, and is given up."""

FILE = "file"
FILES_BESIDE = ("queries", *FACT_READERS, *RUN_FACT_READERS)
"""Request parameters that name further files."""

SECONDS_TO_WAIT = 10
"""Seconds in Retry-After when the queue is full."""


def request_hash(kind: str, payload: Mapping[str, Any]) -> str:
    """A hash that is the same for equal requests."""
    text = json.dumps([kind, payload], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def named_files(payload: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The files that a job reads, by parameter, each with its `blob` and `file`.

    The file that the request itself is about is under `file`.
    """
    own = {FILE: payload} if "blob" in payload else {}
    return {**own, **{name: payload[name] for name in FILES_BESIDE if name in payload}}


def blobs_of(payload: Mapping[str, Any]) -> list[str]:
    """The SHA-256 of each file that a job reads."""
    return [file["blob"] for file in named_files(payload).values()]


def needed_files(connection: Connection) -> set[tuple[int | None, str]]:
    """The files that jobs will read, as pairs of collection id and hash."""
    return {
        (job.collection_id, blob)
        for job in jobs.active_jobs(connection)
        for blob in blobs_of(job.payload)
    }


def not_here(sha256: str) -> HttpError:
    """The refusal of a request that names a file which was not sent, or was deleted."""
    return HttpError(409, f"the file sha256:{sha256} is not here: send it first")


@dataclass(frozen=True)
class JobQueue:
    """The job queue of a store; it refuses jobs if `most_waiting` are waiting already."""

    store: Store
    lease: timedelta = LEASE
    most_waiting: int = 1000

    def add(
        self,
        kind: str,
        collection_id: int,
        payload: Mapping[str, Any],
        token_id: int | None = None,
        *,
        files: Sequence[str] = (),
    ) -> int:
        """Add a job and return its id; a repeated request of a person returns the earlier job's id.

        The limits of the token apply to the job too; None means a session. HttpError if too many
        jobs wait, or if one of the `files` (by hash) is not here: a job that ended may just have
        deleted it.
        """
        who, hash_ = events.who(), request_hash(kind, payload)

        def work(connection: Connection) -> int:
            account = accounts.find_account(connection, who)
            for job in jobs.jobs_of_request(connection, collection_id, hash_):
                # A job older than the account is from a removed account of the same name.
                is_own = job.who == who and not (account and job.created_at < account.created_at)
                if job.state in jobs.ACTIVE and is_own and job.payload.get(TOKEN) == token_id:
                    return job.id
            there = jobs.lock_blobs(connection, collection_id, files)
            for sha256 in files:
                if sha256 not in there:
                    raise not_here(sha256)
            if jobs.count_waiting(connection) >= self.most_waiting:
                sentence = "too many jobs wait: send it again later"
                raise HttpError(429, sentence, retry_after=SECONDS_TO_WAIT)
            now = datetime.now(UTC)
            stored = payload if token_id is None else {**payload, TOKEN: token_id}
            return jobs.add_job(connection, kind, collection_id, who, stored, hash_, now)

        return self.store.queue(work)

    def done_before(
        self, kind: str, collection_id: int, payload: Mapping[str, Any]
    ) -> list[StoredJob]:
        """The jobs of the same request that were done, newest first."""
        with self.store.read() as connection:
            hash_ = request_hash(kind, payload)
            same = jobs.jobs_of_request(connection, collection_id, hash_)
        return [job for job in same if job.state == "done"]

    def find(self, job_id: int) -> StoredJob | None:
        """The job with that id, or None."""
        with self.store.read() as connection:
            return jobs.find_job(connection, job_id)

    def jobs_of(self, who: str | None = None) -> list[StoredJob]:
        """The jobs of a person, or of everyone; newest first."""
        with self.store.read() as connection:
            return jobs.list_jobs(connection, who)

    def wait(self, job_id: int, seconds: float) -> StoredJob | None:
        """The job, once it has ended or after `seconds`."""
        end, pause = time.monotonic() + seconds, 0.02
        while True:
            job = retry(lambda: self.find(job_id))
            if job is None or job.state not in jobs.ACTIVE or time.monotonic() >= end:
                return job
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)

    def take(self) -> StoredJob | None:
        """Start the next job; None if there is none. A job that was started too often fails.

        StoreError if the schema is another one: a connection may be older than an upgrade.
        """

        def work(connection: Connection) -> StoredJob | None:
            check_still_usable(connection)
            now = datetime.now(UTC)
            while True:
                job = jobs.take_job(connection, now, now + self.lease)
                if job is None or job.attempts <= MOST_ATTEMPTS:
                    return job
                error = (
                    f"given up: {MOST_ATTEMPTS} times its worker ended, or the database failed, "
                    "while it was done"
                )
                jobs.end_job(connection, job.id, job.attempts, now, error=error)

        return self.store.queue(work)

    def renew(self, job: StoredJob) -> bool:
        """Renew the lease of a job; False if another worker has it now."""
        now = datetime.now(UTC)
        return self.store.queue(
            lambda connection: jobs.renew_lease(
                connection, job.id, job.attempts, now, now + self.lease
            )
        )

    def end(
        self, job: StoredJob, result: Mapping[str, Any] | None = None, error: str | None = None
    ) -> bool:
        """Store the result of a job; False if another worker has it now.

        The rows of its files are deleted in the same transaction, unless another job needs
        them: a client that sees the result sends them again if needed.
        """
        now = datetime.now(UTC)
        # A file of several runs is still needed for its other runs.
        is_kept = error is not None or "part" in job.payload
        files = [] if is_kept else blobs_of(job.payload)

        def work(connection: Connection) -> bool:
            has_ended = jobs.end_job(
                connection, job.id, job.attempts, now, result=result, error=error
            )
            if has_ended and files and job.collection_id is not None:
                jobs.lock_blobs(connection, job.collection_id, files)  # before looking who needs
                needed = needed_files(connection)
                for blob in files:
                    if (job.collection_id, blob) not in needed:
                        jobs.delete_blob(connection, job.collection_id, blob)
            return has_ended

        return self.store.queue(work)

    def release(self, job: StoredJob) -> bool:
        """Put a job that was started but not done back into the queue.

        A job that met another schema is no attempt: the database was upgraded meanwhile.
        """

        def work(connection: Connection) -> bool:
            is_counted = version(connection) == HEAD
            return jobs.release_job(connection, job.id, job.attempts, is_counted=is_counted)

        return self.store.queue(work)

    def cancel(self, job: StoredJob) -> bool:
        """Take a waiting job out of the queue; False if it was started or has ended."""

        def work(connection: Connection) -> bool:
            now = datetime.now(UTC)
            if not jobs.cancel_job(connection, job.id, now):
                return False
            events.log(connection, "job", job.collection, str(job.id), now, change="cancelled")
            return True

        return self.store.queue(work)


# The permission of a job's person, checked when the job runs

TOKEN = "token_id"  # noqa: S105  (a name)
"""Key of the token's id in a job's payload: a token may have fewer rights than its account."""


def check_permission(
    connection: Connection, job: StoredJob, collection_id: int, now: datetime
) -> None:
    """Check that the person of a job may write into its collection, by current roles and token.

    An account of the same name that was added after the job belongs to somebody else.
    EvalstoreError if the person may not write there any more, or the token is not valid any more.
    """
    account = accounts.find_account(connection, job.who)
    person = None if account is None else person_of_account(connection, account.id)
    token_id = job.payload.get(TOKEN)
    if person is not None and token_id is not None:
        token = sessions.find_token_of_id(connection, token_id)
        if token is not None and not counts(token, now):
            raise EvalstoreError(
                f"the token {token.name!r} that asked for this does not count any more: it was "
                "revoked or has expired"
            )
        person = None if token is None else person_of_stored_token(connection, token)
    if (
        person is None
        or job.created_at < person.since
        or not person.may("write", collection_id)
        or collection_id not in readable(person, access_of_collections(connection))
    ):
        raise EvalstoreError(
            f"{job.who} may not store anything here any more: the account was disabled or "
            "removed, or lost its role"
        )
