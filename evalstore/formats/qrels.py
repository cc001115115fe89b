"""Judgments in memory: which documents were judged for a query, and their grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from evalstore.formats._trec.columns import F64
from evalstore.formats.ids import I64, U64


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments as arrays; the rows of query i are `starts[i] : starts[i] + lengths[i]`.

    Attributes:
        path: the file, as messages name it.
        qids: the query ids, sorted by bytes.
        starts, lengths: int64, one per query; the queries stand one after the other.
        docnos: Arrow binary, n.
        grades: float64, n; negative means in the pool but not judged.
        keys: uint64, n: a hash of (query id, docno).
        warnings: what was accepted although it is odd, one sentence each, with file and line.
    """

    path: str
    qids: tuple[str, ...]
    starts: I64
    lengths: I64
    docnos: pa.Array
    grades: F64
    keys: U64
    warnings: tuple[str, ...]

    @cached_property
    def row_query(self) -> I64:
        """The query of every judgment, an index into `qids`: int64, n."""
        return np.repeat(np.arange(len(self.qids)), self.lengths)

    @cached_property
    def best_first(self) -> I64:
        """The rows by query and then by grade, the highest first: int64, n."""
        return np.lexsort((-self.grades, self.row_query))

    @cached_property
    def by_key(self) -> I64:
        """The rows by key: int64, n."""
        return np.argsort(self.keys)

    def sorted_once(self) -> Qrels:
        """The same, with these orders worked out: they go along where it is copied to."""
        _ = self.best_first, self.by_key
        return self


@dataclass(frozen=True, eq=False)
class SubtopicQrels(Qrels):
    """Judgments by subtopic: a document may be judged for several subtopics of a query.

    Attributes:
        subtopics: Arrow binary, n: the second column of the file.
    """

    subtopics: pa.Array
