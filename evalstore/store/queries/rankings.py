"""The rankings of a run: packed lists, and the top of each list as rows."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection, func, select

from evalstore.errors import NoRankings
from evalstore.formats.run import Run
from evalstore.store import packing
from evalstore.store.columns import F64, I64, RankingRows
from evalstore.store.models import (
    evaluation_t,
    hit_t,
    measurement_t,
    query_t,
    ranking_t,
    retrieved_t,
    run_t,
)
from evalstore.store.queries.runs import StoredRun, content_of
from evalstore.store.rows import insert_columns

MOST_NAMED = 5
"""The largest number of measures that a message names."""

TOGETHER = 100
"""Packed rankings in memory at once when they are read one after the other."""


class Tops(NamedTuple):
    """The first documents of a run's lists.

    Attributes:
        qids: the queries answered.
        ends: int64, one element more than `qids`: 0, then the end of each list.
        docnos: binary, one list after the other, in order of rank.
    """

    qids: tuple[str, ...]
    ends: I64
    docnos: pa.Array


def iter_rankings(
    connection: Connection, run: int, *, after: str | None = None, query: str | None = None
) -> Generator[tuple[str, bytes], None, None]:
    """The packed rankings of all queries, of those after a qid, or of one, in byte order of qids.

    Only few are in memory at a time. Close the generator (`contextlib.closing`) if the work on a
    ranking may raise: a cursor of PostgreSQL stays open until the last ranking.
    """
    table = ranking_t
    chosen = (
        select(query_t.c.qid, table.c.packed)
        .join(query_t, query_t.c.id == table.c.query_id)
        .where(table.c.content_id == content_of(run))
        .order_by(query_t.c.qid)
        .execution_options(yield_per=TOGETHER)
    )
    if after is not None:
        chosen = chosen.where(query_t.c.qid > after)
    if query is not None:
        chosen = chosen.where(query_t.c.qid == query)
    with connection.execute(chosen) as rows:
        for row in rows:
            yield row[0], row[1]


def no_rankings(run: StoredRun, measures: Iterable[object] = ()) -> NoRankings:
    """The error for a run that was given as values; it names the measures to be computed."""
    names = list(map(str, measures))
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    message = f"run {run.name!r} came as values, without rankings"
    if not names:
        return NoRankings(message)
    return NoRankings(
        f"{message}, so {', '.join(names[:MOST_NAMED])}{more} can't be computed",
        problem="not among values",
    )


def load_run(connection: Connection, run: StoredRun) -> Run:
    """Load a stored run with resolved ties; NoRankings if it was given as values."""
    if run.values_only:
        raise no_rankings(run)
    qids, lists, scores = [], [], []
    with closing(iter_rankings(connection, run.id)) as rankings:
        for qid, packed in rankings:
            docnos, values = packing.unpack(packed)
            qids.append(qid)
            lists.append(docnos)
            scores.append(values)
    lengths = np.array([len(values) for values in scores], np.int64)
    return Run(
        path=run.name,
        tag=run.tag,
        qids=tuple(qids),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=pa.concat_arrays(lists),
        scores=np.concatenate(scores),
        is_settled=True,
    )


def load_tops(connection: Connection, run: StoredRun, depth: int) -> Tops:
    """The first documents of every list of a stored run; NoRankings if it was given as values."""
    if run.values_only:
        raise no_rankings(run)
    qids, lists = [], []
    with closing(iter_rankings(connection, run.id)) as rankings:
        for qid, packed in rankings:
            qids.append(qid)
            lists.append(packing.unpack_docnos(packed).slice(0, depth))
    ends = np.cumsum([0, *map(len, lists)])
    return Tops(tuple(qids), ends, pa.concat_arrays(lists))


def load_rankings(
    connection: Connection, run_ids: Collection[int], query_id: int
) -> dict[int, tuple[pa.Array, F64]]:
    """The results of `packing.unpack` for a query, by the id of each run that answers it."""
    rows = connection.execute(
        select(run_t.c.id, ranking_t.c.packed)
        .join(ranking_t, ranking_t.c.content_id == run_t.c.content_id)
        .where(run_t.c.id.in_(run_ids), ranking_t.c.query_id == query_id)
    )
    return {run_id: packing.unpack(packed) for run_id, packed in rows}


def packed_bytes(connection: Connection, run_id: int) -> int:
    """The bytes that the packed rankings of a run take."""
    table = ranking_t
    own = table.c.content_id == content_of(run_id)
    size = select(func.sum(func.length(table.c.packed))).where(own)
    return int(connection.execute(size).scalar() or 0)


def add_tops(connection: Connection, content_id: int, content: RankingRows, query_ids: I64) -> None:
    """Store the top of each ranking as rows; `query_ids` are the ids of `content.qids`."""
    insert_columns(
        connection,
        retrieved_t,
        {
            "query_id": query_ids[content.top_query],
            "rank": content.top_rank,
            "docno": content.top_docno,
            "score": content.top_score,
        },
        {"content_id": content_id},
    )


def add_rankings(
    connection: Connection, content_id: int, content: RankingRows, query_ids: I64
) -> None:
    """Store rankings once they are packed; `query_ids` are those of `content.qids`."""
    insert_columns(
        connection,
        ranking_t,
        {"query_id": query_ids, "retrieved": content.lengths, "packed": content.packed},
        {"content_id": content_id},
    )


def unanswered_queries(connection: Connection, run: StoredRun, qids: Iterable[str]) -> list[str]:
    """The query ids for which a run has no ranking (or no value), in the given order."""
    if run.values_only:
        answers = (
            select(measurement_t.c.query_id)
            .join(evaluation_t, evaluation_t.c.id == measurement_t.c.evaluation_id)
            .where(evaluation_t.c.content_id == content_of(run.id))
        )
    else:
        own = ranking_t.c.content_id == content_of(run.id)
        answers = select(ranking_t.c.query_id).where(own)
    rows = connection.execute(select(query_t.c.qid).where(query_t.c.id.in_(answers)))
    answered = set(rows.scalars())
    return [qid for qid in qids if qid not in answered]


# Hits, the relevant documents that runs retrieved, for one query or a whole evaluation


@dataclass(frozen=True, eq=False)
class EvaluationHits:
    """The hits of an evaluation, and the lengths of the rankings of its run.

    Attributes:
        lengths: the number of documents retrieved, by query id, for answered queries.
        qid: the query id of each hit.
        rank: int64, from 1; ascending within a query.
        grade, score: float64.
    """

    lengths: dict[str, int]
    qid: tuple[str, ...]
    rank: I64
    grade: F64
    score: F64


def load_hits(connection: Connection, evaluation_id: int, run_id: int) -> EvaluationHits:
    """The hits of an evaluation, with the lengths of the rankings of its run."""
    lengths = connection.execute(
        select(ranking_t.c.query_id, query_t.c.qid, ranking_t.c.retrieved)
        .join(query_t, query_t.c.id == ranking_t.c.query_id)
        .where(ranking_t.c.content_id == content_of(run_id))
    ).all()
    qid_of = {row[0]: row[1] for row in lengths}
    rows = connection.execute(
        select(hit_t.c.query_id, hit_t.c.rank, hit_t.c.grade, hit_t.c.score)
        .where(hit_t.c.evaluation_id == evaluation_id)
        .order_by(hit_t.c.query_id, hit_t.c.rank)
    ).all()
    query, rank, grade, score = zip(*rows, strict=True) if rows else ((), (), (), ())
    return EvaluationHits(
        {row[1]: row[2] for row in lengths},
        tuple(map(qid_of.__getitem__, query)),
        np.array(rank, np.int64),
        np.array(grade, np.float64),
        np.array(score, np.float64),
    )
