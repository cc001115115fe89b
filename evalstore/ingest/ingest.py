"""Ingest: read runs, join each with a qrels, and store each with its measures separately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from evalstore.catalog.queries import with_query_ids
from evalstore.errors import Conflict, DataError, EvalstoreError, Problem, StoreError
from evalstore.evaluation.dask_tasks import WorkerStore
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.parallel import Done, each, on_every_machine, pays, result_here
from evalstore.evaluation.prepare import Prepared, prepare
from evalstore.formats import ReadOptions
from evalstore.formats.any_format import find_tag
from evalstore.formats.reading.source import path_text
from evalstore.formats.registry import is_by_text
from evalstore.formats.sources import RunSource, find_sources
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.ingest.store_run import (
    KnownFiles,
    Status,
    Written,
    recognised_runs,
    says_something,
    store_again,
    store_run,
    with_measures,
)
from evalstore.store import Store
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.runs import CurrentRun, content_hash_of, lookup_run

MOST_NAMED = 5
"""The largest number of facts that a warning names."""


@dataclass(frozen=True)
class Outcome:
    """The result for one run.

    Attributes:
        path: the run's file, or its name.
        status: `stored`; `replaced` (another run with that name); `failed`; or, if a run with the
            same name and content was stored already: `restored` (it was marked as removed),
            `evaluated` (for the first time under this qrels) or `already stored`.
        detail: the run's name, or the reason of the failure.
        warnings: one sentence for each accepted problem.
        format: the name of the file's format; empty for a failed run or without a file.
        is_recognised: whether the file was not read because it has not changed since it was stored.
        keeps_facts: whether the run was stored before, with other facts than those given now.
        same_as: for a new run: another run that has the same rankings, if there is one.
        content_hash: the run's content hash; empty if the run failed, or if a server stored it.
    """

    path: str
    status: Status
    detail: str
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None
    format: str = ""
    values_only: bool = False
    is_recognised: bool = False
    keeps_facts: bool = False
    same_as: str = ""
    content_hash: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True)
class Ingested:
    """The results of one `ingest`.

    Attributes:
        outcomes: one outcome for each run, in the order of the files.
        not_reached: the files, or parts of files, not stored because the ingest was interrupted.
        common_tag: the run tag that all runs share, if new engines are therefore named after the
            runs; else None.
    """

    outcomes: tuple[Outcome, ...]
    not_reached: tuple[str, ...] = ()
    common_tag: str | None = None

    @property
    def counts(self) -> Counter[Status]:
        """The number of files with each status."""
        return Counter(outcome.status for outcome in self.outcomes)

    @property
    def of_other_queries(self) -> bool:
        """Whether no run has a query of the qrels: it may be that of another collection."""
        problems = {outcome.problem for outcome in self.outcomes}
        return problems == {"disjoint"} and not self.not_reached

    @property
    def recognised(self) -> int:
        """The number of files that were not read, as they are unchanged since they were stored."""
        return sum(outcome.is_recognised for outcome in self.outcomes)


class Interrupted(KeyboardInterrupt):
    """An ingest was interrupted; `result` shows which files are stored."""

    def __init__(self, result: Ingested) -> None:
        super().__init__()
        self.result = result


class Progress(Protocol):
    """The interface of objects that receive the progress of an ingest."""

    def started(self, path: str) -> None:
        """Receive that the ingest begins to wait for this file."""

    def sent(self, count: int) -> None:
        """Receive that a server got `count` more bytes of the file."""

    def finished(self, outcome: Outcome) -> None:
        """Receive that the file is stored, or has failed."""


class Silent:
    """A receiver that shows no progress."""

    def started(self, path: str) -> None:
        """Show nothing."""

    def sent(self, count: int) -> None:
        """Show nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Show nothing."""


def ingest_run(
    store: Store,
    qrels: CollectionQrels,
    request: IngestOptions,
    source: RunSource,
    prepared: Prepared | None = None,
) -> Outcome:
    """Read (unless `prepared`), check, evaluate and store one run, or raise and store nothing."""
    if prepared is None:
        request = with_measures(store, request)
        prepared = prepare(source, qrels.qrels, request)
    written = store_run(store, qrels, prepared, request)
    return Outcome(
        source.path,
        written.status,
        written.name,
        (*prepared.warnings, *kept_facts(written)),
        keeps_facts=bool(written.kept),
        same_as=written.same_as,
        format=prepared.format,
        values_only=prepared.content is None,
        content_hash=prepared.content_hash,
    )


def kept_facts(written: Written) -> tuple[str, ...]:
    """The warning about facts that were given for a stored run, which keeps its own."""
    if not written.kept:
        return ()
    names = ", ".join(written.kept[:MOST_NAMED])
    more = f" and {len(written.kept) - MOST_NAMED} more" if len(written.kept) > MOST_NAMED else ""
    return (
        f"run {written.name!r} was stored before and keeps its facts; other values were given for "
        f"{names}{more}",
    )


def prepare_and_write(
    source: RunSource, qrels: CollectionQrels, request: IngestOptions, store: WorkerStore
) -> Prepared | Outcome:
    """Read, evaluate and store one run on a worker; returns the outcome, or the run.

    The run is returned if this worker can't reach the store, or if storing failed: then the process
    that started the ingest stores it. `store_run` stores nothing twice.
    """
    prepared = prepare(source, qrels.qrels, request)
    reached = store.open()
    if reached is None:
        return prepared
    try:
        return ingest_run(reached, qrels, request, source, prepared)
    except StoreError:
        return prepared


def failed(source: RunSource, error: EvalstoreError, path: str = "") -> Outcome:
    """The outcome of a failed run; its detail names the file, or the `path` used for reading."""
    message = str(error)
    paths = (path or source.path, path_text(path or source.path))
    detail = message if any(each in message for each in paths) else f"{source.label}: {message}"
    return Outcome(source.path, "failed", detail, source.warnings, problem=error.problem)


def ingest(
    store: Store,
    request: IngestOptions,
    paths: Sequence[str | RunSource],
    *,
    qrels: CollectionQrels,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Progress | None = None,
    known: KnownFiles | None = None,
) -> Ingested:
    """Read, check, evaluate and store runs. An error in one run does not affect the others.

    Several processes (`jobs`) read and evaluate; only this process writes. Dask workers
    (`scheduler` is the address) also write if they can reach the store's server; not with
    `replace`, so that of two files with the same name the second does not replace the first. Paths
    are files (`-` is standard input), folders of runs, or their sources; files in `known` need not
    be read again.

    Raises:
        DataError: the qrels belongs to another collection, one name is given to several runs, or
            the scheduler can't be used.
        Interrupted: on Ctrl-C; its `result` shows which files are stored.
    """
    with store.read() as connection:
        if find_collection(connection, request.collection) != qrels.collection_id:
            raise DataError(
                f"qrels {qrels.qrels_name!r} is not of collection {request.collection!r}"
            )
    sources = _sources(paths, request, known)
    recognised = recognised_runs(store, request, qrels, sources, known)
    unread = [source for source in sources if source.path not in recognised]
    known_runs = [source for source in sources if source.path in recognised]
    common = common_tag([*unread, *known_runs], request) if unread else None
    maybe_by_text = [one for one in unread if not one.format or is_by_text(one.format)]
    files = [source.path for source in maybe_by_text if source.error is None]
    options = with_query_ids(store, request.collection, files, "run", request.options)
    request = replace(
        with_measures(store, request),
        engine_after_run=common is not None,
        options=options,
    )
    progress = progress or Silent()
    on_workers = scheduler is not None
    options = replace(options, threads=1) if on_workers or pays(unread, jobs) else options
    if on_workers:
        unread = [replace(one, path=on_every_machine(one.path)) for one in unread]
    sorted_qrels = replace(qrels, qrels=qrels.qrels.sorted_once())
    reading = replace(request, options=options)
    here = partial(prepare, qrels=sorted_qrels.qrels, request=reading)
    work: Callable[[RunSource], Prepared | Outcome] = here
    if on_workers and not request.replace and store.file is None:
        at_worker = WorkerStore(store.url)
        work = partial(prepare_and_write, qrels=sorted_qrels, request=reading, store=at_worker)
    outcomes: list[Outcome] = []
    stored: dict[str, Named] = {}
    done: Done[Prepared | Outcome] | None = None
    results = each(
        work,
        unread,
        jobs=jobs,
        preload=prepare.__module__,
        scheduler=scheduler,
    )
    try:
        for source in sources:
            progress.started(source.path)
            run = recognised.get(source.path)
            outcome = None if run is None else _again(store, request, run, source, stored)
            if outcome is None:
                # A run that was recognised but has since been deleted is read here.
                done = next(results) if run is None else result_here(here, source)
                outcome = _outcome(store, request, qrels, done, source, stored)
            outcomes.append(outcome)
            done = None
            progress.finished(outcome)
    except KeyboardInterrupt:
        results.close()
        result = None if done is None else done.result
        name = result.name if isinstance(result, Prepared) else result.detail if result else ""
        if result is not None and _is_stored(store, qrels, name, result.content_hash):
            outcomes.append(Outcome(source.path, "stored", name))
        left = tuple(source.label for source in sources[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, common)) from None
    finally:
        results.close()
    return Ingested(tuple(outcomes), common_tag=common)


def _sources(
    paths: Sequence[str | RunSource], request: IngestOptions, known: KnownFiles | None
) -> list[RunSource]:
    """The sources of all runs; DataError if one name is given to several runs.

    The warnings about a folder are given for its first run.
    """
    options = replace(request.options, is_known=None if known is None else known.is_known)
    sources: list[RunSource] = []
    for path in paths:
        if isinstance(path, RunSource):
            sources.append(path)
            continue
        given = find_sources(path, options)
        first, *others = given.runs
        sources += [replace(first, warnings=(*given.warnings, *first.warnings)), *others]
    if request.name is not None and len(sources) > 1:
        raise DataError(f"one name, {request.name!r}, for {len(sources):,} runs")
    return sources


def common_tag(sources: Sequence[RunSource], request: IngestOptions) -> str | None:
    """The run tag of all files, unless an engine is given in another way."""
    if request.engine is not None:
        return None
    paths = [s.path for s in sources if s.engine is None and s.error is None]
    return find_common_tag(paths, request.options)


def find_common_tag(paths: Sequence[str], options: ReadOptions) -> str | None:
    """The run tag that several run files share: a program's default, which doesn't name an engine.

    None if tags are different, if only one file has a tag, or if a file is standard input or a
    pipe, which can't be read twice. Other formats, and files that can't be read, count as having no
    tag.
    """
    if len(paths) < 2:
        return None
    if any(path == "-" or (Path(path).exists() and not Path(path).is_file()) for path in paths):
        return None
    common, count = None, 0
    for path in paths:
        tag = find_tag(path, options)
        if tag is None:
            continue
        if count and tag != common:
            return None
        common, count = tag, count + 1
    return common if count > 1 else None


class Named(NamedTuple):
    """A run of this ingest with a name: its file and its content."""

    label: str
    content_hash: str


def _outcome(
    store: Store,
    request: IngestOptions,
    qrels: CollectionQrels,
    done: Done[Prepared | Outcome],
    source: RunSource,
    stored: dict[str, Named],
) -> Outcome:
    """Store the run that was read, or return its error; adds the run to `stored`, by name."""
    try:
        if done.result is None:
            raise done.error or DataError(f"{path_text(done.path)}: nothing was read")
        outcome = done.result
        if isinstance(outcome, Prepared):
            _check_names(outcome, source, stored)
            outcome = ingest_run(store, qrels, request, source, outcome)
    except EvalstoreError as error:
        return failed(source, error, done.path)
    stored[outcome.detail] = Named(source.label, outcome.content_hash)
    return replace(outcome, path=source.path, warnings=(*done.notes, *outcome.warnings))


def _again(
    store: Store,
    request: IngestOptions,
    run: CurrentRun,
    source: RunSource,
    stored: dict[str, Named],
) -> Outcome | None:
    """Apply the request to a stored run; None if its file must be read."""
    written = Written("already stored", run.name)
    if says_something(request, run):
        try:
            done = store_again(store, run, request)
        except EvalstoreError as error:
            return failed(source, error)
        if done is None:
            return None
        written = done
    stored[run.name] = Named(source.label, run.content_hash)
    warnings = (*source.warnings, *kept_facts(written))
    return Outcome(
        source.path,
        written.status,
        run.name,
        warnings,
        is_recognised=True,
        keeps_facts=bool(written.kept),
    )


def _check_names(prepared: Prepared, source: RunSource, stored: Mapping[str, Named]) -> None:
    """Refuse the name of another run of this ingest: --replace is only for runs stored before."""
    other = stored.get(prepared.name)
    if other is not None and other.content_hash != prepared.content_hash:
        raise Conflict(
            f"{path_text(source.label)}: {path_text(other.label)} is a run named "
            f"{prepared.name!r} too",
            problem="name twice",
        )


def _is_stored(store: Store, qrels: CollectionQrels, name: str, content_hash: str) -> bool:
    """Whether a run was stored before the interrupt."""
    with store.read() as connection:
        run = lookup_run(connection, qrels.collection_id, name)
        return (
            run is not None
            and run.removed_at is None
            and content_hash_of(connection, run.id) == content_hash
            and find_evaluation(connection, run.id, qrels.qrels_id) is not None
        )
