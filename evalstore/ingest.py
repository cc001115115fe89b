"""Ingest: read runs, hold them against a qrels, and store both with every standard measure.

Each file is one transaction: all of it or nothing. A file that fails, fails alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import Literal

import numpy as np
import pyarrow as pa

from evalstore import __version__
from evalstore.errors import Conflict, DataError, EvalstoreError, NotFound
from evalstore.identity import qrels_hash, run_hash
from evalstore.judging import judge, unjudged_queries
from evalstore.measures import Compat, Judged, Measure, aggregate, evaluate, parse_all
from evalstore.parallel import each
from evalstore.store import Store, packing, reads, writes
from evalstore.trec import Qrels, Reading, Run, order, read_qrels, read_run

KNOWN_SUFFIXES = (".run", ".txt", ".trec", ".res", ".tsv")
LONGEST_NAME = 1024
KEEP_TOP = 100


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
        how: encoding and limits of the files.
    """

    collection: str
    engine: str | None = None
    experiment: str | None = None
    name: str | None = None
    replace: bool = False
    keep_top: int = KEEP_TOP
    compat: Compat = "exact"
    how: Reading = field(default_factory=Reading)


@dataclass(frozen=True)
class Outcome:
    """What became of one run file.

    Attributes:
        path: the file.
        status: `stored`, `evaluated` (stored before, but not under this qrels), `already stored`
            or `failed`.
        detail: the run's name, or why it failed.
        warnings: what was accepted although it is odd.
    """

    path: str
    status: Literal["stored", "evaluated", "already stored", "failed"]
    detail: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A run read and evaluated, ready to be written."""

    name: str
    tag: str
    content_hash: str
    content: writes.RankingRows
    evaluation: writes.EvaluationRows
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Grounds:
    """What the runs are held against: a collection and one of its qrels, in the store."""

    collection_id: int
    qrels_id: int
    qrels_name: str
    qrels: Qrels


def run_name(path: str) -> str:
    """The name of a run that came in a file: the file's name less `.gz` and one known suffix."""
    name = "stdin" if path == "-" else PurePath(path).name
    name = name.removesuffix(".gz") or name
    stem, suffix = name[: -len(PurePath(name).suffix) or None], PurePath(name).suffix
    return stem if suffix in KNOWN_SUFFIXES and stem else name


def check_name(kind: str, name: str) -> str:
    """A name that people may give: not empty, not endless, nothing that moves a cursor."""
    if not name.strip():
        raise DataError(f"the {kind} has an empty name")
    if len(name.encode(errors="replace")) > LONGEST_NAME:
        raise DataError(f"the name of the {kind} is longer than {LONGEST_NAME:,} bytes")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000 for c in name):
        raise DataError(f"the name of the {kind} has a control character: {name!r}")
    return name


def check_request(request: Request) -> None:
    """Refuse names that can't be shown. Raises DataError."""
    for kind in ("collection", "engine", "experiment", "name"):
        given = getattr(request, kind)
        if given is not None:
            check_name("run" if kind == "name" else kind, given)


def standard_measures() -> tuple[Measure, ...]:
    """What every ingest computes and stores."""
    return tuple(measure for _, measure in parse_all("standard"))


# --- the ground ----------------------------------------------------------------------------------


