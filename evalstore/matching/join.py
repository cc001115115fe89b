"""Which rows of a run and of judgments name the same document for the same query."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats import ids
from evalstore.formats.ids import I64, U64
from evalstore.formats.run import Run

Bool = npt.NDArray[np.bool_]


MOST_SHARING = 16
"""Keys that may share their top bits: hashes of real ids never do so often, chosen ones may."""


class MarkedKeys:
    """The keys of judged documents, and tables of their top bits.

    Attributes:
        by_key: int64, the rows of the judgments in the order of their keys.
        keys: uint64, the keys in this order.
        shift: how many lower bits of a key `seen` leaves out.
        seen: bool, for all values of the top bits whether a key has them.
    """

    def __init__(self, keys: U64, by_key: I64) -> None:
        self.by_key, self.keys = by_key, keys[by_key]
        bits = int(np.clip(np.ceil(np.log2(len(keys) + 1)) + 5, 10, 24))
        self.shift = np.uint64(64 - bits)
        self.seen = np.zeros(1 << bits, bool)
        self.seen[self.keys >> self.shift] = True
        # This table has fewer bits: it holds numbers, and few keys share so many.
        self._shift = np.uint64(64 - (bits - 4))
        sharing = np.bincount((self.keys >> self._shift).view(np.int64), minlength=1 << (bits - 4))
        self._first = np.cumsum(sharing) - sharing
        self._most = int(sharing.max())
        self._ended = np.append(self.keys, np.uint64(2**64 - 1))

    def search(self, wanted: U64) -> I64:
        """As `np.searchsorted` of the keys, in a fraction of its time: each is near its place."""
        if self._most > MOST_SHARING:
            return np.searchsorted(self.keys, wanted)
        at: I64 = self._first[(wanted >> self._shift).view(np.int64)]
        for _ in range(self._most):
            at += self._ended[at] < wanted
        return at


def join(run: Run, judged: MarkedKeys, docnos: pa.Array) -> tuple[I64, I64]:
    """Rows of the run and of the other side that name the same document for the same query.

    Both sides have 64-bit hash keys of (query, docno), unique on the other side. The table of
    marks excludes most rows of the run. The rest is looked up by key, and matching keys are
    confirmed by comparing the ids, `docnos` on the other side.
    """
    keys = judged.keys
    if len(keys) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    maybe = _maybe(run.keys, judged.seen, judged.shift)
    wanted = run.keys[maybe]
    at = judged.search(wanted)
    same_key = keys[np.minimum(at, len(keys) - 1)] == wanted
    rows, theirs = maybe[same_key], judged.by_key[at[same_key]]
    same = ids.equal(run.docnos, rows, docnos, theirs)
    return rows[same], theirs[same]


def _maybe(keys: U64, seen: Bool, shift: np.uint64) -> I64:
    """The rows (int64) whose key's top bits are marked in `seen`."""
    step = 1 << 18  # keys at a time, so that intermediate arrays stay in the cache
    candidates = [
        at + np.flatnonzero(seen[(keys[at : at + step] >> shift).view(np.int64)])
        for at in range(0, len(keys), step)
    ]
    return np.concatenate(candidates) if candidates else np.zeros(0, np.int64)
