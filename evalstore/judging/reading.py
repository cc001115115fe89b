"""Facts that assessors read: the grades and their labels, the guidelines, queries and links."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import check_text
from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.store.models import collection_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import load_judging
from evalstore.store.queries.qrels import highest_grade, list_qrels
from evalstore.store.queries.queries import find_query, load_attributes
from evalstore.store.rows import change_row

DESCRIPTION = "description"
"""The attribute of a query that says more than its text, in Markdown."""
PLACE = "{docno}"
"""The part of a link that stands for the docno."""
HIGHEST_USUAL = 5
"""The highest grade that is offered without labels."""
MOST_GRADES = 20
LONGEST_LABEL = 80
LONGEST_GUIDELINES = 50_000
LONGEST_LINK = 2_000


@dataclass(frozen=True)
class JudgingSettings:
    """The settings of a collection for those who judge.

    Attributes:
        labels: the name of each grade, by grade as text, in ascending order; empty if none is set.
        document_link: the address of a document, with `{docno}` in it.
        guidelines: how to judge, in Markdown.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    document_link: str | None = None
    guidelines: str | None = None

    def link(self, docno: str) -> str | None:
        """The address of a document; None without a template."""
        return self.document_link and self.document_link.replace(PLACE, quote(docno, safe=""))


@dataclass(frozen=True)
class QueryToRead:
    """A query as assessors read it; `description` is Markdown."""

    qid: str
    text: str | None
    description: str | None


def judging_settings(store: Store, collection: str) -> JudgingSettings:
    """The settings of a collection for those who judge."""
    with store.read() as connection:
        return _settings(connection, find_collection_id(connection, collection))


def set_judging_settings(store: Store, collection: str, settings: JudgingSettings) -> None:
    """Set all settings of a collection for those who judge.

    Raises:
        DataError: a label of what is no grade, a link that is not of the web, a text that is too
            long.
    """
    labels = {_grade(grade): _label(text) for grade, text in settings.labels.items()}
    if len(labels) > MOST_GRADES:
        raise DataError(f"there are {len(labels)} grades, of {MOST_GRADES} at most")
    link = (settings.document_link or "").strip()
    if link and not (re.match(r"https?://[^/]", link) and PLACE in link):
        raise DataError(
            f"the link {link!r} is no template: write an address that begins with https:// or "
            f"http:// and has {PLACE} in it"
        )
    guidelines = check_text("guidelines", settings.guidelines or "").strip()
    for name, text, most in (
        ("link", link, LONGEST_LINK),
        ("guidelines", guidelines, LONGEST_GUIDELINES),
    ):
        if len(check_text(name, text)) > most:
            raise DataError(f"the {name} has {len(text):,} characters, of {most:,} at most")

    def work(connection: Connection) -> None:
        collection_id = find_collection_id(connection, collection)
        values = {
            "grade_labels": {f"{grade:g}": labels[grade] for grade in sorted(labels)} or None,
            "document_link": link or None,
            "guidelines": guidelines or None,
        }
        change_row(connection, collection_t, collection_id, **values)
        events.log(connection, "facts", collection, collection, kind="judging")

    store.transact(work)


def grade_choices(store: Store, collection: str) -> list[tuple[str, str]]:
    """The grades to choose from, ascending, each with its label ("" without one).

    Without labels they are 0 to the highest grade of the default qrels, at least 1, at most 5.
    """
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        labels = _settings(connection, collection_id).labels
        if labels:
            return list(labels.items())
        qrels = list_qrels(connection, collection_id)
        highest = highest_grade(connection, qrels[0].id) if qrels else 1.0
    usual = ["not relevant", "relevant"] if highest <= 1 else ["not relevant"]
    grades = range(min(max(int(highest), 1), HIGHEST_USUAL) + 1)
    return [(str(grade), usual[grade] if grade < len(usual) else "") for grade in grades]


def queries_to_read(store: Store, collection: str, qids: Iterable[str]) -> list[QueryToRead]:
    """Queries with their descriptions; NotFound if the collection lacks one."""
    with store.read() as connection:
        collection_id = find_collection_id(connection, collection)
        return [_query(connection, collection, collection_id, qid) for qid in dict.fromkeys(qids)]


def _query(connection: Connection, collection: str, collection_id: int, qid: str) -> QueryToRead:
    query = find_query(connection, collection_id, qid)
    if query is None:
        raise NotFound(f"there is no query {qid!r} in collection {collection!r}")
    description = load_attributes(connection, query.id).get(DESCRIPTION)
    return QueryToRead(qid, query.text, description)


def _settings(connection: Connection, collection_id: int) -> JudgingSettings:
    labels, link, guidelines = load_judging(connection, collection_id)
    by_grade = sorted((labels or {}).items(), key=lambda label: float(label[0]))
    return JudgingSettings(dict(by_grade), link, guidelines)


def _grade(text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not 0 <= grade <= 1_000_000:
        raise DataError(
            f"{text!r} is no grade: a label belongs to a number from 0 on, as in `2 relevant`"
        )
    return grade


def _label(text: str) -> str:
    label = check_text("label", text).strip()
    if "\n" in label or len(label) > LONGEST_LABEL:
        raise DataError(f"the label {label!r} is no line of up to {LONGEST_LABEL} characters")
    return label
