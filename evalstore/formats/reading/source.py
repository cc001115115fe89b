"""From a path to blocks of whole lines: plain, gzip or lz4 by content, encodings, limits.

Only a few blocks are in memory at a time for any file: sizes declared in it are not used, and
reading stops at a line that is too long.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, NoReturn

from evalstore.errors import FileError, Problem
from evalstore.formats.reading.paths import is_url, shown_path
from evalstore.formats.reading.remote import NO_MATCH, chunks, is_pattern

MAX_LINE = 64 << 10
GZIP_MAGIC = b"\x1f\x8b"
LZ4_MAGIC = b"\x04\x22\x4d\x18"
ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
PACKED_PIECE = 256 << 10
"""Bytes of packed data given to zlib in one call: it copies those that it has not yet unpacked."""


class DamagedFileError(FileError):
    """An archive is truncated or corrupt: the data read from it may not be what was packed."""


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file.

    Attributes:
        encoding: of the text; everything but UTF-8 is recoded.
        max_bytes: the most that a file may hold once unpacked.
        threads: number of threads that parse a file of several blocks.
        block: bytes that are read and parsed at a time (whole lines of about as many).
        rows_at_once: a run file of more rows is read in parts of this many rows, if its reader can;
            each further time a quarter of them.
        careful: take the careful path for every block (for tests: the result is the same).
        formats: names of formats (`registry`): a file is read as one of them with the content that
            is wanted; otherwise its content decides.
        maps: mappings of fields (`json.mapped`): with a grade for judgments, else for runs. They
            come before formats.
        query_ids: by the text of a query, the ids of all queries with this text
            (`queries.ids_by_text`); None if the texts are not known. Files that name queries by
            their texts need them.
        docnos: reads the docnos by the texts of documents (tidy); None if these are not known.
        judged_by: the model that made the judgments (`facts.judged_by`): those that are no grades
            are then left out, and counted; None for judgments of people.
        unfinished: whether a run that was logged and has not ended is read as it is.
        is_known: whether a file is one run that is stored, which is then not opened to list its
            runs; None if unknown.
    """

    encoding: str = "utf-8"
    max_bytes: int = 16 << 30
    threads: int = 2
    block: int = 4 << 20
    rows_at_once: int = 8 << 20
    careful: bool = False
    formats: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    query_ids: Mapping[str, tuple[str, ...]] | None = None
    docnos: Callable[[], Mapping[str, str]] | None = None
    judged_by: Mapping[str, object] | None = None
    unfinished: bool = False
    is_known: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        if self.threads < 1 or self.block < 1:
            raise ValueError("threads and block are at least 1")


def blocks(
    path: str, options: ReadOptions, *, max_line: int = MAX_LINE
) -> Generator[bytes, None, None]:
    """Yield the unpacked content of a file in blocks that end at line ends (the last may not).

    `-` is standard input. A byte order mark is dropped; other encodings than UTF-8 are recoded to
    it. A block of over `max_line` bytes without a line end is yielded as it is and ends the
    reading: the check of the lines then reports it. An empty file yields nothing. Data read before
    an error is yielded before the error is raised, so that the first fault of the file is reported.
    """
    with ExitStack() as stack:
        if is_url(path):
            raw = _joined(stack.enter_context(closing(chunks(path))), options.block)
        else:
            raw = _chunks(_open(path, stack), path, options.block)
        decoded = _recode(_unpack(raw, path, options), path, options.encoding)
        rest = b""
        failure: FileError | None = None
        while True:
            try:
                chunk = next(decoded, None)
            except FileError as error:
                failure, chunk = error, None
            if chunk is None:
                break
            end = chunk.rfind(b"\n") + 1
            if end == len(chunk) and not rest:  # nothing to be joined: as most files end
                yield chunk
            elif end:
                yield b"".join((rest, memoryview(chunk)[:end]))
                rest = chunk[end:]
            else:
                rest += chunk
            if len(rest) > max_line + 1:
                yield rest
                return
        if failure:
            raise failure
        if rest:
            yield rest


def beginning(path: str, options: ReadOptions, size: int = 64 << 10) -> str:
    """About the first `size` bytes of a file, unpacked and decoded, in whole lines if possible.

    Bytes that are not UTF-8 become lone surrogates. Standard input gives the bytes that have
    arrived, and can still be read afterwards. Empty if the file can't be read (reading it reports
    why), or can be read only once, as a named pipe; a URL that can't be read raises a FileError.
    """
    if path == "-":
        return _arrived(options, size)
    if not os.path.isfile(path) and not is_url(path):
        return ""
    short = replace(options, block=size, max_bytes=max(options.max_bytes, size))
    with closing(blocks(path, short, max_line=size)) as content:
        try:
            return next(content, b"").decode(errors="surrogateescape")
        except FileError:
            if is_url(path):  # reading it would fail the same way, after all attempts once more
                raise
            return ""


