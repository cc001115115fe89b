"""A run in memory: an engine's ranked answers to the queries of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from evalstore.formats import ids
from evalstore.formats._trec.columns import F64
from evalstore.formats.ids import I64, U64


@dataclass(frozen=True, eq=False)
class Run:
    """A run as arrays of n rows, a row for each document retrieved.

    The rows of query i are `starts[i] : starts[i] + lengths[i]`: every query has one stretch of
    rows, and the stretches cover all rows without a gap, in whatever order of the queries the run
    came in. Within a stretch the score descends. Equal scores stand in any order: `formats.ties`
    puts them in order (docno descending) where that can matter.

    Attributes:
        path: the file, as messages name it.
        tag: the run tag (the first, where there are several).
        qids: the query ids, sorted by bytes.
        starts, lengths: int64, one per query.
        docnos: Arrow binary, n.
        scores: float64, n, finite.
        warnings: what was accepted although it is odd, one sentence each, with file and line.
        read_keys: the `keys`, where reading has worked them out.
    """

    path: str
    tag: str
    qids: tuple[str, ...]
    starts: I64
    lengths: I64
    docnos: pa.Array
    scores: F64
    warnings: tuple[str, ...]
    read_keys: U64 | None = None

    @cached_property
    def keys(self) -> U64:
        """A hash of (query id, docno) per row: uint64, n."""
        if self.read_keys is not None:
            return self.read_keys
        by_place = np.argsort(self.starts, kind="stable")
        qids = [self.qids[query] for query in by_place]
        return ids.row_keys(qids, self.lengths[by_place], self.docnos)
