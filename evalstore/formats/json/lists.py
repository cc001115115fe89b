"""JSON in which rankings and judgments are lists of objects, one for each document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from evalstore.errors import DataError
from evalstore.formats.json.files import read_json
from evalstore.formats.reading.lines import json_object, numbered_lines, repeated_key, tag_of_file
from evalstore.formats.reading.rows import id_text, why_not_an_id
from evalstore.formats.reading.source import ReadOptions, beginning, path_text, quoted, refuse
from evalstore.formats.registry import Format, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import NUMBER, counted

Object = Mapping[str, Any]
Numbers = dict[str, dict[str, float]]
"""By query (its id, or its text) and document: scores or grades."""


def read_value(path: str, options: ReadOptions) -> Any:
    """The content of a JSON file, every key once in its object."""
    try:
        return read_json(path, options, _unique)
    except _RepeatedKeyError as error:
        refuse(path, None, str(error))


def read_objects(path: str, options: ReadOptions) -> Iterator[tuple[str, Object]]:
    """Yield the objects of a file (a list, a single one, or one a line), each with its place."""
    if not is_lines(beginning(path, options)):
        value = read_value(path, options)
        if isinstance(value, dict):
            yield path_text(path), value
        else:
            yield from objects(path_text(path), value)
        return
    for line, text in numbered_lines(path, options):
        try:
            yield f"{path_text(path)}:{line}", json_object(path, line, text, _unique)
        except _RepeatedKeyError as error:
            refuse(path, line, str(error))


def read_keys(path: str, options: ReadOptions | None, expected: str) -> Object:
    """The object of a JSON file; `expected` describes it in a message."""
    content = read_value(path, options or ReadOptions())
    if not isinstance(content, dict):
        raise DataError(f"{path_text(path)}: {expected} is expected")
    return content


def objects(where: str, value: object) -> Iterator[tuple[str, Object]]:
    """Yield the members of a list of objects, each with its place, counted from 0."""
    if not isinstance(value, list):
        raise DataError(f"{where}: a list of objects is expected")
    for number, member in enumerate(value):
        if not isinstance(member, dict):
            raise DataError(f"{where}[{number}]: an object is expected")
        yield f"{where}[{number}]", member


def object_at(where: str, owner: Object, key: str) -> Object:
    """The object under a key."""
    value = owner.get(key)
    if not isinstance(value, dict):
        raise DataError(f"{where}: an object is expected under {quoted(key)}")
    return value


def text_at(where: str, owner: Object, key: str) -> str:
    """The text under a key."""
    value = owner.get(key)
    if not isinstance(value, str):
        raise DataError(f"{where}: a text is expected under {quoted(key)}")
    return value


def id_at(where: str, owner: Object, key: str, what: str) -> str:
    """The id under a key: text, or a whole number, which is taken as its digits."""
    value = owner.get(key)
    why = why_not_an_id(value, what)
    if why is not None:
        raise DataError(f"{where}: {why} (under {key!r})")
    return str(id_text(value))


def number_of(where: str, value: object, what: str) -> float:
    """A number, or a text that is a decimal number."""
    if isinstance(value, str) and NUMBER.fullmatch(value.encode(errors="replace")):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise DataError(f"{where}: {what} is out of range") from None
    text = quoted(value) if isinstance(value, str) else quoted(repr(value))[1:-1]
    raise DataError(f"{where}: {what} {text} is not a number")


def scores_of(where: str, documents: Sequence[str], scores: Sequence[object]) -> dict[str, float]:
    """The scores of a ranking; if it has none, 1 / rank in the order of the list."""
    missing = sum(score is None for score in scores)
    if missing and missing == len(scores):
        return {docno: 1 / rank for rank, docno in enumerate(documents, 1)}
    if missing:
        raise DataError(f"{where}: {counted(missing, 'document')} without a score")
    return {
        docno: number_of(f"{where}, document {quoted(docno)}", score, "score")
        for docno, score in zip(documents, scores, strict=True)
    }


def check_once(where: str, docnos: Sequence[str]) -> None:
    """Refuse a document that is repeated in a list."""
    seen: set[str] = set()
    for docno in docnos:
        if docno in seen:
            raise DataError(f"{where}: document {quoted(docno)} stands twice; keep one")
        seen.add(docno)


def add_query(where: str, numbers: Numbers, query: str, own: dict[str, float]) -> None:
    """Add the scores or grades of a query."""
    if query in numbers:
        raise DataError(f"{where}: query {quoted(query)} stands twice; keep one")
    numbers[query] = own


def order_warnings(path: str, scores: Numbers) -> tuple[str, ...]:
    """A warning if the order of a list is not that of the scores; the scores count."""
    rising = 0
    for own in scores.values():
        values = list(own.values())
        rising += any(below > above for above, below in pairwise(values))
    if not rising:
        return ()
    many = counted(rising, "query")
    what = f"the order of the list contradicts the scores in {many}; the order is by score"
    return (f"{path_text(path)}: {what}",)


class _RepeatedKeyError(Exception):
    """A key is repeated in an object."""


def _unique(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(members)
    if len(unique) < len(members):
        key = quoted(repeated_key(members))
        raise _RepeatedKeyError(f"key {key} stands twice in an object; keep one")
    return unique


def starts_json(head: str) -> bool:
    """Whether a file begins as a list or an object does."""
    return head.lstrip()[:1] in ("[", "{")


def is_lines(head: str) -> bool:
    """Whether a file that begins so has an object a line: its first line is one, or goes on."""
    first, end, _ = head.lstrip().partition("\n")
    if not end:
        return first.startswith("{")
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


# Runs of Pyserini for question answering (DPR): JSON, by query a question and its contexts

QUESTION = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{]*"question"\s*:')
CONTEXTS = re.compile(r'"contexts"\s*:\s*\[')


def read_dpr_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name."""
    content = read_keys(path, options, "an object of queries")
    scores: Numbers = {}
    for qid in content:
        name = f"{path_text(path)}, query {quoted(qid)}"
        scores[qid] = _ranking(name, object_at(path_text(path), content, qid), "contexts")
    return run_of(path, scores)