def _arrived(options: ReadOptions, size: int) -> str:
    """The first bytes of standard input, unpacked and decoded; it is not read further for them."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    if peek is None:
        return ""
    try:
        data = peek(1)[:size]
        if data.startswith(GZIP_MAGIC):
            data = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, size)
        text: str = data.removeprefix(codecs.BOM_UTF8).decode(options.encoding, "replace")
    except (OSError, ValueError, LookupError, zlib.error):
        return ""
    return text[: text.rfind("\n") + 1] or text  # whole lines if there are any


def _open(path: str, stack: ExitStack) -> BinaryIO:
    if path == "-":
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None or stream.closed:
            refuse(path, None, "there is no standard input to read")
        return stream  # type: ignore[no-any-return]  # what getattr gives has no type
    try:
        return stack.enter_context(open(path, "rb", buffering=0))
    except OSError as error:
        missing = isinstance(error, FileNotFoundError) and is_pattern(path)
        refuse(path, None, NO_MATCH if missing else reason(error))
    except ValueError:  # a NUL in the path
        refuse(path, None, "no such file or directory")


def _joined(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in chunks of at least `size`: a network gives smaller ones."""
    waiting, count = [], 0
    for chunk in chunks:
        waiting.append(chunk)
        count += len(chunk)
        if count >= size:
            yield b"".join(waiting)
            waiting, count = [], 0
    if waiting:
        yield b"".join(waiting)


def reason(error: OSError) -> str:
    """The cause of an error of the operating system, in messages."""
    return (error.strerror or str(error)).lower()


def _chunks(stream: BinaryIO, path: str, size: int) -> Iterator[bytes]:
    try:
        while piece := stream.read(size):
            yield piece
    except (OSError, ValueError) as error:
        refuse(path, None, reason(error) if isinstance(error, OSError) else str(error))


