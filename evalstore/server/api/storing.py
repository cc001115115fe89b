"""Storing runs, judgments, queries, documents and facts from files that were sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from flask import Response
from pydantic import AfterValidator, ConfigDict, Field

from evalstore.catalog.given_facts import LARGEST
from evalstore.client.connection import ROOT
from evalstore.evaluation.ingest_options import KEEP_TOP
from evalstore.ingest.documents import MAX_DOCUMENT
from evalstore.measures.judged import CompatMode
from evalstore.server.api.changes import FactsOfRun, Switch, Text, Whole, collection_to_write
from evalstore.server.api.operation import Call, Content, Name, Parameters
from evalstore.server.api.sending import Sending, job_content, sending_of_app
from evalstore.server.jobs.queue import FILE, blobs_of, named_files, not_here
from evalstore.server.jobs.sent_files import LONGEST_FILE_NAME, MOST_KEPT, check_request
from evalstore.server.problems import HttpError, json_answer
from evalstore.store import Store
from evalstore.store.access.jobs import StoredJob
from evalstore.store.queries.qrels import list_qrels
from evalstore.store.queries.runs import lookup_run

MOST_MEASURES = 1_000


class SentBlob(Parameters):
    """A file that was sent, and its name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    blob: Annotated[
        str,
        Field(
            pattern="^(sha256:)?[0-9a-f]{64}$", description="The file: `sha256:` and its SHA-256."
        ),
        AfterValidator(lambda blob: blob.removeprefix("sha256:")),
    ]
    file: str = Field(
        min_length=1,
        max_length=LONGEST_FILE_NAME,
        description="The name of the file, for messages and for what has no other name. It is "
        "never a path on the server.",
    )


class FileToStore(SentBlob):
    """A file to store. What is null is as if it were left out."""

    format: list[Name] | None = Field(
        None,
        max_length=10,
        description="The formats that it may be in, of `evalstore ingest --formats`.",
    )
    map: list[Name] | None = Field(
        None, max_length=2, description="The paths of its fields, as `evalstore ingest --map`."
    )


class RunToStore(FileToStore, FactsOfRun):
    """A run, with what `evalstore ingest` takes for one."""

    name: Text = Field(None, description="The run's name; that of the file if left out.")
    qrels: Name | None = Field(
        None, description="The judgments that it is evaluated with; else the default.", strict=True
    )
    engine: Text = Field(None, description="The engine; the run tag if left out.")
    experiment: Text = Field(None, description="The group that the run belongs to.")
    replace: Switch = Field(
        None, description="Whether it replaces a run of its name and other content."
    )
    allow_disjoint: Switch = Field(
        None, description="Whether it may share no query with the judgments."
    )
    ignore_identical_ids: Switch = Field(
        None, description="Whether documents with the id of their query are left out."
    )
    keep_top: Whole = Field(
        None, ge=0, le=MOST_KEPT, description=f"Documents kept as rows; {KEEP_TOP} if left out."
    )
    measures: list[Name] | None = Field(
        None,
        min_length=1,
        max_length=MOST_MEASURES,
        description="What is stored of the run: names, and sets like `summary`; the "
        "collection's measures if left out, or else the set `standard`.",
    )
    compat: CompatMode | None = Field(None, description="As `--compat` of `evalstore ingest`.")
    times: SentBlob | None = Field(
        None, description="A file of response times: query id and milliseconds, a line each."
    )
    explanations: SentBlob | None = Field(
        None,
        description="A file of the engine's explanations: query id, docno and text with tabs "
        "between them, a line each.",
    )
    part: list[Name] | None = Field(
        None,
        max_length=10,
        description="Of a file of several runs, the names of the one that is meant.",
    )
    origin: dict[str, Any] | None = Field(
        None, description="Facts, by their names, that count only where the run is new."
    )


