"""JSON files that are read as a whole: an object of objects, by query and document.

What ranx packs is the same object in CBOR, and is read like it. A key that is repeated in an
object is refused. Numbers and ids are checked as those of dictionaries in memory (`memory`), so
that messages name query and document.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, NoReturn

from evalstore.errors import DataError, FileError
from evalstore.formats.lists import List, Lists
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.lines import repeated_key, tag_of_file, tag_of_text, unreadable
from evalstore.formats.reading.source import ReadOptions, blocks, path_text, quoted, refuse
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run

MAX_JSON = 512 << 20
"""The most bytes of a JSON file: all of it is in memory at once, several times as large."""

STRING = r'"(?:[^"\\]|\\.)*"'
EMPTY_QUERIES = rf"(?:{STRING}\s*:\s*\{{\s*\}}\s*,\s*)*"
DICTIONARY = re.compile(rf"\s*\{{\s*{EMPTY_QUERIES}{STRING}\s*:\s*\{{\s*{STRING}\s*:\s*([^\s])")
"""Captures the first letter of the first value of the first object in an object."""

BEIR_MEASURES = {"ndcg", "map", "recall", "precision", "mrr", "recall_cap", "hole", "accuracy"}
Made = Callable[[Sequence[tuple[str, Any]]], dict[str, Any]]
"""Makes an object of its keys and values."""


class _Repeating(dict[str, Any]):
    """An object with a repeated key."""

    def __init__(self, members: Mapping[str, Any], repeated: str) -> None:
        super().__init__(members)
        self.repeated = repeated


def first_value_in(head: str) -> str | None:
    """The first character (in CBOR as in JSON) of the first value two objects deep; else None."""
    data = head.encode(errors="surrogateescape")
    if is_map(data):
        return first_value(data)
    match = DICTIONARY.match(head)
    return match[1] if match else None


def recognise_numbers(head: str) -> Recognised | None:
    """An object of objects of numbers: a run or judgments, which have the same form."""
    value = first_value_in(head)
    if value is None or value in "{[":
        return None
    return Recognised(False, "a JSON object of objects of numbers")


def read_object(path: str, options: ReadOptions) -> dict[str, Any]:
    """The object of a JSON file."""
    value = read_json(path, options, _object)
    if not isinstance(value, dict):
        refuse(path, None, "a JSON object is expected, not a list or a value")
    return value


def read_json(path: str, options: ReadOptions, made: Made) -> Any:
    """The content of a JSON file; `made` makes an object of its keys and values."""
    pieces, total = [], 0
    large = replace(options, block=max(options.block, 32 << 20))
    for piece in blocks(path, large, max_line=MAX_JSON):
        total += len(piece)
        if total > MAX_JSON:
            what = f"more than {MAX_JSON:,} bytes of JSON, which is held in memory"
            refuse(path, None, f"{what}: give it as TREC lines")
        pieces.append(piece)
    data = b"".join(pieces)
    try:
        if is_map(data):
            return decode(path, data, made)
        return json.loads(data.decode(), object_pairs_hook=made)
    except json.JSONDecodeError as error:
        refuse(path, error.lineno, f"not JSON ({error.msg}, column {error.colno:,})")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        refuse(path, line, "not UTF-8: recode the file, or give its encoding")
    except (RecursionError, ValueError) as error:  # or a whole number of thousands of digits
        refuse(path, None, f"not JSON ({unreadable(error)})")


def _write_object(
    lists: Iterable[List], stream: BinaryIO, *, whole: bool, end: bytes = b"}\n"
) -> None:
    """Write `{qid: {docno: score or grade}}`; `whole` writes 1.0 as 1, as others want grades."""
    before = "{"
    for qid, docnos, values in lists:
        numbers = [int(n) if n.is_integer() else n for n in values] if whole else values
        documents = json.dumps(dict(zip(docnos, numbers, strict=True)), ensure_ascii=False)
        stream.write(f"{before}{json.dumps(qid, ensure_ascii=False)}: {documents}".encode())
        before = ",\n"
    stream.write(end)


def _object(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(members)
    return unique if len(unique) == len(members) else _Repeating(unique, repeated_key(members))


def checked_objects(path: str, queries: Mapping[str, Any], value: str) -> Mapping[str, Any]:
    """Objects in an object, if no key is repeated and each holds plain values (a `value` each)."""
    check_unique_keys(path, queries, "query")
    for qid, documents in queries.items():
        if not isinstance(documents, Mapping):
            _refuse(path, qid, f"expected an object of documents, {{docno: {value}}}")
        check_unique_keys(f"{path}, query {quoted(qid)}", documents, "document")
        for docno, number in documents.items():
            if isinstance(number, Mapping):
                _refuse(path, qid, f"{quoted(docno)} holds an object, not a {value}")
            break
    names = (name for inner in queries.values() for name in inner)
    if queries and queries.keys() <= BEIR_MEASURES and "@" in next(names, ""):
        raise DataError(
            f"{path_text(path)}: this looks like the averages of measures that BEIR writes, not a "
            "run: give the run itself"
        )
    return queries


def check_unique_keys(where: str, members: Mapping[str, Any], kind: str) -> None:
    """Refuse an object that repeats a key, which names a `kind`."""
    if isinstance(members, _Repeating):
        path = path_text(where)
        raise DataError(f"{path}: {kind} {quoted(members.repeated)} stands twice; keep one")


def _refuse(path: str, qid: str, what: str) -> NoReturn:
    raise DataError(f"{path_text(path)}, query {quoted(qid)}: {what}")


# CBOR (RFC 8949) as ranx packs a run: maps, texts and numbers; anything else is refused

UNSIGNED, NEGATIVE, TEXT, MAP, SIMPLE = 0, 1, 3, 5, 7
"""The kinds of values, in the first three bits of a byte."""
LENGTHS = {24: ">B", 25: ">H", 26: ">I", 27: ">Q"}
"""The packing of the number that follows, by the last five bits; below 24 they are the number."""
FLOATS = {25: ">e", 26: ">f", 27: ">d"}
DEEPEST = 8


def is_map(data: bytes) -> bool:
    """Whether data begins as a map does: with no byte that begins a text in UTF-8."""
    return data[:1] >= b"\xa0" and data[:1] <= b"\xbb"


def decode(path: str, data: bytes, made: Made) -> Any:
    """The value of a file; `made` makes a map of its keys and values."""
    reader = _Reader(path, data, made)
    value = reader.value(0)
    if reader.at < len(data):
        reader.refuse("more content after the end")
    return value


def first_value(data: bytes) -> str | None:
    """The beginning, in JSON, of the first value two maps deep: `{`, `"` or a digit; else None."""
    reader = _Reader("", data, dict)
    try:
        for _ in range(reader.map_length()):
            reader.text()
            if reader.map_length():
                reader.text()
                kind, detail = divmod(reader.data[reader.at], 32)
                number = kind in (UNSIGNED, NEGATIVE) or (kind == SIMPLE and detail in FLOATS)
                return "0" if number else {MAP: "{", TEXT: '"'}.get(kind)
    except (FileError, IndexError):  # the beginning of a file ends anywhere
        pass
    return None


class _Reader:
    """Data, and the position of the next byte."""

    def __init__(self, path: str, data: bytes, made: Made) -> None:
        self.path = path
        self.data = data
        self.made = made
        self.at = 0

    def value(self, depth: int) -> Any:
        kind, detail = self._head()
        if kind == UNSIGNED:
            return self._number(detail)
        if kind == NEGATIVE:
            return -1 - self._number(detail)
        if kind == TEXT:
            return self._text(detail)
        if kind == SIMPLE and detail in FLOATS:
            return self._unpacked(FLOATS[detail])
        if kind != MAP:
            self.refuse("something else than maps, texts and numbers")
        if depth == DEEPEST:
            self.refuse("maps are nested too deep")
        return self.made(
            [(self.text(), self.value(depth + 1)) for _ in range(self._number(detail))]
        )

    def map_length(self) -> int:
        kind, detail = self._head()
        if kind != MAP:
            self.refuse("a map is expected")
        return self._number(detail)

    def text(self) -> str:
        kind, detail = self._head()
        if kind != TEXT:
            self.refuse("a key that is no text")
        return self._text(detail)

    def refuse(self, what: str) -> NoReturn:
        refuse(self.path, None, f"CBOR, byte {self.at:,}: {what}")

    def _head(self) -> tuple[int, int]:
        """The kind of the next value, and the rest of its first byte."""
        return divmod(self._bytes(1)[0], 32)

    def _number(self, detail: int) -> int:
        if detail < 24:
            return detail
        if detail not in LENGTHS:
            self.refuse("a length that is not given")
        return int(self._unpacked(LENGTHS[detail]))

    def _text(self, detail: int) -> str:
        try:
            return self._bytes(self._number(detail)).decode()
        except UnicodeDecodeError:
            self.refuse("a text that is not UTF-8")

    def _unpacked(self, form: str) -> Any:
        (number,) = struct.unpack(form, self._bytes(struct.calcsize(form)))
        return number

    def _bytes(self, count: int) -> bytes:
        data = self.data[self.at : self.at + count]
        if len(data) < count:
            self.refuse("the file ends before its content does")
        self.at += count
        return data


# Runs as JSON: `{qid: {docno: score}}`, as pytrec_eval, ranx, BEIR and MTEB 1 write them


def read_run_json(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name, and a query without documents is left out."""
    scores = checked_objects(path, read_object(path, options or ReadOptions()), "score")
    return Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))


