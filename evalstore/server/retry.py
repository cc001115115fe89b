"""Requests that wait for a database that restarts."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Flask

from evalstore.errors import StoreError

T = TypeVar("T")

SECONDS_FOR_RESTART = 4.0
"""Seconds that a request waits for a database that can't be reached: it may be starting."""
SECONDS_BETWEEN_TRIES = 0.2


def retry(work: Callable[[], T]) -> T:
    """The result of `work`, repeated while the database can't be reached; then its StoreError.

    A change whose answer was lost is made again, so `work` must change nothing the second time, or
    say so.
    """
    end = time.monotonic() + SECONDS_FOR_RESTART
    while True:
        try:
            return work()
        except StoreError as error:
            # An error without a cause is ours: for example the store needs another schema.
            if error.__cause__ is None or time.monotonic() >= end:
                raise
        time.sleep(SECONDS_BETWEEN_TRIES)


def register(server: Flask) -> None:
    """Repeat the views that exist now while the database can't be reached.

    Views of the API turn errors into answers and repeat themselves.
    """
    for endpoint, view in server.view_functions.items():
        server.view_functions[endpoint] = _with_retries(view)


def _with_retries(view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def ask(**names: Any) -> Any:
        return retry(lambda: view(**names))

    return ask
