"""Judgments of a model by umbrela: JSON lines of documents, or of queries with candidates."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evalstore.errors import DataError
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    number_of,
    objects,
    read_objects,
    starts_json,
)
from evalstore.formats.qrels import Qrels, unparsed_grades
from evalstore.formats.queries import find_qids
from evalstore.formats.reading.lines import tidy
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.reading.source import ReadOptions, path_text, quoted, refuse
from evalstore.formats.registry import Format, recognise_if

JUDGMENT = re.compile(r'"judgment"\s*:')
BESIDE = re.compile(r'"(?:candidates|passage|prediction)"\s*:')
QID, DOCNO = ("qid", "query_id"), ("docid", "doc_id", "docno")


@dataclass(frozen=True)
class _Judged:
    """A judged document with its place; an id is None if the file has the text alone."""

    where: str
    qid: object
    query: str
    docno: object
    passage: str
    record: Object


def read_umbrela(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read the output of `umbrela judge`, or requests whose candidates have a judgment.

    Queries and documents without ids are found by their texts, which have to be known. A judgment
    that umbrela could not read in the answer of the model (`result_status` 0), or that is no
    number, is none.
    """
    options = options or ReadOptions()
    judged = [
        one for where, record in read_objects(path, options) for one in _judged(where, record)
    ]
    texts = dict.fromkeys(one.query for one in judged if one.qid is None)
    qids = find_qids(path, texts, options) if texts else {}
    docnos = _docnos(path, [one for one in judged if one.docno is None], options)
    grades: Numbers = {}
    unparsed: list[str] = []
    for one in judged:
        grade = _grade(one)
        if grade is None:
            place = one.where.removeprefix(path_text(path)).strip(":, ")
            unparsed.append(f"line {place}" if place[:1].isdigit() else place or "all of it")
            continue
        qid = qids[one.query] if one.qid is None else one.qid
        docno = docnos[tidy(one.passage)] if one.docno is None else one.docno
        own = grades.setdefault(valid_id(qid, "qid", f"{one.where}: "), {})
        known = own.setdefault(valid_id(docno, "docno", f"{one.where}: "), grade)
        if known != grade:
            raise DataError(
                f"{one.where}: document {quoted(str(docno))} graded {grade:g} for query "
                f"{quoted(str(qid))}, but {known:g} above; keep one of the two"
            )
    if not grades:
        refuse(path, None, f"none of its {len(judged):,} judgments is a grade")
    qrels = Qrels.from_dict(grades, name=path_text(path))
    warnings = unparsed_grades(path, unparsed, len(judged))
    return replace(qrels, warnings=warnings, origin=_origin(judged))


def _judged(where: str, record: Object) -> Iterator[_Judged]:
    """The judged documents of a record."""
    query = record.get("query")
    of_query: Object = query if isinstance(query, dict) else {**record, "text": query}
    qid, text = _first(of_query, QID), str(of_query.get("text") or "")
    if "candidates" not in record:
        passage = str(record.get("passage") or "")
        yield _Judged(where, qid, text, _first(record, DOCNO), passage, record)
        return
    for at, candidate in objects(f"{where}, candidates", record["candidates"]):
        doc = candidate.get("doc")
        passage = str(doc.get("segment") or "") if isinstance(doc, dict) else ""
        yield _Judged(at, qid, text, _first(candidate, DOCNO), passage, candidate)


def _first(owner: Object, keys: Sequence[str]) -> object:
    return next((owner[key] for key in keys if key in owner), None)


def _docnos(path: str, judged: Sequence[_Judged], options: ReadOptions) -> Mapping[str, str]:
    """The docno of every document that has none in the file, by its text."""
    if not judged:
        return {}
    known = {} if options.docnos is None else options.docnos()
    unknown = [one for one in judged if tidy(one.passage) not in known]
    if unknown:
        raise DataError(
            f"{unknown[0].where}: {len(unknown):,} of its documents have no id, and are no texts "
            "of documents of the collection: add a docid to each line, or store the texts first"
        )
    return known


def _grade(one: _Judged) -> float | None:
    """The grade; None if the answer of the model was not read as one."""
    if one.record.get("result_status", 1) in (0, False):
        return None
    try:
        grade = number_of(one.where, one.record.get("judgment"), "judgment")
    except DataError:
        return None
    return grade if math.isfinite(grade) else None


def _origin(judged: Sequence[_Judged]) -> dict[str, object]:
    """The model and the hash of the prompt, which is the same but for the texts in it."""
    models = {str(one.record["model"]): None for one in judged if one.record.get("model")}
    prompts = {
        str(one.record["prompt"]).replace(one.passage, "{passage}").replace(one.query, "{query}")
        for one in judged
        if one.record.get("prompt") and one.passage and one.query
    }
    origin: dict[str, object] = {"kind": "model", "model": ", ".join(models) or "umbrela"}
    if len(prompts) == 1:
        origin["prompt"] = hashlib.sha256(prompts.pop().encode()).hexdigest()
    return origin


UMBRELA: Format[Qrels] = Format(
    name="umbrela",
    title="judgments of a model by umbrela, JSON lines",
    content="qrels",
    extensions=(".jsonl",),
    example='{"model": "gpt-4o", "qid": "q1", "query": "red dress", "docid": "d7", "passage": '
    '"...", "prediction": "##final score: 2", "judgment": 2, "result_status": 1}\n',
    recognise=recognise_if(
        lambda head: starts_json(head) and JUDGMENT.search(head) and BESIDE.search(head),
        "JSON objects with a judgment of a passage or of candidates",
        certain=True,
    ),
    read=read_umbrela,
    by_text=True,
)
