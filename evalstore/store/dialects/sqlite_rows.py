"""Many rows into a table of SQLite, through its driver."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

import numpy as np
import pyarrow as pa
from sqlalchemy import Connection

from evalstore.store.columns import Column, texts

END = object()
"""A value that no row holds."""

ROWS_TOGETHER = 100
"""Rows in one INSERT: takes less than half the time of single rows; more gain nothing."""

ROWS_AT_ONCE = 10 * ROWS_TOGETHER
"""Rows of columns that are Python's objects at a time: few enough that these stay in the cache."""


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


def insert_columns(
    connection: Connection,
    table: str,
    columns: Mapping[str, Column],
    same: Mapping[str, int],
) -> None:
    """Insert whole columns of one length; `same` as in `insert`.

    Few rows at a time become Python's objects, which take several times the memory of the columns.
    """
    driver: Any = connection.connection.driver_connection
    names = ", ".join(f'"{column}"' for column in (*same, *columns))
    statement = f'INSERT INTO "{table}" ({names}) VALUES '  # noqa: S608  (names are our own)
    shared, width = list(same.values()), len(columns)
    together = statement + _marks(len(same), width, ROWS_TOGETHER)
    single = statement + _marks(len(same), width, 1)
    count = len(next(iter(columns.values())))
    for start in range(0, count, ROWS_AT_ONCE):
        rows = min(ROWS_AT_ONCE, count - start)
        flat: list[Any] = [None] * (rows * width)
        for at, column in enumerate(columns.values()):
            flat[at::width] = _driver_values(column[start : start + rows])
        even = (rows - rows % ROWS_TOGETHER) * width
        step = ROWS_TOGETHER * width
        driver.executemany(together, (shared + flat[at : at + step] for at in range(0, even, step)))
        driver.executemany(
            single, (shared + flat[at : at + width] for at in range(even, len(flat), width))
        )


def _driver_values(column: Column) -> Sequence[Any]:
    if isinstance(column, pa.Array):
        return texts(column)
    return list(column.tolist()) if isinstance(column, np.ndarray) else column


@functools.cache
def _marks(same: int, width: int, rows: int) -> str:
    """The placeholders of some rows: shared values are numbered first and bound once.

    Those of a row have no number: each is the next one. A numbered placeholder is looked up among
    all others by its name for each value from Python 3.12 on.
    """
    shared = [f"?{number + 1}" for number in range(same)]
    row = f"({', '.join([*shared, *['?'] * width])})"
    return ", ".join([row] * rows)
