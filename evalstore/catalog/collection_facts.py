"""Store facts that some measures need besides a run and its qrels; delete outdated values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.given_facts import LARGEST, GivenFacts
from evalstore.errors import DataError, MeasureError
from evalstore.formats import (
    Preferences,
    ReadOptions,
    SubtopicQrels,
    read_explanations,
    read_judgment_groups,
    read_known,
    read_preferences,
    read_subtopic_qrels,
    read_times,
)
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.models import collection_t, group_t, preference_t, subtopic_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.evaluations import all_measures, delete_values
from evalstore.store.queries.facts import (
    set_explanations,
    set_judgments,
    set_known,
    set_times,
    set_values,
)
from evalstore.store.queries.rankings import unanswered_queries
from evalstore.store.queries.runs import StoredRun, find_run
from evalstore.store.rows import change_row

FACT_READERS: Mapping[str, Callable[[str, ReadOptions], Any]] = {
    "subtopics": read_subtopic_qrels,
    "judgment_groups": read_judgment_groups,
    "preferences": read_preferences,
    "known": read_known,
}
"""The function that reads each file of `CollectionFacts`, by its attribute."""

RUN_FACT_READERS: Mapping[str, Callable[[str, ReadOptions], Any]] = {
    "times": read_times,
    "explanations": read_explanations,
}
"""The function that reads each file of `RunCosts`, by its attribute: facts of each query."""


@dataclass(frozen=True)
class CollectionFacts:
    """Facts of a collection; those not given are None.

    `known` has the documents that each query's user already knew, by query id.
    """

    subtopics: SubtopicQrels | None = None
    known: Mapping[str, Collection[str]] | None = None
    collection_size: int | None = None
    judgment_groups: SubtopicQrels | None = None
    preferences: Preferences | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the files, one sentence each."""
        files = (self.subtopics, self.judgment_groups, self.preferences)
        return tuple(warning for file in files if file for warning in file.warnings)


@dataclass(frozen=True)
class RunCosts:
    """Facts of a run as in `GivenFacts`, None if not given.

    `times` are milliseconds by query id; `explanations` are texts by query id and docno.
    """

    times: Mapping[str, float] | None = None
    index_bytes: int | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    explanations: Mapping[tuple[str, str], str] | None = None


def store_collection_facts(store: Store, collection: str, facts: CollectionFacts) -> int:
    """Store facts of a collection, replacing earlier ones and deleting values computed with those.

    Returns the number of aggregates deleted. DataError: the size is below 1 or too large to store.
    """
    fact_names = _fact_names(facts)
    if facts.collection_size is not None and not 1 <= facts.collection_size <= LARGEST:
        raise DataError(f"a collection can't have {facts.collection_size:,} documents")

    def work(connection: Connection) -> int:
        collection_id = find_collection_id(connection, collection)
        judgments = (
            (subtopic_t, facts.subtopics),
            (group_t, facts.judgment_groups),
            (preference_t, facts.preferences),
        )
        for table, file in judgments:
            if file is not None:
                set_judgments(connection, collection_id, table, file)
        if facts.known is not None:
            set_known(connection, collection_id, facts.known)
        if facts.collection_size is not None:
            change_row(connection, collection_t, collection_id, documents=facts.collection_size)
        deleted = delete_outdated(connection, fact_names, collection_id)
        events.log(connection, "facts", collection, collection, stored=fact_names, deleted=deleted)
        return deleted

    return store.transact(work) if fact_names else 0


def store_run_facts(store: Store, run: str, facts: RunCosts, collection: str | None = None) -> int:
    """Store facts of a run, replacing earlier ones and deleting values computed with those.

    Returns the number of aggregates deleted. DataError: a time or an explanation is for a query
    that the run does not answer, or a cost is impossible.
    """

    def work(connection: Connection) -> int:
        stored = find_run(connection, run, collection)
        return set_run_facts(connection, stored, facts, datetime.now(UTC))

    return store.transact(work) if _fact_names(facts) else 0


def set_run_facts(connection: Connection, run: StoredRun, facts: RunCosts, now: datetime) -> int:
    """Do the work of `store_run_facts` in the caller's transaction."""
    fact_names = _fact_names(facts)
    costs = {name: getattr(facts, name) for name in fact_names if name not in RUN_FACT_READERS}
    GivenFacts(**costs)  # this checks the costs
    collection_id = find_collection(connection, run.collection) or 0
    if facts.times is not None:
        _check_answered(connection, run, "times", facts.times)
        set_times(connection, collection_id, run.id, facts.times)
    if facts.explanations is not None:
        _check_answered(connection, run, "explanations", {qid for qid, _ in facts.explanations})
        set_explanations(connection, collection_id, run.id, facts.explanations)
    set_values(connection, run.id, costs)
    deleted = delete_outdated(connection, fact_names, collection_id, run.id)
    events.log(
        connection, "facts", run.collection, run.name, now, stored=fact_names, deleted=deleted
    )
    return deleted


def _check_answered(
    connection: Connection, run: StoredRun, facts: str, qids: Collection[str]
) -> None:
    unknown = unanswered_queries(connection, run, qids)
    if unknown:
        names = ", ".join(map(repr, unknown[:3])) + (", ..." if len(unknown) > 3 else "")
        queries = f"{len(unknown):,} quer{'y' if len(unknown) == 1 else 'ies'}"
        raise DataError(f"{facts} for {queries} that run {run.name!r} does not answer: {names}")


def delete_outdated(
    connection: Connection, facts: Collection[str], collection_id: int, run_id: int | None = None
) -> int:
    """Delete the values computed with earlier facts; returns the number of aggregates deleted."""
    outdated = _measures_that_need(connection, facts)
    return delete_values(connection, outdated, collection=collection_id, run=run_id)


def _fact_names(facts: CollectionFacts | RunCosts) -> list[str]:
    return [field.name for field in fields(facts) if getattr(facts, field.name) is not None]


def _measures_that_need(connection: Connection, needs: Collection[str]) -> list[str]:
    """The measures with stored values that can change when these facts do."""
    names = []
    for name in all_measures(connection):
        try:
            if parse(name).descriptor.facts & set(needs):
                names.append(name)
        except MeasureError:  # stored by a version that has more measures
            continue
    return names
