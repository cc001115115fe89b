"""Runs of rank_llm: JSON, a list or an object a line, of queries with their candidates."""

from __future__ import annotations

import re
from dataclasses import replace

from evalstore.formats.file_names import tag_of_file
from evalstore.formats.json.lists import (
    Numbers,
    add_query,
    check_once,
    id_at,
    object_at,
    objects,
    order_warnings,
    read_objects,
    scores_of,
)
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted

QUERY = re.compile(r'"query"\s*:\s*\{')
CANDIDATES = re.compile(r'"candidates"\s*:\s*\[')


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name. Without scores, a document gets 1 / rank.

    Raises:
        FileError: no JSON.
        DataError: what is wrong, with the query and the document.
    """
    scores: Numbers = {}
    for where, request in read_objects(path, options or ReadOptions()):
        qid = id_at(where, object_at(where, request, "query"), "qid", "query id")
        name = f"{path_text(path)}, query {quoted(qid)}"
        candidates = list(objects(f"{name}, candidates", request.get("candidates")))
        docnos = [id_at(at, candidate, "docid", "docno") for at, candidate in candidates]
        check_once(name, docnos)
        own = scores_of(name, docnos, [candidate.get("score") for _, candidate in candidates])
        add_query(where, scores, qid, own)
    run = Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))
    return replace(run, warnings=(*run.warnings, *order_warnings(path, scores)))


def _recognise(head: str) -> Recognised | None:
    if head.lstrip()[:1] in ("[", "{") and QUERY.search(head) and CANDIDATES.search(head):
        return Recognised(True, "JSON objects with the keys query and candidates")
    return None


RANK_LLM: Format[Run] = Format(
    name="rank-llm",
    title="run of rank_llm, JSON or JSON lines",
    content="run",
    extensions=(".jsonl", ".json"),
    example='{"query": {"text": "red dress", "qid": "q1"}, "candidates": '
    '[{"docid": "d7", "score": 2.5, "doc": {}}, {"docid": "d9", "score": 1.5, "doc": {}}]}\n',
    recognise=_recognise,
    read=read_run,
)
