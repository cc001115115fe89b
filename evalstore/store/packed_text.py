"""The text of a document packed into bytes, and back.

The format: a byte that says how the rest is written (0, UTF-8; 1, a zlib stream of UTF-8), then the
rest. A text that zlib makes no smaller is written as it is.
"""

from __future__ import annotations

import codecs
import zlib

from evalstore.errors import StoreError

PLAIN, ZLIB = b"\0", b"\1"
SMALL_WINDOW = 12
"""zlib's window, as a power of two of bytes, for texts that are not longer."""


def pack_text(text: str) -> bytes:
    """Pack a text."""
    data = text.encode()
    # For a text that fits into a small window, most of the time would go into making a large one.
    window, memory = (SMALL_WINDOW, 5) if len(data) <= 1 << SMALL_WINDOW else (15, 8)
    stream = zlib.compressobj(wbits=window, memLevel=memory)
    smaller = stream.compress(data) + stream.flush()
    return ZLIB + smaller if len(smaller) < len(data) else PLAIN + data


def unpack_text(packed: bytes) -> str:
    """The text that was packed.

    Raises:
        StoreError: bytes that are no packed text.
    """
    start, rest = packed[:1], packed[1:]
    if start not in (PLAIN, ZLIB):
        raise StoreError("a packed text of another version: is the store newer than evalstore?")
    try:
        return (zlib.decompress(rest) if start == ZLIB else rest).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"a damaged packed text: {error}") from None


def unpack_start(packed: bytes, most: int) -> str:
    """The first characters of the text that was packed, at most so many; the rest stays packed.

    Raises:
        StoreError: bytes that are no packed text.
    """
    start, rest = packed[:1], packed[1:]
    if start not in (PLAIN, ZLIB):
        raise StoreError("a packed text of another version: is the store newer than evalstore?")
    size = 4 * most  # no character takes more bytes
    try:
        data = zlib.decompressobj().decompress(rest, max(size, 1)) if start == ZLIB else rest[:size]
        # The last character may be cut in two; what is damaged before it is not passed over.
        return codecs.getincrementaldecoder("utf-8")().decode(data)[:most]
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"a damaged packed text: {error}") from None
