"""How many SQL statements are answered at once: pages must have threads to be answered in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dash import Dash
from flask import current_app

from dashboard.page import StoreOfRequest
from dashboard.serving import response_cache
from evalstore.errors import DataError

AT_ONCE = 3
"""Statements of a process at a time; each may take a minute, and a process has 8 threads."""

KEY = "evalstore-statements"


class Busy(DataError):
    """As many statements are being answered as may be."""


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Give the app its limit."""
    app.server.extensions[KEY] = threading.BoundedSemaphore(AT_ONCE)


@contextmanager
def one_statement() -> Iterator[None]:
    """Run a statement, unless too many are running.

    Raises:
        Busy: at once: who waited would hold a thread that others need.
    """
    free: threading.BoundedSemaphore = current_app.extensions[KEY]
    if not free.acquire(blocking=False):
        response_cache.keep_none()  # the next try is another question
        raise Busy(
            f"{AT_ONCE} SQL statements are running already, the most at a time: "
            "run yours again in a moment"
        )
    try:
        yield
    finally:
        free.release()