def _ranking(name: str, owner: Object, key: str) -> dict[str, float]:
    """The scores of the documents in a list of objects."""
    documents = list(objects(f"{name}, {key}", owner.get(key)))
    docnos = [id_at(where, document, "docid", "docno") for where, document in documents]
    check_once(name, docnos)
    return scores_of(name, docnos, [document.get("score") for _, document in documents])


def run_of(path: str, scores: Numbers, *warnings: str) -> Run:
    """The run with these scores; its tag is the file's name."""
    run = Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))
    return replace(run, warnings=(*run.warnings, *warnings, *order_warnings(path, scores)))


DPR_RUN: Format[Run] = Format(
    name="dpr-run",
    title="run of Pyserini for question answering (DPR), JSON",
    content="run",
    extensions=(".json",),
    example='{"q1": {"question": "who wrote it", "answers": ["Ann"], "contexts": '
    '[{"docid": "d7", "score": "2.5", "has_answer": true}]}}\n',
    recognise=recognise_if(
        lambda head: QUESTION.match(head) and CONTEXTS.search(head),
        "a JSON object of objects with a question and contexts",
        certain=True,
    ),
    read=read_dpr_run,
)


# Runs of rank_llm: JSON, a list or an object a line, of queries with their candidates

QUERY = re.compile(r'"query"\s*:\s*\{')
CANDIDATES = re.compile(r'"candidates"\s*:\s*\[')


def read_rank_llm_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name. Without scores, a document gets 1 / rank."""
    scores: Numbers = {}
    for where, request in read_objects(path, options or ReadOptions()):
        qid = id_at(where, object_at(where, request, "query"), "qid", "query id")
        name = f"{path_text(path)}, query {quoted(qid)}"
        add_query(where, scores, qid, _ranking(name, request, "candidates"))
    return run_of(path, scores)


RANK_LLM: Format[Run] = Format(
    name="rank-llm",
    title="run of rank_llm, JSON or JSON lines",
    content="run",
    extensions=(".jsonl", ".json"),
    example='{"query": {"text": "red dress", "qid": "q1"}, "candidates": '
    '[{"docid": "d7", "score": 2.5, "doc": {}}, {"docid": "d9", "score": 1.5, "doc": {}}]}\n',
    recognise=recognise_if(
        lambda head: starts_json(head) and QUERY.search(head) and CANDIDATES.search(head),
        "JSON objects with the keys query and candidates",
        certain=True,
    ),
    read=read_rank_llm_run,
)
