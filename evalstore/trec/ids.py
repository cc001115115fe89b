"""Columns of identifiers as arrays: their words, a 64-bit hash, and their order by bytes.

An id column is an Arrow binary array without nulls. Ids hold no NUL (the reader refuses it), so
padding with zero bytes keeps both identity and order: a prefix sorts before what it begins.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]


def offsets_and_bytes(ids: pa.Array) -> tuple[I64, npt.NDArray[np.uint8]]:
    """The offsets (int64, n + 1) and the bytes (uint8) behind an Arrow binary array."""
    _, offsets, data = ids.buffers()
    width = np.int64 if pa.types.is_large_binary(ids.type) else np.int32
    if offsets is None or len(ids) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    at = np.frombuffer(offsets, width)[ids.offset : ids.offset + len(ids) + 1].astype(np.int64)
    flat = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return at, flat


def lengths(ids: pa.Array) -> I64:
    """The length in bytes of every id, int64."""
    return np.diff(offsets_and_bytes(ids)[0])


def words(ids: pa.Array) -> list[U64]:
    """Every id cut into little-endian 64-bit words, zero-padded: one array (n) per word position.

    An id of 1,024 bytes costs 128 words, so columns with long ids are better taken in parts.
    """
    at, flat = offsets_and_bytes(ids)
    n = len(ids)
    if n == 0:
        return []
    padded = np.concatenate([flat[: at[-1]], np.zeros(8, np.uint8)])
    # A word may start at any byte: an unaligned view with a stride of one byte, gathered by offset.
    view: U64 = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    size = np.diff(at)
    found: list[U64] = []
    for start in range(0, max(int(size.max()), 1), 8):
        left = size - start
        word = view[np.minimum(at[:-1] + start, len(padded) - 8)]
        bits = (8 * np.clip(left, 0, 8)).astype(np.uint64)
        # A shift by 64 is undefined, hence the two halves.
        half = bits >> np.uint64(1)
        mask = ((np.uint64(1) << half) << (bits - half)) - np.uint64(1)
        found.append(word & np.where(left >= 8, ~np.uint64(0), mask))
    return found


def mix(values: U64) -> U64:
    """Scramble 64-bit values so that every input bit reaches every output bit (a bijection).

    The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hash_ids(ids: pa.Array, salts: U64 | None = None) -> U64:
    """A 64-bit hash of every id (uint64, n), mixed with a salt per row where given.

    Equal ids with equal salts have equal hashes on every machine; different ones almost always
    differ, and whoever relies on that confirms it on the ids themselves.
    """
    state = np.full(len(ids), 0x9E3779B97F4A7C15, np.uint64) if salts is None else salts.copy()
    longest = int(lengths(ids).max()) if len(ids) else 0
    if longest > 64 and len(ids) > 1:
        return _hash_long(ids, state)
    for word in words(ids):
        # A word of zeros is padding: leaving it out makes a hash independent of its neighbours.
        state = np.where(word != 0, mix(state + word), state)
    return mix(state)


def _hash_long(ids: pa.Array, salts: U64) -> U64:
    """`hash_ids` where some ids are long: the short ones together, the long ones one by one."""
    long = lengths(ids) > 64
    result = np.empty(len(ids), np.uint64)
    short = np.flatnonzero(~long)
    result[short] = hash_ids(ids.take(pa.array(short)), salts[short])
    for row in np.flatnonzero(long):
        result[row] = hash_ids(ids.slice(row, 1), salts[row : row + 1])[0]
    return result


def order_descending(groups: I64, ids: pa.Array) -> I64:
    """The permutation (int64, n) that sorts by group ascending, then by id descending as bytes."""
    if len(ids) == 0:
        return np.zeros(0, np.int64)
    if int(lengths(ids).max()) <= 32:
        # Complemented big-endian words, least significant key first, as lexsort wants them.
        keys = [~word.byteswap() for word in reversed(words(ids))]
        return np.lexsort((*keys, groups))
    table = pa.table({"group": groups, "id": ids})
    by = [("group", "ascending"), ("id", "descending")]
    return _sort_indices(table, by)


def order_ascending(groups: I64, ids: pa.Array) -> I64:
    """The permutation (int64, n) that sorts by group ascending, then by id ascending as bytes."""
    table = pa.table({"group": groups, "id": ids})
    return _sort_indices(table, [("group", "ascending"), ("id", "ascending")])


def _sort_indices(table: pa.Table, by: list[tuple[str, str]]) -> I64:
    import pyarrow.compute as pc  # noqa: PLC0415  (a cost only irregular data pays)

    return np.asarray(pc.sort_indices(table, sort_keys=by)).astype(np.int64)
