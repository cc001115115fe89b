"""Rows of one store copied into another: only the ids change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Table, select, update

from evalstore.formats.queries import Attributes
from evalstore.store.models import (
    aggregate_t,
    collection_t,
    content_t,
    engine_t,
    evaluation_t,
    explanation_t,
    hit_t,
    judgment_t,
    measure_t,
    measurement_t,
    origin_t,
    parent_t,
    qrels_t,
    query_t,
    ranking_t,
    retrieved_t,
    run_t,
    slot_t,
    time_t,
)
from evalstore.store.queries import runs
from evalstore.store.queries.collections import ensure_collection, find_collection
from evalstore.store.queries.documents import CHUNK, insert_documents, iter_documents, stored_docnos
from evalstore.store.queries.drafts import complete_drafts, list_whole_drafts
from evalstore.store.queries.evaluations import (
    ensure_measures,
    find_evaluation,
    insert_aggregates,
    insert_values,
    stored_measures,
)
from evalstore.store.queries.facts import FACTS
from evalstore.store.queries.qrels import StoredQrels, ids_by_hash, list_qrels
from evalstore.store.queries.queries import (
    ensure_queries,
    list_qids,
    load_queries,
    set_query_attributes,
    set_query_texts,
)
from evalstore.store.queries.tracking import find_baseline, set_baseline
from evalstore.store.rows import bulk_insert, change_row, has_rows, insert_row

BATCH = 10_000


@dataclass(frozen=True)
class CollectionContent:
    """A collection of another store or a folder, with its queries only.

    It has no documents, runs and qrels here. `columns` are those of its row.
    """

    name: str
    columns: Mapping[str, Any]
    queries: Mapping[str, str | None]
    attributes: Attributes


OF_NEW = ("deleted_at", "access", "measures", "mappings")
"""The columns that a collection gets when it is created."""
OF_ANY = ("documents", "grade_labels", "document_link", "guidelines")
"""The columns that a collection gets where they are null."""


def complete_collection(connection: Connection, source: CollectionContent) -> tuple[int, int, int]:
    """Add the queries, texts and columns that a collection lacks; create it if it is missing.

    Returns:
        The id of the collection, the number of additions, and the number of new queries without a
        text, which don't count as additions.
    """
    is_new = find_collection(connection, source.name, removed=None) is None
    here = ensure_collection(connection, source.name, source.columns["created_at"])
    stored_row = connection.execute(select(collection_t).where(collection_t.c.id == here)).one()
    lacking = [name for name in OF_ANY if stored_row._mapping[name] is None]
    given = {name: source.columns.get(name) for name in (*lacking, *(OF_NEW if is_new else ()))}
    new = {name: value for name, value in given.items() if value is not None}
    if new:
        change_row(connection, collection_t, here, **new)
    before = set(list_qids(connection, here))
    ensure_queries(connection, here, source.queries)
    stored = load_queries(connection, here)
    texts = {
        qid: text
        for qid, text in source.queries.items()
        if text is not None and qid not in stored.texts
    }
    attributes = {
        qid: {n: value for n, value in own.items() if n not in stored.attributes.get(qid, {})}
        for qid, own in source.attributes.items()
    }
    added = (is_new or len(new)) + set_query_texts(connection, here, texts)
    added += sum(set_query_attributes(connection, here, attributes).values())
    return here, added, len(source.queries.keys() - before - texts.keys())


def copy_collection(reader: Connection, writer: Connection, name: str) -> int:
    """Add the queries, texts, attributes, documents and facts that the target's collection lacks.

    Returns:
        The number of additions.
    """
    row = reader.execute(select(collection_t).where(collection_t.c.name == name)).one()
    queries = select(query_t.c.qid, query_t.c.text).where(query_t.c.collection_id == row.id)
    content = CollectionContent(
        name,
        dict(row._mapping),
        {r[0]: r[1] for r in reader.execute(queries.order_by(query_t.c.qid))},
        load_queries(reader, row.id).attributes,
    )
    here, added, without_text = complete_collection(writer, content)
    added += without_text + _copy_documents(reader, writer, row.id, here)
    return added + _copy_missing(reader, writer, FACTS.values(), row.id, here, here)


def _copy_documents(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Copy the documents that the target's collection lacks; returns their number."""
    added = 0
    documents = iter_documents(reader, theirs)
    while batch := list(islice(documents, CHUNK)):
        stored = stored_docnos(writer, here, [row[0] for row in batch])
        new = [row for row in batch if row[0] not in stored]
        insert_documents(writer, here, new)
        added += len(new)
    return added


