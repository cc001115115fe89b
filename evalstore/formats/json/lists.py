"""JSON in which rankings and judgments are lists of objects, one for each document.

Runs of Pyserini (DPR) and rank_llm, runs and judgments of OpenSearch's Search Relevance Workbench
and of `_rank_eval`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from evalstore.errors import DataError
from evalstore.formats.json.files import read_json
from evalstore.formats.qrels import Qrels
from evalstore.formats.queries import find_qids, first_few
from evalstore.formats.reading.lines import json_object, numbered_lines, repeated_key, tag_of_file
from evalstore.formats.reading.rows import id_text, valid_id, why_not_an_id
from evalstore.formats.reading.source import ReadOptions, beginning, path_text, quoted, refuse
from evalstore.formats.registry import Format, Recognise, recognise_if
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


# Judgments of OpenSearch's Search Relevance Workbench, by query text

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
