"""Check a store by recomputing all derived data; each problem is one sentence.

Derived data are hashes, the rows for SQL, the hits, the values, the aggregates, and the saved
ranks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from evalstore.errors import EvalstoreError, MeasureError
from evalstore.evaluation.measure import load_judged
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.formats.lists import qrels_hash, run_hash
from evalstore.formats.qrels import Qrels
from evalstore.formats.run import Run
from evalstore.leaderboard.saved_ranks import saved_rank_problems
from evalstore.measures import Measure, aggregate, evaluate, parse
from evalstore.measures.judged import Judged
from evalstore.store import Store, schema
from evalstore.store.columns import texts
from evalstore.store.queries.comparison import list_judged_queries
from evalstore.store.queries.evaluations import StoredEvaluation, list_evaluations, stored_measures
from evalstore.store.queries.qrels import StoredQrels, load_qrels
from evalstore.store.queries.rankings import load_run
from evalstore.store.queries.runs import StoredRun, list_runs
from evalstore.store.transfer import db_check as selects
from evalstore.transfer.copy import reported

CLOSE = 1e-12
"""Relative tolerance: the order of computation is the same, so only the processor may differ."""


@dataclass(frozen=True)
class CheckResult:
    """The numbers of qrels, runs and evaluations checked, and the problems, one sentence each."""

    qrels: int
    runs: int
    evaluations: int
    problems: tuple[str, ...]


def db_check(store: Store, *, progress: Callable[[str], None] = lambda _: None) -> CheckResult:
    """Check everything in the store, including removed items; `progress` receives each problem."""
    counts = {"qrels": 0, "runs": 0, "evaluations": 0}
    problems = reported(_problems(store, counts), progress)
    return CheckResult(**counts, problems=problems)


def _problems(store: Store, counts: dict[str, int]) -> Iterator[str]:
    for damage in store.damages():
        yield f"the database file is damaged: {damage}"
    with store.read() as connection:
        wrong = schema.wrong_parts(connection)
        for what in wrong:
            yield (
                f"the schema is not that of revision {schema.HEAD}: {what}; restore a backup, or "
                "store the runs anew"
            )
        if wrong:  # nothing can be read as the models say
            return
        yield from _content(connection, counts)
    yield from saved_rank_problems(store)


def _content(connection: Connection, counts: dict[str, int]) -> Iterator[str]:
    for table, parent, rows in selects.orphans(connection):
        yield f"rows of {table} that refer to no row of {parent}: {rows:,}"
    for table, rows in selects.rows_of_other_collections(connection):
        yield f"rows of {table} that refer to rows of another collection: {rows:,}"
    unused = selects.unused_contents(connection)
    if unused:
        yield f"rankings that belong to no run: {unused:,}"
    for name in selects.collections_without_default(connection):
        yield f"collection {name!r} has qrels, but none of them is the default"
    for name, docno, problem in selects.damaged_texts(connection):
        yield f"document {docno!r} of collection {name!r}: {problem}"
    judgments: dict[int, Qrels] = {}
    for row in selects.qrels_rows(connection):
        counts["qrels"] += 1
        what = f"qrels {row.name!r} of collection {row.collection!r}"
        try:
            qrels = load_qrels(connection, StoredQrels(row.id, row.name, row.content_hash))
        except EvalstoreError as error:
            yield f"{what}: {error}"
            continue
        judgments[row.id] = qrels
        yield from (f"{what}: {problem}" for problem in _qrels(row, qrels))
    evaluations: dict[int, list[StoredEvaluation]] = {}
    for evaluation in list_evaluations(connection, None, None, removed=None):
        evaluations.setdefault(evaluation.run.id, []).append(evaluation)
    checked: set[int] = set()
    for run in list_runs(connection, removed=None):
        counts["runs"] += 1
        own = evaluations.get(run.id, [])
        what = f"run {run.name!r} of collection {run.collection!r}"
        if not own:
            yield f"{what}: it was never evaluated"
        own = [one for one in own if one.id not in checked]  # runs may share one
        checked |= {one.id for one in own}
        counts["evaluations"] = len(checked)
        yield from (f"{what}: {problem}" for problem in _run(connection, run, own, judgments))


def _qrels(row: selects.QrelsRow, read: Qrels) -> Iterator[str]:
    if qrels_hash(read) != row.content_hash:
        yield "its judgments are not those that its content hash stands for"
    counted = {
        "queries": len(read.qids),
        "judgments": len(read.grades),
        "relevant": int(np.count_nonzero(read.grades >= 1)),
        "highest_grade": float(read.grades.max()),
    }
    for name, value in counted.items():
        stored = getattr(row, name)
        if stored != value:
            yield f"it is recorded with {name.replace('_', ' ')} {stored:,}, but has {value:,}"


def _run(
    connection: Connection,
    run: StoredRun,
    evaluations: list[StoredEvaluation],
    judgments: dict[int, Qrels],
) -> Iterator[str]:
    content_hash, queries, retrieved = selects.run_counts(connection, run.id)
    lengths = selects.list_lengths(connection, run.id)
    if run.values_only:
        yield from _values(connection, run, evaluations, lengths)
        return
    if len(lengths) != queries:
        yield f"it is recorded with {queries:,} queries, but has {len(lengths):,} rankings"
    if not lengths:
        return
    try:
        content = load_run(connection, run)
    except EvalstoreError as error:
        yield str(error)
        return
    if run_hash(content) != content_hash:
        yield "its packed rankings are not those that its content hash stands for"
    if int(content.lengths.sum()) != retrieved:
        yield (
            f"it is recorded with {retrieved:,} documents, but its rankings hold "
            f"{content.lengths.sum():,}"
        )
    for qid, length in zip(content.qids, content.lengths.tolist(), strict=True):
        if lengths[qid] != length:
            yield (
                f"the ranking of query {qid!r} is recorded with {lengths[qid]:,} documents, "
                f"but has {length:,}"
            )
    yield from _rows(selects.retrieved_rows(connection, run.id), content)
    for evaluation in evaluations:
        qrels = judgments.get(evaluation.qrels.id)
        if qrels is not None:
            measures = _known_measures(stored_measures(connection, evaluation.id))
            _, judged = load_judged(connection, evaluation, qrels, measures, content)
            under = f"under qrels {evaluation.qrels.name!r}"
            for problem in _evaluation(connection, evaluation.id, content, judged):
                yield f"{under}: {problem}"


def _values(
    connection: Connection,
    run: StoredRun,
    evaluations: list[StoredEvaluation],
    lengths: dict[str, int],
) -> Iterator[str]:
    """The problems of a run that was given as values; its content hash can't be recomputed.

    The values of queries that it does not answer are stored like those of other queries.
    """
    if lengths or selects.retrieved_rows(connection, run.id):
        yield "it came as values, but has rankings"
    for evaluation in evaluations:
        under = f"under qrels {evaluation.qrels.name!r}"
        if selects.hit_rows(connection, evaluation.id):
            yield f"{under}: it came as values, but has hits"
        qids = [query.qid for query in list_judged_queries(connection, evaluation.qrels.id)]
        problems = _stored_figures(connection, evaluation.id, qids)
        yield from (f"{under}: {problem}" for problem in problems)


def _stored_figures(
    connection: Connection, evaluation_id: int, qids: Sequence[str], judged: Judged | None = None
) -> Iterator[str]:
    """The problems of the stored values of an evaluation."""
    measured = False
    for stored in selects.stored_values(connection, evaluation_id):
        measured = True
        yield from (f"{stored.measure}: {one}" for one in _figures(stored, qids, judged))
    if not measured:
        yield "there are no values"


def _known_measures(names: Iterable[str]) -> list[Measure]:
    """The measures with these names, without those that only a later version knows."""
    measures = []
    for name in names:
        with suppress(MeasureError):
            measures.append(parse(name))
    return measures


def _rows(rows: dict[str, list[selects.RankedRow]], run: Run) -> Iterator[str]:
    """Compare the rows of `retrieved` with the packed rankings, all to the same depth."""
    keep = max(map(len, rows.values()), default=0)
    for i, qid in enumerate(run.qids):
        start, length = int(run.starts[i]), int(run.lengths[i])
        top = slice(start, start + min(keep, length))
        docnos, scores = texts(run.docnos[top]), run.scores[top].tolist()
        expected = list(zip(range(1, length + 1), docnos, scores, strict=False))
        stored = rows.pop(qid, [])
        if len(stored) != len(expected):
            kept = len(expected)
            yield f"query {qid!r} has {len(stored):,} rows in retrieved, where {kept:,} were kept"
        elif stored != expected:
            yield f"the rows in retrieved for query {qid!r} are not the top of its packed ranking"
    for qid in rows:
        yield f"retrieved has rows for query {qid!r}, which has no packed ranking"


def _evaluation(
    connection: Connection, evaluation_id: int, run: Run, judged: Judged
) -> Iterator[str]:
    rows = evaluation_rows(run, judged, [])
    expected = Counter(
        zip(
            [rows.qids[i] for i in rows.hit_query.tolist()],
            rows.hit_rank.tolist(),
            texts(rows.hit_docno),
            rows.hit_grade.tolist(),
            rows.hit_score.tolist(),
            strict=True,
        )
    )
    stored_hits = selects.hit_rows(connection, evaluation_id)
    other = (expected - stored_hits) | (stored_hits - expected)
    wrong = sorted({hit[0] for hit in other}, key=str.encode)
    if wrong:
        names = ", ".join(map(repr, wrong[:3])) + (", ..." if len(wrong) > 3 else "")
        yield (
            f"the hits of {len(wrong):,} queries are not the relevant documents that the run "
            f"retrieved: {names}"
        )
    yield from _stored_figures(connection, evaluation_id, judged.qids, judged)


def _figures(
    stored: selects.StoredValues, qids: Sequence[str], judged: Judged | None = None
) -> Iterator[str]:
    if stored.value is None:
        yield f"{len(stored.values):,} values, but no figure for all queries"
        return
    if stored.repeated:
        yield f"query {stored.repeated[0]!r} has several values"
    if set(stored.values) != set(qids):
        yield f"values for {len(stored.values):,} queries, where {len(qids):,} are judged"
        return
    values = np.array([stored.values[qid] for qid in qids], np.float64)
    if stored.queries != len(values):
        yield f"it is recorded with {stored.queries} queries, but has {len(values):,}"
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    if not _same(stored.spread, spread):
        yield f"the spread is stored as {stored.spread}, of the values it is {spread}"
    try:
        measure = parse(stored.measure)
        value = aggregate(measure, values, judged)
        computed = values if judged is None else evaluate(judged, [measure])[measure]
    except MeasureError:  # from a later version, or needs further facts
        return
    if not _same(stored.value, value):
        yield f"stored as {stored.value!r}, of the values it is {value!r}"
    other = np.flatnonzero(~np.isclose(values, computed, rtol=CLOSE, atol=CLOSE, equal_nan=True))
    if len(other):
        first = int(other[0])
        yield (
            f"the values of {len(other):,} queries are not those of the rankings: "
            f"{qids[first]!r} has {values[first].item()!r}, not {computed[first].item()!r}"
        )


def _same(stored: float | None, computed: float | None) -> bool:
    if stored is None or computed is None:
        return stored is computed
    return math.isclose(stored, computed, rel_tol=CLOSE, abs_tol=CLOSE)
