"""One ranking, rank by rank: the computation of a query's values, and the missed documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from evalstore.catalog.chosen_qrels import choose_qrels
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
        missed: the relevant documents that the run did not retrieve, and their grades; the highest
            grade first, then by document in byte order.
        measure, value: the measure to whose value the ranks contribute, and that value.
        rest: what all ranks after the shown ones add: with their contributions it is the value.
        text: the query's words, if known.
        titles: the known titles of shown and of missed documents.
    """

    qid: str
    retrieved: int
    relevant: int
    judged: int
    relstring: str
    ranks: tuple[ExplainedRank, ...]
    missed: tuple[tuple[str, float], ...]
    measure: str = "AP"
    value: float = 0.0
    rest: float = 0.0
    text: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)


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
    """The computation of the values of one query at the first `depth` ranks.

    Grades of at least `rel` are relevant; `dcg` is the parameter of nDCG(dcg=...). The ranks
    contribute to `measure`, or else to AP. NotFound: the qrels lacks the query. MeasureError: the
    measure uses more than a run and a qrels.
    """
    if qid not in qrels.qids:
        raise NotFound(f"the qrels has no query {qid!r}")
    alone = ties.settled(run.of_query(qid))
    judged = match(alone, qrels, compat=compat)
    query = judged.qids.index(qid)
    pool = judged.pool.grade[judged.pool.query == query]
    total = int(np.count_nonzero(pool >= rel))
    ranking = ties.settled(ties.rounded(alone)) if compat == "trec_eval-9" else alone
    documents = list(
        zip(texts(ranking.docnos[:depth]), ranking.scores[:depth].tolist(), strict=True)
    )
    rows = judged.query == query
    grades = dict(zip(judged.rank[rows].tolist(), judged.grade[rows].tolist(), strict=True))
    places = np.arange(1, len(documents) + 1)
    discounts = discount_of(places, dcg).tolist()
    best = np.sort(gain_of(pool, dcg))[::-1][: len(documents)].tolist()
    ideal = best + [0.0] * (len(documents) - len(best))

    explained = (measure or AP).at_level(rel)
    value = float(evaluate(judged, [explained])[explained][query])
    reach = [0.0] if measure else []  # the values of the ranking cut after 0, 1, ... documents
    for cut in range(1, len(documents) + 1 if measure else 1):
        of_cut = evaluate(match(alone, qrels, compat=compat, depth=cut), [explained])[explained]
        reach.append(float(of_cut[query]))
    ranks = []
    found, reached, most = 0, 0.0, 0.0
    for rank, (docno, score) in enumerate(documents, 1):
        grade = grades.get(rank)
        relevant = grade is not None and grade >= rel
        found += relevant
        gain = 0.0 if grade is None else float(gain_of(np.array([grade]), dcg)[0])
        reached += gain / discounts[rank - 1]
        most += ideal[rank - 1] / discounts[rank - 1]
        ranks.append(
            ExplainedRank(
                rank=rank,
                docno=docno,
                score=score,
                grade=grade,
                relevant=relevant,
                found=found,
                precision=found / rank,
                recall=found / total if total else 0.0,
                gain=gain,
                discount=discounts[rank - 1],
                dcg=reached,
                ideal_dcg=most,
                ndcg=reached / most if most else 0.0,
                contribution=reach[rank] - reach[rank - 1]
                if measure
                else found / rank / total
                if relevant
                else 0.0,
            )
        )
    retrieved = int(judged.retrieved[query])
    return Explained(
        qid=qid,
        retrieved=retrieved,
        relevant=total,
        judged=int(np.count_nonzero(pool >= 0)),
        relstring=relstring(judged, depth)[query],
        ranks=tuple(ranks),
        missed=_missed(alone, qrels, qid, rel),
        measure=str(explained),
        value=value,
        rest=value - math.fsum([*reach[:1], *(rank.contribution for rank in ranks)]),
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
            *(rank.docno for rank in explained.ranks),
            *(docno for docno, _ in explained.missed),
        ]
        texts = load_texts(connection, collection_id, shown, LONGEST_TITLE)
        words = load_queries(connection, collection_id).texts.get(qid, "")
    titles = {docno: title for docno, (title, _) in texts.items() if title}
    return replace(explained, text=words, titles=titles)


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
