"""Read a qrels: which documents were judged for a query, and their grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.formats import ids
from evalstore.formats._trec.columns import F64, QRELS, SUBTOPICS, Layout
from evalstore.formats._trec.messages import counted
from evalstore.formats._trec.reader import read_table
from evalstore.formats._trec.table import Table, repeated
from evalstore.formats.ids import I64, U64
from evalstore.formats.source import ReadOptions, quoted


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


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read a qrels file; the rules are those of docs/formats.md.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades for a query.
    """
    table, order, starts, lengths = _read(path, QRELS, options)
    return Qrels(
        path=table.path,
        qids=table.qids,
        starts=starts,
        lengths=lengths,
        docnos=ids.take(table.docnos, order),
        grades=table.values[order] + 0.0,  # -0 is 0
        keys=table.keys[order],
        warnings=tuple(table.warnings),
    )


def read_subtopic_qrels(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read a qrels whose second column names the subtopic, as diversity measures want it.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades for a subtopic.
    """
    table, order, starts, lengths = _read(path, SUBTOPICS, options)
    docnos = ids.take(table.docnos, order)
    return SubtopicQrels(
        path=table.path,
        qids=table.qids,
        starts=starts,
        lengths=lengths,
        docnos=docnos,
        grades=table.values[order] + 0.0,
        keys=ids.row_keys(table.qids, lengths, docnos),
        warnings=tuple(table.warnings),
        subtopics=ids.take(table.subtopics, order),
    )


def _read(path: str, layout: Layout, options: ReadOptions | None) -> tuple[Table, I64, I64, I64]:
    """The table, its rows in the order of the queries (each judgment once), starts and lengths."""
    table = read_table(path, layout, options or ReadOptions())
    keep = np.ones(len(table), bool)
    keep[_repetitions(table)] = False
    order = table.by_query
    order = order[keep[order]]
    lengths = np.bincount(table.query_of(order), minlength=len(table.qids))
    return table, order, np.cumsum(lengths) - lengths, lengths


def _repetitions(table: Table) -> I64:
    """The rows that say again what an earlier row said (int64); warns of them."""
    firsts, later = repeated(table)
    differing = np.flatnonzero(table.values[firsts] != table.values[later])
    if len(differing):
        first, row = firsts[differing[0]], later[differing[0]]
        subtopic = (
            ""
            if table.subtopics is None
            else (f" and subtopic {quoted(table.subtopics[int(row)].as_py().decode())}")
        )
        raise FileError(
            table.path,
            table.line(row),
            f"document {table.docno(row)} graded {table.values[row]:g} for query "
            f"{table.qid(row)}{subtopic}, but {table.values[first]:g} on line "
            f"{table.line(first)}; keep one of the two",
        )
    if len(later):
        said = f"{counted(len(later), 'line')} with a judgment that stands before; it counts once"
        table.warn(table.line(later[0]), said)
    return later
