"""Runs that were logged query by query, `.evalrun`: their lines, read and checked, or made.

docs/formats.md has the specification. A line is an object of JSON:

    {"evalrun": 1, "run": "bm25-2", "engine": "bm25", "collection": "cacm", "facts": {"note": "n"}}
    {"qid": "q1", "docs": [["d7", 2.5], ["d9", 1.5]], "ms": 12.5}
    {"facts": {"memory_bytes": 4096}}
    {"ended_at": "2026-11-21T19:37:04+00:00", "queries": 1}
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from evalstore.errors import DataError, did_you_mean
from evalstore.formats import memory
from evalstore.formats.facts.parameters import (
    facts_from_json,
    json_of_facts,
    merged,
    time_from_json,
)
from evalstore.formats.reading import ids
from evalstore.formats.reading.lines import (
    MAX_TEXT_LINE,
    repeated_key,
    tag_of_file,
    tag_of_text,
    unreadable,
)
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.reading.source import (
    ReadOptions,
    blocks,
    path_text,
    printable,
    quoted,
    refuse,
)
from evalstore.formats.registry import Format, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import counted

VERSION = 1
NAMES = ("run", "engine", "collection", "experiment")
KEYS = {
    "evalrun": ("evalrun", *NAMES, "facts"),
    "qid": ("qid", "docs", "ms"),
    "facts": ("facts",),
    "ended_at": ("ended_at", "queries"),
}
"""The keys of each kind of line, by the key that identifies the kind."""

Docs = Mapping[Any, Any] | Iterable[tuple[Any, Any]]


@dataclass(frozen=True)
class Start:
    """The first line: the names that the file gives, by kind (`NAMES`), and facts of the run."""

    names: Mapping[str, str]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Ranking:
    """The answer to a query, by docno; the scores are not checked yet."""

    line: int
    qid: str
    docs: Mapping[str, float]
    milliseconds: float | None = None


@dataclass(frozen=True)
class MoreFacts:
    """Facts that became known later; also the time when the run ended."""

    facts: Mapping[str, Any]
    is_end: bool = False


@dataclass(frozen=True)
class CutOff:
    """The last line without its end: the program ended while it was written."""

    line: int


Record = Start | Ranking | MoreFacts | CutOff


def read_records(path: str, options: ReadOptions) -> Iterator[Record]:
    """Yield the records of the lines of a file; `Start` is the first."""
    first_lines: dict[str, int] = {}
    is_first = True
    for number, line, is_whole in _lines(path, options):
        keys = _object(path, number, line, can_be_cut=not (is_whole or is_first))
        if keys is None:
            yield CutOff(number)
            return
        record = _record(path, number, keys, first_lines)
        if isinstance(record, Start) != is_first:
            refuse(path, number, "one line has the key evalrun, and it is the first")
        is_first = False
        if isinstance(record, Ranking):
            if record.qid in first_lines:
                what = f"query {quoted(record.qid)} stands twice (first on line"
                refuse(path, number, f"{what} {first_lines[record.qid]}); keep one of the two")
            first_lines[record.qid] = number
        yield record
    if is_first:
        refuse(path, None, "no run: the file is empty")


def _lines(path: str, options: ReadOptions) -> Iterator[tuple[int, bytes, bool]]:
    """Of each line that is not blank the number, from 1, the bytes, and whether it has its end."""
    number = 0
    for block in blocks(path, options, max_line=MAX_TEXT_LINE):
        *whole, last = block.split(b"\n")
        for line in whole:
            number += 1
            if line.strip():
                yield number, line, True
        if last.strip():
            yield number + 1, last, False


def _object(path: str, number: int, line: bytes, *, can_be_cut: bool) -> dict[str, Any] | None:
    """The object of a line; None for a line that is cut off."""

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(members)
        if len(keys) < len(members):
            refuse(path, number, f"the key {quoted(repeated_key(members))} stands twice")
        return keys

    if len(line) > MAX_TEXT_LINE:
        refuse(path, number, "the line is longer than 16 MiB")
    try:
        value = json.loads(line.decode(), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        if can_be_cut:
            return None
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else unreadable(error)
        refuse(path, number, f"not JSON ({reason}): one object a line is expected")
    if not isinstance(value, dict):
        refuse(path, number, "not a JSON object: one object a line is expected")
    return value


def _record(path: str, number: int, keys: dict[str, Any], answered: Mapping[str, int]) -> Record:
    kind = next((kind for kind in KEYS if kind in keys), None)
    if kind is None:
        expected = ", ".join(KEYS)
        refuse(path, number, f"a line of a logged run has one of these keys: {expected}")
    for key in keys:
        if key not in KEYS[kind]:
            what = f"a line with {kind} has no key {quoted(key)}"
            refuse(path, number, what + did_you_mean(key, KEYS[kind]))
    try:
        if kind == "evalrun":
            return _start(keys)
        if kind == "qid":
            return _ranking(number, keys)
        if kind == "facts":
            return MoreFacts(facts_from_json(keys["facts"]))
        return _end(keys, len(answered))
    except DataError as error:
        refuse(path, number, str(error))


def _start(keys: Mapping[str, Any]) -> Start:
    version = keys["evalrun"]
    if type(version) is not int or version < 1:
        raise DataError(f"{_shown(version)} is no version of the format")
    if version > VERSION:
        raise DataError(
            f"written by a newer evalstore (version {version} of the format, this one reads "
            f"{VERSION}): install a newer one"
        )
    names = {kind: keys[kind] for kind in NAMES if kind in keys}
    for kind, name in names.items():
        if not isinstance(name, str) or not name.strip():
            raise DataError(f"the name of the {kind} is a text, not {_shown(name)}")
    return Start(names, facts_from_json(keys.get("facts", {})))


def _ranking(number: int, keys: Mapping[str, Any]) -> Ranking:
    qid = valid_id(keys["qid"], "query id")
    docs = keys.get("docs")
    if not isinstance(docs, list):
        raise DataError(f"query {quoted(qid)}: docs is a list of [docno, score]")
    return Ranking(number, qid, unique_docs(qid, docs), _milliseconds(qid, keys.get("ms")))


def _end(keys: Mapping[str, Any], answered: int) -> MoreFacts:
    queries = keys.get("queries", answered)
    if type(queries) is not int or queries != answered:
        raise DataError(
            f"the run ended with {_shown(queries)} queries, and {answered:,} are here: "
            "lines were lost, get a whole copy"
        )
    return MoreFacts({"ended_at": time_from_json("ended_at", keys["ended_at"])}, is_end=True)


def unique_docs(qid: str, docs: Iterable[Any]) -> dict[Any, Any]:
    """Scores by docno, from pairs of the two."""
    scores: dict[Any, Any] = {}
    count = 0
    try:
        for pair in docs:
            if isinstance(pair, str):  # two letters are no pair
                raise TypeError
            docno, score = pair
            scores[docno] = score
            count += 1
            if len(scores) < count:
                what = f"document {quoted(str(docno))} stands twice; keep one of the two"
                raise DataError(f"query {quoted(qid)}: {what}")
    except (TypeError, ValueError):
        raise DataError(f"query {quoted(qid)}: docs are pairs of a docno and a score") from None
    return scores


def _milliseconds(qid: str, value: object) -> float | None:
    if value is None:
        return None
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)  # type: ignore[arg-type]  # TypeError is caught
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise DataError(f"query {quoted(qid)}: {_shown(value)} is no number of milliseconds")
    return number


def _shown(value: object) -> str:
    return printable(quoted(repr(value))[1:-1])


# Writing


def start_line(names: Mapping[str, str], facts: Mapping[str, Any]) -> bytes:
    """The first line of a file."""
    return _line({"evalrun": VERSION, **names, "facts": json_of_facts(facts)})


def ranking_of(name: str, query: object, docs: Docs, milliseconds: object = None) -> Ranking:
    """Check the documents logged for one query; the best document first, `line` is 0.

    `docs` are scores by docno, or pairs of the two; `name` is the run in messages.
    """
    qid = valid_id(query, "query id", f"{printable(name)}: ")
    try:
        scores = docs if isinstance(docs, Mapping) else unique_docs(qid, docs)
        time = _milliseconds(qid, milliseconds)
    except DataError as error:
        _refuse(name, str(error))
    numbers = memory.checked({qid: scores}, "run", name)[qid]
    for docno, score in numbers.items():
        if not math.isfinite(score):
            what = f"document {quoted(docno)}: score {score} is not a finite number"
            _refuse(f"{name}, query {quoted(qid)}", what)
    ranked = sorted(numbers.items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
    return Ranking(0, qid, dict(ranked), time)


def ranking_line(name: str, ranking: Ranking) -> bytes:
    """The line of an answer."""
    time = {} if ranking.milliseconds is None else {"ms": ranking.milliseconds}
    line = _line({"qid": ranking.qid, "docs": [*map(list, ranking.docs.items())], **time})
    if len(line) > MAX_TEXT_LINE:
        _refuse(name, f"query {quoted(ranking.qid)}: more than 16 MiB of documents; log fewer")
    return line


def facts_line(facts: Mapping[str, Any]) -> bytes:
    """The line of facts that became known later."""
    return _line({"facts": json_of_facts(facts)})


def end_line(ended_at: str, queries: int) -> bytes:
    """The last line of a run, with the time in ISO 8601 and the number of queries logged."""
    return _line({"ended_at": ended_at, "queries": queries})


def _line(keys: Mapping[str, Any]) -> bytes:
    """A line of ASCII, so that one that is cut off breaks no character."""
    return json.dumps(keys, allow_nan=False).encode() + b"\n"


def _refuse(name: str, what: str) -> NoReturn:
    raise DataError(f"{printable(name)}: {what}")


DOCUMENTS = 200_000
"""Documents to put into arrays together: dictionaries of them take ten times the memory."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a logged run with its names, facts and times; its tag is the engine's name."""
    options = options or ReadOptions()
    start, facts = Start({}, {}), dict[str, Any]()
    waiting: list[Ranking] = []
    parts: list[Run] = []
    times: dict[str, float] = {}
    queries = documents = 0
    record: Record | None = None
    for record in read_records(path, options):
        if isinstance(record, Start):
            start, facts = record, dict(record.facts)
        elif isinstance(record, MoreFacts):
            try:
                facts = merged(facts, record.facts)
            except DataError as error:
                refuse(path, None, str(error))
        elif isinstance(record, Ranking):
            queries += 1
            documents += len(record.docs)
            waiting.append(record)
            if record.milliseconds is not None:
                times[record.qid] = record.milliseconds
            if documents >= DOCUMENTS or len(waiting) >= DOCUMENTS:
                parts.extend(_part(path, waiting))
                waiting, documents = [], 0
    parts.extend(_part(path, waiting))
    warnings = _unfinished(path, record, queries, options)
    if not parts:
        refuse(path, None, "no documents: a run is expected")
    engine = start.names.get("engine")
    run = _joined(parts)
    return replace(
        run,
        tag=tag_of_text(engine) if engine else tag_of_file(path),
        warnings=warnings,
        facts=facts,
        times=times,
        names=start.names,
    )


