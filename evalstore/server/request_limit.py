"""A limit on requests of a kind at the same time, in each process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def slot(free: threading.Semaphore, refusal: Exception, seconds: float = 0) -> Iterator[None]:
    """Take a slot and give it back; raise `refusal` if none is free within `seconds`."""
    if not free.acquire(timeout=seconds):
        raise refusal
    try:
        yield
    finally:
        free.release()
