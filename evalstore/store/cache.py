"""A cache of results computed from a store, for programs that read it repeatedly.

`Store.state` shows exactly whether the store has changed, so no outdated result is returned.
Results made of rows that never change are cached for the database, whatever its state. Each process
has its own cache.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Key = tuple[object, Hashable]
"""A state of the store, and what else the result depends on."""

BYTES = 128 * 1024 * 1024
"""The limit for all results of a store together, in bytes."""

LEAST = 1024
"""The smallest size counted for a result: its key and its objects also need memory."""

NOT_KEPT = sys.maxsize
"""The size given for a result that must not be cached."""


def bytes_of(texts: Iterable[str]) -> int:
    """The memory that texts take, in bytes."""
    return sum(map(sys.getsizeof, texts))


@dataclass
class Cache:
    """Results by state of the store and key; the least recently used one is removed first.

    While a store changes, requests that began in different states run at the same time, so results
    of an earlier state stay useful for a while.
    """

    most: int = BYTES
    _results: OrderedDict[Key, tuple[Any, int]] = field(default_factory=OrderedDict)
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _computing: dict[Key, threading.Lock] = field(default_factory=dict)

    def get(
        self, key: Hashable, state: object, compute: Callable[[], T], size: Callable[[T], int]
    ) -> T:
        """The cached result for this key, else that of `compute`; only one thread computes it.

        Args:
            key: what the result depends on besides the store.
            state: the store's state, read before.
            compute: reads the store.
            size: the bytes of a result.
        """
        with self._lock:
            result = self._find(key, state)
            if result is not None:
                return cast(T, result[0])
            own = self._computing.setdefault((state, key), threading.Lock())
        with own:
            try:
                return self.get_each([key], state, lambda _: {key: compute()}, size)[key]
            finally:
                with self._lock:
                    self._computing.pop((state, key), None)

    def find(self, key: Hashable, state: object) -> Any:
        """The cached result for this key; None if there is none."""
        with self._lock:
            result = self._find(key, state)
        return None if result is None else result[0]

    def put(self, key: Hashable, state: object, result: object, size: int) -> None:
        """Cache a result of so many bytes; the state must be from before it was computed."""
        with self._lock:
            self._put(key, state, result, max(size, LEAST))

    def get_each(
        self,
        keys: Collection[K],
        state: object,
        compute: Callable[[list[K]], Mapping[K, T]],
        size: Callable[[T], int],
    ) -> dict[K, T]:
        """The result of each key; `compute` gives those of the keys that are not in the cache."""
        with self._lock:
            found = {key: self._find(key, state) for key in keys}
        results: dict[K, T] = {key: cast(T, of[0]) for key, of in found.items() if of is not None}
        missing = [key for key in keys if key not in results]
        if missing:
            computed = compute(missing)
            with self._lock:
                for key in missing:
                    self._put(key, state, computed[key], max(size(computed[key]), LEAST))
                    results[key] = computed[key]
        return results

    def _find(self, key: Hashable, state: object) -> tuple[Any, int] | None:
        result = self._results.get((state, key))
        if result is not None:
            self._results.move_to_end((state, key))
        return result

    def _put(self, key: Hashable, state: object, result: object, size: int) -> None:
        if size > self.most:
            return
        self._bytes += size - self._results.pop((state, key), (None, 0))[1]
        self._results[state, key] = result, size
        while self._bytes > self.most:
            self._bytes -= self._results.popitem(last=False)[1][1]