def _headed(chunks: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first `size` bytes (fewer only if there are no more), and all chunks again."""
    taken = b""
    for chunk in chunks:
        taken += chunk
        if len(taken) >= size:
            break
    return taken[:size], chain((taken,) if taken else (), chunks)


def _unpack(chunks: Iterator[bytes], path: str, options: ReadOptions) -> Iterator[bytes]:
    """Unpack gzip or lz4 if the content begins so, and hold the total to `max_bytes`."""
    head, chunks = _headed(chunks, 6)
    packed = head.startswith((GZIP_MAGIC, LZ4_MAGIC))
    if head.startswith(GZIP_MAGIC):
        head, chunks = _headed(_gunzip(chunks, path, max(options.block, 512)), 6)
    elif packed:
        head, chunks = _headed(_unlz4(chunks, path, options), 6)
        if head.startswith(LZ4_MAGIC):  # ranx packs twice
            head, chunks = _headed(_unlz4(chunks, path, options), 6)
    if head.startswith((GZIP_MAGIC, LZ4_MAGIC)):
        refuse(path, None, "packed several times: unpack it once, then try again")
    for magic, name in ARCHIVES.items():
        if head.startswith(magic):
            what = f"this is {name}, which is not read: unpack it, or pack it with gzip"
            refuse(path, None, what)
    yield from _limited(chunks, path, options, " once unpacked" if packed else "")


def _limited(
    chunks: Iterator[bytes], path: str, options: ReadOptions, of_which: str
) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > options.max_bytes:
            size = f"more than {options.max_bytes:,} bytes{of_which}"
            refuse(path, None, f"{size}; the limit can be raised")
        yield chunk


def _gunzip(chunks: Iterator[bytes], path: str, size: int) -> Iterator[bytes]:
    """The content of all gzip members, in pieces of at most `size` bytes."""
    inflate: zlib._Decompress | None = None
    try:
        for chunk in _pieces(chunks, PACKED_PIECE):
            waiting = chunk
            while waiting:
                if inflate is None:
                    # Some archives end with zero padding, as written to tapes.
                    waiting = waiting.lstrip(b"\0")
                    if not waiting:
                        break
                    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
                data = inflate.decompress(waiting, size)
                waiting = inflate.unconsumed_tail
                if inflate.eof:
                    waiting, inflate = inflate.unused_data, None
                if data:
                    yield data
            while inflate is not None and (data := inflate.decompress(b"", size)):
                yield data
            if inflate is not None and inflate.eof:
                inflate = None
    except zlib.error as error:
        raise DamagedFileError(
            path_text(path), None, f"corrupt gzip ({error}): get a whole copy"
        ) from None
    if inflate is not None:
        what = "truncated gzip, the file ends before its content does: get a whole copy"
        raise DamagedFileError(path_text(path), None, what)


class _Stream(io.RawIOBase):
    """Chunks of bytes as a file that can be read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._rest))
        target[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _unlz4(chunks: Iterator[bytes], path: str, options: ReadOptions) -> Iterator[bytes]:
    """The content of lz4 frames, in pieces; at most `max_bytes`, also of data packed twice."""
    import pyarrow as pa  # noqa: PLC0415  (loaded only for such a file)

    size = max(min(options.block, 1 << 20), 512)
    try:
        with pa.CompressedInputStream(pa.PythonFile(_Stream(chunks), "r"), "lz4") as stream:
            pieces = iter(partial(stream.read, size), b"")
            yield from _limited(pieces, path, options, " once unpacked")
    except OSError as error:
        raise DamagedFileError(
            path_text(path), None, f"corrupt lz4 ({error}): get a whole copy"
        ) from None


def _pieces(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for at in range(0, len(chunk), size):
            yield chunk[at : at + size]


def _recode(chunks: Iterator[bytes], path: str, encoding: str) -> Iterator[bytes]:
    """UTF-8 without a byte order mark, from `encoding`."""
    head, chunks = _headed(chunks, 3)
    try:
        b"x".decode(encoding, "ignore")  # refuses codecs that are none of text
        name = codecs.lookup(encoding).name
        decoder = codecs.getincrementaldecoder(encoding)()
    except (LookupError, ValueError):
        refuse(path, None, f"no such encoding: {encoding!r}")
    if name in ("utf-8", "utf-8-sig"):
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            refuse(path, 1, "UTF-16 text: save it as UTF-8, or give its encoding as utf-16")
        first = next(chunks, b"").removeprefix(codecs.BOM_UTF8)
        yield from chain((first,) if first else (), chunks)
        return
    line, mark = 1, "\ufeff"
    try:
        for chunk in chain(chunks, (None,)):
            text = decoder.decode(chunk or b"", final=chunk is None)
            if text:
                yield text.removeprefix(mark).encode()
                mark = ""
                line += text.count("\n")
    except UnicodeDecodeError as error:
        line += error.object[: error.start].decode(encoding, "ignore").count("\n")
        refuse(path, line, f"not {name}: {error.reason}")
    except UnicodeError as error:
        refuse(path, line, f"not {name}: {error}")


def refuse(path: str, line: int | None, what: str, *, problem: Problem | None = None) -> NoReturn:
    """Raise the FileError of a line, or of a whole file."""
    raise FileError(path_text(path), line, what, problem=problem) from None


def path_text(path: str | os.PathLike[str]) -> str:
    """A path in messages: safe for terminals, and a URL without passwords and signatures."""
    text = os.fspath(path)
    return "<stdin>" if text == "-" else printable(shown_path(text))


def printable(text: str) -> str:
    """The text with its unprintable characters (controls, lone surrogates, ...) escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def quoted(text: str, limit: int = 60) -> str:
    """A word of a file in messages: escaped, and cut if it is long."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}..."


# Lists of paths in a file: one on each line, or separated by NUL as `find -print0` writes them

LARGEST_LIST = 64 << 20
"""Bytes of a list: several hundred thousand paths."""


class ListedPath(NamedTuple):
    """A path of a list, and the number of its line (of its entry, if NUL separates them)."""

    path: str
    line: int


def read_path_list(file: str) -> list[ListedPath]:
    """The paths in a list, in its order; `-` is standard input. Empty lines are left out.

    A path is taken as it is: a blank at its end belongs to it, and a pattern is not expanded. A
    line `-` and a list of more than 64 MiB are refused.
    """
    options = ReadOptions(max_bytes=LARGEST_LIST)
    content = b"".join(blocks(file, options, max_line=LARGEST_LIST)).removeprefix(codecs.BOM_UTF8)
    lines = content.split(b"\0") if b"\0" in content else content.split(b"\n")
    texts = (os.fsdecode(line.removesuffix(b"\r")) for line in lines)
    paths = [ListedPath(text, number) for number, text in enumerate(texts, 1) if text.strip()]
    if not paths:
        refuse(file, None, "no path in this list")
    for path, number in paths:
        if path == "-":
            what = "- is standard input, which a list can't name; a file of this name is ./-"
            refuse(file, number, what)
    return paths
