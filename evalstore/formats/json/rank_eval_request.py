"""Judgments in the body of a request to Elasticsearch's and OpenSearch's `_rank_eval`."""

from __future__ import annotations

import re
from dataclasses import replace

from evalstore.errors import DataError
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    add_query,
    check_once,
    id_at,
    number_of,
    objects,
    read_value,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, path_text, quoted

REQUESTS = re.compile(r'"requests"\s*:\s*\[')
RATINGS = re.compile(r'"ratings"\s*:\s*\[')


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments: the `ratings` of each of the `requests`; documents are named by `_id`.

    Raises:
        FileError: no JSON.
        DataError: what is wrong, with the query and the document; one `_id` in two indices.
    """
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

        Raises:
            DataError: a document that stands twice, or one `_id` in two indices.
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


def _recognise(head: str) -> Recognised | None:
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
    recognise=_recognise,
    read=read_qrels,
)