RUN_JSON: Format[Run] = Format(
    name="run-json",
    title="run as JSON, {qid: {docno: score}}: pytrec_eval, ranx (also .lz4), MTEB 1",
    content="run",
    extensions=(".json",),
    example='{"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"d7": 3.25}}\n',
    recognise=recognise_numbers,
    read=read_run_json,
    writers={".json": lambda run, stream: _write_object(run.lists, stream, whole=False)},
    lost="the run tag",
)


# Runs as JSON without scores: `{qid: [docno, ...]}`, the best first

LISTS = re.compile(rf"\s*\{{\s*{STRING}\s*:\s*\[\s*{STRING}\s*[,\]]")


def read_run_lists(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run without scores: a document gets 1 / rank. Its tag is the file's name."""
    queries = read_object(path, options or ReadOptions())
    check_unique_keys(path, queries, "query")
    scores: dict[str, dict[str, float]] = {}
    for qid, docnos in queries.items():
        if not isinstance(docnos, list) or not all(isinstance(docno, str) for docno in docnos):
            _refuse(path, qid, "expected a list of documents, [docno, ...]")
        scores[qid] = {docno: 1 / rank for rank, docno in enumerate(docnos, 1)}
        if len(scores[qid]) < len(docnos):
            _refuse(path, qid, "a document stands twice; keep one")
    return Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))


