"""Store one run that was read and evaluated, or change a stored one; find unchanged files."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection

from evalstore import __version__
from evalstore.catalog.annotate import change_parent, facts_of_new_run, other_facts
from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.collection_facts import set_run_facts
from evalstore.catalog.names import check_name
from evalstore.errors import Conflict
from evalstore.evaluation.ingest_options import STANDARD, IngestOptions, storable
from evalstore.evaluation.prepare import Prepared
from evalstore.formats.reading.file_stamps import hashed, stamp
from evalstore.formats.reading.lines import run_name
from evalstore.formats.reading.paths import is_url
from evalstore.formats.sources import RunSource
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.measures import Measure, parse_list
from evalstore.measures.notation import SETS
from evalstore.store import Store
from evalstore.store.database import lock_run
from evalstore.store.models import collection_t, evaluation_t, run_t
from evalstore.store.queries import events
from evalstore.store.queries.collections import measures_of_collection
from evalstore.store.queries.evaluations import add_evaluation, find_evaluation
from evalstore.store.queries.facts import set_times
from evalstore.store.queries.queries import ensure_query_ids
from evalstore.store.queries.rankings import add_rankings, add_tops
from evalstore.store.queries.runs import (
    CurrentRun,
    RunFile,
    StoredRun,
    add_run,
    add_run_files,
    content_hash_of,
    content_id_of,
    delete_run,
    ensure_engine,
    find_content,
    find_run_of_file,
    list_current_runs,
    list_run_files,
    list_runs,
    lookup_run,
    run_engine,
    run_experiment,
    runs_with_content,
)
from evalstore.store.queries.tracking import find_baseline, set_baseline
from evalstore.store.rows import change_row, delete_row

Status = Literal["stored", "replaced", "evaluated", "restored", "already stored", "failed"]


@dataclass(frozen=True)
class Written:
    """The result of storing a run.

    Attributes:
        same_as: another run of the collection with the same rankings, with which a new run shares
            them; empty if there is none.
        kept: the given facts that a stored run does not have, since only `runs edit` changes it.
    """

    status: Status
    name: str
    same_as: str = ""
    kept: tuple[str, ...] = ()


def store_run(
    store: Store, qrels: CollectionQrels, prepared: Prepared, request: IngestOptions
) -> Written:
    """Write one run in one transaction, unless it is already stored.

    A run with the name and the content of a stored one changes nothing in that, except that it is
    restored if it was removed, and evaluated if it was not yet under this qrels. A run with another
    name shares the rankings and values of a stored one with the same content.

    Conflict: a run with other content has its name, or its rankings are already evaluated with
    another `compat`. DataError: there are times for queries that the run does not answer.
    """

    def work(connection: Connection) -> Written:
        now = datetime.now(UTC)
        content_hash = prepared.content_hash
        lock_run(connection, qrels.collection_id, prepared.name, content_hash)
        content_id = find_content(connection, qrels.collection_id, content_hash)
        is_new = content_id is None
        others = [] if content_id is None else runs_with_content(connection, content_id)
        taken = lookup_run(connection, qrels.collection_id, prepared.name)
        same = _same_run(connection, others, prepared, taken, request)
        if same is not None:
            run_id, deleted_content = same.id, None
            written = _again(connection, same, request, now)
        else:
            run_id, deleted_content = _add_run(connection, qrels, prepared, request, taken, now)
            written = Written(
                "stored" if deleted_content is None else "replaced",
                prepared.name,
                next((run.name for run in others if run.removed_at is None), ""),
            )
        content_id = content_id_of(connection, run_id)
        evaluation = None if is_new else find_evaluation(connection, run_id, qrels.qrels_id)
        if evaluation is not None and evaluation.compat != request.compat:
            if not request.replace:
                raise Conflict(
                    f"run {written.name!r} is evaluated as {evaluation.compat} already, "
                    f"not as {request.compat}",
                    problem="other compat",
                )
            delete_row(connection, evaluation_t, evaluation.id)
            evaluation = None
        content = prepared.content if is_new else None
        answered = () if content is None else content.qids
        judged = prepared.evaluation.qids if evaluation is None else ()
        answered_ids, judged_ids = ensure_query_ids(
            connection, qrels.collection_id, answered, judged
        )
        if content is not None:
            add_tops(connection, content_id, content, answered_ids)
        is_evaluated = evaluation is not None
        if not is_evaluated:
            if written.status == "already stored":
                written = replace(written, status="evaluated")
            add_evaluation(
                connection,
                content_id=content_id,
                qrels_id=qrels.qrels_id,
                evaluator=__version__,
                compat=request.compat,
                rows=prepared.evaluation,
                query_ids=judged_ids,
                now=now,
            )
        if not is_evaluated or written.status in ("stored", "replaced"):
            action: events.Action = "replace" if written.status == "replaced" else "ingest"
            events.log(
                connection,
                action,
                request.collection,
                written.name,
                now,
                kind="run",
                status=written.status,
                qrels=qrels.qrels_name,
                **({"deleted_content": deleted_content} if deleted_content else {}),
                **({"same_as": written.same_as} if written.same_as else {}),
                **({"ignored_identical_ids": prepared.left_out} if prepared.left_out else {}),
            )
        if content is not None:  # written last, as they may still be being packed
            add_rankings(connection, content_id, content, answered_ids)
        if request.run_facts is not None:
            stored = StoredRun(
                run_id,
                written.name,
                prepared.tag,
                request.collection,
                values_only=prepared.content is None,
            )
            set_run_facts(connection, stored, request.run_facts, now)
        stamp = None if prepared.file is None else prepared.file.stamp
        if stamp is not None:
            file = RunFile(run_id, stamp)
            is_stored = written.status not in ("stored", "replaced")
            add_run_files(connection, [file], reading_of(request), is_new=not is_stored)
        return written

    # A replaced run is deleted, so no other process may add to it meanwhile.
    return store.transact(work) if request.replace else store.transact_shared(work)


def _same_run(
    connection: Connection,
    with_content: Sequence[StoredRun],
    prepared: Prepared,
    taken: StoredRun | None,
    request: IngestOptions,
) -> StoredRun | None:
    """The run among those with its content that a run is: that with its name.

    A file without a given name whose run was renamed is still that run.
    """
    for run in with_content:
        if taken is not None and run.id == taken.id:
            return run
    stamp = None if prepared.file is None else prepared.file.stamp
    if taken is not None or request.name is not None or stamp is None:
        return None
    ids = [run.id for run in with_content]
    renamed = find_run_of_file(connection, ids, stamp.path_hash)
    return next((run for run in with_content if run.id == renamed), None)


def store_again(store: Store, run: CurrentRun, request: IngestOptions) -> Written | None:
    """Apply a request to a stored run without reading its file; None if the run was deleted."""

    def work(connection: Connection) -> Written | None:
        stored = next(iter(list_runs(connection, run_t.c.id == run.id, removed=None)), None)
        if stored is None:
            return None
        now = datetime.now(UTC)
        if request.run_facts is not None:
            set_run_facts(connection, stored, request.run_facts, now)
        return _again(connection, stored, request, now)

    return store.transact(work)


def _again(
    connection: Connection, same: StoredRun, request: IngestOptions, now: datetime
) -> Written:
    """Restore a stored run if it was removed; tell of given facts that it does not have."""
    status: Status = "already stored"
    if same.removed_at is not None:
        change_row(connection, run_t, same.id, deleted_at=None)
        events.log(connection, "restore", same.collection, same.name, now, by="ingest")
        status = "restored"
    return Written(status, same.name, kept=_other_facts(connection, same, request))


def _other_facts(connection: Connection, run: StoredRun, request: IngestOptions) -> tuple[str, ...]:
    """The names of the given facts that are others than those of a stored run."""
    names = {
        "engine": (request.engine, run_engine(connection, run.id)),
        "experiment": (request.experiment, run_experiment(connection, run.id)),
    }
    other = [name for name, (given, has) in names.items() if given not in (None, has)]
    return (*other, *other_facts(connection, run, request.facts))


def _add_run(
    connection: Connection,
    qrels: CollectionQrels,
    prepared: Prepared,
    request: IngestOptions,
    taken: StoredRun | None,
    now: datetime,
) -> tuple[int, str | None]:
    """Store a new run without its rankings; `taken` is the run that has its name.

    Returns the run's id, and the content hash of the run that it replaces.
    """
    if taken is not None and not request.replace:
        raise _taken(taken, prepared.left_out)
    deleted_content = None
    is_baseline = False
    if taken is not None:
        baseline = find_baseline(connection, qrels.collection_id)
        is_baseline = baseline is not None and baseline.id == taken.id
        deleted_content = content_hash_of(connection, taken.id)
        delete_run(connection, taken.id)
    own_engine = prepared.name if request.engine_after_run else prepared.tag
    engine = check_name("engine", request.engine or prepared.engine or own_engine)
    facts = request.facts.or_else(prepared.facts)
    if not (prepared.facts.host or prepared.facts.started_by):  # the file says where it was made
        facts = facts.or_else(request.origin)
    run_id = add_run(
        connection,
        qrels.collection_id,
        engine_id=ensure_engine(connection, engine),
        experiment=request.experiment or prepared.experiment,
        name=prepared.name,
        tag=prepared.tag,
        content_hash=prepared.content_hash,
        queries=prepared.queries,
        retrieved=0 if prepared.content is None else int(prepared.content.lengths.sum()),
        values_only=prepared.content is None,
        facts=facts_of_new_run(prepared.name, facts),
        now=now,
    )
    if is_baseline:  # users chose it by name; the new run has this name
        set_baseline(connection, qrels.collection_id, run_id)
    if facts.parent is not None:
        stored = StoredRun(run_id, prepared.name, prepared.tag, request.collection)
        change_parent(connection, stored, facts.parent)
    if prepared.times:
        set_times(connection, qrels.collection_id, run_id, prepared.times)
    return run_id, deleted_content


def _taken(by: StoredRun, left_out: int) -> Conflict:
    less = f" ({left_out:,} documents with the id of their query are left out of this one)"
    other = f"other content{less if left_out else ''}"
    if by.removed_at is not None:
        return Conflict(
            f"a run named {by.name!r} with {other} was removed from collection "
            f"{by.collection!r} and keeps its name",
            problem="removed run has name",
        )
    return Conflict(
        f"a run named {by.name!r} with {other} is in collection {by.collection!r}",
        problem="run has name",
    )


# Files that need not be read, since their runs are stored and nothing has changed: neither the
# path, size, inode and times (or at least the bytes), nor the options for reading, nor the version
# of evalstore.


def reading_of(request: IngestOptions) -> str:
    """A hash of everything besides a file's bytes that determines which run it contains."""
    options = request.options
    decisive = (
        *(__version__, options.encoding, options.formats, options.maps, options.unfinished),
        *(request.ignore_identical_ids, request.allow_disjoint),
    )
    return hashlib.sha256(repr(decisive).encode()).hexdigest()


