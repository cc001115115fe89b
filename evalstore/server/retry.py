"""Waiting for a database that is started again, for requests that need not be refused meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Flask

from evalstore.errors import StoreError

T = TypeVar("T")

SECONDS_FOR_RESTART = 4.0
"""For which a request waits where the database can't be reached: it may be started again."""
SECONDS_BETWEEN_TRIES = 0.2


def retry(work: Callable[[], T]) -> T:
    """The result of `work`, when the database answers again.

    Args:
        work: may be called several times. A change of the store is then asked for again whose
            answer was lost, so it must be one that changes nothing the second time, or says so.

    Raises:
        StoreError: it stays away, or says something else than that.
    """
    end = time.monotonic() + SECONDS_FOR_RESTART
    while True:
        try:
            return work()
        except StoreError as error:
            # What has no cause is a sentence of ours: the store needs another schema, say.
            if error.__cause__ is None or time.monotonic() >= end:
                raise
        time.sleep(SECONDS_BETWEEN_TRIES)


def register(server: Flask) -> None:
    """Let the views that there are be asked again where the database went away meanwhile.

    Those of the API turn errors into answers, and ask again themselves.
    """
    for endpoint, view in server.view_functions.items():
        server.view_functions[endpoint] = _asked_again(view)


def _asked_again(view: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(view)
    def ask(**names: Any) -> Any:
        return retry(lambda: view(**names))

    return ask
