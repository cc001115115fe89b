"""The rows of each table that a user may read, given the collections the user may read.

Nobody is to see another's grade first: a user's SQL finds the assessments of drafts only in the
collections whose drafts the user may publish.

The rules are conditions in SQL, the same for both databases. A table without a rule can't be read
in a restricted store at all, so a new table stays closed until it gets one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

OF_SERVER = ("server", "account", "password", "role", "token", "session")
"""Actions on the server's accounts, whose events only its administrators may see."""

OF_READ_COLLECTION = "collection_id IN {collection} OR (collection_id IS NULL AND 1 IN {every})"
"""The condition for rows that may have no collection; users who may read everything see those."""


def _list_of(texts: Iterable[str]) -> str:
    """Constant texts as a list in SQL."""
    return ", ".join(f"'{text}'" for text in texts)


ROWS = {
    "collection": "id IN {collection}",
    "query": "collection_id IN {collection}",
    "query_attribute": "query_id IN {query}",
    "document": "collection_id IN {collection}",
    "qrels": "collection_id IN {collection}",
    "judgment": "qrels_id IN {qrels}",
    "judgment_origin": "qrels_id IN {qrels}",
    "draft": "collection_id IN {collection}",
    "draft_document": "draft_id IN {draft}",
    "assessment": "draft_id IN {own_draft}",
    "subtopic_judgment": "collection_id IN {collection}",
    "group_judgment": "collection_id IN {collection}",
    "preference_judgment": "collection_id IN {collection}",
    "known_document": "collection_id IN {collection}",
    "experiment": "id IN {experiment}",
    "experiment_about": "experiment_id IN {experiment}",
    "engine": "id IN {engine}",
    "content": "collection_id IN {collection}",
    "run": "collection_id IN {collection}",
    "run_file": "run_id IN {run}",
    "run_parent": "run_id IN {run} AND parent_id IN {run}",
    "engine_slot": "collection_id IN {collection}",
    "baseline": "collection_id IN {collection}",
    "ranking": "content_id IN {content}",
    "retrieved": "content_id IN {content}",
    "response_time": "run_id IN {run}",
    "explanation": "run_id IN {run}",
    "evaluation": "content_id IN {content}",
    "hit": "evaluation_id IN {evaluation}",
    "measure": "id IN {measure}",
    "measurement": "evaluation_id IN {evaluation}",
    "aggregate": "evaluation_id IN {evaluation}",
    "saved_leaderboard": "qrels_id IN {qrels}",
    "saved_rank": "run_id IN {run}",
    "event": f"({OF_READ_COLLECTION}) AND action NOT IN ({_list_of(OF_SERVER)})",
    # The address of a page without a collection can name any collection, in the text of a
    # statement.
    "saved_view": OF_READ_COLLECTION,
    "comment": "collection_id IN {collection}",
}
"""The condition on the rows of each table; `{name}` is replaced by the ids from `IDS`."""

IDS = {
    # 1 for users who may read every collection, including removed ones; otherwise nothing.
    "every": """
SELECT 1
WHERE NOT EXISTS (SELECT 1 FROM {tables}collection WHERE id NOT IN {collection})""",
    "query": "SELECT id FROM {tables}query WHERE collection_id IN {collection}",
    "qrels": "SELECT id FROM {tables}qrels WHERE collection_id IN {collection}",
    "draft": "SELECT id FROM {tables}draft WHERE collection_id IN {collection}",
    "own_draft": "SELECT id FROM {tables}draft WHERE collection_id IN {publishing}",
    "run": "SELECT id FROM {tables}run WHERE collection_id IN {collection}",
    "content": "SELECT id FROM {tables}content WHERE collection_id IN {collection}",
    "evaluation": """
SELECT evaluation.id
FROM {tables}evaluation
JOIN {tables}content ON content.id = evaluation.content_id
WHERE content.collection_id IN {collection}""",
    # Collections share engines and measures: users see only those used in their collections, or all
    # if they may read every collection.
    "engine": """
SELECT engine_id
FROM {tables}run
WHERE collection_id IN {collection}
UNION
SELECT id
FROM {tables}engine
WHERE 1 IN {every}""",
    # Texts are for users who may read all collections that the texts are about. These collections
    # are not known if one was deleted, or if the texts were written before any run.
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
    JOIN {tables}content ON content.id = evaluation.content_id
    WHERE aggregate.measure_id = measure.id
      AND content.collection_id IN {collection}
  )""",
}
"""The SELECT of the ids that belong to the collections, by name; it reads without restriction."""


def condition(table: str, ids: Callable[[str], str]) -> str:
    """The condition on the rows of a table that has a rule.

    `ids` gives the SQL after IN, for `collection`, `publishing` and each name of `IDS`.
    """
    return ROWS[table].format_map(_Filled(ids))


def select_ids(name: str, ids: Callable[[str], str], schema: str) -> str:
    """The SELECT of the ids with this name; `schema` is an identifier."""
    return IDS[name].strip().format_map(_Filled(ids, f"{schema}."))


class _Filled(dict[str, str]):
    """A mapping for `format_map` that makes the text for each name in braces."""

    def __init__(self, ids: Callable[[str], str], tables: str = "") -> None:
        super().__init__(tables=tables)
        self._ids = ids

    def __missing__(self, name: str) -> str:
        return self._ids(name)