class KnownFiles:
    """The files that the runs of a collection were read from, all with the same options."""

    def __init__(self, files: list[RunFile]) -> None:
        self._by_path: dict[str, list[RunFile]] = defaultdict(list)
        self._by_size: dict[int, list[RunFile]] = defaultdict(list)
        for file in files:
            self._by_path[file.stamp.path_hash].append(file)
            self._by_size[file.stamp.size].append(file)
        self._runs: dict[str, dict[int, bool]] = {}
        self.changed: list[RunFile] = []
        """Files that were recognised by their bytes: with these new stamps, that will be faster."""

    def runs_of(self, path: str) -> dict[int, bool]:
        """The runs that were stored from such a file, by id: whether from the same path.

        They are looked up once per path.
        """
        if path not in self._runs:
            self._runs[path] = self._find(path)
        return self._runs[path]

    def is_known(self, path: str) -> bool:
        """Whether a run of a file is stored."""
        return bool(self.runs_of(path))

    def _find(self, path: str) -> dict[int, bool]:
        now = stamp(path) if self._by_size else None
        if now is None:
            return {}
        there = self._by_path.get(now.path_hash, ()) if now.version else ()
        same = (now.size, now.version)
        found = [file for file in there if (file.stamp.size, file.stamp.version) == same]
        if not found and not is_url(path):
            alike = [file for file in self._by_size.get(now.size, ()) if file.stamp.bytes_hash]
            content = hashed(path, now) if alike else None
            if content is not None:
                found = [one for one in alike if one.stamp.bytes_hash == content.bytes_hash]
                self.changed += [RunFile(one.run_id, content) for one in found]
        return {file.run_id: file.stamp.path_hash == now.path_hash for file in found}


