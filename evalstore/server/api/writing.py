"""The routes of the API that write: files, runs, judgments, jobs."""

from __future__ import annotations

from flask import Flask

from evalstore.server.api.answers import with_problems
from evalstore.server.api.blobs import BlobViews
from evalstore.server.api.jobs import JobViews
from evalstore.server.api.runs_post import IngestViews
from evalstore.server.api.slots import Slots
from evalstore.server.job_queue import JobQueue
from evalstore.server.limits import load_limits, spool_folder
from evalstore.server.routes import BLOB, JOB, QRELS_OF_COLLECTION, RUNS_OF_COLLECTION
from evalstore.server.spool import Spool
from evalstore.server.uploads import Uploads
from evalstore.store import Store

WAITING_REQUESTS = 3
"""Requests that wait for their job at once, in each process: each keeps a thread."""


def register(server: Flask, store: Store) -> None:
    """Add the views at the addresses that the table of routes has."""
    limits = load_limits(store)
    spool = Spool(spool_folder(store, limits))
    uploads = Uploads(store, spool, limits)
    queue = JobQueue(store, most_waiting=limits.waiting_jobs)
    blobs, jobs = BlobViews(uploads, Slots(limits.uploads)), JobViews(queue)
    ingest = IngestViews(uploads, queue, Slots(WAITING_REQUESTS))
    for rule, name, method, view in (
        (BLOB, "blob_head", "HEAD", blobs.head),
        (BLOB, "blob_put", "PUT", blobs.put),
        (RUNS_OF_COLLECTION, "run_post", "POST", ingest.run),
        (QRELS_OF_COLLECTION, "qrels_post", "POST", ingest.qrels),
        (JOB, "job_get", "GET", jobs.get),
        (JOB, "job_delete", "DELETE", jobs.delete),
    ):
        server.add_url_rule(rule, name, with_problems(view), methods=[method])
