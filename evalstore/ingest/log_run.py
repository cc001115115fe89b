"""Log a run from code, query by query, and store it when it has ended."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import IO, Any, NoReturn

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.errors import Conflict, DataError, FileError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats.facts.parameters import merged
from evalstore.formats.json.evalrun import (
    NAMES,
    Docs,
    MoreFacts,
    Ranking,
    Start,
    end_line,
    facts_line,
    ranking_line,
    ranking_of,
    read_records,
    start_line,
)
from evalstore.formats.reading.lines import MAX_TEXT_LINE
from evalstore.formats.reading.source import ReadOptions, path_text, printable, quoted
from evalstore.formats.sources import RunSource
from evalstore.ingest.ingest import Outcome, ingest_run
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.store import Store
from evalstore.store.queries.runs import find_run, lookup_run

SUFFIX = ".evalrun"
LONGEST_FILE_NAME = 150


def begin_run(
    folder: Path,
    *,
    engine: str,
    collection: str,
    name: str | None,
    experiment: str | None,
    facts: GivenFacts,
    origin: GivenFacts,
    resume: bool,
    store: str = "",
    is_free: Callable[[str], bool] = lambda name: True,
) -> Journal:
    """Start a run that is logged into a file of a folder, or with `resume` continue a named run.

    The folder is created if it is missing. A run without a name gets the engine's name with the
    time, and a number if that name is taken. `origin` is only used for a new run. `store` is the
    name of the store that will receive the run, because stores may share a folder.
    """
    names = {"engine": engine, "collection": collection}
    if experiment is not None:
        names["experiment"] = experiment
    for kind, text in names.items():
        check_name(kind, text)
    folder = folder.absolute()  # the program may change its current folder
    now = datetime.now(UTC)
    assumed = {"started_at": now, **origin.given()}
    if facts.commit is not None:
        assumed.pop("commit_dirty", None)  # belongs to the commit found, not to the given one
    if name is not None:
        path = folder / file_name(store, collection, check_name("run", name))
        return Journal(path, {"run": name, **names}, facts.given(), assumed, resume=resume)
    if resume:
        raise DataError("a run is resumed by its name: give it one when it is started")
    base, number = f"{engine[:900]}-{now:%Y%m%d-%H%M%S}", 1
    while True:
        name = base if number == 1 else f"{base}-{number}"
        path = folder / file_name(store, collection, name)
        if is_free(name) and not path.exists():
            return Journal(path, {"run": name, **names}, facts.given(), assumed, resume=False)
        number += 1


def file_name(*names: str) -> str:
    """A run's file name, from the names of store, collection and run: `cacm.bm25.evalrun`.

    Characters that a file system may not accept become `_`; file names with any `_` of this kind
    get a hash of all names.
    """
    name = ".".join(filter(None, names))
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:LONGEST_FILE_NAME]
    if plain != name:
        plain += "-" + hashlib.sha256("\0".join(names).encode()).hexdigest()[:8]
    return plain + SUFFIX


TAKEN = "replace=True puts this one in its place, and another name keeps both"


class LocalTarget:
    """A local store that receives an ended run, logged into `folder` unless another is given."""

    def __init__(self, store: Store, qrels: CollectionQrels, request: IngestOptions) -> None:
        self._store = store
        self._qrels = qrels
        self._request = request
        self.folder = Path() if store.file is None else store.file.parent
        self.name = store.name

    def is_free(self, name: str) -> bool:
        """Whether no run of the collection has this name."""
        with self._store.read() as connection:
            return lookup_run(connection, self._qrels.collection_id, name) is None

    def check(self, name: str | None, parent: str | None) -> None:
        """Refuse a run before it starts, if a given name is taken or its parent is unknown."""
        collection = self._request.collection
        with self._store.read() as connection:
            if parent is not None:
                find_run(connection, parent, collection)
            taken = name and lookup_run(connection, self._qrels.collection_id, name)
        if taken and not self._request.replace:
            state = "removed, and keeps its name" if taken.removed_at else "stored already"
            raise Conflict(f"run {name!r} of collection {collection!r} is {state}: {TAKEN}")

    def store(self, path: Path) -> Outcome:
        """Store a run from its file as a whole or not at all, and close the connections."""
        try:
            return ingest_run(self._store, self._qrels, self._request, RunSource(str(path)))
        finally:
            self.close()  # nothing else closes it in `with ev.open(url).start_run(...)`

    def close(self) -> None:
        """Close the connections, which may be cut if they are idle for hours."""
        self._store.close()


# A run that is being logged into a `.evalrun` file, and can be resumed after a crash

BEGINNING = b'{"evalrun"'


class Journal:
    """A run that is being logged; only one object in one process can have it open at a time.

    Methods may be called from several threads. A forked process can't log.

    Attributes:
        names: the names of run, engine, collection and, if there is one, experiment.
        facts: the facts known so far, by the names of the fields of `GivenFacts`.
        answers: a hash of the documents of every query logged, by query id.
        is_resumed: whether the run was started before.
    """

    def __init__(
        self,
        path: Path,
        names: Mapping[str, str],
        facts: Mapping[str, Any],
        assumed: Mapping[str, Any],
        *,
        resume: bool,
    ) -> None:
        """Start or continue a run; `assumed` has facts of a new run, unless given.

        Raises:
            Conflict: the file exists and is not resumed, or belongs to a run with other names or
                parameters, or another process logs into it.
            FileError: the file can't be written, or its content breaks a rule.
        """
        self.path = path
        self.names = names
        self.facts: dict[str, Any] = {}
        self.answers: dict[str, bytes] = {}
        self._lock = Lock()
        self._process = os.getpid()
        self._file = self._opened(resume=resume)
        try:
            self.is_resumed = self._file.mend(BEGINNING) > 0
            if self.is_resumed:
                self._resume(facts)
            else:
                self.facts = {**assumed, **facts}
                self._file.append(start_line(names, self.facts))
                self._file.sync()
        except BaseException:
            self._file.close()
            raise

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.names["run"]

    @property
    def is_open(self) -> bool:
        """Whether this process can log."""
        return not self._file.closed

    def log(self, query: object, docs: Docs, milliseconds: float | None = None) -> None:
        """Write the answer to a query; repeating the same answer changes nothing.

        DataError: a run file can't hold the answer, or other documents were logged for this query
        before. After a FileError, the file contains no part of the answer.
        """
        ranking = ranking_of(self.name, query, docs, milliseconds)
        line = ranking_line(self.name, ranking)
        with self._writing():
            logged = self.answers.get(ranking.qid)
            if logged is None:
                self._file.append(line)
                self.answers[ranking.qid] = _hash(ranking)
            elif logged != _hash(ranking):
                raise DataError(
                    f"{printable(self.name)}: query {quoted(ranking.qid)} was logged before, with "
                    "other documents or scores"
                )

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Write facts: parameters and tags are added to earlier ones, other facts replace them."""
        with self._writing():
            together = merged(self.facts, facts)
            self._file.append(facts_line(facts))
            self.facts = together

    def end(self) -> None:
        """Write that the run has ended: now, unless a fact gives the time."""
        with self._writing():
            now = datetime.now(UTC)
            started_at = self.facts.get("started_at", now)
            ended_at = self.facts.get("ended_at") or max(now, started_at)  # clocks may be set back
            self._file.append(end_line(ended_at.isoformat(), len(self.answers)))
            self._file.sync()

    def close(self) -> None:
        """Close the file, so that another process can resume the run."""
        with self._lock:
            self._file.close()

    def delete(self) -> None:
        """Delete the file."""
        with self._lock:
            self._file.delete()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let one thread write at a time; refuse if the run has ended or this process is a fork."""
        if self._process != os.getpid():  # before the lock: another thread may have held it
            raise DataError(f"run {self.name!r} is logged by the process that started it")
        with self._lock:
            if self._file.closed:
                raise DataError(f"run {self.name!r} has ended")
            yield

    def _opened(self, *, resume: bool) -> LineFile:
        where = path_text(self.path)
        try:
            return LineFile(self.path, new=not resume)
        except FileExistsError:
            raise Conflict(
                f"run {self.name!r} was begun before, in {where}: resume=True goes on with it; or "
                "delete the file"
            ) from None
        except Locked:
            raise Conflict(f"run {self.name!r} is being logged already, in {where}") from None

    def _resume(self, facts: Mapping[str, Any]) -> None:
        """Read what was logged before, and write facts that have other values than at the start."""
        later: dict[str, Any] = {}
        for record in read_records(str(self.path), ReadOptions()):
            if isinstance(record, Start):
                self._check_same(record, facts)
                self.facts = dict(record.facts)
                later = {n: fact for n, fact in facts.items() if record.facts.get(n) != fact}
            elif isinstance(record, Ranking):
                checked = ranking_of(path_text(self.path), record.qid, record.docs)
                self.answers[record.qid] = _hash(checked)
            elif isinstance(record, MoreFacts):
                self.facts = merged(self.facts, record.facts)
        self.facts.pop("ended_at", None)  # the run continues
        if later:
            self._file.append(facts_line(later))
            self.facts = merged(self.facts, later)

    def _check_same(self, start: Start, facts: Mapping[str, Any]) -> None:
        """Refuse to continue a run with other names or parameters."""
        for kind in NAMES:
            if start.names.get(kind) != self.names.get(kind):
                self._refuse_other(kind, start.names.get(kind), self.names.get(kind))
        before, now = (each.get("parameters", {}) for each in (start.facts, facts))
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                self._refuse_other(f"parameter {name}", before.get(name), now.get(name))

    def _refuse_other(self, what: str, before: object, now: object) -> NoReturn:
        raise Conflict(
            f"run {self.name!r} was begun with another {printable(what)}, {before!r} and not "
            f"{now!r}, in {path_text(self.path)}: give this one another name"
        )


def _hash(ranking: Ranking) -> bytes:
    """A hash of documents and scores, independent of the order in which they were given."""
    text = repr([*ranking.docs.items()])  # already in order
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


# A file that grows line by line, is locked while it is open, and survives a crash. A line is handed
# to the operating system before `append` returns, so it survives the death of the process (kill
# -9). It is on disk, and survives a power failure, after `sync`, or after `SYNC_EVERY` seconds if
# more lines are appended.

SYNC_EVERY = 5.0
"""Seconds between two calls of fsync while lines are appended."""


class Locked(Exception):
    """Another process, or another object of this process, has the file open."""


class LineFile:
    """A file of JSON lines, open for appending, for one thread; closed in forked processes."""

    def __init__(self, path: Path, *, new: bool) -> None:
        """Open a file, or create it and its folder; with `new` it must not exist yet.

        Locked: another process, or another object of this process, has the file open.
        """
        self.path = path
        self._synced_at = time.monotonic()
        with self._errors():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except FileExistsError:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
            self._file = FileIO(path, "x+" if new else "a+")
            if not (lock(self._file) and is_at(path, self._file)):
                self._file.close()
                raise Locked
            if new:
                _sync_folder(path.parent)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=partial(_close_in_child, weakref.ref(self)))

    @property
    def closed(self) -> bool:
        """Whether nothing can be appended any more."""
        return self._file.closed

    def mend(self, beginning: bytes) -> int:
        """Remove a partial line that a crash left at the end; returns the size in bytes.

        FileError: the file does not begin with `beginning`; it is then left unchanged.
        """
        with self._errors():
            self._file.seek(0)
            if not beginning.startswith(self._file.read(len(beginning))):
                text = beginning.decode()
                raise FileError(path_text(self.path), 1, f"a line that begins with {text} is first")
            size = self._file.seek(0, os.SEEK_END)
            self._file.seek(max(0, size - MAX_TEXT_LINE - 1))
            rest = self._file.readall().rpartition(b"\n")[2]
            if not _is_json(rest):
                self._file.truncate(size - len(rest))
                return size - len(rest)
        self.append(b"\n")  # only the end of the line is missing
        return size

    def append(self, line: bytes) -> None:
        """Write a whole line, or nothing and raise FileError, for example on a full disk."""
        with self._errors():
            size = self._file.seek(0, os.SEEK_END)
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except BaseException:
                self._file.truncate(size)
                raise
        if time.monotonic() - self._synced_at >= SYNC_EVERY:
            self.sync()

    def sync(self) -> None:
        """Write the file to disk."""
        with self._errors():
            os.fsync(self._file.fileno())
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Close the file, so that others can open it."""
        self._file.close()

    def delete(self) -> None:
        """Delete the file."""
        with self._errors():
            self.path.unlink()  # before closing it releases the lock
        self._file.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise
        except OSError as error:
            what = (error.strerror or str(error)).lower()
            raise FileError(path_text(self.path), None, what) from None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def lock(file: IO[Any] | FileIO) -> bool:
    """Lock a file until it is closed; False if it is locked. On Windows files are not locked."""
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415  (not on every system)

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def is_at(path: Path, file: FileIO) -> bool:
    """Whether the path still has this file: it may be deleted before it is locked."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    """Write a folder to disk, so that a power failure does not lose a file just created in it."""
    if sys.platform != "win32":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _close_in_child(reference: weakref.ref[LineFile]) -> None:
    """Close the file in a forked process, which would keep it locked after its parent has died."""
    line_file = reference()
    if line_file is not None:
        line_file.close()
