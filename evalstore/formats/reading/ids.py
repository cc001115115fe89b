"""Columns of identifiers as arrays: their words, a 64-bit hash, and their order by bytes.

An id column is an Arrow binary array without nulls. Ids hold no NUL (the reader refuses it), so
padding with zero bytes keeps both identity and order: a prefix sorts before what it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
U8 = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int32] | I64

LONG = 64
"""Ids of more bytes than this are hashed and compared apart: they have many words."""


def offsets_and_bytes(ids: pa.Array) -> tuple[Offsets, U8]:
    """The offsets (int32 or int64, n + 1) and the bytes behind an Arrow binary array, uncopied."""
    _, offsets, data = ids.buffers()
    if offsets is None or len(ids) == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.uint8)
    flat = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    part = slice(ids.offset, ids.offset + len(ids) + 1)
    if pa.types.is_large_binary(ids.type):
        return np.frombuffer(offsets, np.int64)[part], flat
    return np.frombuffer(offsets, np.int32)[part], flat


def column(words: Sequence[bytes]) -> pa.Array:
    """Some ids as a column, as `pyarrow.array` makes it (which would import pandas)."""
    return column_of(np.array([len(word) for word in words], np.int64), b"".join(words))


def column_of(sizes: I64, data: bytes | memoryview) -> pa.Array:
    """The column of ids of these sizes (int64, n), whose bytes follow on each other in `data`."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    wide = int(ends[-1]) >= 1 << 31  # more than Arrow's 32-bit offsets hold
    kind = pa.large_binary() if wide else pa.binary()
    offsets = ends if wide else ends.astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(sizes), buffers)


def concatenated(columns: Iterable[pa.Array]) -> pa.Array:
    """The ids of several columns, one column after the other, as one."""
    sizes, data = [np.zeros(0, np.int64)], []
    for ids in columns:
        at, flat = offsets_and_bytes(ids)
        sizes.append(lengths(ids))
        data.append(flat[at[0] : at[-1]].data)
    return column_of(np.concatenate(sizes), b"".join(data))


def take(ids: pa.Array, rows: I64) -> pa.Array:
    """The ids of some rows as a column."""
    chosen = np.ascontiguousarray(rows, np.int64)
    return ids.take(pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(chosen)]))


def ranges(starts: I64, lengths: I64) -> I64:
    """The numbers of several ranges, one range after the other: int64 (sum of the lengths)."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def changeable(ids: pa.Array, *, in_place: bool) -> pa.Array:
    """The column for `put`: a copy, or with `in_place` itself, if its memory is writeable."""
    at, flat = offsets_and_bytes(ids)
    if in_place and at.flags.writeable and flat.flags.writeable:
        return ids
    buffers = [None, pa.py_buffer(at - at[0]), pa.py_buffer(flat[at[0] : at[-1]].copy())]
    return pa.Array.from_buffers(ids.type, len(ids), buffers)


def put(ids: pa.Array, first: int, moved: pa.Array) -> None:
    """Write ids over those from row `first` on, which have as many bytes together."""
    at, flat = offsets_and_bytes(ids)
    ends, data = offsets_and_bytes(moved)
    rows = slice(first, first + len(moved) + 1)
    flat[at[first] : at[rows.stop - 1]] = data[ends[0] : ends[-1]]
    at[rows] = ends - ends[0] + at[first]


def lengths(ids: pa.Array, rows: I64 | None = None) -> I64:
    """The length in bytes of every id, or of those of some rows: int64."""
    at, _ = offsets_and_bytes(ids)
    size = np.diff(at) if rows is None else at[rows + 1] - at[rows]
    return size.astype(np.int64)


def words(ids: pa.Array) -> list[U64]:
    """Every id cut into little-endian 64-bit words, zero-padded: one array (n) per word position.

    An id of 1,024 bytes costs 128 words, so columns with long ids are better taken in parts.
    """
    at, flat = offsets_and_bytes(ids)
    if len(ids) == 0:
        return []
    size = lengths(ids)
    longest = int(size.max())
    if int(size.min()) == longest > 0:
        return _words_of_one_size(flat[at[0] : at[-1]], len(ids), longest)
    begin = at[:-1].astype(np.int64)
    columns = []
    for start in range(0, max(longest, 1), 8):
        word = _gather(flat, begin + start)
        if int(size.min()) < start + 8:
            word &= _mask(size - start)
        columns.append(word)
    return columns


def _words_of_one_size(flat: U8, count: int, width: int) -> list[U64]:
    """`words` of ids of one size, copied as they stand: several times as fast as gathering them."""
    columns: list[U64] = []
    for start in range(0, width, 8):
        piece = f"V{min(8, width - start)}"
        column: U64 = np.zeros(count, "<u8")
        begin = np.ndarray((count,), piece, column, strides=(8,))
        begin[:] = np.ndarray((count,), piece, flat, start, strides=(width,))
        columns.append(column)
    return columns


def _gather(flat: U8, positions: I64) -> U64:
    """The eight bytes from each place on, as little-endian words; zero after the end of `flat`."""
    if len(flat) < 8:
        flat = np.concatenate([flat, np.zeros(8, np.uint8)])
    # A word may start at any byte: an unaligned view with a stride of one byte, gathered by offset.
    view: U64 = np.ndarray((len(flat) - 7,), "<u8", flat, strides=(1,))
    last = len(view) - 1
    over = np.flatnonzero(positions > last)
    if not len(over):
        return view[positions]
    word: U64 = view[np.minimum(positions, last)]
    # A shift by 64 is undefined, hence the two halves.
    half = np.minimum(positions[over] - last, 8).astype(np.uint64) * np.uint64(4)
    word[over] = (word[over] >> half) >> half
    return word


def _mask(left: I64) -> U64:
    """All bits of the first `left` bytes of a word (none for 0 and less, all for 8 and more)."""
    masks = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
    return masks[np.clip(left, 0, 8)]


def mix(values: U64) -> U64:
    """Scramble 64-bit values: the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    shifted = values >> np.uint64(30)
    values = values ^ shifted
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= np.right_shift(values, np.uint64(27), out=shifted)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= np.right_shift(values, np.uint64(31), out=shifted)
    return values


