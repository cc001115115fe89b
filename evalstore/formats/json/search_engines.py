"""Judgments and runs of OpenSearch's Search Relevance Workbench and of `_rank_eval`, JSON."""

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
    read_keys,
    read_objects,
    run_of,
    scores_of,
    starts_json,
    text_at,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.queries import find_qids, first_few
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.reading.source import ReadOptions, path_text, quoted
from evalstore.formats.registry import Format, Recognise, recognise_if
from evalstore.formats.run import Run
from evalstore.formats.trec.columns import counted

JUDGMENT_RATINGS = re.compile(r'"judgmentRatings"\s*:\s*\[')


def _object_with(keys: str, *patterns: re.Pattern[str]) -> Recognise:
    return recognise_if(
        lambda head: head.lstrip().startswith("{") and all(p.search(head) for p in patterns),
        f"a JSON object with {keys}",
        certain=True,
    )


def read_judgments(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments by query text: the body sent to the workbench, or the answer of a search."""
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
        add_query(at, by_text, text, _grades(name, docnos, ratings))
    return Qrels.from_dict(by_qid(path, by_text, options), name=path_text(path))


def _grades(name: str, docnos: list[str], ratings: list[tuple[str, Object]]) -> dict[str, float]:
    return {
        docno: number_of(f"{name}, document {quoted(docno)}", rating.get("rating"), "grade")
        for docno, (_, rating) in zip(docnos, ratings, strict=True)
    }


def sources(where: str, value: Object) -> Iterator[tuple[str, Object]]:
    """The stored objects if the answer to a search holds some, else the object itself."""
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


OPENSEARCH_JUDGMENTS: Format[Qrels] = Format(
    name="opensearch-judgments",
    title="judgments of OpenSearch's Search Relevance Workbench, JSON",
    content="qrels",
    extensions=(".json",),
    example='{"judgmentRatings": [{"query": "red dress", "ratings": '
    '[{"docId": "d7", "rating": "1.0"}, {"docId": "d9", "rating": "0.0"}]}]}\n',
    recognise=_object_with("judgmentRatings", JUDGMENT_RATINGS),
    read=read_judgments,
    by_text=True,
)


# Runs of OpenSearch's Search Relevance Workbench: evaluation results as JSON, by query text

TEXT = re.compile(r'"searchText"\s*:\s*"')
DOCUMENTS = re.compile(r'"documentIds"\s*:\s*\[')
CONFIGURATION = "searchConfigurationId"


def read_results(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run without scores: a document gets 1 / rank. Its tag is the file's name."""
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
    return run_of(path, by_qid(path, by_text, options))


def _docnos(name: str, result: Object) -> list[str]:
    values = result.get("documentIds")
    if not isinstance(values, list):
        raise DataError(f"{name}: a list is expected under 'documentIds'")
    docnos = [valid_id(value, "docno", f"{name}: ") for value in values]
    check_once(name, docnos)
    return docnos


OPENSEARCH_RESULTS: Format[Run] = Format(
    name="opensearch-results",
    title="evaluation results of OpenSearch's Search Relevance Workbench, JSON",
    content="run",
    extensions=(".json", ".jsonl"),
    example='{"searchText": "red dress", "searchConfigurationId": "c1", "documentIds": '
    '["d7", "d9"], "metrics": [{"metric": "NDCG@10", "value": 1.0}]}\n',
    recognise=recognise_if(
        lambda head: starts_json(head) and TEXT.search(head) and DOCUMENTS.search(head),
        "JSON objects with searchText and documentIds",
        certain=True,
    ),
    read=read_results,
    by_text=True,
)


# Judgments in the body of a request to Elasticsearch's and OpenSearch's `_rank_eval`

REQUESTS = re.compile(r'"requests"\s*:\s*\[')
RATINGS = re.compile(r'"ratings"\s*:\s*\[')


def read_request(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments: the `ratings` of each of the `requests`; documents are named by `_id`."""
    content = read_keys(path, options, "an object with the key requests")
    indices = Indices()
    grades: Numbers = {}
    for where, request in objects(f"{path_text(path)}, requests", content.get("requests")):
        qid = id_at(where, request, "id", "query id")
        name = f"{path_text(path)}, query {quoted(qid)}"
        ratings = list(objects(f"{name}, ratings", request.get("ratings")))
        add_query(where, grades, qid, _grades(name, indices.docnos(name, ratings), ratings))
    qrels = Qrels.from_dict(grades, name=path_text(path))
    return replace(qrels, warnings=(*qrels.warnings, *indices.warnings(path)))


class Indices:
    """The indices that the documents of a file are in."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def docnos(self, name: str, documents: list[tuple[str, Object]]) -> list[str]:
        """The `_id` of each document of a query; refuse one that is repeated or in two indices."""
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
        """A warning if there are several indices."""
        if len(self._names) < 2:
            return ()
        named = first_few(list(self._names))
        what = f"documents of {len(self._names):,} indices ({named}); they are named by _id alone"
        return (f"{path_text(path)}: {what}",)


RANK_EVAL_REQUEST: Format[Qrels] = Format(
    name="rank-eval-request",
    title="judgments in a request to _rank_eval: Elasticsearch, OpenSearch",
    content="qrels",
    extensions=(".json",),
    example='{"requests": [{"id": "q1", "request": {}, "ratings": '
    '[{"_index": "shop", "_id": "d7", "rating": 1}, '
    '{"_index": "shop", "_id": "d9", "rating": 0}]}]}\n',
    recognise=_object_with("requests and ratings", REQUESTS, RATINGS),
    read=read_request,
)


# Runs in the response of Elasticsearch's and OpenSearch's `_rank_eval`: the hits by query

DETAILS = re.compile(r'"details"\s*:\s*\{')
HITS = re.compile(r'"hits"\s*:\s*\[')
FIGURE = re.compile(r'"(metric_score|quality_level)"\s*:')


def read_response(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run; its tag is the file's name. Documents are named by `_id`.

    Hits without scores get 1 / rank. A warning names queries that failed in the engine.
    """
    content = read_keys(path, options, "an object with the key details")
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
    run = run_of(path, scores, *indices.warnings(path))
    return replace(run, warnings=(*run.warnings, *_failed(path, answer)))


def _failed(path: str, answer: Object) -> tuple[str, ...]:
    failures = answer.get("failures")
    if not isinstance(failures, dict) or not failures:
        return ()
    many, named = counted(len(failures), "query"), first_few(list(failures))
    return (f"{path_text(path)}: without {many} that failed in the engine: {named}",)


RANK_EVAL_RESPONSE: Format[Run] = Format(
    name="rank-eval-response",
    title="run in the response of _rank_eval: Elasticsearch, OpenSearch",
    content="run",
    extensions=(".json",),
    example='{"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs": [], '
    '"hits": [{"hit": {"_index": "shop", "_id": "d7", "_score": 2.5}, "rating": 1}, '
    '{"hit": {"_index": "shop", "_id": "d9", "_score": 1.5}, "rating": 0}]}}, "failures": {}}\n',
    recognise=_object_with("details, hits and a figure", DETAILS, HITS, FIGURE),
    read=read_response,
)
