"""For programs that watch the server: whether it works, and its figures."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from flask import Response, g

from evalstore.catalog.collections import collections
from evalstore.errors import StoreError
from evalstore.server.api.operation import Asked, Content, Parameters
from evalstore.server.api.sending import sending_of_app
from evalstore.server.jobs.figures import figures
from evalstore.server.metrics import metrics_of_app
from evalstore.server.problems import problem


class Health(Content):
    """It works."""

    status: str


def health(asked: Asked, chosen: Parameters) -> dict[str, Any] | Response:
    """Whether the server answers and can read its store: 200, or 503."""
    try:
        collections(asked.whole)
    except StoreError as error:
        # The reason may name a host or a folder: it is for the log.
        logging.getLogger("dashboard").warning("%s", error)
        return problem(503, "The store can't be read.")
    return {"status": "ok"}


def metrics(asked: Asked, chosen: Parameters) -> Response:
    """Requests by route, method and status, with their times, jobs and files that wait.

    They are as Prometheus reads them. It takes a role in the whole store. Requests are those of
    everyone; jobs and files are those of the collections that one may read, for administrators of
    all.
    """
    if asked.person is None or not asked.person.may("read"):
        return problem(403, "The figures of the server take a role in the whole store.")
    return Response(
        metrics_of_app().text() + figures(sending_of_app().uploads, datetime.now(UTC), g.readable),
        mimetype="text/plain",
        headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
    )
