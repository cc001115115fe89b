"""The values of measures on PostgreSQL: a row holds a list, and SQL sees a row for each value.

A row of a table takes 36 bytes beside its values, and an entry of an index 20 or more: four times
the value itself. So `value_list` has a row for each measure of an evaluation, with its values in an
array, and `measurement` is a view of it with the columns that the table has on SQLite.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Integer, MetaData, Table

from evalstore.store.dialects.postgres_copy import (
    END,
    HEADER,
    encoded_array,
    encoded_integer,
)

LISTS = Table(
    "value_list", MetaData(), Column("evaluation_id", Integer), Column("measure_id", Integer)
)
"""The table of lists, with the columns that it shares with `measurement`."""

TABLE_OF_VIEW = {"measurement": LISTS.name}
"""The views that stand for a table of the models, and the table below them."""

MEASUREMENT = """
SELECT value_list.evaluation_id, value_list.measure_id, element.query_id, element.value
FROM value_list,
     ROWS FROM (
        unnest(value_list.query_ids),
        unnest(value_list.query_values),
        generate_subscripts(value_list.query_ids, 1)
    ) AS element (query_id, value, position)"""
"""The view `measurement`, as the migrations make it.

The subscripts let the server expect 1,000 values in a list. It would expect 10, and read the list
of one run again for each value of another.
"""

COPY = (
    "COPY value_list (evaluation_id, measure_id, query_ids, query_values) "
    "FROM STDIN (FORMAT BINARY)"
)


def insert_values(
    driver: Any,
    evaluation_id: int,
    query_ids: npt.NDArray[np.int64],
    values: Mapping[int, npt.NDArray[np.float64]],
) -> None:
    """Store the values of measures, one for each query; `driver` is psycopg's connection."""
    evaluation, queries = encoded_integer(evaluation_id), encoded_array(">i4", query_ids)
    with driver.cursor() as cursor, cursor.copy(COPY) as copy:
        copy.write(HEADER)
        for measure_id, of_measure in values.items():
            measure = encoded_integer(measure_id)
            copy.write(b"\0\4" + evaluation + measure + queries + encoded_array(">f8", of_measure))
        copy.write(END)