def _unfinished(
    path: str, last: Record | None, queries: int, options: ReadOptions
) -> tuple[str, ...]:
    """Warnings of a run that has not ended, if `options` take such a run."""
    if isinstance(last, MoreFacts) and last.is_end:
        return ()
    what = f"the run has not ended, with {counted(queries, 'query')} so far"
    if not options.unfinished:
        what += "; resume it, or read it as it is"
        refuse(path, None, what, problem="unfinished run")
    cut = f"{path_text(path)}:{last.line}: the line is cut off" if isinstance(last, CutOff) else ""
    return (*([f"{cut}; it is left out"] if cut else []), f"{path_text(path)}: {what}")


def _part(path: str, rankings: Sequence[Ranking]) -> list[Run]:
    """Some rankings as one run; none if no query has a document."""
    answered = [ranking for ranking in rankings if ranking.docs]
    if not answered:
        return []
    name = path_text(path)
    try:
        return [Run.from_dict({ranking.qid: ranking.docs for ranking in answered}, name=name)]
    except DataError:
        for ranking in answered:  # which one it is
            try:
                Run.from_dict({ranking.qid: ranking.docs}, name=name)
            except DataError as error:
                refuse(path, ranking.line, str(error).removeprefix(name).lstrip(",: "))
        raise


