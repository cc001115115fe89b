"""Ingest: read runs, join them with a qrels, and store both with every standard measure.

Each file is one transaction: all of it or nothing. A file that fails, fails alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from evalstore.errors import DataError, EvalstoreError, Problem
from evalstore.store import Store
from evalstore.store.collections import find_collection
from evalstore.store.evaluations import find_evaluation
from evalstore.store.runs import lookup_run
from evalstore.usecases.parallel import Done, each, pays
from evalstore.usecases.prepare_run import Prepared, Request, prepare
from evalstore.usecases.store_qrels import CollectionQrels
from evalstore.usecases.store_run import Status, store_run


@dataclass(frozen=True)
class Outcome:
    """What became of one run file.

    Attributes:
        path: the file.
        status: `stored`; `replaced` (another run of that name); of a run whose content is stored
            already `restored` (it was marked as removed), `evaluated` (for the first time under
            this qrels), `updated` (it has another name, engine or experiment now) or `already
            stored`; `failed`.
        detail: the run's name, or why it failed.
        problem: of a failed one, as in `EvalstoreError`.
        warnings: what was accepted although it is odd.
    """

    path: str
    status: Status
    detail: str
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True)
class Ingested:
    """What became of the files of one `ingest`.

    Attributes:
        outcomes: one a file, in the order of the files.
        not_reached: the files of which nothing was stored, for the ingest was interrupted.
    """

    outcomes: tuple[Outcome, ...]
    not_reached: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[Status]:
        """How many files have each status."""
        return Counter(outcome.status for outcome in self.outcomes)


class Interrupted(KeyboardInterrupt):
    """An ingest was interrupted; `result` says what is stored and what is not."""

    def __init__(self, result: Ingested) -> None:
        super().__init__()
        self.result = result


class Progress(Protocol):
    """Who wants to know how far an ingest is."""

    def started(self, path: str) -> None:
        """The results of this file are waited for now."""

    def finished(self, outcome: Outcome) -> None:
        """The file is stored, or has failed."""


class _Silent:
    def started(self, path: str) -> None:
        """Nobody wants to know."""

    def finished(self, outcome: Outcome) -> None:
        """Nobody wants to know."""


def ingest(
    store: Store,
    request: Request,
    paths: Sequence[str],
    *,
    qrels: CollectionQrels,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Ingested:
    """Read, check, evaluate and store runs. A file that fails, fails alone.

    Several processes (`jobs`) read and evaluate; this one alone writes.

    Args:
        store: where to.
        request: the collection, names and options.
        paths: the run files; `-` is standard input.
        qrels: the stored qrels of that collection, as `store_qrels` gives it.
        jobs: how many processes.
        progress: told of each file when it is begun and when it is done.

    Raises:
        DataError: the qrels is of another collection.
        Interrupted: Ctrl-C; it says what is stored.
    """
    _check_collection(store, request, qrels)
    progress = progress or _Silent()
    options = replace(request.options, threads=1) if pays(paths, jobs) else request.options
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
        raise Interrupted(Ingested(tuple(outcomes), left)) from None
    return Ingested(tuple(outcomes))


def _check_collection(store: Store, request: Request, qrels: CollectionQrels) -> None:
    with store.read() as connection:
        if find_collection(connection, request.collection) != qrels.collection_id:
            raise DataError(
                f"qrels {qrels.qrels_name!r} is not of collection {request.collection!r}"
            )


def _outcome(
    store: Store, request: Request, qrels: CollectionQrels, done: Done[Prepared]
) -> Outcome:
    """Store what was read of a file, or say why that failed."""
    try:
        if done.result is None:
            raise done.error or DataError(f"{done.path}: nothing was read")
        status, name = store_run(store, qrels, done.result, request)
        return Outcome(done.path, status, name, done.result.warnings)
    except EvalstoreError as error:
        message = str(error)
        detail = message if done.path in message else f"{done.path}: {message}"
        return Outcome(done.path, "failed", detail, problem=error.problem)


def _is_stored(store: Store, qrels: CollectionQrels, prepared: Prepared) -> bool:
    """Whether a run was stored in the moment of the interrupt."""
    with store.read() as connection:
        run = lookup_run(connection, qrels.collection_id, content=prepared.content_hash)
        return (
            run is not None
            and run.removed_at is None
            and find_evaluation(connection, run.id, qrels.qrels_id) is not None
        )
