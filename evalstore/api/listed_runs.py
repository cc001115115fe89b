"""Runs with their names and figures as a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evalstore.measures import Measure
from evalstore.usecases.run_list import ListedRun

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("id", "collection", "engine", "run", "experiment", "date", "queries", "answered", "tags")


def listed_runs_frame(runs: Iterable[ListedRun], named: Mapping[str, Measure]) -> pd.DataFrame:
    """A row a run: `COLUMNS`, and a column a measure under the name that it was asked for by."""
    import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

    rows = list(runs)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    for name, measure in named.items():
        columns[name] = [row.values[str(measure)] for row in rows]
    return pd.DataFrame(columns)
