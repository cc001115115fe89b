"""Figures of the server for Prometheus: requests by route, method and status, and their times.

Each process counts for itself, in files of a folder that all of them read (`shared_folder`). The
label is the pattern of a route and never a path, whose number has no limit and which names things.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, g, request

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of the environment by which prometheus-client knows the folder."""

KEY = "evalstore-metrics"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


@contextmanager
def shared_folder() -> Iterator[None]:
    """Let the processes that are started within count together, in an empty folder.

    prometheus-client reads the variable when it is imported, so `Metrics` is made after this.
    """
    # On Windows files that are still open can't be deleted.
    kept = os.name == "nt"
    with TemporaryDirectory(prefix="evalstore-metrics-", ignore_cleanup_errors=kept) as folder:
        before = os.environ.get(FOLDER)
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ[FOLDER]
            else:
                os.environ[FOLDER] = before


class Metrics:
    """The figures of one app."""

    def __init__(self) -> None:
        from prometheus_client import (  # noqa: PLC0415  (it looks at the environment when imported)
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
    """The figures of the app that answers the request."""
    metrics = current_app.extensions[KEY]
    assert isinstance(metrics, Metrics)  # noqa: S101  (the app is made with it)
    return metrics