RUN_LISTS: Format[Run] = Format(
    name="run-lists",
    title="run as JSON without scores, {qid: [docno, ...]}, the best first",
    content="run",
    extensions=(".json",),
    example='{"q1": ["d7", "d9"], "q2": ["d7"]}\n',
    recognise=lambda head: (
        Recognised(True, "a JSON object of lists of documents") if LISTS.match(head) else None
    ),
    read=read_run_lists,
)


# Judgments as JSON: `{qid: {docno: grade}}`, as pytrec_eval, ranx and BEIR have them


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments; a query without documents is left out."""
    grades = checked_objects(path, read_object(path, options or ReadOptions()), "grade")
    return Qrels.from_dict(grades, name=path_text(path))


QRELS_JSON: Format[Qrels] = Format(
    name="qrels-json",
    title="judgments as JSON, {qid: {docno: grade}}: pytrec_eval, ranx",
    content="qrels",
    extensions=(".json",),
    example='{"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}}\n',
    recognise=recognise_numbers,
    read=read_qrels,
    writers={".json": lambda qrels, stream: _write_object(qrels.lists, stream, whole=True)},
)


# Predictions of MTEB 2: subset > split > query > document > score, with the model's name. MTEB 1
# writes the inner two levels alone, which `RUN_JSON` reads.

META = "mteb_model_meta"
Scores = Mapping[str, Any]


def read_mteb_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read the run of a file of predictions that holds one; its tag is the model's name.

    Model and revision are parameters of the run; a warning names them, the subset and the split.
    """
    meta, runs = _read(path, options)
    if len(runs) != 1:
        several = "; ".join(_words(part) for part in list(runs)[:5]) or "none"
        raise DataError(
            f"{path_text(path)}: one run is expected, and there are {len(runs):,} ({several})",
            problem="several runs" if runs else None,
        )
    [(part, scores)] = runs.items()
    return _run(path, meta, part, scores)


