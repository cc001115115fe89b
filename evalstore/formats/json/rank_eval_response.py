"""Runs in the response of Elasticsearch's and OpenSearch's `_rank_eval`: the hits by query."""

from __future__ import annotations

import re
from dataclasses import replace

from evalstore.errors import DataError
from evalstore.formats.file_names import tag_of_file
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    object_at,
    objects,
    order_warnings,
    read_value,
    scores_of,
)
from evalstore.formats.json.rank_eval_request import Indices
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted

DETAILS = re.compile(r'"details"\s*:\s*\{')
HITS = re.compile(r'"hits"\s*:\s*\[')
FIGURE = re.compile(r'"(metric_score|quality_level)"\s*:')


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name. Documents are named by `_id`.

    Where the hits of a query have no score, as when they are sorted by a field, a document gets
    1 / rank. Queries that failed in the engine are not in the run; a warning names the first few.

    Raises:
        FileError: no JSON.
        DataError: what is wrong, with the query and the document; one `_id` in two indices.
    """
    content = read_value(path, options or ReadOptions())
    if not isinstance(content, dict):
        raise DataError(f"{path_text(path)}: an object with the key details is expected")
    inner = content.get("rank_eval", content)
    answer: Object = inner if isinstance(inner, dict) else {}
    details = object_at(path_text(path), answer, "details")
    indices = Indices()
    scores: Numbers = {}
    for qid in details:
        name = f"{path_text(path)}, query {quoted(qid)}"
        query = object_at(path_text(path), details, qid)
        hits = [
            (where, object_at(where, member, "hit"))
            for where, member in objects(f"{name}, hits", query.get("hits"))
        ]
        docnos = indices.docnos(name, hits)
        scores[qid] = scores_of(name, docnos, [hit.get("_score") for _, hit in hits])
    run = Run.from_dict(scores, name=path_text(path), tag=tag_of_file(path))
    warnings = (*indices.warnings(path), *order_warnings(path, scores), *_failed(path, answer))
    return replace(run, warnings=(*run.warnings, *warnings))


def _failed(path: str, answer: Object) -> tuple[str, ...]:
    """A warning where queries failed in the engine."""
    failures = answer.get("failures")
    if not isinstance(failures, dict) or not failures:
        return ()
    named = ", ".join(map(quoted, list(failures)[:3])) + ", ..." * (len(failures) > 3)
    many = "1 query" if len(failures) == 1 else f"{len(failures):,} queries"
    return (f"{path_text(path)}: without {many} that failed in the engine: {named}",)


def _recognise(head: str) -> Recognised | None:
    if head.lstrip().startswith("{") and all(key.search(head) for key in (DETAILS, HITS, FIGURE)):
        return Recognised(True, "a JSON object with details, hits and a figure")
    return None


RANK_EVAL_RESPONSE: Format[Run] = Format(
    name="rank-eval-response",
    title="run in the response of _rank_eval: Elasticsearch, OpenSearch",
    content="run",
    extensions=(".json",),
    example='{"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs": [], '
    '"hits": [{"hit": {"_index": "shop", "_id": "d7", "_score": 2.5}, "rating": 1}, '
    '{"hit": {"_index": "shop", "_id": "d9", "_score": 1.5}, "rating": 0}]}}, "failures": {}}\n',
    recognise=_recognise,
    read=read_run,
)