def hash_ids(ids: pa.Array, salts: U64 | None = None) -> U64:
    """A 64-bit hash of every id (uint64, n), mixed with a salt per row if given.

    Equal ids with equal salts have equal hashes on every machine; different ones almost always
    differ, which callers confirm on the ids themselves.
    """
    state = np.full(len(ids), 0x9E3779B97F4A7C15, np.uint64) if salts is None else salts
    size = lengths(ids)
    if int(size.max(initial=0)) > LONG:
        return _hash_by_words(ids, size, state)
    return _hash(ids, size, state)


def _hash(ids: pa.Array, size: I64, state: U64) -> U64:
    shortest = int(size.min(initial=0))
    for number, word in enumerate(words(ids)):
        mixed = mix(np.add(word, state, out=word))
        # Padding is left out, which makes a hash independent of the longest id near it.
        state = mixed if shortest > 8 * number else np.where(size > 8 * number, mixed, state)
    return state


def _hash_by_words(ids: pa.Array, size: I64, state: U64) -> U64:
    """The same, ids of equally many words together: one long id would lengthen all of them."""
    by_words = np.argsort((size + 7) // 8, kind="stable")
    count = (size[by_words] + 7) // 8
    result = np.empty(len(ids), np.uint64)
    for rows in np.split(by_words, np.flatnonzero(np.diff(count)) + 1):
        result[rows] = _hash(take(ids, rows), size[rows], state[rows])
    return result


def row_keys(qids: Sequence[str], lengths: I64, docnos: pa.Array) -> U64:
    """A hash of (query id, docno) per row (uint64, n), for lists in this order."""
    salts = hash_ids(column([qid.encode() for qid in qids]))
    return hash_ids(docnos, np.repeat(salts, lengths))


def equal(left: pa.Array, left_rows: I64, right: pa.Array, right_rows: I64) -> Bool:
    """Whether the ids of two columns are the same, pair by pair of rows: bool (m)."""
    size = lengths(left, left_rows)
    same: Bool = size == lengths(right, right_rows)
    longest = int(size[same].max(initial=0))
    if longest > LONG:
        words = (
            take(ids, rows).to_pylist() for ids, rows in ((left, left_rows), (right, right_rows))
        )
        return np.array([a == b for a, b in zip(*words, strict=True)], np.bool_)
    (at, flat), (its_at, its_flat) = offsets_and_bytes(left), offsets_and_bytes(right)
    begin, its_begin = at[left_rows].astype(np.int64), its_at[right_rows].astype(np.int64)
    for start in range(0, longest, 8):
        differ = _gather(flat, begin + start) ^ _gather(its_flat, its_begin + start)
        same &= (differ & _mask(size - start)) == 0
    return same


def order_descending(groups: I64, ids: pa.Array, rows: I64 | None = None) -> I64:
    """The permutation (int64, m) that sorts by group ascending, then by id descending as bytes."""
    return _order(groups, ids, rows, descending=True)


def order_ascending(groups: I64, ids: pa.Array, rows: I64 | None = None) -> I64:
    """The permutation (int64, m) that sorts by group ascending, then by id ascending as bytes."""
    return _order(groups, ids, rows, descending=False)


def _order(groups: I64, ids: pa.Array, rows: I64 | None, *, descending: bool) -> I64:
    if len(groups) == 0:
        return np.zeros(0, np.int64)
    import pyarrow.compute as pc  # noqa: PLC0415  (its import takes longer than small files)

    groups = np.ascontiguousarray(groups, np.int64)
    group = pa.Array.from_buffers(pa.int64(), len(groups), [None, pa.py_buffer(groups)])
    table = pa.table({"group": group, "id": ids if rows is None else take(ids, rows)})
    direction = "descending" if descending else "ascending"
    order = pc.sort_indices(table, sort_keys=[("group", "ascending"), ("id", direction)])
    return np.frombuffer(order.buffers()[1], np.uint64).astype(np.int64)


def stable_order(codes: npt.NDArray[np.int64]) -> I64:
    """The stable permutation (int64, n) of whole numbers below 2^32: two rounds of radix sort."""
    low = codes.astype(np.uint16)
    order = np.argsort(low, kind="stable")
    if int(codes.max(initial=0)) < 1 << 16:
        return order
    high = (codes >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")]
