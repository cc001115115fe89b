"""What an app has computed for its leaderboards, kept for the next request."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")

MOST = 48


class Memory:
    """Results by key, the last used ones; each is computed once, also where two ask for it.

    Keys hold the state of the board, so what was computed before a change is not found after it.
    It may be lost at any time: another process of the server has one of its own.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute`, or the one that was kept for this key."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return cast(T, self._results[key])
            own = self._locks.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._results:
                    return cast(T, self._results[key])
            try:
                result = compute()
            finally:
                with self._lock:
                    self._locks.pop(key, None)
            with self._lock:
                self._results[key] = result
                while len(self._results) > self._most:
                    self._results.popitem(last=False)
            return result

    def __contains__(self, key: Hashable) -> bool:
        """Whether a result is kept for this key."""
        with self._lock:
            return key in self._results
