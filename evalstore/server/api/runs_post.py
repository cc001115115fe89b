"""Storing runs, judgments, queries, documents and facts from files that were sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Response

from evalstore.server.api.answers import json_answer
from evalstore.server.api.collections_to_write import collection_to_write
from evalstore.server.api.files_to_store import (
    DocumentsToStore,
    FactsToStore,
    FileToStore,
    QrelsToStore,
    QueriesToStore,
    RunToStore,
)
from evalstore.server.api.jobs import job_content
from evalstore.server.api.operation import ROOT, Asked
from evalstore.server.api.sending import Sending, sending_of_app
from evalstore.server.jobs.queue import FILE, blobs_of, named_files
from evalstore.server.jobs.sent_files import check_request
from evalstore.server.refused import Refused
from evalstore.store import Store
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries.qrels import list_qrels
from evalstore.store.queries.runs import lookup_run

SECONDS_TO_WAIT = 8
"""How long a request waits for its job; then it is told which job to ask for."""


def store_run(asked: Asked, chosen: RunToStore, collection: str) -> Response:
    """Store a run from a file that was sent, as `evalstore ingest`.

    201 with the run, or 200 where it is stored already: so ask for it before sending anything. 202
    with a job where it takes longer than 8 seconds. 409 where the file is not here, 422 where it
    can't be stored.
    """
    return _store(asked, chosen, collection, "ingest run")


def store_qrels(asked: Asked, chosen: QrelsToStore, collection: str) -> Response:
    """Store judgments from a file that was sent; answers as for a run.

    Queries and facts of the collection that are named beside are stored with them, or nothing is.
    """
    return _store(asked, chosen, collection, "ingest qrels")


def store_queries(asked: Asked, chosen: QueriesToStore, collection: str) -> Response:
    """Store texts and attributes of queries from a file that was sent; answers as for a run.

    Texts and attributes that are stored are replaced; what the file does not have stays.
    """
    return _store(asked, chosen, collection, "ingest queries")


def store_documents(asked: Asked, chosen: DocumentsToStore, collection: str) -> Response:
    """Store titles and texts of documents from a file that was sent; answers as for a run.

    Those of documents that are judged, or that a stored ranking keeps as rows, unless `every` is
    set; so send runs and judgments first.
    """
    return _store(asked, chosen, collection, "ingest documents")


def store_facts(asked: Asked, chosen: FactsToStore, collection: str) -> Response:
    """Store what some measures need of a collection, from files that were sent; answers as a run.

    Where one of the files can't be stored, none is. Values that were computed with earlier facts
    are deleted.
    """
    return _store(asked, chosen, collection, "ingest facts")


def _store(
    asked: Asked, chosen: FileToStore | FactsToStore, collection: str, kind: str
) -> Response:
    collection_id = collection_to_write(asked, collection)
    payload = chosen.payload()
    check_request(kind, payload)
    sending = sending_of_app()
    for job in sending.queue.done_before(kind, collection_id, payload):
        if _is_stored(asked.whole, collection_id, job):
            return _answer(asked, job, again=True)
    for blob in blobs_of(payload):
        progress = sending.uploads.progress(collection_id, blob)
        if progress is None or not progress.is_whole:
            raise Refused(409, f"the file sha256:{blob} is not here: send it first")
    token_id = asked.person.token_id if asked.person is not None else None
    job_id = sending.queue.ask(kind, collection_id, payload, token_id)
    ended = _wait(sending, job_id)
    if ended is None:  # its collection was purged
        raise Refused(404, "the job is not there any more")
    return _answer(asked, ended)


def _wait(sending: Sending, job_id: int) -> StoredJob | None:
    """The job when it has ended, or as it is when the request has waited long enough."""
    if not sending.waiting_slots.take():
        return sending.queue.find(job_id)
    try:
        return sending.queue.wait(job_id, SECONDS_TO_WAIT)
    finally:
        sending.waiting_slots.give_back()


def _answer(asked: Asked, job: StoredJob, *, again: bool = False) -> Response:
    """What a request is answered whose job this is."""
    if job.state in {"failed", "cancelled"}:
        kind = (job.result or {}).get("problem")
        raise Refused(422, job.error or "the job was cancelled", problem=kind)
    if job.state != "done":
        headers = {"Location": f"{_path_of_jobs(asked)}/{job.id}", "Retry-After": "2"}
        return json_answer(202, job_content(job), headers)
    result = {**(job.result or {}), "job": job.id}
    if again:
        result["status"] = "already stored"
    is_new = not again and result.get("status", "stored") in {"stored", "replaced"}
    return json_answer(201 if is_new else 200, result)


def _path_of_jobs(asked: Asked) -> str:
    return f"{urlsplit(asked.public_url).path.rstrip('/')}{ROOT}/jobs"


def _is_stored(store: Store, collection_id: int, job: StoredJob) -> bool:
    """Whether what a job stored is there still, and of that name.

    Queries and facts may have been replaced since, so they are stored again.
    """
    result = job.result or {}
    if named_files(job.payload).keys() - {FILE} or "collection_size" in job.payload:
        return False
    run, qrels = result.get("run"), result.get("qrels")
    with store.read() as connection:
        if run is None:
            ids = {stored.id for stored in list_qrels(connection, collection_id)}
            return qrels is not None and qrels["id"] in ids
        stored = lookup_run(connection, collection_id, name=run["name"])
    return stored is not None and stored.id == run["id"] and stored.removed_at is None
