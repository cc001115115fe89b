"""Lines of text, numbered and decoded, with the ids and texts in them; writing files; run names."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path, PurePath
from typing import Any, BinaryIO, cast

import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.reading import ids
from evalstore.formats.reading.paths import file_name, is_url
from evalstore.formats.reading.source import ReadOptions, blocks, quoted, reason, refuse
from evalstore.formats.trec.columns import MAX_ID

Lines = Iterator[tuple[int, str]]
"""The number (from 1) and the text of each line that is not blank."""

MAX_TEXT_LINE = 16 << 20
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""All control characters but tab and line feed; texts may hold them."""
BLANKS = " \t\r\n"


def unreadable(error: ValueError | RecursionError) -> str:
    """The reason why a parser (of JSON, YAML or TOML) can't read a text."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, RecursionError):
        return "nested too deep"
    return "a value out of range"


def numbered_lines(path: str, options: ReadOptions) -> Lines:
    """Yield the number (from 1) and the text of every line that is not blank."""
    number = 0
    for block in blocks(path, options, max_line=MAX_TEXT_LINE):
        for line in block.split(b"\n")[: None if block[-1:] != b"\n" else -1]:
            number += 1
            if len(line) > MAX_TEXT_LINE:
                refuse(path, number, "the line is longer than 16 MiB; is this a text file?")
            if b"\0" in line:
                refuse(path, number, "a NUL byte: this is not a text file, or it is UTF-16")
            try:
                text = line.decode().removesuffix("\r")
            except UnicodeDecodeError:
                refuse(path, number, "not UTF-8: recode the file, or give its encoding")
            if "\r" in text:
                what = "a carriage return without a line feed"
                refuse(path, number, f"{what}: save the file with Unix or Windows line ends")
            if text.strip(BLANKS):
                yield number, text


def first_line(path: str, options: ReadOptions, content: str) -> tuple[tuple[int, str], Lines]:
    """The first line of a file that is not blank, and all such lines, the first included."""
    lines = numbered_lines(path, options)
    first = next(lines, None)
    if first is None:
        refuse(path, None, f"no {content}: the file is empty")
    return first, chain((first,), lines)


def json_object(
    path: str,
    line: int,
    text: str,
    made: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The object of a line of JSON; `made` makes objects of their keys and values."""
    try:
        value = json.loads(text, object_pairs_hook=made)
    except (ValueError, RecursionError) as error:
        refuse(path, line, f"not JSON ({unreadable(error)}): one object a line is expected")
    if not isinstance(value, dict):
        refuse(path, line, "not a JSON object: one object a line is expected")
    return cast(dict[str, Any], value)


def repeated_key(members: Sequence[tuple[str, object]]) -> str:
    """The first key that is repeated in a JSON object; empty if none is."""
    seen: set[str] = set()
    for key, _ in members:
        if key in seen:
            return key
        seen.add(key)
    return ""