def _joined(parts: Sequence[Run]) -> Run:
    sizes = np.array([len(part.scores) for part in parts], np.int64)
    firsts = np.cumsum(sizes) - sizes
    starts = np.concatenate(
        [part.starts + first for part, first in zip(parts, firsts.tolist(), strict=True)]
    )
    lengths = np.concatenate([part.lengths for part in parts])
    qids = [qid for part in parts for qid in part.qids]
    order = sorted(range(len(qids)), key=lambda number: qids[number].encode())
    return Run(
        path=parts[0].path,
        tag=parts[0].tag,
        qids=tuple(qids[number] for number in order),
        starts=starts[order],
        lengths=lengths[order],
        docnos=ids.concatenated(part.docnos for part in parts),
        scores=np.concatenate([part.scores for part in parts]),
    )


EVALRUN: Format[Run] = Format(
    name="evalrun",
    title="run that was logged from code, query by query",
    content="run",
    extensions=(".evalrun",),
    example='{"evalrun": 1, "engine": "bm25", "facts": {"parameters": {"k1": 0.9}}}\n'
    '{"qid": "q1", "docs": [["d7", 2.5], ["d9", 1.5]], "ms": 12.5}\n'
    '{"qid": "q2", "docs": [["d7", 3.25]]}\n'
    '{"ended_at": "2026-11-21T19:37:04+00:00", "queries": 2}\n',
    recognise=recognise_if(
        re.compile(r'\s*\{\s*"evalrun"\s*:').match,
        "JSON lines, the first with the key evalrun",
        certain=True,
    ),
    read=read_run,
)
