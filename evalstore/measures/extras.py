"""What only some measures need beside a run and a qrels, joined to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from evalstore.errors import MeasureError
from evalstore.formats import ids, ties
from evalstore.formats.ids import I64
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.run import Run
from evalstore.formats.trec.preferences import Preferences
from evalstore.measures.join_part import MarkedKeys, join, numbers_among
from evalstore.measures.judged import Judged, Subtopics
from evalstore.measures.preference_groups import (
    PreferenceGroup,
    QueryPreferences,
    as_set,
    group_of,
    ties_ascending,
)
from evalstore.measures.segments import F64

Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Extras:
    """What some measures need beside a run and a qrels.

    Attributes:
        collection_size: how many documents the collection has.
        known: the documents each query's user knew before, by query id.
        times: the milliseconds each query took, by query id.
        index_bytes: the size of the engine's index.
        memory_bytes: the most memory that the engine used.
        money, currency: what all queries of the run together cost.
        energy_joules: the energy that all queries of the run together took.
        subtopics: judgments by subtopic.
        judgment_groups: judgments by judgment group, which are the `subtopics` of these.
        preferences: preferences between documents; without them the grades of the qrels are the
            preferences.
    """

    collection_size: int | None = None
    known: Mapping[str, Collection[str]] | None = None
    times: Mapping[str, float] | None = None
    index_bytes: int | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    subtopics: SubtopicQrels | None = None
    judgment_groups: SubtopicQrels | None = None
    preferences: Preferences | None = None


def with_extras(judged: Judged, run: Run, extras: Extras, depth: int | None) -> Judged:
    """Add the extras that do not belong to single judged documents."""
    times, distinct = None, None
    if extras.times is not None:
        if any(not 0 <= time < float("inf") for time in extras.times.values()):
            raise MeasureError("a query can't take less than no time, nor for ever")
        times = np.array([extras.times.get(qid, np.nan) for qid in judged.qids], np.float64)
    if extras.collection_size is not None:
        distinct = _distinct(judged, run, depth)
        if extras.collection_size < max(distinct, 1):
            raise MeasureError(
                f"the collection can't have {extras.collection_size:,} documents: the run "
                f"retrieves {distinct:,}"
            )
    if extras.index_bytes is not None and extras.index_bytes < 0:
        raise MeasureError(f"an index can't have {extras.index_bytes:,} bytes")
    if extras.memory_bytes is not None and extras.memory_bytes < 0:
        raise MeasureError(f"an engine can't use {extras.memory_bytes:,} bytes of memory")
    for name, amount in (("money", extras.money), ("energy", extras.energy_joules)):
        if amount is not None and not 0 <= amount < float("inf"):
            raise MeasureError(f"the {name} of a run can't be {amount}")
    if extras.money is not None and not extras.currency:
        raise MeasureError("the money of a run is an amount with its currency")
    by_subtopic, by_group, preferences = (
        extras.subtopics,
        extras.judgment_groups,
        extras.preferences,
    )
    return replace(
        judged,
        times=times,
        collection_size=extras.collection_size,
        distinct=distinct,
        index_bytes=extras.index_bytes,
        memory_bytes=extras.memory_bytes,
        money=extras.money,
        currency=extras.currency,
        energy_joules=extras.energy_joules,
        run_queries=len(run.qids),
        subtopics=None if by_subtopic is None else _subtopics(judged, run, by_subtopic),
        judgment_groups=None if by_group is None else _subtopics(judged, run, by_group),
        preferences=None if preferences is None else _preferences(judged, run, preferences),
    )


def _distinct(judged: Judged, run: Run, depth: int | None) -> int:
    """The number of different documents that the run retrieves for the queries evaluated."""
    if depth is not None:
        run = ties.settled(run)
    wanted = set(judged.qids)
    here = np.array([qid in wanted for qid in run.qids], bool)
    lengths = run.lengths[here] if depth is None else np.minimum(run.lengths[here], depth)
    rows = ids.ranges(run.starts[here], lengths)
    import pyarrow.compute as pc  # noqa: PLC0415  (few measures ask for this)

    return int(pc.count_distinct(ids.take(run.docnos, rows)).as_py())


def known_documents(qrels: Qrels, query: I64, known: Mapping[str, Collection[str]]) -> Bool:
    """For every judgment, whether its user knew the document."""
    sets = [frozenset(doc.encode() for doc in known.get(qid, ())) for qid in qrels.qids]
    flags = np.zeros(len(query), bool)
    some = np.flatnonzero(np.array([bool(s) for s in sets], bool)[query])
    docnos = ids.take(qrels.docnos, some).to_pylist()
    queries = query[some].tolist()
    flags[some] = [doc in sets[q] for doc, q in zip(docnos, queries, strict=True)]
    return flags


@dataclass(frozen=True, eq=False)
class Located:
    """The rows of a file that names documents repeatedly, for the queries evaluated.

    Attributes:
        rows: int64 (n), the rows, by query and document (as bytes).
        query: int64 (n), the query of each.
        document: int64 (n), numbers the documents of all queries.
        document_query: int64 (d), the query of each document.
        rank: int64 (d), its rank in the run; 0 where it was not retrieved.
        score: float64 (d), what the engine gave it.
    """

    rows: I64
    query: I64
    document: I64
    document_query: I64
    rank: I64
    score: F64


def _located(judged: Judged, run: Run, file: SubtopicQrels | Preferences) -> Located:
    """Join a run to a file that names documents repeatedly."""
    position = np.repeat(numbers_among(judged.qids, file.qids), file.lengths)
    rows = np.flatnonzero(position >= 0)
    rows = rows[ids.order_ascending(position[rows], file.docnos, rows)]
    query, keys = position[rows], file.keys[rows]
    new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]  # neighbours name the same document
    first = np.flatnonzero(new)

    named = ids.take(file.docnos, rows[first])
    lists = numbers_among(run.qids, judged.qids)
    marked = MarkedKeys(keys[first], np.argsort(keys[first]))
    rows_of_run, documents = join(run, marked, named, query[first], lists)
    rank, score = np.zeros(len(first), np.int64), np.zeros(len(first))
    rank[documents] = ties.ranks(run, rows_of_run, lists[query[first][documents]])
    score[documents] = run.scores[rows_of_run]
    return Located(rows, query, np.cumsum(new) - 1, query[first], rank, score)


def _subtopics(judged: Judged, run: Run, qrels: SubtopicQrels) -> Subtopics:
    """Join a run to judgments by subtopic or judgment group, for the queries evaluated."""
    located = _located(judged, run, qrels)
    words = ids.take(qrels.subtopics, located.rows).to_pylist()
    names = list(zip(located.query.tolist(), words, strict=True))
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    return Subtopics(
        query=located.query,
        document=located.document,
        subtopic=np.array([number[name] for name in names], np.int64),
        grade=qrels.grades[located.rows],
        rank=located.rank[located.document],
    )


# --- preferences ---------------------------------------------------------------------------------


def _preferences(
    judged: Judged, run: Run, preferences: Preferences
) -> tuple[QueryPreferences, ...]:
    """Join a run to preferences; a query without any has no judgment group."""
    located = _located(judged, run, preferences)
    retrieved = np.flatnonzero(located.rank)
    rank = np.zeros_like(located.rank)
    rank[retrieved] = ties_ascending(
        located.document_query[retrieved], located.rank[retrieved], located.score[retrieved]
    )
    ends = np.searchsorted(located.document_query, np.arange(len(judged) + 1))
    groups: list[tuple[PreferenceGroup, ...]] = [()] * len(judged)
    for query, lines in groupby(_lines(preferences, located), key=itemgetter(0)):
        size = int(ends[query + 1] - ends[query])
        by_group = groupby(lines, key=itemgetter(1))
        groups[query] = tuple(
            _group([line[2:] for line in group], size, int(ends[query])) for _, group in by_group
        )
    return tuple(
        QueryPreferences(rank[ends[i] : ends[i + 1]], groups[i]) for i in range(len(judged))
    )


def _lines(
    preferences: Preferences, located: Located
) -> list[tuple[int, bytes, bytes, float, int]]:
    """(query, group, subgroup, level, document) of each row, the highest level first."""
    columns = (
        located.query.tolist(),
        ids.take(preferences.groups, located.rows).to_pylist(),
        ids.take(preferences.subgroups, located.rows).to_pylist(),
        (-preferences.levels[located.rows]).tolist(),
        located.document.tolist(),
    )
    return [
        (query, group, subgroup, -level, document)
        for query, group, subgroup, level, document in sorted(zip(*columns, strict=True))
    ]


def _group(lines: list[tuple[bytes, float, int]], size: int, first: int) -> PreferenceGroup:
    """The judgment group of its (subgroup, level, document); the query's documents from `first`."""
    subgroups = [
        [
            [document - first for _, _, document in level]
            for _, level in groupby(subgroup, key=itemgetter(1))
        ]
        for _, subgroup in groupby(lines, key=itemgetter(0))
    ]
    nonrelevant = as_set({document - first for _, level, document in lines if level == 0})
    return group_of(size, subgroups, nonrelevant)