def prepare_grounds(
    store: Store,
    collection: str,
    *,
    qrels_path: str | None = None,
    queries: Mapping[str, str] | None = None,
    how: Reading | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Grounds:
    """Store the qrels and the query texts, or find the collection's newest qrels.

    Raises:
        FileError: the qrels file breaks a rule; nothing is stored then.
        NotFound: no qrels is given and the collection has none.
    """
    check_name("collection", collection)
    given = None if qrels_path is None else read_qrels(qrels_path, how)
    for warning in given.warnings if given else ():
        warn(warning)
    if given is None:
        with store.read() as connection:
            known = reads.collection_id(connection, collection)
            if known is None or not reads.qrels_of(connection, known):
                raise NotFound(f"collection {collection!r} has no qrels yet: say --qrels FILE")
    with store.write() as connection:
        now = datetime.now(UTC)
        collection_id = writes.ensure_collection(connection, collection, now)
        if queries:
            writes.set_query_texts(connection, collection_id, queries)
        if given is None or qrels_path is None:
            stored, *others = reads.qrels_of(connection, collection_id)
            if others:
                warn(f"collection {collection!r} has several qrels: using {stored.name!r}")
            return Grounds(
                collection_id, stored.id, stored.name, reads.judgments(connection, stored)
            )
        content_hash = qrels_hash(given)
        taken = {}
        for stored in reads.qrels_of(connection, collection_id):
            if stored.content_hash == content_hash:
                return Grounds(collection_id, stored.id, stored.name, given)
            taken[stored.name] = stored
        name = _free_name(qrels_name(qrels_path), taken)
        if taken:
            warn(f"{qrels_path} is another set of judgments than was stored: kept as {name!r}")
        qrels_id = writes.add_qrels(
            connection,
            collection_id,
            name=name,
            content_hash=content_hash,
            qids=given.qids,
            lengths=given.lengths,
            docnos=given.docnos,
            grades=given.grades,
            now=now,
        )
        return Grounds(collection_id, qrels_id, name, given)


def qrels_name(path: str) -> str:
    """The name of a qrels that came in a file, by the rule of `run_name` and less `.qrels`."""
    name = run_name(path)
    return check_name("qrels", name.removesuffix(".qrels") or name)


def _free_name(name: str, taken: Mapping[str, object]) -> str:
    """The name, with a number behind it where it is taken: a new version is a new row."""
    version = 2
    free = name
    while free in taken:
        free = f"{name} ({version})"
        version += 1
    return free


def store_documents(
    store: Store, collection_id: int, documents: Sequence[tuple[str, str, str]]
) -> bool:
    """Store the (docno, title, text) of a collection's documents; whether anything changed."""
    with store.read() as connection:
        if reads.documents(connection, collection_id) == sorted(documents):
            return False
    with store.write() as connection:
        writes.set_documents(connection, collection_id, documents)
    return True


# --- the runs ------------------------------------------------------------------------------------


def ingest(
    store: Store, grounds: Grounds, paths: Sequence[str], request: Request, *, jobs: int = 1
) -> Iterator[Outcome]:
    """Read, check, evaluate and store runs; yields what became of each as it is done.

    Several processes (`jobs`) read and evaluate; this one alone writes.
    """
    how = replace(request.how, threads=1) if jobs > 1 and len(paths) > 1 else request.how
    work = partial(prepare, qrels=grounds.qrels, request=replace(request, how=how))
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
    run = order.settled(read_run(path, request.how))
    warnings = list(run.warnings)
    missing = unjudged_queries(run, qrels)
    if len(missing) == len(run.qids):
        raise DataError(
            f"{run.path}: none of its {len(run.qids):,} queries is in the qrels {qrels.path}: "
            "another collection?"
        )
    if missing:
        shown = ", ".join(map(repr, missing[:3])) + (", ..." if len(missing) > 3 else "")
        warnings.append(
            f"{run.path}: {len(missing):,} of {len(run.qids):,} queries have no judgments and "
            f"count nowhere: {shown}"
        )
    return Prepared(
        name=name,
        tag=run.tag,
        content_hash=run_hash(run),
        content=ranking_rows(run, request.keep_top),
        evaluation=evaluation_rows(run, judge(run, qrels, compat=request.compat)),
        warnings=tuple(warnings),
    )


def ranking_rows(run: Run, keep_top: int) -> writes.RankingRows:
    """A settled run as it is stored."""
    kept = np.minimum(run.lengths, keep_top)
    query = np.repeat(np.arange(len(run.qids)), kept)
    rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(kept) - kept, kept)
    rows = run.starts[query] + rank - 1
    return writes.RankingRows(
        qids=run.qids,
        lengths=run.lengths,
        packed=packing.pack(run.docnos, run.scores, run.starts, run.lengths),
        top_query=query,
        top_rank=rank,
        top_docno=run.docnos.take(pa.array(rows)),
        top_score=run.scores[rows],
    )


def evaluation_rows(
    run: Run, judged: Judged, measures: Sequence[Measure] | None = None
) -> writes.EvaluationRows:
    """The values of a settled run under a qrels, as they are stored."""
    values = evaluate(judged, standard_measures() if measures is None else measures)
    relevant = judged.grade >= 1
    query, rank = judged.query[relevant], judged.rank[relevant]
    place = {qid: i for i, qid in enumerate(run.qids)}
    in_run = np.array([place.get(qid, -1) for qid in judged.qids], np.int64)
    docnos = run.docnos.take(pa.array(run.starts[in_run[query]] + rank - 1))
    return writes.EvaluationRows(
        qids=judged.qids,
        hit_query=query,
        hit_rank=rank,
        hit_docno=docnos,
        hit_grade=judged.grade[relevant],
        hit_score=judged.score[relevant],
        values={str(m): v for m, v in values.items()},
        aggregates={str(m): aggregate(m, v) for m, v in values.items()},
        measures={str(m): _described(m) for m in values},
    )


def _described(measure: Measure) -> tuple[str, int, str]:
    descriptor = measure.descriptor
    direction = {True: 1, False: -1, None: 0}[descriptor.higher_is_better]
    return descriptor.family, direction, descriptor.aggregate


def _store(
    store: Store, grounds: Grounds, prepared: Prepared, request: Request
) -> tuple[Literal["stored", "evaluated", "already stored"], str]:
    """Write one run in one transaction, unless it is there."""
    with store.write() as connection:
        now = datetime.now(UTC)
        where = grounds.collection_id
        same = reads.run_by(connection, where, content=prepared.content_hash)
        status: Literal["stored", "evaluated", "already stored"] = "stored"
        if same is not None:
            run_id = same.id
            if reads.evaluation_of(connection, run_id, grounds.qrels_id) is not None:
                return "already stored", same.name
            status = "evaluated"
        else:
            taken = reads.run_by(connection, where, name=prepared.name)
            if taken is not None and not request.replace:
                raise Conflict(
                    f"a run named {prepared.name!r} with other content is in collection "
                    f"{request.collection!r}: give this one another name with --name, or say "
                    "--replace"
                )
            if taken is not None:
                writes.delete_run(connection, taken.id)
            engine = check_name("engine", request.engine or prepared.tag)
            run_id = writes.add_run(
                connection,
                where,
                engine_id=writes.ensure_engine(connection, engine),
                experiment_id=(
                    writes.ensure_experiment(connection, request.experiment, now)
                    if request.experiment
                    else None
                ),
                name=prepared.name,
                tag=prepared.tag,
                content_hash=prepared.content_hash,
                content=prepared.content,
                now=now,
            )
        writes.add_evaluation(
            connection,
            collection_id=where,
            run_id=run_id,
            qrels_id=grounds.qrels_id,
            evaluator=__version__,
            compat=request.compat,
            rows=prepared.evaluation,
            now=now,
        )
        return status, prepared.name if same is None else same.name
