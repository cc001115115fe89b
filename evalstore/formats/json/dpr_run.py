"""Runs of Pyserini for question answering (DPR): JSON, by query a question and its contexts."""

from __future__ import annotations

import re
from dataclasses import replace

from evalstore.errors import DataError
from evalstore.formats.file_names import tag_of_file
from evalstore.formats.json.lists import (
    Numbers,
    check_once,
    id_at,
    object_at,
    objects,
    order_warnings,
    read_value,
    scores_of,
)
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted

QUESTION = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{[^{]*"question"\s*:')
CONTEXTS = re.compile(r'"contexts"\s*:\s*\[')


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name.

    Raises:
        FileError: no JSON.
        DataError: what is wrong, with the query and the document.
    """
    content = read_value(path, options or ReadOptions())
    if not isinstance(content, dict):
        raise DataError(f"{path_text(path)}: an object of queries is expected")
    scores: Numbers = {}
    for qid in content:
        name = f"{path_text(path)}, query {quoted(qid)}"
        contexts = object_at(path_text(path), content, qid).get("contexts")
        documents = list(objects(f"{name}, contexts", contexts))
        docnos = [id_at(where, document, "docid", "docno") for where, document in documents]
        check_once(name, docnos)
        scores[qid] = scores_of(name, docnos, [document.get("score") for _, document in documents])
    run = Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))
    return replace(run, warnings=(*run.warnings, *order_warnings(path, scores)))


def _recognise(head: str) -> Recognised | None:
    if QUESTION.match(head) and CONTEXTS.search(head):
        return Recognised(True, "a JSON object of objects with a question and contexts")
    return None


DPR_RUN: Format[Run] = Format(
    name="dpr-run",
    title="run of Pyserini for question answering (DPR), JSON",
    content="run",
    extensions=(".json",),
    example='{"q1": {"question": "who wrote it", "answers": ["Ann"], "contexts": '
    '[{"docid": "d7", "score": "2.5", "has_answer": true}]}}\n',
    recognise=_recognise,
    read=read_run,
)
