"""The questions about a store in cookbook.md, each with its SQL.

They are written for the demo; `for_collection` puts the names of another collection into them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import natural
from evalstore.store import Store
from evalstore.store.queries.qrels import list_qrels
from evalstore.store.queries.queries import list_attributes
from evalstore.store.queries.runs import engines_of, list_runs

FILE = "cookbook.md"

DEMO_COLLECTION = "python-docs"
DEMO_QRELS = ("qrels", "strict")
DEMO_RUNS = ("bm25", "tfidf", "ql-stem", "name", "boolean")
DEMO_ATTRIBUTE = "category"
"""The names in the statements; each of these engines has the name of its run."""

NAMED = re.compile(r"\b(collection|qrels|run|run_a|run_b|engine|name)( = )'((?:[^']|'')*)'")
"""A name of the store in a statement."""

PARTS = re.compile(r"^## ([^\n]+)$|^### ([^\n]+)$|^```sql\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
"""The headings and statements of the page."""


@dataclass(frozen=True)
class Question:
    """A question with the statement that answers it, and the section it belongs to."""

    section: str
    title: str
    sql: str


def questions() -> tuple[Question, ...]:
    """The questions, in the order of the page."""
    text = resources.files("evalstore.sql").joinpath(FILE).read_text(encoding="utf-8")
    section = title = ""
    all_questions: list[Question] = []
    for new_section, new_title, sql in PARTS.findall(text):
        section, title = new_section or section, new_title or title
        if sql:
            all_questions.append(Question(section, title, sql))
    return tuple(all_questions)


def for_collection(store: Store, collection: str) -> tuple[Question, ...]:
    """The questions with the names of a collection, its qrels, runs, engines and an attribute.

    A name of the demo for which the collection has nothing stays as it is.

    Raises:
        NotFound: there is no such collection.
    """
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        qrels = [row.name for row in list_qrels(connection, collection_id)]
        runs = sorted(list_runs(connection, collection=collection), key=lambda r: natural(r.name))
        engines = engines_of(connection, [run.id for run in runs])
        attributes = list_attributes(connection, collection_id)
    engine_of = {run.name: engines[run.id] for run in runs}
    run_names = _in_place_of(DEMO_RUNS, list(engine_of))
    names = {
        "collection": {DEMO_COLLECTION: collection},
        "qrels": dict(zip(DEMO_QRELS, qrels, strict=False)),
        "run": run_names,
        "name": _in_place_of([DEMO_ATTRIBUTE], attributes),
        "engine": {demo: engine_of[run] for demo, run in run_names.items()},
    }
    return tuple(Question(q.section, q.title, _renamed(q.sql, names)) for q in questions())


def _in_place_of(demo: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """A name for each of the demo: the same one if it is there, else an unused one."""
    others = iter([name for name in names if name not in demo])
    chosen = {name: name if name in names else next(others, None) for name in demo}
    return {name: other for name, other in chosen.items() if other is not None}


def _renamed(sql: str, names: Mapping[str, Mapping[str, str]]) -> str:
    def literal(match: re.Match[str]) -> str:
        kind, equals, name = match.groups()
        other = names[kind[:-2] if kind in ("run_a", "run_b") else kind].get(name, name)
        return f"{kind}{equals}'{other.replace(chr(39), chr(39) * 2)}'"

    return NAMED.sub(literal, sql)
