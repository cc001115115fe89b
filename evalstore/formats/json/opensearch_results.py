"""Runs of OpenSearch's Search Relevance Workbench: evaluation results as JSON, by query text."""

from __future__ import annotations

import re

from evalstore.errors import DataError
from evalstore.formats.file_names import tag_of_file
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    add_query,
    check_once,
    read_objects,
    scores_of,
    text_at,
)
from evalstore.formats.json.search_engines import by_qid, sources
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.rows import id_text, why_not_an_id
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted

TEXT = re.compile(r'"searchText"\s*:\s*"')
DOCUMENTS = re.compile(r'"documentIds"\s*:\s*\[')
CONFIGURATION = "searchConfigurationId"


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run: the answer to a search for evaluation results, a list, or one result a line.

    The results have the documents in order, without scores: the score of a document is 1 / rank.
    The run tag is the file's name.

    Raises:
        FileError: no JSON, or texts that are not those of one query each.
        DataError: what is wrong, with the query; results of several search configurations.
    """
    options = options or ReadOptions()
    by_text: Numbers = {}
    configurations: dict[str, None] = {}
    for where, value in read_objects(path, options):
        for at, result in sources(where, value):
            text = text_at(at, result, "searchText")
            name = f"{path_text(path)}, query {quoted(text)}"
            configurations[str(result.get(CONFIGURATION, ""))] = None
            docnos = _docnos(name, result)
            add_query(at, by_text, text, scores_of(name, docnos, [None] * len(docnos)))
            if len(configurations) > 1:
                named = " and ".join(map(quoted, configurations))
                what = f"one run is expected, and there are several search configurations ({named})"
                raise DataError(f"{path_text(path)}: {what}: write each to a file of its own")
    scores = by_qid(path, by_text, options)
    return Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))


def _docnos(name: str, result: Object) -> list[str]:
    values = result.get("documentIds")
    if not isinstance(values, list):
        raise DataError(f"{name}: a list is expected under 'documentIds'")
    for value in values:
        why = why_not_an_id(value, "docno")
        if why is not None:
            raise DataError(f"{name}: {why}")
    docnos = [str(id_text(value)) for value in values]
    check_once(name, docnos)
    return docnos


def _recognise(head: str) -> Recognised | None:
    if head.lstrip()[:1] in ("[", "{") and TEXT.search(head) and DOCUMENTS.search(head):
        return Recognised(True, "JSON objects with searchText and documentIds")
    return None


OPENSEARCH_RESULTS: Format[Run] = Format(
    name="opensearch-results",
    title="evaluation results of OpenSearch's Search Relevance Workbench, JSON",
    content="run",
    extensions=(".json", ".jsonl"),
    example='{"searchText": "red dress", "searchConfigurationId": "c1", "documentIds": '
    '["d7", "d9"], "metrics": [{"metric": "NDCG@10", "value": 1.0}]}\n',
    recognise=_recognise,
    read=read_run,
    by_text=True,
)
