"""Runs: listed and searched, one by one, with their rankings and values."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

import pyarrow as pa
from flask import Response
from pydantic import ConfigDict, Field

from evalstore.catalog.names import date_span, parse_conditions
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import NotComparable, NotFound
from evalstore.formats.lists import List
from evalstore.leaderboard.run_list import Choice, sorted_runs, with_values
from evalstore.measures import named_measures
from evalstore.measures.notation import BOARD_MEASURES
from evalstore.server.api.operation import (
    JSON,
    MOST_NAMED,
    Call,
    Content,
    Measures,
    Name,
    OfCollection,
    Parameters,
    QrelsOrDefault,
    table_response,
)
from evalstore.server.api.paging import (
    Paged,
    PagedOfCollection,
    cursor,
    page,
    page_of,
    pages_of,
    read_cursor,
)
from evalstore.tracking.comments import run_comments
from evalstore.tracking.run_overview import ancestor_ids, as_dict, run_facts
from evalstore.transfer.export import run_lists

RANKING_COLUMNS = pa.schema(
    [("qid", pa.string()), ("rank", pa.int64()), ("docno", pa.string()), ("score", pa.float64())]
)
Conditions = Annotated[
    list[Name],
    Field(max_length=MOST_NAMED, description="Conditions that all hold; may be repeated."),
]


class ListedRun(Content):
    """A run with its figures under a qrels."""

    id: int
    collection: str
    engine: str
    run: str
    experiment: str | None
    date: datetime = Field(description="When its engine started, else when it was stored.")
    date_is: Literal["started", "stored"]
    stored_at: datetime
    queries: int = Field(description="That the figures are over: all of the qrels.")
    answered: int = Field(description="Queries for which the run has a ranking.")
    tags: list[str]
    qrels: str
    values_only: bool
    values: dict[str, float] = Field(description="By measure; without what is missing.")
    columns: dict[str, Any] = Field(description="The facts that were asked for, by name.")


RunList = pages_of(ListedRun, "runs", "RunList", "A page of runs.")


class RunsParameters(PagedOfCollection):
    """Choice of runs, their order and their figures."""

    qrels: Name | None = Field(None, description="Figures under this qrels.")
    measure: Measures = Field(default=list(BOARD_MEASURES))
    sort: Name | None = Field(
        None, description="A measure, the best first, or a column; a leading - turns it round."
    )
    engine: Name | None = Field(None, description="Only of this engine.")
    experiment: Name | None = Field(None, description="Only of this experiment.")
    tag: Name | None = Field(None, description="Only with this tag.")
    where: Conditions = Field(
        default=[], description="Only with such a fact: `k1>=0.9`; may be repeated."
    )
    find: Name | None = Field(
        None, description="Only with these words in a name, tag, note, parameter or header."
    )
    since: Name | None = Field(
        None, description="Only with a date from this one on: `2026-06-01`, `2026-06`, `7d`; UTC."
    )
    until: Name | None = Field(
        None, description="Only with a date up to this one, all of its day or month."
    )
    columns: Annotated[list[Name], Field(max_length=MOST_NAMED)] = Field(
        default=[], description="Facts to list, like `k1` or `commit`; may be repeated."
    )


class Run(Content):
    """All that is recorded of a run; what was not given is null."""

    model_config = ConfigDict(extra="allow")  # new versions add facts

    run: str
    id: int
    collection: str
    engine: str
    experiment: str | None
    tag: str
    created_at: datetime
    queries: int
    retrieved: int | None
    values_only: bool
    content_hash: str
    parameters: dict[str, Any]
    tags: list[str]
    note: str | None


class Ancestors(Content):
    """The run that a run was derived from."""

    ancestors: list[int] = Field(description="Ids of runs, the parent first.")


class RunParameters(Parameters):
    """Of which collection."""

    collection: OfCollection = None


class Comment(Content):
    """A comment on a run."""

    id: int
    who: str
    created_at: datetime
    text: str = Field(description="Markdown.")


CommentList = pages_of(Comment, "comments", "CommentList", "A page of the comments on a run.")


class CommentsParameters(Paged):
    """Of which run."""

    collection: OfCollection = None


class Hit(Content):
    """A document in a ranking."""

    rank: int
    docno: str
    score: float | None


class Ranking(Content):
    """The ranking of a query."""

    qid: str
    documents: list[Hit]


class Rankings(Content):
    """A page of the rankings of a run, a row a query."""

    collection: str
    run: str
    rankings: list[Ranking]
    next: str | None


class RankingsParameters(Paged):
    """Which rankings."""

    limit: int = Field(10, ge=1, le=100, description="Queries of a page.")
    query: Name | None = Field(None, description="Only the ranking of this query.")
    depth: int | None = Field(
        None, ge=1, description="Only the first so many documents of each query."
    )


class QueryValues(Content):
    """The values of a query."""

    qid: str
    answered: bool = Field(description="Whether the run has a ranking for it.")
    values: dict[str, float | None] = Field(description="By measure.")


class Values(Content):
    """A page of the values of a run, a row a query that the qrels judges."""

    collection: str
    run: str
    qrels: str
    queries: list[QueryValues]
    next: str | None


class ValuesParameters(Paged):
    """Which values."""

    measure: Measures = Field(default=list(BOARD_MEASURES))
    qrels: QrelsOrDefault = None


def list_runs(call: Call, chosen: RunsParameters) -> dict[str, Any]:
    """The stored runs and their figures, chosen and sorted as by `evalstore runs`.

    `where` names a fact as `evalstore runs show` does; a parameter may be named alone (`k1`).
    """
    names = {"collection", "qrels", "engine", "experiment", "tag", "find"}
    choice = Choice(
        **chosen.model_dump(include=names),
        since=None if chosen.since is None else date_span("since", chosen.since)[0],
        until=None if chosen.until is None else date_span("until", chosen.until)[1],
        where=parse_conditions(chosen.where),
        columns=tuple(chosen.columns),
    )
    measures = list(named_measures(chosen.measure).values())
    runs = sorted_runs(call.store, measures, choice, chosen.sort)
    part, following = page(runs, lambda run: run.id, call, chosen)
    wanted = {str(measure) for measure in measures}
    listed = [
        replace(run, values={name: run.values[name] for name in run.values if name in wanted})
        for run in with_values(call.store, list(part), measures)
    ]
    return {"runs": listed, "next": following}


def show_run(call: Call, chosen: Parameters, collection: str, run: str) -> dict[str, Any]:
    """All that is recorded of a run, named by its name or id, as `evalstore runs show` has it."""
    return as_dict(run_facts(call.store, run, collection))


def find_run(call: Call, chosen: RunParameters, run: str) -> dict[str, Any]:
    """All that is recorded of a run, of whichever collection it is."""
    return as_dict(run_facts(call.store, run, chosen.collection))


def comments_on_run(call: Call, chosen: CommentsParameters, run: str) -> dict[str, Any]:
    """The comments on a run, the oldest first."""
    comments = run_comments(call.store, run, chosen.collection)
    return page_of("comments", comments, lambda comment: comment.id, call, chosen)


def ancestors_of_run(call: Call, chosen: Parameters, collection: str, run: str) -> dict[str, Any]:
    """The ids of the runs that a run was derived from: its parent, the parent of that, and so on.

    Runs that were removed are among them.
    """
    return {"ancestors": ancestor_ids(call.store, run_facts(call.store, run, collection).id)}


def rankings(
    call: Call, chosen: RankingsParameters, collection: str, run: str
) -> dict[str, Any] | Response:
    """The rankings of a run: JSON in pages of some queries, Arrow and Parquet as a whole.

    Queries are in byte order of their ids; documents, order and scores are those of the run.
    """
    name = run_facts(call.store, run, collection).name
    if call.media_type != JSON:
        with run_lists(call.store, name, collection, query=chosen.query) as lists:
            parts = (_ranking_table(*_cut(each, chosen.depth)) for each in lists.lists)
            return table_response(call.media_type, RANKING_COLUMNS, parts)
    after = None if chosen.cursor is None else str(read_cursor(call, chosen.cursor)[1])
    with run_lists(call.store, name, collection, after=after, query=chosen.query) as lists:
        part = list(islice(lists.lists, chosen.limit + 1))
    if chosen.query is not None and not part and after is None:
        raise NotFound(f"run {name!r} has no ranking for query {chosen.query!r}")
    page_ = part[: chosen.limit]
    following = cursor(call, 0, page_[-1][0]) if len(part) > len(page_) else None
    ranked = [
        {
            "qid": qid,
            "documents": [
                {"rank": rank, "docno": docno, "score": score}
                for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1)
            ],
        }
        for qid, docnos, scores in (_cut(each, chosen.depth) for each in page_)
    ]
    return {"collection": collection, "run": name, "rankings": ranked, "next": following}


def _cut(ranking: List, depth: int | None) -> List:
    """The first `depth` documents of a ranking; all if `depth` is None."""
    qid, docnos, scores = ranking
    return qid, docnos[:depth], scores[:depth]


def _ranking_table(qid: str, docnos: list[str], scores: list[float]) -> pa.Table:
    ranks = range(1, len(docnos) + 1)
    columns = {"qid": [qid] * len(docnos), "rank": ranks, "docno": docnos, "score": scores}
    return pa.table(columns, RANKING_COLUMNS)


def values(
    call: Call, chosen: ValuesParameters, collection: str, run: str
) -> dict[str, Any] | Response:
    """The values of a run, a row a judged query; those that are not stored are computed.

    Arrow and Parquet have a column for each measure, and all queries.
    """
    name = run_facts(call.store, run, collection).name
    measures = named_measures(chosen.measure)
    loaded = load_stored_runs(
        call.store, [name], measures, collection=collection, qrels=chosen.qrels
    )
    if loaded.obstacle is not None:
        raise NotComparable(f"run {name!r} has no values under that qrels")
    stored = loaded.runs[0]
    if call.media_type != JSON:
        return _value_table(call.media_type, stored)
    table = {measure: column.tolist() for measure, column in stored.values.items()}
    rows = [
        {
            "qid": qid,
            "answered": bool(answered),
            "values": {measure: column[number] for measure, column in table.items()},
        }
        for number, (qid, answered) in enumerate(zip(stored.qids, stored.answered, strict=True))
    ]
    part, following = page(rows, lambda row: str(row["qid"]), call, chosen)
    return {
        "collection": collection,
        "run": name,
        "qrels": stored.qrels,
        "queries": part,
        "next": following,
    }


def _value_table(media_type: str, stored: RunValues) -> Response:
    columns: dict[str, Any] = {"qid": stored.qids, "answered": stored.answered, **stored.values}
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    return table_response(media_type, table.schema, [table])