def named(keys: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first text or whole number among some names of a JSON object."""
    name = name_of(keys, names)
    return None if name is None else str(keys[name])


def name_of(keys: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    """The first of some names with a text or a whole number in a JSON object."""
    for name in names:
        value = keys.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return name
    return None


def checked_id(path: str, line: int, what: str, text: str | None, names: str) -> str:
    """An id without the blanks around it; refused if no run or qrels could name it."""
    word = (text or "").strip(BLANKS)
    if not word:
        refuse(path, line, f"no {what}: {names}")
    if any(blank in word for blank in BLANKS) or CONTROLS.search(word):
        refuse(path, line, f"{what} {quoted(word)} holds blanks or control characters")
    if len(word.encode()) > MAX_ID:
        refuse(path, line, f"a {what} of more than 1,024 bytes")
    return word


def tidy(text: str) -> str:
    """A text without the blanks around it, control characters in it made spaces."""
    return CONTROLS.sub(" ", text).strip()


def id_and_word(
    path: str, options: ReadOptions | None, columns: str
) -> Iterator[tuple[int, str, str]]:
    """Yield line, query id and the other word of every line of two `columns` that is no comment."""
    empty = True
    for line, text in numbered_lines(path, options or ReadOptions()):
        if text.lstrip().startswith("#"):
            continue
        words = [word for word in text.strip(" \t").replace("\t", " ").split(" ") if word]
        if len(words) != 2:
            refuse(path, line, f"expected 2 columns ({columns}), found {len(words)}")
        empty = False
        yield line, checked_id(path, line, "query id", words[0], "a query id"), words[1]
    if empty:
        refuse(path, None, f"no lines of {columns}")


# Files that formats write: complete or not at all, plain or gzip; numbers and ids as text

BYTE_ORDER_MARK = "\ufeff"


@contextmanager
def opened_for_writing(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; gzip if the name ends in `.gz`.

    It gets its name only when it is complete, and replaces a file of that name. A device or a pipe,
    such as `/dev/stdout`, is written directly. A gzip file holds no time and no name, so that equal
    content gives equal bytes.
    """
    with replacing(Path(path)) as target, target.open("wb") as file:
        if not path.lower().endswith(".gz"):
            yield file
            return
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # it has all of BinaryIO that is used


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """A path to write, which becomes `output` if nothing fails."""
    device = output.exists() and not output.is_file()
    target = output if device else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        yield target
        if not device:
            target.replace(output)
    except BrokenPipeError:
        raise
    except OSError as error:
        refuse(str(output), None, reason(error))
    finally:
        if not device:
            target.unlink(missing_ok=True)


def write_lines(stream: BinaryIO, pieces: Iterable[str]) -> None:
    """Write pieces of text that begin with an id, as UTF-8."""
    for number, piece in enumerate(pieces):
        if number == 0 and piece.startswith(BYTE_ORDER_MARK):
            raise DataError(
                f"query id {quoted(piece.split()[0])} begins with a byte order mark, which "
                "readers of this format leave out at the beginning of a file"
            )
        stream.write(piece.encode())


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as CSV: UTF-8, commas between, Unix line ends, quotes around cells that need them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def number_text(number: float) -> str:
    """The fewest digits that are read back as the same number: `1`, `2.5`, `1e-07`."""
    return repr(int(number)) if number == int(number) and abs(number) < 2**53 else repr(number)


def texts(column: pa.Array) -> list[str]:
    """The ids of a column as text."""
    at, flat = ids.offsets_and_bytes(column)
    data = flat[at[0] : at[-1]].tobytes()
    return [data[a:b].decode() for a, b in pairwise((at - at[0]).tolist())]


# The names that files give to runs, and the run tags of formats without tags

KNOWN_SUFFIXES = (
    ".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl", ".parquet", ".evalrun",
)  # fmt: skip
PACKED = (".gz", ".lz4")


def run_name(path: str) -> str:
    """The name of a run from a file: its name without `.gz` or `.lz4`, and one known suffix."""
    last = file_name(path) if is_url(path) else PurePath(path).name
    name = "stdin" if path == "-" else without_packing(last)
    stem, suffix = name[: -len(PurePath(name).suffix) or None], PurePath(name).suffix
    return stem if suffix in KNOWN_SUFFIXES and stem else name


def without_packing(name: str) -> str:
    """The name of a file without the suffix that says how it is packed."""
    return next((name[: -len(end)] for end in PACKED if name.endswith(end)), "") or name


def tag_of_file(path: str) -> str:
    """A run tag for a file whose format has none: the name of the run."""
    return tag_of_text(run_name(path))


def tag_of_text(text: str) -> str:
    """A text as a run tag: `_` for blanks and control characters, cut at the length of ids."""
    word = re.sub(f"[{BLANKS}]|{CONTROLS.pattern}", "_", text)
    return word.encode()[:MAX_ID].decode(errors="ignore") or "run"
