"""Sending files, whole or in pieces, and the jobs that store them."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from flask import Flask, Response, current_app, g, request
from pydantic import Field

from dashboard.serving.slots import slot
from evalstore.server.api.changes import collection_to_write
from evalstore.server.api.operation import Call, Content, Parameters
from evalstore.server.api.paging import Paged, page_of, pages_of
from evalstore.server.jobs.queue import JobQueue
from evalstore.server.jobs.uploads import (
    OFFSET,
    SECONDS_TO_WAIT,
    Piece,
    Progress,
    Spool,
    Uploads,
    body_pieces,
    load_limits,
    spool_folder,
)
from evalstore.server.people.rights import Person
from evalstore.server.problems import HttpError
from evalstore.server.retry import retry
from evalstore.store import Store
from evalstore.store.access.jobs import DELIVERY, StoredJob

KEY = "evalstore-sending"
WAITING_REQUESTS = 3
"""Maximum of requests that wait for their job, in each process: each one keeps a thread."""


@dataclass(frozen=True)
class Sending:
    """The objects with which an app receives files.

    Attributes:
        upload_slots: limit the requests that send a file at once.
        waiting_slots: limit the requests that wait for their job.
    """

    uploads: Uploads
    queue: JobQueue
    upload_slots: threading.BoundedSemaphore
    waiting_slots: threading.BoundedSemaphore


def register(server: Flask, store: Store) -> None:
    """Let an app receive files, with the limits that are stored at this moment."""
    limits = load_limits(store)
    server.extensions[KEY] = Sending(
        Uploads(store, Spool(spool_folder(store, limits)), limits),
        JobQueue(store, most_waiting=limits.waiting_jobs),
        threading.BoundedSemaphore(limits.uploads),
        threading.BoundedSemaphore(WAITING_REQUESTS),
    )


def sending_of_app() -> Sending:
    """The `Sending` of the app that answers the request."""
    sending: Sending = current_app.extensions[KEY]
    return sending


# Sending files, whole or in pieces

RANGE = re.compile(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", re.ASCII)
HASH = re.compile(r"sha256:([0-9a-f]{64})")


HEADERS = {
    "Content-Range": "The bytes of a piece: `bytes FIRST-LAST/TOTAL`; the whole file without it."
}
ANSWER_HEADERS = {
    OFFSET: "The bytes of the file that are here.",
    "Upload-Length": "The bytes that it has.",
    "Upload-Complete": "`?1` where all of it is here and has that hash, else `?0`.",
}


def file_progress(call: Call, chosen: Parameters, collection: str, blob: str) -> Response:
    """The bytes of a file that are here, by its hash; 404 if there are none."""
    collection_id = collection_to_write(call, collection)
    progress = sending_of_app().uploads.progress(collection_id, _sha256(blob))
    if progress is None:
        raise HttpError(404, "nothing of this file is here")
    return _answer(200, progress)


def send_file(call: Call, chosen: Parameters, collection: str, blob: str) -> Response:
    """Send a file, whole or the piece of it that begins where what is here ends.

    201 when all of it is here and has that hash, 202 for a piece. A piece that begins elsewhere is
    refused with 409, which has `Upload-Offset` too. Pieces of 8 to 16 MiB lose little when a
    connection breaks.
    """
    collection_id = retry(lambda: collection_to_write(call, collection))
    sha256, piece = _sha256(blob), _piece()
    sending = sending_of_app()
    sentence = "too many files are being sent: send it again later"
    refusal = HttpError(429, sentence, retry_after=SECONDS_TO_WAIT)
    with slot(sending.upload_slots, refusal):
        # One byte more than expected shows that the body is longer than its header says.
        content = body_pieces(piece.length + 1)
        progress = sending.uploads.receive(collection_id, sha256, piece, content)
    return _answer(201 if progress.is_whole else 202, progress)


def _answer(status: int, progress: Progress) -> Response:
    answer = Response(status=status)
    answer.headers[OFFSET] = str(progress.offset)
    answer.headers["Upload-Length"] = str(progress.total)
    answer.headers["Upload-Complete"] = "?1" if progress.is_whole else "?0"
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _sha256(blob: str) -> str:
    match = HASH.fullmatch(blob)
    if match is None:
        raise HttpError(404, "a file is named by its hash: sha256:HEX, 64 digits")
    return match[1]


def _piece() -> Piece:
    """The piece that the request sends: by Content-Range, else a whole file by Content-Length."""
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise HttpError(415, "send the bytes of the file as they are, without Content-Encoding")
    length, text = request.content_length, request.headers.get("Content-Range")
    if text is None:
        if length is None:
            raise HttpError(411, "say how long the file is: Content-Length, or Content-Range")
        piece = Piece(0, length, length)
    else:
        match = RANGE.fullmatch(text)
        if match is None:
            raise HttpError(400, "Content-Range is written like bytes 0-8388607/250000000")
        first, last, total = (int(number) for number in match.groups())
        piece = Piece(first, last - first + 1, total)
        if not first <= last < total or length not in {None, piece.length}:
            raise HttpError(400, "Content-Range does not fit itself, or the length of the body")
    if piece.total == 0:
        raise HttpError(422, "the file is empty")
    return piece


# Jobs: listed, shown and cancelled

LARGEST_ID = 2**31


class Job(Content):
    """A job that stores a file."""

    id: int
    kind: str = Field(description="Such as `ingest run`.")
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    collection: str | None
    who: str
    file: str | None = Field(description="The name that its sender gave it.")
    created_at: datetime
    ended_at: datetime | None
    attempts: int
    result: dict[str, Any] | None = Field(
        description="When it is done: what the request would have been answered."
    )
    error: str | None = Field(
        description="Why it failed, with the line of the file where one is bad."
    )
    problem: str | None = Field(description="The kind of that, where it has one.")


Jobs = pages_of(Job, "jobs", "Jobs", "A page of jobs.")


def list_jobs(call: Call, chosen: Paged) -> dict[str, Any]:
    """The jobs that one asked for, the newest first; administrators see those of everyone.

    A job is forgotten 30 days after it ended.
    """
    person: Person = g.person
    of_all = person.may("administer")
    stored = sending_of_app().queue.jobs_of(None if of_all else person.name)
    listed = [job_content(job) for job in stored if _is_seen(job)]
    return page_of("jobs", listed, lambda job: job["id"], call, chosen)


def show_job(call: Call, chosen: Parameters, job: int) -> dict[str, Any]:
    """A job, for who asked for it and for administrators."""
    return job_content(_own(job))


def cancel_job(call: Call, chosen: Parameters, job: int) -> dict[str, Any]:
    """Take a job that waits out of the queue; 409 once it has begun."""
    own = _own(job)
    if not sending_of_app().queue.cancel(own):
        raise HttpError(409, f"job {own.id} does not wait any more, so it can't be cancelled")
    return job_content(_own(job))


def _own(job_id: int) -> StoredJob:
    """A job that the person may see; else HttpError 404."""
    job = sending_of_app().queue.find(job_id) if job_id < LARGEST_ID else None
    if job is None or not _is_seen(job):
        raise HttpError(404, f"there is no job {job_id}")
    return job


def _is_seen(job: StoredJob) -> bool:
    person: Person = g.person
    # A delivery contains addresses, which only administrators may see.
    # Jobs store account names: a job older than the account is from a removed one of that name.
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
