"""From a path to blocks of whole lines: plain or gzip by content, standard input, encodings, limits.

Memory stays bounded by a few blocks, whatever the file claims to be: nothing here looks at a
declared size, and a line that does not end is cut off as soon as it is too long.
"""

from __future__ import annotations

import codecs
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import BinaryIO

from evalstore.errors import FileError

BLOCK = 4 << 20
MAX_LINE = 64 << 10
MAX_BYTES = 16 << 30
GZIP_MAGIC = b"\x1f\x8b"


def blocks(
    path: str, *, encoding: str = "utf-8", max_bytes: int = MAX_BYTES, block: int = BLOCK
) -> Iterator[bytes]:
    """Yield the unpacked content of a file in blocks that end at line ends (the last may not).

    `-` is standard input. A byte order mark is dropped; other encodings than UTF-8 are recoded to
    it. A block of over 64 KiB without a line end is yielded as it is and ends the reading: what
    checks the lines says where. An empty file yields nothing.

    Raises:
        FileError: can't be opened, is a directory, truncated or corrupt gzip, over `max_bytes`
            once unpacked, UTF-16 or not in `encoding`.
    """
    with ExitStack() as stack:
        raw = _chunks(_open(path, stack), path, block)
        decoded = _recode(_unpack(raw, path, max_bytes), path, encoding)
        rest = b""
        for chunk in decoded:
            end = chunk.rfind(b"\n") + 1
            if end:
                yield rest + chunk[:end]
                rest = chunk[end:]
            else:
                rest += chunk
            if len(rest) > MAX_LINE + 1:
                yield rest
                return
        if rest:
            yield rest


def _open(path: str, stack: ExitStack) -> BinaryIO:
    if path == "-":
        return sys.stdin.buffer
    try:
        return stack.enter_context(open(path, "rb", buffering=0))
    except OSError as error:
        raise FileError(path, None, _reason(error)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower() if error.strerror else str(error)


def _chunks(stream: BinaryIO, path: str, size: int) -> Iterator[bytes]:
    """The raw bytes; a first chunk of at least four bytes where there are as many."""
    try:
        first = stream.read(size)
        while first and len(first) < 4 and (more := stream.read(size)):
            first += more
        while first:
            yield first
            first = stream.read(size)
    except OSError as error:
        raise FileError(path, None, _reason(error)) from None


def _unpack(chunks: Iterator[bytes], path: str, max_bytes: int) -> Iterator[bytes]:
    """Gunzip where the content begins as gzip does, and hold the total to `max_bytes`."""
    total = 0
    first = next(chunks, b"")
    everything = _chain(first, chunks)
    for chunk in _gunzip(everything, path) if first.startswith(GZIP_MAGIC) else everything:
        total += len(chunk)
        if total > max_bytes:
            raise FileError(
                path, None, f"more than {max_bytes:,} bytes once unpacked; raise --max-bytes"
            )
        yield chunk


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _gunzip(chunks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The content of all gzip members, in pieces of at most one block each."""
    inflate: zlib._Decompress | None = None
    waiting = b""
    try:
        for chunk in chunks:
            waiting += chunk
            while waiting:
                if inflate is None:
                    # Zero padding after the last member is what gzip -l and tapes leave behind.
                    waiting = waiting.lstrip(b"\0")
                    if not waiting:
                        break
                    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
                data = inflate.decompress(waiting, BLOCK)
                waiting = inflate.unconsumed_tail
                if inflate.eof:
                    waiting, inflate = inflate.unused_data, None
                if data:
                    yield data
        while inflate is not None and (data := inflate.decompress(b"", BLOCK)):
            yield data
    except zlib.error as error:
        raise FileError(path, None, f"corrupt gzip: {error}") from None
    if inflate is not None and not inflate.eof:
        raise FileError(path, None, "truncated gzip: the file ends before its content does")


def _recode(chunks: Iterator[bytes], path: str, encoding: str) -> Iterator[bytes]:
    """UTF-8 without a byte order mark, from whatever `encoding` says."""
    first = next(chunks, b"")
    try:
        plain = codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        raise FileError(path, None, f"no such encoding: {encoding}") from None
    if plain:
        if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise FileError(path, 1, "UTF-16 text: save it as UTF-8 or say --encoding utf-16")
        yield from _chain(first.removeprefix(codecs.BOM_UTF8), chunks)
        return
    try:
        decoder = codecs.getincrementaldecoder(encoding)()
        for chunk in _chain(first, chunks):
            yield decoder.decode(chunk).removeprefix("\ufeff").encode()
        yield decoder.decode(b"", final=True).encode()
    except (UnicodeError, LookupError) as error:
        raise FileError(path, None, f"is not {encoding}: {error}") from None


def shown(path: str | os.PathLike[str]) -> str:
    """The path as messages name it."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)
