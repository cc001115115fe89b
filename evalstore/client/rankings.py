"""Rankings of a run on a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalstore.client.connection import Server, in_path
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import in_order
from evalstore.errors import NotFound
from evalstore.formats import Run
from evalstore.formats.lists import List

RANKINGS_OF_PAGE = 100


def rankings(
    server: Server, collection: str, run: str, *, depth: int | None = None
) -> Iterator[List]:
    """The rankings of a run, by its name or id; only the first `depth` documents of each."""
    path = _path(collection, run)
    pages = server.pages(path, "rankings", limit=RANKINGS_OF_PAGE, depth=depth)
    return map(_list, pages)


def run_with_query(server: Server, collection: str, run: str, qid: str) -> Run:
    """A run with the ranking of one query, or of another one if missing: a `Run` needs one."""
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


def run_in_order(server: Server, values: RunValues, run: str, depth: int | None) -> Run | None:
    """A run (name or id) down to a rank or deeper, ties in order; None if it came as values."""
    if values.values_only:
        return None
    whole = values.compat == "trec_eval-9"  # whose rules can make other ties than are stored
    lists = rankings(server, values.collection, run, depth=None if whole else depth)
    scores = {qid: dict(zip(docnos, of, strict=True)) for qid, docnos, of in lists}
    return in_order(Run.from_dict(scores, name=values.name), values.compat)
