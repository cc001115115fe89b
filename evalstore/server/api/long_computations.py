"""How many long computations run at once: requests that are quick must have threads too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from evalstore.errors import EvalstoreError

AT_ONCE = 3
"""Of a process at a time, which has 8 threads."""


class TooManyAtOnce(EvalstoreError):
    """As many long computations are running as may."""


class LongComputations:
    """Those of one app."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(AT_ONCE)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Run one, unless too many are running.

        Raises:
            TooManyAtOnce: at once: who waited would hold a thread that others need.
        """
        if not self._free.acquire(blocking=False):
            raise TooManyAtOnce(
                f"{AT_ONCE} leaderboards or comparisons are being computed already, the most at a "
                "time: ask again in a moment"
            )
        try:
            yield
        finally:
            self._free.release()
