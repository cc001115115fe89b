"""A ranking packed into bytes, and back: documents, order and scores exactly.

The format, version 1 (numbers little-endian):

    byte   0       1, the version
    byte   1       how scores are written: 0 to 9, as whole numbers after multiplication by that
                   power of ten; 255, as doubles
    bytes  2 to 5  the size of the rest after unpacking, uint32
    rest           one Zstandard frame of

        uint32             n, the number of documents
        uint16             the length in bytes of every docno, or 65535
        n x uint16         if that is 65535: the length of each docno
        bytes              the docnos, one after the other
        as doubles:        n x float64
        as whole numbers:  int64, the first score; uint8, a width w; then for each of w byte
                           positions, lowest first, n - 1 bytes: by how much each score is lower
                           than the one before

Scores descend, so differences are small whole numbers: for most runs two bytes, not the eight of a
double. Whole numbers are used only if their quotient by the power of ten is exactly the double.
"""

from __future__ import annotations

import codecs
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import StoreError
from evalstore.formats.reading.ids import U8, Offsets, offsets_and_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

VERSION = 1
AS_DOUBLES = 255
MOST_DECIMALS = 9
LENGTHS_DIFFER = 65535

TOGETHER = 1 << 16
"""Rows whose scores are encoded together: few enough for their arrays to fit into the cache."""

WINDOW_LOG, HASH_LOG, SHORTEST_MATCH = 14, 13, 7
"""Settings of Zstandard. Blocks of 16 KB, as docnos and scores have different frequencies of bytes;
matches of at least 7 bytes, as digits that agree by chance take time and save nothing.
"""

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
    at, flat = offsets_and_bytes(docnos)
    decimals, compressor = _decimals(scores), _compressor()
    packed = [b""] * len(starts)
    by_place = np.argsort(starts, kind="stable")
    window = np.cumsum(lengths[by_place]) // TOGETHER
    for some in np.split(by_place, np.flatnonzero(np.diff(window)) + 1) if len(starts) else ():
        payloads = _payloads(at, flat, scores, starts[some], lengths[some], decimals)
        for number, (coding, payload) in zip(some.tolist(), payloads, strict=True):
            frame = compressor.compress(payload, compressor.FLUSH_FRAME)
            packed[number] = struct.pack("<BBI", VERSION, coding, len(payload)) + frame
    return packed


def _compressor() -> zstd.ZstdCompressor:
    parameter = zstd.CompressionParameter
    return zstd.ZstdCompressor(
        options={
            parameter.compression_level: 1,
            parameter.window_log: WINDOW_LOG,
            parameter.hash_log: HASH_LOG,
            parameter.min_match: SHORTEST_MATCH,
        }
    )


def _payloads(
    at: Offsets, flat: U8, scores: F64, starts: I64, lengths: I64, decimals: int
) -> Iterator[tuple[int, bytes]]:
    """(coding, payload) of each of some neighbouring lists, in the order of their rows.

    Where possible, one step computes a value for all these lists: most lists are too short for
    separate NumPy calls.
    """
    begin, end = int(starts[0]), int((starts + lengths).max())
    values, size = scores[begin:end], np.diff(at[begin : end + 1])
    whole, exact = _quotient(values, decimals)
    starts = starts - begin
    firsts = starts[lengths > 0]  # only lists that have rows; together they hold all rows
    down = np.zeros(len(values), "<u8")
    down[1:] = (whole[:-1] - whole[1:]).view(np.uint64)
    down[firsts] = 0
    changes = np.zeros(len(values), np.bool_)
    np.not_equal(size[1:], size[:-1], out=changes[1:])
    changes[firsts] = False
    largest = _of_lists(np.maximum, down, starts, lengths)
    planes = down.view(np.uint8).reshape(-1, 8).T[: _width(int(largest.max()))].copy()
    docnos = flat.data[int(at[begin]) : int(at[end])]
    of_lists = (
        *(starts, starts + lengths),
        *(at[begin + starts] - at[begin], at[begin + starts + lengths] - at[begin]),
        _of_lists(np.logical_or, changes, starts, lengths),
        _of_lists(np.logical_or, ~exact, starts, lengths),
        largest,
    )
    rows = zip(*map(np.ndarray.tolist, of_lists), strict=True)
    for start, end, first, last, differ, needs_doubles, most in rows:
        if differ or start == end:
            sizes = struct.pack("<IH", end - start, LENGTHS_DIFFER)
            sizes += size[start:end].astype("<u2").tobytes()
        else:
            sizes = struct.pack("<IH", end - start, size[start])
        documents = docnos[first:last]
        if needs_doubles:
            as_doubles = values[start:end].astype("<f8").tobytes()
            yield AS_DOUBLES, b"".join((sizes, documents, as_doubles))
        elif start == end:
            yield decimals, sizes
        else:
            width = _width(most)
            score = struct.pack("<qB", whole[start], width)
            lower = planes[:width, start + 1 : end].tobytes()
            yield decimals, b"".join((sizes, documents, score, lower))


