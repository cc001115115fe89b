"""Which documents that a run retrieved are judged, and at which rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evalstore.errors import Disjoint
from evalstore.formats import ties
from evalstore.formats.qrels import Qrels
from evalstore.formats.run import Run
from evalstore.measures.extras import Extras, known_documents, with_extras
from evalstore.measures.join_part import MarkedKeys, join, numbers_among
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.pool import Pool


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
    """Join a run to a qrels.

    Args:
        run: the run; ties are resolved here where they contain a judged document.
        qrels: the judgments.
        compat: `trec_eval-9` holds scores as 32-bit floats.
        common: evaluate only the queries that the run answered (trec_eval's default) instead of
            all of the qrels (trec_eval -c).
        depth: cut every ranking after this many documents (trec_eval -M).
        judged_only: drop documents without a judgment, after `depth` (trec_eval -J).
        extras: facts that some measures need beside the two.

    Returns:
        Judged, its queries sorted by bytes.

    Raises:
        MeasureError: an extra has an impossible value.
    """
    if compat == "trec_eval-9":
        run = ties.rounded(run)
    marked = qrels.memo("marked keys", lambda: MarkedKeys(qrels.keys, qrels.by_key))
    in_run = numbers_among(run.qids, qrels.qids)
    qrels_query, best_first = qrels.row_query, qrels.best_first
    judged_rows, judgments = join(run, marked, qrels.docnos, qrels_query, in_run)

    kept = np.flatnonzero(in_run >= 0) if common else np.arange(len(qrels.qids))
    position = np.full(len(qrels.qids), -1, np.int64)
    position[kept] = np.arange(len(kept))
    retrieved = np.append(run.lengths, 0)[in_run[kept]]

    query = qrels_query[judgments]
    ranks = ties.ranks(run, judged_rows, in_run[query])
    # No two are the same, and most are in order: the stable sort is fast where that is so.
    by_rank = np.argsort(query * (int(ranks.max(initial=0)) + 1) + ranks, kind="stable")
    if len(kept) == len(qrels.qids):
        pool, pool_rows = pool_of(qrels), best_first
    else:
        pool_rows = best_first[position[qrels_query[best_first]] >= 0]
        pool = Pool(len(kept), position[qrels_query[pool_rows]], qrels.grades[pool_rows])
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
    )
    if extras is not None:
        judged = with_extras(judged, run, extras, depth)
        if extras.known is not None:
            known = known_documents(qrels, qrels_query, extras.known)
            judged = replace(
                judged,
                known=known[judgments][by_rank],
                pool_known=known[pool_rows],
            )
    if depth is not None:
        judged = judged.cut(depth)
    return judged.condensed() if judged_only else judged


def check_shared_queries(
    run: Run, qrels: Qrels, *, allow_disjoint: bool = False
) -> tuple[str, ...]:
    """Warnings about queries that a run and a qrels do not share, one sentence each.

    Queries of the run without judgments are never evaluated. Judged queries that the run did not
    answer are evaluated as empty rankings; there is a warning if they are more than half.

    Raises:
        Disjoint: they share no query, and that is not allowed: one is of another collection.
    """
    judged = set(qrels.qids)
    missing = [qid for qid in run.qids if qid not in judged]
    answered = len(run.qids) - len(missing)
    if not answered:
        sentence = (
            f"{run.path}: none of its queries ({len(missing):,}) is in the qrels {qrels.path}"
        )
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


def pool_of(qrels: Qrels) -> Pool:
    """All judgments as the measures use them: the same object at each call."""
    rows = qrels.best_first

    def build() -> Pool:
        return Pool(len(qrels.qids), qrels.row_query[rows], qrels.grades[rows])

    return qrels.memo("pool", build)
