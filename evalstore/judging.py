"""Hold a run against a qrels: which retrieved documents are judged, and at which rank.

The one place where document ids of the two sides meet; everything after sees numbers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from evalstore.measures.judged import Compat, Judged
from evalstore.trec import order
from evalstore.trec.ids import I64, U64
from evalstore.trec.qrels import Qrels
from evalstore.trec.run import Run


def judge(run: Run, qrels: Qrels, *, compat: Compat = "exact", common: bool = False) -> Judged:
    """Join a run to a qrels.

    Args:
        run: as read; ties are settled here where a judged document takes part.
        qrels: as read.
        compat: `trec_eval-9` holds scores as 32-bit floats.
        common: evaluate only the queries that the run answered (trec_eval's default) instead of
            all of the qrels (trec_eval -c).

    Returns:
        Judged, its queries sorted by bytes.
    """
    if compat == "trec_eval-9":
        run = order.rounded(run)
    judged_rows, judgments = _join(run, qrels)

    place = {qid: i for i, qid in enumerate(run.qids)}
    in_run = np.array([place.get(qid, -1) for qid in qrels.qids], np.int64)
    kept = np.flatnonzero(in_run >= 0) if common else np.arange(len(qrels.qids))
    position = np.full(len(qrels.qids), -1, np.int64)
    position[kept] = np.arange(len(kept))
    retrieved = np.append(run.lengths, 0)[in_run[kept]]

    qrels_query = np.repeat(np.arange(len(qrels.qids)), qrels.lengths)
    query = qrels_query[judgments]
    ranks = order.ranks(run, judged_rows, in_run[query])
    by_rank = np.lexsort((ranks, query))
    best_first = np.lexsort((-qrels.grades, qrels_query))
    pool_query = position[qrels_query[best_first]]
    in_pool = pool_query >= 0
    return Judged(
        qids=tuple(qrels.qids[i] for i in kept),
        query=position[query][by_rank],
        rank=ranks[by_rank],
        grade=qrels.grades[judgments][by_rank],
        score=run.scores[judged_rows][by_rank],
        retrieved=retrieved,
        answered=in_run[kept] >= 0,
        pool_query=pool_query[in_pool],
        pool_grade=qrels.grades[best_first][in_pool],
        highest_grade=float(max(qrels.grades.max(initial=0), 0)),
        compat=compat,
    )


def unjudged_queries(run: Run, qrels: Qrels) -> tuple[str, ...]:
    """The queries of the run that the qrels does not have: never evaluated, but worth a word."""
    judged = set(qrels.qids)
    return tuple(qid for qid in run.qids if qid not in judged)


def _join(run: Run, qrels: Qrels) -> tuple[I64, I64]:
    """Rows of the run and rows of the qrels that name the same document for the same query.

    Both sides carry 64-bit keys of (query, docno). A table of bits, one for each value of a key's
    top bits that occurs in the qrels, leaves few rows of the run to look up; what is found is then
    compared by the ids themselves.
    """
    by_key = np.argsort(qrels.keys)
    keys = qrels.keys[by_key]
    bits = int(np.clip(np.ceil(np.log2(len(keys) + 1)) + 5, 10, 24))
    shift = np.uint64(64 - bits)
    seen = np.zeros(1 << bits, bool)
    seen[keys >> shift] = True
    maybe = np.flatnonzero(seen[run.keys >> shift])
    at = np.searchsorted(keys, run.keys[maybe])
    found = keys[np.minimum(at, len(keys) - 1)] == run.keys[maybe]
    rows, judgments = maybe[found], by_key[at[found]]
    same = _same_ids(run, rows, qrels, judgments)
    return rows[same], judgments[same]


def _same_ids(run: Run, rows: I64, qrels: Qrels, judgments: I64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    left = run.docnos.take(pa.array(rows)).to_pylist()
    right = qrels.docnos.take(pa.array(judgments)).to_pylist()
    return np.array([a == b for a, b in zip(left, right, strict=True)], bool)


__all__ = ["U64", "judge", "unjudged_queries"]
