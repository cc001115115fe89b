"""The lists that rows of the Parquet tables `rankings` and `judgments` stand for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.errors import DataError
from evalstore.formats.run import Run


def run_of_rows(rankings: pa.Table, name: str, tag: str) -> Run:
    """A run of the rows of its rankings, sorted by query and rank.

    Raises:
        DataError: the rows are not sorted by query.
    """
    qids, lengths = queries_of(rankings)
    return Run(
        path=name,
        tag=tag,
        qids=qids,
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths,
        docnos=docnos_of(rankings),
        scores=rankings["score"].to_numpy(),
        warnings=(),
    )


def queries_of(rows: pa.Table) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The query ids of rows sorted by query, and the number of rows of each.

    Raises:
        DataError: the rows are not sorted by query.
    """
    named = rows["qid"].combine_chunks().dictionary_encode()
    indices = named.indices.to_numpy()
    if np.any(np.diff(indices) < 0):
        raise DataError("its rows are not sorted by query")
    qids = tuple(named.dictionary.to_pylist())
    return qids, np.bincount(indices, minlength=len(qids)).astype(np.int64)


def docnos_of(rows: pa.Table) -> pa.Array:
    """The document ids of rows: Arrow binary."""
    return rows["docno"].combine_chunks().cast(pa.binary())
