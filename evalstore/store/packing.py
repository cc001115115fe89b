"""A ranking packed into bytes, and back: documents, order and scores exactly.

The format, version 1 (numbers little-endian):

    byte   0       1, the version
    byte   1       how scores are written: 0 to 9, as whole numbers after multiplication by that
                   power of ten; 255, as doubles
    bytes  2 to 5  the size of what follows once unpacked, uint32
    rest           one Zstandard frame of

        uint32             n, the number of documents
        uint16             the length in bytes of every docno, or 65535
        n x uint16         where that is 65535: the length of each docno
        bytes              the docnos, one after the other
        as doubles:        n x float64
        as whole numbers:  int64, the first score; uint8, a width w; then for each of w byte
                           positions, lowest first, n - 1 bytes: by how much each score is lower
                           than the one before

Scores descend, so differences are small whole numbers: two bytes for most runs where a double
takes eight. Whole numbers are used only where the quotient by the power of ten is the very double.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import StoreError
from evalstore.formats.ids import U8, Offsets, offsets_and_bytes

VERSION = 1
AS_DOUBLES = 255
MOST_DECIMALS = 9
LENGTHS_DIFFER = 65535

TOGETHER = 1 << 16
"""Rows whose scores are encoded together: few enough that their arrays stay in the cache."""

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]


def pack(docnos: pa.Array, scores: F64, starts: I64, lengths: I64) -> list[bytes]:
    """Pack the rankings of a run whose ties are resolved.

    Args:
        docnos: Arrow binary (n).
        scores: float64 (n), descending within each list.
        starts: int64 (q), the first row of each list; every row is in one of the lists.
        lengths: int64 (q), the number of rows of each list.

    Returns:
        One packed ranking per list.
    """
    packer = _Packer(docnos, scores, starts, lengths)
    packed = [b""] * len(starts)
    for some in packer.batches():
        for number, ranking in zip(some.tolist(), packer.pack(some), strict=True):
            packed[number] = ranking
    return packed


class PackedBeside(Sequence[bytes]):
    """The same rankings as `pack` gives, packed elsewhere: one that is not ready is waited for.

    Pickled, it is a list.
    """

    def __init__(
        self, executor: Executor, docnos: pa.Array, scores: F64, starts: I64, lengths: I64
    ) -> None:
        """What packs, and the arguments of `pack`."""
        packer = _Packer(docnos, scores, starts, lengths)
        self._places: list[tuple[int, int]] = [(0, 0)] * len(starts)
        self._batches: list[Future[list[bytes]]] = []
        for some in packer.batches():
            for at, number in enumerate(some.tolist()):
                self._places[number] = (len(self._batches), at)
            self._batches.append(executor.submit(packer.pack, some))

    def stop(self) -> None:
        """Pack no more: nobody waits for the rest."""
        for batch in self._batches:
            batch.cancel()

    def __len__(self) -> int:
        """How many rankings."""
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> bytes: ...

    @overload
    def __getitem__(self, number: slice) -> list[bytes]: ...

    def __getitem__(self, number: int | slice) -> bytes | list[bytes]:
        """One ranking, or some."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        batch, at = self._places[number]
        return self._batches[batch].result()[at]

    def __reduce__(self) -> tuple[type[list[bytes]], tuple[list[bytes]]]:
        """As a list."""
        return list, (list(self),)


class _Packer:
    """The rankings of a run that are to be packed; arguments as those of `pack`."""

    def __init__(self, docnos: pa.Array, scores: F64, starts: I64, lengths: I64) -> None:
        self._at, self._flat = offsets_and_bytes(docnos)
        self._scores, self._starts, self._lengths = scores, starts, lengths
        self._decimals = _decimals(scores)

    def batches(self) -> list[I64]:
        """The numbers of lists that are packed together: neighbours."""
        if not len(self._starts):
            return []
        by_place = np.argsort(self._starts, kind="stable")
        window = np.cumsum(self._lengths[by_place]) // TOGETHER
        return np.split(by_place, np.flatnonzero(np.diff(window)) + 1)

    def pack(self, some: I64) -> list[bytes]:
        """The packed rankings of one batch."""
        # Higher levels take half as long again and don't compress such data better.
        codec = pa.Codec("zstd", compression_level=1)
        payloads = _payloads(
            self._at,
            self._flat,
            self._scores,
            self._starts[some],
            self._lengths[some],
            self._decimals,
        )
        return [
            struct.pack("<BBI", VERSION, coding, len(payload))
            + codec.compress(payload, asbytes=True)
            for coding, payload in payloads
        ]