def _copy_missing(
    reader: Connection,
    writer: Connection,
    tables: Iterable[Table],
    theirs: int,
    ours: int,
    here: int,
) -> int:
    """Copy by `_copy_rows` each table in which the id `ours` has no row; returns their number."""
    added = 0
    for table in tables:
        if has_rows(reader, table, theirs) and not has_rows(writer, table, ours):
            _copy_rows(reader, writer, table, theirs, ours, here)
            added += 1
    return added


def copy_qrels(
    reader: Connection, writer: Connection, qrels: StoredQrels, here: int, name: str
) -> int:
    """Copy a set of judgments into the collection `here`; returns its id in the target.

    The copy becomes the default if it is the source's default and the target's collection has none.
    """
    row = reader.execute(select(qrels_t).where(qrels_t.c.id == qrels.id)).one()
    default = select(qrels_t.c.id).where(qrels_t.c.collection_id == here, qrels_t.c.is_default)
    own = {"is_default": row.is_default and writer.execute(default).first() is None}
    own |= {"collection_id": here, "name": name, "parent_id": None}
    qrels_id = _insert(writer, qrels_t, row, **own)
    for table in (judgment_t, origin_t):
        _copy_rows(reader, writer, table, row.id, qrels_id, here)
    return qrels_id


def complete_qrels(
    reader: Connection, writer: Connection, theirs: int, ours: int, here: int
) -> bool:
    """Copy the origins of the judgments if the qrels `ours`, with the same content, have none."""
    return _copy_missing(reader, writer, (origin_t,), theirs, ours, here) > 0


def copy_qrels_parents(reader: Connection, writer: Connection, theirs: int, here: int) -> None:
    """Give the qrels of the collection `here` the parents that they have in the source.

    Those that have a parent keep it; parents that the target lacks are left out.
    """
    parent = qrels_t.alias()
    rows = reader.execute(
        select(qrels_t.c.name, parent.c.name)
        .join(parent, parent.c.id == qrels_t.c.parent_id)
        .where(qrels_t.c.collection_id == theirs)
    )
    ids = _qrels_here(reader, writer, theirs, here)
    add_qrels_parents(writer, ids, {row[0]: row[1] for row in rows})


def add_qrels_parents(
    connection: Connection, ids: Mapping[str, int], parents: Mapping[str, str]
) -> None:
    """Give qrels without a parent theirs, by name; what `ids` lacks is left out."""
    for name, parent in parents.items():
        if parent in ids and name in ids:
            orphan = qrels_t.c.id == ids[name], qrels_t.c.parent_id.is_(None)
            connection.execute(update(qrels_t).where(*orphan).values(parent_id=ids[parent]))


def _qrels_here(reader: Connection, writer: Connection, theirs: int, here: int) -> dict[str, int]:
    """The ids of qrels in the target, by their names in the source."""
    hashes = {one.name: one.content_hash for one in list_qrels(reader, theirs, removed=None)}
    return ids_by_hash(writer, here, hashes)


