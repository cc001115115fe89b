"""Judgments of OpenSearch's Search Relevance Workbench as JSON; the query is its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalstore.errors import DataError
from evalstore.formats.json.lists import (
    Numbers,
    Object,
    add_query,
    check_once,
    id_at,
    number_of,
    objects,
    read_objects,
    text_at,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.query_texts import find_qids
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, path_text, quoted

RATINGS = re.compile(r'"judgmentRatings"\s*:\s*\[')


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments: the body that is sent to the workbench, or what a search in it answers.

    Raises:
        FileError: no JSON, or texts that are not those of one query each.
        DataError: what is wrong, with the query and the document; several sets of judgments.
    """
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
    """The same by query id.

    Raises:
        FileError: texts that are not those of one query each.
        DataError: two texts of the same query, which differ in blanks only.
    """
    qids = find_qids(path, dict.fromkeys(text for text, own in by_text.items() if own), options)
    numbers: Numbers = {}
    for text, qid in qids.items():
        add_query(path_text(path), numbers, qid, by_text[text])
    return numbers


def _recognise(head: str) -> Recognised | None:
    if head.lstrip().startswith("{") and RATINGS.search(head):
        return Recognised(True, "a JSON object with judgmentRatings")
    return None


OPENSEARCH_JUDGMENTS: Format[Qrels] = Format(
    name="opensearch-judgments",
    title="judgments of OpenSearch's Search Relevance Workbench, JSON",
    content="qrels",
    extensions=(".json",),
    example='{"judgmentRatings": [{"query": "red dress", "ratings": '
    '[{"docId": "d7", "rating": "1.0"}, {"docId": "d9", "rating": "0.0"}]}]}\n',
    recognise=_recognise,
    read=read_qrels,
    by_text=True,
)
