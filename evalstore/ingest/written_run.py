"""What an ingest knows of a run that is stored; and storing it where it was read."""

from __future__ import annotations

from dataclasses import dataclass

from evalstore.errors import StoreError
from evalstore.evaluation.prepare import Prepared, Request, prepare
from evalstore.evaluation.worker_task import WorkerStore
from evalstore.formats.run_sources import RunSource
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.ingest.store_run import Status, store_run


@dataclass(frozen=True)
class WrittenRun:
    """A run that was written: the fields of `Prepared` that are small, and what became of it."""

    status: Status
    name: str
    content_hash: str
    warnings: tuple[str, ...]
    format: str
    values_only: bool


def written(prepared: Prepared, status: Status, name: str) -> WrittenRun:
    """What is known of a run after `store_run`, which gives its status and its name."""
    return WrittenRun(
        status,
        name,
        prepared.content_hash,
        prepared.warnings,
        prepared.format,
        prepared.content is None,
    )


def prepare_and_write(
    source: RunSource, qrels: CollectionQrels, request: Request, store: WorkerStore
) -> Prepared | WrittenRun:
    """Read, evaluate and store one run on a worker.

    Returns:
        What was stored; or the run itself where this worker can't reach the store, or the store
        failed: then the process that began the ingest stores it. `store_run` stores nothing twice.

    Raises:
        DataError: as `prepare` and `store_run`.
    """
    prepared = prepare(source, qrels.qrels, request)
    reached = store.open()
    if reached is None:
        return prepared
    try:
        return written(prepared, *store_run(reached, qrels, prepared, request))
    except StoreError:
        return prepared
