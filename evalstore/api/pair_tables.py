"""The figures of pairs as frames, and as rows of small tables."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from evalstore.api.tables import Cell
from evalstore.comparison.significance import COLUMNS, Pair, Test
from evalstore.formats.source import printable

if TYPE_CHECKING:
    import pandas as pd

HEADERS = (
    *("a", "b", "measure", "queries", "mean a", "mean b", "difference", "low", "high"),
    *("p", "p corrected", "Cohen's d", "wins", "ties", "losses"),
)


def pairs_frame(
    rows: Sequence[Mapping[str, object]], columns: Sequence[str] = COLUMNS
) -> pd.DataFrame:
    """The rows of `Pair.row` as a frame; columns beside those of `COLUMNS` are text."""
    import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

    texts = {"a", "b", "measure", *columns} - set(COLUMNS[3:])
    counts = ["queries", "wins", "ties", "losses"]
    frame = pd.DataFrame(rows, columns=list(columns))
    types = {name: "str" if name in texts else "float64" for name in columns}
    return frame.astype({**types, **dict.fromkeys(counts, "int64")})


def pair_cells(pair: Pair, test: Test) -> list[Cell]:
    """The figures of a pair under `HEADERS`; p is that of one test."""
    return [
        *(pair.a, pair.b, pair.measure, pair.queries, pair.mean_a, pair.mean_b),
        *(pair.difference, *pair.interval, pair.p[test], pair.p_corrected[test]),
        *(pair.cohens_d, pair.wins, pair.ties, pair.losses),
    ]


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences as paragraphs of HTML."""
    return "".join(f"<p>{html.escape(printable(line))}</p>\n" for line in lines)