class FactsToStore(Parameters):
    """Facts of a collection that some measures need, and queries; each replaces the stored one."""

    queries: SentBlob | None = Field(
        None,
        description="A file of queries: judgments may name queries by the texts in it. "
        "Texts and attributes that are stored are replaced; those of other queries stay.",
    )
    subtopics: SentBlob | None = Field(
        None, description="A file of judgments by subtopic: query id, subtopic, docno, grade."
    )
    judgment_groups: SentBlob | None = Field(
        None, description="A file of judgments by several judges: query id, group, docno, grade."
    )
    preferences: SentBlob | None = Field(
        None,
        description="A file of preferences between documents: query id, group, subgroup, "
        "docno, level.",
    )
    known: SentBlob | None = Field(
        None, description="A file of documents that users knew before: query id and docno."
    )
    collection_size: Whole = Field(
        None, ge=1, le=LARGEST, description="How many documents the collection has."
    )


class QrelsToStore(FileToStore, FactsToStore):
    """Judgments, and what is stored with them or not at all."""

    default: Switch = Field(
        None, description="Whether figures are shown under these judgments from now on."
    )
    allow_disjoint: Switch = Field(
        None, description="Whether they may share no query with those that are there."
    )
    judged_by: Text = Field(
        None,
        description="The model that judged, like model=gpt-4o,temperature=0,repeat=1; its prompt "
        "by the SHA-256.",
    )


class QueriesToStore(FileToStore):
    """Queries with their texts and attributes."""


class DocumentsToStore(FileToStore):
    """Titles and texts of documents."""

    every: Switch = Field(
        None,
        description="Whether the texts of all are stored, and not only of those that are "
        "judged or that a run keeps as rows.",
    )
    max_bytes: Whole = Field(
        None,
        ge=1,
        le=MAX_DOCUMENT * 1024,
        description=f"Longer documents are cut there; {MAX_DOCUMENT:,} if left out.",
    )


class Named(Content):
    """A run or qrels."""

    id: int | None
    name: str
    collection: str


class Stored(Content):
    """The stored facts."""

    status: str = Field(
        description="`stored`, `already stored`, `evaluated`, `restored` or `replaced`."
    )
    warnings: list[str]
    job: int = Field(description="The id of the job that did it.")
    format: str | None = Field(None, description="What the file was read as.")


class StoredRun(Stored):
    """A run that was stored."""

    run: Named
    qrels: str = Field(description="The judgments that it was evaluated with.")
    values_only: bool = Field(description="Whether it has values and no rankings.")
    keeps_facts: bool = Field(
        False, description="Whether it was stored before, with other facts than those given."
    )
    same_as: str = Field(
        "", description="Another run that has the same rankings, for a new run; else empty."
    )


class StoredQrels(Stored):
    """Judgments that were stored."""

    qrels: Named
    judgments: int
    queries: int


class StoredQueries(Stored):
    """Queries that were stored."""

    collection: str
    queries: int


class StoredFacts(Stored):
    """Facts of a collection that were stored."""

    collection: str
    deleted: int = Field(
        description="Number of stored means that were deleted because they were computed with "
        "earlier facts."
    )


class StoredDocuments(Stored):
    """Documents whose texts were stored."""

    collection: str
    documents: int = Field(description="In the file.")
    stored: int = Field(description="Of so many the text was stored.")
    cut: int = Field(description="Of so many it was cut.")


# Storing runs, judgments, queries, documents and facts from files that were sent

SECONDS_TO_WAIT = 8
"""Seconds that a request waits for its job; after that, the answer names the job."""


def store_run(call: Call, chosen: RunToStore, collection: str) -> Response:
    """Store a run from a file that was sent, as `evalstore ingest`.

    201 with the run, or 200 where it is stored already: so ask for it before sending anything. 202
    with a job where it takes longer than 8 seconds. 409 where the file is not here, 422 where it
    can't be stored.
    """
    return _store(call, chosen, collection, "ingest run")


