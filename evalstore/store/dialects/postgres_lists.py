"""The largest tables on PostgreSQL: a row holds lists, and SQL sees a row for each entry of them.

A row of a table takes 28 bytes beside its values, and an entry of an index 20 or more; inserting it
takes a microsecond. So there is a row for each measure of an evaluation, and for each query of a
run or evaluation, with the rest in arrays. What is a table on SQLite is a view here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any


@dataclass(frozen=True)
class Lists:
    """A table of lists, and the view of it.

    Attributes:
        table: the name of the table.
        view: the name of the view, and of the table of the models that it stands for.
        owner: the column with the run or evaluation that a row belongs to.
        key: the column that is different in all rows of an owner.
        lists: by further columns of the view, the columns of the table with their values.
        expects_many: let the server expect 1,000 entries in a list, not 10.
    """

    table: str
    view: str
    owner: str
    key: str
    lists: Mapping[str, str]
    expects_many: bool = False

    @property
    def query(self) -> str:
        """The view, as the migrations make it."""
        table, elements = self.table, list(self.lists)
        columns = [f"{table}.{self.owner}", f"{table}.{self.key}"]
        columns += [f"element.{name}" for name in elements]
        functions = [f"unnest({table}.{column})" for column in self.lists.values()]
        if self.expects_many:  # as of these subscripts
            functions.append(f"generate_subscripts({table}.{self.lists[elements[0]]}, 1)")
            elements.append("position")
        return f"""
SELECT {", ".join(columns)}
FROM {table},
     ROWS FROM ({", ".join(functions)}) AS element ({", ".join(elements)})"""  # noqa: S608  (names of our own)

    def column(self, name: str) -> str:
        """The column of the table for a column of the view."""
        return self.lists.get(name, name)

    def rows(
        self, columns: Sequence[str], rows: Iterable[Sequence[Any]]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of the table for rows of the view; those with one key stand together."""
        at = columns.index(self.key)
        for key, entries in groupby(rows, itemgetter(at)):
            lists = (list(column) for column in zip(*entries, strict=True))
            yield tuple(key if i == at else values for i, values in enumerate(lists))


LISTS = {
    lists.view: lists
    for lists in (
        Lists(
            "value_list",
            "measurement",
            "evaluation_id",
            "measure_id",
            {"query_id": "query_ids", "value": "query_values"},
            # Else the values of one run are read again for each value of another.
            expects_many=True,
        ),
        Lists(
            "hit_list",
            "hit",
            "evaluation_id",
            "query_id",
            {"rank": "ranks", "docno": "docnos", "grade": "grades", "score": "scores"},
        ),
        Lists(
            "retrieved_list",
            "retrieved",
            "run_id",
            "query_id",
            {"rank": "ranks", "docno": "docnos", "score": "scores"},
        ),
    )
}
"""The views that stand for a table of the models, by name."""