def read_part(path: str, options: ReadOptions | None, part: tuple[str, ...]) -> Run:
    """Read one of the runs of a file, as `read_mteb_run` does."""
    meta, runs = _read(path, options)
    if part not in runs:
        refuse(path, None, f"there is no {_words(part)}")
    return _run(path, meta, part, runs[part])


def _read(path: str, options: ReadOptions | None) -> tuple[object, dict[tuple[str, ...], Scores]]:
    """The model's description, and the runs by subset (not in all releases of MTEB) and split."""
    content = read_object(path, options or ReadOptions())
    meta = content.pop(META, None)
    check_unique_keys(path, content, "subset")
    runs: dict[tuple[str, ...], Scores] = {}
    for name, inner in content.items():
        if not isinstance(inner, Mapping):
            raise DataError(f"{path_text(path)}: {quoted(name)} holds no object of splits")
        if _depth(inner) == 2:
            runs[(name,)] = inner
            continue
        check_unique_keys(f"{path}, subset {quoted(name)}", inner, "split")
        for split, queries in inner.items():
            if not isinstance(queries, Mapping):
                raise DataError(
                    f"{path_text(path)}: split {quoted(split)} of {quoted(name)} holds no object "
                    "of queries"
                )
            runs[name, split] = queries
    return meta, runs


def _run(path: str, meta: object, part: tuple[str, ...], scores: Scores) -> Run:
    model, revision = _text(meta, "model_name"), _text(meta, "revision")
    tag = tag_of_text(model) if model else tag_of_file(path)
    run = Run.from_dict(checked_objects(path, scores, "score"), name=path_text(path), tag=tag)
    note = (
        f"{path_text(path)}: {_words(part)}, model {quoted(model) if model else 'unknown'}, "
        f"revision {quoted(revision) if revision else 'unknown'}"
    )
    given = {"model": model, "revision": revision}
    parameters = {name: value for name, value in given.items() if value}
    return replace(run, warnings=(*run.warnings, note), facts={"parameters": parameters})


def _words(part: tuple[str, ...]) -> str:
    names = ("subset", "split")[-len(part) :]
    return ", ".join(f"{name} {quoted(key)}" for name, key in zip(names, part, strict=True))


def _depth(value: object) -> int:
    """The number of levels of objects below the first key that holds something."""
    depth = 0
    while isinstance(value, Mapping):
        depth += 1
        value = next((inner for inner in value.values() if inner != {}), None)
    return depth


def _text(meta: object, key: str) -> str:
    value = meta.get(key) if isinstance(meta, Mapping) else None
    return value if isinstance(value, str) else ""


def write_mteb_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run as the split `test` of the subset `default`.

    Model (else the run tag) and revision (else null) are the parameters of these names.
    """
    model, revision = _text(run.parameters, "model"), _text(run.parameters, "revision")
    meta = {"model_name": model or run.tag, "revision": revision or None}
    stream.write(f'{{"{META}": {json.dumps(meta, ensure_ascii=False)},\n'.encode())
    stream.write(b'"default": {"test": ')
    _write_object(run.lists, stream, whole=False, end=b"}}}\n")


def _recognise(head: str) -> Recognised | None:
    if first_value_in(head) == "{":
        return Recognised(False, "a JSON object of objects of objects")
    if f'"{META}"' in head and head.lstrip().startswith("{"):
        return Recognised(True, f"a JSON object with the key {META}")
    return None


MTEB_PREDICTIONS: Format[Run] = Format(
    name="mteb-predictions",
    title="predictions of MTEB 2: subset, split, query, document and score",
    content="run",
    extensions=(".json",),
    example='{"mteb_model_meta": {"model_name": "m", "revision": "r"}, '
    '"default": {"test": {"q1": {"d7": 0.75, "d9": 0.5}}}}\n',
    recognise=_recognise,
    read=read_mteb_run,
    parts=lambda path, options: tuple(_read(path, options)[1]),
    read_part=read_part,
    writers={"": write_mteb_run},
    lost="the run tag where there is a parameter model",
)
