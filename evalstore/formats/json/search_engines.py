"""Judgments of OpenSearch's Search Relevance Workbench as JSON; the query is its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from evalstore.errors import DataError
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    add_query,
    check_once,
    id_at,
    number_of,
    object_at,
    objects,
    order_warnings,
    read_objects,
    read_value,
    scores_of,
    text_at,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.queries import find_qids
from evalstore.formats.reading.lines import tag_of_file
from evalstore.formats.reading.rows import id_text, why_not_an_id
from evalstore.formats.reading.source import ReadOptions, path_text, quoted
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run

JUDGMENT_RATINGS = re.compile(r'"judgmentRatings"\s*:\s*\[')


def read_judgments(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments: the body that is sent to the workbench, or what a search in it answers."""
    options = options or ReadOptions()
    sets = [one for where, value in read_objects(path, options) for one in sources(where, value)]
    if len(sets) != 1:
        what = f"one set of judgments is expected, and there are {len(sets):,}"
        raise DataError(f"{path_text(path)}: {what}: write each to a file of its own")
    by_text: Numbers = {}
    ((where, judged),) = sets
    for at, query in objects(f"{where}, judgmentRatings", judged.get("judgmentRatings")):
        text = text_at(at, query, "query")
        name = f"{path_text(path)}, query {quoted(text)}"
        ratings = list(objects(f"{name}, ratings", query.get("ratings")))
        docnos = [id_at(at, rating, "docId", "docno") for at, rating in ratings]
        check_once(name, docnos)
        own = {
            docno: number_of(f"{name}, document {quoted(docno)}", rating.get("rating"), "grade")
            for docno, (_, rating) in zip(docnos, ratings, strict=True)
        }
        add_query(at, by_text, text, own)
    return Qrels.from_dict(by_qid(path, by_text, options), name=path_text(path))


def sources(where: str, value: Object) -> Iterator[tuple[str, Object]]:
    """The stored objects where the answer to a search holds some, else the object itself."""
    hits = value.get("hits")
    if not isinstance(hits, dict):
        yield where, value
        return
    for at, hit in objects(f"{where}, hits", hits.get("hits")):
        source = hit.get("_source")
        if not isinstance(source, dict):
            raise DataError(f"{at}: an object is expected under '_source'")
        yield at, source


def by_qid(path: str, by_text: Numbers, options: ReadOptions) -> Numbers:
    """The same by query id."""
    qids = find_qids(path, dict.fromkeys(text for text, own in by_text.items() if own), options)
    numbers: Numbers = {}
    for text, qid in qids.items():
        add_query(path_text(path), numbers, qid, by_text[text])
    return numbers


def _recognise_judgments(head: str) -> Recognised | None:
    if head.lstrip().startswith("{") and JUDGMENT_RATINGS.search(head):
        return Recognised(True, "a JSON object with judgmentRatings")
    return None


OPENSEARCH_JUDGMENTS: Format[Qrels] = Format(
    name="opensearch-judgments",
    title="judgments of OpenSearch's Search Relevance Workbench, JSON",
    content="qrels",
    extensions=(".json",),
    example='{"judgmentRatings": [{"query": "red dress", "ratings": '
    '[{"docId": "d7", "rating": "1.0"}, {"docId": "d9", "rating": "0.0"}]}]}\n',
    recognise=_recognise_judgments,
    read=read_judgments,
    by_text=True,
)


# Runs of OpenSearch's Search Relevance Workbench: evaluation results as JSON, by query text

TEXT = re.compile(r'"searchText"\s*:\s*"')
DOCUMENTS = re.compile(r'"documentIds"\s*:\s*\[')
CONFIGURATION = "searchConfigurationId"


def read_results(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run: the answer to a search for evaluation results, a list, or one result a line.

    The results have the documents in order, without scores: the score of a document is 1 / rank.
    The run tag is the file's name.
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


def _recognise_results(head: str) -> Recognised | None:
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
    recognise=_recognise_results,
    read=read_results,
    by_text=True,
)


