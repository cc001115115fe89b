"""Figures of the server for Prometheus: requests, and jobs and files that wait.

Each process counts its requests in files of a folder that all processes read (`shared_folder`).
Their label is the pattern of a route, never a path: there is no limit of paths, and they contain
names.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, g, request

from evalstore.ingest.log_run import lock
from evalstore.server.jobs.uploads import Uploads
from evalstore.store.access.jobs import ACTIVE, DELIVERY, JobCount, count_blobs, count_jobs

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric


FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable from which prometheus-client takes the folder."""

KEY = "evalstore-metrics"
PREFIX = "evalstore-metrics-"
LOCK = "in-use"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@contextmanager
def shared_folder() -> Iterator[None]:
    """Let the processes that are started inside the block count together, in an empty folder.

    prometheus-client reads the variable when it is imported, so make `Metrics` after this.
    """
    # On Windows files that are still open can't be deleted.
    kept = os.name == "nt"
    _remove_left_over()
    with (
        TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=kept) as folder,
        (Path(folder) / LOCK).open("w") as file,
    ):
        lock(file)
        before = os.environ.get(FOLDER)
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[FOLDER]
            else:
                os.environ[FOLDER] = before


def _remove_left_over() -> None:
    """Delete the folders of servers that were killed: nobody locks their file any more."""
    if os.name == "nt":  # files are not locked there
        return
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), (folder / LOCK).open("r+") as file:
            if lock(file):
                shutil.rmtree(folder, ignore_errors=True)


class Metrics:
    """Counts of the requests of one app."""

    def __init__(self) -> None:
        from prometheus_client import (  # noqa: PLC0415  (it reads the environment when imported)
            CollectorRegistry,
            Counter,
            Histogram,
        )

        self._own = CollectorRegistry()
        self._requests = Counter(
            "evalstore_requests",
            "Requests that were answered.",
            ("route", "method", "status"),
            registry=self._own,
        )
        self._seconds = Histogram(
            "evalstore_request_seconds",
            "Seconds from the arrival of a request until its answer began.",
            ("route", "method"),
            buckets=SECONDS,
            registry=self._own,
        )

    def register(self, server: Flask) -> None:
        """Count the answers of an app."""
        server.extensions[KEY] = self

        @server.after_request
        def count(response: Response) -> Response:
            route = request.url_rule.rule if request.url_rule else "none"
            method = request.method if request.method in METHODS else "other"
            self._requests.labels(route, method, str(response.status_code)).inc()
            if "began" in g:
                self._seconds.labels(route, method).observe(time.perf_counter() - g.began)
            return response

    def text(self) -> bytes:
        """The figures of all processes, as Prometheus reads them."""
        from prometheus_client import generate_latest  # noqa: PLC0415  (as above)

        return bytes(generate_latest(self._all()))

    def _all(self) -> CollectorRegistry:
        if FOLDER not in os.environ:
            return self._own
        from prometheus_client import CollectorRegistry  # noqa: PLC0415  (as above)
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415  (as above)

        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # has no types
        return registry


def metrics_of_app() -> Metrics:
    """The `Metrics` of the app that answers the request."""
    metrics: Metrics = current_app.extensions[KEY]
    return metrics


# Figures of waiting jobs and files for Prometheus, read from the store at each request.
#
# They are the same from each process and have no names. Collections that the person who asks may
# not read do not count: otherwise a count would show that a private collection exists.

KINDS = ("file", "webhook")
"""The subjects of jobs: a file to store, or a message to a webhook."""
ENDED = ("done", "failed", "cancelled")
HOUR = timedelta(hours=1)


def figures(uploads: Uploads, now: datetime, readable: Container[int]) -> bytes:
    """The figures of the jobs and files of readable collections, as Prometheus reads them."""
    from prometheus_client import (  # noqa: PLC0415  (it reads the environment when imported)
        CollectorRegistry,
        generate_latest,
    )

    with uploads.store.read() as connection:
        counts = count_jobs(connection, now - HOUR)
        blobs = count_blobs(connection)
    jobs = [of for of in counts if of.collection_id is None or of.collection_id in readable]
    files = [of for collection_id, of in blobs.items() if collection_id in readable]
    read = [*_of_jobs(jobs, now), *_of_files(files, uploads)]

    class Read:
        def collect(self) -> list[Metric]:
            return read

    registry = CollectorRegistry()
    registry.register(Read())
    return bytes(generate_latest(registry))


def _of_jobs(counts: list[JobCount], now: datetime) -> Iterator[Metric]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415  (as above)

    counted = {(kind, state): 0 for kind in KINDS for state in (*ACTIVE, *ENDED)}
    ages = dict.fromkeys(KINDS, 0.0)
    for count in counts:
        kind = "webhook" if count.kind == DELIVERY else "file"
        counted[kind, count.state] += count.jobs
        if count.state == "waiting":
            ages[kind] = max(ages[kind], (now - count.since).total_seconds())
    for name, states, what in (
        ("evalstore_jobs", ACTIVE, "Jobs that wait for a worker, and that are being done."),
        ("evalstore_jobs_ended_last_hour", ENDED, "Jobs that ended in the last hour."),
    ):
        gauge = GaugeMetricFamily(name, what, labels=("kind", "state"))
        for (kind, state), jobs in counted.items():
            if state in states:
                gauge.add_metric((kind, state), jobs)
        yield gauge
    oldest = GaugeMetricFamily(
        "evalstore_jobs_oldest_waiting_seconds",
        "For how long the oldest job that waits could have begun; 0 where none waits.",
        labels=("kind",),
    )
    for kind, seconds in ages.items():
        oldest.add_metric((kind,), seconds)
    yield oldest


def _of_files(files: list[tuple[int, int]], uploads: Uploads) -> Iterator[Metric]:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415  (as above)

    gauges = {
        "evalstore_upload_files": ("Files that are being sent or wait.", sum(n for n, _ in files)),
        "evalstore_upload_bytes": (
            "Bytes of these files, also of what is still to come.",
            sum(size for _, size in files),
        ),
        "evalstore_upload_largest_collection_bytes": (
            "The most of these bytes that one collection has.",
            max((size for _, size in files), default=0),
        ),
        "evalstore_upload_quota_bytes": (
            "How many of these bytes one collection may have: the limit quota_bytes.",
            uploads.limits.quota_bytes,
        ),
        "evalstore_spool_kept_free_bytes": (
            "What stays free on the disk of the spool: the limit free_bytes.",
            uploads.limits.free_bytes,
        ),
    }
    with suppress(OSError):  # the folder is made when the first file arrives
        gauges["evalstore_spool_free_bytes"] = (
            "What is free on the disk of the spool.",
            uploads.spool.free(),
        )
    for name, (what, value) in gauges.items():
        yield GaugeMetricFamily(name, what, value=value)
