"""The JSON of the API as the objects that the use cases give."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from evalstore.client.connection import Server, in_path
from evalstore.comparison.collection_values import CollectionRun, CollectionValues, MeasureValues
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import Medians
from evalstore.errors import NotFound, StoreError
from evalstore.formats import Run
from evalstore.formats.lists import List
from evalstore.leaderboard.ranks import LeaderboardRanks, MeasureRanks, RankedRun, RankSettings
from evalstore.measures import Measure, parse
from evalstore.store.queries.runs import StoredRun

T = TypeVar("T")


def from_json(kind: type[T], content: Mapping[str, Any], **others: Any) -> T:
    """An object of a data class, its fields by the names that JSON has them by.

    Texts become times, and lists tuples, where the fields are such; `null` is NaN where a field is
    a number that can't be missing.

    Args:
        kind: the data class.
        content: the JSON; what the class has no field for is left out.
        others: further fields, or other values.

    Raises:
        StoreError: the JSON is not that of such an object.
    """
    hints = get_type_hints(kind)
    values = dict(others)
    try:
        for field in fields(kind):  # type: ignore[arg-type]  # a data class: mypy has no type for it
            if field.name not in others and field.name in content:
                values[field.name] = _read(hints[field.name], content[field.name])
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise StoreError(f"the server answers something else than expected: {error}") from None


def _read(hint: Any, value: Any) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if value is None:
        return float("nan") if float in kinds and types.NoneType not in kinds else None
    if datetime in kinds:
        return datetime.fromisoformat(value)
    if any(get_origin(kind) is tuple for kind in kinds):
        return tuple(value)
    return value


def medians_of_run(
    content: Mapping[str, Any], qids: Sequence[str], measures: Mapping[str, Measure]
) -> Medians:
    """The medians of some queries, by the names that measures are shown by."""
    rows = {qid: row for row, qid in enumerate(content["qids"])}
    chosen = [rows[qid] for qid in qids]
    columns = {name: np.array(column, np.float64) for name, column in content["medians"].items()}
    values = {name: columns[str(measure)][chosen] for name, measure in measures.items()}
    return Medians(content["runs"], values)


def run_values(
    content: Mapping[str, Any], qids: tuple[str, ...], measures: Mapping[str, Measure]
) -> RunValues:
    """A run with its values, by the names that measures are shown by."""
    columns = {name: np.array(column, np.float64) for name, column in content["values"].items()}
    return from_json(
        RunValues,
        content,
        qids=qids,
        answered=np.array(content["answered"], bool),
        values={name: columns[str(measure)] for name, measure in measures.items()},
    )


# The rankings of a run of a server

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


# The JSON of a leaderboard as the object that the use case gives


def read_leaderboard(content: Mapping[str, Any], settings: RankSettings) -> LeaderboardRanks:
    """The leaderboards of a collection; the ids of runs and judgments are not known, and 0."""
    collection, baseline = content["collection"], content["baseline"]
    measures = (
        from_json(
            MeasureRanks,
            of,
            canonical=str(parse(of["measure"])),
            runs=tuple(from_json(RankedRun, run, run_id=0) for run in of["runs"]),
        )
        for of in content["measures"]
    )
    return from_json(
        LeaderboardRanks,
        content,
        qrels_id=0,
        measures=tuple(measures),
        settings=settings,
        baseline=None if baseline is None else StoredRun(0, baseline["run"], "", collection),
    )


# The values of all runs of a collection of a server


def load_collection_values(
    server: Server,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    *,
    aggregates_only: bool = False,
) -> CollectionValues:
    """As `comparison.collection_values`; the ids of runs and judgments are not known, and 0.

    A server does not say which notes are on other runs: all of them count as on these.
    """
    content = server.get(
        f"/collections/{in_path(collection)}/values",
        measure=list(measures),
        qrels=qrels,
        aggregates_only=aggregates_only,
    )
    return from_json(
        CollectionValues,
        content,
        qrels_id=0,
        runs=tuple(map(_run, content["runs"])),
        measures={
            of["measure"]: _values(of, measures[of["measure"]]) for of in content["measures"]
        },
        notes_on_others=(),
        notes_on_these=tuple(content["notes"]),
        not_evaluated=(),
    )


def _values(content: Mapping[str, Any], measure: Measure) -> MeasureValues:
    runs = content["runs"]
    queries = len(runs[0]["values"]) if runs else 0
    by_run = np.array([run["values"] for run in runs], np.float64).reshape(len(runs), queries)
    return from_json(
        MeasureValues,
        content,
        measure=measure,
        runs=tuple(map(_run, runs)),
        values=np.ascontiguousarray(by_run.T),
        aggregates=np.array([run["value"] for run in runs], np.float64),
    )


def _run(content: Mapping[str, Any]) -> CollectionRun:
    return from_json(CollectionRun, content, id=0, evaluation_id=0, name=content["run"])
