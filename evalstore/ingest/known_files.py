"""Which files need not be read, since the runs in them are stored and nothing has changed.

A file is known where all that decides which run it is has not changed: the path, the size, the
inode and the times, or else the bytes themselves; the options of reading; and the version of
evalstore. Its run is then taken as it is in the store (`recognised_runs`).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from evalstore import __version__
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats.file_stamps import hashed, stamp
from evalstore.formats.paths import is_url
from evalstore.formats.sources import RunSource
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.store import Store
from evalstore.store.queries.runs import (
    CurrentRun,
    RunFile,
    add_run_files,
    list_current_runs,
    list_run_files,
)


def reading_of(request: IngestOptions) -> str:
    """A hash of all that decides, beside the bytes of a file, which run it is, or whether it is."""
    options = request.options
    decisive = (
        *(__version__, options.encoding, options.formats, options.unfinished),
        *(request.ignore_identical_ids, request.allow_disjoint),
    )
    return hashlib.sha256(repr(decisive).encode()).hexdigest()


class KnownFiles:
    """The files that the runs of a collection were read from.

    Args:
        files: as the store has noted them, all read in the same way.
    """

    def __init__(self, files: list[RunFile]) -> None:
        self._by_path: dict[str, list[RunFile]] = defaultdict(list)
        self._by_size: dict[int, list[RunFile]] = defaultdict(list)
        for file in files:
            self._by_path[file.stamp.path_hash].append(file)
            self._by_size[file.stamp.size].append(file)
        self._runs: dict[str, int | None] = {}
        self.changed: list[RunFile] = []
        """Files that were recognised by their bytes: by these stamps they are recognised faster."""

    def run_of(self, path: str) -> int | None:
        """The id of the run that a file is, as far as that is known; looked up once a path."""
        if path not in self._runs:
            self._runs[path] = self._find(path)
        return self._runs[path]

    def is_known(self, path: str) -> bool:
        """Whether a file is a run that is stored."""
        return self.run_of(path) is not None

    def _find(self, path: str) -> int | None:
        now = stamp(path) if self._by_size else None
        if now is None:
            return None
        for file in self._by_path.get(now.path_hash, ()) if now.version else ():
            if (file.stamp.size, file.stamp.version) == (now.size, now.version):
                return file.run_id
        if is_url(path):
            return None
        alike = [file for file in self._by_size.get(now.size, ()) if file.stamp.bytes_hash]
        content = hashed(path, now) if alike else None
        for file in alike if content is not None else ():
            if content is not None and file.stamp.bytes_hash == content.bytes_hash:
                self.changed.append(RunFile(file.run_id, content))
                return file.run_id
        return None


def load_known_files(store: Store, request: IngestOptions) -> KnownFiles:
    """The files that the runs of a collection were read from in this way (`reading_of`)."""
    with store.read() as connection:
        return KnownFiles(list_run_files(connection, request.collection, reading_of(request)))


def recognised_runs(
    store: Store,
    request: IngestOptions,
    qrels: CollectionQrels,
    sources: Sequence[RunSource],
    known: KnownFiles | None,
) -> dict[str, CurrentRun]:
    """By their path, the runs that need not be read to do what is requested.

    Those are stored, perhaps marked as removed, and evaluated under the qrels as is requested. The
    new stamps of files that were recognised by their bytes are stored.
    """
    if known is None:
        return {}
    ids = {source.path: known.run_of(source.path) for source in sources if not source.part}
    with store.read() as connection:
        runs = list_current_runs(connection, qrels.collection_id, qrels.qrels_id)
    reading = reading_of(request)
    files = [file for file in known.changed if file.run_id in runs]
    if files:
        store.transact(lambda connection: add_run_files(connection, files, reading))
    return {
        path: runs[id_]
        for path, id_ in ids.items()
        if id_ in runs and runs[id_].compat == request.compat
    }


def changes_something(request: IngestOptions, run: CurrentRun) -> bool:
    """Whether the request changes anything of a run that is stored, or may do so."""
    return (
        run.removed_at is not None
        or request.name not in (None, run.name)
        or request.engine not in (None, run.engine)
        or request.experiment not in (None, run.experiment)
        or bool(request.facts)
        or request.run_facts is not None
    )