def _of_lists(
    function: np.ufunc, of_rows: npt.NDArray[Any], starts: I64, lengths: I64
) -> npt.NDArray[Any]:
    """One value per list, computed from the values of its rows; 0 for an empty list."""
    result = np.zeros(len(starts), of_rows.dtype)
    filled = lengths > 0
    if filled.any():
        result[filled] = function.reduceat(of_rows, starts[filled])
    return result


def _width(largest: int) -> int:
    """The number of bytes that a number needs."""
    return (largest.bit_length() + 7) // 8


def _decimals(scores: F64) -> int:
    """The power of ten that makes most scores whole numbers, judged by a thousand scores."""
    sample = scores[:: max(len(scores) // 1000, 1)]
    for decimals in range(MOST_DECIMALS):
        if np.count_nonzero(_quotient(sample, decimals)[1]) >= 0.99 * len(sample):
            return decimals
    return MOST_DECIMALS


def _quotient(scores: F64, decimals: int) -> tuple[I64, npt.NDArray[np.bool_]]:
    scale = 10.0**decimals
    scaled = np.clip(scores, -1e15 / scale, 1e15 / scale)
    scaled *= scale
    whole = np.rint(scaled, out=scaled).astype(np.int64)
    return whole, np.divide(scaled, scale, out=scaled) == scores


def unpack(packed: bytes) -> tuple[pa.Array, F64]:
    """The docnos (Arrow binary, n, in order of rank) and scores (float64, n) of a ranking.

    Raises:
        StoreError: the bytes have another version, or aren't a packed ranking.
    """
    with _damages_named():
        payload, coding = _payload(packed)
        docnos, end = _docnos(payload)
        return docnos, _scores(payload, coding, len(docnos), end)


def unpack_docnos(packed: bytes) -> pa.Array:
    """The docnos that `unpack` returns, in less time."""
    with _damages_named():
        return _docnos(_payload(packed)[0])[0]


@contextmanager
def _damages_named() -> Iterator[None]:
    try:
        yield
    except (zstd.ZstdError, ValueError, MemoryError, struct.error) as error:
        raise StoreError(f"a damaged packed ranking: {error}") from None


def _payload(packed: bytes) -> tuple[bytes, int]:
    """The content of the frame of a packed ranking, and the coding of its scores."""
    if len(packed) < 6 or packed[0] != VERSION:
        raise StoreError("a packed ranking of another version: is the store newer than evalstore?")
    _, coding, size = struct.unpack_from("<BBI", packed)
    if coding > MOST_DECIMALS and coding != AS_DOUBLES:
        raise ValueError(f"scores coded {coding}")
    frame = packed[6:]
    if zstd.get_frame_info(frame).decompressed_size != size:
        raise ValueError(f"a frame of another size than {size}")
    decompressor = zstd.ZstdDecompressor()
    payload = decompressor.decompress(frame, max_length=size)
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError(f"no frame of {len(frame)} bytes")
    return payload, coding


def _docnos(payload: bytes) -> tuple[pa.Array, int]:
    """The docnos, and the position where they end."""
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


# Packing the text of a document into bytes, and unpacking it.
#
# The format: one byte for the encoding (0, UTF-8; 1, a zlib stream of UTF-8), then the encoded
# text. UTF-8 is used if zlib doesn't make the text smaller.

PLAIN, ZLIB = b"\0", b"\1"
SMALL_WINDOW = 12
"""zlib's window for texts that fit into it: the exponent of a power of two, in bytes."""


def pack_text(text: str) -> bytes:
    """Pack a text."""
    data = text.encode()
    # For a text that fits into a small window, most of the time would be spent on making a large
    # one.
    window, memory = (SMALL_WINDOW, 5) if len(data) <= 1 << SMALL_WINDOW else (15, 8)
    stream = zlib.compressobj(wbits=window, memLevel=memory)
    smaller = stream.compress(data) + stream.flush()
    return ZLIB + smaller if len(smaller) < len(data) else PLAIN + data


def unpack_text(packed: bytes) -> str:
    """The text that was packed; a StoreError for bytes that aren't a packed text."""
    with _text_damages_named():
        is_zlib, rest = _text_payload(packed)
        return (zlib.decompress(rest) if is_zlib else rest).decode()


def unpack_start(packed: bytes, most: int) -> str:
    """The first `most` characters of the packed text; the rest is not unpacked."""
    size = 4 * most  # no character takes more than 4 bytes
    with _text_damages_named():
        is_zlib, rest = _text_payload(packed)
        data = zlib.decompressobj().decompress(rest, max(size, 1)) if is_zlib else rest[:size]
        # The last character may be cut in two; damaged bytes before it are an error.
        return codecs.getincrementaldecoder("utf-8")().decode(data)[:most]


def _text_payload(packed: bytes) -> tuple[bool, bytes]:
    """Whether a packed text is a zlib stream, and the text or stream."""
    start, rest = packed[:1], packed[1:]
    if start not in (PLAIN, ZLIB):
        raise StoreError("a packed text of another version: is the store newer than evalstore?")
    return start == ZLIB, rest


@contextmanager
def _text_damages_named() -> Iterator[None]:
    try:
        yield
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"a damaged packed text: {error}") from None
