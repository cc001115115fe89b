"""Read a qrels: which documents were judged for a query, and their grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from evalstore.errors import FileError
from evalstore.trec.ids import I64, U64
from evalstore.trec.lists import Reading, Table, groups, read_table, repeated
from evalstore.trec.run import F64
from evalstore.trec.table import QRELS


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


def read_qrels(path: str, how: Reading | None = None) -> Qrels:
    """Read a qrels file; the rules are those of docs/formats.md.

    Raises:
        FileError: the first line that breaks a rule, or a document with two grades for a query.
    """
    table = read_table(path, QRELS, how or Reading())
    keep = _once(table)
    codes = table.codes[keep]
    order = keep[np.argsort(codes, kind="stable")]
    _, starts, lengths = groups(table.codes[order], len(table.qids))
    return Qrels(
        path=table.path,
        qids=tuple(table.qids),
        starts=starts,
        lengths=lengths,
        docnos=table.docnos.take(pa.array(order)),
        grades=table.values[order] + 0.0,  # -0 is 0
        keys=table.keys[order],
        warnings=tuple(table.warnings),
    )


def _once(table: Table) -> I64:
    """The rows to keep: all but repetitions of the same judgment."""
    keep = np.ones(len(table.codes), bool)
    pairs = sorted(repeated(table), key=lambda pair: table.line(pair[1]))
    for first, later in pairs:
        keep[later] = False
        if table.values[first] != table.values[later]:
            docno = table.docnos[later].as_py().decode()
            raise FileError(
                table.path,
                table.line(later),
                f"document {docno!r} graded {table.values[later]:g} for query "
                f"{table.qids[table.codes[later]]!r}, but {table.values[first]:g} on line "
                f"{table.line(first)}",
            )
    if pairs:
        said = f"{len(pairs):,} judgments stand twice; each counts once"
        table.warn(table.line(pairs[0][1]), said)
    return np.flatnonzero(keep)
