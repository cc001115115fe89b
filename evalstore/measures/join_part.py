"""Which rows of a run and of judgments name the same document for the same query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.formats import ids
from evalstore.formats.ids import I64, U64
from evalstore.formats.run import Run

Bool = npt.NDArray[np.bool_]


MOST_SHARING = 16
"""Where more keys than this have the same top bits, `search` is a binary search.

Hashes of fewer than ten million judgments do not; keys can be chosen so that they do.
"""


class MarkedKeys:
    """The keys of judged documents, and tables of their top bits.

    Attributes:
        by_key: int64, the rows of the judgments in the order of their keys.
        keys: uint64, the keys in this order.
        shift: how many lower bits of a key `seen` leaves out.
        seen: bool, for all values of the top bits whether a key has them.
        most_sharing: how many keys have the same top bits in the table of `search`, at most.
    """

    def __init__(self, keys: U64, by_key: I64) -> None:
        self._ended = np.append(keys[by_key], np.uint64(2**64 - 1))
        self.by_key, self.keys = by_key, self._ended[:-1]
        wanted_bits = np.ceil(np.log2(len(keys) + 1)) + 5
        bits = int(np.clip(wanted_bits, 10, 24))
        self.shift = np.uint64(64 - bits)
        self.seen = np.zeros(1 << bits, bool)
        self.seen[self.keys >> self.shift] = True
        # Of each value of the top bits, the first key that has them. An entry takes eight bytes,
        # where one of `seen` takes one: hence fewer bits.
        bits = int(np.clip(wanted_bits - 4, 6, 22))
        self._first_shift = np.uint64(64 - bits)
        sharing = np.bincount((self.keys >> self._first_shift).view(np.int64), minlength=1 << bits)
        self._first = np.cumsum(sharing) - sharing
        self.most_sharing = int(sharing.max())

    def search(self, wanted: U64) -> I64:
        """As `np.searchsorted` of the keys, and faster.

        It starts at the first key with the same top bits, and goes on key by key.
        """
        if self.most_sharing > MOST_SHARING:
            # A binary search is several times as fast where the wanted keys ascend.
            ascending = np.argsort(wanted)
            at = np.empty(len(wanted), np.int64)
            at[ascending] = np.searchsorted(self.keys, wanted[ascending])
            return at
        at = self._first[(wanted >> self._first_shift).view(np.int64)]
        for _ in range(self.most_sharing):
            at += self._ended[at] < wanted
        return at


def join(
    run: Run, judged: MarkedKeys, docnos: pa.Array, queries: I64, lists: I64
) -> tuple[I64, I64]:
    """Rows of the run and of the other side that name the same document for the same query.

    Both sides have 64-bit hash keys of (query, docno), unique on the other side. The table of
    marks excludes most rows of the run. The rest is looked up by key. Keys can be the same by
    somebody's choice: where they match, the ids are compared, and so are the queries.

    Args:
        run: the run.
        judged: the keys of the other side.
        docnos: the ids of the other side.
        queries: int64, the query of each row of the other side.
        lists: int64, for each query of the other side the list in the run that answers it (index
            into `run.qids`); -1 where there is none.
    """
    keys = judged.keys
    maybe = _maybe(run.keys, judged.seen, judged.shift)
    wanted = run.keys[maybe]
    at = judged.search(wanted)
    same_key = keys[np.minimum(at, len(keys) - 1)] == wanted
    rows, theirs = maybe[same_key], judged.by_key[at[same_key]]
    own = lists[queries[theirs]]
    place = rows - run.starts[own]
    same = (own >= 0) & (place >= 0) & (place < run.lengths[own])
    same &= ids.equal(run.docnos, rows, docnos, theirs)
    return rows[same], theirs[same]


def numbers_among(others: Sequence[str], qids: Sequence[str]) -> I64:
    """The index of each query in `others`, int64, in the order of `qids`; -1 where it is not."""
    numbers = {qid: i for i, qid in enumerate(others)}
    return np.array([numbers.get(qid, -1) for qid in qids], np.int64)


def _maybe(keys: U64, seen: Bool, shift: np.uint64) -> I64:
    """The rows (int64) whose key's top bits are marked in `seen`."""
    step = 1 << 18  # keys at a time, so that intermediate arrays stay in the cache
    candidates = [
        at + np.flatnonzero(seen[(keys[at : at + step] >> shift).view(np.int64)])
        for at in range(0, len(keys), step)
    ]
    return np.concatenate(candidates) if candidates else np.zeros(0, np.int64)
