"""Jobs: adding them, doing each once, and their results.

A worker has a job for as long as its lease, which it renews while it works. If a worker dies, the
lease ends and another worker begins the job again. A job is one transaction and is recognised by
its content when it is done again, so its result is there once in any case.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.collection_facts import FACT_READERS
from evalstore.errors import EvalstoreError
from evalstore.server.people.accounts import counts, person_of_account, person_of_stored_token
from evalstore.server.people.rights import readable
from evalstore.server.problems import HttpError
from evalstore.server.retry import retry
from evalstore.store import Store
from evalstore.store.access import accounts, blobs, jobs, tokens
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries import events
from evalstore.store.queries.collections import access_of_collections

LEASE = timedelta(seconds=60)
MOST_ATTEMPTS = 3
"""A job whose workers died so often is given up: it may be the cause."""

FILE = "file"
FILES_BESIDE = ("queries", *FACT_READERS, "times")
"""The parameters of requests that name a further file."""

SECONDS_TO_WAIT = 10
"""Retry-After of a full queue."""


def request_hash(kind: str, payload: Mapping[str, Any]) -> str:
    """The same text for the same request."""
    text = json.dumps([kind, payload], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def named_files(payload: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The files that a job reads, each with its `blob` and `file`, by parameter.

    `file` is the one that the request itself is about.
    """
    own = {FILE: payload} if "blob" in payload else {}
    return {**own, **{name: payload[name] for name in FILES_BESIDE if name in payload}}


def blobs_of(payload: Mapping[str, Any]) -> list[str]:
    """The SHA-256 of each file that a job reads."""
    return [file["blob"] for file in named_files(payload).values()]


def needed_files(connection: Connection) -> set[tuple[int | None, str]]:
    """The files that jobs will read, as the id of the collection and the hash."""
    return {
        (job.collection_id, blob)
        for job in jobs.active_jobs(connection)
        for blob in blobs_of(job.payload)
    }


@dataclass(frozen=True)
class JobQueue:
    """The queue of a store; it refuses jobs if more than `most_waiting` wait."""

    store: Store
    lease: timedelta = LEASE
    most_waiting: int = 1000

    def add(
        self, kind: str, collection_id: int, payload: Mapping[str, Any], token_id: int | None = None
    ) -> int:
        """Add a job; its id, which is that of an earlier one if the person asks again.

        The limits of the token count for the job too; None stands for a session. HttpError: too
        many jobs wait.
        """
        who, hash_ = events.who(), request_hash(kind, payload)

        def work(connection: Connection) -> int:
            account = accounts.find_account(connection, who)
            for job in jobs.jobs_of_request(connection, collection_id, hash_):
                # An older one is of a removed account of the same name.
                is_own = job.who == who and not (account and job.created_at < account.created_at)
                if job.state in jobs.ACTIVE and is_own and job.payload.get(TOKEN) == token_id:
                    return job.id
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
        """The jobs of the same request that were done, the newest first."""
        with self.store.read() as connection:
            hash_ = request_hash(kind, payload)
            same = jobs.jobs_of_request(connection, collection_id, hash_)
        return [job for job in same if job.state == "done"]

    def find(self, job_id: int) -> StoredJob | None:
        """The job with that id."""
        with self.store.read() as connection:
            return jobs.find_job(connection, job_id)

    def jobs_of(self, who: str | None = None) -> list[StoredJob]:
        """The jobs of a person, or of everyone; the newest first."""
        with self.store.read() as connection:
            return jobs.list_jobs(connection, who)

    def wait(self, job_id: int, seconds: float) -> StoredJob | None:
        """The job, when it has ended or after so many seconds."""
        end, pause = time.monotonic() + seconds, 0.02
        while True:
            job = retry(lambda: self.find(job_id))
            if job is None or job.state not in jobs.ACTIVE or time.monotonic() >= end:
                return job
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)

    def take(self) -> StoredJob | None:
        """Begin the next job; None if there is none. One that was begun too often fails."""

        def work(connection: Connection) -> StoredJob | None:
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

        The files of a job that was done are deleted with it, unless another job needs them: whoever
        knows that it is done sends them anew.
        """
        now = datetime.now(UTC)
        # The other runs of a file of several are still to be read.
        is_kept = error is not None or "part" in job.payload
        files = [] if is_kept else blobs_of(job.payload)

        def work(connection: Connection) -> bool:
            has_ended = jobs.end_job(
                connection, job.id, job.attempts, now, result=result, error=error
            )
            if has_ended and files:
                needed = needed_files(connection)
                for blob in files:
                    if job.collection_id is not None and (job.collection_id, blob) not in needed:
                        blobs.delete_blob(connection, job.collection_id, blob)
            return has_ended

        return self.store.queue(work)

    def release(self, job: StoredJob) -> bool:
        """Let a job wait again that was begun and not done."""
        return self.store.queue(
            lambda connection: jobs.release_job(connection, job.id, job.attempts)
        )

    def cancel(self, job: StoredJob) -> bool:
        """Take a waiting job out of the queue; False if it was begun, or has ended."""

        def work(connection: Connection) -> bool:
            now = datetime.now(UTC)
            if not jobs.cancel_job(connection, job.id, now):
                return False
            events.log(connection, "job", job.collection, str(job.id), now, change="cancelled")
            return True

        return self.store.queue(work)


# The permission of the person of a job, checked when it is done

TOKEN = "token_id"  # noqa: S105  (a name)
"""Key of the token's id in the payload of its job: it may have fewer rights than its account."""


def check_permission(
    connection: Connection, job: StoredJob, collection_id: int, now: datetime
) -> None:
    """Check that the person of a job may write into its collection, by roles and token of now.

    The name is that of the account then; one of that name that was added later is another's.
    EvalstoreError: he or she may not write there any more, or the token does not count.
    """
    account = accounts.find_account(connection, job.who)
    person = None if account is None else person_of_account(connection, account.id)
    token_id = job.payload.get(TOKEN)
    if person is not None and token_id is not None:
        token = tokens.find_token_of_id(connection, token_id)
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