def store_qrels(call: Call, chosen: QrelsToStore, collection: str) -> Response:
    """Store judgments from a file that was sent; answers as for a run.

    Queries and facts of the collection that are named beside are stored with them, or nothing is.
    """
    return _store(call, chosen, collection, "ingest qrels")


def store_queries(call: Call, chosen: QueriesToStore, collection: str) -> Response:
    """Store texts and attributes of queries from a file that was sent; answers as for a run.

    Texts and attributes that are stored are replaced; what the file does not have stays.
    """
    return _store(call, chosen, collection, "ingest queries")


def store_documents(call: Call, chosen: DocumentsToStore, collection: str) -> Response:
    """Store titles and texts of documents from a file that was sent; answers as for a run.

    Those of documents that are judged, or that a stored ranking keeps as rows, unless `every` is
    set; so send runs and judgments first.
    """
    return _store(call, chosen, collection, "ingest documents")


def store_facts(call: Call, chosen: FactsToStore, collection: str) -> Response:
    """Store what some measures need of a collection, from files that were sent; answers as a run.

    Where one of the files can't be stored, none is. Values that were computed with earlier facts
    are deleted.
    """
    return _store(call, chosen, collection, "ingest facts")


def _store(call: Call, chosen: FileToStore | FactsToStore, collection: str, kind: str) -> Response:
    collection_id = collection_to_write(call, collection)
    payload = chosen.model_dump(exclude_none=True)
    check_request(kind, payload)
    sending = sending_of_app()
    stored = _stored_before(call, collection_id, kind, payload)
    if stored is not None:
        return _answer(call, stored, again=True)
    files = blobs_of(payload)
    token_id = call.person.token_id if call.person is not None else None
    try:
        for blob in files:
            progress = sending.uploads.progress(collection_id, blob)
            if progress is None or not progress.is_whole:
                raise not_here(blob)
        job_id = sending.queue.add(kind, collection_id, payload, token_id, files=files)
    except HttpError as error:
        # The same request, sent at the same time, may have been done since, and its file deleted.
        stored = None
        if error.status == 409:
            stored = _stored_before(call, collection_id, kind, payload)
        if stored is None:
            raise
        return _answer(call, stored, again=True)
    ended = _wait(sending, job_id)
    if ended is None:  # its collection was purged
        raise HttpError(404, "the job is not there any more")
    return _answer(call, ended)


def _stored_before(
    call: Call, collection_id: int, kind: str, payload: Mapping[str, Any]
) -> StoredJob | None:
    """The newest job of the same request whose result is still stored, or None."""
    done = sending_of_app().queue.done_before(kind, collection_id, payload)
    return next((job for job in done if _is_stored(call.whole, collection_id, job)), None)


def _wait(sending: Sending, job_id: int) -> StoredJob | None:
    """The job when it has ended, or its state when the request has waited long enough."""
    if not sending.waiting_slots.acquire(blocking=False):
        return sending.queue.find(job_id)
    try:
        return sending.queue.wait(job_id, SECONDS_TO_WAIT)
    finally:
        sending.waiting_slots.release()


def _answer(call: Call, job: StoredJob, *, again: bool = False) -> Response:
    """The answer to a request that made or found this job."""
    if job.state in {"failed", "cancelled"}:
        kind = (job.result or {}).get("problem")
        raise HttpError(422, job.error or "the job was cancelled", problem=kind)
    if job.state != "done":
        path = f"{urlsplit(call.public_url).path.rstrip('/')}{ROOT}/jobs/{job.id}"
        headers = {"Location": path, "Retry-After": "2"}
        return json_answer(202, job_content(job), headers)
    result = {**(job.result or {}), "job": job.id}
    if again:
        result["status"] = "already stored"
    is_new = not again and result.get("status", "stored") in {"stored", "replaced"}
    return json_answer(201 if is_new else 200, result)


def _is_stored(store: Store, collection_id: int, job: StoredJob) -> bool:
    """Whether what a job stored is still there, under that name.

    False for queries and facts: they may have been replaced since, so they are stored again.
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