def load_known_files(store: Store, request: IngestOptions) -> KnownFiles:
    """The files that the runs of a collection were read from with these options (`reading_of`)."""
    with store.read() as connection:
        return KnownFiles(list_run_files(connection, request.collection, reading_of(request)))


def recognised_runs(
    store: Store,
    request: IngestOptions,
    qrels: CollectionQrels,
    sources: Sequence[RunSource],
    known: KnownFiles | None,
) -> dict[str, CurrentRun]:
    """The runs that need not be read, by path: stored or removed ones, evaluated as requested.

    A file that would be stored under another name is read, as it is another run. New stamps of
    files that were recognised by their bytes are stored.
    """
    if known is None:
        return {}
    with store.read() as connection:
        runs = list_current_runs(connection, qrels.collection_id, qrels.qrels_id)
    reading = reading_of(request)
    recognised: dict[str, CurrentRun] = {}
    for source in sources:
        name = request.name or source.name or run_name(source.path)
        stored = {} if source.part else known.runs_of(source.path)
        for id_, is_same_path in stored.items():
            run = runs.get(id_)
            if run is None or run.compat != request.compat:
                continue
            if run.name == name or (is_same_path and request.name is None):
                recognised[source.path] = run
    ids = {run.id for run in recognised.values()}
    files = [file for file in known.changed if file.run_id in ids]
    if files:
        store.transact(lambda connection: add_run_files(connection, files, reading))
    return recognised


