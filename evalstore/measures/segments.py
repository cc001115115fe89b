"""Arrays made of one stretch per query: places, running sums, quotients. No loop over queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


def places(query: I64, lengths: I64) -> I64:
    """1, 2, 3, ... within each query; `query` ascending, `lengths` how often each occurs."""
    before = np.cumsum(lengths) - lengths
    return np.arange(1, len(query) + 1) - before[query]


def count_so_far(query: I64, lengths: I64, counted: Bool) -> I64:
    """For each row, how many rows of its query, up to this one, have `counted` set: int64.

    `query` and `lengths` as in `places`.
    """
    so_far = np.cumsum(counted)
    before: I64 = np.append(0, so_far)[np.cumsum(lengths) - lengths]
    return so_far - before[query]


def accumulate(combine: np.ufunc, query: I64, values: F64) -> F64:
    """`combine.accumulate` (running sum, product, maximum) within each query: float64.

    `query` ascending. One running sum over everything, less what stood before each query, would
    round a query by what its neighbours hold. So queries of like length (the same power of two)
    become the rows of one padded table, which at most doubles the data, and each row runs alone.
    """
    result = np.empty(len(values))
    lengths = np.bincount(query)
    starts = np.cumsum(lengths) - lengths
    sizes = np.frexp(lengths.astype(np.float64))[1]
    for size in set(sizes[lengths > 0].tolist()):
        rows = np.flatnonzero((sizes == size) & (lengths > 0))
        width = np.arange(int(lengths[rows].max()))
        inside = width < lengths[rows, None]
        at = (starts[rows, None] + width)[inside]
        table = np.zeros(inside.shape)
        table[inside] = values[at]
        result[at] = combine.accumulate(table, axis=1)[inside]
    return result


def ratio(numerator: npt.NDArray[np.number], denominator: npt.NDArray[np.number]) -> F64:
    """The quotient, and 0 where the denominator is 0: float64."""
    top = numerator.astype(np.float64)
    bottom = denominator.astype(np.float64)
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
