"""Rows of one store copied into another: ids are translated, everything else is unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Table, insert, select, update

from evalstore.formats.queries import Attributes
from evalstore.store import models
from evalstore.store.models import (
    aggregate_t,
    collection_t,
    engine_t,
    evaluation_t,
    hit_t,
    judgment_t,
    measure_t,
    measurement_t,
    parent_t,
    qrels_t,
    query_t,
    ranking_t,
    retrieved_t,
    run_t,
    slot_t,
    time_t,
)
from evalstore.store.queries.collections import Access, ensure_collection, find_collection
from evalstore.store.queries.documents import CHUNK, insert_documents, iter_documents, stored_docnos
from evalstore.store.queries.evaluations import (
    ensure_measures,
    find_evaluation,
    insert_values,
    stored_measures,
)
from evalstore.store.queries.facts import FACTS
from evalstore.store.queries.qrels import StoredQrels, list_qrels
from evalstore.store.queries.queries import (
    ensure_queries,
    load_queries,
    set_query_attributes,
    set_query_texts,
)
from evalstore.store.queries.runs import (
    content_hash_of,
    copy_run_files,
    ensure_engine,
    ensure_slot,
    join_experiment,
    list_about,
    list_experiments,
    lookup_run,
    write_texts,
)
from evalstore.store.queries.tracking import find_baseline, set_baseline
from evalstore.store.rows import bulk_insert, change_row

BATCH = 10_000


@dataclass(frozen=True)
class CollectionContent:
    """A collection with its queries; without documents, runs and qrels.

    `removed_at` is when it was marked as removed; None for active collections.
    """

    id: int
    name: str
    size: int | None
    created_at: datetime
    removed_at: datetime | None
    access: Access
    measures: str | None
    queries: Mapping[str, str | None]
    attributes: Attributes


def load_collection(connection: Connection, name: str) -> CollectionContent:
    """A collection, active or removed, without its documents, runs and qrels."""
    row = connection.execute(select(collection_t).where(collection_t.c.name == name)).one()
    queries = select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == row.id)
    texts = {r[0]: r[1] for r in connection.execute(queries.order_by(query_t.c.qid))}
    return CollectionContent(
        row.id,
        name,
        row.documents,
        row.created_at,
        row.deleted_at,
        row.access,
        row.measures,
        texts,
        load_queries(connection, row.id).attributes,
    )


def add_collection(reader: Connection, writer: Connection, source: CollectionContent) -> int:
    """Add the queries, texts, attributes, documents and facts that the target's collection lacks.

    Returns:
        How many were added.
    """
    is_new = find_collection(writer, source.name, removed=None) is None
    here = ensure_collection(writer, source.name, source.created_at)
    if is_new:
        values = {name: getattr(source, name) for name in ("access", "measures")}
        change_row(writer, collection_t, here, deleted_at=source.removed_at, **values)
    if source.size is not None:
        writer.execute(
            update(collection_t)
            .where(collection_t.c.id == here, collection_t.c.documents.is_(None))
            .values(documents=source.size)
        )
    rows = writer.execute(
        select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == here)
    )
    texts: dict[str, str | None] = {row[0]: row[1] for row in rows}
    ensure_queries(writer, here, source.queries)
    new = {
        qid: text
        for qid, text in source.queries.items()
        if text is not None and texts.get(qid) is None
    }
    set_query_texts(writer, here, new)
    new_attributes = _lacking(source.attributes, load_queries(writer, here).attributes)
    numbers = set_query_attributes(writer, here, new_attributes)
    added = is_new + len(new.keys() | (source.queries.keys() - texts.keys()))
    added += _copy_documents(reader, writer, source.id, here) + sum(numbers.values())
    return added + _copy_facts(reader, writer, source.id, here)


def _copy_documents(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Copy the documents that the target's collection lacks; returns how many."""
    added = 0
    documents = iter_documents(reader, theirs)
    while batch := list(islice(documents, CHUNK)):
        stored = stored_docnos(writer, here, [row[0] for row in batch])
        new = [row for row in batch if row[0] not in stored]
        insert_documents(writer, here, new)
        added += len(new)
    return added


def _lacking(theirs: Attributes, ours: Attributes) -> Attributes:
    """The attributes of queries that the target has no value of."""
    return {
        qid: {name: value for name, value in own.items() if name not in ours.get(qid, {})}
        for qid, own in theirs.items()
    }


