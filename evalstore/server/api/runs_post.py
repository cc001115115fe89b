"""Storing runs and judgments from files that were sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response

from evalstore.server.api.answers import json_answer
from evalstore.server.api.collections_to_write import collection_to_write
from evalstore.server.api.jobs import job_content
from evalstore.server.api.slots import Slots
from evalstore.server.bodies import json_body
from evalstore.server.job_queue import JobQueue
from evalstore.server.refused import Refused
from evalstore.server.sent_files import check_qrels_request, check_run_request
from evalstore.server.uploads import Uploads
from evalstore.store import Store
from evalstore.store.jobs import StoredJob
from evalstore.store.qrels import list_qrels
from evalstore.store.runs import lookup_run

SECONDS_TO_WAIT = 8
"""How long a request waits for its job; then it is told which job to ask for."""

JOBS = "/api/v1/jobs"


class IngestViews:
    """`POST` of a run, or of judgments, which names a file that was sent."""

    def __init__(self, uploads: Uploads, queue: JobQueue, slots: Slots) -> None:
        self._uploads = uploads
        self._queue = queue
        self._slots = slots

    def run(self, collection: str) -> Response:
        """Store a run."""
        return self._store(collection, "ingest run", check_run_request)

    def qrels(self, collection: str) -> Response:
        """Store judgments."""
        return self._store(collection, "ingest qrels", check_qrels_request)

    def _store(
        self,
        collection: str,
        kind: str,
        check: Callable[[Mapping[str, Any]], dict[str, Any]],
    ) -> Response:
        collection_id = collection_to_write(self._uploads.store, collection)
        payload = check(json_body())
        for job in self._queue.done_before(kind, collection_id, payload):
            if _is_stored(self._uploads.store, collection_id, job):
                return _answer(job, again=True)
        progress = self._uploads.progress(collection_id, payload["blob"])
        if progress is None or not progress.is_whole:
            raise Refused(409, f"the file sha256:{payload['blob']} is not here: send it first")
        job_id = self._queue.ask(kind, collection_id, payload)
        return self._wait(job_id)

    def _wait(self, job_id: int) -> Response:
        """The answer when the job is done, or that it is not done yet."""
        seconds = SECONDS_TO_WAIT if self._slots.take() else None
        try:
            ended = self._queue.wait(job_id, seconds or 0)
        finally:
            if seconds is not None:
                self._slots.give_back()
        if ended is None:  # its collection was purged
            raise Refused(404, "the job is not there any more")
        return _answer(ended)


def _answer(job: StoredJob, *, again: bool = False) -> Response:
    """What a request is answered whose job this is."""
    if job.state in {"failed", "cancelled"}:
        kind = (job.result or {}).get("problem")
        raise Refused(422, job.error or "the job was cancelled", problem=kind)
    if job.state != "done":
        headers = {"Location": f"{JOBS}/{job.id}", "Retry-After": "2"}
        return json_answer(202, job_content(job), headers)
    result = {**(job.result or {}), "job": job.id}
    if again:
        result["status"] = "already stored"
    is_new = not again and result.get("status", "stored") in {"stored", "replaced"}
    return json_answer(201 if is_new else 200, result)


def _is_stored(store: Store, collection_id: int, job: StoredJob) -> bool:
    """Whether what a job stored is there still, and of that name."""
    result = job.result or {}
    run, qrels = result.get("run"), result.get("qrels")
    with store.read() as connection:
        if run is None:
            ids = {stored.id for stored in list_qrels(connection, collection_id)}
            return qrels is not None and qrels["id"] in ids
        stored = lookup_run(connection, collection_id, name=run["name"])
    return stored is not None and stored.id == run["id"] and stored.removed_at is None
