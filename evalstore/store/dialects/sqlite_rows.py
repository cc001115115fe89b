"""Many rows into a table of SQLite, through its driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat, zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlalchemy import Connection

from evalstore.store.columns import Column, texts

END = object()
"""A value that no row holds."""

ROWS_TOGETHER = 50
"""Rows in one INSERT: takes less than half the time of single rows; more gain nothing."""


def insert(
    connection: Connection,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    same: Mapping[str, Any],
) -> None:
    """Insert rows; the values that all rows share are bound once in each INSERT."""
    names = ", ".join(f'"{column}"' for column in (*same, *columns))
    driver: Any = connection.connection.driver_connection
    statement = f'INSERT INTO "{table}" ({names}) VALUES '  # noqa: S608  (names are our own)
    values, width = tuple(same.values()), len(columns)
    flat = chain.from_iterable(rows)
    rest: list[Any] = []

    def together() -> Iterator[tuple[Any, ...]]:
        for several in zip_longest(*[flat] * (ROWS_TOGETHER * width), fillvalue=END):
            if several[-1] is END:
                rest.extend(value for value in several if value is not END)
            else:
                yield values + several

    driver.executemany(statement + _marks(len(same), width, ROWS_TOGETHER), together())
    single = (values + tuple(rest[at : at + width]) for at in range(0, len(rest), width))
    driver.executemany(statement + _marks(len(same), width, 1), single)


def rows_of(columns: Iterable[Column]) -> Iterator[tuple[Any, ...]]:
    """The rows of columns of one length."""
    return zip(*map(_driver_values, columns), strict=True)


def rows_of_values(
    query_ids: npt.NDArray[np.int64], values: Mapping[int, npt.NDArray[np.float64]]
) -> Iterator[tuple[int, int, float]]:
    """(measure, query, value), measure by measure."""
    ids = query_ids.tolist()
    return chain.from_iterable(
        # `repeat` has no end, so `strict` can't be set.
        zip(repeat(measure_id), ids, of_measure.tolist(), strict=False)
        for measure_id, of_measure in values.items()
    )


def _driver_values(column: Column) -> Sequence[Any]:
    if isinstance(column, pa.Array):
        return texts(column)
    return list(column.tolist()) if isinstance(column, np.ndarray) else column


def _marks(same: int, width: int, rows: int) -> str:
    """The placeholders of some rows: shared values are numbered first and bound once."""
    shared = [f"?{number + 1}" for number in range(same)]
    own = [f"?{same + number + 1}" for number in range(width * rows)]
    each = (own[at : at + width] for at in range(0, len(own), width))
    return ", ".join(f"({', '.join(shared + marks)})" for marks in each)
