"""Resampling of queries with replacement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalstore.stats.inputs import F64

CELLS = 1 << 17  # numbers held in memory at a time: what the processor's cache takes


def resampled_counts(queries: int, resamples: int, seed: int) -> Iterator[F64]:
    """How often each query is drawn, in parts of resamples x queries: float64.

    `counts @ values` is then the sum of the values of each resample.
    """
    random = np.random.default_rng(seed)
    step = max(1, CELLS // queries)
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        drawn = random.integers(0, queries, (rows, queries))
        drawn += np.arange(rows)[:, None] * queries
        counts = np.bincount(drawn.ravel(), minlength=rows * queries)
        yield counts.reshape(rows, queries).astype(np.float64)