# Judgments in the body of a request to Elasticsearch's and OpenSearch's `_rank_eval`

REQUESTS = re.compile(r'"requests"\s*:\s*\[')
RATINGS = re.compile(r'"ratings"\s*:\s*\[')


def read_request(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments: the `ratings` of each of the `requests`; documents are named by `_id`."""
    content = read_value(path, options or ReadOptions())
    if not isinstance(content, dict):
        raise DataError(f"{path_text(path)}: an object with the key requests is expected")
    indices = Indices()
    grades: Numbers = {}
    for where, request in objects(f"{path_text(path)}, requests", content.get("requests")):
        qid = id_at(where, request, "id", "query id")
        name = f"{path_text(path)}, query {quoted(qid)}"
        ratings = list(objects(f"{name}, ratings", request.get("ratings")))
        docnos = indices.docnos(name, ratings)
        own = {
            docno: number_of(f"{name}, document {quoted(docno)}", rating.get("rating"), "grade")
            for docno, (_, rating) in zip(docnos, ratings, strict=True)
        }
        add_query(where, grades, qid, own)
    qrels = Qrels.from_dict(grades, name=path_text(path))
    return replace(qrels, warnings=(*qrels.warnings, *indices.warnings(path)))


class Indices:
    """The indices that the documents of a file are in."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def docnos(self, name: str, documents: list[tuple[str, Object]]) -> list[str]:
        """The docnos of the documents of a query: their `_id`.

        Args:
            name: the query, as messages name it.
            documents: objects with `_index` and `_id`, each with where it stands.
        """
        index_of: dict[str, str] = {}
        docnos = []
        for where, document in documents:
            docno, index = id_at(where, document, "_id", "docno"), str(document.get("_index", ""))
            first = index_of.setdefault(docno, index)
            if first != index:
                raise DataError(
                    f"{name}: document {quoted(docno)} stands in two indices, {quoted(first)} and "
                    f"{quoted(index)}: give every document an id of its own"
                )
            docnos.append(docno)
        check_once(name, docnos)
        self._names.update(dict.fromkeys(index_of.values()))
        return docnos

    def warnings(self, path: str) -> tuple[str, ...]:
        """A warning where there are several indices."""
        if len(self._names) < 2:
            return ()
        named = ", ".join(map(quoted, list(self._names)[:3])) + ", ..." * (len(self._names) > 3)
        what = f"documents of {len(self._names):,} indices ({named}); they are named by _id alone"
        return (f"{path_text(path)}: {what}",)


def _recognise_request(head: str) -> Recognised | None:
    if head.lstrip().startswith("{") and REQUESTS.search(head) and RATINGS.search(head):
        return Recognised(True, "a JSON object with requests and ratings")
    return None


RANK_EVAL_REQUEST: Format[Qrels] = Format(
    name="rank-eval-request",
    title="judgments in a request to _rank_eval: Elasticsearch, OpenSearch",
    content="qrels",
    extensions=(".json",),
    example='{"requests": [{"id": "q1", "request": {}, "ratings": '
    '[{"_index": "shop", "_id": "d7", "rating": 1}, '
    '{"_index": "shop", "_id": "d9", "rating": 0}]}]}\n',
    recognise=_recognise_request,
    read=read_request,
)


# Runs in the response of Elasticsearch's and OpenSearch's `_rank_eval`: the hits by query

DETAILS = re.compile(r'"details"\s*:\s*\{')
HITS = re.compile(r'"hits"\s*:\s*\[')
FIGURE = re.compile(r'"(metric_score|quality_level)"\s*:')


def read_response(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name. Documents are named by `_id`.

    Where the hits of a query have no score, as when they are sorted by a field, a document gets
    1 / rank. Queries that failed in the engine are not in the run; a warning names the first few.
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


def _recognise_response(head: str) -> Recognised | None:
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
    recognise=_recognise_response,
    read=read_response,
)
