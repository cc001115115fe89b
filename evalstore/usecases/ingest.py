"""Ingest: read runs, hold them against a qrels, and store both with every standard measure.

Each file is one transaction: all of it or nothing. A file that fails, fails alone.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Literal

import numpy as np
from sqlalchemy import Connection

from evalstore import __version__
from evalstore.errors import Conflict, DataError, EvalstoreError
from evalstore.formats import Qrels, ReadOptions, Run, ids, read_run, ties
from evalstore.formats.content_hash import run_hash
from evalstore.matching import match, unjudged_warning
from evalstore.measures import Measure, aggregate, evaluate, parse_all
from evalstore.measures.judged import CompatMode, Judged
from evalstore.store import Store, events, packing
from evalstore.store.evaluations import (
    EvaluationRows,
    add_evaluation,
    delete_evaluation,
    find_evaluation,
)
from evalstore.store.rankings import RankingRows, add_rankings
from evalstore.store.runs import (
    StoredRun,
    add_run,
    content_hash_of,
    delete_run,
    ensure_engine,
    ensure_experiment,
    lookup_run,
    set_removed,
)
from evalstore.usecases.collections import Grounds, prepare_grounds, store_documents
from evalstore.usecases.names import check_name, qrels_name, run_name
from evalstore.usecases.parallel import each, pays

KEEP_TOP = 100

Status = Literal["stored", "evaluated", "restored", "already stored", "failed"]


@dataclass(frozen=True)
class Request:
    """What to do with the runs of one `ingest`.

    Attributes:
        collection: the test collection's name; made if there is none.
        engine: the engine of all runs; the run tag of each where None.
        experiment: the group the runs belong to, if any.
        name: the name of the run; the file's name less a known suffix where None.
        replace: whether a run of the same name and other content is replaced.
        keep_top: how many documents of each ranking are kept as rows for SQL.
        compat: which trec_eval the values agree with.
        options: encoding and limits of the files.
    """

    collection: str
    engine: str | None = None
    experiment: str | None = None
    name: str | None = None
    replace: bool = False
    keep_top: int = KEEP_TOP
    compat: CompatMode = "exact"
    options: ReadOptions = field(default_factory=ReadOptions)


@dataclass(frozen=True)
class Outcome:
    """What became of one run file.

    Attributes:
        path: the file.
        status: `stored`, `evaluated` (stored before, but not under this qrels), `restored` (it was
            marked as removed), `already stored` or `failed`.
        detail: the run's name, or why it failed.
        warnings: what was accepted although it is odd.
    """

    path: str
    status: Status
    detail: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A run read and evaluated, ready to be written."""

    name: str
    tag: str
    content_hash: str
    content: RankingRows
    evaluation: EvaluationRows
    warnings: tuple[str, ...]


def check_request(request: Request) -> None:
    """Refuse names that can't be shown. Raises DataError."""
    for kind in ("collection", "engine", "experiment", "name"):
        given = getattr(request, kind)
        if given is not None:
            check_name("run" if kind == "name" else kind, given)


@functools.cache
def standard_measures() -> tuple[Measure, ...]:
    """What every ingest computes and stores."""
    return tuple(measure for _, measure in parse_all("standard"))


def ingest(
    store: Store, grounds: Grounds, paths: Sequence[str], request: Request, *, jobs: int = 1
) -> Iterator[Outcome]:
    """Read, check, evaluate and store runs; yields what became of each as it is done.

    Several processes (`jobs`) read and evaluate; this one alone writes.
    """
    options = replace(request.options, threads=1) if pays(paths, jobs) else request.options
    work = partial(
        prepare, qrels=grounds.qrels.sorted_once(), request=replace(request, options=options)
    )
    for done in each(work, paths, jobs=jobs, preload=__name__):
        try:
            if done.result is None:
                raise done.error or DataError(f"{done.path}: nothing was read")
            status, detail = _store(store, grounds, done.result, request)
            yield Outcome(done.path, status, detail, done.result.warnings)
        except EvalstoreError as error:
            said = str(error)
            shown = said if done.path in said else f"{done.path}: {said}"
            yield Outcome(done.path, "failed", shown)


def prepare(path: str, qrels: Qrels, request: Request) -> Prepared:
    """Read and evaluate one run; touches no store."""
    name = check_name("run", request.name or run_name(path))
    read = read_run(path, request.options)
    warnings = [*read.warnings, *unjudged_warning(read, qrels)]
    judged = match(read, qrels, compat=request.compat)
    run = ties.settled(read)
    with ThreadPoolExecutor(1) as beside:
        content_hash = beside.submit(run_hash, run)  # hashing leaves the interpreter free
        return Prepared(
            name=name,
            tag=run.tag,
            evaluation=evaluation_rows(run, judged),
            content=ranking_rows(run, request.keep_top),
            content_hash=content_hash.result(),
            warnings=tuple(warnings),
        )


def ranking_rows(run: Run, keep_top: int) -> RankingRows:
    """A settled run as it is stored."""
    kept = np.minimum(run.lengths, keep_top)
    query = np.repeat(np.arange(len(run.qids)), kept)
    rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(kept) - kept, kept)
    rows = run.starts[query] + rank - 1
    return RankingRows(
        qids=run.qids,
        lengths=run.lengths,
        packed=packing.pack(run.docnos, run.scores, run.starts, run.lengths),
        top_query=query,
        top_rank=rank,
        top_docno=ids.take(run.docnos, rows),
        top_score=run.scores[rows],
    )


