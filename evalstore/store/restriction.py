"""The rows of each table that belong to the collections that somebody may read.

The rules are conditions in SQL, the same for both databases. A table without a rule can't be read
in a restricted store at all, so a new table stays closed until it gets one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

OF_SERVER = ("server", "account", "password", "role", "token", "session")
"""Actions on the server's accounts, which only its administrators may see."""

OF_READ_COLLECTION = "collection_id IN {collection} OR (collection_id IS NULL AND 1 IN {every})"
"""Rows of no collection are for those who may read every collection."""


def _list_of(texts: Iterable[str]) -> str:
    """Texts of this program as a list in SQL."""
    return ", ".join(f"'{text}'" for text in texts)


ROWS = {
    "collection": "id IN {collection}",
    "query": "collection_id IN {collection}",
    "query_attribute": "query_id IN {query}",
    "document": "collection_id IN {collection}",
    "qrels": "collection_id IN {collection}",
    "judgment": "qrels_id IN {qrels}",
    "subtopic_judgment": "collection_id IN {collection}",
    "group_judgment": "collection_id IN {collection}",
    "preference_judgment": "collection_id IN {collection}",
    "known_document": "collection_id IN {collection}",
    "experiment": "id IN {experiment}",
    "experiment_about": "experiment_id IN {experiment}",
    "engine": "id IN {engine}",
    "run": "collection_id IN {collection}",
    "run_file": "run_id IN {run}",
    "run_parent": "run_id IN {run} AND parent_id IN {run}",
    "engine_slot": "collection_id IN {collection}",
    "baseline": "collection_id IN {collection}",
    "ranking": "run_id IN {run}",
    "retrieved": "run_id IN {run}",
    "response_time": "run_id IN {run}",
    "evaluation": "run_id IN {run}",
    "hit": "evaluation_id IN {evaluation}",
    "measure": "id IN {measure}",
    "measurement": "evaluation_id IN {evaluation}",
    "aggregate": "evaluation_id IN {evaluation}",
    "saved_leaderboard": "qrels_id IN {qrels}",
    "saved_rank": "evaluation_id IN {evaluation}",
    "event": f"({OF_READ_COLLECTION}) AND action NOT IN ({_list_of(OF_SERVER)})",
    # The address of a page of no collection can name any collection in the text of a statement.
    "saved_view": OF_READ_COLLECTION,
}
"""By table, the condition on its rows; `{name}` stands for the ids of that name in `IDS`."""

IDS = {
    # 1 for those who may read every collection, also removed ones; else nothing.
    "every": """
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM {tables}collection WHERE id NOT IN {collection})""",
    "query": "SELECT id FROM {tables}query WHERE collection_id IN {collection}",
    "qrels": "SELECT id FROM {tables}qrels WHERE collection_id IN {collection}",
    "run": "SELECT id FROM {tables}run WHERE collection_id IN {collection}",
    "evaluation": """
SELECT evaluation.id
FROM {tables}evaluation
JOIN {tables}run ON run.id = evaluation.run_id
WHERE run.collection_id IN {collection}""",
    # Collections share engines and measures: only those that are used are shown, and all to those
    # who may read every collection.
    "engine": """
SELECT engine_id
FROM {tables}run
WHERE collection_id IN {collection}
UNION
SELECT id
FROM {tables}engine
WHERE 1 IN {every}""",
    # Texts are for those who may read all collections that they are about. These are unknown if one
    # of them was deleted, or if the texts were written before any run.
    "experiment": """
SELECT experiment_id
FROM {tables}experiment_about
GROUP BY experiment_id
HAVING sum(CASE WHEN collection_id IN {collection} THEN 0 ELSE 1 END) = 0
UNION
SELECT id
FROM {tables}experiment
WHERE 1 IN {every}""",
    "measure": """
SELECT measure.id
FROM {tables}measure
WHERE 1 IN {every} OR EXISTS (
    SELECT 1
    FROM {tables}aggregate
    JOIN {tables}evaluation ON evaluation.id = aggregate.evaluation_id
    JOIN {tables}run ON run.id = evaluation.run_id
    WHERE aggregate.measure_id = measure.id
      AND run.collection_id IN {collection}
  )""",
}
"""By name, the SELECT of the ids that belong to the collections; read without any restriction."""


def condition(table: str, ids: Callable[[str], str]) -> str:
    """The condition on the rows of a table that has a rule.

    `ids` gives the SQL after IN, for `collection` and for each name of `IDS`.
    """
    return ROWS[table].format_map(_Filled(ids))


def select_ids(name: str, ids: Callable[[str], str], schema: str) -> str:
    """The SELECT of the ids of this name; `schema` is an identifier."""
    return IDS[name].strip().format_map(_Filled(ids, f"{schema}."))


class _Filled(dict[str, str]):
    """The replacement of each name within braces."""

    def __init__(self, ids: Callable[[str], str], tables: str = "") -> None:
        super().__init__(tables=tables)
        self._ids = ids

    def __missing__(self, name: str) -> str:
        return self._ids(name)
