"""Ingest: read runs, join them with a qrels, and store both with every standard measure.

Each file is one transaction. An error in one file does not affect the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from evalstore.errors import DataError, EvalstoreError, Problem
from evalstore.formats import ReadOptions
from evalstore.formats.trec_run import first_tag
from evalstore.store import Store
from evalstore.store.collections import find_collection
from evalstore.store.evaluations import find_evaluation
from evalstore.store.runs import lookup_run
from evalstore.usecases.parallel import Done, each, pays
from evalstore.usecases.prepare_run import Prepared, Request, prepare
from evalstore.usecases.query_ids import with_query_ids
from evalstore.usecases.store_qrels import CollectionQrels
from evalstore.usecases.store_run import Status, store_run


@dataclass(frozen=True)
class Outcome:
    """The result for one run file.

    Attributes:
        path: the file.
        status: `stored`; `replaced` (another run of that name); `failed`; or, if a run with the
            same content was stored already: `restored` (it was marked as removed), `evaluated`
            (for the first time under this qrels), `updated` (it has another name, engine or
            experiment now, or other facts) or `already stored`.
        detail: the run's name, or why it failed.
        problem: of a failed file, as in `EvalstoreError`.
        warnings: one sentence for each oddity that was accepted.
        format: the name of the file's format; empty where it failed, or was no file.
    """

    path: str
    status: Status
    detail: str
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None
    format: str = ""


@dataclass(frozen=True)
class Ingested:
    """The results of one `ingest`.

    Attributes:
        outcomes: one for each file, in the order of the files.
        not_reached: the files of which nothing was stored because the ingest was interrupted.
        common_tag: the run tag that all files carry, so that new engines are named after the
            runs; None where they were named as usual.
    """

    outcomes: tuple[Outcome, ...]
    not_reached: tuple[str, ...] = ()
    common_tag: str | None = None

    @property
    def counts(self) -> Counter[Status]:
        """How many files have each status."""
        return Counter(outcome.status for outcome in self.outcomes)


class Interrupted(KeyboardInterrupt):
    """An ingest was interrupted; `result` tells which files are stored."""

    def __init__(self, result: Ingested) -> None:
        super().__init__()
        self.result = result


class Progress(Protocol):
    """Receives the progress of an ingest."""

    def started(self, path: str) -> None:
        """Called when the ingest begins to wait for this file."""

    def finished(self, outcome: Outcome) -> None:
        """Called when the file is stored, or has failed."""


class _Silent:
    def started(self, path: str) -> None:
        """Do nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""


def ingest(
    store: Store,
    request: Request,
    paths: Sequence[str],
    *,
    qrels: CollectionQrels,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Ingested:
    """Read, check, evaluate and store runs. An error in one file does not affect the others.

    Several processes (`jobs`) read and evaluate; only this process writes.

    Args:
        store: the store to write to.
        request: the collection, names and options.
        paths: the run files; `-` is standard input.
        qrels: the stored qrels of that collection, as `store_qrels` gives it.
        jobs: how many processes.
        progress: called for each file when it is begun and when it is done.

    Raises:
        DataError: the qrels is of another collection.
        Interrupted: on Ctrl-C; its `result` tells which files are stored.
    """
    _check_collection(store, request, qrels)
    common_tag = None if request.engine is not None else find_common_tag(paths, request.options)
    options = with_query_ids(store, request.collection, paths, "run", request.options)
    request = replace(request, engine_after_run=common_tag is not None, options=options)
    progress = progress or _Silent()
    options = replace(options, threads=1) if pays(paths, jobs) else options
    work = partial(
        prepare, qrels=qrels.qrels.sorted_once(), request=replace(request, options=options)
    )
    outcomes: list[Outcome] = []
    done: Done[Prepared] | None = None
    results = each(work, paths, jobs=jobs, preload=__name__)
    try:
        for path in paths:
            progress.started(path)
            done = next(results)
            outcome = _outcome(store, request, qrels, done)
            outcomes.append(outcome)
            done = None
            progress.finished(outcome)
    except KeyboardInterrupt:
        results.close()
        if done is not None and done.result is not None and _is_stored(store, qrels, done.result):
            outcomes.append(Outcome(done.path, "stored", done.result.name))
        left = tuple(paths[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, common_tag)) from None
    return Ingested(tuple(outcomes), common_tag=common_tag)


def find_common_tag(paths: Sequence[str], options: ReadOptions) -> str | None:
    """The run tag that several run files all carry: a program's default, which names no engine.

    None where tags differ, where only one file has a tag, and where one is standard input or a
    pipe, which can't be read twice. Files of formats without tags, and files that can't be read,
    have none.
    """
    if len(paths) < 2 or any(map(_is_pipe, paths)):
        return None
    tags = [tag for path in paths if (tag := first_tag(path, options)) is not None]
    return tags[0] if len(tags) > 1 and len(set(tags)) == 1 else None


def _is_pipe(path: str) -> bool:
    return path == "-" or (Path(path).exists() and not Path(path).is_file())


def _check_collection(store: Store, request: Request, qrels: CollectionQrels) -> None:
    with store.read() as connection:
        if find_collection(connection, request.collection) != qrels.collection_id:
            raise DataError(
                f"qrels {qrels.qrels_name!r} is not of collection {request.collection!r}"
            )


def _outcome(
    store: Store, request: Request, qrels: CollectionQrels, done: Done[Prepared]
) -> Outcome:
    """Store the run that was read from a file; an error becomes a failed outcome."""
    try:
        if done.result is None:
            raise done.error or DataError(f"{done.path}: nothing was read")
        status, name = store_run(store, qrels, done.result, request)
        return Outcome(done.path, status, name, done.result.warnings, format=done.result.format)
    except EvalstoreError as error:
        message = str(error)
        detail = message if done.path in message else f"{done.path}: {message}"
        return Outcome(done.path, "failed", detail, problem=error.problem)


def _is_stored(store: Store, qrels: CollectionQrels, prepared: Prepared) -> bool:
    """Whether a run was stored before the interrupt."""
    with store.read() as connection:
        run = lookup_run(connection, qrels.collection_id, content=prepared.content_hash)
        return (
            run is not None
            and run.removed_at is None
            and find_evaluation(connection, run.id, qrels.qrels_id) is not None
        )