def evaluation_rows(
    run: Run, judged: Judged, measures: Sequence[Measure] | None = None
) -> EvaluationRows:
    """The values of a settled run under a qrels, as they are stored."""
    values = evaluate(judged, standard_measures() if measures is None else measures)
    relevant = judged.grade >= 1
    query, rank = judged.query[relevant], judged.rank[relevant]
    place = {qid: i for i, qid in enumerate(run.qids)}
    in_run = np.array([place.get(qid, -1) for qid in judged.qids], np.int64)
    docnos = ids.take(run.docnos, run.starts[in_run[query]] + rank - 1)
    return EvaluationRows(
        qids=judged.qids,
        hit_query=query,
        hit_rank=rank,
        hit_docno=docnos,
        hit_grade=judged.grade[relevant],
        hit_score=judged.score[relevant],
        values={str(m): v for m, v in values.items()},
        aggregates={str(m): aggregate(m, v, judged) for m, v in values.items()},
        measures={str(m): _described(m) for m in values},
    )


def _described(measure: Measure) -> tuple[str, int, str]:
    descriptor = measure.descriptor
    direction = {True: 1, False: -1, None: 0}[descriptor.higher_is_better]
    return descriptor.family, direction, descriptor.aggregate


def _store(
    store: Store, grounds: Grounds, prepared: Prepared, request: Request
) -> tuple[Status, str]:
    """Write one run in one transaction, unless it is there."""

    def work(connection: Connection) -> tuple[Status, str]:
        now = datetime.now(UTC)
        where = grounds.collection_id
        same = lookup_run(connection, where, content=prepared.content_hash)
        status: Status = "stored"
        name = prepared.name
        if same is None:
            run_id, replaced = _add_run(connection, grounds, prepared, request, now)
        else:
            status, name = _again(connection, grounds, same, now)
            run_id, replaced = same.id, None
        known = find_evaluation(connection, run_id, grounds.qrels_id)
        if known is not None and known.compat != request.compat:
            if not request.replace:
                raise _otherwise(name, known.compat, request.compat)
            delete_evaluation(connection, known.id)
            status, known = "evaluated", None
        if known is None:
            add_evaluation(
                connection,
                collection_id=where,
                run_id=run_id,
                qrels_id=grounds.qrels_id,
                evaluator=__version__,
                compat=request.compat,
                rows=prepared.evaluation,
                now=now,
            )
            action: events.Action = "replace" if replaced else "ingest"
            events.log(
                connection,
                action,
                request.collection,
                name,
                now,
                kind="run",
                status=status,
                qrels=grounds.qrels_name,
                **({"deleted_content": replaced} if replaced else {}),
            )
        return status, name

    return store.transact(work)


def _again(
    connection: Connection, grounds: Grounds, same: StoredRun, now: datetime
) -> tuple[Status, str]:
    """A run whose content is there: bring it back if it was removed."""
    if same.removed_at is not None:
        set_removed(connection, same.id, None)
        events.log(connection, "restore", same.collection, same.name, now, by="ingest")
        return "restored", same.name
    known = find_evaluation(connection, same.id, grounds.qrels_id) is not None
    return ("already stored" if known else "evaluated"), same.name


def _add_run(
    connection: Connection, grounds: Grounds, prepared: Prepared, request: Request, now: datetime
) -> tuple[int, str | None]:
    """Store a run that is not there; returns its id and the content hash of one it replaces."""
    taken = lookup_run(connection, grounds.collection_id, name=prepared.name)
    if taken is not None and not request.replace:
        raise _taken(taken)
    replaced = None
    if taken is not None:
        replaced = content_hash_of(connection, taken.id)
        delete_run(connection, taken.id)
    engine = check_name("engine", request.engine or prepared.tag)
    run_id = add_run(
        connection,
        grounds.collection_id,
        engine_id=ensure_engine(connection, engine),
        experiment_id=(
            ensure_experiment(connection, request.experiment, now) if request.experiment else None
        ),
        name=prepared.name,
        tag=prepared.tag,
        content_hash=prepared.content_hash,
        queries=len(prepared.content.qids),
        retrieved=int(prepared.content.lengths.sum()),
        now=now,
    )
    add_rankings(connection, grounds.collection_id, run_id, prepared.content)
    return run_id, replaced


def _otherwise(name: str, known: str, asked: str) -> Conflict:
    return Conflict(
        f"run {name!r} is evaluated with --compat {known}: say --replace to have it with {asked}, "
        f"or --compat {known}"
    )


def _taken(by: StoredRun) -> Conflict:
    ways = "give this one another name with --name, or say --replace"
    if by.removed_at is not None:
        return Conflict(
            f"a run named {by.name!r} with other content was removed from collection "
            f"{by.collection!r} and keeps its name: `evalstore restore` brings it back, "
            f"`evalstore purge` deletes it for good; or {ways}"
        )
    return Conflict(
        f"a run named {by.name!r} with other content is in collection {by.collection!r}: {ways}"
    )


__all__ = [
    "KEEP_TOP",
    "Grounds",
    "Outcome",
    "Prepared",
    "Request",
    "check_name",
    "check_request",
    "evaluation_rows",
    "ingest",
    "prepare",
    "prepare_grounds",
    "qrels_name",
    "ranking_rows",
    "run_name",
    "standard_measures",
    "store_documents",
]