def _copy_facts(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Copy the kinds of facts of which the target's collection has none; returns how many."""
    added = 0
    for table in FACTS.values():
        own = select(table.c.query_id).where(table.c.collection_id == here).limit(1)
        other = select(table.c.query_id).where(table.c.collection_id == theirs).limit(1)
        if writer.execute(own).first() is None and reader.execute(other).first() is not None:
            columns = [column.name for column in table.columns]
            _copy_rows(reader, writer, table, columns, theirs, here, here)
            added += 1
    return added


def copy_qrels(
    reader: Connection, writer: Connection, qrels: StoredQrels, here: int, name: str
) -> int:
    """Copy a set of judgments into the collection `here`; returns its id in the target.

    It becomes the default if it is the source's default and the target's collection has none.
    """
    row = reader.execute(select(qrels_t).where(qrels_t.c.id == qrels.id)).one()
    default = select(qrels_t.c.id).where(qrels_t.c.collection_id == here, qrels_t.c.is_default)
    is_default = row.is_default and writer.execute(default).first() is None
    qrels_id = _insert(writer, qrels_t, row, collection_id=here, name=name, is_default=is_default)
    columns = ("qrels_id", "query_id", "docno", "grade")
    _copy_rows(reader, writer, judgment_t, columns, row.id, qrels_id, here)
    return qrels_id


def run_row(reader: Connection, run_id: int) -> Row[Any] | None:
    """A run with the name of its engine and the engine's slot."""
    engine = engine_t
    slot = slot_t
    return reader.execute(
        select(run_t, engine.c.name.label("engine"), slot.c.slot)
        .join(engine, engine.c.id == run_t.c.engine_id)
        .outerjoin(
            slot,
            (slot.c.engine_id == engine.c.id) & (slot.c.collection_id == run_t.c.collection_id),
        )
        .where(run_t.c.id == run_id)
    ).first()


def copy_run(reader: Connection, writer: Connection, row: Row[Any], here: int) -> int:
    """Copy a run and its rankings into the collection `here`; returns its id in the target."""
    engine_id = ensure_engine(writer, row.engine)
    ensure_slot(writer, here, engine_id, row.slot)
    if row.experiment is not None:
        join_experiment(writer, row.experiment, here)
    run_id = _insert(writer, run_t, row, collection_id=here, engine_id=engine_id)
    for table, columns in (
        (ranking_t, ("run_id", "query_id", "retrieved", "packed")),
        (retrieved_t, ("run_id", "query_id", "rank", "docno", "score")),
        (time_t, ("run_id", "query_id", "milliseconds")),
    ):
        _copy_rows(reader, writer, table, columns, row.id, run_id, here)
    copy_run_files(reader, writer, row.id, run_id)
    return run_id


def copy_parents(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Give the runs of the collection `here` the parents that they have in the source.

    Runs that have a parent here already keep it, and so does a run whose parent is not here.

    Returns:
        How many parents were added.
    """
    child, parent = run_t.alias(), run_t.alias()
    pairs = reader.execute(
        select(child.c.content_hash, parent.c.content_hash)
        .join(parent_t, parent_t.c.run_id == child.c.id)
        .join(parent, parent.c.id == parent_t.c.parent_id)
        .where(child.c.collection_id == theirs)
    ).all()
    hashes = select(run_t.c.content_hash, run_t.c.id).where(run_t.c.collection_id == here)
    run_of = {row[0]: row[1] for row in writer.execute(hashes)}
    have = set(writer.execute(select(parent_t.c.run_id)).scalars())
    new = [
        (run_of[run], run_of[other])
        for run, other in pairs
        if run in run_of and other in run_of and run_of[run] not in have
    ]
    bulk_insert(writer, parent_t, ("run_id", "parent_id"), new)
    return len(new)


def copy_evaluations(
    reader: Connection, writer: Connection, theirs: int, ours: int, here: int
) -> int:
    """Add to the run `ours` the evaluations and measures of the run `theirs` that it lacks.

    Returns:
        How many measures were added.
    """
    rows = reader.execute(
        select(evaluation_t, qrels_t.c.content_hash)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .where(evaluation_t.c.run_id == theirs)
        .order_by(evaluation_t.c.id)
    ).all()
    qrels = {q.content_hash: q.id for q in list_qrels(writer, here, removed=None)}
    added = 0
    for row in rows:
        qrels_id = qrels[row.content_hash]
        existing = find_evaluation(writer, ours, qrels_id)
        if existing is not None and existing.compat != row.compat:
            continue  # an evaluation holds values by the rules of one release only
        evaluation_id = existing.id if existing else None
        if evaluation_id is None:
            evaluation_id = _insert(writer, evaluation_t, row, run_id=ours, qrels_id=qrels_id)
            columns = ("evaluation_id", "query_id", "rank", "docno", "grade", "score")
            _copy_rows(reader, writer, hit_t, columns, row.id, evaluation_id, here)
        added += _copy_values(reader, writer, row.id, evaluation_id, here)
    return added


def _copy_values(reader: Connection, writer: Connection, theirs: int, ours: int, here: int) -> int:
    aggregate = aggregate_t
    has = stored_measures(writer, ours)
    rows = reader.execute(
        select(measure_t, aggregate.c.value, aggregate.c.spread, aggregate.c.queries)
        .join(measure_t, measure_t.c.id == aggregate.c.measure_id)
        .where(aggregate.c.evaluation_id == theirs)
    ).all()
    new = {row.id: row for row in rows if row.name not in has}
    if not new:
        return 0
    by_name = ensure_measures(
        writer, {row.name: (row.family, row.direction, row.aggregate) for row in new.values()}
    )
    measures = {theirs_id: by_name[row.name] for theirs_id, row in new.items()}
    queries = _translated_queries(reader, writer, here, "measurement", theirs)
    table = measurement_t
    values = reader.execute(
        select(table.c.measure_id, table.c.query_id, table.c.value)
        .where(table.c.evaluation_id == theirs, table.c.measure_id.in_(measures))
        .order_by(table.c.measure_id, table.c.query_id)
        .execution_options(yield_per=BATCH)
    )
    for measure, of_measure in groupby(values, itemgetter(0)):
        _, ids, numbers = zip(*of_measure, strict=True)
        query_ids = np.array([queries[query] for query in ids], np.int64)
        insert_values(writer, ours, query_ids, {measures[measure]: np.array(numbers, np.float64)})
    bulk_insert(
        writer,
        aggregate,
        ("measure_id", "value", "spread", "queries"),
        [(measures[id_], r.value, r.spread, r.queries) for id_, r in new.items()],
        {"evaluation_id": ours},
    )
    return len(new)


def _copy_rows(
    reader: Connection,
    writer: Connection,
    table: Table,
    columns: Sequence[str],
    theirs: int,
    ours: int,
    here: int,
) -> None:
    """Copy the rows whose first column is the id `theirs`; the second column is a query's id."""
    queries = _translated_queries(reader, writer, here, table.name, theirs)
    source_rows = reader.execute(
        select(*(table.c[name] for name in columns))
        .where(table.c[columns[0]] == theirs)
        .order_by(*table.primary_key.columns)
        .execution_options(yield_per=BATCH)
    )

    def rows() -> Iterator[tuple[Any, ...]]:
        for _, query, *rest in source_rows:
            yield queries[query], *rest

    bulk_insert(writer, table, columns[1:], rows(), {columns[0]: ours})


def _translated_queries(
    reader: Connection, writer: Connection, here: int, table: str, theirs: int
) -> dict[int, int]:
    """The source's query ids mapped to those of the collection `here`; missing ones are made."""
    source = models.Base.metadata.tables[table]
    used_queries = (
        select(query_t.c.id, query_t.c.qid)
        .where(
            query_t.c.id.in_(
                select(source.c.query_id).where(next(iter(source.primary_key.columns)) == theirs)
            )
        )
        .order_by(query_t.c.qid)
    )
    qids = {row[0]: row[1] for row in reader.execute(used_queries)}
    by_qid = ensure_queries(writer, here, qids.values())
    return {query: by_qid[qid] for query, qid in qids.items()}


def _insert(writer: Connection, table: Table, row: Row[Any], **other: object) -> int:
    """Insert a row read from the other store, with some values replaced; returns its new id."""
    values = {c.name: row._mapping[c.name] for c in table.columns if c.name != "id"}
    done = writer.execute(insert(table).values(**{**values, **other}))
    key = done.inserted_primary_key
    assert key is not None  # noqa: S101  (every table that is inserted into so has one)
    return int(key[0])


# Texts of experiments, and baselines, of one store copied into another


def copy_experiments(reader: Connection, writer: Connection, collection_id: int | None) -> int:
    """Add the texts of experiments that the target lacks.

    They are about the collections of the same names, which are there by now if they are copied.

    Args:
        reader: of the source.
        writer: of the target.
        collection_id: only the texts about this collection of the source; all where None.

    Returns:
        How many experiments were added or completed.
    """
    collections = select(collection_t.c.id, collection_t.c.name)
    name_of = {row.id: row.name for row in reader.execute(collections)}
    id_of = {row.name: row.id for row in writer.execute(collections)}
    written = list_about(writer)
    present = {stored.name: stored for stored in list_experiments(writer)}
    about = list_about(reader)
    changed = 0
    for theirs in list_experiments(reader):
        of_theirs = about.get(theirs.name)
        if of_theirs is None or collection_id not in {None, *of_theirs}:
            continue
        ours = present.get(theirs.name)
        had = (ours.question, ours.conclusion) if ours else (None, None)
        texts = had[0] or theirs.question, had[1] or theirs.conclusion
        if theirs.name not in written or texts != had:
            here = {id_of.get(name_of.get(one or 0, "")) for one in of_theirs}
            write_texts(writer, theirs.name, theirs.created_at, texts, here)
            changed += 1
    return changed


def copy_baseline(reader: Connection, writer: Connection, theirs: int, here: int) -> str | None:
    """Give the collection `here` the baseline of the collection `theirs`, if it has none.

    Returns:
        The name of the run in the target; None where nothing was changed.
    """
    baseline = find_baseline(reader, theirs)
    if baseline is None or find_baseline(writer, here) is not None:
        return None
    run = lookup_run(writer, here, content=content_hash_of(reader, baseline.id))
    if run is None:
        return None
    set_baseline(writer, here, run.id)
    return run.name
