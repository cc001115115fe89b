"""Jobs: what became of them, and taking them back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from flask import g
from pydantic import Field

from evalstore.server.api.operation import Asked, Content, Parameters
from evalstore.server.api.paging import Paged, page
from evalstore.server.api.sending import sending_of_app
from evalstore.server.people.rights import Person
from evalstore.server.refused import Refused
from evalstore.store.access.jobs import DELIVERY, StoredJob

LARGEST_ID = 2**31


class Job(Content):
    """A job that stores a file."""

    id: int
    kind: Annotated[str, Field(description="Such as `ingest run`.")]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    collection: str | None
    who: str
    file: Annotated[str | None, Field(description="The name that its sender gave it.")]
    created_at: datetime
    ended_at: datetime | None
    attempts: int
    result: Annotated[
        dict[str, Any] | None,
        Field(description="When it is done: what the request would have been answered."),
    ]
    error: Annotated[
        str | None, Field(description="Why it failed, with the line of the file where one is bad.")
    ]
    problem: Annotated[str | None, Field(description="The kind of that, where it has one.")]


class Jobs(Content):
    """A page of jobs."""

    jobs: list[Job]
    next: str | None


def list_jobs(asked: Asked, chosen: Paged) -> dict[str, Any]:
    """The jobs that one asked for, the newest first; administrators see those of everyone.

    A job is forgotten 30 days after it ended.
    """
    person: Person = g.person
    of_all = person.may("administer")
    stored = sending_of_app().queue.asked_by(None if of_all else person.name)
    rows, following = page(
        [job for job in stored if _is_seen(job)], lambda job: job.id, asked, chosen
    )
    return {"jobs": [job_content(job) for job in rows], "next": following}


def show_job(asked: Asked, chosen: Parameters, job: int) -> dict[str, Any]:
    """A job, for who asked for it and for administrators."""
    return job_content(_own(job))


def cancel_job(asked: Asked, chosen: Parameters, job: int) -> dict[str, Any]:
    """Take a job that waits out of the queue; 409 once it has begun."""
    own = _own(job)
    if not sending_of_app().queue.cancel(own):
        raise Refused(409, f"job {own.id} does not wait any more, so it can't be cancelled")
    return job_content(_own(job))


def _own(job_id: int) -> StoredJob:
    """A job that the person may know of.

    Raises:
        Refused: there is none of that id.
    """
    job = sending_of_app().queue.find(job_id) if job_id < LARGEST_ID else None
    if job is None or not _is_seen(job):
        raise Refused(404, f"there is no job {job_id}")
    return job


def _is_seen(job: StoredJob) -> bool:
    person: Person = g.person
    # A delivery names addresses that are for administrators.
    # Jobs name accounts: an older one is of a removed account of the same name.
    is_of_account = job.who == person.name and job.created_at >= person.since
    is_own = is_of_account and job.collection_id in g.readable and job.kind != DELIVERY
    return is_own or person.may("administer")


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
