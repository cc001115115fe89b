"""Jobs: what became of them, and taking them back."""

from __future__ import annotations

from typing import Any

from flask import Response, g

from evalstore.server.api.answers import json_answer
from evalstore.server.job_queue import JobQueue
from evalstore.server.refused import Refused
from evalstore.server.rights import Person
from evalstore.store.jobs import StoredJob


class JobViews:
    """`GET` and `DELETE` of a job, for who asked for it and for administrators."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue

    def get(self, job: int) -> Response:
        """What became of a job."""
        return json_answer(200, job_content(self._own(job)))

    def delete(self, job: int) -> Response:
        """Take a job that waits out of the queue."""
        own = self._own(job)
        if not self._queue.cancel(own):
            raise Refused(409, f"job {own.id} does not wait any more, so it can't be cancelled")
        return json_answer(200, job_content(self._own(job)))

    def _own(self, job_id: int) -> StoredJob:
        """A job that the person may know of.

        Raises:
            Refused: there is none of that id.
        """
        person: Person = g.person
        job = self._queue.find(job_id) if job_id < 2**31 else None
        is_seen = job is not None and (
            (job.who == person.name and job.collection_id in g.readable) or person.may("administer")
        )
        if job is None or not is_seen:
            raise Refused(404, f"there is no job {job_id}")
        return job


def job_content(job: StoredJob) -> dict[str, Any]:
    """A job as JSON."""
    return {
        "id": job.id,
        "kind": job.kind,
        "state": job.state,
        "collection": job.collection,
        "who": job.who,
        "file": job.payload.get("file"),
        "created_at": job.created_at.isoformat(),
        "ended_at": None if job.ended_at is None else job.ended_at.isoformat(),
        "attempts": job.attempts,
        "result": job.result if job.state == "done" else None,
        "error": job.error,
        "problem": (job.result or {}).get("problem") if job.state == "failed" else None,
    }