def copy_drafts(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Add the drafts of a collection by `complete_drafts`; returns the number of additions."""
    drafts = list_whole_drafts(reader, theirs)
    return complete_drafts(writer, here, drafts, _qrels_here(reader, writer, theirs, here))


def run_row(reader: Connection, run_id: int) -> Row[Any] | None:
    """A run with the name of its engine and the engine's slot."""
    return reader.execute(
        select(
            run_t,
            runs.CONTENT_HASH.label("content_hash"),
            engine_t.c.name.label("engine"),
            slot_t.c.slot,
        )
        .join(engine_t, engine_t.c.id == run_t.c.engine_id)
        .outerjoin(slot_t, runs.IS_SLOT_OF_RUN)
        .where(run_t.c.id == run_id)
    ).first()


def copy_run(reader: Connection, writer: Connection, row: Row[Any], here: int) -> int:
    """Copy a run into the collection `here`, with its rankings unless the target has them.

    Returns:
        Its id in the target.
    """
    engine_id = runs.ensure_engine(writer, row.engine)
    runs.ensure_slot(writer, here, engine_id, row.slot)
    if row.experiment is not None:
        runs.join_experiment(writer, row.experiment, here)
    content_id = runs.find_content(writer, here, row.content_hash)
    if content_id is None:
        content_id = insert_row(
            writer, content_t, collection_id=here, content_hash=row.content_hash
        )
        for table in (ranking_t, retrieved_t):
            _copy_rows(reader, writer, table, row.content_id, content_id, here)
    others = {"collection_id": here, "engine_id": engine_id, "content_id": content_id}
    run_id = _insert(writer, run_t, row, **others)
    complete_run(reader, writer, row.id, run_id, here)
    runs.copy_run_files(reader, writer, row.id, run_id)
    return run_id


def complete_run(reader: Connection, writer: Connection, theirs: int, ours: int, here: int) -> int:
    """Copy response times and explanations if the run `ours`, with the same content, has none.

    Returns:
        How many of the two were copied.
    """
    return _copy_missing(reader, writer, (time_t, explanation_t), theirs, ours, here)


def copy_parents(reader: Connection, writer: Connection, theirs: int, here: int) -> int:
    """Give the runs of the collection `here` the parents of the source, by `add_parents`."""
    child, parent = run_t.alias(), run_t.alias()
    pairs = reader.execute(
        select(child.c.name, parent.c.name)
        .join(parent_t, parent_t.c.run_id == child.c.id)
        .join(parent, parent.c.id == parent_t.c.parent_id)
        .where(child.c.collection_id == theirs)
    )
    return add_parents(writer, here, {row[0]: row[1] for row in pairs})


def add_parents(connection: Connection, here: int, parents: Mapping[str, str]) -> int:
    """Give runs without a parent theirs, by name; runs that `here` lacks are left out.

    Returns:
        The number of parents added.
    """
    names = select(run_t.c.name, run_t.c.id).where(run_t.c.collection_id == here)
    run_of = {row[0]: row[1] for row in connection.execute(names)}
    have = set(connection.execute(select(parent_t.c.run_id)).scalars())
    new = [
        (run_of[run], run_of[other])
        for run, other in parents.items()
        if run in run_of and other in run_of and run_of[run] not in have
    ]
    bulk_insert(connection, parent_t, ("run_id", "parent_id"), new)
    return len(new)


def copy_evaluations(
    reader: Connection, writer: Connection, theirs: int, ours: int, here: int
) -> int:
    """Add to the run `ours` the evaluations and measures of the run `theirs` that it lacks.

    Returns:
        The number of measures added.
    """
    rows = reader.execute(
        select(evaluation_t, qrels_t.c.content_hash)
        .join(qrels_t, qrels_t.c.id == evaluation_t.c.qrels_id)
        .where(evaluation_t.c.content_id == runs.content_of(theirs))
        .order_by(evaluation_t.c.id)
    ).all()
    qrels = ids_by_hash(writer, here, {row.content_hash: row.content_hash for row in rows})
    added = 0
    for row in rows:
        qrels_id = qrels[row.content_hash]
        existing = find_evaluation(writer, ours, qrels_id)
        if existing is not None and existing.compat != row.compat:
            continue  # all values of an evaluation follow the rules of one trec_eval release
        evaluation_id = existing.id if existing else None
        if evaluation_id is None:
            own = {"content_id": runs.content_id_of(writer, ours), "qrels_id": qrels_id}
            evaluation_id = _insert(writer, evaluation_t, row, **own)
            _copy_rows(reader, writer, hit_t, row.id, evaluation_id, here)
        added += _copy_values(reader, writer, row.id, evaluation_id, here)
    return added


def _copy_values(reader: Connection, writer: Connection, theirs: int, ours: int, here: int) -> int:
    has = stored_measures(writer, ours)
    rows = reader.execute(
        select(measure_t, aggregate_t.c.value, aggregate_t.c.spread, aggregate_t.c.queries)
        .join(measure_t, measure_t.c.id == aggregate_t.c.measure_id)
        .where(aggregate_t.c.evaluation_id == theirs)
    ).all()
    new = {row.id: row for row in rows if row.name not in has}
    if not new:
        return 0
    by_name = ensure_measures(
        writer, {row.name: (row.family, row.direction, row.aggregate) for row in new.values()}
    )
    measures = {theirs_id: by_name[row.name] for theirs_id, row in new.items()}
    queries = _translated_queries(reader, writer, here, measurement_t, theirs)
    value_t = measurement_t.c
    values = reader.execute(
        select(value_t.measure_id, value_t.query_id, value_t.value)
        .where(value_t.evaluation_id == theirs, value_t.measure_id.in_(measures))
        .order_by(value_t.measure_id, value_t.query_id)
        .execution_options(yield_per=BATCH)
    )
    for measure, of_measure in groupby(values, itemgetter(0)):
        _, ids, numbers = zip(*of_measure, strict=True)
        query_ids = np.array([queries[query] for query in ids], np.int64)
        insert_values(writer, ours, query_ids, {measures[measure]: np.array(numbers, np.float64)})
    rows_here = [(measures[id_], r.value, r.spread, r.queries) for id_, r in new.items()]
    insert_aggregates(writer, ours, rows_here)
    return len(new)


def _copy_rows(
    reader: Connection,
    writer: Connection,
    table: Table,
    theirs: int,
    ours: int,
    here: int,
) -> None:
    """Copy the rows whose first column is the id `theirs`; their second column is a query's id."""
    columns = [column.name for column in table.columns]
    queries = _translated_queries(reader, writer, here, table, theirs)
    source_rows = reader.execute(
        select(table)
        .where(table.c[columns[0]] == theirs)
        .order_by(*table.primary_key.columns)
        .execution_options(yield_per=BATCH)
    )

    def rows() -> Iterator[tuple[Any, ...]]:
        for _, query, *rest in source_rows:
            yield queries[query], *rest

    bulk_insert(writer, table, columns[1:], rows(), {columns[0]: ours})


def _translated_queries(
    reader: Connection, writer: Connection, here: int, table: Table, theirs: int
) -> dict[int, int]:
    """The source's query ids mapped to those of the collection `here`; missing ones are added."""
    used = select(table.c.query_id).where(next(iter(table.primary_key.columns)) == theirs)
    used_queries = select(query_t.c.id, query_t.c.qid).where(query_t.c.id.in_(used))
    used_queries = used_queries.order_by(query_t.c.qid)
    qids = {row[0]: row[1] for row in reader.execute(used_queries)}
    by_qid = ensure_queries(writer, here, qids.values())
    return {query: by_qid[qid] for query, qid in qids.items()}


def _insert(writer: Connection, table: Table, row: Row[Any], **other: object) -> int:
    """Insert a row read from the other store, with some values replaced; returns its new id."""
    values = {c.name: row._mapping[c.name] for c in table.columns if c.name != "id"}
    return insert_row(writer, table, **{**values, **other})


# Texts of experiments and baselines copied from one store into another


def copy_experiments(reader: Connection, writer: Connection, collection_id: int | None) -> int:
    """Add the texts of experiments that the target lacks.

    In the target they are about the collections with the same names, which must be copied before.
    With `collection_id`, only the texts about this collection of the source are added.

    Returns:
        The number of experiments added or completed.
    """
    collections = select(collection_t.c.id, collection_t.c.name)
    name_of = {row.id: row.name for row in reader.execute(collections)}
    id_of = {row.name: row.id for row in writer.execute(collections)}
    written = runs.list_about(writer)
    present = {stored.name: stored for stored in runs.list_experiments(writer)}
    about = runs.list_about(reader)
    changed = 0
    for theirs in runs.list_experiments(reader):
        of_theirs = about.get(theirs.name)
        if of_theirs is None or collection_id not in {None, *of_theirs}:
            continue
        ours = present.get(theirs.name)
        had = (ours.question, ours.conclusion) if ours else (None, None)
        texts = had[0] or theirs.question, had[1] or theirs.conclusion
        if theirs.name not in written or texts != had:
            here = {id_of.get(name_of.get(one or 0, "")) for one in of_theirs}
            runs.write_texts(writer, theirs.name, theirs.created_at, texts, here)
            changed += 1
    return changed


def copy_baseline(reader: Connection, writer: Connection, theirs: int, here: int) -> str | None:
    """Give the collection `here` the baseline of the collection `theirs`, by `add_baseline`."""
    baseline = find_baseline(reader, theirs)
    if baseline is None:
        return None
    return add_baseline(writer, here, baseline.name)


def add_baseline(connection: Connection, collection_id: int, name: str) -> str | None:
    """Make the run with this name the baseline of a collection that has none.

    Returns:
        The name of the run; None if nothing was changed.
    """
    if find_baseline(connection, collection_id) is not None:
        return None
    run = runs.lookup_run(connection, collection_id, name)
    if run is None:
        return None
    set_baseline(connection, collection_id, run.id)
    return run.name
