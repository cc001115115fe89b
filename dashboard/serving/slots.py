"""Limits on work of a kind at the same time, in each process: other requests need threads too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from flask import Flask, current_app

from evalstore.errors import DataError


@contextmanager
def slot(free: threading.Semaphore, refusal: Exception, seconds: float = 0) -> Iterator[None]:
    """Take a slot and give it back; raise `refusal` if none is free within `seconds`."""
    if not free.acquire(timeout=seconds):
        raise refusal
    try:
        yield
    finally:
        free.release()


# The limit on SQL statements, which the SQL page and the API share

STATEMENTS = 3
"""The most simultaneous statements of a process: each may take a minute, and it has 8 threads."""
KEY = "evalstore-statements"


class Busy(DataError):
    """The error when the limit on simultaneous statements is reached."""


def register(server: Flask) -> None:
    """Add the limit to the app."""
    server.extensions[KEY] = threading.BoundedSemaphore(STATEMENTS)


def one_statement() -> AbstractContextManager[None]:
    """Run a statement, or raise Busy at once: waiting would hold a thread that others need."""
    sentence = (
        f"{STATEMENTS} SQL statements are running already, the most at a time: "
        "run yours again in a moment"
    )
    return slot(current_app.extensions[KEY], Busy(sentence))
