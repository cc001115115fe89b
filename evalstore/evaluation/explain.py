"""One ranking, rank by rank: the computation of a query's values, and the missed documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.names import listed
from evalstore.catalog.qrels import origin_note
from evalstore.errors import NotFound
from evalstore.formats import Qrels, Run, ties
from evalstore.formats.reading.lines import texts
from evalstore.measures import AP, Measure, evaluate
from evalstore.measures.gain import discount_of, gain_of
from evalstore.measures.join import match
from evalstore.measures.judged import CompatMode, Judged
from evalstore.store import Store
from evalstore.store.queries.documents import load_texts
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.qrels import load_qrels
from evalstore.store.queries.queries import load_queries
from evalstore.store.queries.rankings import load_run
from evalstore.store.queries.runs import find_run

LONGEST_TITLE = 100
"""Characters of a title."""


@dataclass(frozen=True)
class ExplainedRank:
    """One rank of a ranking, from 1, with the values of the measures at this rank.

    Attributes:
        grade: None if nobody judged the document.
        found: the number of relevant documents up to this rank.
        gain, discount: the gain of the document's grade, and the divisor of gains at this rank.
        cumulated: the gains up to this rank.
        contribution: the amount that this rank adds to the measure: its value for the ranking cut
            after this rank, less that for the ranking cut before it.
    """

    rank: int
    docno: str
    score: float
    grade: float | None
    relevant: bool
    found: int
    precision: float
    recall: float
    gain: float
    cumulated: float
    discount: float
    dcg: float
    ideal_dcg: float
    ndcg: float
    contribution: float


@dataclass(frozen=True)
class Explained:
    """One query of a run.

    Attributes:
        retrieved: the number of documents that the run has for the query.
        relevant: R, the number of relevant documents in the qrels.
        judged: the number of documents in the qrels with a grade of at least 0.
        ranks: the first ranks.
        hits_below: the ranks of the relevant documents after them.
        missed: the relevant documents that the run did not retrieve, and their grades; the highest
            grade first, then by document in byte order.
        measure, value: the measure to whose value the ranks contribute, and that value.
        rest: what all other ranks add: with the contributions of `ranks` and `hits_below` it is the
            value.
        text: the query's words, if known.
        titles: the known titles of shown and of missed documents.
        notes: on the judgments of a store.
    """

    qid: str
    retrieved: int
    relevant: int
    judged: int
    relstring: str
    ranks: tuple[ExplainedRank, ...]
    hits_below: tuple[ExplainedRank, ...]
    missed: tuple[tuple[str, float], ...]
    measure: str = "AP"
    value: float = 0.0
    rest: float = 0.0
    text: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def explain_query(
    run: Run,
    qrels: Qrels,
    qid: str,
    depth: int = 20,
    *,
    rel: float = 1,
    dcg: str = "log2",
    compat: CompatMode = "exact",
    measure: Measure | None = None,
) -> Explained:
    """The computation of the values of one query at the first `depth` ranks, and at later hits.

    Grades of at least `rel` are relevant; `dcg` is the parameter of nDCG(dcg=...). The ranks
    contribute to `measure`, or else to AP. NotFound: the qrels lacks the query. MeasureError: the
    measure uses more than a run and a qrels.
    """
    if qid not in qrels.qids:
        raise NotFound(f"the qrels has no query {qid!r}; it has {listed(qrels.qids, 5)}")
    alone = ties.settled(run.of_query(qid))
    judged = match(alone, qrels, compat=compat)
    query = judged.qids.index(qid)
    pool = judged.pool.grade[judged.pool.query == query]
    total = int(np.count_nonzero(pool >= rel))
    ranking = ties.settled(ties.rounded(alone)) if compat == "trec_eval-9" else alone
    rows = judged.query == query
    grades = dict(zip(judged.rank[rows].tolist(), judged.grade[rows].tolist(), strict=True))
    count = len(ranking.docnos)
    given = np.array([grades.get(rank, math.nan) for rank in range(1, count + 1)], np.float64)
    relevant = given >= rel
    found = np.cumsum(relevant)
    gains = gain_of(np.nan_to_num(given), dcg)
    gained = np.cumsum(gains)
    best = np.sort(gain_of(pool, dcg))[::-1]
    discounts = discount_of(np.arange(1, max(count, len(best)) + 1), dcg)
    reached = np.cumsum(gains / discounts[:count])
    most = np.pad(np.cumsum(best / discounts[: len(best)]), (0, max(0, count - len(best))), "edge")

    explained = (measure or AP).at_level(rel)

    @cache
    def value_to(rank: int) -> float:
        """The value of the ranking cut after a rank; 0 of none."""
        cut = judged.cut(rank)
        return float(evaluate(cut, [explained])[explained][query]) if rank else 0.0

    docnos, scores = texts(ranking.docnos), ranking.scores.tolist()
    ranks = []
    for at in (*range(min(depth, count)), *(depth + np.flatnonzero(relevant[depth:])).tolist()):
        rank = at + 1
        ranks.append(
            ExplainedRank(
                rank=rank,
                docno=docnos[at],
                score=scores[at],
                grade=grades.get(rank),
                relevant=bool(relevant[at]),
                found=int(found[at]),
                precision=int(found[at]) / rank,
                recall=int(found[at]) / total if total else 0.0,
                gain=float(gains[at]),
                cumulated=float(gained[at]),
                discount=float(discounts[at]),
                dcg=float(reached[at]),
                ideal_dcg=float(most[at]),
                ndcg=float(reached[at] / most[at]) if most[at] else 0.0,
                contribution=value_to(rank) - value_to(at),
            )
        )
    value = float(evaluate(judged, [explained])[explained][query])
    return Explained(
        qid=qid,
        retrieved=int(judged.retrieved[query]),
        relevant=total,
        judged=int(np.count_nonzero(pool >= 0)),
        relstring=relstring(judged, depth)[query],
        ranks=tuple(ranks[:depth]),
        hits_below=tuple(ranks[depth:]),
        missed=_missed(alone, qrels, qid, rel),
        measure=str(explained),
        value=value,
        rest=round(value - math.fsum(rank.contribution for rank in ranks), 12) + 0.0,  # no -0
    )


def explain_stored_query(
    store: Store,
    run: str,
    qid: str,
    depth: int = 20,
    *,
    collection: str | None = None,
    qrels: str | None = None,
    rel: float = 1,
    dcg: str = "log2",
    measure: Measure | None = None,
) -> Explained:
    """`explain_query` for a stored run under one of its qrels, with the stored `compat`.

    The query's words and the titles of documents are those of the collection.

    `run` is a name or id; `qrels` is the collection's default unless it is given. NotFound is also
    raised if the run was never evaluated under the qrels.
    """
    with store.read() as connection:
        stored = find_run(connection, run, collection)
        collection_id, chosen = choose_qrels(connection, stored.collection, qrels)
        evaluation = find_evaluation(connection, stored.id, chosen.id)
        if evaluation is None:
            raise not_evaluated(stored.name, chosen.name)
        ranking, judgments = load_run(connection, stored), load_qrels(connection, chosen)
        explained = explain_query(
            ranking,
            judgments,
            qid,
            depth,
            rel=rel,
            dcg=dcg,
            compat=evaluation.compat,
            measure=measure,
        )
        shown = [
            *(rank.docno for rank in (*explained.ranks, *explained.hits_below)),
            *(docno for docno, _ in explained.missed),
        ]
        texts = load_texts(connection, collection_id, shown, LONGEST_TITLE)
        words = load_queries(connection, collection_id).texts.get(qid, "")
    titles = {docno: title for docno, (title, _) in texts.items() if title}
    note = origin_note(chosen)
    notes = () if note is None else (note,)
    return replace(explained, text=words, titles=titles, notes=notes)


def not_evaluated(run: str, qrels: str) -> NotFound:
    """The error for a run that has no values under a qrels."""
    return NotFound(f"run {run!r} is not evaluated under qrels {qrels!r}")


def _missed(alone: Run, qrels: Qrels, qid: str, rel: float) -> tuple[tuple[str, float], ...]:
    """The relevant documents of a query that its ranking lacks, and their grades."""
    retrieved = set(alone.docnos.to_pylist())
    query = qrels.qids.index(qid)
    rows = slice(int(qrels.starts[query]), int(qrels.starts[query] + qrels.lengths[query]))
    judged = zip(qrels.docnos[rows].to_pylist(), qrels.grades[rows].tolist(), strict=True)
    missed = [(d, grade) for d, grade in judged if grade >= rel and d not in retrieved]
    missed.sort(key=lambda pair: (-pair[1], pair[0]))
    return tuple((docno.decode(), grade) for docno, grade in missed)


def relstring(judged: Judged, length: int = 10) -> tuple[str, ...]:
    """The grades at the first ranks of every query as one character each, as in trec_eval.

    A digit is a grade (`>` above 9), `-` a document outside the qrels, `.` a document with a
    negative grade. Decimal grades are rounded down to a whole number.
    """
    rows = [["-"] * min(int(count), length) for count in judged.retrieved]
    top = np.flatnonzero(judged.rank <= length)
    for query, rank, grade in zip(
        judged.query[top].tolist(),
        judged.rank[top].tolist(),
        judged.grade[top].tolist(),
        strict=True,
    ):
        letter = "." if grade < 0 else ">" if grade >= 10 else str(math.floor(grade))
        rows[query][rank - 1] = letter
    return tuple("".join(letters) for letters in rows)
