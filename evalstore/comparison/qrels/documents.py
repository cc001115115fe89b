"""The documents that two qrels judge, with both grades."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.catalog.names import natural
from evalstore.formats import Qrels, Run
from evalstore.measures.join import MarkedKeys, join, numbers_among

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

NOT_JUDGED = -1.0


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """The documents that a or b judges, by query in natural order.

    Attributes:
        qids: the queries of either qrels.
        query: int64 (n), the query of each document, an index into `qids`.
        docnos: Arrow binary, n.
        a, b: float64 (n), the grades; `NOT_JUDGED` where a qrels does not judge the document.
    """

    qids: tuple[str, ...]
    query: I64 = field(repr=False)
    docnos: pa.Array = field(repr=False)
    a: F64 = field(repr=False)
    b: F64 = field(repr=False)

    def with_grades(self, a: float, b: float) -> JudgedDocuments:
        """Those to which a and b give these grades."""
        return self._at(np.flatnonzero((self.a == a) & (self.b == b)))

    def first(self, number: int) -> JudgedDocuments:
        """The first ones."""
        return self._at(np.arange(min(number, len(self.a))))

    def rows(self) -> list[tuple[str, str, float | None, float | None]]:
        """The query id, docno and grades of each; None where a qrels does not judge it."""
        a, b = ([None if g < 0 else g for g in of.tolist()] for of in (self.a, self.b))
        qids = [self.qids[number] for number in self.query.tolist()]
        docnos = [docno.decode() for docno in self.docnos.to_pylist()]
        return list(zip(qids, docnos, a, b, strict=True))

    def _at(self, places: I64) -> JudgedDocuments:
        return JudgedDocuments(
            self.qids,
            self.query[places],
            self.docnos.take(pa.array(places)),
            self.a[places],
            self.b[places],
        )


def judged_documents(a: Qrels, b: Qrels) -> JudgedDocuments:
    """The documents that a or b judges; negative grades count as not judged."""
    rows_a, rows_b = _same_documents(a, b)
    grade_in_b = np.full(len(a.grades), NOT_JUDGED)
    grade_in_b[rows_a] = b.grades[rows_b]
    alone = np.ones(len(b.grades), bool)
    alone[rows_b] = False
    number_of = {qid: number for number, qid in enumerate((*a.qids, *b.qids))}
    qids = tuple(sorted(number_of, key=natural))
    query = np.concatenate(
        [
            numbers_among(qids, a.qids)[a.row_query],
            numbers_among(qids, b.qids)[b.row_query[alone]],
        ]
    )
    grades = (
        np.concatenate([a.grades, np.full(int(alone.sum()), NOT_JUDGED)]),
        np.concatenate([grade_in_b, b.grades[alone]]),
    )
    first, second = (np.where(of >= 0, of, NOT_JUDGED) for of in grades)
    docnos = pa.concat_arrays([a.docnos, b.docnos.filter(pa.array(alone))])
    judged = np.flatnonzero((first >= 0) | (second >= 0))
    every = JudgedDocuments(qids, query, docnos, first, second)
    return every._at(judged[np.argsort(query[judged], kind="stable")])


def _same_documents(a: Qrels, b: Qrels) -> tuple[I64, I64]:
    """The rows of both that name the same document for the same query."""
    listed = Run(
        path=a.path,
        tag="",
        qids=a.qids,
        starts=a.starts,
        lengths=a.lengths,
        docnos=a.docnos,
        scores=a.grades,
        warnings=(),
        read_keys=a.keys,
    )
    marked = b.memo("marked keys", lambda: MarkedKeys(b.keys, b.by_key))
    return join(listed, marked, b.docnos, b.row_query, numbers_among(a.qids, b.qids))