def says_something(request: IngestOptions, run: CurrentRun) -> bool:
    """Whether the request restores a stored run, or gives facts that it may not have."""
    return (
        run.removed_at is not None
        or request.engine not in (None, run.engine)
        or request.experiment not in (None, run.experiment)
        or bool(request.facts)
        or request.run_facts is not None
    )


# The measures that an ingest stores: the requested ones, those of the collection, or `standard`


def with_measures(store: Store, request: IngestOptions) -> IngestOptions:
    """The request with the measures of its collection, if it names no measures."""
    if request.measures is not None:
        return request
    with store.read() as connection:
        collection_id = find_collection_id(connection, request.collection)
        return replace(request, measures=collection_measures(connection, collection_id))


def collection_measures(connection: Connection, collection_id: int) -> tuple[Measure, ...]:
    """The measures that an ingest into a collection stores by default.

    MeasureError: one of them is unknown in this version.
    """
    text = measures_of_collection(connection, collection_id)
    return storable(parse_list(text or STANDARD).values())


def written_measures(measures: str) -> str:
    """The measures of a collection as they are stored: the name of a set, or canonical names."""
    each = storable(parse_list(measures).values())
    return measures.strip() if measures.strip() in SETS else ",".join(map(str, each))


def set_collection_measures(store: Store, name: str, measures: str) -> str:
    """Set the measures that an ingest into a collection stores; stored values are not changed.

    `measures` is a set of measures, or names separated by commas. Returns them as they are stored.
    """
    after = written_measures(measures)

    def work(connection: Connection) -> None:
        collection_id = find_collection_id(connection, name)
        before = measures_of_collection(connection, collection_id) or STANDARD
        if after == before:
            return
        stored = None if after == STANDARD else after
        change_row(connection, collection_t, collection_id, measures=stored)
        events.log(connection, "default", name, name, kind="measures", to=after, before=before)

    store.transact(work)
    return after
