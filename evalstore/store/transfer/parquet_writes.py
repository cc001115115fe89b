"""Rows of Parquet tables written into a store: names are replaced by ids."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Table

from evalstore.store.columns import I64, Column, RankingRows
from evalstore.store.models import evaluation_t, explanation_t, hit_t, time_t
from evalstore.store.queries import runs
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.drafts import (
    DraftDocument,
    StoredAssessment,
    StoredDraft,
    WholeDraft,
)
from evalstore.store.queries.evaluations import (
    ensure_measures,
    find_evaluation,
    insert_aggregates,
    insert_values,
    stored_measures,
)
from evalstore.store.queries.facts import COLUMNS, FACTS
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import add_rankings, add_tops
from evalstore.store.rows import bulk_insert, has_rows, insert_columns, insert_row
from evalstore.store.transfer.copy import CollectionContent, complete_collection

T = TypeVar("T")
Tables = Mapping[str, pa.Table]


@dataclass(frozen=True)
class ImportedEvaluation:
    """An evaluation of a run from the tables `evaluations`, `leaderboard`, `hits` and `values`.

    `qrels_id` is the id of the qrels in the target; `figures` are the rows of `leaderboard`.
    """

    qrels_id: int
    evaluator: str
    compat: str
    created_at: datetime
    figures: pa.Table
    hits: pa.Table
    values: pa.Table


def add_collection_rows(connection: Connection, name: str, tables: Tables) -> int:
    """Add the queries, texts, attributes and facts that a collection lacks, from its tables.

    Returns:
        The number of additions.
    """
    own = tables["collections"].to_pylist()[0]
    attributes: dict[str, dict[str, str]] = {}
    for row in tables["query_attributes"].to_pylist():
        attributes.setdefault(row["qid"], {})[row["name"]] = row["value"]
    content = CollectionContent(
        name,
        {**own, "mappings": of_json(own["mappings"]), "grade_labels": of_json(own["grade_labels"])},
        {row["qid"]: row["query"] for row in tables["queries"].to_pylist()},
        attributes,
    )
    here, added, _ = complete_collection(connection, content)
    facts = {table: tables[name] for name, table in FACTS.items()}
    return added + add_missing(connection, here, facts, collection_id=here)


def add_missing(
    connection: Connection, here: int, contents: Mapping[Table, pa.Table], **owner: int
) -> int:
    """Add the rows of each table in which their owner has none; returns the number of tables."""
    (owner_id,) = owner.values()
    added = 0
    for table, content in contents.items():
        if len(content) and not has_rows(connection, table, owner_id):
            _add_rows(connection, here, table, content, owner)
            added += 1
    return added


def _add_rows(
    connection: Connection,
    here: int,
    table: Table,
    content: pa.Table,
    owner: Mapping[str, int],
) -> None:
    """Add what a table of Parquet has from the column `qid` on, for the id of their owner."""
    ids = _query_ids(connection, here, content)
    columns = content.schema.names[content.schema.names.index("qid") + 1 :]
    lists = [content[column].to_pylist() for column in columns]
    rows = zip(ids.tolist(), *lists, strict=True)
    bulk_insert(connection, table, ("query_id", *columns), rows, owner)


def of_json(text: str | None) -> dict[str, Any] | None:
    """The object of a text."""
    return None if text is None else dict(json.loads(text))


def drafts_of(tables: Tables) -> Iterator[WholeDraft]:
    """The drafts of a collection from its tables."""

    def records(kind: Callable[..., T], content: pa.Table) -> list[T]:
        names = kind.__annotations__
        return [kind(**{name: row[name] for name in names}) for row in content.to_pylist()]

    for row in tables["drafts"].sort_by("created_at").to_pylist():
        _, name, *facts = row.values()
        documents, said = (
            tables[of].filter(pc.equal(tables[of]["draft"], name))
            for of in ("draft_documents", "assessments")
        )
        yield (
            StoredDraft(0, name, *facts),
            records(DraftDocument, documents),
            records(StoredAssessment, said.sort_by("id")),
        )


def add_imported_texts(connection: Connection, experiments: Mapping[str, pa.Table]) -> int:
    """Add the texts of experiments that the store lacks; returns the number of experiments.

    `experiments` has the tables of that name by collection; the collections must be stored already.
    Texts are about each collection whose table contains them.
    """
    about, added = runs.list_about(connection), 0
    stored = runs.list_experiments(connection)
    written = {one.name: (one.question, one.conclusion) for one in stored if one.name in about}
    for collection, table in experiments.items():
        here = find_collection(connection, collection, removed=None)
        for row in table.to_pylist():
            name, texts = row["experiment"], (row["question"], row["conclusion"])
            if texts == (None, None) or written.get(name, texts) != texts:
                continue
            added += name not in written
            written[name] = texts
            runs.write_texts(connection, name, row["created_at"], texts, [here])
    return added


def add_imported_run(
    connection: Connection,
    collection_id: int,
    row: Mapping[str, Any],
    content: RankingRows | None,
    tables: Tables,
) -> int:
    """Store a run with its facts, rankings, times and explanations; returns its id.

    Args:
        connection: in a writing transaction.
        collection_id: the run's collection, which must have its queries.
        row: the run's row in the table `runs`.
        content: its rankings; None if they are stored, or if the run was given as values.
        tables: those of its collection; of some the rows of the run are added too.
    """
    engine_id = runs.ensure_engine(connection, row["engine"])
    runs.ensure_slot(connection, collection_id, engine_id, row["engine_slot"])
    facts = {name: row[name] for name in COLUMNS}
    facts |= {name: of_json(row[name]) for name in ("parameters", "header")}
    run_id = runs.add_run(
        connection,
        collection_id,
        engine_id=engine_id,
        experiment=row["experiment"],
        name=row["run"],
        tag=row["tag"],
        content_hash=row["content_hash"],
        queries=row["queries_answered"],
        retrieved=row["documents_retrieved"] or 0,
        values_only=row["values_only"],
        facts=facts,
        now=row["ingested_at"],
    )
    if content is not None:
        (query_ids,) = ensure_query_ids(connection, collection_id, content.qids)
        content_id = runs.content_id_of(connection, run_id)
        add_tops(connection, content_id, content, query_ids)
        add_rankings(connection, content_id, content, query_ids)
    complete_imported_run(connection, collection_id, run_id, row["run"], tables)
    return run_id


def complete_imported_run(
    connection: Connection, collection_id: int, run_id: int, name: str, tables: Tables
) -> int:
    """Add the response times and explanations of a run that has none; returns how many of both."""
    own = {
        table: tables[of].filter(pc.equal(tables[of]["run"], name))
        for of, table in (("response_times", time_t), ("explanations", explanation_t))
    }
    return add_missing(connection, collection_id, own, run_id=run_id)


def add_imported_evaluations(
    connection: Connection,
    collection_id: int,
    run_id: int,
    evaluations: Sequence[ImportedEvaluation],
) -> int:
    """Add to a run the evaluations and measures that it lacks; returns the number of measures."""
    added = 0
    for one in evaluations:
        existing = find_evaluation(connection, run_id, one.qrels_id)
        if existing is not None and existing.compat != one.compat:
            continue  # all values of an evaluation follow the rules of one trec_eval release
        if existing is None:
            evaluation_id = insert_row(
                connection,
                evaluation_t,
                content_id=runs.content_id_of(connection, run_id),
                qrels_id=one.qrels_id,
                evaluator=one.evaluator,
                compat=one.compat,
                created_at=one.created_at,
            )
            _add_hits(connection, collection_id, evaluation_id, one.hits)
        else:
            evaluation_id = existing.id
        added += _add_values(connection, collection_id, evaluation_id, one)
    return added


def _add_hits(
    connection: Connection, collection_id: int, evaluation_id: int, hits: pa.Table
) -> None:
    if not len(hits):
        return
    ids = _query_ids(connection, collection_id, hits)
    ranks = hits["rank"].combine_chunks().to_numpy()
    order = np.lexsort((ranks, ids))  # a file may be in another order
    columns: dict[str, Column] = {
        "query_id": ids[order],
        "rank": ranks[order],
        "docno": hits["docno"].combine_chunks().cast(pa.binary()).take(order),
        "grade": hits["grade"].combine_chunks().to_numpy()[order],
        "score": hits["score"].combine_chunks().to_numpy()[order],
    }
    insert_columns(connection, hit_t, columns, {"evaluation_id": evaluation_id})


def _add_values(
    connection: Connection, collection_id: int, evaluation_id: int, one: ImportedEvaluation
) -> int:
    stored = stored_measures(connection, evaluation_id)
    figures = {row["measure"]: row for row in one.figures.to_pylist()
               if row["measure"] not in stored}  # fmt: skip
    if not figures:
        return 0
    described = {
        name: (row["family"], row["direction"], row["aggregate"]) for name, row in figures.items()
    }
    measure_ids = ensure_measures(connection, described)
    queries = _query_ids(connection, collection_id, one.values)
    measures = one.values["measure"].combine_chunks().dictionary_encode()
    codes, values = measures.indices.to_numpy(), one.values["value"].to_numpy()
    for code, name in enumerate(measures.dictionary.to_pylist()):
        if name in figures:
            of_measure = codes == code
            by_measure = {measure_ids[name]: values[of_measure]}
            insert_values(connection, evaluation_id, queries[of_measure], by_measure)
    rows = [
        (measure_ids[name], row["value"], row["spread"], row["queries"])
        for name, row in figures.items()
    ]
    insert_aggregates(connection, evaluation_id, rows)
    return len(figures)


def _query_ids(connection: Connection, collection_id: int, content: pa.Table) -> I64:
    """The query id of each row of a table with a column `qid`; missing queries are inserted."""
    if not len(content):
        return np.zeros(0, np.int64)
    named = content["qid"].combine_chunks().dictionary_encode()
    qids = named.dictionary.to_pylist()
    (ids,) = ensure_query_ids(connection, collection_id, qids)
    of_rows: I64 = ids[named.indices.to_numpy()]
    return of_rows
