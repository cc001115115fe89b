"""Arrays that grow at their end, in which the parts of a file become whole columns.

Concatenating the parts at the end would need the memory twice, and the first access to new memory
costs more than a copy. So more memory is reserved than is needed at first; the operating system
never provides pages that are not written to.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats import ids

T = TypeVar("T", bound=np.generic)
LEAST = 4
MOST = 256


class Growing(Generic[T]):
    """A one-dimensional array to which others are added.

    Attributes:
        size: how many values there are.
    """

    def __init__(self, first: npt.NDArray[T], times: float = 0) -> None:
        """Begin with some values; `times` is a hint how many times as long the whole may become."""
        self._values = first
        self._hint = int(min(1.25 * times * len(first), 2**62))
        self.size = len(first)

    def add(self, more: npt.NDArray[T]) -> None:
        """Put some values at the end."""
        size = self.size + len(more)
        if size > len(self._values):
            grown = np.empty(max(LEAST * size, min(self._hint, MOST * size)), self._values.dtype)
            grown[: self.size] = self._values[: self.size]
            self._values = grown
        self._values[self.size : size] = more
        self.size = size

    def whole(self) -> npt.NDArray[T]:
        """All values so far."""
        return self._values[: self.size]


class GrowingIds:
    """A column of ids to which others are added.

    Arrow's 32-bit offsets hold 2 GiB of ids; more than `limit` makes it a column of 64-bit ones.
    """

    def __init__(self, first: pa.Array, times: float = 0, limit: int = 2**31 - 1) -> None:
        at, flat = ids.offsets_and_bytes(first)
        self._limit = limit
        self._bytes = Growing(flat[at[0] : at[-1]], times)
        self._offsets: Growing[Any] = Growing((at - at[0]).astype(np.int32), times)

    def add(self, more: pa.Array) -> None:
        """Put some ids at the end."""
        at, flat = ids.offsets_and_bytes(more)
        ends = at[1:].astype(np.int64) + (self._bytes.size - int(at[0]))
        self._bytes.add(flat[at[0] : at[-1]])
        if self._bytes.size > self._limit and self._offsets.whole().dtype == np.int32:
            self._offsets = Growing(self._offsets.whole().astype(np.int64))
        self._offsets.add(ends)

    def whole(self) -> pa.Array:
        """All ids so far: Arrow binary, or large binary over the limit."""
        offsets = self._offsets.whole()
        kind = pa.binary() if offsets.dtype == np.int32 else pa.large_binary()
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self._bytes.whole())]
        return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
