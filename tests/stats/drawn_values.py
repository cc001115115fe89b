"""Values of runs as hypothesis draws them: four decimals, with ties, zeros and equal runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

F64 = npt.NDArray[np.float64]

VALUES = st.sampled_from([0.0, 0.1, 0.3, 0.3, 0.5, 1.0, 0.3333, 0.6667]) | st.integers(0, 9999).map(
    lambda whole: whole / 10_000
)


@st.composite
def two_runs(draw: st.DrawFn, least: int = 1, most: int = 40) -> tuple[F64, F64]:
    """The values of two runs over the same queries."""
    n = draw(st.integers(least, most))
    a, b = (draw(st.lists(VALUES, min_size=n, max_size=n)) for _ in range(2))
    return np.array(a), np.array(b)


@st.composite
def many_runs(draw: st.DrawFn, queries: int = 12, runs: int = 5) -> F64:
    """Queries x runs."""
    q, k = draw(st.integers(1, queries)), draw(st.integers(1, runs))
    rows: Any = draw(st.lists(st.lists(VALUES, min_size=k, max_size=k), min_size=q, max_size=q))
    return np.array(rows)
