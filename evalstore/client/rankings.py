"""The rankings of a run of a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalstore.client.connection import Server, in_path
from evalstore.errors import NotFound
from evalstore.formats import Run
from evalstore.formats.lists import List

RANKINGS_OF_PAGE = 100


def rankings(
    server: Server, collection: str, run: str, *, depth: int | None = None
) -> Iterator[List]:
    """The rankings of a run, by its name or id; of each the first `depth` documents."""
    path = _path(collection, run)
    pages = server.pages(path, "rankings", limit=RANKINGS_OF_PAGE, depth=depth)
    return map(_list, pages)


def run_with_query(server: Server, collection: str, run: str, qid: str) -> Run:
    """A run with the ranking of one query alone, or with another one where it does not answer it.

    A `Run` has one ranking at least.
    """
    path = _path(collection, run)
    try:
        rankings = server.get(path, query=qid)["rankings"]
    except NotFound:
        rankings = server.get(path, limit=1)["rankings"]
    scores = {qid: dict(zip(docnos, of, strict=True)) for qid, docnos, of in map(_list, rankings)}
    return Run.from_dict(scores, name=run)


def _path(collection: str, run: str) -> str:
    return f"/collections/{in_path(collection)}/runs/{in_path(run)}/rankings"


def _list(ranking: Mapping[str, Any]) -> List:
    documents = ranking["documents"]
    docnos = [document["docno"] for document in documents]
    return ranking["qid"], docnos, [document["score"] for document in documents]
