"""JSON files that are read as a whole: an object of objects, by query and document.

What ranx packs is the same object in CBOR, and is read like it.

A key that stands twice in an object is refused. Numbers and ids are checked as those of
dictionaries in memory are (`dicts`), so that messages name query and document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, NoReturn

from evalstore.errors import DataError, FileError
from evalstore.formats.json import cbor
from evalstore.formats.lines import unreadable
from evalstore.formats.lists import List
from evalstore.formats.registry import Recognised
from evalstore.formats.source import ReadOptions, blocks, path_text, quoted

MAX_JSON = 512 << 20
"""The most bytes of a JSON file: all of it is in memory at once, several times as large."""

STRING = r'"(?:[^"\\]|\\.)*"'
EMPTY_QUERIES = rf"(?:{STRING}\s*:\s*\{{\s*\}}\s*,\s*)*"
DICTIONARY = re.compile(rf"\s*\{{\s*{EMPTY_QUERIES}{STRING}\s*:\s*\{{\s*{STRING}\s*:\s*([^\s])")
"""The first letter of the first value of the first object in an object."""

BEIR_MEASURES = {"ndcg", "map", "recall", "precision", "mrr", "recall_cap", "hole", "accuracy"}


class _Repeating(dict[str, Any]):
    """An object in which a key stands twice."""

    def __init__(self, members: Mapping[str, Any], repeated: str) -> None:
        super().__init__(members)
        self.repeated = repeated


def first_value_in(head: str) -> str | None:
    """The first character of the first value two objects deep; None where a file is otherwise.

    Of CBOR it is the one that JSON would have.
    """
    data = head.encode(errors="surrogateescape")
    if cbor.is_map(data):
        return cbor.first_value(data)
    match = DICTIONARY.match(head)
    return match[1] if match else None


def recognise_numbers(head: str) -> Recognised | None:
    """An object of objects of numbers: a run or judgments, which nothing tells apart."""
    value = first_value_in(head)
    if value is None or value in "{[":
        return None
    return Recognised(False, "a JSON object of objects of numbers")


def read_object(path: str, options: ReadOptions) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises:
        FileError: as `read_json`, or it holds something else.
    """
    value = read_json(path, options, _object)
    if not isinstance(value, dict):
        raise FileError(path_text(path), None, "a JSON object is expected, not a list or a value")
    return value


def read_json(
    path: str, options: ReadOptions, made: Callable[[Sequence[tuple[str, Any]]], dict[str, Any]]
) -> Any:
    """What a JSON file holds.

    Args:
        path: the file.
        options: how to read it.
        made: given the keys and values of an object, what it becomes.

    Raises:
        FileError: it is no JSON, with the line; or holds more than 512 MiB.
    """
    pieces, total = [], 0
    large = replace(options, block=max(options.block, 32 << 20))
    for piece in blocks(path, large, max_line=MAX_JSON):
        total += len(piece)
        if total > MAX_JSON:
            what = f"more than {MAX_JSON:,} bytes of JSON, which is held in memory"
            raise FileError(path_text(path), None, f"{what}: give it as TREC lines")
        pieces.append(piece)
    data = b"".join(pieces)
    try:
        if cbor.is_map(data):
            return cbor.decode(path, data, made)
        return json.loads(data.decode(), object_pairs_hook=made)
    except json.JSONDecodeError as error:
        what = f"not JSON ({error.msg}, column {error.colno:,})"
        raise FileError(path_text(path), error.lineno, what) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        what = "not UTF-8: recode the file, or give its encoding"
        raise FileError(path_text(path), line, what) from None
    except (RecursionError, ValueError) as error:  # or a whole number of thousands of digits
        raise FileError(path_text(path), None, f"not JSON ({unreadable(error)})") from None


def write_object(lists: Iterable[List], stream: BinaryIO, *, whole: bool) -> None:
    """Write `{qid: {docno: score or grade}}`, a query a line.

    Args:
        lists: the queries.
        stream: is written as UTF-8.
        whole: whether whole numbers are written without a point, as other programs want grades;
            scores have one.
    """
    end = "{"
    for qid, docnos, values in lists:
        numbers = map(_whole, values) if whole else values
        documents = json.dumps(dict(zip(docnos, numbers, strict=True)), ensure_ascii=False)
        stream.write(f"{end}{json.dumps(qid, ensure_ascii=False)}: {documents}".encode())
        end = ",\n"
    stream.write(b"}")


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def _object(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(members)
    if len(unique) == len(members):
        return unique
    keys = set()
    for key, _ in members:
        if key in keys:
            return _Repeating(unique, key)
        keys.add(key)
    return unique


def checked_objects(path: str, queries: Mapping[str, Any], value: str) -> Mapping[str, Any]:
    """Objects in an object, as they are, when no key is repeated and each holds plain values.

    Args:
        path: the file, for messages.
        queries: by query id.
        value: what the inner objects hold for each document.

    Raises:
        DataError: what is wrong, with its keys.
    """
    check_unique_keys(path, queries, "query")
    for qid, documents in queries.items():
        if not isinstance(documents, Mapping):
            _refuse(path, qid, f"expected an object of documents, {{docno: {value}}}")
        check_unique_keys(f"{path}, query {quoted(qid)}", documents, "document")
        for docno, number in documents.items():
            if isinstance(number, Mapping):
                _refuse(path, qid, f"{quoted(docno)} holds an object, not a {value}")
            break
    if queries and queries.keys() <= BEIR_MEASURES and "@" in next(iter(_names(queries)), ""):
        raise DataError(
            f"{path_text(path)}: this looks like the averages of measures that BEIR writes, not a "
            "run: give the run itself"
        )
    return queries


def _names(queries: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    return (name for inner in queries.values() for name in inner)


def check_unique_keys(where: str, members: Mapping[str, Any], kind: str) -> None:
    """Refuse an object in which a key stands twice.

    Raises:
        DataError: the key, after `where`; `kind` is what the keys name.
    """
    if isinstance(members, _Repeating):
        path = path_text(where)
        raise DataError(f"{path}: {kind} {quoted(members.repeated)} stands twice; keep one")


def _refuse(path: str, qid: str, what: str) -> NoReturn:
    raise DataError(f"{path_text(path)}, query {quoted(qid)}: {what}")