def _payloads(
    at: Offsets, flat: U8, scores: F64, starts: I64, lengths: I64, decimals: int
) -> Iterator[tuple[int, bytes]]:
    """(coding, payload) of each of some neighbouring lists.

    The scores of all these lists are encoded in one step: most lists are too short for NumPy
    calls of their own.
    """
    begin, end = int(starts[0]), int((starts + lengths).max())
    values, size = scores[begin:end], np.diff(at[begin : end + 1])
    whole, exact = _quotient(values, decimals)
    down = np.zeros(len(values), "<u8")
    down[1:] = (whole[:-1] - whole[1:]).view(np.uint64)
    down[(starts - begin)[lengths > 0]] = 0
    planes = np.ascontiguousarray(down.view(np.uint8).reshape(-1, 8).T)
    for start, length in zip((starts - begin).tolist(), lengths.tolist(), strict=True):
        rows = slice(start, start + length)
        data = flat[at[begin + start] : at[begin + start + length]].tobytes()
        payload = _sizes(size[rows]) + data
        if not exact[rows].all():
            yield AS_DOUBLES, payload + values[rows].astype("<f8").tobytes()
        elif length:
            width = (int(down[rows].max()).bit_length() + 7) // 8
            lower = planes[:width, start + 1 : start + length].tobytes()
            yield decimals, payload + struct.pack("<qB", whole[start], width) + lower
        else:
            yield decimals, payload


def _decimals(scores: F64) -> int:
    """The power of ten that makes most scores whole, judged by a thousand of them."""
    sample = scores[:: max(len(scores) // 1000, 1)]
    for decimals in range(MOST_DECIMALS):
        if np.count_nonzero(_quotient(sample, decimals)[1]) >= 0.99 * len(sample):
            return decimals
    return MOST_DECIMALS


def _quotient(scores: F64, decimals: int) -> tuple[I64, npt.NDArray[np.bool_]]:
    scale = 10.0**decimals
    whole = np.rint(np.minimum(np.maximum(scores, -1e15 / scale), 1e15 / scale) * scale)
    return whole.astype(np.int64), whole / scale == scores


def _sizes(size: Offsets) -> bytes:
    same = len(size) > 0 and bool((size == size[0]).all())
    head = struct.pack("<IH", len(size), size[0] if same else LENGTHS_DIFFER)
    return head if same else head + size.astype("<u2").tobytes()


def unpack(packed: bytes) -> tuple[pa.Array, F64]:
    """The docnos (Arrow binary, n, in order of rank) and scores (float64, n) of a ranking.

    Raises:
        StoreError: another version, or bytes that are no packed ranking.
    """
    with _damages_named():
        payload, coding = _payload(packed)
        docnos, end = _docnos(payload)
        return docnos, _scores(payload, coding, len(docnos), end)


def unpack_docnos(packed: bytes) -> pa.Array:
    """The docnos of a ranking as `unpack` gives them, in less time.

    Raises:
        StoreError: another version, or bytes that are no packed ranking.
    """
    with _damages_named():
        return _docnos(_payload(packed)[0])[0]


@contextmanager
def _damages_named() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, MemoryError, struct.error) as error:
        raise StoreError(f"a damaged packed ranking: {error}") from None


def _payload(packed: bytes) -> tuple[bytes, int]:
    """What the frame of a packed ranking holds, and how its scores are written."""
    if len(packed) < 6 or packed[0] != VERSION:
        raise StoreError("a packed ranking of another version: is the store newer than evalstore?")
    _, coding, size = struct.unpack_from("<BBI", packed)
    if coding > MOST_DECIMALS and coding != AS_DOUBLES:
        raise ValueError(f"scores coded {coding}")
    return pa.Codec("zstd").decompress(packed[6:], size, asbytes=True), coding


def _docnos(payload: bytes) -> tuple[pa.Array, int]:
    """The docnos, and where they end."""
    n, every = struct.unpack_from("<IH", payload)
    at = 6
    if n > len(payload):
        raise ValueError(f"{n} documents in {len(payload)} bytes")
    if every == LENGTHS_DIFFER:
        lengths = np.frombuffer(payload, "<u2", n, at).astype(np.int64)
        at += 2 * n
    else:
        lengths = np.full(n, every, np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    end = at + int(offsets[-1])
    if end > len(payload):
        raise ValueError(f"{end} bytes of docnos in {len(payload)} bytes")
    docnos = pa.Array.from_buffers(
        pa.binary(),
        n,
        [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(payload[at:end])],
    )
    return docnos, end


def _scores(payload: bytes, coding: int, n: int, at: int) -> F64:
    if coding == AS_DOUBLES:
        return np.frombuffer(payload, "<f8", n, at).astype(np.float64)
    if n == 0:
        return np.zeros(0)
    first, width = struct.unpack_from("<qB", payload, at)
    planes = np.frombuffer(payload, np.uint8, width * (n - 1), at + 9).reshape(width, n - 1)
    down = np.zeros((n - 1, 8), np.uint8)
    down[:, :width] = planes.T
    steps = down.view("<u8").ravel().astype(np.int64)
    whole = first - np.concatenate([[0], np.cumsum(steps)])
    return np.asarray(whole / 10.0**coding)
