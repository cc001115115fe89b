"""The join of a run and a qrels: the retrieved documents that are judged, and their ranks.

Only this package compares the document ids of both; measures work on numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import Disjoint, MeasureError
from evalstore.formats import ties
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.reading import ids
from evalstore.formats.reading.ids import I64, U64
from evalstore.formats.run import Run
from evalstore.formats.trec.preferences import Preferences
from evalstore.measures.judged import (
    F64,
    CompatMode,
    Judged,
    Pool,
    PreferenceGroup,
    QueryPreferences,
    Subtopics,
    as_set,
    group_of,
    ties_ascending,
)


def match(
    run: Run,
    qrels: Qrels,
    *,
    compat: CompatMode = "exact",
    common: bool = False,
    depth: int | None = None,
    judged_only: bool = False,
    extras: Extras | None = None,
) -> Judged:
    """Join a run to a qrels; the queries of the result are sorted by bytes.

    Args:
        run: the run.
        qrels: the judgments.
        compat: `trec_eval-9` holds scores as 32-bit floats.
        common: evaluate only the queries that the run answered (trec_eval's default) instead of
            all of the qrels (trec_eval -c).
        depth: cut every ranking after this many documents (trec_eval -M).
        judged_only: drop documents without a judgment, after `depth` (trec_eval -J).
        extras: facts that some measures need beside the two; an impossible value is a MeasureError.
    """
    run = ties.settled(ties.rounded(run) if compat == "trec_eval-9" else run)
    marked = qrels.memo("marked keys", lambda: MarkedKeys(qrels.keys, qrels.by_key))
    in_run = numbers_among(run.qids, qrels.qids)
    strata = _strata_of(qrels)
    qrels_query, best_first = qrels.row_query, qrels.best_first
    judged_rows, judgments = join(run, marked, qrels.docnos, qrels_query, in_run)

    kept = np.flatnonzero(in_run >= 0) if common else np.arange(len(qrels.qids))
    position = np.full(len(qrels.qids), -1, np.int64)
    position[kept] = np.arange(len(kept))
    retrieved = np.append(run.lengths, 0)[in_run[kept]]

    query = qrels_query[judgments]
    ranks = judged_rows - run.starts[in_run[query]] + 1
    # No two are the same, and most are in order: then the stable sort is fast.
    by_rank = np.argsort(query * (int(ranks.max(initial=0)) + 1) + ranks, kind="stable")
    if len(kept) == len(qrels.qids):
        pool, pool_rows = pool_of(qrels), best_first
    else:
        pool_rows = best_first[position[qrels_query[best_first]] >= 0]
        pool = Pool(
            len(kept),
            position[qrels_query[pool_rows]],
            qrels.grades[pool_rows],
            None if strata is None else strata[pool_rows],
        )
    judged = Judged(
        qids=tuple(qrels.qids[i] for i in kept),
        query=position[query][by_rank],
        rank=ranks[by_rank],
        grade=qrels.grades[judgments][by_rank],
        score=run.scores[judged_rows][by_rank],
        retrieved=retrieved,
        answered=in_run[kept] >= 0,
        pool=pool,
        highest_grade=float(max(qrels.grades.max(initial=0), 0)),
        compat=compat,
        strata=None if strata is None else strata[judgments][by_rank],
    )
    if extras is not None:
        judged = with_extras(judged, run, extras, depth)
        if extras.known is not None:
            known = known_documents(qrels, qrels_query, extras.known)
            judged = replace(judged, known=known[judgments][by_rank], pool_known=known[pool_rows])
    if depth is not None:
        judged = judged.cut(depth)
    return judged.condensed() if judged_only else judged


def check_shared_queries(
    run: Run, qrels: Qrels, *, allow_disjoint: bool = False
) -> tuple[str, ...]:
    """Warnings about queries that a run and a qrels do not share, one sentence each.

    Queries of the run without judgments are never evaluated. Judged queries that the run did not
    answer are evaluated as empty rankings; there is a warning if they are more than half. A run and
    a qrels without a common query raise Disjoint, unless that is allowed.
    """
    judged = set(qrels.qids)
    missing = [qid for qid in run.qids if qid not in judged]
    answered = len(run.qids) - len(missing)
    if not answered:
        which = f"none of its queries ({len(missing):,})"
        sentence = f"{run.path}: {which} is in the qrels {qrels.path}"
        if not allow_disjoint:
            raise Disjoint(f"{sentence}: is one of another collection?")
        return (f"{sentence}: every ranking counts as empty",)
    warnings = []
    if missing:
        names = ", ".join(map(repr, missing[:3])) + (", ..." if len(missing) > 3 else "")
        warnings.append(
            f"{run.path}: {len(missing):,} of {len(run.qids):,} queries have no judgments and "
            f"count nowhere: {names}"
        )
    if 2 * answered < len(judged):
        warnings.append(
            f"{run.path}: only {answered:,} of the {len(judged):,} judged queries are answered; "
            "the others count as empty rankings"
        )
    return tuple(warnings)


TOP = 10
"""The ranks whose share of judged documents is shown beside figures."""
LITTLE = 1 / 3
"""A smaller share of judged documents is warned about."""


def judged_in_top(judged: Judged) -> float:
    """The share of the documents at ranks 1 to 10 that are judged; NaN if there is none."""
    retrieved = int(np.minimum(judged.retrieved, TOP).sum())
    if retrieved == 0:
        return float("nan")
    return int(np.count_nonzero((judged.rank <= TOP) & (judged.grade >= 0))) / retrieved


def check_judged_documents(
    run: Run, qrels: Qrels, judged: Judged, *, allow_disjoint: bool = False
) -> tuple[str, ...]:
    """The warning about a run whose documents are hardly judged; `judged` is their `match`.

    Disjoint is raised, unless that is allowed, if none of its documents is judged: query ids like
    1, 2, 3 occur in many collections.
    """
    documents = int(judged.retrieved.sum())
    if not documents:
        return ()
    if not len(judged.rank):
        both = (
            f"{docnos[0].as_py().decode(errors='replace')!r}"
            for docnos in (run.docnos, qrels.docnos)
        )
        sentence = (
            f"{run.path}: none of its {documents:,} documents is judged in the qrels {qrels.path} "
            f"(documents like {' and '.join(both)})"
        )
        if not allow_disjoint:
            raise Disjoint(f"{sentence}: is one of another collection?")
        return (sentence,)
    share = judged_in_top(judged)
    if share < LITTLE:
        return (
            f"{run.path}: only {100 * share:.0f} % of its documents at ranks 1 to {TOP} are "
            "judged, and the others count as not relevant: figures may be too low",
        )
    return ()


def pool_of(qrels: Qrels) -> Pool:
    """All judgments as the measures use them: the same object at each call."""
    rows, count, strata = qrels.best_first, len(qrels.qids), _strata_of(qrels)
    own = None if strata is None else strata[rows]
    return qrels.memo("pool", lambda: Pool(count, qrels.row_query[rows], qrels.grades[rows], own))


def _strata_of(qrels: Qrels) -> I64 | None:
    """The strata of all queries by number, one for each judgment, as in `Pool.stratum`."""
    if qrels.strata is None:
        return None
    column = qrels.strata

    def build() -> I64:
        encoded = column.dictionary_encode()
        names = np.array(encoded.dictionary.to_pylist(), object)
        by_name = np.argsort(np.argsort(names))
        both = qrels.row_query * len(names) + by_name[encoded.indices.to_numpy()]
        return np.unique(both, return_inverse=True)[1]

    return qrels.memo("strata", build)


# Rows of a run and of judgments that name the same document for the same query

Bool = npt.NDArray[np.bool_]


class MarkedKeys:
    """The keys of judged documents, and a table of their top bits.

    Attributes:
        by_key: int64, the rows of the judgments in the order of their keys.
        keys: uint64, the keys in this order.
        shift: how many lower bits of a key `seen` leaves out.
        seen: bool, for all values of the top bits whether a key has them.
    """

    def __init__(self, keys: U64, by_key: I64) -> None:
        self.by_key, self.keys = by_key, keys[by_key]
        bits = int(np.clip(np.ceil(np.log2(len(keys) + 1)) + 5, 10, 24))
        self.shift = np.uint64(64 - bits)
        self.seen = np.zeros(1 << bits, bool)
        self.seen[self.keys >> self.shift] = True


def join(
    run: Run, judged: MarkedKeys, docnos: pa.Array, queries: I64, lists: I64
) -> tuple[I64, I64]:
    """The rows of the run and of the other side that name the same document for the same query.

    Both sides have 64-bit hash keys of (query, docno), unique on the other side. The table of marks
    excludes most rows of the run. The rest is looked up by key. Equal keys can be made on purpose:
    the ids are compared too, and so are the queries.

    Args:
        run: the run.
        judged: the keys of the other side.
        docnos: the ids of the other side.
        queries: int64, the query of each row of the other side.
        lists: int64, for each query of the other side the index in `run.qids`; -1 if there is none.
    """
    keys = judged.keys
    maybe = np.flatnonzero(judged.seen[(run.keys >> judged.shift).view(np.int64)])
    wanted = run.keys[maybe]
    at = np.searchsorted(keys, wanted)
    same_key = keys[np.minimum(at, len(keys) - 1)] == wanted
    rows, theirs = maybe[same_key], judged.by_key[at[same_key]]
    own = lists[queries[theirs]]
    place = rows - run.starts[own]
    same = (own >= 0) & (place >= 0) & (place < run.lengths[own])
    same &= ids.equal(run.docnos, rows, docnos, theirs)
    return rows[same], theirs[same]


def numbers_among(others: Sequence[str], qids: Sequence[str]) -> I64:
    """The index in `others` of each query of `qids`, int64; -1 if it is not there."""
    numbers = {qid: i for i, qid in enumerate(others)}
    return np.array([numbers.get(qid, -1) for qid in qids], np.int64)


# Facts and judgments that only some measures need, joined to a run and a qrels


@dataclass(frozen=True)
class Extras:
    """Facts and judgments that some measures need beside a run and a qrels.

    Attributes:
        collection_size: how many documents the collection has.
        known: the documents each query's user knew before, by query id.
        times: the milliseconds each query took, by query id.
        index_bytes: the size of the engine's index.
        memory_bytes: the most memory that the engine used.
        money, currency, energy_joules: the cost of all queries of the run together.
        judgment_groups: judgments by judgment group, which are the `subtopics` of these.
        preferences: without them the grades of the qrels are the preferences.
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
        subtopics=_subtopics(judged, run, extras.subtopics),
        judgment_groups=_subtopics(judged, run, extras.judgment_groups),
        preferences=_preferences(judged, run, extras.preferences),
    )


def _distinct(judged: Judged, run: Run, depth: int | None) -> int:
    """The number of different documents that the run retrieves for the queries evaluated."""
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
        rank: int64 (d), its rank in the run; 0 if it was not retrieved.
        score: float64 (d), of the engine.
    """

    rows: I64
    query: I64
    document: I64
    document_query: I64
    rank: I64
    score: F64


def _located(judged: Judged, run: Run, file: SubtopicQrels | Preferences) -> Located:
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
    rank[documents] = rows_of_run - run.starts[lists[query[first][documents]]] + 1
    score[documents] = run.scores[rows_of_run]
    return Located(rows, query, np.cumsum(new) - 1, query[first], rank, score)


def _subtopics(judged: Judged, run: Run, qrels: SubtopicQrels | None) -> Subtopics | None:
    if qrels is None:
        return None
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


def _preferences(
    judged: Judged, run: Run, preferences: Preferences | None
) -> tuple[QueryPreferences, ...] | None:
    """Join a run to preferences; a query without any has no judgment group."""
    if preferences is None:
        return None
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
