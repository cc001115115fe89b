"""Evaluate a run that is too large to be in memory as a whole, a part at a time."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.evaluation.run_rows import evaluation_rows_of, hit_docnos, ranking_rows
from evalstore.formats import Qrels, Run, ids, ties
from evalstore.formats.content_hash import listed_hash
from evalstore.formats.run_parts import RunParts
from evalstore.measures import Measure
from evalstore.measures.judged import CompatMode, Judged
from evalstore.measures.matching import match
from evalstore.store.packing import unpack
from evalstore.store.run_rows import EvaluationRows, RankingRows

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EvaluatedRun:
    """A run that was evaluated part by part.

    Attributes:
        outline: the run without its documents.
        ranking: its content as it is stored.
        evaluation: its values as they are stored.
        content_hash: as `content_hash.run_hash`.
    """

    outline: Run
    ranking: RankingRows
    evaluation: EvaluationRows
    content_hash: str


def evaluate_parts(
    run: RunParts,
    qrels: Qrels,
    *,
    compat: CompatMode,
    keep_top: int,
    measures: Sequence[Measure] | None,
    beside: bool,
) -> EvaluatedRun:
    """Evaluate a large run under a qrels.

    Args:
        run: the run; its parts are read.
        qrels: the judgments.
        compat: as in `matching.match`.
        keep_top: as in `run_rows.ranking_rows`.
        measures: as in `run_rows.evaluation_rows`.
        beside: whether a thread packs the rankings of a part while it is evaluated.

    Raises:
        NotInParts: the run has to be read as a whole.
    """
    parts = []
    with ThreadPoolExecutor(1) as executor:
        packing = executor if beside else None
        for part in run.parts:
            settled = ties.settled(part, in_place=True)
            parts.append(_Part.of(settled, qrels, compat, keep_top, packing))
            del part, settled  # the next one is read before it would be replaced
    ranking = _ranking([part.ranking for part in parts])
    outline = _outline(run, ranking.qids)
    judged, places = _joined(
        [part.judged for part in parts], match(_outline(run, ()), qrels, compat=compat)
    )
    hits = _ordered_hits(parts, places)
    sizes = {
        qid: size
        for part in parts
        for qid, size in zip(part.ranking.qids, part.docno_sizes, strict=True)
    }
    del parts
    with ThreadPoolExecutor(1) as executor:
        content_hash = executor.submit(
            listed_hash,
            run.tag,
            ranking.qids,
            [sizes[qid] for qid in ranking.qids],
            lambda query: unpack(ranking.packed[query]),
        )
        evaluation = evaluation_rows_of(judged, hits, measures)
        return EvaluatedRun(outline, ranking, evaluation, content_hash.result())


@dataclass(frozen=True, eq=False)
class _Part:
    """What is kept of a part of a run.

    Attributes:
        ranking: its content as it is stored.
        docno_sizes: for each of its queries, the bytes of each docno in order of rank.
        judged: the part joined to the qrels, for its own queries.
        hits: the docnos of the relevant documents that it retrieved.
    """

    ranking: RankingRows
    docno_sizes: list[npt.NDArray[np.uint16]]
    judged: Judged
    hits: pa.Array

    @staticmethod
    def of(
        run: Run, qrels: Qrels, compat: CompatMode, keep_top: int, beside: Executor | None
    ) -> _Part:
        """That of a part whose ties are resolved."""
        ranking = ranking_rows(run, keep_top, beside)
        judged = match(run, qrels, compat=compat, common=True)
        sizes = ids.lengths(run.docnos).astype(np.uint16)  # at most `columns.MAX_ID`
        lists = zip(run.starts.tolist(), run.lengths.tolist(), strict=True)
        return _Part(
            ranking=replace(ranking, packed=list(ranking.packed)),
            docno_sizes=[sizes[start : start + length] for start, length in lists],
            judged=judged,
            hits=hit_docnos(run, judged),
        )


def _joined(parts: Sequence[Judged], unanswered: Judged) -> tuple[Judged, I64]:
    """What `match` gives for a whole run, from that for its parts and for a run without queries.

    Returns:
        The judged documents, and where each (int64) stands in those of the parts, one part after
        the other.
    """
    number = {qid: i for i, qid in enumerate(unanswered.qids)}
    retrieved, answered = unanswered.retrieved.copy(), unanswered.answered.copy()
    queries = [np.array([number[qid] for qid in part.qids], np.int64) for part in parts]
    for part, query in zip(parts, queries, strict=True):
        retrieved[query], answered[query] = part.retrieved, part.answered
    pairs = list(zip(parts, queries, strict=True))
    query = np.concatenate([query[part.query] for part, query in pairs])
    order = np.argsort(query, kind="stable")
    judged = replace(
        unanswered,
        query=query[order],
        rank=np.concatenate([part.rank for part in parts])[order],
        grade=np.concatenate([part.grade for part in parts])[order],
        score=np.concatenate([part.score for part in parts])[order],
        retrieved=retrieved,
        answered=answered,
    )
    return judged, order


def _ranking(parts: Sequence[RankingRows]) -> RankingRows:
    """The rows of all parts, the queries sorted by bytes."""
    qids = [qid for part in parts for qid in part.qids]
    packed = [ranking for part in parts for ranking in part.packed]
    before = np.cumsum([0, *(len(part.qids) for part in parts)])[:-1]
    order = np.array(sorted(range(len(qids)), key=qids.__getitem__), np.int64)
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    every_query = [part.top_query + first for part, first in zip(parts, before, strict=True)]
    query = position[np.concatenate(every_query)]
    rows = np.argsort(query, kind="stable")
    return RankingRows(
        qids=[qids[number] for number in order.tolist()],
        lengths=np.concatenate([part.lengths for part in parts])[order],
        packed=[packed[number] for number in order.tolist()],
        top_query=query[rows],
        top_rank=np.concatenate([part.top_rank for part in parts])[rows],
        top_docno=ids.take(ids.concatenated([part.top_docno for part in parts]), rows),
        top_score=np.concatenate([part.top_score for part in parts])[rows],
    )


def _ordered_hits(parts: Sequence[_Part], places: I64) -> pa.Array:
    """The docnos of all hits; `places` is as from `_joined`."""
    relevant = np.concatenate([part.judged.grade for part in parts]) >= 1
    number = np.cumsum(relevant) - 1
    chosen = number[places[relevant[places]]]
    return ids.take(ids.concatenated([part.hits for part in parts]), chosen)


def _outline(run: RunParts, qids: Sequence[str]) -> Run:
    """A run of these queries, without documents."""
    none = np.zeros(len(qids), np.int64)
    return Run(
        path=run.path,
        tag=run.tag,
        qids=tuple(qids),
        starts=none,
        lengths=none,
        docnos=ids.column([]),
        scores=np.zeros(0),
        warnings=(),
        format=run.format,
        facts=run.facts,
        names=run.names,
    )
